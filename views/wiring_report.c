/* wiring_report.c - the Wiring view's model without a screen. */
#include "core/json_write.h"
#include "views/proof_rows.h"
#include "views/view_wiring.h"
#include "views/wiring_rows.h"

/* Findings and ceilings have a form of their own in the report around this. */
static bool is_left_out(const struct at_wiring_rows *rows, size_t i)
{
	switch (rows->rows[i].kind) {
	case AT_ROW_FINDING:
	case AT_ROW_OKAYS:
	case AT_ROW_CEILING:
		return true;
	case AT_ROW_HEADING:
		return i + 1 == rows->count || is_left_out(rows, i + 1);
	default:
		return false;
	}
}

void at_wiring_report_print(const struct at_session *session,
	const struct at_collected *collected, struct at_buf *out)
{
	struct at_wiring_rows rows = { 0 };
	struct at_wiring_answer answer;
	struct at_line line = { 0 };

	at_wiring_answer(&answer, collected);
	at_buf_printf(out, "%s %s. %s\n", answer.question, answer.word, answer.why);
	at_wiring_rows_make(&rows, session, collected);
	for (size_t i = 0; i < rows.count; i++) {
		if (is_left_out(&rows, i))
			continue;
		at_line_clear(&line);
		at_wiring_row_line(&rows, i, &line);
		at_buf_printf(out, "%s%s\n", rows.rows[i].kind == AT_ROW_HEADING ? "" : "  ",
			at_buf_text(&line.spans.text));
	}
	at_line_free(&line);
	at_wiring_rows_free(&rows);
}

static void hook_to_json(const struct at_session *session, const struct at_hook_found *hook,
	struct at_json_value *out)
{
	const struct at_hook_verdict *v = at_hook_book_find(&session->hooks, hook->command);

	at_json_add_text(out, "event", hook->event);
	at_json_add_text(out, "matcher", hook->matcher);
	at_json_add_text(out, "command", hook->command);
	at_json_add_text(out, "origin", *hook->origin ? hook->origin : NULL);
	at_json_add_bool(out, "ours", hook->is_ours);
	at_json_add_text(out, "result", v ? at_hook_result_name(v->result) : NULL);
	at_json_add_text(out, "direction",
		v && v->direction ? at_hook_direction_name(v->direction) : NULL);
	at_json_add_text(out, "text", v ? v->text : NULL);
}

/* null where the team has no launcher, or nothing was tried. */
static void sections_to_json(const struct at_session *session,
	const struct at_collected *collected, struct at_json_value *out)
{
	struct at_wiring_rows rows = { 0 };

	at_wiring_rows_make(&rows, session, collected);
	if (rows.launch.arena)
		at_launch_to_json(&rows.launch, at_json_add_object(out, "launch"));
	else
		at_json_add_null(out, "launch");
	if (rows.host.arena)
		at_host_to_json(&rows.host, collected->evidence.mechanism,
			at_json_add_object(out, "host_check"));
	else
		at_json_add_null(out, "host_check");
	at_wiring_rows_free(&rows);
}

void at_wiring_report_json(const struct at_session *session, const struct at_collected *collected,
	struct at_json_value *out)
{
	struct at_json_value *hooks;
	struct at_wiring_answer answer;

	at_wiring_answer(&answer, collected);
	at_json_add_text(out, "would_load", collected->has_settings ? answer.word : NULL);
	at_json_add_text(out, "would_load_why", collected->has_settings ? answer.why : NULL);
	at_json_add_text(out, "launcher", at_wiring_launcher_word(collected));
	at_proof_rows_json(collected, out);
	at_teams_to_json(&collected->teams, out);
	at_effective_to_json(&collected->effective, at_json_add_object(out, "effective"));
	sections_to_json(session, collected, out);
	hooks = at_json_add_array(out, "hooks");
	for (size_t i = 0; i < collected->hooks.count; i++)
		hook_to_json(session, &collected->hooks.items[i], at_json_add_object(hooks, NULL));
	at_json_add_text(out, "gate_fault",
		collected->has_settings ? at_collected_gate_fault(collected, session) : NULL);
}
