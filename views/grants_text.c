#include "views/grants_text.h"

#include <string.h>

#include "core/mem.h"
#include "keys/field.h"
#include "keys/grant_spec.h"

/* What a row that stopped at a check is called, in a word or two. */
static const char *const words[AT_GRANT_CHECKS + 1] = {
	[AT_GRANT_CHECK_FIELDS] = "incomplete",
	[AT_GRANT_CHECK_CLEAR] = "ambiguous",
	[AT_GRANT_CHECK_SCHEME] = "HMAC write",
	[AT_GRANT_CHECK_SIGNATURE] = "not verified",
	[AT_GRANT_CHECK_DATE] = "bad date",
	[AT_GRANT_CHECK_EXPIRY] = "expired",
	[AT_GRANT_CHECK_NUMBERS] = "bad number",
	[AT_GRANT_CHECK_USES] = "exhausted",
	[AT_GRANT_CHECK_APPROVER] = "no approver",
	[AT_GRANT_CHECK_TARGET] = "bad target",
	[AT_GRANT_CHECK_ANCHOR] = "outside root",
	[AT_GRANT_CHECKS] = "valid",
};

bool at_grants_are_fit(const struct at_grants_list *list)
{
	return !list->is_done
		|| (!list->is_unread && list->grants.ledger.verdict <= AT_LEDGER_ABSENT);
}

const char *at_grant_line_word(const struct at_grants_list *list, const struct at_grant_line *line)
{
	if (!at_grants_are_fit(list))
		return "void";
	if (!list->is_done && line->failed == AT_GRANT_CHECKS)
		return "fits so far";
	return words[line->failed];
}

static size_t count_ours(const struct at_grants_list *list)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		count += list->lines[i].is_ours && list->lines[i].widens;
	return count;
}

void at_grants_summary(struct at_buf *out, const struct at_grants_list *list)
{
	const struct at_grants *g = &list->grants;
	struct at_buf state = { 0 };

	if (!list->is_done) {
		unsigned percent = list->size && list->count
			? (unsigned)((list->lines[list->count - 1].start * 100) / list->size) : 0;

		at_buf_printf(out, "verifying, %u%%: %zu rows so far, none counts yet", percent,
			list->count);
		return;
	}
	if (list->is_unread) {
		at_buf_printf(out, "cannot be read: %s", list->error.message);
		return;
	}
	if (g->ledger.verdict == AT_LEDGER_ABSENT) {
		at_buf_puts(out, "no grant: there is no ledger");
		return;
	}
	if (g->ledger.verdict != AT_LEDGER_GOOD) {
		at_buf_printf(out, "NOT ONE COUNTS: %s", g->ledger.fault.message);
		return;
	}
	at_ledger_describe(&state, &g->ledger);
	at_buf_printf(out, "%s; %zu valid, %zu not; %zu widen%s this team", at_buf_text(&state),
		g->valid, g->bad, count_ours(list), count_ours(list) == 1 ? "s" : "");
	at_buf_free(&state);
}

static void put_cell(struct at_buf *out, struct at_bytes cell)
{
	cell = at_field_strip(cell);
	at_buf_put(out, cell.data, cell.len);
}

static void put_days(struct at_buf *out, const struct at_grant_line *line)
{
	if (!line->has_expiry)
		return; /* not looked at: an earlier check failed */
	if (line->days < 0)
		at_buf_puts(out, "over  ");
	else if (line->days == 0)
		at_buf_puts(out, "ends today  ");
	else
		at_buf_printf(out, "%d day%s  ", line->days, line->days == 1 ? "" : "s");
}

void at_grant_line_text(struct at_buf *out, const struct at_grants_list *list, size_t i)
{
	const struct at_grant_line *line = &list->lines[i];
	struct at_grant_shown shown;

	if (!at_grants_list_show(&shown, list, i, false, NULL)) {
		at_buf_puts(out, "the ledger changed: read it again");
		at_grant_shown_free(&shown);
		return;
	}
	put_days(out, line);
	put_cell(out, shown.cells[AT_GRANT_TARGET]);
	at_buf_puts(out, "  ");
	put_cell(out, shown.cells[AT_GRANT_OPS]);
	at_buf_puts(out, " for ");
	put_cell(out, shown.cells[AT_GRANT_HOLDER]);
	at_grant_shown_free(&shown);
}

static void put_checks(struct at_buf *out, const struct at_grant_verdict *verdict)
{
	static const char *const results[] = { "not reached", "holds", "FAILS" };

	for (int c = 0; c < AT_GRANT_CHECKS; c++) {
		at_buf_printf(
			out, "  %-12s %s", at_grant_check_name(c), results[verdict->results[c]]);
		if (verdict->results[c] == AT_GRANT_FAIL)
			at_buf_printf(out, ": it asks that %s", at_grant_check_help(c));
		at_buf_puts(out, "\n");
	}
}

static void put_opening(struct at_buf *out, const struct at_grants_list *list, size_t i,
	const struct at_grant_shown *shown)
{
	const struct at_grant_line *line = &list->lines[i];

	if (!at_grants_are_fit(list))
		at_buf_puts(out, "It opens nothing: the ledger as a whole is not good.\n");
	else if (!line->widens)
		at_buf_puts(out, shown->verdict.is_valid
				? "It is valid and opens nothing: only `write` widens a sandbox.\n"
				: "It opens nothing.\n");
	else if (!line->is_ours)
		at_buf_printf(out, "It opens nothing here: this team is `%s`.\n",
			list->session->request.team_id);
	else
		at_buf_printf(out, "It opens %.*s to be written by this team, from the next --update "
				   "and merge on.\n",
			(int)shown->verdict.target.len, shown->verdict.target.data);
}

void at_grant_detail(struct at_buf *out, const struct at_grants_list *list, size_t i,
	const struct at_grant_shown *shown)
{
	at_buf_printf(out, "Row %zu: %s\n\n", i + 1, at_grant_line_word(list, &list->lines[i]));
	put_opening(out, list, i, shown);
	if (!shown->verdict.is_valid)
		at_buf_printf(out, "Why: %s\n", shown->verdict.fault.message);
	if (shown->verdict.failed == AT_GRANT_CHECK_SCHEME)
		at_buf_puts(out, "s signs it anew, by Ed25519; this row stays and opens nothing.\n");
	at_buf_puts(out, "\nChecks, in their order:\n");
	put_checks(out, &shown->verdict);
	at_buf_puts(out, "\nFields:\n");
	for (int c = 0; c < AT_GRANT_COLUMNS; c++)
		if (shown->cells[c].len)
			at_buf_printf(out, "  %-14s %.*s\n", at_grant_kind.columns[c],
				(int)shown->cells[c].len, shown->cells[c].data);
	at_buf_printf(out, "\nthe team of this project: %s. Such a name must be one team's alone "
			   "among all your workspaces: a grant reaches whoever bears it.\n\n%s\n",
		list->session->request.team_id, at_grant_latency_note);
}

static void ledger_to_json(struct at_json_value *out, const struct at_grants_list *list)
{
	static const char *const verdicts[] = { "good", "absent", "malformed", "broken", "truncated",
		"head" };
	static const char *const heads[] = { "none", "anchored", "behind", "bad" };
	const struct at_grants *g = &list->grants;

	at_json_add_text(out, "verdict",
		list->is_unread ? "unreadable" : verdicts[g->ledger.verdict]);
	if (!at_grants_are_fit(list))
		at_json_add_text(out, "fault",
			list->is_unread ? list->error.message : g->ledger.fault.message);
	at_json_add_text(out, "head", heads[g->ledger.head]);
	at_json_add_number(out, "rows", (long long)g->ledger.rows);
	at_json_add_number(out, "torn_bytes", (long long)g->ledger.torn);
	at_json_add_number(out, "ragged_rows", (long long)g->ledger.ragged);
	at_json_add_number(out, "valid", (long long)g->valid);
	at_json_add_number(out, "bad", (long long)g->bad);
	at_json_add_number(out, "widening_here", (long long)count_ours(list));
}

static void line_to_json(struct at_json_value *array, const struct at_grants_list *list, size_t i)
{
	static const char *const results[] = { "not-reached", "pass", "fail" };
	struct at_json_value *row = at_json_add_object(array, NULL), *checks;
	const struct at_grant_line *line = &list->lines[i];
	struct at_grant_shown shown;

	at_json_add_number(row, "row", (long long)i + 1);
	at_json_add_bool(row, "counts", at_grants_are_fit(list) && line->failed == AT_GRANT_CHECKS);
	at_json_add_bool(row, "widens_here",
		at_grants_are_fit(list) && line->widens && line->is_ours);
	if (line->has_expiry)
		at_json_add_number(row, "days_left", line->days);
	if (at_grants_list_show(&shown, list, i, true, NULL)) {
		if (!shown.verdict.is_valid)
			at_json_add_text(row, "problem", shown.verdict.fault.message);
		for (int c = 0; c < AT_GRANT_COLUMNS; c++)
			at_json_add_bytes(row, at_grant_kind.columns[c], shown.cells[c]);
		checks = at_json_add_object(row, "checks");
		for (int c = 0; c < AT_GRANT_CHECKS; c++)
			at_json_add_text(checks, at_grant_check_name(c),
				results[shown.verdict.results[c]]);
	}
	at_grant_shown_free(&shown);
}

/* KEY-10: what was signed by HMAC and writes, as what to sign instead. */
static size_t migrations(struct at_grant_migration **out, struct at_arena *arena,
	const struct at_grants_list *list)
{
	struct at_open_site site;
	size_t count = 0, i = 0;

	while (i < list->count && list->lines[i].failed != AT_GRANT_CHECK_SCHEME)
		i++;
	if (i == list->count)
		return 0;
	at_site_open(&site, list->session);
	if (!at_grants_migrations(out, &count, arena, &site.site, NULL))
		count = 0;
	at_site_close(&site);
	return count;
}

static void migrations_print(struct at_buf *out, const struct at_grants_list *list)
{
	struct at_arena *arena = at_arena_new();
	struct at_grant_migration *items;
	size_t count = migrations(&items, arena, list);

	for (size_t i = 0; i < count; i++) {
		if (items[i].is_done)
			continue;
		at_buf_printf(out, "to sign anew: %s", items[i].grant_id);
		if (items[i].why_not) {
			at_buf_printf(out, ", but it would not hold: %s\n", items[i].why_not);
			continue;
		}
		at_buf_puts(out, "; add a key_id to this and give it to --sign-grant:\n");
		at_grant_spec_print(out, items[i].spec);
	}
	at_arena_free(arena);
}

static void migrations_to_json(struct at_json_value *array, const struct at_grants_list *list)
{
	struct at_arena *arena = at_arena_new();
	struct at_grant_migration *items;
	size_t count = migrations(&items, arena, list);

	for (size_t i = 0; i < count; i++) {
		struct at_json_value *one = at_json_add_object(array, NULL);
		struct at_buf spec = { 0 };

		at_json_add_text(one, "grant_id", items[i].grant_id);
		at_json_add_bool(one, "is_done", items[i].is_done);
		at_json_add_text(one, "why_not", items[i].why_not);
		at_grant_spec_print(&spec, items[i].spec);
		at_json_add_text(one, "spec", at_buf_text(&spec));
		at_buf_free(&spec);
	}
	at_arena_free(arena);
}

void at_grants_to_json(struct at_json_value *out, const struct at_grants_list *list)
{
	struct at_json_value *array;

	at_json_add_text(out, "team_id", list->session->request.team_id);
	ledger_to_json(at_json_add_object(out, "ledger"), list);
	array = at_json_add_array(out, "grants");
	for (size_t i = 0; i < list->count; i++)
		line_to_json(array, list, i);
	migrations_to_json(at_json_add_array(out, "to_sign_anew"), list);
	at_json_add_text(out, "note", at_grant_latency_note);
	if (*list->grants.warning)
		at_json_add_text(out, "warning", list->grants.warning);
}

void at_grants_print(struct at_buf *out, const struct at_grants_list *list)
{
	at_buf_printf(out, "%-10s %s\n", "team", list->session->request.team_id);
	at_buf_printf(out, "%-10s ", "ledger");
	at_grants_summary(out, list);
	at_buf_puts(out, "\n");
	for (size_t i = 0; i < list->count; i++) {
		at_buf_printf(out, "%4zu  %-12s ", i + 1,
			at_grant_line_word(list, &list->lines[i]));
		at_grant_line_text(out, list, i);
		at_buf_puts(out, "\n");
	}
	migrations_print(out, list);
	if (*list->grants.warning)
		at_buf_printf(out, "%s\n", list->grants.warning);
	if (list->count)
		at_buf_printf(out, "%s\n", at_grant_latency_note);
}
