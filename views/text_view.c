#include "views/text_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "tui/pager.h"
#include "views/text_rows.h"

struct state {
	char *title;
	struct at_text_rows rows;
	struct at_pager pager;
};

static bool open(struct at_view *view, const void *arg, struct at_error *err)
{
	const struct at_view_text_arg *given = arg;
	struct state *s = view->state;
	struct at_pager_source source = at_text_rows_source(&s->rows);

	(void)err;
	s->title = at_strdup(given->title);
	s->rows.numbers = !given->is_prose;
	s->rows.prose = given->is_prose;
	at_text_rows_set(&s->rows, given->text);
	at_pager_init(&s->pager, &source);
	s->pager.wrap = given->is_prose || given->wrap;
	s->pager.tab = given->tab;
	return true;
}

static void close(struct at_view *view)
{
	struct state *s = view->state;

	at_pager_free(&s->pager);
	at_text_rows_free(&s->rows);
	free(s->title);
}

static void layout(struct at_view *view, int width, int height)
{
	at_pager_layout(&((struct state *)view->state)->pager, width, height - 1);
}

static void paint(const struct at_view *view, const struct at_canvas *canvas)
{
	const struct state *s = view->state;
	struct at_canvas body = at_canvas_part(canvas,
		(struct at_rect){ 0, 1, view->width, view->height - 1 });
	struct at_line line = { .ascii = canvas->grid->ascii };
	char where[64];

	at_pager_status(&s->pager, where, sizeof(where));
	at_line_text(&line, AT_STYLE_TITLE, s->title);
	at_line_textf(&line, AT_STYLE_DIM, "  %s", where);
	at_line_paint(&line, canvas, 0, 0, true);
	at_line_free(&line);
	at_pager_paint(&s->pager, &body);
}

static enum at_take act(struct at_view *view, enum at_action action, struct at_fx *fx)
{
	return at_pager_act(&((struct state *)view->state)->pager, action, fx);
}

static enum at_take event(struct at_view *view, const struct at_event *what, struct at_fx *fx)
{
	return at_pager_event(&((struct state *)view->state)->pager, what, fx);
}

static size_t rows(const struct at_view *view)
{
	return ((const struct state *)view->state)->rows.count;
}

static bool row(const struct at_view *view, size_t i, struct at_spans *out)
{
	const struct state *s = view->state;

	at_spans_add(out, at_text_rows_line(&s->rows, i), 8, 0, true);
	return true;
}

static bool why_not(const struct at_view *view, enum at_action action, char *out, size_t size)
{
	(void)view;
	if (action != AT_DO_NEXT_HUNK && action != AT_DO_PREV_HUNK)
		return false;
	snprintf(out, size, "%s", ""); /* a text has none */
	return true;
}

const struct at_view_class at_view_text = {
	.name = "text",
	.title = "Text",
	.blurb = "The exact text, with what would not show made visible.",
	.contexts = AT_IN_PAGER,
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
