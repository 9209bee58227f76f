/* --verify-decisions, --check-clearance and --sign-decision as an operator runs them. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/support.h"

#include "e2e/project.h"

#define REFS ".claude/agents/references/"
#define LOG REFS "security-decisions.log.csv"
#define HEADER "timestamp,requesting_agent,action_reviewed,verdict,conditions,conditions_verified\n"
#define PASS_ROW "2026-08-01T00:00:00Z,security,overwrite,PASS,,\n"
#define HALT_ROW "2026-08-02T00:00:00Z,nobody,overwrite,HALT,,\n"
#define OFF "{\"enforce_decision_signing\": false}\n"
#define SPEC                                                                                       \
	"{\"action_reviewed\": \"overwrite\", \"verdict\": \"PASS\", \"author\": \"security\", "     \
	"\"key_id\": \"op\", \"scope\": \"overwrite\"}"

static void must_say(const char *text, const char *word)
{
	if (!strstr(text, word))
		fail_msg("no '%s' in\n%s", word, text);
}

/* KEY-12: asked without spending, named by its rule, and nothing changed. */
static void key_12_check_clearance(void **state)
{
	static const struct {
		const char *rows, *control;
		int status;
		const char *says;
	} rows[] = {
		{ NULL, OFF, 1, "no-decision" },
		{ HEADER PASS_ROW, OFF, 0, "CLEAR: overwrite is cleared by rule pass, row 1" },
		{ HEADER PASS_ROW, "{\"enforce_decision_signing\": true}", 1, "is UNSIGNED" },
		{ HEADER PASS_ROW, "[]", 1, "rule switch" },
		{ HEADER PASS_ROW HALT_ROW, OFF, 1, "rule open-halt, row 2" },
		{ "a,b\n", OFF, 1, "malformed" },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct test_project p;
		uint64_t before;

		test_project_begin(&p, NULL);
		if (rows[i].rows)
			test_write(p.shop, LOG, rows[i].rows);
		test_write(p.shop, REFS "agent-privilege.json", rows[i].control);
		before = test_tree_fingerprint(p.stage);
		must_say(test_expect(&p, rows[i].status, "--check-clearance overwrite"),
			rows[i].says);
		must_say(test_expect(&p, rows[i].status, "--check-clearance overwrite --json"),
			rows[i].status ? "\"clear\": false" : "\"clear\": true");
		assert_true(before == test_tree_fingerprint(p.stage));
		test_project_end(&p);
	}
}

/* The HMAC key of the environment verifies, and is never repeated. */
static void key_9_hmac_key_of_the_environment(void **state)
{
	static const char signed_row[] =
		"timestamp,requesting_agent,action_reviewed,verdict,conditions,conditions_verified,"
		"evidence,author,prev_digest,signature\n2026-08-01T00:00:00Z,security,overwrite,"
		"PASS,,,,,,b87eaf49994051706c8fcadeac953c5a466a2fc505e9afe1a38883eae0928e3a\n";
	static const char key[] = "AGENTTEAMS_DECISION_SIGNING_KEY=atv-throwaway-decision-key";
	struct test_project p;
	struct test_run run;

	(void)state;
	test_project_begin(&p, NULL);
	test_write(p.shop, LOG, signed_row);
	must_say(test_expect(&p, 1, "--check-clearance overwrite"), "key is not configured");
	must_say(test_expect(&p, 1, "--verify-decisions"), "hmac key not set");
	run = test_run_with(&p, key, "--check-clearance overwrite");
	assert_int_equal(run.status, 0);
	assert_null(strstr(at_buf_text(&run.out), "throwaway"));
	test_run_free(&run);
	run = test_run_with(&p, key, "--verify-decisions --json");
	assert_int_equal(run.status, 0);
	must_say(at_buf_text(&run.out), "\"signature\": \"hmac\"");
	test_run_free(&run);
	test_project_end(&p);
}

static void key_9_verify_decisions(void **state)
{
	struct test_project p;
	const char *out;

	(void)state;
	test_project_begin(&p, NULL);
	must_say(test_expect(&p, 0, "--verify-decisions"), "No security decisions found");
	test_write(p.shop, LOG, HEADER PASS_ROW HALT_ROW);
	out = test_expect(&p, 0, "--verify-decisions");
	must_say(out, "2 row(s), unanchored");
	must_say(out, "OPEN HALT  row 2: overwrite");
	must_say(test_expect(&p, 0, "--verify-decisions --json"), "\"open_halts\": [\n    2\n  ]");
	/* Terminal controls of a row do not reach the terminal. */
	test_write(p.shop, LOG, HEADER "\x1b[2J,mallory,overwrite,PASS,,\n");
	out = test_expect(&p, 1, "--verify-decisions");
	must_say(out, "[BAD] row 1");
	assert_null(strchr(out, '\x1b'));
	test_write(p.shop, LOG, HEADER "\xff\n");
	test_expect(&p, 1, "--verify-decisions");
	assert_int_equal(unlink(test_path(p.shop, LOG)), 0);
	assert_int_equal(mkfifo(test_path(p.shop, LOG), 0600), 0);
	test_expect(&p, 1, "--verify-decisions");
	test_expect(&p, 1, "--check-clearance overwrite");
	test_project_end(&p);
}

/* WIRE-17, WIRE-16: not in an agent session, not with a key in the environment, not unseen. */
static void wire_17_sign_decision_refusals(void **state)
{
	static const struct {
		const char *variable, *words;
		int status;
		const char *says;
	} rows[] = {
		{ "CLAUDECODE=1", "--sign-decision spec.json", 2, "CLAUDECODE" },
		{ "AI_AGENT=x", "--sign-decision spec.json", 2, "AI_AGENT" },
		{ "AGENTTEAMS_GRANT_SIGNING_KEY=sesame", "--sign-decision spec.json", 2,
			"AGENTTEAMS_GRANT_SIGNING_KEY" },
		{ "AGENTTEAMS_DECISION_SIGNING_KEY=sesame", "--sign-decision spec.json", 2,
			"AGENTTEAMS_DECISION_SIGNING_KEY" },
		{ "AGENTTEAMS_DECISION_ED25519_KEYFILE=/none", "--sign-decision spec.json", 1,
			"name the review" },
		{ "X=1", "--sign-decision spec.json", 1, "--confirm-review-sha256" },
		{ "X=1", "--sign-decision spec.json --confirm-review-sha256 00", 1,
			"is not of this decision" },
		{ "X=1", "--sign-decision spec.json --readonly", 2, "--readonly" },
		{ "X=1", "--sign-decision none.json", 1, "none.json" },
		{ "X=1", "--sign-decision bad.json", 1, "has no field" },
		{ "X=1", "--sign-decision spec.json --verify-decisions", 2, "exclude" },
		{ "X=1", "--check --confirm-review-sha256 00", 2, "belongs to" },
	};
	struct test_project p;
	uint64_t before;

	(void)state;
	test_project_begin(&p, NULL);
	test_expect(&p, 0, "--update --accept-write-root ../demo-shop-build");
	test_write(p.stage, "spec.json", SPEC);
	test_write(p.stage, "bad.json", "{\"colour\": \"red\"}");
	before = test_tree_fingerprint(p.stage);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct test_run run = test_run_with(&p, rows[i].variable, rows[i].words);

		if (run.status != rows[i].status || !strstr(at_buf_text(&run.err), rows[i].says) ||
			strstr(at_buf_text(&run.err), "sesame"))
			fail_msg("row %zu: %d %s", i, run.status, at_buf_text(&run.err));
		test_run_free(&run);
	}
	assert_true(before == test_tree_fingerprint(p.stage));
	test_project_end(&p);
}

/* The bytes, what they open and the review are shown; --dry-run writes nothing. */
static void key_9_sign_decision_dry_run(void **state)
{
	struct test_project p;
	uint64_t before;
	const char *out;

	(void)state;
	test_project_begin(&p, NULL);
	test_write(p.stage, "spec.json", SPEC);
	test_expect(&p, 1, "--sign-decision spec.json --dry-run"); /* no team yet */
	test_expect(&p, 0, "--update --accept-write-root ../demo-shop-build");
	before = test_tree_fingerprint(p.stage);
	out = test_expect(&p, 0, "--sign-decision spec.json --dry-run");
	must_say(out, "|overwrite|PASS||security||sig_scheme=ed25519|key_id=op|scope=overwrite");
	must_say(out, "clears the action once");
	must_say(out, "nothing was signed");
	out = test_expect(&p, 0, "--sign-decision spec.json --dry-run --json");
	must_say(out, "\"written\": false");
	assert_true(before == test_tree_fingerprint(p.stage));
	test_project_end(&p);
}

int test_decisions(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_12_check_clearance),
		cmocka_unit_test(key_9_hmac_key_of_the_environment),
		cmocka_unit_test(key_9_verify_decisions),
		cmocka_unit_test(wire_17_sign_decision_refusals),
		cmocka_unit_test(key_9_sign_decision_dry_run),
	};

	return cmocka_run_group_tests_name("decisions", tests, NULL, NULL);
}
