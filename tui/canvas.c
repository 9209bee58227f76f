#include "tui/grid.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"

struct at_canvas at_canvas_of(struct at_grid *grid)
{
	return (struct at_canvas){ grid, { 0, 0, grid->width, grid->height } };
}

struct at_canvas at_canvas_part(const struct at_canvas *canvas, struct at_rect rect)
{
	const struct at_rect *limit = &canvas->at;
	struct at_rect part = rect;

	part.x = rect.x < 0 ? 0 : rect.x > limit->width ? limit->width : rect.x;
	part.y = rect.y < 0 ? 0 : rect.y > limit->height ? limit->height : rect.y;
	part.width = part.x + rect.width > limit->width ? limit->width - part.x : rect.width;
	part.height = part.y + rect.height > limit->height ? limit->height - part.y : rect.height;
	part.width = part.width < 0 ? 0 : part.width;
	part.height = part.height < 0 ? 0 : part.height;
	part.x += limit->x;
	part.y += limit->y;
	return (struct at_canvas){ canvas->grid, part };
}

static struct at_cell *cell_at(const struct at_canvas *canvas, int x, int y)
{
	if (x < 0 || y < 0 || x >= canvas->at.width || y >= canvas->at.height)
		return NULL;
	return &canvas->grid->cells[(size_t)(canvas->at.y + y) * (size_t)canvas->grid->width +
		(size_t)(canvas->at.x + x)];
}

/* A wide character of which one half is overwritten must not leave the other behind, even
 * where that half lies outside the canvas. */
static void mend_around(struct at_grid *grid, const struct at_cell *cell)
{
	size_t at = (size_t)(cell - grid->cells), column = at % (size_t)grid->width;

	if (cell->width == 0 && column > 0) {
		grid->cells[at - 1].code = ' ';
		grid->cells[at - 1].width = 1;
	}
	if (cell->width == 2 && column + 1 < (size_t)grid->width) {
		grid->cells[at + 1].code = ' ';
		grid->cells[at + 1].width = 1;
	}
}

static void put(const struct at_canvas *canvas, int x, int y, uint32_t code, unsigned width,
	enum at_style style)
{
	struct at_cell *cell = cell_at(canvas, x, y), *right = cell_at(canvas, x + 1, y);

	if (width == 2 && (!cell || !right)) { /* cut by an edge */
		code = ' ';
		width = 1;
		cell = cell ? cell : right;
	}
	if (!cell)
		return;
	mend_around(canvas->grid, cell);
	if (width == 2) {
		mend_around(canvas->grid, right);
		*right = (struct at_cell){ 0, (uint16_t)style, 0 };
	}
	*cell = (struct at_cell){ code, (uint16_t)style, (uint8_t)width };
}

/* Hangs an accent on the cell before x. */
static void join(const struct at_canvas *canvas, int x, int y, const char *text, size_t len)
{
	struct at_grid *grid = canvas->grid;
	struct at_cell *cell = cell_at(canvas, x - 1, y);
	struct at_cluster cluster = { "" };
	size_t had;

	if (cell && cell->width == 0)
		cell = cell_at(canvas, x - 2, y);
	if (!cell)
		return;
	had = at_grid_cell_text(grid, cell, cluster.text);
	if (had + len >= sizeof(cluster.text))
		return;
	memcpy(cluster.text + had, text, len);
	cluster.text[had + len] = '\0';
	grid->clusters = at_grow(grid->clusters, &grid->cluster_cap, grid->cluster_count,
		sizeof(*grid->clusters));
	grid->clusters[grid->cluster_count] = cluster;
	cell->code = AT_CLUSTER_BASE + (uint32_t)grid->cluster_count++;
}

int at_canvas_span(const struct at_canvas *canvas, int x, int y, const struct at_span *span,
	enum at_style style, int skip)
{
	struct at_bytes text = { span->text, span->len };
	int from = x, limit = canvas->at.width;
	int32_t code;

	x -= skip;
	if (span->mark)
		style = span->tab ? AT_STYLE_RULE : AT_STYLE_CONTROL;
	for (size_t at = 0, used; x < limit && (used = at_utf8_next(text, at, &code)) > 0;
		at += used) {
		unsigned width = at_char_width((uint32_t)code);

		if (!width) {
			if (x > from)
				join(canvas, x, y, text.data + at, used);
			continue;
		}
		if (x >= from)
			put(canvas, x, y, (uint32_t)code, width, style);
		else if (x + (int)width > from)
			put(canvas, from, y, ' ', 1, style);
		x += (int)width;
	}
	/* Cells that were left out at the right count too. */
	return from - skip + (int)span->width;
}

int at_canvas_spans(const struct at_canvas *canvas, int x, int y, const struct at_spans *spans,
	enum at_style style, int skip)
{
	for (size_t i = 0; i < spans->count; i++) {
		int width = (int)spans->items[i].width;

		if (skip >= width) {
			skip -= width;
			continue;
		}
		x = at_canvas_span(canvas, x, y, &spans->items[i], style, skip);
		skip = 0;
	}
	return x;
}

char at_plain_symbol(uint32_t code)
{
	static const struct {
		uint32_t code;
		char plain;
	} rows[] = {
		{ 0x2500, '-' }, { 0x2502, '|' }, { 0x25cf, '*' }, { 0x25cb, 'o' }, { 0x2026, '~' },
		{ 0x2192, '>' }, { 0x203a, '>' }, { 0x00b7, '-' }, { 0x2713, 'v' }, { 0x00d7, 'x' },
		{ 0x2191, '^' }, { 0x2193, 'v' }, { 0x2014, '-' }, { 0x2013, '-' }, { 0x2190, '<' },
		{ 0x2717, 'x' },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		if (rows[i].code == code)
			return rows[i].plain;
	}
	return '?';
}

static uint32_t own_char(const struct at_canvas *canvas, int32_t code, unsigned *width)
{
	*width = 1;
	if (code >= 0x20 && code < 0x7f)
		return (uint32_t)code;
	if (code <= 0xa0 || at_char_width((uint32_t)code) == 0)
		return '?';
	if (canvas->grid->ascii)
		return (uint32_t)at_plain_symbol((uint32_t)code);
	*width = at_char_width((uint32_t)code);
	return (uint32_t)code;
}

int at_canvas_text(const struct at_canvas *canvas, int x, int y, const char *text,
	enum at_style style)
{
	struct at_bytes bytes = at_bytes_of(text);
	unsigned width;
	int32_t code;

	for (size_t at = 0, used; (used = at_utf8_next(bytes, at, &code)) > 0; at += used) {
		uint32_t shown = own_char(canvas, code, &width);

		put(canvas, x, y, shown, width, style);
		x += (int)width;
	}
	return x;
}

int at_canvas_textf(const struct at_canvas *canvas, int x, int y, enum at_style style,
	const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return at_canvas_text(canvas, x, y, text, style);
}

int at_text_width(const char *text)
{
	struct at_bytes bytes = at_bytes_of(text);
	int width = 0;
	int32_t code;

	for (size_t at = 0, used; (used = at_utf8_next(bytes, at, &code)) > 0; at += used)
		width += code < 0x80 ? 1 : (int)at_char_width((uint32_t)code);
	return width;
}

int at_canvas_text_fit(const struct at_canvas *canvas, int x, int y, int width, const char *text,
	enum at_style style)
{
	struct at_rect room = { x, y, width, 1 };
	struct at_canvas part;

	if (width <= 0 || x < 0)
		return x;
	part = at_canvas_part(canvas, room);
	if (at_text_width(text) <= width) {
		at_canvas_text(&part, 0, 0, text, style);
		return x + at_text_width(text);
	}
	at_canvas_text(&part, 0, 0, text, style);
	at_canvas_text(&part, width - 1, 0, "…", style);
	return x + width;
}

void at_canvas_fill_row(const struct at_canvas *canvas, int y, enum at_style style)
{
	for (int x = 0; x < canvas->at.width; x++)
		put(canvas, x, y, ' ', 1, style);
}

void at_canvas_fill(const struct at_canvas *canvas, enum at_style style)
{
	for (int y = 0; y < canvas->at.height; y++)
		at_canvas_fill_row(canvas, y, style);
}

void at_canvas_rule(const struct at_canvas *canvas, int y, enum at_style style)
{
	for (int x = 0; x < canvas->at.width; x++)
		at_canvas_text(canvas, x, y, "─", style);
}

void at_canvas_column(const struct at_canvas *canvas, int x, enum at_style style)
{
	for (int y = 0; y < canvas->at.height; y++)
		at_canvas_text(canvas, x, y, "│", style);
}

void at_canvas_restyle(const struct at_canvas *canvas, int x, int y, int cells, enum at_style style)
{
	for (int i = 0; i < cells; i++) {
		struct at_cell *cell = cell_at(canvas, x + i, y);

		if (cell)
			cell->style = (uint16_t)style;
	}
}
