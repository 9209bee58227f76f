#include "views/panes.h"

#include "tui/line.h"

struct at_panes at_panes_of(int width, int height, int two_panes, bool in_side, bool zoomed,
	bool details)
{
	struct at_panes p = { 0 };
	int list_width = width;

	if (zoomed || width < two_panes) {
		if (in_side) {
			p.side = (struct at_rect){ 0, 0, width, height };
			return p;
		}
	} else {
		list_width = width * 9 / 20;
		p.side = (struct at_rect){ list_width + 2, 0, width - list_width - 2, height };
	}
	p.list = (struct at_rect){ 0, 0, list_width, height };
	if (details && height >= 14) {
		int rows = height >= 24 ? 7 : 4;

		p.details = (struct at_rect){ 0, height - rows, list_width, rows };
		p.list.height -= rows + 1;
	}
	return p;
}

void at_panes_paint_lines(const struct at_panes *panes, const struct at_canvas *canvas)
{
	if (panes->details.height) {
		struct at_canvas above = at_canvas_part(canvas,
			(struct at_rect){ 0, panes->details.y - 1, panes->details.width, 1 });

		at_canvas_rule(&above, 0, AT_STYLE_RULE);
	}
	if (panes->list.width && panes->side.width)
		at_canvas_column(canvas, panes->list.width, AT_STYLE_RULE);
}

void at_pane_title(const struct at_canvas *pane, bool has_keys, const char *title, const char *rest)
{
	struct at_line line = { .ascii = pane->grid->ascii };

	at_line_own(&line, has_keys ? AT_STYLE_TITLE : AT_STYLE_DIM, title);
	at_line_text(&line, AT_STYLE_DIM, "  ");
	at_line_own(&line, AT_STYLE_DIM, rest);
	at_line_paint(&line, pane, 0, 0, true);
	at_line_free(&line);
}

struct at_canvas at_pane_body(const struct at_canvas *pane)
{
	return at_canvas_part(pane, (struct at_rect){ 0, 1, pane->at.width, pane->at.height - 1 });
}
