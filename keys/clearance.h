/* clearance.h - may this be done? The gate that asks a team's decisions, HALTs and waivers.
 *
 * Every destructive verb asks here, and acts only on a yes; a fault of any file is a no. The order
 * of the questions is the Python tool's, its reasons are told in its words; where it lets something
 * pass that a rule of ours refuses, the header of keys/decision and waiver says so. It prints
 * nothing and asks nobody. (KEY-6, KEY-9, KEY-12; reference-ledgers 2.4, 2.5)
 */
#ifndef AT_KEYS_CLEARANCE_H
#define AT_KEYS_CLEARANCE_H

#include <stdint.h>

#include "keys/decision.h"

#define AT_GOVERNED_MARKER "signing-governed.marker" /* below a team dir */

/* Where the gate stands. Keys are borrowed for the call and go nowhere else. */
struct at_clearance_ground {
	int team; /* descriptor of the team dir, -1 where there is none */
	const char *team_path; /* as messages name it */
	struct at_decision_keys keys;
	struct at_bytes waiver_key; /* of AGENTTEAMS_WAIVER_SIGNING_KEY; empty: unset */
	int64_t now; /* seconds since 1970 */
};

struct at_clearance_ask {
	const char *action; /* "overwrite", "prune", … */
	bool relaxes; /* it opens more than the team may: HMAC alone does not do, where governed */
	bool acts; /* spends what clears it; else it only asks */
};

/* The rule that decided, in the gate's order. */
enum at_clearance_rule {
	AT_RULE_FAULT, /* a file could not be read, or written */
	AT_RULE_CHAIN,
	AT_RULE_LINEAGE,
	AT_RULE_RETRACTION, /* one that does not hold */
	AT_RULE_OPEN_HALT,
	AT_RULE_SWITCH, /* says nothing that can be read */
	AT_RULE_WAIVER,
	AT_RULE_NO_DECISION,
	AT_RULE_LATEST_HALT,
	AT_RULE_VERDICT, /* one that clears nothing */
	AT_RULE_CONDITIONS,
	AT_RULE_AUTHORITY, /* scope, author, effect or signature */
	AT_RULE_PASS,
	AT_RULE_COUNT,
};
const char *at_clearance_rule_name(enum at_clearance_rule rule); /* "open-halt", … */

struct at_clearance {
	bool is_clear, is_spent;
	enum at_clearance_rule rule;
	size_t row; /* of the decisions, from 1; 0: none decided */
	const char *waiver; /* the id of the one that decided, or NULL */
	const char *reason; /* why not; "" when clear */
	const char *note; /* what a yes passed over, or a scope that narrows nothing; or "" */
};

/* True when it may be done; then, with `acts`, the row is marked `consumed` or the waiver's use is
 * counted already: whoever asked and then does nothing has spent it. Otherwise AT_EREFUSED with the
 * reason, which is in `out` whole. Texts are in `arena`. */
bool at_clearance_ask(struct at_clearance *out, struct at_arena *arena,
	const struct at_clearance_ground *ground, const struct at_clearance_ask *ask,
	struct at_error *err);

struct at_decision_finding {
	size_t row; /* from 1; 0: the whole ledger */
	const char *text;
};

struct at_decisions_report {
	struct at_decisions decisions;
	enum at_seal *seals; /* one a row */
	size_t *open_halts; /* numbers of rows, in the file's order */
	size_t open_count;
	struct at_decision_finding *findings;
	size_t finding_count, finding_cap;
	enum at_head_state head; /* NONE: unanchored, a tail that was cut off would not show */
	bool is_signing, is_enforced, is_governed; /* as 2.4 says */
};

/* Every row looked at by itself: what of the ledger does not hold, and which HALTs stand. Fails
 * where the ledger cannot be read at all. In `arena`. */
bool at_decisions_audit(struct at_decisions_report *out, struct at_arena *arena,
	const struct at_clearance_ground *ground, struct at_error *err);

#endif
