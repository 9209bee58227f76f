/* Every recorded ledger gets the recorded verdict, or a stricter one with its reason. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "keys/ledger_ground.h"

#include "core/json_read.h"
#include "keys/field.h"

static const struct at_json_limits limits = { 1u << 20, 16 };

struct vectors {
	struct at_json doc;
	struct at_arena *arena;
};

static struct vectors load(struct ledger_ground *g, const char *path)
{
	struct vectors v = { .arena = g->arena };

	if (!at_json_read(&v.doc, ground_vector(g, path), &limits, 0, &g->err))
		fail_msg("%s: %s", path, g->err.message);
	return v;
}

static struct at_bytes text(const struct vectors *v, uint32_t of, const char *key)
{
	uint32_t node = at_json_member(&v->doc, of, key);

	return at_json_is(&v->doc, node, AT_JSON_STRING) ? at_json_string(&v->doc, node, v->arena)
							 : (struct at_bytes){ NULL, 0 };
}

/* Where this program says something else about a ledger, and why. `says` is in what it says; NULL:
 * it finds nothing wrong. */
static const struct {
	const char *name, *says, *why;
} differences[] = {
	{ "09-truncated-mid-row", NULL,
		"KEY-11: a last line without its end is a torn write, absent and told" },
	{ "12-invalid-utf8", "no UTF-8 in line 4", "5 row 5: an ordinary refusal, no exception" },
	{ "28a-pipe-original-signed", "is ambiguous: its ticket_id holds `|`", "5 row 2" },
	{ "28b-pipe-shifted-not-resigned", "is ambiguous: its reason_code holds `|`", "5 row 2" },
	{ "28c-pipe-target-original-signed", "is ambiguous: its target_path holds `|`", "5 row 2" },
	{ "28d-pipe-target-shifted", "is ambiguous: its permitted_ops holds `|`", "5 row 2" },
	{ "28e-pipe-privilege-shift", "is ambiguous: its permitted_ops holds `|`", "5 row 2" },
	{ "35-target-root-signed", "filesystem root", "5 row 4: the shape is asked at every read" },
	{ "36-target-home-signed", "is home-rooted", "5 row 4" },
	{ "37-target-dotdot-signed", "escapes its workspace", "5 row 4" },
	{ "41-newline-in-field", "is ambiguous: its reason_code holds a control character",
		"5 row 2" },
	{ "50-quote-unbalanced", "a quote stands where none may stand",
		"RFC 4180 (KEY-11): refused before the chain is asked" },
};

struct said {
	struct at_buf lines;
	size_t count, widening;
	struct at_arena *arena;
};

static bool listen(void *context, const struct at_ledger_row *row,
	const struct at_grant_verdict *verdict, struct at_error *err)
{
	struct said *said = context;
	bool failed = false;

	(void)err;
	(void)row;
	for (unsigned c = 0; c < AT_GRANT_CHECKS; c++) {
		failed = failed || verdict->results[c] == AT_GRANT_FAIL;
		if (failed && c > verdict->failed)
			assert_int_equal(verdict->results[c], AT_GRANT_NOT_REACHED);
	}
	assert_true(failed == !verdict->is_valid);
	said->widening += verdict->widens;
	if (!verdict->is_valid) {
		said->count++;
		at_buf_printf(&said->lines, "%s\n", verdict->fault.message);
	}
	return true;
}

static struct said hear(struct ledger_ground *g, enum at_grant_mode mode, struct at_grants *grants)
{
	struct said said = { .arena = g->arena };

	if (!at_grants_walk(grants, &g->site, mode, listen, &said, &g->err))
		fail_msg("walk: %s", g->err.message);
	if (grants->ledger.verdict != AT_LEDGER_GOOD && grants->ledger.verdict != AT_LEDGER_ABSENT) {
		at_buf_free(&said.lines);
		at_buf_printf(&said.lines, "%s\n", grants->ledger.fault.message);
		said.count = 1;
		said.widening = 0;
	}
	return said;
}

static struct at_buf recorded_lines(const struct vectors *v, uint32_t result)
{
	struct at_buf out = { 0 };

	at_json_each(&v->doc, i, at_json_member(&v->doc, result, "problems")) {
		struct at_bytes line = at_json_string(&v->doc, i, v->arena);

		at_buf_put(&out, line.data, line.len);
		at_buf_putc(&out, '\n');
	}
	return out;
}

static size_t difference_of(struct at_bytes name)
{
	size_t i = 0;

	while (i < AT_LEN(differences) && !at_bytes_equal_text(name, differences[i].name))
		i++;
	return i;
}

static void set_ground(struct ledger_ground *g, const struct vectors *v, uint32_t result)
{
	struct at_bytes roster = text(v, result, "roster"), key = text(v, result, "key");
	char path[256];

	if (roster.data && at_bytes_equal_text(roster, "<default>"))
		roster = text(v, AT_JSON_ROOT, "default_roster");
	if (key.data && at_bytes_equal_text(key, "<default>"))
		key = text(v, AT_JSON_ROOT, "key");
	ground_roster(g, roster.data);
	g->site.hmac_key = key.data ? key : (struct at_bytes){ "", 0 };
	snprintf(path, sizeof(path), "grants-hmac/%s", text(v, result, "file").data);
	ground_ledger(g, ground_vector(g, path));
}

/* Apart from the scheme of `write`, which has its own test below. */
static void key_3_every_recorded_ledger(void **state)
{
	struct ledger_ground g;
	struct vectors v;
	size_t cases = 0, differed = 0;

	(void)state;
	ground_open(&g);
	v = load(&g, "grants-hmac/verdicts.json");
	at_json_each(&v.doc, i, at_json_member(&v.doc, AT_JSON_ROOT, "results")) {
		struct at_bytes name = text(&v, i, "name");
		size_t d = difference_of(name);
		struct at_buf want = recorded_lines(&v, i);
		struct at_grants grants;
		struct said said;

		set_ground(&g, &v, i);
		said = hear(&g, AT_GRANT_MIGRATION, &grants);
		cases++;
		if (d == AT_LEN(differences) &&
			strcmp(at_buf_text(&said.lines), at_buf_text(&want)) != 0)
			fail_msg("%s:\n%swanted\n%s", name.data, at_buf_text(&said.lines),
				at_buf_text(&want));
		if (d < AT_LEN(differences)) {
			const char *says = differences[d].says;

			differed++;
			if (says ? !strstr(at_buf_text(&said.lines), says) : said.count != 0)
				fail_msg("%s: %s", name.data, at_buf_text(&said.lines));
			if (strcmp(at_buf_text(&said.lines), at_buf_text(&want)) == 0)
				fail_msg("%s: no difference: take it off the table", name.data);
		}
		at_buf_free(&said.lines);
		at_buf_free(&want);
	}
	assert_int_equal(cases, 55);
	assert_int_equal(differed, AT_LEN(differences));
	at_json_free(&v.doc);
	ground_close(&g);
}

/* KEY-5: none of these ledgers, all HMAC, widens anything, and each row that writes says why. */
static void key_5_no_hmac_row_widens(void **state)
{
	struct ledger_ground g;
	struct vectors v;
	size_t refused = 0;

	(void)state;
	ground_open(&g);
	v = load(&g, "grants-hmac/verdicts.json");
	at_json_each(&v.doc, i, at_json_member(&v.doc, AT_JSON_ROOT, "results")) {
		struct at_grants full, lax;
		struct said strict, loose;

		set_ground(&g, &v, i);
		loose = hear(&g, AT_GRANT_MIGRATION, &lax);
		strict = hear(&g, AT_GRANT_FULL, &full);
		assert_int_equal(strict.widening, 0);
		assert_int_equal(full.widening, 0);
		/* Stricter, never laxer. */
		assert_true(strict.count >= loose.count);
		refused += strstr(at_buf_text(&strict.lines),
			"permits 'write' but is hmac-signed") != NULL;
		at_buf_free(&loose.lines);
		at_buf_free(&strict.lines);
	}
	assert_true(refused > 20);
	at_json_free(&v.doc);
	ground_close(&g);
}

static void key_11_what_is_told_beside_the_verdict(void **state)
{
	static const struct {
		const char *file;
		size_t rows, torn, ragged;
		const char *told;
	} rows[] = {
		{ "00-original", 3, 0, 0, "3 rows, unanchored" },
		{ "09-truncated-mid-row", 2, 1, 0, "a torn last line of" },
		{ "38-extra-cells", 3, 0, 1, "the first in line 2" },
		{ "45-cr-only", 3, 0, 0, "3 rows" },
		{ "49-only-header-no-newline", 0, 0, 0, "0 rows" },
	};
	struct ledger_ground g;

	(void)state;
	ground_open(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_grants grants;
		struct at_buf line = { 0 };
		char path[128];

		snprintf(path, sizeof(path), "grants-hmac/variants/%s.csv", rows[i].file);
		ground_ledger(&g, ground_vector(&g, path));
		grants = ground_walk(&g, AT_GRANT_FULL);
		at_ledger_describe(&line, &grants.ledger);
		assert_row(i, grants.ledger.verdict == AT_LEDGER_GOOD);
		assert_row(i, grants.ledger.rows == rows[i].rows);
		assert_row(i, !grants.ledger.torn == !rows[i].torn);
		assert_row(i, grants.ledger.ragged == rows[i].ragged);
		if (!strstr(at_buf_text(&line), rows[i].told))
			fail_msg("row %zu: %s", i, at_buf_text(&line));
		at_buf_free(&line);
	}
	ground_close(&g);
}

struct known {
	const struct vectors *v;
	uint32_t row;
	struct at_bytes hmac_key;
	struct ledger_ground *g;
	size_t seen;
};

static void assert_hex(struct at_bytes want, const void *bytes, size_t len)
{
	struct at_buf hex = { 0 };

	at_hex_put(&hex, bytes, len);
	if (!at_bytes_equal(at_buf_bytes(&hex), want))
		fail_msg("%s, wanted %.*s", at_buf_text(&hex), (int)want.len, want.data);
	at_buf_free(&hex);
}

static bool answer(void *context, const struct at_ledger_row *row, struct at_error *err)
{
	struct known *k = context;
	struct at_buf mac = { 0 };

	(void)err;
	assert_hex(text(k->v, k->row, "payload_hex"), row->payload.data, row->payload.len);
	assert_true(at_bytes_equal(text(k->v, k->row, "payload_utf8"), row->payload));
	at_grant_hmac(&mac, k->hmac_key, row->payload);
	assert_true(at_bytes_equal(at_buf_bytes(&mac), text(k->v, k->row, "hmac_sha256")));
	assert_true(at_bytes_equal(at_buf_bytes(&mac), row->cells[AT_GRANT_SIGNATURE]));
	assert_hex(text(k->v, k->row, "chain_digest"), row->digest.byte, sizeof(row->digest.byte));
	at_buf_free(&mac);
	k->row = k->v->doc.nodes[k->row].next;
	k->seen++;
	return true;
}

static void key_3_known_payloads(void **state)
{
	struct ledger_ground g;
	struct vectors v;
	struct known k;
	struct at_ledger_state ledger;

	(void)state;
	ground_open(&g);
	v = load(&g, "grants-hmac/known-answers.json");
	ground_ledger(&g, ground_vector(&g, "grants-hmac/capability-grants.log.csv"));
	k = (struct known){ &v, at_json_first(&v.doc, at_json_member(&v.doc, AT_JSON_ROOT, "rows")),
		ground_vector(&g, "grants-hmac/key.txt"), &g, 0 };
	assert_true(at_ledger_walk(&ledger, &at_grant_kind, g.site.ledger_root, AT_GRANTS_PATH,
		g.site.keys, answer, &k, &g.err));
	assert_int_equal(ledger.verdict, AT_LEDGER_GOOD);
	assert_int_equal(k.seen, 3);
	at_json_free(&v.doc);
	ground_close(&g);
}

static bool derive(void *context, const struct at_ledger_row *row, struct at_error *err)
{
	struct known *k = context;
	struct at_buf made = { 0 }, message = { 0 };
	struct at_signature signature;

	at_grant_message(&message, row->cells);
	assert_true(at_bytes_equal(text(k->v, k->row, "signed_message"), at_buf_bytes(&message)));
	assert_hex(text(k->v, k->row, "chain_digest"), row->digest.byte, sizeof(row->digest.byte));
	if (at_grant_scheme(row->cells) == AT_GRANT_ED25519) {
		assert_true(at_ed25519_sign(&signature, &k->g->seed, at_buf_bytes(&message), err));
		at_hex_put(&made, signature.byte, sizeof(signature.byte));
	} else {
		at_grant_hmac(&made, k->hmac_key, at_buf_bytes(&message));
	}
	assert_true(at_bytes_equal(at_buf_bytes(&made), row->cells[AT_GRANT_SIGNATURE]));
	at_buf_free(&made);
	at_buf_free(&message);
	k->row = k->v->doc.nodes[k->row].next;
	k->seen++;
	return true;
}

static void key_4_derived_signatures_byte_for_byte(void **state)
{
	struct ledger_ground g;
	struct vectors v;
	struct known k;
	struct at_ledger_state ledger;
	struct at_grants grants;

	(void)state;
	ground_open(&g);
	v = load(&g, "derived/grants-ed25519.json");
	ground_ledger(&g, ground_vector(&g, "derived/capability-grants.log.csv"));
	assert_hex(text(&v, AT_JSON_ROOT, "ed25519_public_hex"), g.key.byte, sizeof(g.key.byte));
	g.site.hmac_key = text(&v, AT_JSON_ROOT, "hmac_key");
	k = (struct known){ &v, at_json_first(&v.doc, at_json_member(&v.doc, AT_JSON_ROOT, "rows")),
		g.site.hmac_key, &g, 0 };
	assert_true(at_ledger_walk(&ledger, &at_grant_kind, g.site.ledger_root, AT_GRANTS_PATH,
		g.site.keys, derive, &k, &g.err));
	assert_int_equal(k.seen, 3);
	grants = ground_walk(&g, AT_GRANT_FULL);
	assert_int_equal(grants.valid, 3);
	assert_int_equal(grants.widening, 2);
	assert_int_equal(g.asked, 1); /* one signer, one look */
	at_json_free(&v.doc);
	ground_close(&g);
}

/* The eleven odd characters: read back from the reference's own ledgers. */
static void key_7_odd_characters(void **state)
{
	static const struct {
		const char *name, *says; /* NULL: valid, as recorded */
	} rows[] = {
		{ "cr", NULL }, /* a header alone was left behind */
		{ "lead", NULL }, { "nbsp", NULL }, { "us", NULL }, { "nel", NULL }, /* stripped */
		{ "tab", "control character" }, { "nul", "control character" },
		{ "only_nul", "control character" }, { "ls", "invisible" }, { "zwsp", "invisible" },
		{ "surrogate", NULL }, /* none was written */
	};
	struct ledger_ground g;
	struct vectors v;

	(void)state;
	ground_open(&g);
	v = load(&g, "grants-hmac/extra/results.json");
	g.site.hmac_key = text(&v, AT_JSON_ROOT, "key");
	at_json_each(&v.doc, i, at_json_member(&v.doc, AT_JSON_ROOT, "results")) {
		struct at_bytes name = text(&v, i, "name"), file = text(&v, i, "ledger");
		struct at_grants grants;
		struct said said;
		size_t r = 0;
		char path[128];

		while (r < AT_LEN(rows) && !at_bytes_equal_text(name, rows[r].name))
			r++;
		assert_true(r < AT_LEN(rows));
		snprintf(path, sizeof(path), "grants-hmac/%s", file.data ? file.data : "");
		ground_ledger(&g, file.data ? ground_vector(&g, path) : file);
		said = hear(&g, AT_GRANT_MIGRATION, &grants);
		if (rows[r].says ? !strstr(at_buf_text(&said.lines), rows[r].says) : said.count != 0)
			fail_msg("%s: %s", name.data, at_buf_text(&said.lines));
		at_buf_free(&said.lines);
	}
	at_json_free(&v.doc);
	ground_close(&g);
}

static void key_6_a_roster_in_the_project_root(void **state)
{
	struct ledger_ground g;
	struct at_grants grants;

	(void)state;
	ground_open(&g);
	assert_string_equal(ground_walk(&g, AT_GRANT_FULL).warning, "");
	test_write(g.work, AT_APPROVERS, "mallory\n");
	grants = ground_walk(&g, AT_GRANT_FULL);
	assert_non_null(strstr(grants.warning, "WARNING"));
	assert_non_null(strstr(grants.warning, "<TEAM>/references/security-approvers.txt"));
	/* One directory for both: nothing is ignored. */
	close(g.site.team_dir);
	g.site.team_dir = dup(g.site.ledger_root);
	assert_string_equal(ground_walk(&g, AT_GRANT_FULL).warning, "");
	ground_close(&g);
}

static void key_3_the_report(void **state)
{
	static const struct {
		const char *file; /* NULL: none */
		int status;
		const char *out, *problems;
	} rows[] = {
		{ NULL, 0, "No capability grants found at <WS>/references/capability-grants.log.csv\n",
			"" },
		{ "11-header-only", 0,
			"All capability grants valid at <WS>/references/capability-grants.log.csv\n", "" },
		{ "04-first-row-deleted", 1, "", "\n1 invalid capability grant(s).\n" },
		{ "02-last-row-target-edited", 1, "", "\n3 invalid capability grant(s).\n" },
	};
	struct ledger_ground g;

	(void)state;
	ground_open(&g);
	g.site.hmac_key = ground_vector(&g, "grants-hmac/key.txt");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_buf out = { 0 }, problems = { 0 };
		char path[128];
		int status;

		snprintf(path, sizeof(path), "grants-hmac/variants/%s.csv", rows[i].file);
		ground_ledger(&g, rows[i].file ? ground_vector(&g, path) : (struct at_bytes){ 0 });
		assert_true(at_grants_report(&out, &problems, &status, &g.site, 2, &g.err));
		assert_row(i, status == rows[i].status);
		assert_row(i, strncmp(at_buf_text(&out), rows[i].out, strlen(rows[i].out)) == 0);
		assert_row(i, strstr(at_buf_text(&problems), rows[i].problems) != NULL);
		if (i == 3)
			assert_non_null(strstr(at_buf_text(&problems), "… and 1 more"));
		at_buf_free(&out);
		at_buf_free(&problems);
	}
	ground_close(&g);
}

static void key_10_hmac_write_grants_are_listed_and_proved(void **state)
{
	struct ledger_ground g;
	struct at_grant_migration *items;
	struct at_ledger_appended appended;
	struct at_grant_spec spec;
	size_t count;

	(void)state;
	ground_open(&g);
	g.site.hmac_key = ground_vector(&g, "grants-hmac/key.txt");
	ground_ledger(&g, ground_vector(&g, "grants-hmac/capability-grants.log.csv"));
	assert_true(at_grants_migrations(&items, &count, g.arena, &g.site, &g.err));
	assert_int_equal(count, 2);
	assert_string_equal(items[0].grant_id, "grant-4ab190c387caa983");
	assert_null(items[0].why_not);
	assert_false(items[0].is_done || items[1].is_done);
	spec = *items[0].spec;
	if (!ground_issue(&g, &spec, AT_GRANT_ED25519, &appended))
		fail_msg("%s", g.err.message);
	assert_true(appended.rewritten); /* 14 columns could not say who signed */
	assert_true(at_grants_migrations(&items, &count, g.arena, &g.site, &g.err));
	assert_int_equal(count, 2);
	assert_true(items[0].is_done && !items[1].is_done);
	assert_int_equal(ground_walk(&g, AT_GRANT_FULL).widening, 1);
	/* A forged row is no model for a signed one. */
	ground_ledger(&g, ground_vector(&g, "grants-hmac/variants/19-expired-signed.csv"));
	assert_true(at_grants_migrations(&items, &count, g.arena, &g.site, &g.err));
	assert_non_null(items[0].why_not);
	ground_ledger(&g, ground_vector(&g, "grants-hmac/variants/04-first-row-deleted.csv"));
	assert_false(at_grants_migrations(&items, &count, g.arena, &g.site, &g.err));
	ground_close(&g);
}

int test_grants(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_3_every_recorded_ledger),
		cmocka_unit_test(key_5_no_hmac_row_widens),
		cmocka_unit_test(key_11_what_is_told_beside_the_verdict),
		cmocka_unit_test(key_3_known_payloads),
		cmocka_unit_test(key_4_derived_signatures_byte_for_byte),
		cmocka_unit_test(key_7_odd_characters),
		cmocka_unit_test(key_6_a_roster_in_the_project_root),
		cmocka_unit_test(key_3_the_report),
		cmocka_unit_test(key_10_hmac_write_grants_are_listed_and_proved),
	};

	return cmocka_run_group_tests_name("grants", tests, NULL, NULL);
}
