#include "views/view_proposals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ceilings.h"
#include "core/mem.h"
#include "tui/diff_pane.h"
#include "tui/list.h"
#include "views/panes.h"
#include "views/proposals_list.h"
#include "views/text_view.h"

#define SLICE 32 /* records read between two keys: a few milliseconds */

enum question { ASK_APPLY, ASK_REJECT, ASK_UNDO };

struct state {
	const struct at_view_arg *arg;
	struct at_proposals_list proposals;
	struct at_list list;
	struct at_proposal_shown shown; /* of the row at the cursor */
	struct at_error fault;          /* why it cannot be shown; code AT_OK otherwise */
	bool is_shown;
	struct at_diff diff;
	struct at_diff_pane pane;
	size_t reason; /* the one that `!` goes to next */
	struct at_proposal_act asked;
	struct at_buf why; /* what the operator wrote beside a rejection */
	struct at_buf text;
	struct at_view_text_arg text_arg;
	bool in_diff, zoomed;
};

static const char *const ceiling = "CEIL-9";

static size_t count_rows(void *user)
{
	return ((struct state *)user)->proposals.count;
}

static void put_left(struct at_buf *out, const struct at_proposal *item)
{
	if (item->state == AT_PROPOSAL_UNREAD || item->left_s <= 0)
		return;
	if (item->left_s >= 3600)
		at_buf_printf(out, "%lldh", (long long)(item->left_s / 3600));
	else
		at_buf_printf(out, "%lldm", (long long)(item->left_s / 60));
}

static void fill_row(void *user, size_t row, struct at_line *out)
{
	const struct at_proposal *item = &((struct state *)user)->proposals.items[row];
	struct at_buf left = { 0 };

	put_left(&left, item);
	at_line_textf(out, item->state == AT_PROPOSAL_CLEAN ? AT_STYLE_TRUTH_OK : AT_STYLE_MARK,
		"%-8s", at_review_state_name(item->state));
	at_line_textf(out, AT_STYLE_DIM, "%-4s", at_buf_text(&left));
	at_line_text(out, AT_STYLE_MARK, item->weight ? "! " : "  ");
	at_line_add(out, AT_STYLE_NORMAL, at_bytes_of(item->path));
	if (strcmp(item->kind, "delete-proposal") == 0)
		at_line_text(out, AT_STYLE_REMOVED, "  deletes it");
	at_line_textf(out, AT_STYLE_DIM, "  %s", item->agent);
	if (*item->why) {
		at_line_text(out, AT_STYLE_DIM, "  ");
		at_line_text(out, AT_STYLE_MARK, item->why);
	}
	at_buf_free(&left);
}

static const struct at_proposal *current(const struct state *s)
{
	return s->list.cursor < s->proposals.count ? &s->proposals.items[s->list.cursor] : NULL;
}

static void drop_shown(struct state *s)
{
	at_diff_free(&s->diff);
	s->diff = (struct at_diff){ 0 };
	if (s->is_shown)
		at_proposal_shown_free(&s->shown);
	s->is_shown = false;
	s->fault = (struct at_error){ 0 };
	s->reason = 0;
}

static void show_current(struct state *s)
{
	const struct at_proposal *item = current(s);
	const struct at_bytes none = { "", 0 };

	drop_shown(s);
	if (item) {
		s->is_shown = true;
		if (at_proposal_show(&s->shown, s->arg->session, item->sid, &s->fault))
			at_diff_make(&s->diff,
				s->shown.old.exists ? (struct at_bytes){ at_buf_text(&s->shown.old.bytes),
					s->shown.old.bytes.len } : none,
				s->shown.new.data ? s->shown.new : none, 3, &s->fault);
	}
	at_diff_pane_set(&s->pane, &s->diff);
	at_pager_go(&s->pane.pager, 0);
}

static bool open(struct at_view *view, const void *arg, struct at_error *err)
{
	struct state *s = view->state;
	struct at_list_source source = { s, count_rows, fill_row, NULL };

	(void)err;
	s->arg = arg;
	at_proposals_open(&s->proposals, s->arg->session);
	at_proposals_work(&s->proposals, SLICE);
	at_list_init(&s->list, &source);
	at_diff_pane_init(&s->pane, &s->diff);
	/* Always, to begin with: nothing of a change stands right of the screen. */
	s->pane.pager.wrap = true;
	s->pane.pager.tab = (unsigned)s->arg->session->settings->tab_width;
	show_current(s);
	return true;
}

static void close(struct at_view *view)
{
	struct state *s = view->state;

	drop_shown(s);
	at_proposals_close(&s->proposals);
	at_list_free(&s->list);
	at_diff_pane_free(&s->pane);
	at_buf_free(&s->why);
	at_buf_free(&s->text);
}

static struct at_panes panes_of(const struct state *s, int width, int height)
{
	return at_panes_of(width, height, s->arg->session->settings->two_panes, s->in_diff,
		s->zoomed, true);
}

static void layout(struct at_view *view, int width, int height)
{
	struct state *s = view->state;
	struct at_panes p = panes_of(s, width, height);

	if (p.list.width)
		at_list_layout(&s->list, p.list.width, p.list.height - 1);
	if (p.side.width)
		at_diff_pane_layout(&s->pane, p.side.width, p.side.height - 1);
}

static void paint_list(const struct state *s, const struct at_canvas *canvas, bool one_pane)
{
	struct at_canvas body = at_pane_body(canvas);
	struct at_line line = { .ascii = canvas->grid->ascii };
	char rest[160];

	if (s->proposals.fault.code != AT_OK)
		snprintf(rest, sizeof(rest), "cannot be read: %.100s", s->proposals.fault.message);
	else if (s->proposals.read < s->proposals.count)
		snprintf(rest, sizeof(rest), "%zu wait; reading, %zu of them so far",
			s->proposals.count, s->proposals.read);
	else
		snprintf(rest, sizeof(rest), "%zu wait, the riskiest first%s", s->proposals.count,
			one_pane ? "   Tab: the change" : "");
	at_pane_title(canvas, !s->in_diff, "Proposals", rest);
	if (s->proposals.count) {
		at_list_paint(&s->list, &body, !s->in_diff);
	} else {
		at_line_text(&line, AT_STYLE_DIM, "Nothing waits for review.");
		at_line_paint(&line, &body, 0, 0, true);
	}
	at_line_free(&line);
}

static void put_details(const struct state *s, struct at_buf *out)
{
	const struct at_proposal *item = current(s);

	if (!item) {
		for (size_t i = 0; i < at_ceiling_count; i++)
			if (strcmp(at_ceilings[i].id, ceiling) == 0)
				at_buf_printf(out, "%s %s\n", ceiling, at_ceilings[i].text);
	} else if (s->fault.code != AT_OK) {
		at_buf_printf(out, "It cannot be shown: %s\n%s\n", s->fault.message, s->fault.hint);
	} else {
		at_proposal_detail(out, item, &s->shown);
	}
}

static void paint_details(const struct state *s, const struct at_canvas *canvas)
{
	struct at_line line = { .ascii = canvas->grid->ascii };
	struct at_buf text = { 0 };
	char *rest, *row;
	int y = 0;

	put_details(s, &text);
	rest = text.data;
	while (y < canvas->at.height && rest && (row = strsep(&rest, "\n"))) {
		bool more = y == canvas->at.height - 1 && rest && *rest;

		at_line_clear(&line);
		if (more)
			at_line_own(&line, AT_STYLE_NORMAL, "… Enter shows the rest");
		else
			at_line_text(&line, *row == '!' ? AT_STYLE_MARK : y ? AT_STYLE_NORMAL
						: AT_STYLE_ACCENT, row);
		at_line_paint(&line, canvas, y++, 0, true);
	}
	at_line_free(&line);
	at_buf_free(&text);
}

static void paint_diff(const struct state *s, const struct at_canvas *canvas)
{
	struct at_canvas body = at_pane_body(canvas);
	char where[64], modes[80], rest[256];
	size_t hunks, hunk = at_pager_hunk(&s->pane.pager, &hunks);

	at_pager_status(&s->pane.pager, where, sizeof(where));
	at_diff_pane_modes(&s->pane, modes, sizeof(modes));
	snprintf(rest, sizeof(rest), "%s%s+%zu -%zu   hunk %zu/%zu   %s", modes, *modes ? "   " : "",
		s->diff.added, s->diff.removed, hunk, hunks, where);
	at_pane_title(canvas, s->in_diff, "the file now → as proposed",
		s->diff.count ? rest : "no difference");
	at_pager_paint(&s->pane.pager, &body);
}

static void paint(const struct at_view *view, const struct at_canvas *canvas)
{
	const struct state *s = view->state;
	struct at_panes p = panes_of(s, view->width, view->height);
	struct at_canvas part;

	if (p.list.width) {
		part = at_canvas_part(canvas, p.list);
		paint_list(s, &part, !p.side.width);
	}
	if (p.details.height) {
		part = at_canvas_part(canvas, p.details);
		paint_details(s, &part);
	}
	if (p.side.width) {
		part = at_canvas_part(canvas, p.side);
		paint_diff(s, &part);
	}
	at_panes_paint_lines(&p, canvas);
}

static bool off(char *out, size_t size, const char *why)
{
	snprintf(out, size, "%s", why);
	return true;
}

/* What is applied must be what is shown, whole, with its diff on the screen. */
static bool apply_why_not(const struct state *s, const struct at_view *view, char *out, size_t size)
{
	const struct at_proposal *item = current(s);
	struct at_panes p = panes_of(s, view->width, view->height);

	if (!p.side.width || !s->in_diff)
		return off(out, size, "a exists only in the change: Tab goes there");
	if (s->fault.code != AT_OK)
		return off(out, size, "it cannot be shown, so it cannot be applied");
	if (at_diff_pane_hides_space(&s->pane))
		return off(out, size, "changes of white space are hidden: W shows them");
	if (item->state != AT_PROPOSAL_CLEAN)
		return off(out, size, item->state == AT_PROPOSAL_STALE
				? "the file changed since the agent read it" : "its time is over");
	return false;
}

static bool why_not(const struct at_view *view, enum at_action action, char *out, size_t size)
{
	const struct state *s = view->state;

	switch (action) {
	case AT_DO_APPLY:
	case AT_DO_REJECT:
		if (at_session_is_off(s->arg->session, out, size))
			return true;
		if (!current(s))
			return off(out, size, "nothing waits for review");
		return action == AT_DO_APPLY && apply_why_not(s, view, out, size);
	case AT_DO_UNDO:
		return at_session_is_off(s->arg->session, out, size);
	case AT_DO_NEXT_WARNING:
		return (!s->is_shown || !s->shown.risk.count)
			&& off(out, size, "no reason to look twice was found here");
	case AT_DO_OPEN:
		return !current(s) && off(out, size, "nothing waits for review");
	case AT_DO_NEXT_FILE:
	case AT_DO_PREV_FILE:
		return off(out, size, "");
	case AT_DO_SIDE_BY_SIDE:
	case AT_DO_FOLD:
	case AT_DO_SPACE:
	case AT_DO_WRAP:
		return at_diff_pane_why_not(&s->pane, action, out, size);
	case AT_DO_ZOOM:
		return view->width < s->arg->session->settings->two_panes
			&& off(out, size, "one pane has the whole width already");
	default:
		return false;
	}
}

/* To the line of the next reason, round and round; a reason of the whole file is its top. */
static void next_reason(struct state *s, struct at_fx *fx)
{
	const struct at_risk_report *risk = &s->shown.risk;
	const struct at_risk_reason *r = &risk->reasons[s->reason % risk->count];
	size_t line = 0;

	for (size_t i = 0; r->line && i < s->diff.count && !line; i++)
		if (s->diff.lines[i].kind == AT_DIFF_ADDED && s->diff.lines[i].new_no == r->line)
			line = i;
	at_pager_go(&s->pane.pager, at_diff_rows_row(&s->pane.rows, line));
	at_fx_message(fx, "%zu of %zu: %s%s", s->reason % risk->count + 1, risk->count, r->text,
		r->line ? "" : " (the whole file)");
	s->reason++;
	at_fx_redraw(fx);
}

static void keep_asked(struct state *s, enum at_proposal_verb verb)
{
	const struct at_proposal *item = current(s);

	s->asked = (struct at_proposal_act){ .verb = verb };
	if (item)
		memcpy(s->asked.sid, item->sid, sizeof(s->asked.sid));
	snprintf(s->asked.content_sha256, sizeof(s->asked.content_sha256), "%s",
		s->is_shown ? s->shown.record.content_sha256 : "");
}

static void ask_apply(struct state *s, struct at_fx *fx)
{
	const struct at_proposal *item = current(s);
	struct at_buf size = { 0 };
	const char *lines[4];
	struct at_ask ask = { .id = ASK_APPLY, .danger = AT_DANGER_CONFIRM, .lines = lines,
		.title = "Apply this change, as it is on the screen?", .yes = "apply it" };

	keep_asked(s, AT_PROPOSAL_APPLY);
	at_buf_printf(&size, "+%zu -%zu lines, by %s", s->diff.added, s->diff.removed, item->agent);
	lines[ask.line_count++] = item->path;
	lines[ask.line_count++] = at_buf_text(&size);
	if (*item->why)
		lines[ask.line_count++] = item->why;
	lines[ask.line_count++] = "Every check is made again; u takes it back.";
	/* What is a trap for the reflex takes a word. */
	if (item->weight >= at_risk_weight(AT_RISK_RUNS)) {
		ask.danger = AT_DANGER_WORD;
		ask.word = "apply";
	}
	at_fx_confirm(fx, &ask);
	at_buf_free(&size);
}

static void ask_undo(struct state *s, struct at_fx *fx)
{
	static const char *const lines[] = { "The newest applied proposal gets its old bytes back,",
		"if nobody changed the file since. The ledger has a row of it." };
	struct at_ask ask = { .id = ASK_UNDO, .danger = AT_DANGER_CONFIRM, .lines = lines,
		.line_count = 2, .title = "Undo the newest application?", .yes = "undo it" };

	keep_asked(s, AT_PROPOSAL_UNDO);
	at_fx_confirm(fx, &ask);
}

static void show_text(struct state *s, struct at_fx *fx)
{
	s->text.len = 0;
	put_details(s, &s->text);
	s->text_arg = (struct at_view_text_arg){ .title = "The proposal",
		.text = at_buf_bytes(&s->text), .is_prose = true };
	at_fx_push(fx, &at_view_text, &s->text_arg);
}

static enum at_take move(struct state *s, enum at_action action, struct at_fx *fx)
{
	size_t from = s->list.cursor;
	enum at_take take;

	if (s->in_diff)
		return at_diff_pane_act(&s->pane, action, fx);
	take = at_list_act(&s->list, action, fx);
	if (s->list.cursor != from)
		show_current(s);
	return take;
}

static enum at_take act(struct at_view *view, enum at_action action, struct at_fx *fx)
{
	struct state *s = view->state;
	char why[256];

	if (action == AT_DO_REREAD) {
		at_fx_do(fx, AT_ACT_REREAD, NULL);
		return AT_TAKEN;
	}
	if (why_not(view, action, why, sizeof(why))) {
		if (*why)
			at_fx_message(fx, "%s", why);
		return *why ? AT_TAKEN : AT_PASS;
	}
	switch (action) {
	case AT_DO_APPLY:
		ask_apply(s, fx);
		return AT_TAKEN;
	case AT_DO_REJECT:
		keep_asked(s, AT_PROPOSAL_REJECT);
		at_fx_prompt(fx, &(struct at_ask){ .id = ASK_REJECT,
			.title = "why not, for the agent (Enter rejects, Esc keeps it):" });
		return AT_TAKEN;
	case AT_DO_UNDO:
		ask_undo(s, fx);
		return AT_TAKEN;
	case AT_DO_NEXT_WARNING:
		next_reason(s, fx);
		return AT_TAKEN;
	case AT_DO_OPEN:
		if (s->in_diff && at_diff_pane_has_fold(&s->pane))
			return at_diff_pane_act(&s->pane, action, fx);
		show_text(s, fx);
		return AT_TAKEN;
	case AT_DO_SWITCH_PANE:
	case AT_DO_ZOOM:
		s->in_diff ^= action == AT_DO_SWITCH_PANE;
		s->zoomed ^= action == AT_DO_ZOOM;
		layout(view, view->width, view->height);
		at_fx_simple(fx, AT_FX_IDLE);
		at_fx_redraw(fx);
		return AT_TAKEN;
	case AT_DO_NEXT_HUNK:
	case AT_DO_PREV_HUNK:
	case AT_DO_WRAP:
	case AT_DO_SIDE_BY_SIDE:
	case AT_DO_FOLD:
	case AT_DO_SPACE:
		return at_diff_pane_act(&s->pane, action, fx);
	default:
		return move(s, action, fx);
	}
}

static void answered(struct state *s, const struct at_event *what, struct at_fx *fx)
{
	if (!what->yes)
		return;
	s->why.len = 0;
	at_buf_puts(&s->why, "");
	if (what->id == ASK_REJECT)
		at_buf_put(&s->why, what->text.data, what->text.len);
	s->asked.reason = at_buf_text(&s->why);
	at_fx_do(fx, AT_ACT_PROPOSAL, &s->asked);
}

/* The row that was looked at stays under the cursor wherever the order puts it. */
static void reload(struct state *s, bool is_sorted_only, struct at_fx *fx)
{
	const struct at_proposal *item = current(s);
	char sid[AT_STAGED_ID] = "";
	size_t was = s->list.cursor;

	if (item)
		memcpy(sid, item->sid, sizeof(sid));
	if (!is_sorted_only) {
		at_proposals_close(&s->proposals);
		at_proposals_open(&s->proposals, s->arg->session);
		at_proposals_work(&s->proposals, SLICE);
	}
	at_list_refresh(&s->list);
	for (size_t i = 0; i < s->proposals.count; i++)
		if (strcmp(s->proposals.items[i].sid, sid) == 0)
			was = i;
	at_list_go(&s->list, was);
	if (!current(s) || strcmp(current(s)->sid, sid) != 0 || !is_sorted_only)
		show_current(s);
	at_fx_redraw(fx);
}

/* A few records, or a look whether others came: the cursor never moves for that. */
static void work(struct state *s, struct at_fx *fx)
{
	char sid[AT_STAGED_ID] = "";
	bool more;

	if (at_diff_pane_is_busy(&s->pane)) {
		at_diff_pane_work(&s->pane, fx);
		return;
	}
	if (s->proposals.read == s->proposals.count) {
		if (!at_proposals_are_still(&s->proposals))
			reload(s, false, fx);
		return;
	}
	if (current(s))
		memcpy(sid, current(s)->sid, sizeof(sid));
	more = at_proposals_work(&s->proposals, SLICE);
	for (size_t i = 0; !more && i < s->proposals.count; i++)
		if (strcmp(s->proposals.items[i].sid, sid) == 0)
			at_list_go(&s->list, i);
	at_list_refresh(&s->list);
	at_fx_redraw(fx);
	if (more)
		at_fx_simple(fx, AT_FX_IDLE);
}

static enum at_take event(struct at_view *view, const struct at_event *what, struct at_fx *fx)
{
	struct state *s = view->state;
	size_t from = s->list.cursor;
	enum at_take take;

	switch (what->kind) {
	case AT_EVENT_IDLE:
	case AT_EVENT_TICK:
		work(s, fx);
		return AT_TAKEN;
	case AT_EVENT_CHANGED:
		reload(s, false, fx);
		return AT_TAKEN;
	case AT_EVENT_ANSWER:
		if (what->id >= 0) {
			answered(s, what, fx);
			return AT_TAKEN;
		}
		break;
	default:
		break;
	}
	if (s->in_diff)
		return at_diff_pane_event(&s->pane, what, fx);
	take = at_list_event(&s->list, what, fx);
	if (s->list.cursor != from)
		show_current(s);
	return take;
}

static size_t rows(const struct at_view *view)
{
	return ((const struct state *)view->state)->proposals.count;
}

static bool row(const struct at_view *view, size_t i, struct at_spans *out)
{
	struct at_line line = { 0 };

	fill_row(view->state, i, &line);
	at_spans_add(out, at_buf_bytes(&line.spans.text), 8, 0, true);
	at_line_free(&line);
	return true;
}

static bool more(const struct at_view *view, struct at_buf *out, struct at_error *err)
{
	const struct state *s = view->state;

	(void)err;
	put_details(s, out);
	at_diff_print(&s->diff, "now", "proposed", AT_DIFF_SAFE, out);
	return true;
}

const struct at_view_class at_view_proposals = {
	.name = "proposals",
	.title = "Proposals",
	.blurb =
		"What agents propose, the riskiest first, and why. The change stands beside it; a applies "
		"it from there alone, r sends it back with a word, u takes the newest application back. "
		"A change without a reason to look twice is not called safe.",
	.flags = AT_VIEW_WRITES,
	.contexts = AT_IN_PROPOSALS | AT_IN_PANES | AT_IN_LIST | AT_IN_PAGER | AT_IN_DIFF,
	.min = { 40, 10 },
	.state_size = sizeof(struct state),
	.tick_ms = 1000,
	.open = open,
	.close = close,
	.layout = layout,
	.paint = paint,
	.act = act,
	.event = event,
	.rows = rows,
	.row = row,
	.more = more,
	.why_not = why_not,
};
