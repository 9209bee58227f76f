#include "tui/backend.h"

#include <stdio.h>
#include <string.h>

#define CELL_W 8.4
#define CELL_H 19
#define PAD 10

void at_dump_text(const struct at_grid *grid, struct at_buf *out)
{
	char text[24];

	for (int y = 0; y < grid->height; y++) {
		size_t end = out->len;

		for (int x = 0; x < grid->width; x++) {
			const struct at_cell *cell = at_grid_cell(grid, x, y);
			size_t len = at_grid_cell_text(grid, cell, text);

			at_buf_put(out, text, len);
			if (cell->width && cell->code != ' ')
				end = out->len;
		}
		out->len = end; /* no spaces at the end of a line */
		at_buf_putc(out, '\n');
	}
}

static void put_colour(struct at_buf *out, int base, int colour)
{
	if (colour < 0)
		return;
	if (colour < 8)
		at_buf_printf(out, ";%d", base + colour);
	else if (colour < 16)
		at_buf_printf(out, ";%d", base + 60 + colour - 8);
	else
		at_buf_printf(out, ";%d;5;%d", base + 8, colour);
}

static void put_sgr(struct at_buf *out, struct at_look look)
{
	at_buf_puts(out, "\033[0");
	if (look.attributes & AT_ATTR_BOLD)
		at_buf_puts(out, ";1");
	if (look.attributes & AT_ATTR_UNDERLINE)
		at_buf_puts(out, ";4");
	if (look.attributes & AT_ATTR_REVERSE)
		at_buf_puts(out, ";7");
	put_colour(out, 30, look.fg);
	put_colour(out, 40, look.bg);
	at_buf_putc(out, 'm');
}

void at_dump_ansi(const struct at_grid *grid, const struct at_theme *theme, struct at_buf *out)
{
	char text[24];

	for (int y = 0; y < grid->height; y++) {
		int style = -1;

		for (int x = 0; x < grid->width; x++) {
			const struct at_cell *cell = at_grid_cell(grid, x, y);
			size_t len = at_grid_cell_text(grid, cell, text);

			if (cell->style != style)
				put_sgr(out, at_theme_look(theme, cell->style));
			style = cell->style;
			at_buf_put(out, text, len);
		}
		at_buf_puts(out, "\033[0m\n");
	}
}

static void put_escaped(struct at_buf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		switch (text[i]) {
		case '<':
			at_buf_puts(out, "&lt;");
			break;
		case '>':
			at_buf_puts(out, "&gt;");
			break;
		case '&':
			at_buf_puts(out, "&amp;");
			break;
		case '"':
			at_buf_puts(out, "&quot;");
			break;
		default:
			at_buf_putc(out, text[i]);
		}
	}
}

struct paper {
	uint32_t fg, bg;
};

static struct paper paper_of(const struct at_theme *theme)
{
	if (theme->id == AT_THEME_LIGHT)
		return (struct paper){ 0x24292f, 0xffffff };
	return (struct paper){ 0xc5c8c6, 0x1d1f21 };
}

/* One run of a style: [x, x + cells) of row y. */
struct run {
	int x, y, cells;
	uint32_t fg, bg;
	uint8_t attributes;
};

static struct run look_of(const struct at_theme *theme, enum at_style style)
{
	struct at_look look = at_theme_look(theme, style);
	struct paper paper = paper_of(theme);
	struct run run = { .attributes = look.attributes };

	run.fg = look.fg < 0 ? paper.fg : at_colour_rgb(look.fg);
	run.bg = look.bg < 0 ? paper.bg : at_colour_rgb(look.bg);
	if (look.attributes & AT_ATTR_REVERSE) {
		uint32_t fg = run.fg;

		run.fg = run.bg;
		run.bg = fg;
	}
	return run;
}

static void put_ground(struct at_buf *out, const struct run *run)
{
	at_buf_printf(out,
		"<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#%06x\" "
		"shape-rendering=\"crispEdges\"/>\n",
		PAD + run->x * CELL_W, PAD + run->y * CELL_H, run->cells * CELL_W, CELL_H, run->bg);
}

static void put_text(struct at_buf *out, const struct run *run, int x, int cells, const char *text,
	size_t len)
{
	at_buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" textLength=\"%.1f\" "
			   "lengthAdjust=\"spacingAndGlyphs\" fill=\"#%06x\"",
		PAD + x * CELL_W, PAD + run->y * CELL_H + 13.5, cells * CELL_W, run->fg);
	if (run->attributes & AT_ATTR_BOLD)
		at_buf_puts(out, " font-weight=\"bold\"");
	if (run->attributes & AT_ATTR_UNDERLINE)
		at_buf_puts(out, " text-decoration=\"underline\"");
	at_buf_putc(out, '>');
	put_escaped(out, text, len);
	at_buf_puts(out, "</text>\n");
}

/* Browsers fold runs of spaces, so a run is cut there and each piece is placed by itself. */
static void put_pieces(struct at_buf *out, const struct at_grid *grid, const struct run *run)
{
	struct at_buf piece = { 0 };
	int start = run->x, cells = 0, spaces = 0;
	char text[24];

	for (int x = run->x; x <= run->x + run->cells; x++) {
		const struct at_cell *cell = NULL;
		bool is_space = true;

		if (x < run->x + run->cells) {
			cell = at_grid_cell(grid, x, run->y);
			is_space = cell->width && cell->code == ' ';
		}
		if (is_space) {
			spaces++;
			if (piece.len && (spaces == 2 || !cell)) {
				put_text(out, run, start, cells, piece.data, piece.len);
				piece.len = 0;
			}
			continue;
		}
		if (!piece.len && cell->width) {
			start = x;
		} else if (spaces == 1) {
			at_buf_putc(&piece, ' ');
		}
		spaces = 0;
		at_buf_put(&piece, text, at_grid_cell_text(grid, cell, text));
		cells = x + 1 - start;
	}
	at_buf_free(&piece);
}

static void put_row(const struct at_grid *grid, const struct at_theme *theme, int y,
	struct at_buf *out)
{
	for (int x = 0, end; x < grid->width; x = end) {
		enum at_style style = at_grid_cell(grid, x, y)->style;
		struct run run = look_of(theme, style);

		for (end = x + 1; end < grid->width && at_grid_cell(grid, end, y)->style == style;)
			end++;
		run.x = x;
		run.y = y;
		run.cells = end - x;
		if (run.bg != paper_of(theme).bg)
			put_ground(out, &run);
		put_pieces(out, grid, &run);
	}
}

void at_dump_svg(const struct at_grid *grid, const struct at_theme *theme, const char *title,
	struct at_buf *out)
{
	double width = grid->width * CELL_W + 2 * PAD;
	int height = grid->height * CELL_H + 2 * PAD;

	at_buf_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.1f\" height=\"%d\" "
		"viewBox=\"0 0 %.1f %d\" role=\"img\">\n<title>",
		width, height, width, height);
	put_escaped(out, title, strlen(title));
	at_buf_printf(out,
		"</title>\n<rect width=\"100%%\" height=\"100%%\" rx=\"6\" fill=\"#%06x\"/>\n"
		"<g font-family=\"'DejaVu Sans Mono',Menlo,Consolas,monospace\" font-size=\"14\">\n",
		paper_of(theme).bg);
	for (int y = 0; y < grid->height; y++)
		put_row(grid, theme, y, out);
	at_buf_puts(out, "</g>\n</svg>\n");
}
