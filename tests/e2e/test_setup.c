/* Setup in the real program: on a terminal, and without one. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "e2e/project.h"
#include "support/pty.h"

#define LONG 20000 /* ms; a sanitizer on a busy machine is slow */
#define ROOT " --accept-write-root ../demo-shop-build"

static void begin(struct test_project *p, const char *brief)
{
	test_project_begin(p, NULL);
	assert_int_equal(unlink(test_path(p->shop, "brief.json")), 0);
	if (brief)
		test_write(p->shop, "brief.json", brief);
}

static struct pty *start(const struct test_project *p, const char *variable, int width, int height)
{
	const char *argv[] = { test_program(), "--project", p->shop, TEST_NO_GATE, NULL };
	const char *env[32];
	size_t count = 0;

	for (const char *const *e = test_environment(p); *e; e++)
		env[count++] = *e;
	env[count++] = variable;
	env[count] = NULL;
	return pty_start(argv, env, p->stage, width, height);
}

static void leave(struct pty *pty)
{
	const char *fault;

	pty_send(pty, "Q");
	assert_int_equal(pty_exit(pty, LONG), 0);
	fault = pty_not_restored(pty);
	if (!fault)
		fault = pty_foreign_bytes(pty_output(pty));
	if (fault)
		fail_msg("%s", fault);
	pty_end(pty);
}

static void answer(struct pty *pty, const char *question, const char *key)
{
	pty_expect(pty, question);
	pty_settle(pty, 400);
	pty_send(pty, key);
}

static void expect_brief(const struct test_project *p, const char *want)
{
	struct at_buf brief = test_read(p->shop, "brief.json");

	assert_string_equal(at_buf_text(&brief), want);
	at_buf_free(&brief);
}

/* UI-1: a project never seen opens on Setup; choosing and saving makes the brief, u takes it
 * back, and looking alone writes nothing. */
static void ui_1_a_project_never_seen(void **state)
{
	struct test_project p;
	struct pty *pty;
	uint64_t before;

	begin(&p, NULL);
	before = test_tree_fingerprint(p.stage);
	pty = start(&p, NULL, 120, 40);
	pty_expect(pty, "brief.json, new: w saves");
	pty_send(pty, "j");
	pty_expect(pty, "Enter changes");
	pty_send(pty, "\r");
	pty_expect(pty, "(*) exclusive  drafted");
	assert_true(before == test_tree_fingerprint(p.stage));
	pty_send(pty, "w");
	answer(pty, "Make the brief?", "y");
	pty_expect(pty, "saved: brief.json");
	pty_expect(pty, "REQUEST ●");
	expect_brief(&p, "{\n  \"privilege_profile\": \"exclusive\"\n}\n");
	pty_send(pty, "u");
	answer(pty, "Undo the last save?", "y");
	pty_expect(pty, "new: w saves");
	assert_false(test_exists(p.shop, "brief.json"));
	leave(pty);
	test_project_end(&p);
}

/* REQ-12: a brief that changes between the question and the yes is not overwritten; the draft
 * goes on top of what is there now. */
static void req_12_changed_while_asking(void **state)
{
	static const char theirs[] = "{\"team_id\": \"them\"}\n";
	struct test_project p;
	struct pty *pty;

	begin(&p, "{\"team_id\": \"us\"}\n");
	pty = start(&p, NULL, 100, 30);
	pty_expect(pty, "4 Merge");
	pty_send(pty, "1");
	pty_expect(pty, "as on disk");
	pty_send(pty, "j\r");
	pty_expect(pty, "changed: w saves");
	pty_send(pty, "w");
	pty_expect(pty, "Save the brief?");
	test_write(p.shop, "brief.json", theirs);
	answer(pty, "Save the brief?", "y");
	pty_expect(pty, "changed since it was read");
	expect_brief(&p, theirs);
	pty_send(pty, "w");
	answer(pty, "Save the brief?", "y");
	pty_expect(pty, "saved: brief.json");
	expect_brief(&p, "{\"team_id\": \"them\", \"privilege_profile\": \"exclusive\"}\n");
	leave(pty);
	test_project_end(&p);
}

/* UI-6: the draft is there after another view was looked at, and leaving asks. */
static void ui_6_the_draft_outlives_the_view(void **state)
{
	struct test_project p;
	struct pty *pty;

	begin(&p, "{\"team_id\": \"us\"}\n");
	pty = start(&p, NULL, 100, 30);
	pty_expect(pty, "4 Merge");
	pty_send(pty, "1");
	pty_expect(pty, "as on disk");
	pty_send(pty, "j\r");
	pty_expect(pty, "changed: w saves");
	pty_send(pty, "4");
	pty_expect(pty, "Nothing can be merged");
	pty_send(pty, "1");
	pty_expect(pty, "changed: w saves");
	pty_send(pty, "Q");
	answer(pty, "Leave without saving?", "n");
	pty_send(pty, "u");
	pty_expect(pty, "as on disk");
	leave(pty);
	expect_brief(&p, "{\"team_id\": \"us\"}\n");
	test_project_end(&p);
}

/* STG-2: nothing of a hostile brief reaches the terminal as such, and nothing of it is lost. */
static void stg_2_hostile_briefs(void **state)
{
	static const char *const briefs[] = {
		"{\"project_name\": \"a\xe2\x80\xae\xc2\x9b" "2J\", \"k\\u001b]52;c;eA==\\u0007\": \"\\u001b[2J\"}\n",
		"{\"project_name\": \"\\u001b[2J\"}\n",
		"{\"workspace_write_roots\": [\"../\\u202e\", \"\\u001b[8m\", \"~/.ssh\", \"/\"]}\n",
		"{\"team_id\": \"\x1b]0;owned\x07\"}\n",
		"{\"_accepted\": true}\n",
		"{\"accept_write_roots\": [\"/\"]}\n",
	};

	for (size_t i = 0; i < AT_LEN(briefs); i++) {
		struct test_project p;
		struct pty *pty;

		begin(&p, briefs[i]);
		pty = start(&p, NULL, 120, 40);
		pty_settle(pty, 200);
		pty_send(pty, "1");
		pty_expect(pty, "Setup  brief.json");
		pty_send(pty, "jjjjjjjj\tjj\tG=");
		pty_settle(pty, 200);
		pty_send(pty, "q");
		pty_settle(pty, 200);
		leave(pty);
		expect_brief(&p, briefs[i]);
		test_project_end(&p);
	}
}

/* WIRE-17: an agent session sees the form and writes nothing. */
static void wire_17_agent_session_may_look(void **state)
{
	struct test_project p;
	struct pty *pty;
	uint64_t before;

	begin(&p, NULL);
	before = test_tree_fingerprint(p.stage);
	pty = start(&p, "CLAUDECODE=1", 100, 30);
	pty_expect(pty, "new: w saves");
	pty_send(pty, "w");
	pty_expect(pty, "CLAUDECODE is set");
	leave(pty);
	assert_true(before == test_tree_fingerprint(p.stage));
	test_project_end(&p);
}

/* UI-3: the same without a screen. */
static void ui_3_set_and_unset(void **state)
{
	struct test_project p;
	uint64_t before;

	begin(&p, NULL);
	before = test_tree_fingerprint(p.stage);
	assert_non_null(strstr(test_expect(&p, 0, "--brief"), "is not there"));
	assert_non_null(strstr(test_expect(&p, 0, "--set privilege_profile=exclusive --dry-run"),
		"+  \"privilege_profile\": \"exclusive\""));
	assert_true(before == test_tree_fingerprint(p.stage));
	test_expect(&p, 0, "--set privilege_profile=exclusive");
	expect_brief(&p, "{\n  \"privilege_profile\": \"exclusive\"\n}\n");
	test_expect(&p, 0, "--brief --set protected_read_paths=[\"~/a\",\"~/b\"] --set team_id=shop");
	test_expect(&p, 0, "--set protected_read_paths=~/b --unset team_id");
	expect_brief(&p, "{\n  \"privilege_profile\": \"exclusive\",\n  \"protected_read_paths\": [\n"
			 "    \"~/b\"\n  ]\n}\n");
	before = test_tree_fingerprint(p.stage);
	assert_non_null(strstr(test_expect(&p, 0, "--set privilege_profile=exclusive"), "nothing to do"));
	assert_true(before == test_tree_fingerprint(p.stage));
	assert_non_null(strstr(test_expect(&p, 0, "--brief --json"), "\"value\": \"exclusive\""));
	assert_non_null(strstr(test_expect(&p, 0, "--undo"), "undone: brief"));
	test_project_end(&p);
}

/* REQ-2 to REQ-4, REQ-14: refusals have their exit status and write nothing. */
static void req_14_refusals_write_nothing(void **state)
{
	static const struct {
		int status;
		const char *words, *says;
	} rows[] = {
		{ 1, "--set privilege_profile=none", "exclusive" },
		{ 1, "--set team_id=Shop", "lower-case" },
		{ 1, "--set team_id=a --set protect_prompt_roots=yes", "true or false" },
		{ 1, "--set workspace_write_roots=~/.ssh", "protected path" },
		{ 1, "--set workspace_write_roots=../other", "--accept-write-root ../other" },
		{ 1, "--set coordination_write_roots=/srv/x", "--accept-write-root /srv/x" },
		{ 2, "--set nonsense=1", "no field" },
		{ 2, "--set _accepted=1", "no field" },
		{ 2, "--set team_id", "NAME=VALUE" },
		{ 2, "--unset x", "no field" },
		{ 2, "--set team_id=a --update", "exclude" },
		{ 1, "--set team_id=a --description ../outside.json", "outside this project" },
	};
	struct test_project p;
	uint64_t before;

	begin(&p, "{\"x\": 1}");
	test_write(p.stage, "outside.json", "{}");
	before = test_tree_fingerprint(p.stage);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct test_run run = test_run(&p, rows[i].words);

		if (run.status != rows[i].status || !strstr(at_buf_text(&run.err), rows[i].says))
			fail_msg("row %zu: exit %d\n%s", i, run.status, at_buf_text(&run.err));
		test_run_free(&run);
	}
	assert_true(before == test_tree_fingerprint(p.stage));
	test_expect(&p, 0, "--set workspace_write_roots=../demo-shop-build" ROOT);
	test_project_end(&p);
}

static void wire_17_agent_session_sets_nothing(void **state)
{
	struct test_project p;
	struct test_run run;
	uint64_t before;

	begin(&p, "{}\n");
	before = test_tree_fingerprint(p.stage);
	run = test_run_with(&p, "AI_AGENT=1", "--set team_id=a");
	assert_int_equal(run.status, 2);
	test_run_free(&run);
	run = test_run_with(&p, "AI_AGENT=1", "--set team_id=a --dry-run");
	assert_int_equal(run.status, 0);
	test_run_free(&run);
	assert_true(before == test_tree_fingerprint(p.stage));
	test_project_end(&p);
}

int test_setup(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_1_a_project_never_seen),
		cmocka_unit_test(req_12_changed_while_asking),
		cmocka_unit_test(ui_6_the_draft_outlives_the_view),
		cmocka_unit_test(stg_2_hostile_briefs),
		cmocka_unit_test(wire_17_agent_session_may_look),
		cmocka_unit_test(ui_3_set_and_unset),
		cmocka_unit_test(req_14_refusals_write_nothing),
		cmocka_unit_test(wire_17_agent_session_sets_nothing),
	};

	return cmocka_run_group_tests_name("setup", tests, NULL, NULL);
}
