/* The whole way of a proposal with the real program: a runner in one terminal, everybody else in
 * another. (RUN-1, STG-1, STG-4, WIRE-17) */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/pty.h"
#include "support/support.h"

#include "e2e/console.h"
#include "e2e/project.h"

#define BRIEF \
	"{\"project_name\": \"shop\", \"write_policy\": \"orchestrator-only\"%s, " \
	"\"agent_policies\": {\"writer\": {\"write_scopes\": [\"docs/\"]}}}\n"
#define MCP ".agentteams-queue/mcp-requests/"
#define ONE "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806"
#define REQUEST "0123456789abcdef0123456789abcdef"
#define WAIT 20000 /* ms */

static void must_say(const char *text, const char *word)
{
	if (!strstr(text, word))
		fail_msg("no '%s' in\n%s", word, text);
}

static void begin(struct test_project *p, const char *more)
{
	char brief[600];

	test_project_begin(p, NULL);
	snprintf(brief, sizeof(brief), BRIEF, more);
	test_write(p->shop, "brief.json", brief);
	test_write(p->shop, "docs/a.md", "one\n");
	test_write(p->home, ".config/agentteams/keys/proposal-ledger.key", "a throwaway key\n");
	assert_int_equal(chmod(test_path(p->home, ".config/agentteams/keys"), 0700), 0);
	assert_int_equal(chmod(test_path(p->home, ".config/agentteams/keys/proposal-ledger.key"),
		0600), 0);
}

static struct pty *serve(const struct test_project *p)
{
	const char *argv[] = { test_program(), "--project", p->shop, "--serve-requests", NULL };
	struct pty *pty = pty_start(argv, test_environment(p), NULL, 100, 24);

	pty_expect(pty, "serving ");
	return pty;
}

static void stop(struct pty *pty, int number, int want)
{
	if (number)
		pty_signal(pty, number);
	assert_int_equal(pty_exit(pty, WAIT), want);
	pty_end(pty);
}

/* What an agent's server would do. */
static void stage(const struct test_project *p, const char *nonce, const char *content)
{
	char text[1000], from[700], to[700];

	snprintf(text, sizeof(text), "{\"kind\": \"stage-proposal\", \"via_agent\": \"writer\", "
		"\"artifact\": {\"kind\": \"change-proposal\", \"dispatch\": \"%.32s\", \"path\": "
		"\"docs/a.md\", \"base_sha256\": \"" ONE "\", \"content\": \"%s\", "
		"\"rationale\": \"it reads better\"}}", nonce, content);
	test_write(p->shop, MCP ".x.tmp", text);
	snprintf(from, sizeof(from), "%s/" MCP ".x.tmp", p->shop);
	snprintf(to, sizeof(to), "%s/" MCP REQUEST ".json", p->shop);
	assert_int_equal(rename(from, to), 0);
}

static void sid_of(char out[33], const char *text)
{
	const char *at = strstr(text, "\"sid\": \"");

	if (!at)
		fail_msg("no sid in\n%s", text);
	snprintf(out, 33, "%.32s", at + 8);
}

static void must_hold(const struct test_project *p, const char *want)
{
	struct at_buf text = test_read(p->shop, "docs/a.md");

	assert_string_equal(at_buf_text(&text), want);
	at_buf_free(&text);
}

static const char *with_sid(const char *verb, const char *sid)
{
	static char words[200];

	snprintf(words, sizeof(words), "%s %s", verb, sid);
	return words;
}

static void stg_1_from_dispatch_to_undo(void **state)
{
	struct test_project p;
	struct test_run run;
	struct pty *runner;
	char nonce[64], sid[33];

	(void)state;
	begin(&p, "");
	runner = serve(&p);
	snprintf(nonce, sizeof(nonce), "%s",
		test_expect(&p, 0, "--issue-dispatch --agent writer"));
	assert_int_equal(strlen(nonce), 33);
	stage(&p, nonce, "two\\n");
	sid_of(sid, test_expect(&p, 0, "--wait-result " REQUEST));
	must_say(test_expect(&p, 0, "--list-staged"), "writer  change-proposal  docs/a.md  4 B");
	must_say(test_expect(&p, 0, "--list-staged --json"), sid);
	must_say(test_expect(&p, 0, with_sid("--show-staged", sid)), "\"content\": \"two\\n\"");
	must_hold(&p, "one\n");

	must_say(test_expect(&p, 0, with_sid("--apply-staged", sid)),
		"[apply-staged] applied docs/a.md for writer (sha256 ");
	must_hold(&p, "two\n");
	assert_string_equal(test_expect(&p, 0, "--list-staged"), "No staged proposals.\n");
	must_say(test_expect(&p, 0, "--undo"), "undone: docs/a.md has its old bytes back");
	must_hold(&p, "one\n");

	stage(&p, nonce, "three\\n");
	sid_of(sid, test_expect(&p, 0, "--wait-result " REQUEST " --wait-timeout 30"));
	/* An orchestrator's word goes through the queue. */
	run = test_run_with(&p, "CLAUDECODE=1", with_sid("--reject-staged", sid));
	assert_int_equal(run.status, 0);
	must_say(at_buf_text(&run.out), "[reject-staged] rejected docs/a.md from writer");
	test_run_free(&run);
	run = test_run(&p, with_sid("--apply-staged", sid));
	assert_int_equal(run.status, 1);
	must_say(at_buf_text(&run.err), "[apply-staged] refused: no staged proposal");
	test_run_free(&run);

	run = test_run(&p, "--serve-requests");
	assert_int_equal(run.status, 1);
	must_say(at_buf_text(&run.err), "[serve-requests] cannot start: another runner");
	test_run_free(&run);
	stop(runner, SIGTERM, 0);
	assert_false(test_exists(p.shop, ".agentteams/runner.heartbeat"));
	test_project_end(&p);
}

static void run_1_no_runner(void **state)
{
	struct test_project p;
	struct test_run run;
	char artifact[400], words[700];

	(void)state;
	begin(&p, "");
	snprintf(artifact, sizeof(artifact), "{\"kind\": \"change-proposal\"}");
	test_write(p.stage, "artifact.json", artifact);
	snprintf(words, sizeof(words), "--apply-proposal %s/artifact.json", p.stage);
	run = test_run(&p, words);
	assert_int_equal(run.status, 1);
	must_say(at_buf_text(&run.err), "[apply-proposal] refused: no runner is serving");
	test_run_free(&run);
	run = test_run_with(&p, "CLAUDECODE=1", "--issue-dispatch --agent writer");
	assert_int_equal(run.status, 1);
	must_say(at_buf_text(&run.err), "no runner is serving");
	test_run_free(&run);
	/* The operator needs none: one is opened for the act. */
	assert_int_equal(strlen(test_expect(&p, 0, "--issue-dispatch --agent writer")), 33);
	must_say(test_expect(&p, 0, "--serve-requests --once"), "served 0 request(s)");
	must_say(test_expect(&p, 0, "--serve-requests --once --json"), "\"served\": 0");
	test_project_end(&p);
}

static void wire_17_no_runner_in_an_agent_session(void **state)
{
	static const char *const verbs[] = { "--serve-requests", "--serve-requests --once" };
	struct test_project p;
	uint64_t before;

	(void)state;
	begin(&p, "");
	before = test_tree_fingerprint(p.stage);
	for (size_t i = 0; i < AT_LEN(verbs); i++) {
		struct test_run run = test_run_with(&p, "CLAUDECODE=1", verbs[i]);

		assert_row(i, run.status == 2);
		must_say(at_buf_text(&run.err), "CLAUDECODE is set");
		test_run_free(&run);
	}
	assert_true(before == test_tree_fingerprint(p.stage));
	test_project_end(&p);
}

static void run_1_refusals_and_usage(void **state)
{
	static const struct {
		const char *words, *says;
		int status;
	} rows[] = {
		{ "--once", "--once belongs to --serve-requests", 2 },
		{ "--issue-dispatch", "--issue-dispatch needs --agent", 2 },
		{ "--status --wait-timeout 3", "--wait-timeout belongs", 2 },
		{ "--wait-result 12 --wait-timeout 1", "no id of a request", 2 },
		{ "--wait-result " REQUEST " --wait-timeout 0", "no number of seconds", 2 },
		{ "--show-staged x", "bad staged id", 1 },
		{ "--readonly --serve-requests", "exclude each other", 2 },
	};
	static char key[] = "AGENTTEAMS_PROPOSAL_LEDGER_KEY=x";
	struct test_project p;
	struct test_run run;

	(void)state;
	begin(&p, "");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		run = test_run(&p, rows[i].words);
		if (run.status != rows[i].status || !strstr(at_buf_text(&run.err), rows[i].says))
			fail_msg("row %zu: %d %s", i, run.status, at_buf_text(&run.err));
		test_run_free(&run);
	}
	run = test_run_with(&p, key, "--serve-requests --once");
	assert_true(run.status != 0);
	must_say(at_buf_text(&run.err), "AGENTTEAMS_PROPOSAL_LEDGER_KEY is set");
	test_run_free(&run);
	test_project_end(&p);
}

/* RUN-2: the brief changes under a runner, and it stops by itself. */
static void run_2_a_changed_brief_stops_it(void **state)
{
	struct test_project p;
	struct pty *runner;

	(void)state;
	begin(&p, ", \"staged_review\": \"operator\"");
	runner = serve(&p);
	test_write(p.shop, "brief.json", "{}\n");
	pty_expect(runner, "stopped: the brief changed since the runner started");
	stop(runner, 0, 1);
	test_project_end(&p);
}

/* A question takes keys only after it was on the screen for a moment. */
static void answer(struct pty *pty, const char *question, const char *key)
{
	pty_expect(pty, question);
	pty_settle(pty, 500);
	pty_send(pty, key);
}

/* STG-4: applied and taken back from the screen, with nobody serving. */
static void stg_4_from_the_screen(void **state)
{
	struct test_project p;
	struct pty *runner, *pty;
	char nonce[64];

	(void)state;
	begin(&p, "");
	runner = serve(&p);
	snprintf(nonce, sizeof(nonce), "%s",
		test_expect(&p, 0, "--issue-dispatch --agent writer"));
	stage(&p, nonce, "two\\n");
	test_expect(&p, 0, "--wait-result " REQUEST);
	stop(runner, SIGTERM, 0);

	pty = console_start(&p, NULL, NULL, 80, 24);
	pty_expect(pty, "6 Props");
	pty_send(pty, "6");
	pty_expect(pty, "1 wait");
	pty_send(pty, "\t");
	pty_expect(pty, "as proposed");
	pty_send(pty, "a");
	answer(pty, "y apply it", "y");
	pty_expect(pty, "applied; u takes it back");
	must_hold(&p, "two\n");
	pty_send(pty, "u");
	answer(pty, "y undo it", "y");
	pty_expect(pty, "undone");
	must_hold(&p, "one\n");
	pty_send(pty, "Q");
	console_end(pty, 0);
	assert_string_equal(
		test_expect(&p, 0, "--verify-proposal-ledger"), "Proposal ledger: OK\n");
	test_project_end(&p);
}

int test_runner_loop(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stg_1_from_dispatch_to_undo),
		cmocka_unit_test(stg_4_from_the_screen),
		cmocka_unit_test(run_1_no_runner),
		cmocka_unit_test(wire_17_no_runner_in_an_agent_session),
		cmocka_unit_test(run_1_refusals_and_usage),
		cmocka_unit_test(run_2_a_changed_brief_stops_it),
	};

	return cmocka_run_group_tests_name("runner_loop", tests, NULL, NULL);
}
