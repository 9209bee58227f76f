/* STG-3, RUN-3: killed, or out of space, at any step of a stage, an apply, an undo, a rejection: no
 * write without its row, no row that verification cannot explain, and the next runner goes on. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/serve_ground.h"

#include "core/fault.h"

#define MOST 400u /* no scene has more steps */
#define WELL 12u  /* ends in a row that tell that the last step is over: some may fail unnoticed */

struct scene {
	const char *name;
	bool is_staged, is_applied; /* before the run that is cut short */
	const char *kind; /* what that run does; NULL: serves a stage-proposal */
};

static const struct scene scenes[] = {
	{ "stage", false, false, NULL },
	{ "apply", true, false, "apply-staged" },
	{ "reject", true, false, "reject-staged" },
	{ "undo", true, true, "undo-applied" },
};

static char sid[AT_STAGED_ID];

#define ONE "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806"

static const char *ask(struct serve_ground *g, const char *kind)
{
	char request[200];

	if (strcmp(kind, "undo-applied") == 0)
		return serve_ask(g, "{\"kind\": \"undo-applied\"}");
	snprintf(request, sizeof(request), "{\"kind\": \"%s\", \"sid\": \"%s\"}", kind, sid);
	return serve_ask(g, request);
}

static void lay(struct serve_ground *g, const struct scene *s)
{
	serve_open(g, NULL);
	serve_must_start(g);
	serve_dispatch(g);
	if (s->is_staged) {
		serve_stage(g, '1', "docs/a.md", ONE, "two\\n");
		serve_turn(g);
		snprintf(sid, sizeof(sid), "%s", serve_text(serve_result(g, '1'), "sid"));
	}
	if (s->is_applied)
		serve_says(ask(g, "apply-staged"), "\"ok\": true");
	serve_stop(g);
	if (!s->kind)
		serve_stage(g, '2', "docs/a.md", ONE, "two\\n");
}

/* 0 ended well, 1 refused, -1 killed. */
static int in_a_child(struct serve_ground *g, const struct scene *s, const char *fault)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		struct at_buf result = { 0 };
		char request[200];
		size_t served;
		bool ok;

		at_fault_set(fault);
		if (!serve_start(g))
			_exit(1);
		snprintf(request, sizeof(request), "{\"kind\": \"%s\"%s%s%s}",
			s->kind ? s->kind : "", s->is_applied ? "" : ", \"sid\": \"",
			s->is_applied ? "" : sid, s->is_applied ? "" : "\"");
		ok = s->kind ? at_runner_ask(g->runner, at_bytes_of(request), &result, &g->err)
			     : at_runner_turn(g->runner, 0, &served, &g->err);
		ok = ok && (!s->kind || strstr(at_buf_text(&result), "\"ok\": true"))
			&& (s->kind || strstr(serve_result(g, '2'), "\"ok\": true"));
		at_runner_close(g->runner);
		_exit(ok ? 0 : 1);
	}
	assert_true(pid > 0);
	while (waitpid(pid, &status, 0) < 0)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static size_t records(struct serve_ground *g)
{
	struct at_staged_names names;
	int dir = at_staged_open_dir(g->setup.root, true, &g->err);
	size_t count;

	assert_true(at_staged_names(&names, dir, &g->err));
	count = names.count;
	at_staged_names_free(&names);
	close(dir);
	return count;
}

static bool is_two(struct serve_ground *g)
{
	struct at_buf text = test_read(g->project, "docs/a.md");
	bool two = strcmp(at_buf_text(&text), "two\n") == 0;

	assert_true(two || strcmp(at_buf_text(&text), "one\n") == 0);
	at_buf_free(&text);
	return two;
}

static size_t net(struct serve_ground *g, const char *action)
{
	size_t all = serve_count(g, action), back = serve_taken_back(g, action);

	assert_true(all >= back);
	return all - back;
}

/* Before anything is mended: every write there is has its row. */
static void no_write_without_a_row(struct serve_ground *g, const struct scene *s)
{
	if (is_two(g) != s->is_applied)
		assert_true(serve_count(g, s->is_applied ? "undo-applied" : "apply-staged") > 0);
	assert_true(records(g) <= serve_count(g, "stage-proposal"));
}

/* After the next start rows and files say the same. */
static void rows_are_explained(struct serve_ground *g, const struct scene *s, int end)
{
	size_t applied = net(g, "apply-staged"), undone = net(g, "undo-applied");

	serve_says(serve_ask(g, "{\"kind\": \"verify-ledger\"}"), "\"problems\": []");
	assert_int_equal(is_two(g), applied - undone);
	assert_int_equal(records(g),
		net(g, "stage-proposal") - applied - serve_count(g, "reject-staged"));
	if (!s->kind) {
		/* Answered, or still to be served: never forgotten. */
		serve_turn(g);
		assert_true(*serve_result(g, '2') != '\0');
	}
	if (end == 0 && s->kind && strcmp(s->kind, "reject-staged") != 0)
		assert_true(is_two(g) != s->is_applied);
}

static void each_step(const struct scene *s, const char *fault)
{
	unsigned at, well = 0;

	for (at = 1; well < WELL && at < MOST; at++) {
		struct serve_ground g;
		char spec[64];
		int end;

		lay(&g, s);
		snprintf(spec, sizeof(spec), "no-sync,%s:%u", fault, at);
		end = in_a_child(&g, s, spec);
		no_write_without_a_row(&g, s);
		serve_must_start(&g);
		rows_are_explained(&g, s, end);
		if (s->kind && strcmp(s->kind, "apply-staged") == 0 && !is_two(&g))
			serve_says(ask(&g, "apply-staged"), "\"ok\": true");
		if (s->kind && strcmp(s->kind, "undo-applied") == 0 && is_two(&g))
			serve_says(ask(&g, "undo-applied"), "\"ok\": true");
		well = end == 0 ? well + 1 : 0;
		serve_close(&g);
	}
	assert_true(well == WELL);
}

static void stg_3_killed_at_each_step(void **state)
{
	(void)state;
	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	for (size_t i = 0; i < AT_LEN(scenes); i++)
		each_step(&scenes[i], "kill");
}

static void stg_3_disk_full_at_each_step(void **state)
{
	(void)state;
	if (!AT_FAULTS_BUILT)
		skip_because("built without fault hooks");
	for (size_t i = 0; i < AT_LEN(scenes); i++)
		each_step(&scenes[i], "enospc");
}

int test_serve_kill(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stg_3_killed_at_each_step),
		cmocka_unit_test(stg_3_disk_full_at_each_step),
	};

	return cmocka_run_group_tests_name("serve_kill", tests, NULL, NULL);
}
