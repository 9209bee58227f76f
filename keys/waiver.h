/* waiver.h - a signed leave to do one thing a few times, without a decision.
 *
 * The last row for an action counts and no other. Its signature is tested first, so that nothing
 * unsigned is told about a row that nobody signed; the Python tool tests it last. A waiver never
 * passes a HALT; that is keys/clearance's to see to. (KEY-9; reference-ledgers 2.6 and 5, row 13)
 */
#ifndef AT_KEYS_WAIVER_H
#define AT_KEYS_WAIVER_H

#include <stdint.h>

#include "keys/approvers.h"
#include "keys/table.h"

#define AT_WAIVERS "references/security-waivers.log.csv" /* below a team dir */

/* What is signed, in its order. */
enum at_waiver_field {
	AT_WAIVER_ID,
	AT_WAIVER_ACTION,
	AT_WAIVER_EXPIRES,
	AT_WAIVER_MAX_USES,
	AT_WAIVER_USES,
	AT_WAIVER_APPROVER,
	AT_WAIVER_TICKET,
	AT_WAIVER_REASON,
	AT_WAIVER_CONDITIONS,
	AT_WAIVER_FIELDS,
};

struct at_waiver {
	struct at_bytes field[AT_WAIVER_FIELDS]; /* stripped, in the arena */
	struct at_bytes signature;
	size_t row; /* index into the table */
};

struct at_waivers {
	struct at_table table;
	size_t column[AT_WAIVER_FIELDS], signature;
};

/* Absent: no rows. Fails with AT_EPARSE, id waivers-malformed, for another header. */
bool at_waivers_load(
	struct at_waivers *out, struct at_arena *arena, int root, struct at_error *err);
/* The last row for the action; false when there is none. */
bool at_waiver_find(
	struct at_waiver *out, const struct at_waivers *waivers, struct at_bytes action);

/* Whether it may be used once more. `key`: the value of AGENTTEAMS_WAIVER_SIGNING_KEY, empty when
 * unset; `now`: seconds since 1970. AT_EREFUSED with the reason. */
bool at_waiver_check(const struct at_waiver *waiver, const struct at_approvers *approvers,
	struct at_bytes key, int64_t now, struct at_error *err);

/* One use more, signed anew, in the table in memory; it must have been checked. */
void at_waiver_spend(struct at_waivers *waivers, struct at_arena *arena,
	const struct at_waiver *waiver, struct at_bytes key);

#endif
