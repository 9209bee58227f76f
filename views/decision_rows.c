#include "views/decision_rows.h"

#include "core/mem.h"
#include "views/decision_ground.h"

void at_decision_rows_make(struct at_decision_rows *rows, struct at_session *session)
{
	struct at_clearance_ground ground = { .team = -1 };

	*rows = (struct at_decision_rows){ .arena = at_arena_new() };
	if (at_decision_ground_open(&ground, session, &rows->fault) && ground.team >= 0
		&& at_decisions_audit(&rows->report, rows->arena, &ground, &rows->fault))
		rows->count = rows->report.decisions.count;
	at_decision_ground_close(&ground);
}

void at_decision_rows_free(struct at_decision_rows *rows)
{
	at_arena_free(rows->arena);
	*rows = (struct at_decision_rows){ 0 };
}

bool at_decision_rows_are_bad(const struct at_decision_rows *rows)
{
	return rows->fault.code != AT_OK || rows->report.finding_count || rows->report.open_count;
}

void at_decision_rows_summary(struct at_buf *out, const struct at_decision_rows *rows)
{
	static const char *const heads[] = { "unanchored", "anchored", "anchored in part",
		"its head does not hold" };
	const struct at_decisions_report *r = &rows->report;

	if (rows->fault.code != AT_OK)
		at_buf_printf(out, "cannot be read: %s", rows->fault.message);
	else if (!r->decisions.table.exists)
		at_buf_puts(out, "none");
	else
		at_buf_printf(out, "%zu, %s; unsigned ones %s", rows->count, heads[r->head],
			r->is_enforced || r->is_signing ? "clear nothing" : "clear");
	if (r->open_count)
		at_buf_printf(out, "; %zu OPEN HALT%s", r->open_count, r->open_count == 1 ? "" : "S");
	if (r->finding_count)
		at_buf_printf(out, "; %zu do%s not hold", r->finding_count,
			r->finding_count == 1 ? "es" : "");
}

static bool is_open_halt(const struct at_decisions_report *r, size_t number)
{
	for (size_t i = 0; i < r->open_count; i++)
		if (r->open_halts[i] == number)
			return true;
	return false;
}

static const char *fault_of(const struct at_decisions_report *r, size_t number)
{
	for (size_t i = 0; i < r->finding_count; i++)
		if (r->findings[i].row == number || r->findings[i].row == 0)
			return r->findings[i].text;
	return NULL;
}

void at_decision_row_line(const struct at_decision_rows *rows, size_t i, struct at_line *out)
{
	const struct at_decisions_report *r = &rows->report;
	const struct at_decision *row = &r->decisions.rows[i];
	bool is_open = is_open_halt(r, row->number), is_bad = fault_of(r, row->number) != NULL;

	at_line_textf(out, is_open || is_bad ? AT_STYLE_TRUTH_BAD : AT_STYLE_NORMAL, "%-12s ",
		is_open                                    ? "OPEN HALT"
			: is_bad                           ? "NOT HELD"
			: row->consumed == AT_CONSUMED_YES ? "spent"
							   : "holds");
	at_line_add(out, AT_STYLE_NORMAL, row->verdict);
	at_line_text(out, AT_STYLE_DIM, "  ");
	at_line_add(out, AT_STYLE_NORMAL, row->action);
	at_line_text(out, AT_STYLE_DIM, "  by ");
	at_line_add(out, AT_STYLE_NORMAL, row->author);
	at_line_textf(out, AT_STYLE_DIM, ", %s", at_seal_name(r->seals[i]));
}

static void put_field(struct at_buf *out, const char *name, struct at_bytes value)
{
	if (value.len)
		at_buf_printf(out, "  %-20s %.*s\n", name, (int)value.len, value.data);
}

void at_decision_row_detail(struct at_buf *out, const struct at_decision_rows *rows, size_t i)
{
	const struct at_decisions_report *r = &rows->report;
	const struct at_decision *row = &r->decisions.rows[i];
	const char *fault = fault_of(r, row->number);

	at_buf_printf(out, "Decision %zu: %.*s\n\n", row->number, (int)row->verdict.len,
		row->verdict.data);
	if (is_open_halt(r, row->number))
		at_buf_puts(out, "It stops its action: no PASS, no waiver and no grant passes it, only a "
				 "HALT-RETRACTED row that says why.\n");
	if (fault)
		at_buf_printf(out, "Why it does not hold: %s\n", fault);
	if (row->consumed == AT_CONSUMED_YES)
		at_buf_puts(out, "It was spent: it cleared once and clears no more.\n");
	at_buf_printf(out, "\nsigned by: %s\n\nFields:\n", at_seal_name(r->seals[i]));
	put_field(out, "date", row->date);
	put_field(out, "action", row->action);
	put_field(out, "author", row->author);
	put_field(out, "conditions_verified", row->conditions_verified);
	put_field(out, "evidence", row->evidence);
	put_field(out, "derives_from", row->derives_from);
	put_field(out, "key_id", row->key_id);
	for (int e = 0; e < AT_EXT_COUNT; e++)
		put_field(out, at_extension_names[e], row->extension[e]);
	at_buf_puts(out, "\natconsole --check-clearance ACTION says what would pass, and by which rule; "
			 "--sign-decision SPEC signs a new one.\n");
}
