#include "views/view_runner.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/safetext.h"
#include "views/gatelog_text.h"
#include "views/runner_rows.h"
#include "views/text_view.h"

#define LOW 12 /* rows below which the head is two lines */
#define WIDE 112 /* cells that the totals need on one row */
#define TOLD 1000 /* rows that plain output tells */
#define HEADS 3 /* lines above them: where the log is, the chain, the totals */
#define LOOK_MS 1000

struct state {
	struct at_runner_rows rows;
	struct at_buf filter_before; /* what Esc brings back */
	size_t origin; /* where a filter or a search began */
	struct at_buf text;
	struct at_view_text_arg text_arg;
};

struct areas {
	struct at_rect head, list, details; /* width 0: not shown */
};

static struct areas areas_of(const struct state *s, int width, int height)
{
	int head = height < LOW ? 2 : width < WIDE ? 6 : 5;
	int list = width < s->rows.arg->session->settings->two_panes ? width : width * 13 / 20;
	struct areas a = { { 0, 0, width, head }, { 0, head, list, height - head }, { 0 } };

	if (list < width)
		a.details = (struct at_rect){ list + 2, head, width - list - 2, height - head };
	return a;
}

static bool open(struct at_view *view, const void *arg, struct at_error *err)
{
	struct state *s = view->state;

	(void)err;
	at_runner_rows_init(&s->rows, arg);
	return true;
}

static void close(struct at_view *view)
{
	struct state *s = view->state;

	at_runner_rows_free(&s->rows);
	at_buf_free(&s->filter_before);
	at_buf_free(&s->text);
}

static void layout(struct at_view *view, int width, int height)
{
	struct state *s = view->state;
	struct areas a = areas_of(s, width, height);

	at_runner_rows_layout(&s->rows, a.list.width, a.list.height);
}

/* ---- painting ---- */

/* "Gate log, newest first   [filter: deny] 12 of 340   3 new above" */
static void put_title(const struct state *s, bool low, struct at_line *line)
{
	const struct at_runner_rows *r = &s->rows;

	at_line_text(line, AT_STYLE_TITLE, "Gate log");
	if (!r->place.is_set)
		at_line_text(line, AT_STYLE_TRUTH_UNKNOWN, "  none is set");
	else if (!r->is_open)
		at_line_text(line, AT_STYLE_TRUTH_UNKNOWN, "  not read");
	else if (!low)
		at_line_text(line, AT_STYLE_TITLE, ", newest first");
	if (!r->is_open)
		return;
	if (at_runner_rows_is_filtered(r)) {
		at_line_text(line, AT_STYLE_ACCENT, "  [filter: ");
		at_line_add(line, AT_STYLE_ACCENT, at_buf_bytes(&r->filter.text));
		at_line_textf(line, AT_STYLE_ACCENT, "] %zu of %zu", at_runner_rows_calls(r),
			r->log.count);
	} else {
		at_line_textf(line, AT_STYLE_DIM, "  %zu row%s", r->log.count,
			r->log.count == 1 ? "" : "s");
	}
	if (!r->log.is_done)
		at_line_textf(
			line, AT_STYLE_DIM, " so far, reading… %u %%", at_gatelog_percent(&r->log));
	if (r->fresh)
		at_line_textf(line, AT_STYLE_MARK, "  %zu new above", r->fresh);
}

static void put_place(const struct state *s, struct at_line *line)
{
	const struct at_gatelog_place *place = &s->rows.place;
	const char *home = s->rows.arg->session->host.home;
	size_t len = strlen(home);

	if (!place->is_set) {
		at_line_textf(line, AT_STYLE_DIM, "%s%s",
			*place->origin ? "turned off by "
				       : "neither in `env` of a settings file "
					 "nor in the environment of "
					 "this console",
			place->origin);
		return;
	}
	if (len > 1 && strncmp(place->path, home, len) == 0 && place->path[len] == '/')
		at_line_textf(line, AT_STYLE_NORMAL, "~%s", place->path + len);
	else
		at_line_text(line, AT_STYLE_NORMAL, place->path);
	at_line_textf(line, AT_STYLE_DIM, "  from %s", place->origin);
}

static void put_chain(const struct state *s, struct at_line *line)
{
	const struct at_gatelog *log = &s->rows.log;
	struct at_buf text = { 0 };

	at_gatelog_chain(log, &text);
	at_line_own(line,
		log->gaps                                            ? AT_STYLE_TRUTH_BAD
			: log->is_done && !log->is_cut && log->calls ? AT_STYLE_TRUTH_OK
								     : AT_STYLE_TRUTH_UNKNOWN,
		at_buf_text(&text));
	at_buf_free(&text);
}

static void put_totals(const struct state *s, struct at_line *line)
{
	struct at_buf text = { 0 };

	at_gatelog_totals(&s->rows.log, &text);
	at_line_text(line, AT_STYLE_NORMAL, at_buf_text(&text));
	at_buf_free(&text);
}

/* In up to `rows` rows; what does not fit is told. */
static void paint_wrapped(struct at_line *line, const struct at_canvas *canvas, int y, int rows)
{
	int skip = 0;

	line->words = true;
	for (int row = 0; row < rows && skip >= 0; row++) {
		at_line_paint(line, canvas, y + row, skip, row == rows - 1);
		skip = at_line_next(line, canvas->at.width, skip);
	}
	line->words = false;
}

static void paint_head(const struct state *s, const struct at_canvas *canvas)
{
	struct at_line line = { .ascii = canvas->grid->ascii };
	bool low = canvas->at.height < 5, is_open = s->rows.is_open;

	put_title(s, low, &line);
	at_line_paint(&line, canvas, 0, 0, true);
	at_line_clear(&line);
	if (!low) {
		put_place(s, &line);
		at_line_paint(&line, canvas, 1, 0, true);
		at_line_clear(&line);
	}
	if (is_open)
		put_chain(s, &line);
	if (low && is_open) {
		at_line_text(&line, AT_STYLE_NORMAL, "  ");
		put_totals(s, &line);
	} else if (!low) {
		if (s->rows.place.fault)
			at_line_textf(&line, AT_STYLE_TRUTH_BAD,
				"%sThe gate writes no line there: %s", is_open ? "  " : "",
				s->rows.place.fault);
		else
			at_line_textf(&line, AT_STYLE_DIM, "%s%s", is_open ? "  " : "",
				at_gatelog_ceiling);
	} else {
		put_place(s, &line);
	}
	at_line_paint(&line, canvas, low ? 1 : 2, 0, true);
	at_line_clear(&line);
	if (!low) {
		if (is_open)
			put_totals(s, &line);
		paint_wrapped(&line, canvas, 3, canvas->at.height - 4);
		at_canvas_rule(canvas, canvas->at.height - 1, AT_STYLE_RULE);
	}
	at_line_free(&line);
}

static void paint_details(const struct state *s, const struct at_canvas *canvas)
{
	struct at_line line = { .ascii = canvas->grid->ascii, .words = true };
	struct at_buf text = { 0 };
	char *rest, *row;
	int y = 0;

	at_runner_rows_details(&s->rows, s->rows.list.cursor, &text);
	rest = text.data;
	while (y < canvas->at.height && (row = strsep(&rest, "\n"))) {
		int skip = 0;

		at_line_clear(&line);
		at_line_text(&line, y ? AT_STYLE_NORMAL : AT_STYLE_ACCENT, row);
		do {
			at_line_paint(&line, canvas, y, skip, y == canvas->at.height - 1);
			skip = at_line_next(&line, canvas->at.width, skip);
			y++;
		} while (skip >= 0 && y < canvas->at.height);
	}
	at_line_free(&line);
	at_buf_free(&text);
}

static void paint(const struct at_view *view, const struct at_canvas *canvas)
{
	const struct state *s = view->state;
	struct areas a = areas_of(s, view->width, view->height);
	struct at_canvas part = at_canvas_part(canvas, a.head);

	paint_head(s, &part);
	part = at_canvas_part(canvas, a.list);
	at_list_paint(&s->rows.list, &part, true);
	if (!a.details.width)
		return;
	part = at_canvas_part(canvas, (struct at_rect){ 0, a.list.y, view->width, a.list.height });
	at_canvas_column(&part, a.list.width, AT_STYLE_RULE);
	part = at_canvas_part(canvas, a.details);
	paint_details(s, &part);
}

/* ---- acting ---- */

static void show_row(struct state *s, struct at_fx *fx)
{
	s->text.len = 0;
	at_runner_rows_details(&s->rows, s->rows.list.cursor, &s->text);
	s->text_arg =
		(struct at_view_text_arg){ .title = at_runner_rows_at(&s->rows, s->rows.list.cursor)
				? "A row of the gate log"
				: "Ceiling",
			.text = at_buf_bytes(&s->text),
			.is_prose = true };
	at_fx_push(fx, &at_view_text, &s->text_arg);
}

static void ask_filter(struct state *s, struct at_fx *fx)
{
	const struct at_ask ask = {
		.id = AT_ASK_FILTER, .title = "Filter", .value = at_buf_text(&s->rows.filter.text)
	};

	s->origin = at_runner_rows_here(&s->rows);
	s->filter_before.len = 0;
	at_buf_puts(&s->filter_before, at_buf_text(&s->rows.filter.text));
	at_fx_prompt(fx, &ask);
}

static void filter_event(struct state *s, const struct at_event *event, struct at_fx *fx)
{
	bool is_taken = event->kind == AT_EVENT_ANSWER && event->yes;
	struct at_runner_rows *r = &s->rows;

	at_runner_rows_filter(r,
		event->kind == AT_EVENT_ANSWER && !event->yes ? at_buf_bytes(&s->filter_before)
							      : event->text,
		s->origin);
	if (is_taken && at_runner_rows_is_filtered(r))
		at_fx_message(fx, "[filter: %s] %zu of %zu", at_buf_text(&r->filter.text),
			at_runner_rows_calls(r), r->log.count);
	else if (is_taken)
		at_fx_message(fx, "Every row is shown.");
}

static void search_event(struct state *s, const struct at_event *event, struct at_fx *fx)
{
	struct at_runner_rows *r = &s->rows;

	if (event->kind == AT_EVENT_ANSWER && !event->yes) {
		at_gatelog_filter_free(&r->search);
		at_search_clear(&r->list.search);
		at_list_go(&r->list, s->origin);
		return;
	}
	at_runner_rows_search(r, event->text);
	if (event->text.len)
		at_runner_rows_step(r, s->origin, true, fx);
	else
		at_list_go(&r->list, s->origin);
}

static void note_moved(struct state *s)
{
	if (s->rows.list.cursor == 0)
		s->rows.fresh = 0;
}

static enum at_take act(struct at_view *view, enum at_action action, struct at_fx *fx)
{
	struct state *s = view->state;
	struct at_runner_rows *r = &s->rows;
	enum at_take take;
	char why[160];

	if (action == AT_DO_REREAD) {
		at_fx_do(fx, AT_ACT_REREAD, NULL);
		return AT_TAKEN;
	}
	if (view->class->why_not(view, action, why, sizeof(why))) {
		at_fx_message(fx, "%s", why);
		return AT_TAKEN;
	}
	switch (action) {
	case AT_DO_OPEN:
		show_row(s, fx);
		return AT_TAKEN;
	case AT_DO_FILTER:
		ask_filter(s, fx);
		return AT_TAKEN;
	case AT_DO_SEARCH:
		s->origin = r->list.cursor;
		at_search_ask(fx);
		return AT_TAKEN;
	case AT_DO_SEARCH_NEXT:
		at_runner_rows_step(r, r->list.cursor + 1, true, fx);
		return AT_TAKEN;
	case AT_DO_SEARCH_PREV:
		at_runner_rows_step(r, r->list.cursor, false, fx);
		return AT_TAKEN;
	default:
		take = at_list_act(&r->list, action, fx);
		note_moved(s);
		return take;
	}
}

static enum at_take list_event(struct at_view *view, const struct at_event *what, struct at_fx *fx)
{
	struct state *s = view->state;
	struct at_event inside = *what;
	enum at_take take;

	if (what->kind == AT_EVENT_GO) {
		if (what->row < HEADS)
			return AT_PASS;
		inside.row -= HEADS;
		if (inside.row >= TOLD && at_runner_rows_calls(&s->rows) > TOLD)
			inside.row += at_runner_rows_calls(&s->rows) - TOLD - 1;
	}
	if (what->kind == AT_EVENT_MOUSE)
		inside.y -= areas_of(s, view->width, view->height).head.height;
	take = at_list_event(&s->rows.list, &inside, fx);
	note_moved(s);
	return take;
}

static enum at_take event(struct at_view *view, const struct at_event *what, struct at_fx *fx)
{
	struct state *s = view->state;

	switch (what->kind) {
	case AT_EVENT_IDLE:
		if (s->rows.is_open && !s->rows.log.is_done) {
			if (at_runner_rows_more(&s->rows))
				at_fx_simple(fx, AT_FX_IDLE);
			at_fx_redraw(fx);
		}
		return AT_TAKEN;
	case AT_EVENT_TICK:
		if (!at_runner_rows_look(&s->rows))
			return AT_TAKEN;
		at_fx_redraw(fx);
		at_fx_simple(fx, AT_FX_IDLE);
		return AT_TAKEN;
	case AT_EVENT_CHANGED:
		at_runner_rows_refresh(&s->rows);
		at_fx_redraw(fx);
		at_fx_simple(fx, AT_FX_IDLE);
		return AT_TAKEN;
	case AT_EVENT_TYPED:
	case AT_EVENT_ANSWER:
		if (what->id == AT_ASK_FILTER)
			filter_event(s, what, fx);
		else if (what->id == AT_ASK_SEARCH)
			search_event(s, what, fx);
		else
			return AT_PASS;
		return AT_TAKEN;
	default:
		return list_event(view, what, fx);
	}
}

static bool why_not(const struct at_view *view, enum at_action action, char *out, size_t size)
{
	const struct state *s = view->state;
	const struct at_runner_rows *r = &s->rows;
	const struct at_runner_extra *extra = at_runner_rows_extra(r, r->list.cursor);
	const char *why = NULL;

	if (action == AT_DO_FILTER && !r->is_open)
		why = "no log is read";
	else if (action == AT_DO_OPEN && !at_runner_rows_at(r, r->list.cursor)
		&& !(extra && extra->kind == AT_RUNNER_CEILING))
		why = "the cursor is on nothing to open";
	if (why)
		snprintf(out, size, "%s", why);
	return why != NULL;
}

/* ---- in words ---- */

static size_t told(const struct at_runner_rows *r)
{
	size_t calls = at_runner_rows_calls(r);

	return calls > TOLD ? TOLD + 1 : calls; /* one says how many are not told */
}

static size_t rows(const struct at_view *view)
{
	const struct state *s = view->state;

	return HEADS + told(&s->rows) + s->rows.extra_count;
}

static void head_words(const struct state *s, size_t i, struct at_buf *out)
{
	struct at_line line = { 0 };

	if (i == 0) {
		put_place(s, &line);
	} else if (!s->rows.is_open) {
		at_buf_puts(out, i == 1 ? "gate log: not read" : at_gatelog_ceiling);
	} else if (i == 1) {
		at_gatelog_chain(&s->rows.log, out);
		if (at_runner_rows_is_filtered(&s->rows))
			at_buf_printf(out, "; [filter: %s] %zu of %zu, a space shows all",
				at_buf_text(&s->rows.filter.text), at_runner_rows_calls(&s->rows),
				s->rows.log.count);
	} else {
		at_gatelog_totals(&s->rows.log, out);
	}
	at_buf_put(out, at_buf_text(&line.spans.text), line.spans.text.len);
	at_line_free(&line);
}

static bool row(const struct at_view *view, size_t i, struct at_spans *out)
{
	struct state *s = view->state;
	size_t calls = at_runner_rows_calls(&s->rows), head = told(&s->rows);
	const struct at_runner_extra *extra;
	struct at_buf text = { 0 };
	bool named = true;

	if (i < HEADS) {
		head_words(s, i, &text);
		named = false;
	} else if (calls > TOLD && i - HEADS == TOLD) {
		at_buf_printf(&text, "%zu more rows: f narrows the list", calls - TOLD);
		named = false;
	} else if (i - HEADS < head) {
		at_gatelog_words_of(&s->rows.log, at_runner_rows_at(&s->rows, i - HEADS), &text);
	} else {
		extra = at_runner_rows_extra(&s->rows, calls + i - HEADS - head);
		at_buf_printf(&text, "%s%s%s", extra->kind == AT_RUNNER_CEILING ? extra->id : "",
			extra->kind == AT_RUNNER_CEILING ? " " : "", extra->text);
		named = extra->kind == AT_RUNNER_CEILING;
	}
	at_spans_add(out, at_buf_bytes(&text), 8, 0, true);
	at_buf_free(&text);
	return named;
}

const struct at_view_class at_view_runner = {
	.name = "runner",
	.title = "Runner",
	.blurb =
		"The gate's log, the newest call first. f filters by words that all have to hold: "
		"deny, decision=ask, tool=Bash, reason=ID, checked=none, gaps, or any text. Where the "
		"chain breaks a row says that there is no evidence.",
	.contexts = AT_IN_RUNNER | AT_IN_LIST,
	.min = { 40, 10 },
	.state_size = sizeof(struct state),
	.tick_ms = LOOK_MS,
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
