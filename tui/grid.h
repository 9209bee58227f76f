/* grid.h - the screen as cells, and the one way to draw on it.
 *
 * A grid is what a terminal should show; backends send it, tests read it. A canvas is a
 * rectangle of it: nothing drawn leaves the rectangle. Text of others enters as spans of
 * core/safetext only; at_canvas_text() is for this program's own words. It knows no
 * terminal and no colour.
 */
#ifndef AT_GRID_H
#define AT_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "core/safetext.h"
#include "tui/theme.h"

struct at_cell {
	uint32_t code;  /* a code point, or AT_CLUSTER_BASE + index of a cluster of the grid */
	uint16_t style; /* enum at_style */
	uint8_t width;  /* 1, 2; 0 is the right half of the cell before */
};
#define AT_CLUSTER_BASE 0x110000u

/* A letter with its accents: at most 5 code points, as core/safetext lets through. */
struct at_cluster {
	char text[24];
};

struct at_grid {
	int width, height;
	struct at_cell *cells; /* row by row */
	struct at_cluster *clusters;
	size_t cluster_count, cluster_cap;
	int cursor_x, cursor_y; /* -1: hidden */
	bool ascii;             /* the locale shows ASCII only: own words are drawn in it */
};

struct at_rect {
	int x, y, width, height;
};

struct at_canvas {
	struct at_grid *grid;
	struct at_rect at; /* the origin and, clipped to the grid, the limit */
};

/* Resizes to `width` by `height` cells (each 1 to 1000) and clears. A zeroed grid is valid. */
void at_grid_resize(struct at_grid *grid, int width, int height);
void at_grid_clear(struct at_grid *grid);
void at_grid_copy(struct at_grid *out, const struct at_grid *grid);
void at_grid_free(struct at_grid *grid);
const struct at_cell *at_grid_cell(const struct at_grid *grid, int x, int y);
bool at_grid_same_cell(const struct at_grid *a, const struct at_grid *b, int x, int y);

/* The cell's text as UTF-8 (empty for a right half). Returns its bytes. */
size_t at_grid_cell_text(const struct at_grid *grid, const struct at_cell *cell, char out[24]);

struct at_canvas at_canvas_of(struct at_grid *grid);

/* A rectangle of a canvas, in its coordinates, clipped to it. */
struct at_canvas at_canvas_part(const struct at_canvas *canvas, struct at_rect rect);

void at_canvas_fill(const struct at_canvas *canvas, enum at_style style);
void at_canvas_fill_row(const struct at_canvas *canvas, int y, enum at_style style);
void at_canvas_rule(const struct at_canvas *canvas, int y, enum at_style style);
void at_canvas_column(const struct at_canvas *canvas, int x, enum at_style style);

/* Changes the style of cells that are drawn already. */
void at_canvas_restyle(
	const struct at_canvas *canvas, int x, int y, int cells, enum at_style style);

/* Draws spans from cell (x, y), leaving out their first `skip` cells; a wide character that
 * would be cut at either end becomes a space. Marks take the control style. Returns the x
 * after the last cell, which may lie beyond the canvas. */
int at_canvas_spans(const struct at_canvas *canvas, int x, int y, const struct at_spans *spans,
	enum at_style style, int skip);
int at_canvas_span(const struct at_canvas *canvas, int x, int y, const struct at_span *span,
	enum at_style style, int skip);

/* The program's own words: printable UTF-8. Anything else in it is drawn as '?'. In an ASCII
 * grid the few symbols of the interface get their stand-ins. Returns the x after it. */
int at_canvas_text(const struct at_canvas *canvas, int x, int y, const char *text,
	enum at_style style);
int at_canvas_textf(const struct at_canvas *canvas, int x, int y, enum at_style style,
	const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The same in at most `width` cells: what does not fit ends in "…". */
int at_canvas_text_fit(const struct at_canvas *canvas, int x, int y, int width, const char *text,
	enum at_style style);

int at_text_width(const char *text); /* cells of own words */

/* The ASCII stand-in of one of the interface's own symbols, '?' for anything else. */
char at_plain_symbol(uint32_t code);

#endif
