#include "views/refusal.h"

#include "tui/line.h"

/* Returns the row after the text. */
static int paint_wrapped(
	const struct at_canvas *canvas, int y, enum at_style style, const char *text)
{
	struct at_line line = { .ascii = canvas->grid->ascii, .words = true };

	at_line_text(&line, style, text);
	for (int skip = 0; skip >= 0 && y < canvas->at.height;
		skip = at_line_next(&line, canvas->at.width, skip))
		at_line_paint(&line, canvas, y++, skip, false);
	at_line_free(&line);
	return y;
}

void at_refusal_paint(const struct at_canvas *canvas, const char *title, const struct at_error *err)
{
	struct at_buf where = { 0 };
	int y = paint_wrapped(canvas, 1, AT_STYLE_TITLE, title) + 1;

	if (err->line)
		at_buf_printf(&where, "%s, line %u column %u: ", err->path, err->line, err->column);
	at_buf_puts(&where, err->message);
	y = paint_wrapped(canvas, y, AT_STYLE_ERROR, at_buf_text(&where)) + 1;
	if (*err->hint)
		paint_wrapped(canvas, y, AT_STYLE_NORMAL, err->hint);
	at_buf_free(&where);
}
