/* key_rows.h - the operator's keys as rows: whose they are, how they are kept, where they count.
 *
 * Looks at the store and at the team's own; opens no sealed key and changes nothing. (KEY-1)
 */
#ifndef AT_KEY_ROWS_H
#define AT_KEY_ROWS_H

#include "core/json_write.h"
#include "keys/key_migrate.h"
#include "tui/line.h"
#include "views/operator_key.h"

struct at_key_rows {
	struct at_operator_key operator_key;
	struct at_key_list list;
	size_t count; /* of both */
	struct at_moved_keys old; /* key files that are not in the store, and whether they may go */
	const char **installed; /* of each: "installed here", "not installed here", … in the arena */
	struct at_error fault;  /* the store cannot be used: why */
};

void at_key_rows_make(struct at_key_rows *rows, struct at_session *session);
void at_key_rows_free(struct at_key_rows *rows);

void at_key_rows_summary(struct at_buf *out, const struct at_key_rows *rows);
void at_key_row_line(const struct at_key_rows *rows, size_t i, struct at_line *out);
/* The key of a row, or NULL where it is an old file. Borrowed. */
const char *at_key_row_name(const struct at_key_rows *rows, size_t i);
void at_key_row_detail(struct at_buf *out, const struct at_key_rows *rows, size_t i);

#endif
