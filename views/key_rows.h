/* key_rows.h - the operator's keys as rows: whose they are, how they are kept, where they count.
 *
 * Looks at the store and at the team's own; opens no sealed key and changes nothing. (KEY-1)
 */
#ifndef AT_KEY_ROWS_H
#define AT_KEY_ROWS_H

#include "core/json_write.h"
#include "tui/line.h"
#include "views/sign_act.h"

struct at_key_rows {
	struct at_operator_key operator_key;
	struct at_key_list list;
	size_t count;
	const char **installed; /* of each: "installed here", "not installed here", … in the arena */
	struct at_error fault;  /* the store cannot be used: why */
};

void at_key_rows_make(struct at_key_rows *rows, struct at_session *session);
void at_key_rows_free(struct at_key_rows *rows);

void at_key_rows_summary(struct at_buf *out, const struct at_key_rows *rows);
void at_key_row_line(const struct at_key_rows *rows, size_t i, struct at_line *out);
void at_key_row_detail(struct at_buf *out, const struct at_key_rows *rows, size_t i);

#endif
