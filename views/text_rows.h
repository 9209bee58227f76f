/* text_rows.h - a text as the rows of a pager.
 *
 * Holds a copy of any bytes and an index of their lines. It knows nothing of where they
 * come from.
 */
#ifndef AT_TEXT_ROWS_H
#define AT_TEXT_ROWS_H

#include "core/bytes.h"
#include "tui/pager.h"

struct at_text_rows {
	struct at_buf text;
	size_t *starts; /* of each line; one more at the end */
	size_t count, cap;
	bool numbers; /* a gutter of line numbers */
	bool prose;   /* wrapped at spaces */
	enum at_style first; /* of the first line; AT_STYLE_NORMAL unless set */
};

void at_text_rows_set(struct at_text_rows *rows, struct at_bytes text); /* copied */
void at_text_rows_free(struct at_text_rows *rows);
struct at_bytes at_text_rows_line(const struct at_text_rows *rows, size_t row); /* no newline */

/* For at_pager_init(). `rows` must stay where it is. */
struct at_pager_source at_text_rows_source(struct at_text_rows *rows);

#endif
