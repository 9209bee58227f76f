/* diff_draw.h - single rows of a diff as lines, shared by diff_rows.c and diff_draw.c alone. */
#ifndef AT_DIFF_DRAW_H
#define AT_DIFF_DRAW_H

#include "tui/diff_rows.h"

#define DIFF_NUMBERS_FROM 60 /* cells that line numbers need */

void diff_draw_line(const struct at_diff_rows *rows, size_t line, struct at_line *out);
void diff_draw_fold(const struct at_diff_rows *rows, size_t count, struct at_line *out);
/* A line that changed in white space alone, as the new one. */
void diff_draw_space(const struct at_diff_rows *rows, size_t old, size_t new, struct at_line *out);
void diff_draw_sides(struct at_diff_rows *rows, const struct at_diff_map_row *row,
	struct at_line *out);

/* Cells by which the longer half of a row is too long, side by side. */
int diff_draw_over(struct at_diff_rows *rows, size_t row);

#endif
