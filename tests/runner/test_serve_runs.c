/* RUN-3, RUN-5: gates and commands as a runner starts them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/serve_ground.h"

#define BRIEF \
	"{\"project_name\": \"p\", \"write_policy\": \"orchestrator-only\", \"agent_policies\": " \
	"{\"writer\": {\"write_scopes\": [\"docs/\"], \"commands\": [{\"prefix\": [\"cp\"], " \
	"\"args\": [\"docs/[a-z]+[.]md\", \"(out|docs|src)/[a-z]+[.]md\"], \"timeout\": 20}]}}, " \
	"\"proposal_gates\": {\"good\": {\"glob\": \"docs/*\", \"argv\": [\"grep\", \"-q\", " \
	"\"good\", \"{file}\"]}}, \"confined_programs\": {\"writer\": {\"exec\": [\"/usr/bin\", " \
	"\"/bin\"], \"write\": [\"out\", \"src\"]}}, \"protected_paths\": [\"src/b.md\"]}"

static char path_variable[] = "PATH=/usr/bin:/bin";

/* False, with everything closed, where no sandbox can be had. */
static bool begin(struct serve_ground *g)
{
	char line[700];
	const char *result;

	setenv("TMPDIR", "/var/tmp", 1);
	serve_open(g, BRIEF);
	unsetenv("TMPDIR");
	g->environment[1] = path_variable;
	test_write(g->project, "out/.keep", "");
	test_write(g->project, "src/.keep", "");
	snprintf(line, sizeof(line), "git init -q '%s' >/dev/null 2>&1", g->project);
	assert_int_equal(system(line), 0);
	serve_must_start(g);
	serve_dispatch(g);
	serve_stage(g, '0', "docs/new.md", "absent", "good");
	serve_turn(g);
	result = serve_result(g, '0');
	if (strstr(result, "\"staged\": true"))
		return true;
	print_message("SKIPPED: %s\n", result);
	serve_close(g);
	return false;
}

static void run_5_gates(void **state)
{
	struct serve_ground g;
	char request[200];
	const char *result;

	(void)state;
	if (!begin(&g))
		skip();
	result = serve_result(&g, '0');
	serve_says(result, "\"gates\": [{\"confined\": ");
	serve_says(result, "\"gate\": \"good\"");
	snprintf(request, sizeof(request), "{\"kind\": \"apply-staged\", \"sid\": \"%s\"}",
		serve_text(result, "sid"));
	serve_says(serve_ask(&g, request), "\"written\": true");
	serve_stage(&g, '1', "docs/other.md", "absent", "evil");
	serve_turn(&g);
	serve_says(serve_result(&g, '1'), "gate good refused the proposed content (exit 1)");
	assert_int_equal(serve_count(&g, "stage-proposal-refused"), 1);
	serve_close(&g);
}

static const char *run(struct serve_ground *g, char id, const char *argv, const char *more)
{
	char text[1000];

	snprintf(text, sizeof(text), "{\"kind\": \"run-request\", %s\"artifact\": {\"kind\": "
		"\"command-request\", \"dispatch\": \"%s\", \"argv\": %s, \"purpose\": \"to try\"}}",
		more, g->nonce, argv);
	serve_put(g, AT_QUEUE_REQUESTS, id, text);
	serve_turn(g);
	return serve_result(g, id);
}

static void run_3_commands(void **state)
{
	struct serve_ground g;
	const char *result;

	(void)state;
	if (!begin(&g))
		skip();
	result = run(&g, '1', "[\"cp\", \"docs/a.md\", \"out/a.md\"]", "");
	serve_says(result, "\"ran\": true");
	serve_says(result, "\"undeclared_writes\": []");
	assert_null(strstr(result, "\"exit\": 3"));
	assert_true(test_exists(g.project, "out/a.md"));
	/* A command's own failure is no failure of ours. */
	result = run(&g, '2', "[\"cp\", \"docs/none.md\", \"out/a.md\"]", "");
	serve_says(result, "\"ok\": true");
	serve_says(result, "\"exit\": 1");
	serve_says(result, "No such file");
	/* Nothing is written where the sandbox does not let it. */
	result = run(&g, '3', "[\"cp\", \"docs/a.md\", \"docs/b.md\"]", "");
	serve_says(result, "Read-only file system");
	assert_false(test_exists(g.project, "docs/b.md"));
	/* A protected path in a write root is never excused. */
	result = run(&g, '4', "[\"cp\", \"docs/a.md\", \"src/b.md\"]", "");
	serve_says(result, "\"undeclared_writes\": [\"src/b.md\"]");
	serve_says(result, "\"exit\": 3");
	result = run(&g, '5', "[\"rm\", \"docs/a.md\"]", "");
	serve_says(result, "command allowlist; refused");
	serve_says(run(&g, '6', "[]", ""), "non-empty list");
	result = run(&g, '7', "[\"cp\", \"docs/a.md\", \"out/c.md\"]", "\"dry_run\": true, ");
	serve_says(result, "\"ran\": false");
	assert_false(test_exists(g.project, "out/c.md"));
	assert_int_equal(serve_count(&g, "run-request-start"), 4);
	assert_int_equal(serve_count(&g, "run-request"), 4);
	assert_int_equal(serve_count(&g, "run-request-refused"), 2);
	serve_says(serve_ask(&g, "{\"kind\": \"verify-ledger\"}"), "\"problems\": []");
	serve_close(&g);
}

int test_serve_runs(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_5_gates),
		cmocka_unit_test(run_3_commands),
	};

	return cmocka_run_group_tests_name("serve_runs", tests, NULL, NULL);
}
