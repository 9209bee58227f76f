/* A new decision: its spec, the bytes signed, what refuses it, the ledger afterwards. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

#include "keys/clearance_ground.h"
#include "keys/decision_sign.h"

#define LOG "references/security-decisions.log.csv"
#define SPEC(more) \
	"{\"action_reviewed\": \"overwrite\", \"verdict\": \"PASS\", \"author\": \"security\", " \
	"\"key_id\": \"op\"" more "}"

static const struct at_time now = { NOW, 5000 };

static void key_9_spec(void **state)
{
	static const struct {
		const char *text, *says; /* NULL: read */
	} rows[] = {
		{ SPEC(""), NULL },
		{ SPEC(", \"scope\": \"a;b\", \"effect_bulk\": true"), NULL },
		{ SPEC(", \"conditions\": \"a|b\""), NULL }, /* unsigned prose */
		{ SPEC(", \"evidence\": \"two\\nlines\""), "control" },
		{ SPEC(", \"scope\": \"a|b\""), "`|`" },
		{ SPEC(", \"scope\": \"a\\u200bb\""), "invisible" },
		{ SPEC(", \"effect_targets\": \"a\\u0000\""), "control" },
		{ SPEC(", \"effect_bulk\": \"yes\""), "true or false" },
		{ SPEC(", \"scope\": [\"a\"]"), "must be a text" },
		{ SPEC(", \"scope\": 1e400"), "must be a text" },
		{ SPEC(", \"prev_digest\": \"x\""), "no field" },
		{ SPEC(", \"key_id\": \"op\""), "twice" },
		{ "{}", "is missing" },
		{ "[]", "no JSON object" },
		{ "", "white space" },
		{ "{", "" },
		{ "{\"action_reviewed\": \"a\", \"verdict\": \"MAYBE\", \"author\": \"s\", "
		  "\"key_id\": \"op\"}",
			"none of PASS" },
		{ "{\"action_reviewed\": \"a\", \"verdict\": \"HALT-RETRACTED\", \"author\": "
		  "\"s\", \"key_id\": \"op\"}",
			"why the HALT" },
		{ "{\"action_reviewed\": \"a\", \"verdict\": \"PASS\", \"author\": \"s\", "
		  "\"key_id\": \"../op\"}",
			"letters" },
		{ "{\"action_reviewed\": \" \", \"verdict\": \"PASS\", \"author\": \"s\", "
		  "\"key_id\": \"op\"}",
			"is missing or empty" },
	};
	struct at_arena *arena = at_arena_new();

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_decision_spec spec;
		struct at_error err = { 0 };
		bool done = at_decision_spec_read(&spec, arena, at_bytes_of(rows[i].text), &err);

		if (done != !rows[i].says)
			fail_msg("row %zu: %s", i, err.message);
		if (!done && strcmp(rows[i].says, "twice") && !strstr(err.message, rows[i].says))
			fail_msg("row %zu: %s", i, err.message);
	}
	at_arena_free(arena);
}

static struct at_decision_spec must_spec(struct ground *g, const char *text)
{
	struct at_decision_spec spec;

	if (!at_decision_spec_read(&spec, g->arena, at_bytes_of(text), &g->err))
		fail_msg("%s", g->err.message);
	return spec;
}

static bool sign(struct ground *g, const char *text, struct at_decision_signed *out)
{
	struct at_decision_spec spec = must_spec(g, text);
	struct at_decision_signed shown;

	return at_decision_preview(&shown, g->arena, &g->at, &spec, now, &g->err) &&
	       at_decision_sign(out, g->arena, &g->at, &spec, &shown, &g->seed, &g->err);
}

static void begin(struct ground *g)
{
	ground_begin(g);
	ground_write(g, "agent-privilege.json", SWITCH_ON);
	g->at.keys.hmac.len = 0; /* WIRE-16: a signing console has none */
}

/* Signed, appended, anchored, and then it clears; what the preview showed is what was signed. */
static void key_9_sign_and_clear(void **state)
{
	struct at_decision_signed shown, done;
	struct at_decisions_report report;
	struct at_decision_spec spec;
	struct ground g;
	struct at_buf file;

	(void)state;
	begin(&g);
	spec = must_spec(&g, SPEC(", \"scope\": \"overwrite\""));
	assert_true(at_decision_preview(&shown, g.arena, &g.at, &spec, now, &g.err));
	assert_false(test_exists(g.dir, LOG));
	assert_string_equal(shown.payload,
		"2026-09-01T00:00:00.000005+00:00|overwrite|PASS||security||sig_scheme=ed25519|"
		"key_id=op|scope=overwrite");
	if (!at_decision_sign(&done, g.arena, &g.at, &spec, &shown, &g.seed, &g.err))
		fail_msg("%s", g.err.message);
	assert_string_equal(shown.payload, done.payload);
	assert_int_equal(done.row, 1);
	assert_int_equal(done.appended.head, AT_HEAD_ANCHORED);
	file = test_read(g.dir, LOG);
	assert_memory_equal(file.data, SIGNED "\n", sizeof(SIGNED));
	at_buf_free(&file);
	assert_true(sign(&g, SPEC(""), &done));
	assert_int_equal(done.row, 2);
	assert_int_equal(strlen(done.prev_digest), 64);
	/* Not what was shown before another row came. */
	assert_false(at_decision_sign(&done, g.arena, &g.at, &spec, &shown, &g.seed, &g.err));
	assert_int_equal(g.err.code, AT_ESTALE);
	assert_true(at_decisions_audit(&report, g.arena, &g.at, &g.err));
	assert_int_equal(report.finding_count, 0);
	assert_int_equal(report.head, AT_HEAD_ANCHORED);
	assert_true(ground_ask(&g, "overwrite", true) && g.said.row == 2);
	assert_true(ground_ask(&g, "overwrite", true) && g.said.row == 1);
	assert_false(ground_ask(&g, "overwrite", true));
	/* Spending leaves chain, signatures and head. */
	assert_true(sign(&g, SPEC(""), &done));
	ground_end(&g);
}

static void key_9_what_is_not_signed(void **state)
{
	static const struct {
		const char *spec, *says;
	} rows[] = {
		{ SPEC(", \"derives_from\": \"nobody\""), "no recorded decision" },
		{ SPEC(", \"derives_from\": \"overwrite\""), "cycle" },
		{ SPEC(", \"effect_grants\": \"signing-key\""), "root of trust" },
		{ SPEC(", \"effect_grants\": \"net\""), "derives_from" },
		{ SPEC(", \"effect_class\": \"non-relaxing\", \"effect_bulk\": true"),
			"calls itself" },
		{ SPEC(", \"scope\": \"prune\""), "declares scope" },
		{ "{\"action_reviewed\": \"a\", \"verdict\": \"PASS\", \"author\": \"mallory\", "
		  "\"key_id\": \"op\"}",
			"not an approved" },
		{ "{\"action_reviewed\": \"a\", \"verdict\": \"PASS\", \"author\": \"security\", "
		  "\"key_id\": \"other\"}",
			"no such key" },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_decision_signed out;
		struct ground g;
		uint64_t before;

		begin(&g);
		before = test_tree_fingerprint(g.dir);
		if (sign(&g, rows[i].spec, &out) || !strstr(g.err.message, rows[i].says))
			fail_msg("row %zu: %s", i, g.err.message);
		assert_row(i, before == test_tree_fingerprint(g.dir));
		ground_end(&g);
	}
}

/* Another key than the team's; no team; a ledger without the columns; one that does not hold. */
static void key_9_where_nothing_is_signed(void **state)
{
	struct at_decision_signed out;
	struct ground g;
	struct ledger l;

	(void)state;
	begin(&g);
	g.key.byte[0] ^= 1;
	assert_false(sign(&g, SPEC(""), &out));
	assert_non_null(strstr(g.err.message, "not the public half"));
	g.key.byte[0] ^= 1;
	ground_write(&g, "security-decisions.log.csv", LEGACY "\n");
	assert_false(sign(&g, SPEC(""), &out));
	assert_non_null(strstr(g.err.message, "no column"));
	ledger_begin(&l);
	ROW(&l, &g, ED25519, "date=1", "action_reviewed=a", "verdict=PASS", "author=security");
	memcpy(strstr(at_buf_text(&l.text), "PASS"), "HALT", 4);
	ledger_end(&l, &g);
	assert_false(sign(&g, SPEC(""), &out));
	assert_non_null(strstr(g.err.message, "does not hold"));
	ground_end(&g);
	ground_begin(&g);
	assert_false(sign(&g, SPEC(""), &out));
	assert_non_null(strstr(g.err.message, "no team"));
	ground_end(&g);
}

/* The header decides under which names the row stands; the payload is the same. */
static void key_9_signed_into_other_headers(void **state)
{
	static const char *const headers[] = {
		LEGACY ",derives_from,sig_scheme,key_id,prev_digest,signature\n",
		"date,plan_slug,step,decision,status,conditions,conditions_verified,evidence,owner,"
		"derives_from,sig_scheme,key_id,prev_digest,signature\r\n",
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(headers); i++) {
		struct at_decision_signed out;
		struct ground g;

		begin(&g);
		ground_write(&g, "security-decisions.log.csv", headers[i]);
		if (!sign(&g, SPEC(""), &out))
			fail_msg("row %zu: %s", i, g.err.message);
		assert_false(out.appended.rewritten);
		assert_true(ground_ask(&g, "overwrite", false));
		assert_row(i, !sign(&g, SPEC(", \"scope\": \"overwrite\""), &out));
		ground_end(&g);
	}
}

/* KEY-11: a cut tail, a false head: nothing is cleared; rows beyond the head count. */
static void key_11_the_head_guards_the_tail(void **state)
{
	struct at_decision_signed out;
	struct at_buf one, two, text = { 0 };
	struct ground g;

	(void)state;
	begin(&g);
	assert_true(sign(&g, SPEC(""), &out));
	one = test_read(g.dir, LOG);
	assert_true(sign(&g,
		"{\"action_reviewed\": \"overwrite\", \"verdict\": \"HALT\", "
		"\"author\": \"security\", \"key_id\": \"op\"}",
		&out));
	two = test_read(g.dir, LOG);
	assert_false(ground_ask(&g, "overwrite", false));
	assert_int_equal(g.said.rule, AT_RULE_OPEN_HALT);
	test_write(g.dir, LOG, at_buf_text(&one)); /* the HALT is cut off */
	assert_false(ground_ask(&g, "overwrite", false));
	assert_int_equal(g.said.rule, AT_RULE_CHAIN);
	assert_non_null(strstr(g.said.reason, "truncated"));
	test_write(g.dir, LOG, at_buf_text(&two));
	at_buf_puts(&text, at_buf_text(&two));
	at_buf_printf(&text, ",other,HALT,,,,,,,,,,,,,,,,%s,\n", "x");
	test_write(g.dir, LOG, at_buf_text(&text));
	assert_false(ground_ask(&g, "other", false));
	assert_int_equal(g.said.rule, AT_RULE_CHAIN);
	test_write(g.dir, LOG, at_buf_text(&two));
	test_write(g.dir, LOG ".head", "{}");
	assert_false(ground_ask(&g, "overwrite", false));
	assert_non_null(strstr(g.said.reason, "cannot be believed"));
	at_buf_free(&one);
	at_buf_free(&two);
	at_buf_free(&text);
	ground_end(&g);
}

/* The review is of spec, team and key, whatever the hour. */
static void wire_17_review(void **state)
{
	struct ground g;
	struct at_decision_spec a, b;
	struct at_digest first, same, other;

	(void)state;
	begin(&g);
	a = must_spec(&g, SPEC(", \"scope\": \"x\""));
	b = must_spec(&g, SPEC(", \"scope\": \"y\""));
	first = at_decision_review(&a, "T");
	same = at_decision_review(&a, "T");
	assert_true(at_digest_equal(&first, &same));
	other = at_decision_review(&b, "T");
	assert_false(at_digest_equal(&first, &other));
	other = at_decision_review(&a, "U");
	assert_false(at_digest_equal(&first, &other));
	ground_end(&g);
}

int test_decision_sign(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_9_spec),
		cmocka_unit_test(key_9_sign_and_clear),
		cmocka_unit_test(key_9_what_is_not_signed),
		cmocka_unit_test(key_9_where_nothing_is_signed),
		cmocka_unit_test(key_9_signed_into_other_headers),
		cmocka_unit_test(key_11_the_head_guards_the_tail),
		cmocka_unit_test(wire_17_review),
	};

	return cmocka_run_group_tests_name("decision_sign", tests, NULL, NULL);
}
