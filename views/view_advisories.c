#include "views/view_advisories.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/advisory.h"
#include "core/ceilings.h"
#include "core/mem.h"
#include "tui/list.h"
#include "views/acknowledged.h"
#include "views/acts.h"
#include "views/panes.h"
#include "views/text_rows.h"
#include "views/text_view.h"

enum row_kind { HEADING, ADVISORY, NOTE, CEILING };

struct row {
	enum row_kind kind;
	const char *label;
	size_t index;
	bool is_read;
};

struct state {
	const struct at_view_arg *arg;
	struct row *rows;
	size_t count, cap;
	struct at_list list;
	struct at_text_rows text;
	struct at_pager pager;
	struct at_view_text_arg text_arg;
	bool in_side, zoomed;
};

static void add_row(
	struct state *s, enum row_kind kind, const char *label, size_t index, bool is_read)
{
	s->rows = at_grow(s->rows, &s->cap, s->count, sizeof(*s->rows));
	s->rows[s->count++] = (struct row){ kind, label, index, is_read };
}

static void make_rows(struct state *s)
{
	const struct at_session *session = s->arg->session;
	const struct at_manifest *m = &session->manifest;
	enum at_mechanism mechanism = at_mechanism_of(m->framework, m->platform);

	s->count = 0;
	add_row(s, HEADING, m->advisory_count ? "Advisories" : "No advisory for this decision", 0,
		false);
	for (size_t i = 0; i < m->advisory_count; i++)
		add_row(s, ADVISORY, m->advisories[i].code, i,
			at_is_acknowledged(session, m->advisories[i].code));
	add_row(s, HEADING, "Whatever the list says", 0, false);
	for (size_t i = 0; i < at_note_count; i++) {
		if (at_note_applies(&at_notes[i], m))
			add_row(s, NOTE, at_notes[i].text, i, false);
	}
	add_row(s, HEADING, "Ceilings", 0, false);
	for (size_t i = 0; i < at_ceiling_count; i++) {
		if (at_ceiling_applies(&at_ceilings[i], mechanism, (int)m->framework))
			add_row(s, CEILING, at_ceilings[i].text, i, false);
	}
}

static size_t count_rows(void *user)
{
	return ((struct state *)user)->count;
}

static bool is_heading(void *user, size_t row)
{
	return ((struct state *)user)->rows[row].kind == HEADING;
}

static void fill_row(void *user, size_t row, struct at_line *out)
{
	const struct state *s = user;
	const struct row *r = &s->rows[row];
	const struct at_advisory *advisory;

	switch (r->kind) {
	case HEADING:
		at_line_text(out, AT_STYLE_ACCENT, r->label);
		return;
	case ADVISORY:
		advisory = &s->arg->session->manifest.advisories[r->index];
		at_line_text(out,
			advisory->fatal      ? AT_STYLE_TRUTH_BAD
				: r->is_read ? AT_STYLE_DIM
					     : AT_STYLE_MARK,
			advisory->fatal      ? "FATAL    "
				: r->is_read ? "read     "
					     : "advisory ");
		at_line_text(out, r->is_read ? AT_STYLE_DIM : AT_STYLE_NORMAL, r->label);
		return;
	case CEILING:
		at_line_textf(out, AT_STYLE_DIM, "%-8s ", at_ceilings[r->index].id);
		at_line_text(out, AT_STYLE_NORMAL, r->label);
		return;
	case NOTE:
		at_line_text(out, AT_STYLE_NORMAL, r->label);
		return;
	}
}

static const struct row *current(const struct state *s)
{
	return s->list.cursor < s->count ? &s->rows[s->list.cursor] : NULL;
}

/* The row at the cursor in full. */
static void put_text(const struct state *s, struct at_buf *out)
{
	const struct row *r = current(s);
	const struct at_advisory *a;

	if (!r || r->kind == HEADING)
		return;
	if (r->kind != ADVISORY) {
		at_buf_puts(out, r->label);
		return;
	}
	a = &s->arg->session->manifest.advisories[r->index];
	at_buf_printf(out, "%s\n\n%s\n", a->code, a->message);
	if (a->residuals && *a->residuals)
		at_buf_printf(out, "\nWhat stays open: %s\n", a->residuals);
	at_buf_printf(out, "\nWhat to do: %s\n", a->action);
	if (a->fatal)
		at_buf_puts(out,
			"\nThis refuses the generation. --allow-unenforced-confinement goes on "
			"without a boundary, and the truth line says so until it is cleared.\n");
}

static void show_current(struct state *s)
{
	struct at_buf text = { 0 };

	put_text(s, &text);
	at_text_rows_set(&s->text, at_buf_bytes(&text));
	at_buf_free(&text);
	at_pager_refresh(&s->pager);
	at_pager_go(&s->pager, 0);
}

static bool open(struct at_view *view, const void *arg, struct at_error *err)
{
	struct state *s = view->state;
	struct at_list_source source = { s, count_rows, fill_row, is_heading };
	struct at_pager_source lines = at_text_rows_source(&s->text);

	(void)err;
	s->arg = arg;
	s->text.first = AT_STYLE_TITLE;
	s->text.prose = true;
	make_rows(s);
	at_list_init(&s->list, &source);
	at_pager_init(&s->pager, &lines);
	s->pager.wrap = true;
	show_current(s);
	return true;
}

static void close(struct at_view *view)
{
	struct state *s = view->state;

	at_list_free(&s->list);
	at_pager_free(&s->pager);
	at_text_rows_free(&s->text);
	free(s->rows);
}

static void layout(struct at_view *view, int width, int height)
{
	struct state *s = view->state;
	struct at_panes p = at_panes_of(width, height, s->arg->session->settings->two_panes,
		s->in_side, s->zoomed, false);

	if (p.list.width)
		at_list_layout(&s->list, p.list.width, p.list.height - 1);
	if (p.side.width)
		at_pager_layout(&s->pager, p.side.width, p.side.height - 1);
}

static void paint(const struct at_view *view, const struct at_canvas *canvas)
{
	const struct state *s = view->state;
	struct at_panes p = at_panes_of(view->width, view->height,
		s->arg->session->settings->two_panes, s->in_side, s->zoomed, false);
	size_t unread = s->arg->collected->unread,
	       advisories = s->arg->session->manifest.advisory_count;
	const char *more = p.side.width ? "" : "   Enter: the whole text";
	struct at_canvas part, body;
	char rest[96];

	if (p.list.width) {
		part = at_canvas_part(canvas, p.list);
		body = at_pane_body(&part);
		if (advisories)
			snprintf(rest, sizeof(rest), "%zu of %zu not read%s", unread, advisories,
				more);
		else
			snprintf(rest, sizeof(rest), "no advisory%s", more);
		at_pane_title(&part, !s->in_side, "To know", rest);
		at_list_paint(&s->list, &body, !s->in_side);
	}
	if (p.side.width) {
		part = at_canvas_part(canvas, p.side);
		body = at_pane_body(&part);
		at_pane_title(&part, s->in_side, "In full", "");
		at_pager_paint(&s->pager, &body);
	}
	at_panes_paint_lines(&p, canvas);
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
	case AT_DO_ACKNOWLEDGE:
		at_fx_do(fx, AT_ACT_ACKNOWLEDGE, current(s)->label);
		return AT_TAKEN;
	case AT_DO_OPEN:
		s->text_arg = (struct at_view_text_arg){ .title = "In full",
			.text = at_buf_bytes(&s->text.text), .is_prose = true };
		at_fx_push(fx, &at_view_text, &s->text_arg);
		return AT_TAKEN;
	case AT_DO_SWITCH_PANE:
		s->in_side = !s->in_side;
		layout(view, view->width, view->height);
		at_fx_redraw(fx);
		return AT_TAKEN;
	case AT_DO_ZOOM:
		s->zoomed = !s->zoomed;
		layout(view, view->width, view->height);
		at_fx_redraw(fx);
		return AT_TAKEN;
	default:
		if (s->in_side)
			return at_pager_act(&s->pager, action, fx);
		take = at_list_act(&s->list, action, fx);
		if (s->list.cursor != from)
			show_current(s);
		return take;
	}
}

static enum at_take event(struct at_view *view, const struct at_event *what, struct at_fx *fx)
{
	struct state *s = view->state;
	enum at_take take;

	if (what->kind == AT_EVENT_CHANGED) {
		make_rows(s);
		at_list_refresh(&s->list);
		show_current(s);
		at_fx_redraw(fx);
		return AT_TAKEN;
	}
	if (s->in_side)
		return at_pager_event(&s->pager, what, fx);
	take = at_list_event(&s->list, what, fx);
	show_current(s);
	return take;
}

static bool why_not(const struct at_view *view, enum at_action action, char *out, size_t size)
{
	const struct state *s = view->state;
	const char *why = NULL;

	if (action == AT_DO_NEXT_HUNK || action == AT_DO_PREV_HUNK || action == AT_DO_WRAP)
		why = ""; /* prose has no hunks and is wrapped anyway */
	else if (action == AT_DO_ACKNOWLEDGE && (!current(s) || current(s)->kind != ADVISORY))
		why = "the cursor is on no advisory";
	else if (action == AT_DO_OPEN && (!current(s) || current(s)->kind == HEADING))
		why = "the cursor is on nothing to open";
	else if (action == AT_DO_ZOOM && view->width < s->arg->session->settings->two_panes)
		why = "one pane has the whole width already";
	if (why)
		snprintf(out, size, "%s", why);
	return why != NULL;
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

const struct at_view_class at_view_advisories = {
	.name = "advisories",
	.title = "Advisories",
	.blurb =
		"What to know about this decision and what to do about it. An empty list does not mean "
		"covered: the notes and ceilings below it always hold.",
	.contexts = AT_IN_ADVISORIES | AT_IN_PANES | AT_IN_LIST | AT_IN_PAGER,
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
