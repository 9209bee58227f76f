/* mode_decisions.c - --verify-decisions and --check-clearance: what the ledger holds. (KEY-12) */
#include <stdio.h>

#include "core/mem.h"
#include "views/decision_ground.h"
#include "views/modes.h"
#include "views/out.h"

static const char *head_word(const struct at_decisions_report *report)
{
	static const char *const words[] = {
		[AT_HEAD_NONE] = "unanchored: a tail that was cut off would not show",
		[AT_HEAD_ANCHORED] = "anchored by its signed head",
		[AT_HEAD_BEHIND] = "its signed head counts fewer rows: the last are not anchored",
		[AT_HEAD_BAD] = "its head does not hold",
	};

	return words[report->head];
}

static void put(struct at_buf *out, struct at_bytes text)
{
	at_buf_put(out, text.data, text.len);
}

static void print_row(struct at_buf *out, const struct at_decision *row, enum at_seal seal)
{
	at_buf_printf(out, "row %-4zu ", row->number);
	put(out, row->date);
	at_buf_puts(out, "  ");
	put(out, row->verdict);
	at_buf_puts(out, "  ");
	put(out, row->action);
	at_buf_puts(out, "  by ");
	put(out, row->author);
	at_buf_printf(out, "  %s%s%s\n", at_seal_name(seal),
		row->consumed == AT_CONSUMED_YES ? ", spent" : "", row->is_torn ? ", torn" : "");
}

static void print(const struct at_decisions_report *r, const char *team)
{
	struct at_buf text = { 0 };

	if (!r->decisions.table.exists)
		at_buf_printf(&text, "No security decisions found at %s/" AT_DECISIONS "\n", team);
	else
		at_buf_printf(&text, "%s/" AT_DECISIONS ": %zu row(s), %s\n", team,
			r->decisions.count, head_word(r));
	at_buf_printf(&text, "signing is %s, the switch is %s%s\n",
		r->is_signing ? "active" : "not active", r->is_enforced ? "on" : "off",
		r->is_governed ? ": HMAC alone relaxes nothing" : "");
	for (size_t i = 0; i < r->decisions.count; i++)
		print_row(&text, &r->decisions.rows[i], r->seals[i]);
	for (size_t i = 0; i < r->open_count; i++) {
		const struct at_decision *row = &r->decisions.rows[r->open_halts[i] - 1];

		at_buf_printf(&text, "OPEN HALT  row %zu: ", row->number);
		put(&text, row->action);
		at_buf_puts(
			&text, "; no PASS and no waiver passes it, only a HALT-RETRACTED row\n");
	}
	for (size_t i = 0; i < r->finding_count; i++)
		if (r->findings[i].row)
			at_buf_printf(&text, "[BAD] row %zu: %s\n", r->findings[i].row,
				r->findings[i].text);
		else
			at_buf_printf(&text, "[BAD] %s\n", r->findings[i].text);
	if (!r->finding_count && r->decisions.table.exists)
		at_buf_puts(&text, "Every row that authorises something holds.\n");
	at_out_text(&text);
	at_buf_free(&text);
}

static void row_to_json(struct at_json_value *to, const struct at_decision *row, enum at_seal seal)
{
	at_json_add_number(to, "row", (long long)row->number);
	at_json_add_number(to, "line", (long long)row->line);
	at_json_add_bytes(to, "date", row->date);
	at_json_add_bytes(to, "action", row->action);
	at_json_add_bytes(to, "verdict", row->verdict);
	at_json_add_bytes(to, "author", row->author);
	at_json_add_bytes(to, "scope", row->extension[AT_EXT_SCOPE]);
	at_json_add_bytes(to, "derives_from", row->derives_from);
	at_json_add_text(to, "signature", at_seal_name(seal));
	at_json_add_bool(to, "consumed", row->consumed == AT_CONSUMED_YES);
	at_json_add_bool(to, "torn", row->is_torn);
}

static void print_json(const struct at_decisions_report *r, const char *team)
{
	static const char *const heads[] = { [AT_HEAD_NONE] = "unanchored",
		[AT_HEAD_ANCHORED] = "anchored",
		[AT_HEAD_BEHIND] = "behind",
		[AT_HEAD_BAD] = "bad" };
	struct at_json_value *json = at_json_object(), *list;

	at_json_add_text(json, "team", team);
	at_json_add_bool(json, "exists", r->decisions.table.exists);
	at_json_add_text(json, "head", heads[r->head]);
	at_json_add_bool(json, "signing_active", r->is_signing);
	at_json_add_bool(json, "signing_enforced", r->is_enforced);
	at_json_add_bool(json, "governed", r->is_governed);
	list = at_json_add_array(json, "rows");
	for (size_t i = 0; i < r->decisions.count; i++)
		row_to_json(at_json_add_object(list, NULL), &r->decisions.rows[i], r->seals[i]);
	list = at_json_add_array(json, "open_halts");
	for (size_t i = 0; i < r->open_count; i++)
		at_json_add_number(list, NULL, (long long)r->open_halts[i]);
	list = at_json_add_array(json, "findings");
	for (size_t i = 0; i < r->finding_count; i++) {
		struct at_json_value *one = at_json_add_object(list, NULL);

		at_json_add_number(one, "row", (long long)r->findings[i].row);
		at_json_add_text(one, "text", r->findings[i].text);
	}
	at_out_json(json);
}

int at_mode_verify_decisions(struct at_session *session)
{
	struct at_arena *arena = at_arena_new();
	struct at_clearance_ground ground;
	struct at_decisions_report report;
	struct at_error err;
	int status;

	if (!at_decision_ground_open(&ground, session, &err)
		|| !at_decisions_audit(&report, arena, &ground, &err)) {
		status = at_out_error(&err);
	} else {
		if (session->options->json)
			print_json(&report, ground.team_path);
		else
			print(&report, ground.team_path);
		status = report.finding_count ? 1 : 0;
	}
	at_decision_ground_close(&ground);
	at_arena_free(arena);
	return status;
}

static void tell(const struct at_clearance *said, const char *action)
{
	struct at_buf text = { 0 };

	at_buf_printf(&text, "%s: %s is %s by rule %s", said->is_clear ? "CLEAR" : "BLOCKED",
		action, said->is_clear ? "cleared" : "stopped", at_clearance_rule_name(said->rule));
	if (said->row)
		at_buf_printf(&text, ", row %zu", said->row);
	if (said->waiver)
		at_buf_printf(&text, ", waiver %s", said->waiver);
	at_buf_putc(&text, '\n');
	if (*said->reason)
		at_buf_printf(&text, "%s\n", said->reason);
	if (*said->note)
		at_buf_printf(&text, "note: %s\n", said->note);
	at_buf_puts(&text, "asked only: nothing was spent\n");
	at_out_text(&text);
	at_buf_free(&text);
}

static void tell_json(const struct at_clearance *said, const char *action)
{
	struct at_json_value *json = at_json_object();

	at_json_add_text(json, "action", action);
	at_json_add_bool(json, "clear", said->is_clear);
	at_json_add_text(json, "rule", at_clearance_rule_name(said->rule));
	at_json_add_number(json, "row", (long long)said->row);
	at_json_add_text(json, "waiver", said->waiver);
	at_json_add_text(json, "reason", said->reason);
	at_json_add_text(json, "note", said->note);
	at_json_add_bool(json, "spent", said->is_spent);
	at_out_json(json);
}

int at_mode_check_clearance(struct at_session *session)
{
	const struct at_clearance_ask ask = { session->options->check_clearance, false, false };
	struct at_arena *arena = at_arena_new();
	struct at_clearance_ground ground;
	struct at_clearance said;
	struct at_error err;
	int status;

	if (!at_decision_ground_open(&ground, session, &err)) {
		status = at_out_error(&err);
	} else {
		at_clearance_ask(&said, arena, &ground, &ask, NULL);
		if (session->options->json)
			tell_json(&said, ask.action);
		else
			tell(&said, ask.action);
		status = said.is_clear ? 0 : 1;
	}
	at_decision_ground_close(&ground);
	at_arena_free(arena);
	return status;
}
