/* gate.h - what the gate has read, and the questions it asks of single rows.
 *
 * Internal to keys/clearance*.c. (reference-ledgers 2.4, 2.5)
 */
#ifndef AT_KEYS_GATE_H
#define AT_KEYS_GATE_H

#include "keys/approvers.h"
#include "keys/clearance.h"

struct at_gate {
	const struct at_clearance_ground *ground;
	struct at_arena *arena;
	struct at_decisions decisions;
	struct at_approvers approvers;
	bool is_signing; /* a signature column, or a key */
	bool is_enforced; /* the switch */
	bool is_governed; /* the switch, or the marker */
	enum at_head_state head;  /* AT_HEAD_BAD: `head_fault` says how */
	const char *head_fault;
	const char *switch_fault; /* why the switch cannot be trusted, or NULL; enforced then */
};

/* Fails where decisions or roster cannot be read. */
bool at_gate_open(struct at_gate *out, struct at_arena *arena,
	const struct at_clearance_ground *ground, struct at_error *err);

/* Whether the row may authorise `action`: scope, effect, author, signature or switch, in that
 * order. AT_EREFUSED with the reason. */
bool at_gate_trusts(const struct at_gate *gate, const struct at_decision *row,
	struct at_bytes action, bool relaxes, struct at_error *err);

/* The first HALT for `target` that no retraction closed, or NULL in `out`. Fails where a retraction
 * does not hold. */
bool at_gate_open_halt(const struct at_gate *gate, const struct at_decision **out,
	struct at_bytes target, struct at_error *err);

#endif
