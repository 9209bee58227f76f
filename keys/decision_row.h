/* decision_row.h - the cells of a decision, by column. Internal to keys/decision*.c. */
#ifndef AT_KEYS_DECISION_ROW_H
#define AT_KEYS_DECISION_ROW_H

#include "keys/decision.h"

enum at_decision_column {
	AT_DECISION_DATE,
	AT_DECISION_ACTION,
	AT_DECISION_VERDICT,
	AT_DECISION_SCOPE,
	AT_DECISION_CONDITIONS,
	AT_DECISION_VERIFIED,
	AT_DECISION_EVIDENCE,
	AT_DECISION_AUTHOR,
	AT_DECISION_DERIVES,
	AT_DECISION_EFFECTS, /* the first of AT_EXT_COUNT - 1 */
	AT_DECISION_SCHEME = AT_DECISION_EFFECTS + AT_EXT_COUNT - 1,
	AT_DECISION_KEY_ID,
	AT_DECISION_PREV,
	AT_DECISION_SIGNATURE,
	AT_DECISION_SIGNED, /* columns of the signed header */
	AT_DECISION_TIMESTAMP = AT_DECISION_SIGNED,
	AT_DECISION_REQUESTING,
	AT_DECISION_PLAN,
	AT_DECISION_STEP,
	AT_DECISION_DECISION,
	AT_DECISION_STATUS,
	AT_DECISION_OWNER,
	AT_DECISION_CONSUMED,
	AT_DECISION_COLUMNS,
};
extern const char *const at_decision_columns[AT_DECISION_COLUMNS];

/* Fills a row from its cells, empty ones where the file has no such column. Texts are borrowed from
 * the cells, but for the author. */
void at_decision_of_cells(
	struct at_decision *out, struct at_arena *arena, const struct at_bytes *cells);

#endif
