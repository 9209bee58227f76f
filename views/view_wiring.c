#include "views/view_wiring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "tui/list.h"
#include "views/panes.h"
#include "views/text_view.h"
#include "views/wiring_rows.h"

#define LOW 12        /* rows below which the head is two lines */

enum question { ASK_RUN };

struct state {
	const struct at_view_arg *arg;
	struct at_wiring_rows rows;
	struct at_list list;
	bool foreign; /* what an effect borrows */
	struct at_buf title, text;
	struct at_view_text_arg text_arg;
};

struct areas {
	struct at_rect head, list, details; /* width 0: not shown */
};

static struct areas areas_of(const struct state *s, int width, int height)
{
	int head = height < LOW ? 2 : 4;
	int list = width < s->arg->session->settings->two_panes ? width : width * 11 / 20;
	struct areas a = { { 0, 0, width, head }, { 0, head, list, height - head }, { 0 } };

	if (list < width)
		a.details = (struct at_rect){ list + 2, head, width - list - 2, height - head };
	return a;
}

static size_t count_rows(void *user)
{
	return ((struct state *)user)->rows.count;
}

static void fill_row(void *user, size_t row, struct at_line *out)
{
	at_wiring_row_line(&((struct state *)user)->rows, row, out);
}

static bool is_heading(void *user, size_t row)
{
	return ((struct state *)user)->rows.rows[row].kind <= AT_ROW_REMARK;
}

static void make(struct state *s)
{
	at_wiring_rows_make(&s->rows, s->arg->session, s->arg->collected);
}

static bool open(struct at_view *view, const void *arg, struct at_error *err)
{
	struct state *s = view->state;
	struct at_list_source source = { s, count_rows, fill_row, is_heading };

	(void)err;
	s->arg = arg;
	make(s);
	at_list_init(&s->list, &source);
	return true;
}

static void close(struct at_view *view)
{
	struct state *s = view->state;

	at_list_free(&s->list);
	at_wiring_rows_free(&s->rows);
	at_buf_free(&s->title);
	at_buf_free(&s->text);
}

static void layout(struct at_view *view, int width, int height)
{
	struct areas a = areas_of(view->state, width, height);
	struct state *s = view->state;

	at_wiring_rows_wrap(&s->rows, a.list.width);
	at_list_layout(&s->list, a.list.width, a.list.height);
	at_list_refresh(&s->list);
}

/* Wrapped in up to `rows` rows; what does not fit is told. */
static void paint_wrapped(struct at_line *line, const struct at_canvas *canvas, int y, int rows)
{
	int skip = 0;

	line->words = true;
	for (int row = 0; row < rows && skip >= 0; row++) {
		at_line_paint(line, canvas, y + row, skip, row == rows - 1);
		skip = at_line_next(line, canvas->at.width, skip);
	}
	line->words = false;
	at_line_clear(line);
}

/* The first question and its answer, then why, then how much was found. */
static void paint_head(const struct state *s, const struct at_canvas *canvas)
{
	struct at_line line = { .ascii = canvas->grid->ascii };
	bool low = canvas->at.height < 4, narrow = canvas->at.width < 60;
	struct at_wiring_answer answer;
	struct at_buf tally = { 0 };

	at_wiring_answer(&answer, s->arg->collected);
	at_line_textf(&line, AT_STYLE_TITLE, "%s  ", narrow ? answer.narrow : answer.question);
	at_line_text(&line, answer.style, answer.word);
	at_line_paint(&line, canvas, 0, 0, true);
	at_line_clear(&line);
	at_line_text(&line, AT_STYLE_NORMAL, answer.why);
	paint_wrapped(&line, canvas, 1, 1);
	if (!low) {
		at_wiring_tally(s->arg->collected, s->arg->session, &tally);
		at_line_text(&line, AT_STYLE_DIM, at_buf_text(&tally));
		at_line_paint(&line, canvas, 2, 0, true);
		at_canvas_rule(canvas, 3, AT_STYLE_RULE);
	}
	at_buf_free(&tally);
	at_line_free(&line);
}

static void paint_details(const struct state *s, const struct at_canvas *canvas)
{
	struct at_line line = { .ascii = canvas->grid->ascii };
	struct at_buf text = { 0 };
	char *rest, *row;
	int y = 0;

	if (s->list.cursor >= s->rows.count || is_heading((void *)(uintptr_t)s, s->list.cursor))
		return;
	at_wiring_row_text(&s->rows, s->list.cursor, canvas->at.width - 2, &text);
	rest = text.data;
	while (y < canvas->at.height && (row = strsep(&rest, "\n"))) {
		bool more = y == canvas->at.height - 1 && rest && *rest;

		at_line_clear(&line);
		at_line_text(&line, y ? AT_STYLE_NORMAL : AT_STYLE_ACCENT,
			more ? "… Enter shows the rest" : row);
		at_line_paint(&line, canvas, y++, 0, true);
	}
	at_line_free(&line);
	at_buf_free(&text);
}

static void paint_refusal(const struct state *s, const struct at_canvas *canvas)
{
	const struct at_session *session = s->arg->session;
	const struct at_error *e =
		session->request_ok ? &s->arg->collected->plan_error : &session->request_error;
	struct at_line line = { .ascii = canvas->grid->ascii };

	at_line_text(&line, AT_STYLE_TITLE, "The wiring cannot be looked at");
	at_line_paint(&line, canvas, 1, 0, true);
	at_line_clear(&line);
	at_line_text(&line, AT_STYLE_ERROR, e->message);
	paint_wrapped(&line, canvas, 3, 3);
	at_line_text(&line, AT_STYLE_NORMAL, e->hint);
	paint_wrapped(&line, canvas, 6, 3);
	at_line_free(&line);
}

static void paint(const struct at_view *view, const struct at_canvas *canvas)
{
	struct areas a = areas_of(view->state, view->width, view->height);
	const struct state *s = view->state;
	struct at_canvas part;

	if (!s->arg->collected->is_checked) {
		paint_refusal(s, canvas);
		return;
	}
	part = at_canvas_part(canvas, a.head);
	paint_head(s, &part);
	part = at_canvas_part(canvas, a.list);
	at_list_paint(&s->list, &part, true);
	if (!a.details.width)
		return;
	part = at_canvas_part(canvas,
		(struct at_rect){ 0, a.list.y, view->width, a.list.height });
	at_canvas_column(&part, a.list.width, AT_STYLE_RULE);
	part = at_canvas_part(canvas, a.details);
	paint_details(s, &part);
}

static void show_row(const struct at_view *view, struct at_fx *fx)
{
	struct state *s = view->state;

	s->title.len = s->text.len = 0;
	at_buf_puts(&s->title, "Wiring");
	at_wiring_row_text(&s->rows, s->list.cursor, view->width - 6, &s->text);
	s->text_arg = (struct at_view_text_arg){ .title = at_buf_text(&s->title),
		.text = at_buf_bytes(&s->text), .is_prose = true };
	at_fx_push(fx, &at_view_text, &s->text_arg);
}

/* Ours is run at once; others are commands of somebody's settings and are named first. */
static void run_hooks(struct state *s, struct at_fx *fx)
{
	const struct at_hook_list *list = &s->arg->collected->hooks;
	const char **lines = at_alloc((list->count + 1) * sizeof(*lines));
	struct at_ask ask = { .id = ASK_RUN, .danger = AT_DANGER_CONFIRM, .lines = lines,
		.title = "Run these commands of the settings, outside any sandbox?",
		.yes = "run them" };

	for (size_t i = 0; i < list->count; i++)
		if (at_hook_is_due(list, i, true) && !list->items[i].is_ours)
			lines[ask.line_count++] = list->items[i].command;
	if (ask.line_count) {
		at_fx_confirm(fx, &ask);
	} else {
		s->foreign = false;
		at_fx_do(fx, AT_ACT_RUN_HOOKS, &s->foreign);
	}
	free(lines);
}

static enum at_take act(struct at_view *view, enum at_action action, struct at_fx *fx)
{
	struct state *s = view->state;
	char why[256];

	if (action == AT_DO_REREAD) {
		at_fx_do(fx, AT_ACT_REREAD, NULL);
		return AT_TAKEN;
	}
	if (view->class->why_not(view, action, why, sizeof(why))) {
		at_fx_message(fx, "%s", why);
		return AT_TAKEN;
	}
	if (action == AT_DO_OPEN) {
		show_row(view, fx);
		return AT_TAKEN;
	}
	if (action == AT_DO_SELF_TEST) {
		at_fx_do(fx, AT_ACT_SELF_TEST, NULL);
		return AT_TAKEN;
	}
	if (action == AT_DO_RUN_HOOKS) {
		run_hooks(s, fx);
		return AT_TAKEN;
	}
	return at_list_act(&s->list, action, fx);
}

static enum at_take event(struct at_view *view, const struct at_event *what, struct at_fx *fx)
{
	struct state *s = view->state;

	if (what->kind == AT_EVENT_CHANGED) {
		make(s);
		at_list_refresh(&s->list);
		at_fx_redraw(fx);
		return AT_TAKEN;
	}
	if (what->kind == AT_EVENT_ANSWER && what->id == ASK_RUN) {
		s->foreign = true;
		if (what->yes)
			at_fx_do(fx, AT_ACT_RUN_HOOKS, &s->foreign);
		return AT_TAKEN;
	}
	return at_list_event(&s->list, what, fx);
}

static bool off(char *out, size_t size, const char *why)
{
	snprintf(out, size, "%s", why);
	return true;
}

static bool run_why_not(const struct state *s, char *out, size_t size)
{
	const struct at_session *session = s->arg->session;
	const struct at_hook_list *list = &s->arg->collected->hooks;

	if (session->options->no_probes)
		return off(out, size, "--no-probes: nothing is run");
	if (session->hooks_are_running)
		return off(out, size, "they are being run just now");
	/* A session that may not write settings must not start what they name either. */
	if (session->host.agent_marker) {
		snprintf(out, size, "%s is set: an agent session runs no hooks from here",
			session->host.agent_marker);
		return true;
	}
	for (size_t i = 0; i < list->count; i++)
		if (at_hook_is_due(list, i, true))
			return false;
	return off(out, size, list->gate_fault ? list->gate_fault : "there is no hook to run");
}

static bool try_why_not(const struct state *s, char *out, size_t size)
{
	const struct at_session *session = s->arg->session;

	if (s->arg->collected->evidence.mechanism != AT_LAUNCHER_LINUX)
		return off(out, size, "this team's boundary is not the launcher on Linux");
	if (session->options->no_probes)
		return off(out, size, "--no-probes: nothing is run");
	if (session->host.agent_marker) {
		snprintf(out, size, "%s is set: an agent session keeps no proof",
			session->host.agent_marker);
		return true;
	}
	return false;
}

static bool why_not(const struct at_view *view, enum at_action action, char *out, size_t size)
{
	const struct state *s = view->state;

	if (action == AT_DO_RUN_HOOKS)
		return run_why_not(s, out, size);
	if (action == AT_DO_SELF_TEST)
		return try_why_not(s, out, size);
	if (action == AT_DO_OPEN && s->list.cursor >= s->rows.count)
		return off(out, size, "there is nothing to open");
	return false;
}

static size_t rows(const struct at_view *view)
{
	return ((const struct state *)view->state)->rows.count;
}

static bool row(const struct at_view *view, size_t i, struct at_spans *out)
{
	const struct state *s = view->state;
	struct at_line line = { 0 };

	at_wiring_row_line(&s->rows, i, &line);
	at_spans_add(out, at_buf_bytes(&line.spans.text), 8, 0, true);
	at_line_free(&line);
	return !is_heading(view->state, i);
}

const struct at_view_class at_view_wiring = {
	.name = "wiring",
	.title = "Wiring",
	.blurb =
		"Whether the client would load the live settings at all, what all settings files say "
		"together and which of them wins, what is wrong, and what hooks did when they were "
		"run. Configured is not proven: nothing here has tested a session.",
	.contexts = AT_IN_WIRING | AT_IN_LIST,
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
	.why_not = why_not,
};
