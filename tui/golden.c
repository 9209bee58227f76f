#include "tui/backend.h"

#include <string.h>

static void put_row(const struct at_grid *grid, int y, struct at_buf *out)
{
	char text[24];

	at_buf_putc(out, '|');
	for (int x = 0; x < grid->width; x++) {
		size_t len = at_grid_cell_text(grid, at_grid_cell(grid, x, y), text);

		at_buf_put(out, text, len);
	}
	at_buf_puts(out, "|\n");
}

/* A mono screen shows attributes alone, so there the letter is the attributes' number. */
static char letter_of(const struct at_theme *theme, enum at_style style)
{
	if (theme->id != AT_THEME_MONO)
		return at_style_letter(style);
	return ".bu3r567"[at_theme_look(theme, style).attributes & 7];
}

static void put_styles(const struct at_grid *grid, const struct at_theme *theme, int y,
	struct at_buf *out)
{
	size_t start = out->len;
	bool plain = true;

	at_buf_putc(out, '|');
	for (int x = 0; x < grid->width; x++) {
		char letter = letter_of(theme, at_grid_cell(grid, x, y)->style);

		plain = plain && letter == '.';
		at_buf_putc(out, letter);
	}
	at_buf_puts(out, "|\n");
	if (plain) {
		out->len = start;
		out->data[start] = '\0';
	}
}

void at_golden_print(const struct at_grid *grid, const struct at_theme *theme, struct at_buf *out)
{
	at_buf_printf(out, "# atconsole golden 1   size %dx%d   theme %s   cursor ", grid->width,
		grid->height, at_theme_name(theme->id));
	if (grid->cursor_x < 0)
		at_buf_puts(out, "hidden\n");
	else
		at_buf_printf(out, "%d,%d\n", grid->cursor_x, grid->cursor_y);
	for (int y = 0; y < grid->height; y++) {
		put_row(grid, y, out);
		put_styles(grid, theme, y, out);
	}
}
