#include "views/view_integrity.h"

#include <stdio.h>
#include <string.h>

#include "core/diff.h"
#include "core/mem.h"
#include "tui/diff_pane.h"
#include "tui/list.h"
#include "views/acts.h"
#include "views/integrity_ground.h"
#include "views/integrity_rows.h"
#include "views/integrity_text.h"
#include "views/panes.h"
#include "views/text_rows.h"
#include "views/text_view.h"

#define SLICE_MS 12                  /* between two keys */
#define AT_ONCE 64                   /* rows compared before the first frame, */
#define AT_ONCE_BYTES ((size_t)4 << 20) /* and no more of it than this */
#define DIFF_CAP ((size_t)1 << 20)   /* a larger text is told apart by its digest alone */

struct state {
	const struct at_view_arg *arg;
	struct at_integrity_site site;
	struct at_integrity integrity;
	struct at_integrity_rows rows;
	struct at_list list;

	/* The side: the difference, or the row in full where there is none. */
	struct at_file found;
	struct at_diff diff;
	struct at_diff_pane pane;
	struct at_text_rows text;
	struct at_pager pager;
	bool side_is_stale, has_changed; /* another file than the one that was compared */
	struct at_view_text_arg text_arg;
	bool in_side, zoomed;
};

static bool is_done(const struct state *s)
{
	return at_integrity_is_done(&s->integrity);
}

static bool shows_diff(const struct state *s)
{
	return s->diff.count > 0;
}

static const struct at_integrity_item *current(const struct state *s)
{
	return at_integrity_row_item(&s->rows, s->list.cursor);
}

static size_t count_rows(void *user)
{
	return ((struct state *)user)->rows.count;
}

static bool is_heading(void *user, size_t row)
{
	return at_integrity_row_is_heading(&((struct state *)user)->rows, row);
}

static void fill_row(void *user, size_t row, struct at_line *out)
{
	at_integrity_row_line(&((struct state *)user)->rows, row, out);
}

/* --- the side pane -------------------------------------------------------------------- */

/* What this version emits against what is on disk now. False where there is nothing to show. */
static bool diff_of(const struct state *s, const struct at_integrity_item *item,
	struct at_file *found, struct at_diff *out)
{
	const struct at_change *change;

	*found = (struct at_file){ 0 };
	*out = (struct at_diff){ 0 };
	if (!item || item->change == AT_NO_CHANGE || !s->site.ground.plan
		|| (item->state != AT_STILL_EDITED && item->state != AT_STILL_OLDER
			&& item->state != AT_STILL_KEPT))
		return false;
	change = &s->site.ground.plan->changes[item->change];
	if (!change->bytes.len || change->bytes.len > DIFF_CAP
		|| !at_file_read(found, s->arg->session->project.fd, change->path, DIFF_CAP, 0,
			NULL))
		return false;
	if (at_diff_make(out, change->bytes, at_buf_bytes(&found->bytes), 3, NULL))
		return true;
	at_diff_free(out);
	*out = (struct at_diff){ 0 };
	return false;
}

static void drop_side(struct state *s)
{
	at_diff_free(&s->diff);
	s->diff = (struct at_diff){ 0 };
	at_file_free(&s->found);
	s->found = (struct at_file){ 0 };
}

static void make_side(struct state *s)
{
	const struct at_integrity_item *item = current(s);
	struct at_buf text = { 0 };
	char hex[AT_DIGEST_HEX];

	drop_side(s);
	s->side_is_stale = s->has_changed = false;
	if (diff_of(s, item, &s->found, &s->diff)) {
		at_digest_hex(hex, &s->found.digest);
		s->has_changed = strcmp(hex, item->got) != 0;
	}
	at_diff_pane_set(&s->pane, &s->diff);
	at_pager_go(&s->pane.pager, 0);
	at_integrity_row_detail(&s->rows, s->list.cursor, &text);
	at_text_rows_set(&s->text, at_buf_bytes(&text));
	at_buf_free(&text);
	at_pager_refresh(&s->pager);
	at_pager_go(&s->pager, 0);
}

static void moved(struct state *s, size_t from, struct at_fx *fx)
{
	if (s->list.cursor == from)
		return;
	s->side_is_stale = true;
	at_fx_simple(fx, AT_FX_IDLE);
}

/* --- the walk ------------------------------------------------------------------------- */

static void load(struct state *s)
{
	at_integrity_site_make(&s->site, s->arg->session, s->arg->collected);
	at_integrity_begin(&s->integrity, &s->site.ground);
	for (int i = 0; i < AT_ONCE && s->integrity.hashed < AT_ONCE_BYTES; i++)
		if (!at_integrity_work(&s->integrity, 0))
			break;
	at_integrity_rows_make(&s->rows, &s->integrity);
	s->side_is_stale = true;
}

static void drop(struct state *s)
{
	drop_side(s);
	at_diff_pane_set(&s->pane, &s->diff);
	at_integrity_free(&s->integrity);
}

/* To the first of the worst, so that it is what one sees. */
static void go_to_worst(struct state *s)
{
	enum at_level worst = at_integrity_worst(&s->integrity);

	for (size_t i = 0; worst >= AT_WARN && i < s->rows.count; i++) {
		const struct at_integrity_item *item = at_integrity_row_item(&s->rows, i);

		if (item && item->level == worst) {
			at_list_go(&s->list, i);
			return;
		}
	}
}

/* What is not as it was comes to the front once all is known; a cursor that was moved stays on its
 * row. */
static void work(struct state *s, struct at_fx *fx)
{
	const struct at_integrity_item *at = current(s);
	size_t item = at ? (size_t)(at - s->integrity.items) : 0;

	if (is_done(s))
		return;
	if (!at_integrity_work(&s->integrity, SLICE_MS)) {
		bool was_first = s->list.cursor <= 1;

		at_integrity_rows_make(&s->rows, &s->integrity);
		at_list_refresh(&s->list);
		if (was_first)
			go_to_worst(s);
		else if (at)
			at_list_go(&s->list, at_integrity_row_of(&s->rows, item));
		s->side_is_stale = true;
	}
	at_fx_redraw(fx);
	at_fx_simple(fx, AT_FX_IDLE);
}

static void reload(struct state *s, struct at_fx *fx)
{
	drop(s);
	load(s);
	at_list_refresh(&s->list);
	make_side(s);
	at_fx_redraw(fx);
	at_fx_simple(fx, AT_FX_IDLE);
}

/* --- the class ------------------------------------------------------------------------ */

static bool open(struct at_view *view, const void *arg, struct at_error *err)
{
	struct state *s = view->state;
	struct at_list_source source = { s, count_rows, fill_row, is_heading };
	struct at_pager_source lines = at_text_rows_source(&s->text);

	(void)err;
	s->arg = arg;
	s->text.first = AT_STYLE_TITLE;
	s->text.prose = true;
	load(s);
	at_list_init(&s->list, &source);
	if (is_done(s))
		go_to_worst(s);
	at_diff_pane_init(&s->pane, &s->diff);
	s->pane.pager.wrap = s->arg->session->settings->wrap;
	s->pane.pager.tab = (unsigned)s->arg->session->settings->tab_width;
	at_pager_init(&s->pager, &lines);
	s->pager.wrap = true;
	return true;
}

static void close(struct at_view *view)
{
	struct state *s = view->state;

	drop_side(s);
	at_list_free(&s->list);
	at_diff_pane_free(&s->pane);
	at_pager_free(&s->pager);
	at_text_rows_free(&s->text);
	at_integrity_rows_free(&s->rows);
	at_integrity_free(&s->integrity);
}

static struct at_panes panes_of(const struct state *s, int width, int height)
{
	return at_panes_of(width, height, s->arg->session->settings->two_panes, s->in_side,
		s->zoomed, true);
}

static void layout(struct at_view *view, int width, int height)
{
	struct state *s = view->state;
	struct at_panes p = panes_of(s, width, height);

	if (p.list.width)
		at_list_layout(&s->list, p.list.width, p.list.height - 1);
	if (p.side.width) {
		at_diff_pane_layout(&s->pane, p.side.width, p.side.height - 1);
		at_pager_layout(&s->pager, p.side.width, p.side.height - 1);
	}
}

static void paint_list(const struct state *s, const struct at_canvas *canvas, bool one_pane)
{
	struct at_canvas body = at_pane_body(canvas);
	char rest[128];

	if (!is_done(s))
		snprintf(rest, sizeof(rest), "comparing, %zu of %zu", s->integrity.next,
			s->integrity.count);
	else
		snprintf(rest, sizeof(rest), "%s%s",
			at_integrity_worst(&s->integrity) == AT_FAIL ? "NOT VERIFIED"
				: at_integrity_worst(&s->integrity) == AT_WARN ? "see what differs"
									      : "all as it was",
			one_pane ? "   Tab: more" : "");
	at_pane_title(canvas, !s->in_side, "Pins and artefacts", rest);
	at_list_paint(&s->list, &body, !s->in_side);
}

static void paint_details(const struct state *s, const struct at_canvas *canvas)
{
	const struct at_integrity_item *item = current(s);
	struct at_line line = { .ascii = canvas->grid->ascii, .words = true };
	int y = 0;

	if (!item)
		return;
	at_line_text(&line, AT_STYLE_ACCENT, item->path);
	at_line_paint(&line, canvas, y++, 0, true);
	at_line_clear(&line);
	at_line_text(&line, AT_STYLE_NORMAL, item->text);
	if (*item->remedy) {
		at_line_text(&line, AT_STYLE_NORMAL, " ");
		at_line_text(&line, AT_STYLE_NORMAL, item->remedy);
	}
	for (int skip = 0; skip >= 0 && y < canvas->at.height;
		skip = at_line_next(&line, canvas->at.width, skip)) {
		at_line_paint(&line, canvas, y, skip, y + 1 == canvas->at.height);
		y++;
	}
	at_line_free(&line);
}

static void paint_side(const struct state *s, const struct at_canvas *canvas)
{
	struct at_canvas body = at_pane_body(canvas);
	char modes[80], rest[128];

	if (!shows_diff(s)) {
		at_pane_title(canvas, s->in_side, "In full", "");
		at_pager_paint(&s->pager, &body);
		return;
	}
	at_diff_pane_modes(&s->pane, modes, sizeof(modes));
	snprintf(rest, sizeof(rest), "+%zu -%zu%s%s%s", s->diff.added, s->diff.removed,
		*modes ? "   " : "", modes, s->has_changed ? "   changed since: F5" : "");
	at_pane_title(canvas, s->in_side, "emitted → on disk", rest);
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
		paint_side(s, &part);
	}
	at_panes_paint_lines(&p, canvas);
}

static bool off(char *out, size_t size, const char *why)
{
	snprintf(out, size, "%s", why);
	return true;
}

static bool why_not(const struct at_view *view, enum at_action action, char *out, size_t size)
{
	const struct state *s = view->state;

	switch (action) {
	case AT_DO_OPEN:
		return (s->list.cursor >= s->rows.count || is_heading(view->state, s->list.cursor))
			&& off(out, size, "the cursor is on nothing to open");
	case AT_DO_ZOOM:
		return view->width < s->arg->session->settings->two_panes
			&& off(out, size, "one pane has the whole width already");
	case AT_DO_NEXT_HUNK:
	case AT_DO_PREV_HUNK:
	case AT_DO_SIDE_BY_SIDE:
	case AT_DO_FOLD:
	case AT_DO_SPACE:
		if (!shows_diff(s))
			return off(out, size, "there is no difference to show");
		break;
	default:
		break;
	}
	return at_diff_pane_why_not(&s->pane, action, out, size);
}

static enum at_take act_in_side(struct state *s, enum at_action action, struct at_fx *fx)
{
	return shows_diff(s) ? at_diff_pane_act(&s->pane, action, fx)
			     : at_pager_act(&s->pager, action, fx);
}

static enum at_take act(struct at_view *view, enum at_action action, struct at_fx *fx)
{
	struct state *s = view->state;
	size_t from = s->list.cursor;
	enum at_take take;
	char why[160];

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
	case AT_DO_OPEN:
		if (s->in_side && shows_diff(s) && at_diff_pane_has_fold(&s->pane))
			return at_diff_pane_act(&s->pane, action, fx);
		if (s->side_is_stale)
			make_side(s);
		s->text_arg = (struct at_view_text_arg){ .title = "In full",
			.text = at_buf_bytes(&s->text.text), .is_prose = true };
		at_fx_push(fx, &at_view_text, &s->text_arg);
		return AT_TAKEN;
	case AT_DO_SWITCH_PANE:
	case AT_DO_ZOOM:
		s->in_side ^= action == AT_DO_SWITCH_PANE;
		s->zoomed ^= action == AT_DO_ZOOM;
		layout(view, view->width, view->height);
		at_fx_redraw(fx);
		at_fx_simple(fx, AT_FX_IDLE); /* another width may have other rows */
		return AT_TAKEN;
	case AT_DO_NEXT_HUNK:
	case AT_DO_PREV_HUNK:
	case AT_DO_WRAP:
	case AT_DO_SIDE_BY_SIDE:
	case AT_DO_FOLD:
	case AT_DO_SPACE:
		return act_in_side(s, action, fx);
	default:
		if (s->in_side)
			return act_in_side(s, action, fx);
		take = at_list_act(&s->list, action, fx);
		moved(s, from, fx);
		return take;
	}
}

static enum at_take event(struct at_view *view, const struct at_event *what, struct at_fx *fx)
{
	struct state *s = view->state;
	size_t from = s->list.cursor;
	enum at_take take;

	switch (what->kind) {
	case AT_EVENT_IDLE:
		if (s->side_is_stale) {
			make_side(s);
			at_fx_redraw(fx);
		}
		work(s, fx);
		at_diff_pane_work(&s->pane, fx);
		return AT_TAKEN;
	case AT_EVENT_CHANGED:
		reload(s, fx);
		return AT_TAKEN;
	default:
		break;
	}
	if (s->in_side)
		return shows_diff(s) ? at_diff_pane_event(&s->pane, what, fx)
				     : at_pager_event(&s->pager, what, fx);
	take = at_list_event(&s->list, what, fx);
	moved(s, from, fx);
	return take;
}

static size_t rows(const struct at_view *view)
{
	return ((const struct state *)view->state)->rows.count;
}

static bool row(const struct at_view *view, size_t i, struct at_spans *out)
{
	struct at_line line = { 0 };

	fill_row(view->state, i, &line);
	at_spans_add(out, at_buf_bytes(&line.spans.text), 8, 0, true);
	at_line_free(&line);
	return !is_heading(view->state, i);
}

/* Every file that differs, against what is emitted; what the lines cannot say of the rest. */
static bool more(const struct at_view *view, struct at_buf *out, struct at_error *err)
{
	struct state *s = view->state;

	(void)err;
	at_integrity_work(&s->integrity, -1); /* plain output waits */
	at_integrity_print(&s->integrity, out);
	for (size_t i = 0; i < s->integrity.count; i++) {
		const struct at_integrity_item *item = &s->integrity.items[i];
		struct at_file found;
		struct at_diff diff;

		if (diff_of(s, item, &found, &diff))
			at_diff_print(&diff, "as emitted", item->path, AT_DIFF_RAW, out);
		at_diff_free(&diff);
		at_file_free(&found);
	}
	return true;
}

const struct at_view_class at_view_integrity = {
	.name = "integrity",
	.title = "Integrity",
	.blurb =
		"Whether what was pinned, built, emitted and recorded is still what it was, and how an "
		"emitted file differs from what this version emits. A change that is meant shows here "
		"until it is pinned or emitted anew. Nothing is written.",
	.contexts = AT_IN_PANES | AT_IN_LIST | AT_IN_PAGER | AT_IN_DIFF,
	.min = { 40, 10 },
	.state_size = sizeof(struct state),
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
