/* --verify-proposal-ledger, --repair-proposal-ledger, --confined-path and
 * --install-confined of the real program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "e2e/console.h"
#include "e2e/project.h"
#include "support/support.h"

#define LEDGER ".agentteams/proposal-ledger.jsonl"
#define HEAD ".agentteams/proposal-ledger.head"
#define KEY ".config/agentteams/keys/proposal-ledger.key"

static void begin(struct test_project *p)
{
	console_begin(p);
	test_write(p->home, KEY, "throwaway\n");
	assert_int_equal(chmod(test_path(p->home, KEY), 0600), 0);
	assert_int_equal(chmod(test_path(p->home, ".config/agentteams/keys"), 0700), 0);
	test_write(p->shop, "brief.json",
		"{\"write_policy\":\"orchestrator-only\","
		"\"proposal_gates\":{\"lint\":{\"glob\":\"docs/*\",\"argv\":[\"/bin/true\",\"{file}\"]}}}");
}

static void run_1_issued_verified_repaired(void **state)
{
	struct test_project p;
	struct at_buf head, text;
	const char *said;

	begin(&p);
	assert_string_equal(
		test_expect(&p, 0, "--verify-proposal-ledger"), "Proposal ledger: OK\n");
	test_expect(&p, 2, "--issue-dispatch");
	test_expect(&p, 1, "--issue-dispatch --agent No_slug");
	said = test_expect(&p, 0, "--issue-dispatch --agent writer");
	assert_int_equal(strspn(said, "0123456789abcdef"), 32);
	assert_string_equal(
		test_expect(&p, 0, "--verify-proposal-ledger"), "Proposal ledger: OK\n");
	head = test_read(p.shop, HEAD);
	said = test_expect(&p, 0, "--issue-dispatch --agent writer --json");
	assert_non_null(strstr(said, "\"nonce\": \""));
	test_write_bytes(p.shop, HEAD, head.data, head.len);
	assert_string_equal(
		test_expect(&p, 1, "--verify-proposal-ledger"), "Proposal ledger: 1 problem(s)\n");
	said = test_expect(&p, 1, "--verify-proposal-ledger --json");
	assert_non_null(strstr(said,
		"head anchor says 1 rows; the ledger has 2 (truncated or "
		"appended unsigned)"));
	assert_non_null(strstr(said, "--repair-proposal-ledger"));
	said = test_expect(&p, 0, "--repair-proposal-ledger");
	assert_non_null(strstr(said, "the head counted 1 rows and counts 2 now"));
	assert_string_equal(test_expect(&p, 0, "--repair-proposal-ledger"), "nothing to repair\n");
	test_expect(&p, 0, "--issue-dispatch --agent writer");
	text = test_read(p.shop, LEDGER);
	*strstr(at_buf_text(&text), "writer") = 'W';
	test_write_bytes(p.shop, LEDGER, text.data, text.len);
	test_expect(&p, 1, "--verify-proposal-ledger");
	test_expect(&p, 1, "--repair-proposal-ledger");
	test_expect(&p, 1, "--issue-dispatch --agent writer");
	at_buf_free(&text);
	at_buf_free(&head);
	test_project_end(&p);
}

/* The operator's, and nobody's who can be talked to. */
static void wire_17_proposals_in_an_agent_session(void **state)
{
	static const struct {
		const char *words;
		int want;
	} rows[] = {
		{ "--issue-dispatch --agent a", 1 },
		{ "--repair-proposal-ledger", 2 },
		{ "--verify-proposal-ledger", 2 },
		{ "--install-confined brief.json", 2 },
		{ "--confined-path", 0 },
	};
	struct test_project p;

	begin(&p);
	test_expect(&p, 0, "--issue-dispatch --agent a");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct test_run run = test_run_with(&p, "CLAUDECODE=1", rows[i].words);

		assert_row(i, run.status == rows[i].want);
		test_run_free(&run);
	}
	test_project_end(&p);
}

static void run_5_installed_after_a_look(void **state)
{
	struct test_project p;
	char words[900], wanted[600];
	const char *review;
	struct test_run run;

	begin(&p);
	snprintf(wanted, sizeof(wanted), "%s/wanted.json", p.home);
	assert_non_null(strstr(test_expect(&p, 0, "--confined-path"), " (absent)"));
	test_write(p.home, "wanted.json", "{\"writer\":{\"exec\":[\"bin/x\"]}}");
	snprintf(words, sizeof(words), "--install-confined %s", wanted);
	test_expect(&p, 1, words);
	test_write(p.home, "wanted.json",
		"{\"writer\":{\"exec\":[\"/bin/x\"]},\"gate_exec\":{\"lint\":[\"/bin/true\"]}}");
	run = test_run(&p, words);
	assert_int_equal(run.status, 1);
	assert_non_null(strstr(at_buf_text(&run.out), "\"gate_argv_sha256\": {\n    \"lint\": "));
	review = strstr(at_buf_text(&run.err), "--confirm-review-sha256 ");
	assert_non_null(review);
	snprintf(words, sizeof(words), "--install-confined %s --confirm-review-sha256 %064d",
		wanted, 0);
	test_expect(&p, 1, words);
	assert_non_null(strstr(test_expect(&p, 0, "--confined-path"), " (absent)"));
	snprintf(words, sizeof(words), "--install-confined %s %.*s", wanted,
		(int)strlen("--confirm-review-sha256 ") + 64, review);
	test_expect(&p, 0, words);
	assert_non_null(strstr(test_expect(&p, 0, "--confined-path"), " (present)"));
	assert_non_null(strstr(test_expect(&p, 0, "--confined-path --json"), "\"present\": true"));
	test_run_free(&run);
	test_project_end(&p);
}

int test_proposal_ledger(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_1_issued_verified_repaired),
		cmocka_unit_test(wire_17_proposals_in_an_agent_session),
		cmocka_unit_test(run_5_installed_after_a_look),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
