#include "views/view_emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/diff.h"
#include "core/mem.h"
#include "tui/diff_pane.h"
#include "tui/list.h"
#include "views/acts.h"
#include "views/panes.h"
#include "views/refusal.h"
#include "views/text_view.h"

enum { ASK_WRITE };

enum row_kind { HEADING, CHANGE, NOTICE, TEAM };

struct row {
	enum row_kind kind;
	size_t index;     /* of a change, a notice or a team */
	const char *text; /* of a heading */
};

struct state {
	const struct at_view_arg *arg;
	struct at_arena *arena;
	struct row *rows;
	size_t count, cap;
	struct at_list list;

	struct at_file before; /* what the diff's old side is */
	struct at_diff diff;
	struct at_diff_pane pane;
	bool diff_is_stale;
	struct at_view_text_arg text_arg;
	struct at_buf text; /* of text_arg, for a team */
	int list_width;
	bool is_placed; /* the cursor, on the first file */
	bool in_side, zoomed;
};

/* --- rows --------------------------------------------------------------------------- */

static void add_row(struct state *s, enum row_kind kind, size_t index, const char *text)
{
	s->rows = at_grow(s->rows, &s->cap, s->count, sizeof(*s->rows));
	s->rows[s->count++] = (struct row){ kind, index, text };
}

static size_t directory_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* By directory first, so that each has one heading. */
static int by_path(const void *a, const void *b, void *plan)
{
	const struct at_change *changes = ((const struct at_plan *)plan)->changes;
	const char *x = changes[*(const size_t *)a].path, *y = changes[*(const size_t *)b].path;
	size_t x_len = directory_len(x), y_len = directory_len(y);
	int order = strncmp(x, y, x_len < y_len ? x_len : y_len);

	if (order == 0 && x_len != y_len)
		return x_len < y_len ? -1 : 1;
	return order ? order : strcmp(x + x_len, y + y_len);
}

static const char *directory_of(struct at_arena *arena, const char *path)
{
	size_t len = directory_len(path);

	return len ? at_arena_strndup(arena, path, len) : "./";
}

static void make_rows(struct state *s)
{
	const struct at_collected *c = s->arg->collected;
	struct at_plan plan = c->plan; /* qsort_r asks for one that is not const */
	size_t *order = at_alloc((plan.count + 1) * sizeof(*order));
	const char *last = "";

	at_arena_free(s->arena);
	s->arena = at_arena_new();
	s->count = 0;
	if (at_teams_are_several(&c->teams))
		add_row(s, HEADING, 0, AT_TEAMS_HEADING);
	for (size_t i = 0; at_teams_are_several(&c->teams) && i < c->teams.count; i++)
		add_row(s, TEAM, i, NULL);
	for (size_t i = 0; i < plan.count; i++)
		order[i] = i;
	qsort_r(order, plan.count, sizeof(*order), by_path, &plan);
	for (size_t i = 0; i < plan.count; i++) {
		const char *dir = directory_of(s->arena, plan.changes[order[i]].path);

		if (strcmp(dir, last) != 0)
			add_row(s, HEADING, 0, dir);
		last = dir;
		add_row(s, CHANGE, order[i], NULL);
	}
	if (c->notices.count)
		add_row(s, HEADING, 0, "Notices");
	for (size_t i = 0; i < c->notices.count; i++)
		add_row(s, NOTICE, i, NULL);
	free(order);
}

static size_t count_rows(void *user)
{
	return ((struct state *)user)->count;
}

static bool is_heading(void *user, size_t row)
{
	return ((struct state *)user)->rows[row].kind == HEADING;
}

static enum at_style style_of(enum at_change_kind kind)
{
	return kind == AT_CREATE     ? AT_STYLE_ADDED
		: kind == AT_REPLACE ? AT_STYLE_MARK
				     : AT_STYLE_DIM;
}

static void fill_row(void *user, size_t row, struct at_line *out)
{
	const struct state *s = user;
	const struct row *r = &s->rows[row];
	const struct at_change *change;
	const char *name;

	if (r->kind == HEADING) {
		at_line_text(out, AT_STYLE_ACCENT, r->text);
		return;
	}
	if (r->kind == NOTICE) {
		at_line_text(out, AT_STYLE_NORMAL, s->arg->collected->notices.items[r->index].text);
		return;
	}
	if (r->kind == TEAM) {
		at_team_line(&s->arg->collected->teams.items[r->index], s->list_width, out);
		return;
	}
	change = &s->arg->collected->plan.changes[r->index];
	name = strrchr(change->path, '/');
	at_line_textf(out, style_of(change->kind), "%-8s ", at_change_word(change->kind));
	at_line_text(out, AT_STYLE_NORMAL, name ? name + 1 : change->path);
	if (change->kind != AT_KEPT)
		at_line_textf(out, AT_STYLE_DIM, "  %zu bytes", change->bytes.len);
}

static const struct row *current(const struct state *s)
{
	return s->list.cursor < s->count ? &s->rows[s->list.cursor] : NULL;
}

static const struct at_change *current_change(const struct state *s)
{
	const struct row *r = current(s);

	return r && r->kind == CHANGE ? &s->arg->collected->plan.changes[r->index] : NULL;
}

/* --- the side pane -------------------------------------------------------------------- */

static void drop_diff(struct state *s)
{
	at_diff_free(&s->diff);
	s->diff = (struct at_diff){ 0 };
	at_file_free(&s->before);
	s->before = (struct at_file){ 0 };
}

/* What is on disk against what would be; for a file that stays, nothing differs. */
static bool diff_of(const struct state *s, const struct at_change *change, struct at_file *before,
	struct at_diff *out, struct at_error *err)
{
	*before = (struct at_file){ 0 };
	*out = (struct at_diff){ 0 };
	if (change->kind == AT_KEPT)
		return true;
	if (!at_file_read(before, s->arg->session->project.fd, change->path, AT_FILE_CAP,
		    AT_FILE_MAY_BE_ABSENT | AT_FILE_NO_DIGEST, err))
		return false;
	if (at_diff_make(out, at_buf_bytes(&before->bytes), change->bytes, 3, err))
		return true;
	at_diff_free(out);
	*out = (struct at_diff){ 0 };
	return false;
}

static void make_diff(struct state *s)
{
	const struct at_change *change = current_change(s);
	struct at_error err;

	drop_diff(s);
	s->diff_is_stale = false;
	if (change)
		diff_of(s, change, &s->before, &s->diff, &err); /* else the pane stays empty */
	at_diff_pane_set(&s->pane, &s->diff);
	at_pager_go(&s->pane.pager, 0);
}

static void moved(struct state *s, size_t from, struct at_fx *fx)
{
	if (s->list.cursor == from)
		return;
	s->diff_is_stale = true;
	at_fx_simple(fx, AT_FX_IDLE);
}

/* --- the class ---------------------------------------------------------------------- */

static bool open(struct at_view *view, const void *arg, struct at_error *err)
{
	struct state *s = view->state;
	struct at_list_source source = { s, count_rows, fill_row, is_heading };

	(void)err;
	s->arg = arg;
	make_rows(s);
	at_list_init(&s->list, &source);
	at_diff_pane_init(&s->pane, &s->diff);
	s->pane.pager.wrap = s->arg->session->settings->wrap;
	s->pane.pager.tab = (unsigned)s->arg->session->settings->tab_width;
	s->diff_is_stale = true;
	return true;
}

static void close(struct at_view *view)
{
	struct state *s = view->state;

	drop_diff(s);
	at_list_free(&s->list);
	at_diff_pane_free(&s->pane);
	at_buf_free(&s->text);
	free(s->rows);
	at_arena_free(s->arena);
}

static struct at_panes panes_of(const struct state *s, int width, int height)
{
	return at_panes_of(width, height, s->arg->session->settings->two_panes,
		s->in_side, s->zoomed, true);
}

/* The view is about files: the rows of other teams above them are to be read. */
static void place_cursor(struct state *s)
{
	size_t first = 0;

	while (first < s->count && s->rows[first].kind != CHANGE)
		first++;
	if (!s->is_placed && first < s->count)
		at_list_go(&s->list, first);
	s->is_placed = true;
}

static void layout(struct at_view *view, int width, int height)
{
	struct state *s = view->state;
	struct at_panes p = panes_of(s, width, height);

	s->list_width = p.list.width;
	if (p.list.width)
		at_list_layout(&s->list, p.list.width, p.list.height - 1);
	place_cursor(s);
	if (p.side.width)
		at_diff_pane_layout(&s->pane, p.side.width, p.side.height - 1);
}

static void paint_details(const struct state *s, const struct at_canvas *canvas)
{
	const struct row *r = current(s);
	const struct at_change *change = current_change(s);
	struct at_line line = { .ascii = canvas->grid->ascii, .words = true };
	int y = 0;

	if (!r || r->kind == HEADING)
		return;
	if (change) {
		at_line_text(&line, AT_STYLE_ACCENT, change->path);
		at_line_paint(&line, canvas, y++, 0, true);
		at_line_clear(&line);
		at_line_text(&line, AT_STYLE_NORMAL, change->reason);
	} else if (r->kind == TEAM) {
		at_line_text(&line, AT_STYLE_NORMAL,
			s->arg->collected->teams.items[r->index].sentence);
	} else {
		at_line_text(
			&line, AT_STYLE_NORMAL, s->arg->collected->notices.items[r->index].text);
	}
	for (int skip = 0; skip >= 0 && y < canvas->at.height;
		skip = at_line_next(&line, canvas->at.width, skip)) {
		at_line_paint(&line, canvas, y, skip, y + 1 == canvas->at.height);
		y++;
	}
	at_line_free(&line);
}

static void paint_list(const struct state *s, const struct at_canvas *canvas, bool one_pane)
{
	struct at_canvas body = at_pane_body(canvas);
	size_t pending = at_plan_pending(&s->arg->collected->plan);
	char rest[96];

	if (pending)
		snprintf(rest, sizeof(rest), "%zu to write%s", pending,
			one_pane ? "   Tab: the diff" : "");
	else
		snprintf(rest, sizeof(rest), "everything is as it should be");
	at_pane_title(canvas, !s->in_side, "Files", rest);
	at_list_paint(&s->list, &body, !s->in_side);
}

static void paint_side(const struct state *s, const struct at_canvas *canvas)
{
	const struct at_change *change = current_change(s);
	struct at_canvas body = at_pane_body(canvas);
	char modes[80], rest[96];

	at_diff_pane_modes(&s->pane, modes, sizeof(modes));
	snprintf(rest, sizeof(rest), "+%zu -%zu%s%s", s->diff.added, s->diff.removed,
		*modes ? "   " : "", modes);
	at_pane_title(canvas, s->in_side, !change ? "" : change->kind == AT_CREATE ? "a new file"
			: change->kind == AT_KEPT ? "stays as it is" : "on disk → newly emitted",
		s->diff_is_stale ? "…" : s->diff.count ? rest : change ? "no difference" : "");
	at_pager_paint(&s->pane.pager, &body);
}

static void paint(const struct at_view *view, const struct at_canvas *canvas)
{
	const struct state *s = view->state;
	struct at_panes p = panes_of(s, view->width, view->height);
	struct at_canvas part;

	if (!s->arg->collected->is_planned) {
		at_refusal_paint(canvas, "Nothing can be emitted", &s->arg->collected->plan_error);
		return;
	}
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

static void ask_write(struct state *s, struct at_fx *fx)
{
	const struct at_plan *plan = &s->arg->collected->plan;
	const char **lines = at_alloc((plan->count + 2) * sizeof(*lines));
	struct at_ask ask = { .id = ASK_WRITE, .danger = AT_DANGER_CONFIRM,
		.title = "Write the emitted files?", .lines = lines };
	struct at_buf yes = { 0 };

	for (size_t i = 0; i < plan->count; i++) {
		if (at_change_is_pending(&plan->changes[i]))
			lines[ask.line_count++] = plan->changes[i].path;
	}
	at_buf_printf(&yes, "write %zu file%s", ask.line_count, ask.line_count == 1 ? "" : "s");
	lines[ask.line_count++] =
		"The live settings are not touched. atconsole --undo takes it back.";
	ask.yes = at_buf_text(&yes);
	at_fx_confirm(fx, &ask);
	at_buf_free(&yes);
	free(lines);
}

static void show(struct state *s, struct at_fx *fx)
{
	const struct at_change *change = current_change(s);
	const struct row *r = current(s);

	if (change) {
		s->text_arg =
			(struct at_view_text_arg){ .title = change->path, .text = change->bytes };
	} else if (r->kind == TEAM) {
		s->text.len = 0;
		at_team_text(&s->arg->collected->teams.items[r->index], &s->text);
		s->text_arg = (struct at_view_text_arg){
			.title = "Team", .text = at_buf_bytes(&s->text), .is_prose = true
		};
	} else {
		const char *text = s->arg->collected->notices.items[r->index].text;

		s->text_arg = (struct at_view_text_arg){
			.title = "Notice", .text = at_bytes_of(text), .is_prose = true
		};
	}
	at_fx_push(fx, &at_view_text, &s->text_arg);
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
	if (view->class->why_not(view, action, why, sizeof(why))) {
		if (*why)
			at_fx_message(fx, "%s", why);
		return *why ? AT_TAKEN : AT_PASS;
	}
	switch (action) {
	case AT_DO_WRITE:
		ask_write(s, fx);
		return AT_TAKEN;
	case AT_DO_OPEN:
		if (s->in_side && at_diff_pane_has_fold(&s->pane))
			return at_diff_pane_act(&s->pane, action, fx);
		show(s, fx);
		return AT_TAKEN;
	case AT_DO_SWITCH_PANE:
		s->in_side = !s->in_side;
		layout(view, view->width, view->height);
		at_fx_simple(fx, AT_FX_IDLE); /* another width may have other rows */
		return AT_TAKEN;
	case AT_DO_ZOOM:
		s->zoomed = !s->zoomed;
		layout(view, view->width, view->height);
		at_fx_simple(fx, AT_FX_IDLE); /* another width may have other rows */
		return AT_TAKEN;
	case AT_DO_NEXT_HUNK:
	case AT_DO_PREV_HUNK:
	case AT_DO_WRAP:
	case AT_DO_SIDE_BY_SIDE:
	case AT_DO_FOLD:
	case AT_DO_SPACE:
		return at_diff_pane_act(&s->pane, action, fx);
	default:
		if (s->in_side)
			return at_diff_pane_act(&s->pane, action, fx);
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
		if (s->diff_is_stale) {
			make_diff(s);
			at_fx_redraw(fx);
		}
		at_diff_pane_work(&s->pane, fx);
		return AT_TAKEN;
	case AT_EVENT_CHANGED:
		make_rows(s);
		at_list_refresh(&s->list);
		make_diff(s);
		at_fx_simple(fx, AT_FX_IDLE);
		return AT_TAKEN;
	case AT_EVENT_ANSWER:
		if (what->id != ASK_WRITE)
			break;
		if (what->yes)
			at_fx_do(fx, AT_ACT_EMIT_WRITE, NULL);
		return AT_TAKEN;
	default:
		break;
	}
	if (s->in_side)
		return at_diff_pane_event(&s->pane, what, fx);
	take = at_list_event(&s->list, what, fx);
	moved(s, from, fx);
	return take;
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
	case AT_DO_WRITE:
		if (!s->arg->collected->is_planned)
			return off(out, size, "nothing can be emitted");
		if (at_diff_pane_hides_space(&s->pane))
			return off(out, size, "white space is hidden: W shows it again");
		return at_plan_pending(&s->arg->collected->plan) == 0
			&& off(out, size, "everything emitted is as it should be");
	case AT_DO_OPEN:
		return (!current(s) || current(s)->kind == HEADING)
			&& off(out, size, "the cursor is on no file");
	case AT_DO_ZOOM:
		return view->width < s->arg->session->settings->two_panes
			&& off(out, size, "one pane has the whole width already");
	default:
		return at_diff_pane_why_not(&s->pane, action, out, size);
	}
}

static size_t rows(const struct at_view *view)
{
	return ((const struct state *)view->state)->count;
}

static bool row(const struct at_view *view, size_t i, struct at_spans *out)
{
	struct at_line line = { 0 };

	fill_row(view->state, i, &line);
	at_spans_add(out, at_buf_bytes(&line.spans.text), 8, 0, true);
	at_line_free(&line);
	return !is_heading(view->state, i);
}

/* Every file that would be written, against what is on disk. */
static bool more(const struct at_view *view, struct at_buf *out, struct at_error *err)
{
	const struct state *s = view->state;
	const struct at_collected *c = s->arg->collected;

	if (!c->is_planned) {
		*err = c->plan_error;
		return false;
	}
	for (size_t i = 0; i < c->plan.count; i++) {
		const struct at_change *change = &c->plan.changes[i];
		struct at_file before;
		struct at_diff diff;
		bool ok;

		if (!at_change_is_pending(change))
			continue;
		ok = diff_of(s, change, &before, &diff, err);
		if (ok)
			at_diff_print(&diff, before.exists ? change->path : NULL, change->path,
				AT_DIFF_RAW, out);
		at_diff_free(&diff);
		at_file_free(&before);
		if (!ok)
			return false;
	}
	return true;
}

const struct at_view_class at_view_emit = {
	.name = "emit",
	.title = "Emit",
	.blurb =
		"The files that the brief asks for, and what each would change. Nothing is written "
		"until w, and the live settings are never among them.",
	.flags = AT_VIEW_WRITES,
	.contexts = AT_IN_EMIT | AT_IN_PANES | AT_IN_LIST | AT_IN_PAGER | AT_IN_DIFF,
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
