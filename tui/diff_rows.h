/* diff_rows.h - a diff as rows of a pager.
 *
 * Line numbers of both sides, a sign that says added or removed without any colour, marks for
 * what hides (control characters, space at the end), and the changed part of a changed line
 * underlined. It holds no text: the diff does.
 */
#ifndef AT_DIFF_ROWS_H
#define AT_DIFF_ROWS_H

#include "core/diff.h"
#include "tui/pager.h"

struct at_diff_rows {
	const struct at_diff *diff; /* borrowed */
	bool numbers;
	bool ascii;
	int digits;
};

/* `width` decides whether there is room for line numbers. */
void at_diff_rows_init(struct at_diff_rows *rows, const struct at_diff *diff, int width);
void at_diff_rows_layout(struct at_diff_rows *rows, int width);

/* The callbacks, for at_pager_init(). `rows` must stay where it is. */
struct at_pager_source at_diff_rows_source(struct at_diff_rows *rows);

/* One line of a diff, also without a pager. */
void at_diff_row(const struct at_diff_rows *rows, size_t row, struct at_line *out);

#endif
