#include "views/view_setup.h"

#include <string.h>

#include "views/setup_state.h"

static size_t count_rows(void *user)
{
	return ((struct setup_state *)user)->rows.count;
}

static void fill_row(void *user, size_t row, struct at_line *out)
{
	at_setup_row_line(&((struct setup_state *)user)->rows, row, out);
}

static bool is_heading(void *user, size_t row)
{
	return ((struct setup_state *)user)->rows.items[row].kind == AT_SETUP_TEXT;
}

const struct at_setup_row *setup_current(const struct setup_state *s)
{
	if (s->list.cursor >= s->rows.count || s->rows.items[s->list.cursor].kind == AT_SETUP_TEXT)
		return NULL;
	return &s->rows.items[s->list.cursor];
}

/* The rows anew; the cursor stays on the thing it was on. */
static void make_rows(struct setup_state *s)
{
	const struct at_setup_row *row = setup_current(s);
	struct at_setup_row was = row ? *row : (struct at_setup_row){ 0 };
	int width = setup_list_width(s);

	if (!width)
		width = s->rows.width;
	at_setup_rows_make(&s->rows, &s->model, &s->roots, &s->refusal, (width ? width : 80) - 2,
		s->height > SETUP_CARDS);
	at_list_refresh(&s->list);
	if (row)
		at_list_go(&s->list, at_setup_rows_find(&s->rows, &was));
}

/* What belongs to the row at the cursor, its items, its card, what is wrong, comes into sight
 * with it as far as there is room. */
static void show_tail(struct setup_state *s)
{
	size_t height = s->list.height > 0 ? (size_t)s->list.height : 1, last = s->list.cursor;
	const struct at_setup_row *row = setup_current(s);

	while (row && last + 1 < s->rows.count && last + 1 - s->list.cursor < height) {
		const struct at_setup_row *next = &s->rows.items[last + 1];

		if (next->kind == AT_SETUP_TEXT
				? next->style == AT_STYLE_ACCENT
				: next->kind != AT_SETUP_ITEM || next->field != row->field)
			break;
		last++;
	}
	if (last >= s->list.top + height)
		s->list.top = last - height + 1;
}

void setup_moved(struct setup_state *s, struct at_fx *fx)
{
	s->pane_is_stale = true;
	setup_layout(s, s->width, s->height);
	show_tail(s);
	at_fx_redraw(fx);
	at_fx_simple(fx, AT_FX_IDLE);
}

void setup_changed(struct setup_state *s, struct at_fx *fx)
{
	s->effects_are_stale = true;
	make_rows(s);
	setup_moved(s, fx);
}

struct at_setup_model *at_view_setup_model(struct at_view *view)
{
	return &((struct setup_state *)view->state)->model;
}

/* The cursor begins at what is chosen. */
static void go_to_profile(struct setup_state *s)
{
	struct at_setup_row row = { .kind = AT_SETUP_PROFILE,
		.index = (size_t)s->model.request.profile };

	row.field = at_request_field("privilege_profile");
	at_list_go(&s->list, at_setup_rows_find(&s->rows, &row));
	s->list.top = 0;
}

static bool open(struct at_view *view, const void *arg, struct at_error *err)
{
	struct setup_state *s = view->state;
	struct at_list_source source = { s, count_rows, fill_row, is_heading };
	struct at_pager_source lines;

	(void)err;
	s->arg = arg;
	at_setup_open(&s->model, s->arg->session,
		s->arg->session->draft ? s->arg->session->draft : &s->own);
	s->effects_are_stale = s->pane_is_stale = true;
	at_setup_rows_make(&s->rows, &s->model, &s->roots, &s->refusal, 78, true);
	at_list_init(&s->list, &source);
	at_diff_rows_init(&s->diff_rows, &s->diff, 0);
	lines = at_diff_rows_source(&s->diff_rows);
	at_pager_init(&s->pager, &lines);
	go_to_profile(s);
	return true;
}

static void close(struct at_view *view)
{
	struct setup_state *s = view->state;
	struct at_buf *bufs[] = { &s->refused, &s->pending, &s->root, &s->word, &s->saving,
		&s->names, &s->old_text, &s->new_text };

	setup_drop_plans(s);
	at_list_free(&s->list);
	at_pager_free(&s->pager);
	at_setup_rows_free(&s->rows);
	at_setup_roots_free(&s->roots);
	at_setup_close(&s->model);
	at_setup_draft_free(&s->own);
	for (size_t i = 0; i < sizeof(bufs) / sizeof(*bufs); i++)
		at_buf_free(bufs[i]);
}

static void layout(struct at_view *view, int width, int height)
{
	struct setup_state *s = view->state;

	setup_layout(s, width, height);
	make_rows(s);
	setup_layout(s, width, height);
	show_tail(s);
}

static void paint(const struct at_view *view, const struct at_canvas *canvas)
{
	setup_paint(view->state, canvas);
}

static void relayout(struct at_view *view, struct at_fx *fx)
{
	layout(view, view->width, view->height);
	at_fx_redraw(fx);
}

static void show_result(struct setup_state *s, struct at_fx *fx)
{
	s->text_arg =
		(struct at_view_text_arg){ .title = "The whole brief, as a save would write it",
			.text = at_buf_bytes(&s->model.text) };
	at_fx_push(fx, &at_view_text, &s->text_arg);
}

static enum at_take move(struct setup_state *s, enum at_action action, struct at_fx *fx)
{
	size_t was = s->list.cursor;
	enum at_take taken;

	if (s->in_pane)
		return at_pager_act(&s->pager, action, fx);
	taken = at_list_act(&s->list, action, fx);
	if (s->list.cursor != was)
		setup_moved(s, fx);
	return taken;
}

static enum at_take act(struct at_view *view, enum at_action action, struct at_fx *fx)
{
	struct setup_state *s = view->state;
	char why[256];

	if (setup_why_not(view, action, why, sizeof(why))) {
		if (*why)
			at_fx_message(fx, "%s", why);
		return *why ? AT_TAKEN : AT_PASS;
	}
	switch (action) {
	case AT_DO_REREAD:
		at_fx_do(fx, AT_ACT_REREAD, NULL);
		return AT_TAKEN;
	case AT_DO_QUIT:
		if (!s->model.draft->past_count || !at_setup_is_changed(&s->model))
			return AT_PASS;
		setup_ask_leave(fx);
		return AT_TAKEN;
	case AT_DO_OPEN:
		setup_open(s, fx);
		return AT_TAKEN;
	case AT_DO_EDIT_ITEM:
		setup_edit(s, fx);
		return AT_TAKEN;
	case AT_DO_ADD_ITEM:
		setup_add(s, fx);
		return AT_TAKEN;
	case AT_DO_REMOVE_ITEM:
		setup_remove(s, fx);
		return AT_TAKEN;
	case AT_DO_RESULT:
		show_result(s, fx);
		return AT_TAKEN;
	case AT_DO_WRITE:
		setup_ask_save(s, fx);
		return AT_TAKEN;
	case AT_DO_UNDO:
		setup_undo(s, fx);
		return AT_TAKEN;
	case AT_DO_SWITCH_PANE:
		s->in_pane = !s->in_pane;
		relayout(view, fx);
		return AT_TAKEN;
	case AT_DO_ZOOM:
		s->zoomed = !s->zoomed;
		relayout(view, fx);
		return AT_TAKEN;
	case AT_DO_NEXT_HUNK:
	case AT_DO_PREV_HUNK:
	case AT_DO_WRAP:
		return at_pager_act(&s->pager, action, fx);
	default:
		return move(s, action, fx);
	}
}

/* The application acted and the session was read again. */
static void changed(struct setup_state *s, const struct at_event *what, struct at_fx *fx)
{
	if (what->id == AT_ACT_ACCEPT_ROOT) {
		setup_root_was_accepted(s, what->yes, fx);
		return;
	}
	s->refusal = (struct at_error){ 0 };
	if (what->id == AT_ACT_BRIEF_SAVE && what->yes)
		at_setup_forget(&s->model);
	at_setup_reopen(&s->model);
	setup_changed(s, fx);
}

static void tell_unsaved(const struct at_setup_draft *draft, struct at_fx *fx)
{
	at_fx_message(fx, "The changes of the brief are not saved:");
	for (size_t i = 0; i < draft->count; i++)
		at_fx_message(fx, "  %s: %s", draft->edits[i].field->name,
			draft->edits[i].value ? draft->edits[i].value : "taken out");
}

static enum at_take event(struct at_view *view, const struct at_event *what, struct at_fx *fx)
{
	struct setup_state *s = view->state;
	size_t was = s->list.cursor;
	enum at_take taken;

	if (what->kind == AT_EVENT_IDLE && (s->effects_are_stale || s->pane_is_stale)) {
		setup_plan(s);
		setup_layout(s, s->width, s->height);
		at_fx_redraw(fx);
		return AT_TAKEN;
	}
	if (what->kind == AT_EVENT_CHANGED) {
		changed(s, what, fx);
		return AT_TAKEN;
	}
	if (what->kind == AT_EVENT_ANSWER && what->id >= 0)
		return setup_answered(s, what, fx);
	if (what->kind == AT_EVENT_QUIT) {
		if (s->model.draft->past_count && at_setup_is_changed(&s->model))
			tell_unsaved(s->model.draft, fx);
		return AT_TAKEN;
	}
	if (s->in_pane)
		return at_pager_event(&s->pager, what, fx);
	taken = at_list_event(&s->list, what, fx);
	if (s->list.cursor != was)
		setup_moved(s, fx);
	return taken;
}

static size_t rows(const struct at_view *view)
{
	return ((const struct setup_state *)view->state)->rows.count;
}

static bool row(const struct at_view *view, size_t i, struct at_spans *out)
{
	const struct setup_state *s = view->state;
	struct at_line line = { 0 };

	at_setup_row_line(&s->rows, i, &line);
	at_spans_add(out, at_buf_bytes(&line.spans.text), 8, 0, true);
	at_line_free(&line);
	return !is_heading(view->state, i);
}

const struct at_view_class at_view_setup = {
	.name = "setup",
	.title = "Setup",
	.blurb =
		"The brief as a form: what is asked for, and what that would change in the emitted "
		"files. Nothing is written until w; a save writes the brief alone, and every byte that "
		"was not changed here stays.",
	.flags = AT_VIEW_WRITES,
	.contexts = AT_IN_SETUP | AT_IN_PANES | AT_IN_LIST | AT_IN_PAGER,
	.min = { 40, 10 },
	.state_size = sizeof(struct setup_state),
	.open = open,
	.close = close,
	.layout = layout,
	.paint = paint,
	.act = act,
	.event = event,
	.rows = rows,
	.row = row,
	.why_not = setup_why_not,
};
