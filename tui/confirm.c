#include "tui/app.h"

#include <stdio.h>

#include "core/mem.h"
#include "tui/app_parts.h"

/* The lines of the question wrapped in `width`, counted, and those from `top` on drawn in
 * `rows` rows. Returns how many there are. */
static int paint_lines(const struct at_app *app, const struct at_canvas *canvas, int y, int rows,
	int top)
{
	struct at_line line = { .ascii = app->ascii, .words = true };
	int width = canvas->at.width - 4, at = 0;
	struct at_rect inside = { 3, 0, width, canvas->at.height };
	struct at_canvas part = at_canvas_part(canvas, inside);

	for (size_t i = 0; i < app->ask.line_count; i++) {
		int skip = 0;

		at_line_clear(&line);
		at_line_text(&line, AT_STYLE_NORMAL, app->ask.lines[i]);
		do {
			if (at >= top && at < top + rows)
				at_line_paint(&line, &part, y + at - top, skip, false);
			at++;
			skip = at_line_next(&line, width, skip);
		} while (skip >= 0);
	}
	at_line_free(&line);
	return at;
}

/* What is to be typed. Where it is narrow, the place to type in comes before the explanation. */
static void put_word(struct at_line *line, const char *word, const char *yes, int room)
{
	for (int part = 0; part < 3; part++) {
		unsigned typed;

		at_line_clear(line);
		at_line_text(line, AT_STYLE_NORMAL, part < 2 ? "Type " : "");
		at_line_text(line, AT_STYLE_FOOTER_KEY, part < 2 ? word : "");
		typed = part < 2 ? line->spans.width - 5 : 0;
		if (part == 0)
			at_line_textf(line, AT_STYLE_NORMAL, " and Enter to %s. Esc: no.", yes);
		at_line_text(line, AT_STYLE_FOOTER_KEY, part < 2 ? " > " : "> ");
		if ((int)(line->spans.width + typed) < room)
			return;
	}
}

static int paint_keys(const struct at_app *app, const struct at_canvas *canvas, int y)
{
	const char *yes = app->ask.yes ? app->ask.yes : "do it";
	char key[24];
	int x = 3;

	if (app->ask.danger == AT_DANGER_WORD) {
		struct at_line line = { .ascii = app->ascii };

		put_word(&line, app->ask.word, yes, canvas->at.width - x);
		{
			struct at_rect row = { x, y, canvas->at.width - x, 1 };
			struct at_canvas part = at_canvas_part(canvas, row);

			at_line_paint(&line, &part, 0, 0, true);
		}
		x += (int)line.spans.width;
		at_line_free(&line);
		at_prompt_paint(&app->prompt, canvas, x, y);
		return x;
	}
	at_keymap_key(&app->keymap, AT_DO_CONFIRM_YES, key);
	x = at_canvas_text(canvas, x, y, key, AT_STYLE_FOOTER_KEY);
	x = at_canvas_textf(canvas, x, y, AT_STYLE_NORMAL, " %s", yes);
	at_keymap_key(&app->keymap, AT_DO_CONFIRM_NO, key);
	x = at_canvas_text(canvas, x + 3, y, key, AT_STYLE_FOOTER_KEY);
	return at_canvas_text(canvas, x, y,
		canvas->at.width - x > 36 ? " no, leave things as they are (Esc)" : " no (Esc)",
		AT_STYLE_FOOTER_TEXT);
}

/* A panel at the bottom of the view, so that what it asks about stays in sight above it. */
void at_confirm_paint(struct at_app *app, const struct at_canvas *canvas)
{
	struct at_line title = { .ascii = app->ascii };
	int height = canvas->at.height, total, room, rows, y;
	struct at_rect rect;
	struct at_canvas part;

	total = paint_lines(app, canvas, 0, 0, 0);
	room = height - 4; /* rule, title, what is left to read, keys */
	rows = total < room ? total : room;
	rows = rows < 0 ? 0 : rows;
	if (app->ask_top > total - rows)
		app->ask_top = total - rows;
	app->ask_hidden = total - rows - app->ask_top;
	rect = (struct at_rect){ 0, height - rows - 4, canvas->at.width, rows + 4 };
	part = at_canvas_part(canvas, rect);
	at_canvas_fill(&part, AT_STYLE_NORMAL);
	at_canvas_rule(&part, 0, AT_STYLE_ACCENT);
	at_line_text(&title, AT_STYLE_TITLE, " ");
	at_line_text(&title, AT_STYLE_TITLE, app->ask.title ? app->ask.title : "Are you sure?");
	at_line_paint(&title, &part, 1, 0, true);
	at_line_free(&title);
	paint_lines(app, &part, 2, rows, app->ask_top);
	y = 2 + rows;
	if (app->ask_hidden || app->ask_top)
		at_canvas_textf(&part, 3, y, AT_STYLE_MARK, "… %d more below, %d above (%s)",
			app->ask_hidden, app->ask_top,
			app->ask.danger == AT_DANGER_WORD ? "Down, Up" : "Space, b");
	paint_keys(app, &part, y + 1);
}
