#include "keys/clearance.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/act.h"
#include "core/file.h"
#include "core/mem.h"
#include "keys/field.h"
#include "keys/gate.h"
#include "keys/waiver.h"

#define NO_PASS "no matching PASS decision found in " AT_DECISIONS

const char *at_clearance_rule_name(enum at_clearance_rule rule)
{
	static const char *const names[AT_RULE_COUNT] = {
		[AT_RULE_FAULT] = "fault",
		[AT_RULE_CHAIN] = "chain",
		[AT_RULE_LINEAGE] = "lineage",
		[AT_RULE_RETRACTION] = "retraction",
		[AT_RULE_OPEN_HALT] = "open-halt",
		[AT_RULE_SWITCH] = "switch",
		[AT_RULE_WAIVER] = "waiver",
		[AT_RULE_NO_DECISION] = "no-decision",
		[AT_RULE_LATEST_HALT] = "latest-halt",
		[AT_RULE_VERDICT] = "verdict",
		[AT_RULE_CONDITIONS] = "conditions",
		[AT_RULE_AUTHORITY] = "authority",
		[AT_RULE_PASS] = "pass",
	};

	return names[rule];
}

/* One question on its way through the gate. Each step returns whether the next one is asked. */
struct asking {
	struct at_gate gate;
	struct at_waivers waivers;
	const struct at_clearance_ask *ask;
	struct at_bytes action;
	struct at_clearance *out;
	const struct at_decision *latest;
};

static bool decide(struct asking *in, enum at_clearance_rule rule, const struct at_decision *row,
	const char *reason)
{
	in->out->rule = rule;
	in->out->row = row ? row->number : 0;
	in->out->reason = at_arena_strdup(in->gate.arena, reason);
	in->out->is_clear = !*reason;
	return false;
}

static bool decide_printf(struct asking *in, enum at_clearance_rule rule,
	const struct at_decision *row, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static bool decide_printf(struct asking *in, enum at_clearance_rule rule,
	const struct at_decision *row, const char *format, ...)
{
	struct at_error text;
	va_list args;

	va_start(args, format);
	vsnprintf(text.message, sizeof(text.message), format, args);
	va_end(args);
	return decide(in, rule, row, text.message);
}

static int width(struct at_bytes text)
{
	return text.len < 200 ? (int)text.len : 200;
}

static bool say_halt(struct asking *in, struct at_bytes target, const struct at_decision *row)
{
	struct at_buf via = { 0 };
	bool is_own = at_bytes_equal(target, in->action);
	struct at_bytes named = row->action.len ? row->action : target;

	if (!is_own)
		at_buf_printf(&via,
			"'%.*s' derives from '%.*s', which is under an unretracted HALT "
			"— ",
			width(in->action), in->action.data, width(target), target.data);
	decide_printf(in, AT_RULE_OPEN_HALT, row,
		"%slatest decision for action '%.*s' is HALT (row "
		"%zu, dated %.*s) and has never been retracted. C-2: a HALT is cleared only by a "
		"HALT-RETRACTED row recording why it no longer applies — not by a later PASS, and "
		"not by the `consumed` flag.",
		at_buf_text(&via), width(named), named.data, row->number,
		row->date.len ? width(row->date) : 1, row->date.len ? row->date.data : "?");
	at_buf_free(&via);
	return false;
}

static bool ask_halt_of(struct asking *in, struct at_bytes target)
{
	const struct at_decision *open;
	struct at_error err = { 0 };

	if (!at_gate_open_halt(&in->gate, &open, target, &err))
		return decide(in, AT_RULE_RETRACTION, NULL, err.message);
	return !open || say_halt(in, target, open);
}

/* The whole ledger, before anything that could clear. */
static bool ask_halts(struct asking *in)
{
	struct at_action_list ancestors;
	struct at_error err = { 0 };

	if (!at_decisions_check_chain(&in->gate.decisions, &err))
		return decide(in, AT_RULE_CHAIN, NULL, err.message);
	if (in->gate.head_fault)
		return decide(in, AT_RULE_CHAIN, NULL, in->gate.head_fault);
	if (!ask_halt_of(in, in->action))
		return false;
	if (!in->gate.decisions.has_lineage)
		return true;
	if (!at_decisions_ancestors(
		    &ancestors, in->gate.arena, &in->gate.decisions, in->action, &err))
		return decide_printf(in, AT_RULE_LINEAGE, NULL,
			"lineage traversal for action '%.*s' failed closed: %s", width(in->action),
			in->action.data, err.message);
	for (size_t i = 0; i < ancestors.count; i++)
		if (!ask_halt_of(in, ancestors.items[i]))
			return false;
	return true;
}

static bool ask_switch(struct asking *in)
{
	return !in->gate.switch_fault || decide(in, AT_RULE_SWITCH, NULL, in->gate.switch_fault);
}

/* The last row for the action that is neither spent nor a retraction. */
static void find_latest(struct asking *in)
{
	for (size_t i = in->gate.decisions.count; i-- > 0 && !in->latest;) {
		const struct at_decision *row = &in->gate.decisions.rows[i];

		if (!row->is_torn && row->consumed != AT_CONSUMED_YES
			&& row->kind != AT_VERDICT_RETRACTED
			&& at_action_matches(row->action, in->action))
			in->latest = row;
	}
}

static bool ask_latest_halt(struct asking *in)
{
	find_latest(in);
	if (!in->latest || in->latest->kind != AT_VERDICT_HALT)
		return true;
	return decide_printf(in, AT_RULE_LATEST_HALT, in->latest,
		"latest decision for action '%.*s' is HALT", width(in->latest->action),
		in->latest->action.data);
}

static bool is_verified(const struct at_decision *row)
{
	struct at_bytes word = row->conditions_verified;

	return word.len == 8 && strncasecmp(word.data, "verified", 8) == 0;
}

/* What the row would have said: a waiver does not pass over it in silence. */
static const char *passed_over(const struct asking *in)
{
	const struct at_decision *row = in->latest;
	struct at_error why = { 0 };

	if (!row)
		return "there is no decision for it";
	if (row->kind == AT_VERDICT_CONDITIONAL && !is_verified(row))
		return at_arena_printf(in->gate.arena,
			"passing over row %zu, a CONDITIONAL PASS whose "
			"conditions are not verified",
			row->number);
	if (row->kind != AT_VERDICT_PASS && row->kind != AT_VERDICT_CONDITIONAL)
		return at_arena_printf(in->gate.arena,
			"passing over row %zu, whose verdict is '%.*s'", row->number,
			width(row->verdict), row->verdict.data);
	if (at_gate_trusts(&in->gate, row, in->action, in->ask->relaxes, &why))
		return at_arena_printf(in->gate.arena,
			"row %zu would have cleared it too and is not "
			"spent",
			row->number);
	return at_arena_printf(
		in->gate.arena, "passing over row %zu: %s", row->number, why.message);
}

static bool ask_waiver(struct asking *in)
{
	const struct at_clearance_ground *ground = in->gate.ground;
	struct at_error err = { 0 };
	struct at_waiver waiver;
	struct at_bytes id;

	if (!at_waiver_find(&waiver, &in->waivers, in->action))
		return true;
	id = waiver.field[AT_WAIVER_ID];
	in->out->waiver = at_arena_strndup(in->gate.arena, id.data, id.len);
	if (!at_waiver_check(&waiver, &in->gate.approvers, ground->waiver_key, ground->now, &err))
		return decide(in, AT_RULE_WAIVER, NULL, err.message);
	if (in->ask->relaxes && in->gate.is_governed)
		return decide_printf(in, AT_RULE_WAIVER, NULL,
			"waiver '%s' is signed with HMAC alone: in a governed workspace what relaxes "
			"or widens the boundary needs the operator's Ed25519 decision",
			in->out->waiver);
	decide(in, AT_RULE_WAIVER, NULL, "");
	in->out->note = at_arena_printf(
		in->gate.arena, "cleared by waiver '%s': %s", in->out->waiver, passed_over(in));
	if (!in->ask->acts)
		return false;
	at_waiver_spend(&in->waivers, in->gate.arena, &waiver, ground->waiver_key);
	if (!at_table_replace(&in->waivers.table, ground->team, AT_WAIVERS, &err))
		return decide(in, AT_RULE_FAULT, NULL, err.message);
	in->out->is_spent = true;
	return false;
}

static bool ask_decision(struct asking *in)
{
	const struct at_decision *row = in->latest;
	struct at_bytes word = row ? row->conditions_verified : (struct at_bytes){ "", 0 };
	struct at_error err = { 0 };

	if (!row || row->kind == AT_VERDICT_USED)
		return decide(in, AT_RULE_NO_DECISION, row, NO_PASS);
	if (row->kind != AT_VERDICT_PASS && row->kind != AT_VERDICT_CONDITIONAL)
		return decide_printf(in, AT_RULE_VERDICT, row,
			"latest decision has unsupported verdict '%.*s'",
			row->verdict.len ? width(row->verdict) : 7,
			row->verdict.len ? row->verdict.data : "UNKNOWN");
	if (row->consumed == AT_CONSUMED_UNCLEAR)
		return decide_printf(in, AT_RULE_VERDICT, row,
			"row %zu may be spent: its `consumed` is neither yes nor no", row->number);
	if (!at_gate_trusts(&in->gate, row, in->action, in->ask->relaxes, &err))
		return decide(in, AT_RULE_AUTHORITY, row, err.message);
	if (row->kind == AT_VERDICT_CONDITIONAL && !is_verified(row))
		return decide_printf(in, AT_RULE_CONDITIONS, row,
			"latest CONDITIONAL PASS has "
			"unverified conditions (conditions_verified=%.*s)",
			word.len ? width(word) : 7, word.len ? word.data : "pending");
	decide(in, AT_RULE_PASS, row, "");
	return true;
}

static bool is_instance(struct at_bytes suffix)
{
	for (size_t i = 1; i < suffix.len; i++)
		if (suffix.data[i] < '0' || suffix.data[i] > '9')
			return false;
	return suffix.len != 1;
}

/* A suffix reads as a scope and is none. */
static void note_suffix(struct asking *in)
{
	const struct at_decision *row = in->latest;
	struct at_bytes suffix = { row->action.data + in->action.len,
		row->action.len - in->action.len };

	if (row->extension[AT_EXT_SCOPE].len || is_instance(suffix))
		return;
	in->out->note = at_arena_printf(in->gate.arena,
		"security decision '%.*s' reads as a scoped "
		"clearance, but the suffix '%.*s' restricts nothing — it clears the unrestricted "
		"'%.*s' action. To actually narrow it, add a `scope` column listing the permitted "
		"action ids.",
		width(row->action), row->action.data, width(suffix), suffix.data, width(in->action),
		in->action.data);
}

static bool spend_decision(struct asking *in)
{
	struct at_table *table = &in->gate.decisions.table;
	size_t column = at_table_column(table, "consumed");
	struct at_error err = { 0 };

	if (!in->ask->acts)
		return true;
	if (column == AT_NO_COLUMN) {
		column = table->columns;
		if (!at_table_add_column(table, in->gate.arena, "consumed", &err))
			return decide(in, AT_RULE_FAULT, in->latest, err.message);
	}
	at_table_set(&table->rows[in->latest->number - 1], column, at_bytes_of("yes"));
	if (!at_table_replace(table, in->gate.ground->team, AT_DECISIONS, &err))
		return decide(in, AT_RULE_FAULT, in->latest, err.message);
	in->out->is_spent = true;
	return true;
}

/* reference-ledgers 2.5, in its order. */
static void walk(struct asking *in)
{
	static bool (*const steps[])(struct asking *) = {
		ask_halts,
		ask_switch,
		ask_latest_halt,
		ask_waiver,
		ask_decision,
	};

	for (size_t i = 0; i < AT_LEN(steps); i++)
		if (!steps[i](in))
			return;
	if (spend_decision(in))
		note_suffix(in);
}

static bool read_all(struct asking *in, struct at_arena *arena,
	const struct at_clearance_ground *ground, struct at_error *err)
{
	return at_gate_open(&in->gate, arena, ground, err)
		&& (ground->team < 0 || at_waivers_load(&in->waivers, arena, ground->team, err));
}

/* Two that act take turns, from reading to writing, with whoever appends as well. -1 where there is
 * nothing to lock. */
static bool lock(
	int *out, const struct at_clearance_ground *ground, bool acts, struct at_error *err)
{
	*out = -1;
	if (!acts || ground->team < 0 || at_file_type(ground->team, "references") == AT_FILE_ABSENT)
		return true;
	*out = at_file_open_dir(ground->team, "references", err);
	if (*out < 0)
		return false;
	if (at_lock_wait(*out))
		return true;
	at_fail(err, AT_EEXIST, "another run is writing the ledgers of the team");
	close(*out);
	return false;
}

bool at_clearance_ask(struct at_clearance *out, struct at_arena *arena,
	const struct at_clearance_ground *ground, const struct at_clearance_ask *ask,
	struct at_error *err)
{
	struct asking in = {
		.ask = ask, .out = out, .action = at_field_strip(at_bytes_of(ask->action))
	};
	struct at_error fault = { 0 };
	int held = -1;

	*out = (struct at_clearance){ .rule = AT_RULE_FAULT, .reason = "", .note = "" };
	in.gate.arena = arena;
	if (lock(&held, ground, ask->acts, &fault) && read_all(&in, arena, ground, &fault))
		walk(&in);
	else
		decide(&in, AT_RULE_FAULT, NULL, fault.message);
	if (held >= 0)
		close(held);
	if (out->is_clear)
		return true;
	at_fail(err, AT_EREFUSED, "%s is not cleared (%s): %s", ask->action,
		at_clearance_rule_name(out->rule), out->reason);
	at_error_name(err, at_clearance_rule_name(out->rule));
	at_error_hint(err, "atconsole --check-clearance %s asks again without spending anything.",
		ask->action);
	return false;
}
