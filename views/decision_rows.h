/* decision_rows.h - the team's security decisions as rows: what each says and whether it holds.
 *
 * Reads them as --verify-decisions does, spends nothing and changes nothing. (KEY-9, KEY-12)
 */
#ifndef AT_DECISION_ROWS_H
#define AT_DECISION_ROWS_H

#include "keys/clearance.h"
#include "tui/line.h"
#include "views/session.h"

struct at_decision_rows {
	struct at_arena *arena;
	struct at_decisions_report report;
	size_t count;
	struct at_error fault; /* the ledger cannot be read: why */
};

void at_decision_rows_make(struct at_decision_rows *rows, struct at_session *session);
void at_decision_rows_free(struct at_decision_rows *rows);

/* "3, anchored; 1 OPEN HALT". Appended. `is_bad`: something of it does not hold, or stops. */
void at_decision_rows_summary(struct at_buf *out, const struct at_decision_rows *rows);
bool at_decision_rows_are_bad(const struct at_decision_rows *rows);
void at_decision_row_line(const struct at_decision_rows *rows, size_t i, struct at_line *out);
void at_decision_row_detail(struct at_buf *out, const struct at_decision_rows *rows, size_t i);

#endif
