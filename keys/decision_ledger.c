/* Decisions as one kind of ledger: its columns, and a row's payload from its cells. */
#include "core/mem.h"
#include "keys/decision_row.h"
#include "keys/decision_sign.h"

/* The first twenty are what a new file gets, in this order. */
const char *const at_decision_columns[AT_DECISION_COLUMNS] = {
	"date", "action_reviewed", "verdict", "scope", "conditions", "conditions_verified",
	"evidence", "author", "derives_from", "effect_class", "effect_grants", "effect_targets",
	"effect_relaxes", "effect_destructive", "effect_cross_repo", "effect_bulk", "sig_scheme",
	"key_id", "prev_digest", "signature",
	"timestamp", "requesting_agent", "plan_slug", "step", "decision", "status", "owner",
	"consumed",
};

static void payload(struct at_buf *out, const struct at_bytes *cells)
{
	struct at_arena *arena = at_arena_new();
	struct at_decision row = { 0 };

	at_decision_of_cells(&row, arena, cells);
	at_decision_payload(out, &row);
	at_arena_free(arena);
}

#define C(name) AT_COLUMN(AT_DECISION_##name)

const struct at_ledger_kind at_decision_ledger = {
	.log = "security decisions log",
	.ledger = "security decision log",
	.row = "a row",
	.columns = at_decision_columns,
	.column_count = AT_DECISION_COLUMNS,
	.written = AT_COLUMN(AT_DECISION_SIGNED) - 1,
	.required = {
		C(TIMESTAMP) | C(REQUESTING) | C(ACTION) | C(VERDICT) | C(CONDITIONS) | C(VERIFIED),
		C(DATE) | C(PLAN) | C(STEP) | C(DECISION) | C(STATUS) | C(CONDITIONS) | C(VERIFIED)
			| C(EVIDENCE) | C(OWNER),
		C(DATE) | C(ACTION) | C(VERDICT) | C(VERIFIED) | C(AUTHOR) | C(DERIVES) | C(SCHEME)
			| C(KEY_ID) | C(PREV) | C(SIGNATURE),
	},
	.prev = AT_DECISION_PREV,
	.chain_is_optional = true,
	.payload = payload,
};
