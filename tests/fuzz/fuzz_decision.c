/* Whatever comes is a decisions ledger, or a spec. What is read must be written back the same, what
 * was refused must say where, and nothing without a good signature clears under the switch. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "keys/decision_sign.h"
#include "keys/effect.h"
#include "keys/gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "violated: %s (line %d)\n", #truth, __LINE__); \
			abort(); \
		} \
	} while (0)

static void round_trip(const struct at_table *table, struct at_arena *arena)
{
	struct at_buf out = { 0 }, again = { 0 };
	struct at_table second;
	struct at_error err = { 0 };

	at_table_print(&out, table);
	CHECK(at_table_read(&second, arena, at_buf_bytes(&out), &err));
	CHECK(second.count == table->count && second.columns == table->columns);
	at_table_print(&again, &second);
	CHECK(at_bytes_equal(at_buf_bytes(&out), at_buf_bytes(&again)));
	at_buf_free(&out);
	at_buf_free(&again);
}

static void look_at_row(
	const struct at_gate *gate, const struct at_decision *row, struct at_arena *arena)
{
	struct at_error err = { 0 };
	const char *why;
	bool trusted = at_gate_trusts(gate, row, row->action, false, &err);

	/* No key is known: nobody signed this. */
	CHECK(!at_seal_holds(at_decision_seal(row, &gate->ground->keys, NULL)));
	CHECK(!trusted && *err.message);
	CHECK(row->kind != AT_VERDICT_HALT || !row->action.len
		|| at_decision_halts(row, row->action)
		|| memchr(row->action.data, '\0', row->action.len));
	at_decision_effect(row, arena, &why);
}

static void look_at_ledger(struct at_bytes text, struct at_arena *arena)
{
	static const struct at_clearance_ground ground = { .team = -1, .team_path = "T" };
	struct at_gate gate = {
		.ground = &ground, .arena = arena, .is_enforced = true, .is_governed = true
	};
	const struct at_decision *open;
	struct at_action_list list;
	struct at_table table;
	struct at_error err = { 0 };

	if (!at_table_read(&table, arena, text, &err)) {
		CHECK(*err.message && err.code);
		return;
	}
	if (table.columns)
		round_trip(&table, arena);
	if (!at_decisions_read(&gate.decisions, arena, &table, &err)) {
		CHECK(strcmp(err.id, "decisions-malformed") == 0);
		return;
	}
	CHECK(at_approvers_load(&gate.approvers, arena, -1, &err));
	gate.is_signing = gate.decisions.has_signature;
	at_decisions_check_chain(&gate.decisions, &err);
	for (size_t i = 0; i < gate.decisions.count; i++)
		look_at_row(&gate, &gate.decisions.rows[i], arena);
	CHECK(at_decisions_unsigned(&gate.decisions) <= gate.decisions.count);
	at_decisions_ancestors(&list, arena, &gate.decisions, at_bytes_of("overwrite"), &err);
	at_gate_open_halt(&gate, &open, at_bytes_of("overwrite"), &err);
}

static void look_at_spec(struct at_bytes text, struct at_arena *arena)
{
	struct at_decision_spec spec;
	struct at_error err = { 0 };

	if (at_decision_spec_read(&spec, arena, text, &err))
		at_decision_review(&spec, "T");
	else
		CHECK(*err.message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct at_bytes text = { (const char *)data, size };
	struct at_arena *arena = at_arena_new();

	look_at_ledger(text, arena);
	look_at_spec(text, arena);
	at_arena_free(arena);
	return 0;
}
