/* host_rows.h - the host check as rows of the wiring.
 *
 * A word for each mechanism, then what is not as it should be, then how much is. What a job is
 * still finding out says so. (WIRE-7)
 */
#ifndef AT_HOST_ROWS_H
#define AT_HOST_ROWS_H

#include "views/wiring_rows.h"

/* Judges what the session knows of this machine, if anything. */
void at_host_rows_look(struct at_wiring_rows *rows);
void at_host_rows_add(struct at_wiring_rows *rows);

/* A row of kind AT_ROW_HOST. */
void at_host_row_line(const struct at_wiring_rows *rows, size_t index, struct at_line *out);
void at_host_row_text(const struct at_wiring_rows *rows, size_t index, int width,
	struct at_buf *out);

#endif
