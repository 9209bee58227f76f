#include "views/view_merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "views/merge_report.h"
#include "views/merge_state.h"
#include "views/panes.h"

enum question { ASK_ACCEPT, ASK_ALL_SAFE, ASK_WRITE, ASK_UNDO_WRITE, ASK_EDIT, ASK_FOLLOW };

static size_t count_rows(void *user)
{
	return ((struct merge_state *)user)->rows.count;
}

static void fill_row(void *user, size_t row, struct at_line *out)
{
	at_merge_row_line(&((struct merge_state *)user)->rows, row, out);
}

static bool is_heading(void *user, size_t row)
{
	return ((struct merge_state *)user)->rows.rows[row].item == AT_ROW_NO_ITEM;
}

/* The item at the cursor, or AT_ROW_NO_ITEM. */
size_t merge_current(const struct merge_state *s)
{
	return s->list.cursor < s->rows.count ? s->rows.rows[s->list.cursor].item : AT_ROW_NO_ITEM;
}

const struct at_merge_item *merge_current_item(const struct merge_state *s)
{
	size_t i = merge_current(s);

	return i == AT_ROW_NO_ITEM ? NULL : at_merge_item(s->model.merge, i);
}

static void compute_diff(struct merge_state *s)
{
	struct at_error err;

	at_diff_free(&s->diff);
	s->diff = (struct at_diff){ 0 };
	s->diff_is_stale = false;
	s->result = (struct at_bytes){ 0 };
	if (!s->is_open || !at_merge_result(s->model.merge, &s->result, &err)
		|| !at_diff_make(
			&s->diff, at_buf_bytes(&s->model.live.file.bytes), s->result, 3, &err))
		at_diff_free(&s->diff);
	at_diff_pane_set(&s->pane, &s->diff);
}

static void drop_model(struct merge_state *s)
{
	at_diff_free(&s->diff);
	s->diff = (struct at_diff){ 0 };
	at_merge_rows_free(&s->rows);
	if (s->is_open)
		at_merge_model_close(&s->model);
	s->is_open = false;
}

/* Takes the model over. Not open: s->error says why. */
static void use_model(struct merge_state *s, const struct at_merge_model *model, bool is_open)
{
	s->model = *model;
	s->is_open = is_open;
	at_merge_rows_make(&s->rows, is_open ? &s->model : NULL);
	s->decided = at_alloc((is_open ? at_merge_count(s->model.merge) : 0) + 1);
	s->diff_is_stale = true;
}

/* The result of the selection as it is. The diff borrows its bytes, so it is made anew with
 * them. */
static struct at_bytes fresh_result(struct merge_state *s)
{
	if (s->diff_is_stale)
		compute_diff(s);
	return s->result;
}

/* Reads everything again. Where nothing changed all stays, the way back too; else decisions stay
 * with the items that are still there; after a write (`forget`) they do not. */
static void reload(struct at_view *view, bool forget)
{
	struct merge_state *s = view->state;
	struct at_merge_model old = s->model, now;
	bool had = s->is_open, *decided = s->decided, is_open;

	if (had && !forget
		&& at_merge_model_is_still(
			&s->model, s->arg->collected, *s->agreed ? s->agreed : NULL))
		return;
	is_open = at_merge_model_open(&now, s->arg->session, s->arg->collected,
		*s->agreed ? s->agreed : NULL, &s->error);
	if (had && is_open && !forget && at_merge_model_take_over(&s->model, &now))
		return;
	s->decided = NULL;
	merge_forget_decisions(s);
	s->is_open = false; /* the old model is closed below, after it was compared */
	drop_model(s);
	use_model(s, &now, is_open);
	if (had && is_open && !forget)
		merge_carry_over(s, old.merge, decided);
	if (had)
		at_merge_model_close(&old);
	free(decided);
	at_list_refresh(&s->list);
	compute_diff(s);
}

struct at_merge_model *at_view_merge_model(struct at_view *view)
{
	struct merge_state *s = view->state;

	return s->is_open ? &s->model : NULL;
}

static bool open(struct at_view *view, const void *arg, struct at_error *err)
{
	struct merge_state *s = view->state;
	struct at_list_source source = { s, count_rows, fill_row, is_heading };
	struct at_merge_model model;

	(void)err;
	s->arg = arg;
	s->history = at_alloc(MERGE_UNDO_DEPTH * sizeof(*s->history));
	use_model(s, &model,
		at_merge_model_open(&model, s->arg->session, s->arg->collected, NULL, &s->error));
	at_list_init(&s->list, &source);
	at_diff_pane_init(&s->pane, &s->diff);
	s->pane.pager.wrap = s->arg->session->settings->wrap;
	s->pane.pager.tab = (unsigned)s->arg->session->settings->tab_width;
	return true;
}

static void close(struct at_view *view)
{
	struct merge_state *s = view->state;

	drop_model(s);
	merge_forget_decisions(s);
	free(s->history);
	at_list_free(&s->list);
	at_diff_pane_free(&s->pane);
	at_buf_free(&s->result_title);
	at_buf_free(&s->result_text);
}

static void layout(struct at_view *view, int width, int height)
{
	merge_layout(view->state, width, height);
}

static void paint(const struct at_view *view, const struct at_canvas *canvas)
{
	merge_paint(view->state, view->width, view->height, canvas);
}

static void ask_accept(struct merge_state *s, const struct at_merge_item *item, struct at_fx *fx)
{
	const char *lines[4];
	struct at_ask ask = { .id = ASK_ACCEPT, .danger = AT_DANGER_CONFIRM, .lines = lines };

	ask.title = item->op == AT_REMOVED  ? "Take this out of your settings?"
		: item->effect == AT_WIDENS ? "This WIDENS what an agent may do. Accept it?"
		: item->effect == AT_RELAXES
		? "This RELAXES a protection. Accept it?"
		: "You took this out, or changed it, before. Accept it?";
	lines[ask.line_count++] = item->label;
	lines[ask.line_count++] = item->why;
	if (item->before)
		lines[ask.line_count++] = item->before;
	ask.yes = "accept this one item";
	s->asked_item = merge_current(s);
	at_fx_confirm(fx, &ask);
}

static void accept(struct merge_state *s, struct at_fx *fx)
{
	const struct at_merge_item *item = merge_current_item(s);

	if (item->selected || item->blocked)
		return;
	if (item->op == AT_REMOVED || item->effect == AT_WIDENS || item->effect == AT_RELAXES
		|| (item->origin != AT_FROM_EMITTED && item->origin != AT_FROM_OPTIONAL))
		ask_accept(s, item, fx);
	else
		merge_decide(s, merge_current(s), true, fx);
}

static void ask_all_safe(struct merge_state *s, struct at_fx *fx)
{
	struct at_merge_totals totals;
	const char *lines[2] = { NULL,
		"The filter does not narrow this: items that it hides are meant too." };
	struct at_buf text = { 0 };
	struct at_ask ask = { .id = ASK_ALL_SAFE,
		.danger = AT_DANGER_CONFIRM,
		.lines = lines,
		.line_count = at_list_is_filtered(&s->list) ? 2 : 1,
		.title = "Choose all items that tighten, and only those?",
		.yes = "choose them" };

	at_merge_count_up(&totals, s->model.merge);
	at_buf_printf(&text, "%zu of %zu items tighten; what widens or relaxes is left out.",
		totals.effect[AT_TIGHTENS], totals.items);
	lines[0] = at_buf_text(&text);
	at_fx_confirm(fx, &ask);
	at_buf_free(&text);
}

static void ask_write(struct merge_state *s, struct at_fx *fx)
{
	static const char *const words[] = { "tighten", "neutral", "WIDEN", "RELAX" };
	const struct at_merge *merge = s->model.merge;
	struct at_bytes result = fresh_result(s);
	struct at_buf text[3] = { { 0 } };
	struct at_merge_totals totals;
	struct at_ask ask = { .id = ASK_WRITE, .danger = AT_DANGER_CONFIRM };
	const char **lines = at_alloc((at_merge_count(merge) + 4) * sizeof(*lines));

	at_merge_count_up(&totals, merge);
	at_buf_printf(&text[0], "%s: %zu to %zu bytes", s->model.live.path,
		s->model.live.file.bytes.len, result.len);
	for (int e = 0; e < 4; e++) {
		if (totals.selected_effect[e])
			at_buf_printf(&text[1], "%s%zu %s", text[1].len ? ", " : "",
				totals.selected_effect[e], words[e]);
	}
	if (totals.removed)
		at_buf_printf(&text[1], "; %zu of them take something out", totals.removed);
	lines[ask.line_count++] = at_buf_text(&text[0]);
	lines[ask.line_count++] = at_buf_text(&text[1]);
	for (size_t i = 0; i < at_merge_count(merge); i++) {
		const struct at_merge_item *item = at_merge_item(merge, i);

		if (item->selected && (item->effect == AT_WIDENS || item->effect == AT_RELAXES))
			lines[ask.line_count++] = item->label;
	}
	lines[ask.line_count++] = "The old file is kept; u takes it back.";
	at_buf_printf(
		&text[2], "write %zu item%s", totals.selected, totals.selected == 1 ? "" : "s");
	ask.title = "Write the live settings?";
	ask.lines = lines;
	ask.yes = at_buf_text(&text[2]);
	at_fx_confirm(fx, &ask);
	for (int i = 0; i < 3; i++)
		at_buf_free(&text[i]);
	free(lines);
}

static void undo(struct merge_state *s, struct at_fx *fx)
{
	static const char *const lines[] = {
		"Every file of the newest merge or update gets its old bytes back,",
		"if nobody changed it since."
	};
	struct at_ask ask = { .id = ASK_UNDO_WRITE, .danger = AT_DANGER_CONFIRM, .lines = lines,
		.line_count = 2, .title = "Undo the last write?", .yes = "undo it" };

	if (!merge_decision_undo(s)) {
		at_fx_confirm(fx, &ask);
		return;
	}
	at_fx_message(fx, "decision undone");
	merge_changed(s, fx);
}

static void push_text(
	struct merge_state *s, const char *title, struct at_bytes text, struct at_fx *fx)
{
	s->result_title.len = 0;
	at_buf_puts(&s->result_title, title);
	s->text_arg = (struct at_view_text_arg){ .title = at_buf_text(&s->result_title),
		.text = text,
		.wrap = s->pane.pager.wrap,
		.tab = s->pane.pager.tab };
	at_fx_push(fx, &at_view_text, &s->text_arg);
}

static void show_result(struct merge_state *s, struct at_fx *fx)
{
	push_text(s, "The whole resulting file", fresh_result(s), fx);
}

/* WIRE-2: a target outside the project, or another owner's, is the operator's to allow. */
static void ask_follow(const struct merge_state *s, struct at_fx *fx)
{
	const char *lines[] = { s->error.message,
		"Every other project that uses this file gets the same rules." };
	struct at_ask ask = { .id = ASK_FOLLOW,
		.danger = AT_DANGER_WORD,
		.word = "follow",
		.lines = lines,
		.line_count = 2,
		.title = "Merge into the file behind the link?",
		.yes = "read it" };

	at_fx_confirm(fx, &ask);
}

static void show_item(struct merge_state *s, struct at_fx *fx)
{
	const struct at_merge_item *item = merge_current_item(s);

	if (!item)
		return;
	s->result_text.len = 0;
	at_merge_item_text(item, &s->result_text);
	push_text(s, item->label, at_buf_bytes(&s->result_text), fx);
}

static void ask_edit(struct merge_state *s, struct at_fx *fx)
{
	const struct at_merge_item *item = merge_current_item(s);
	struct at_ask ask = { .id = ASK_EDIT, .title = "value as JSON: ", .value = item->value };

	s->asked_item = merge_current(s);
	at_fx_prompt(fx, &ask);
}

static void relayout(struct at_view *view, struct at_fx *fx)
{
	merge_layout(view->state, view->width, view->height);
	at_fx_simple(fx, AT_FX_IDLE); /* another width may have other rows */
}

static enum at_take act(struct at_view *view, enum at_action action, struct at_fx *fx)
{
	struct merge_state *s = view->state;
	char why[160];

	if (action == AT_DO_REREAD) {
		at_fx_do(fx, AT_ACT_REREAD, NULL);
		return AT_TAKEN;
	}
	if (view->class->why_not(view, action, why, sizeof(why))) {
		if (*why)
			at_fx_message(fx, "%s", why);
		return *why ? AT_TAKEN : AT_PASS;
	}
	switch (action) {
	case AT_DO_ACCEPT:
		accept(s, fx);
		return AT_TAKEN;
	case AT_DO_KEEP_MINE:
		merge_decide(s, merge_current(s), false, fx);
		return AT_TAKEN;
	case AT_DO_ACCEPT_ALL_SAFE:
		ask_all_safe(s, fx);
		return AT_TAKEN;
	case AT_DO_EDIT_ITEM:
		ask_edit(s, fx);
		return AT_TAKEN;
	case AT_DO_NEXT_UNDECIDED:
		merge_go_to_undecided(s, fx);
		return AT_TAKEN;
	case AT_DO_RESULT:
		show_result(s, fx);
		return AT_TAKEN;
	case AT_DO_WRITE:
		ask_write(s, fx);
		return AT_TAKEN;
	case AT_DO_UNDO:
		undo(s, fx);
		return AT_TAKEN;
	case AT_DO_OPEN:
		if (merge_opens_a_fold(s))
			return at_diff_pane_act(&s->pane, action, fx);
		if (s->is_open)
			show_item(s, fx);
		else
			ask_follow(s, fx);
		return AT_TAKEN;
	case AT_DO_SWITCH_PANE:
		s->in_diff = !s->in_diff;
		relayout(view, fx);
		return AT_TAKEN;
	case AT_DO_ZOOM:
		s->zoomed = !s->zoomed;
		relayout(view, fx);
		return AT_TAKEN;
	case AT_DO_NEXT_HUNK:
	case AT_DO_PREV_HUNK:
	case AT_DO_WRAP:
	case AT_DO_SIDE_BY_SIDE:
	case AT_DO_FOLD:
	case AT_DO_SPACE:
		return at_diff_pane_act(&s->pane, action, fx);
	case AT_DO_FILTER:
		return at_list_act(&s->list, action, fx);
	default:
		return s->in_diff ? at_diff_pane_act(&s->pane, action, fx)
				  : at_list_act(&s->list, action, fx);
	}
}

static enum at_take answered(struct at_view *view, const struct at_event *event, struct at_fx *fx)
{
	struct merge_state *s = view->state;
	struct at_error err;
	char *text;

	if (!event->yes)
		return AT_TAKEN;
	switch (event->id) {
	case ASK_ACCEPT:
		merge_decide(s, s->asked_item, true, fx);
		break;
	case ASK_ALL_SAFE:
		merge_choose_safe(s, fx);
		break;
	case ASK_WRITE:
		at_fx_do(fx, AT_ACT_MERGE_WRITE, &s->model);
		break;
	case ASK_UNDO_WRITE:
		at_fx_do(fx, AT_ACT_MERGE_UNDO, NULL);
		break;
	case ASK_FOLLOW:
		snprintf(s->agreed, sizeof(s->agreed), "%s", s->error.path);
		reload(view, false);
		at_fx_redraw(fx);
		break;
	case ASK_EDIT:
		text = at_alloc(event->text.len + 1);
		memcpy(text, event->text.data, event->text.len);
		if (at_merge_edit(s->model.merge, s->asked_item, text, &err))
			at_fx_message(fx, "edited; judged again and not chosen yet");
		else
			at_fx_error(fx, &err);
		free(text);
		merge_changed(s, fx);
		break;
	default:
		return AT_PASS;
	}
	return AT_TAKEN;
}

static enum at_take event(struct at_view *view, const struct at_event *what, struct at_fx *fx)
{
	struct merge_state *s = view->state;

	if (what->kind == AT_EVENT_IDLE) {
		if (s->diff_is_stale) {
			compute_diff(s);
			at_fx_redraw(fx);
		}
		at_diff_pane_work(&s->pane, fx);
		return AT_TAKEN;
	}
	if (what->kind == AT_EVENT_CHANGED) {
		reload(view, what->yes && what->id != AT_ACT_REREAD);
		at_fx_simple(fx, AT_FX_IDLE);
		return AT_TAKEN;
	}
	if (what->kind == AT_EVENT_ANSWER && what->id >= 0)
		return answered(view, what, fx);
	if (what->kind == AT_EVENT_QUIT) {
		merge_tell_unsaved(s, fx);
		return AT_TAKEN;
	}
	if (what->kind == AT_EVENT_GO)
		return at_list_event(&s->list, what, fx);
	if (what->kind == AT_EVENT_MOUSE)
		return merge_mouse(s, view->width, view->height, what, fx);
	return s->in_diff && what->id != AT_ASK_FILTER ? at_diff_pane_event(&s->pane, what, fx)
						       : at_list_event(&s->list, what, fx);
}

static size_t rows(const struct at_view *view)
{
	return ((const struct merge_state *)view->state)->rows.count;
}

static bool row(const struct at_view *view, size_t i, struct at_spans *out)
{
	const struct merge_state *s = view->state;
	struct at_buf text = { 0 };

	at_merge_row_words(&s->rows, i, &text);
	at_spans_add(out, at_buf_bytes(&text), 8, 0, true);
	at_buf_free(&text);
	return s->rows.rows[i].item != AT_ROW_NO_ITEM;
}

/* What stands beside the items: the diff, or why there is none. */
static bool more(const struct at_view *view, struct at_buf *out, struct at_error *err)
{
	const struct merge_state *s = view->state;

	if (!s->is_open) {
		*err = s->error;
		return false;
	}
	return at_merge_report_diff(&s->model, out, err);
}

const struct at_view_class at_view_merge = {
	.name = "merge",
	.title = "Merge",
	.blurb =
		"What the emitted example would change in your live settings, item by item. Chosen "
		"items are marked [x]; nothing is written until w, and what widens or relaxes waits "
		"for your own word.",
	.flags = AT_VIEW_WRITES,
	.contexts = AT_IN_MERGE | AT_IN_PANES | AT_IN_LIST | AT_IN_PAGER | AT_IN_DIFF,
	.min = { 40, 10 },
	.state_size = sizeof(struct merge_state),
	.open = open,
	.close = close,
	.layout = layout,
	.paint = paint,
	.act = act,
	.event = event,
	.rows = rows,
	.row = row,
	.more = more,
	.why_not = merge_why_not,
};
