/* integrity_rows.h - pins and artefacts as the rows of a list.
 *
 * A heading a part with what it comes to, its rows, those that are not as they were first once
 * all is compared; then the ceilings. It knows no screen and compares nothing itself.
 */
#ifndef AT_INTEGRITY_ROWS_H
#define AT_INTEGRITY_ROWS_H

#include "emit/integrity.h"
#include "tui/line.h"

struct at_integrity_row {
	enum { AT_ROW_PART, AT_ROW_ITEM, AT_ROW_CEILINGS, AT_ROW_CEILING } kind;
	size_t index; /* of a part, an item or a ceiling */
};

struct at_integrity_rows {
	const struct at_integrity *integrity; /* borrowed */
	struct at_integrity_row *rows;
	size_t count, cap;
};

/* Made anew from what is known of it so far. */
void at_integrity_rows_make(struct at_integrity_rows *rows, const struct at_integrity *integrity);
void at_integrity_rows_free(struct at_integrity_rows *rows);

bool at_integrity_row_is_heading(const struct at_integrity_rows *rows, size_t row);
/* The item of a row, or NULL. */
const struct at_integrity_item *at_integrity_row_item(const struct at_integrity_rows *rows,
	size_t row);
/* The row of an item; 0 without one. */
size_t at_integrity_row_of(const struct at_integrity_rows *rows, size_t item);

void at_integrity_row_line(const struct at_integrity_rows *rows, size_t row, struct at_line *out);
/* In full, several lines; nothing for a heading. Appended. */
void at_integrity_row_detail(const struct at_integrity_rows *rows, size_t row, struct at_buf *out);

#endif
