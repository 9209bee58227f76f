/* diff_rows.h - a diff as rows of a pager.
 *
 * Line numbers of both sides, a sign that says added or removed without any colour, marks for
 * what hides (control characters, space at the end), and the words that changed underlined. One
 * below the other or side by side; unchanged lines may be folded and changes of white space
 * alone left out, on the screen only. It holds no text: the diff does.
 */
#ifndef AT_DIFF_ROWS_H
#define AT_DIFF_ROWS_H

#include "core/diff.h"
#include "tui/diff_map.h"
#include "tui/pager.h"

#define AT_DIFF_SIDES_FROM 100 /* cells that side by side needs */

struct at_diff_rows {
	const struct at_diff *diff; /* borrowed */
	bool numbers;
	bool ascii;
	bool ended;  /* the diff grows no more */
	int digits;
	int width;
	int left;    /* cells scrolled off in both halves, side by side */
	unsigned wants; /* enum at_diff_mode: what was asked for */
	struct at_diff_map map; /* what is shown */
	struct at_diff_map next; /* what will be, while `mapping` */
	bool mapping;
	size_t slice; /* lines mapped by one key or one idle event; 0: all at once */
	struct at_line half; /* kept between rows */
	struct at_buf joined;
};

/* `width` decides whether there is room for line numbers. */
void at_diff_rows_init(struct at_diff_rows *rows, const struct at_diff *diff, int width);
void at_diff_rows_free(struct at_diff_rows *rows); /* a no-op before any mode was asked for */
/* Another diff, or the same one made anew: modes stay, folds that were opened close. */
void at_diff_rows_set(struct at_diff_rows *rows, const struct at_diff *diff);
/* The diff has more lines; at its `end` the last ones count too. */
void at_diff_rows_grow(struct at_diff_rows *rows, bool end);
/* True when the rows are others now: row numbers from before mean nothing. */
bool at_diff_rows_layout(struct at_diff_rows *rows, int width);

/* Side by side only where there is room. True as for layout. */
bool at_diff_rows_want(struct at_diff_rows *rows, unsigned modes);

/* With a slice the rows of a large diff stay as they are while others are made, `mapping`, until
 * this said true: they are others now. Does one slice. */
bool at_diff_rows_work(struct at_diff_rows *rows);
bool at_diff_rows_are(const struct at_diff_rows *rows, enum at_diff_mode mode);

/* The first line of a row and the row of a line, so that a place survives a change of mode. */
size_t at_diff_rows_line(const struct at_diff_rows *rows, size_t row);
size_t at_diff_rows_row(const struct at_diff_rows *rows, size_t line);

/* The first fold in [from, to), or `to`. Opening one moves the rows behind it. */
size_t at_diff_rows_fold(const struct at_diff_rows *rows, size_t from, size_t to);
void at_diff_rows_open(struct at_diff_rows *rows, size_t row);

/* The callbacks, for at_pager_init(). `rows` must stay where it is. */
struct at_pager_source at_diff_rows_source(struct at_diff_rows *rows);

/* One row, also without a pager. */
void at_diff_row(struct at_diff_rows *rows, size_t row, struct at_line *out);

#endif
