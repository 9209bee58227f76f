/* launch_rows.h - the launch line of a launcher team as rows of the wiring.
 *
 * The line itself, wrapped and never cut, then whether the launcher is ours, what is not
 * ready, and what the choices mean. Never says that an agent is confined. (WIRE-15)
 */
#ifndef AT_LAUNCH_ROWS_H
#define AT_LAUNCH_ROWS_H

#include "core/launch_check.h"
#include "views/wiring_rows.h"

/* What the line is and what of it is ready, for the session's team. Released by
 * at_launch_free(). */
void at_launch_rows_look(struct at_launch *out, const struct at_session *session,
	const struct at_collected *collected);

/* Adds the section, where rows->launch was looked at: for a launcher team alone. */
void at_launch_rows_add(struct at_wiring_rows *rows);

/* A row of kind AT_ROW_LAUNCH: a piece of the line. In full it is the whole line. */
void at_launch_row_line(const struct at_wiring_rows *rows, size_t index, struct at_line *out);
void at_launch_row_text(const struct at_wiring_rows *rows, size_t index, int width,
	struct at_buf *out);

#endif
