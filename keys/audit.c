/* Every row of a team's decisions, looked at by itself. */
#include <string.h>

#include "core/mem.h"
#include "keys/effect.h"
#include "keys/gate.h"

static void find(
	struct at_decisions_report *out, struct at_arena *arena, size_t row, const char *text)
{
	if (out->finding_count == out->finding_cap) {
		size_t cap = out->finding_cap ? 2 * out->finding_cap : 16;
		struct at_decision_finding *items = at_arena_alloc(arena, cap * sizeof(*items));

		if (out->finding_count)
			memcpy(items, out->findings, out->finding_count * sizeof(*items));
		out->findings = items;
		out->finding_cap = cap;
	}
	out->findings[out->finding_count++] =
		(struct at_decision_finding){ row, at_arena_strdup(arena, text) };
}

/* A row that authorises is held to what the gate would ask of it, for its own action. */
static void look_at_row(
	struct at_decisions_report *out, const struct at_gate *gate, const struct at_decision *row)
{
	struct at_error err = { 0 };

	if (row->is_torn)
		find(out, gate->arena, row->number,
			"the last line has no end: half a write. It "
			"authorises nothing; a HALT in it stops");
	else if (at_verdict_authorises(row->kind)
		&& !at_gate_trusts(gate, row, row->action, false, &err))
		find(out, gate->arena, row->number, err.message);
	else if (row->ambiguous)
		find(out, gate->arena, row->number,
			at_arena_printf(gate->arena,
				"ambiguous: %s, so that it can be read in two ways",
				row->ambiguous));
	if (row->consumed == AT_CONSUMED_UNCLEAR)
		find(out, gate->arena, row->number, "its `consumed` is neither yes nor no");
	if (row->derives_from.len
		&& !at_decisions_lineage(&gate->decisions, gate->arena, row->action, &err))
		find(out, gate->arena, row->number, err.message);
}

static const struct at_decision *row_of(const struct at_gate *gate, size_t number)
{
	return &gate->decisions.rows[number - 1];
}

/* Those of the open HALTs that a retraction closes for their own action are taken off the list. */
static void close_halts(struct at_decisions_report *out, const struct at_gate *gate,
	const struct at_decision *retraction)
{
	size_t kept = 0;

	for (size_t i = 0; i < out->open_count; i++) {
		struct at_bytes action = row_of(gate, out->open_halts[i])->action;

		if (!at_action_matches(retraction->action, action)
			|| !at_gate_trusts(gate, retraction, action, false, NULL))
			out->open_halts[kept++] = out->open_halts[i];
	}
	out->open_count = kept;
}

static void list_halts(struct at_decisions_report *out, const struct at_gate *gate)
{
	out->open_halts =
		at_arena_alloc(gate->arena, (gate->decisions.count + 1) * sizeof(*out->open_halts));
	for (size_t i = 0; i < gate->decisions.count; i++) {
		const struct at_decision *row = &gate->decisions.rows[i];

		if (row->kind == AT_VERDICT_HALT)
			out->open_halts[out->open_count++] = row->number;
		else if (row->kind == AT_VERDICT_RETRACTED && !row->is_torn && row->evidence.len)
			close_halts(out, gate, row);
	}
}

bool at_decisions_audit(struct at_decisions_report *out, struct at_arena *arena,
	const struct at_clearance_ground *ground, struct at_error *err)
{
	struct at_error fault = { 0 };
	struct at_gate gate;

	*out = (struct at_decisions_report){ 0 };
	if (!at_gate_open(&gate, arena, ground, err))
		return false;
	out->decisions = gate.decisions;
	out->head = gate.head;
	if (gate.head_fault)
		find(out, arena, 0, gate.head_fault);
	out->is_signing = gate.is_signing;
	out->is_enforced = gate.is_enforced;
	out->is_governed = gate.is_governed;
	out->seals = at_arena_alloc(arena, (gate.decisions.count + 1) * sizeof(*out->seals));
	if (gate.switch_fault)
		find(out, arena, 0, gate.switch_fault);
	if (!at_decisions_check_chain(&gate.decisions, &fault))
		find(out, arena, 0, fault.message);
	for (size_t i = 0; i < gate.decisions.count; i++) {
		out->seals[i] = at_decision_seal(&gate.decisions.rows[i], &ground->keys, NULL);
		look_at_row(out, &gate, &gate.decisions.rows[i]);
	}
	list_halts(out, &gate);
	return true;
}
