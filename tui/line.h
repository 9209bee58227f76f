/* line.h - one styled line: what a row callback fills and the widgets draw.
 *
 * Pieces of safe text, each with a style. The first cells may be held in place (a gutter of
 * numbers and signs) while the rest scrolls sideways or wraps.
 */
#ifndef AT_LINE_H
#define AT_LINE_H

#include "tui/grid.h"

struct at_line_piece {
	size_t first; /* index of its first span */
	enum at_style style;
};

struct at_line {
	struct at_spans spans;
	struct at_line_piece *pieces;
	size_t count, cap;
	unsigned held;       /* leading cells that stay in place */
	enum at_style after; /* style of the rest of the row */
	unsigned tab;        /* cells between tab stops, 0: 4; set by who draws, kept by clear */
	bool words;          /* wraps at spaces; kept by clear */
	bool ascii;          /* what is not ASCII becomes a mark; set by who draws, kept by clear */
};

void at_line_clear(struct at_line *line); /* keeps the memory */
void at_line_free(struct at_line *line);

/* Untrusted text; tabs expanded, folded past 4 KiB, as core/safetext does. */
void at_line_add(struct at_line *line, enum at_style style, struct at_bytes text);
/* The program's own words, or words that may hold an untrusted name: safe either way. */
void at_line_text(struct at_line *line, enum at_style style, const char *text);
/* The same; the symbols of the format itself are the program's own (see at_line_own). */
void at_line_textf(struct at_line *line, enum at_style style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The program's own words alone: where only ASCII is shown, the symbols of the interface get
 * their stand-ins instead of marks. Never for text that holds a name from outside. */
void at_line_own(struct at_line *line, enum at_style style, const char *text);
void at_line_pad(struct at_line *line, enum at_style style, unsigned to_width);
void at_line_hold(struct at_line *line); /* all so far stays in place */
/* Appends cells [skip, skip + width) of all of `from`, in their styles, filled up to `width`
 * with `rest`. Where text is left out at the right, the last cell says so with "…". A mark or
 * a wide character that would be cut is left out whole. */
void at_line_put_part(struct at_line *line, const struct at_line *from, int skip, int width,
	enum at_style rest);

/* Draws at (0, y), the scrolling part without its first `skip` cells, and fills the row.
 * Where text is left out at the right, the last cell says so with "…" when `tell`. */
void at_line_paint(const struct at_line *line, const struct at_canvas *canvas, int y, int skip,
	bool tell);

/* Where the row after the one that begins at cell `skip` of the scrolling part begins when
 * wrapped in `width` cells, no wide character torn; -1 at the end of the line. */
int at_line_next(const struct at_line *line, int width, int skip);
/* Rows it needs when wrapped in `width` cells (at least 1). */
unsigned at_line_rows(const struct at_line *line, int width);
/* The cells that the scrolling part gets in `width`. */
int at_line_room(const struct at_line *line, int width);

#endif
