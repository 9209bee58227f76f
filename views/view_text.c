#include "views/view_text.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "tui/pager.h"

struct state {
	char *title;
	struct at_buf text;
	size_t *starts; /* of each line; one more at the end */
	size_t count, cap;
	struct at_pager pager;
};

static size_t count_rows(void *user)
{
	return ((struct state *)user)->count;
}

static struct at_bytes text_of(void *user, size_t row)
{
	const struct state *s = user;
	const char *start = at_buf_text(&s->text) + s->starts[row];
	size_t len = s->starts[row + 1] - s->starts[row];

	if (len && start[len - 1] == '\n')
		len--;
	return (struct at_bytes){ start, len };
}

static void fill_row(void *user, size_t row, struct at_line *out)
{
	const struct state *s = user;
	unsigned digits = 1;

	for (size_t n = s->count; n >= 10; n /= 10)
		digits++;
	at_line_textf(out, AT_STYLE_DIM, "%*zu ", (int)digits, row + 1);
	at_line_hold(out);
	at_line_add(out, AT_STYLE_NORMAL, text_of(user, row));
}

static void index_lines(struct state *s)
{
	const char *text = at_buf_text(&s->text);
	size_t at = 0;

	while (at < s->text.len) {
		const char *end = memchr(text + at, '\n', s->text.len - at);

		s->starts = at_grow(s->starts, &s->cap, s->count + 1, sizeof(*s->starts));
		s->starts[s->count++] = at;
		at = end ? (size_t)(end - text) + 1 : s->text.len;
	}
	s->starts = at_grow(s->starts, &s->cap, s->count + 1, sizeof(*s->starts));
	s->starts[s->count] = s->text.len;
}

static bool open(struct at_view *view, const void *arg, struct at_error *err)
{
	const struct at_view_text_arg *given = arg;
	struct state *s = view->state;
	struct at_pager_source source = { .user = s, .count = count_rows, .row = fill_row,
		.text = text_of };

	(void)err;
	s->title = at_strdup(given->title);
	at_buf_put(&s->text, given->text.data, given->text.len);
	index_lines(s);
	at_pager_init(&s->pager, &source);
	s->pager.wrap = given->wrap;
	s->pager.tab = given->tab;
	return true;
}

static void close(struct at_view *view)
{
	struct state *s = view->state;

	at_pager_free(&s->pager);
	at_buf_free(&s->text);
	free(s->starts);
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
	return ((const struct state *)view->state)->count;
}

static bool row(const struct at_view *view, size_t i, struct at_spans *out)
{
	at_spans_add(out, text_of(view->state, i), 8, 0, true);
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
};
