#include "support/support.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/hook_run.h"

#define SAYS(decision)                                                                             \
	"echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", "                      \
	"\"permissionDecision\": \"" decision "\"}}'"
#define ON_BAD(what) "case $(cat) in *'push --force'*) " what ";; esac"

static struct at_hook_verdict judge(const char *command, const char *project)
{
	const struct at_hook_call call = { .command = command, .project = project,
		.timeout_ms = 400 };
	struct at_hook_verdict verdict;
	struct at_error err;

	if (!at_hook_judge(&verdict, &call, &err))
		fail_msg("%s", err.message);
	return verdict;
}

/* WIRE-10: what each kind of hook does, as the measured client takes it. */
static void wire_10_verdicts(void **state)
{
	static const struct {
		const char *command;
		enum at_hook_result result;
		enum at_hook_direction direction;
	} rows[] = {
		{ ON_BAD(SAYS("deny")), AT_HOOK_STOPS, AT_HOOK_AS_MEANT },
		{ ON_BAD(SAYS("ask")), AT_HOOK_STOPS, AT_HOOK_AS_MEANT },
		{ ON_BAD("exit 2"), AT_HOOK_STOPS, AT_HOOK_AS_MEANT },
		{ ON_BAD("echo '{\"decision\": \"block\"}'"), AT_HOOK_STOPS, AT_HOOK_AS_MEANT },
		{ ON_BAD("printf '\\357\\273\\277\\n '; " SAYS("deny")), AT_HOOK_STOPS, AT_HOOK_AS_MEANT },
		{ ON_BAD(SAYS("deny") "; exit 1"), AT_HOOK_STOPS, AT_HOOK_AS_MEANT },
		{ "true", AT_HOOK_SILENT, AT_HOOK_ALLOWS },
		{ "echo this is only a word", AT_HOOK_SILENT, AT_HOOK_ALLOWS },
		{ "echo '{}'", AT_HOOK_SILENT, AT_HOOK_ALLOWS },
		{ SAYS("allow"), AT_HOOK_OPENS, AT_HOOK_ALLOWS },
		{ SAYS("allow") "; exit 3", AT_HOOK_OPENS, AT_HOOK_ALLOWS },
		{ "echo '{\"decision\": \"approve\"}'", AT_HOOK_OPENS, AT_HOOK_ALLOWS },
		{ "case $(cat) in *'push --force'*) " SAYS("deny") ";; *) " SAYS("allow") ";; esac",
			AT_HOOK_OPENS, AT_HOOK_ALLOWS },
		{ "exit 1", AT_HOOK_BROKEN, AT_HOOK_ALLOWS },
		{ "exit 3", AT_HOOK_BROKEN, AT_HOOK_ALLOWS },
		{ SAYS("deny") "; exit 3", AT_HOOK_BROKEN, AT_HOOK_ALLOWS },
		{ "kill -9 $$", AT_HOOK_BROKEN, AT_HOOK_ALLOWS },
		{ "sleep 60", AT_HOOK_BROKEN, AT_HOOK_ALLOWS },
		{ "\"$CLAUDE_PROJECT_DIR\"/absent", AT_HOOK_BROKEN, AT_HOOK_ALLOWS },
		{ "exit 2", AT_HOOK_BROKEN, AT_HOOK_DENIES },
		{ SAYS("deny"), AT_HOOK_BROKEN, AT_HOOK_DENIES },
		{ SAYS("ask"), AT_HOOK_BROKEN, AT_HOOK_DENIES },
		{ SAYS("defer"), AT_HOOK_BROKEN, AT_HOOK_DENIES },
		{ ON_BAD("echo '{\"hookSpecificOutput\": {\"permissionDecision\": \"deny\"}}'"),
			AT_HOOK_BROKEN, AT_HOOK_ALLOWS },
		{ ON_BAD("echo '{\"permissionDecision\": \"deny\"}'"), AT_HOOK_BROKEN, AT_HOOK_ALLOWS },
		{ ON_BAD("echo '{\"continue\": false}'"), AT_HOOK_BROKEN, AT_HOOK_ALLOWS },
		{ ON_BAD(SAYS("deny") "; echo more"), AT_HOOK_BROKEN, AT_HOOK_ALLOWS },
		{ ON_BAD("echo '[]'"), AT_HOOK_BROKEN, AT_HOOK_ALLOWS },
		{ ON_BAD(SAYS("perhaps")), AT_HOOK_BROKEN, AT_HOOK_ALLOWS },
		{ "yes '{' | head -c 3000000", AT_HOOK_BROKEN, AT_HOOK_ALLOWS },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_hook_verdict v = judge(rows[i].command, "/nonexistent");

		if (v.result != rows[i].result || v.direction != rows[i].direction)
			fail_msg("row %zu: %s (%s): %s", i, at_hook_result_name(v.result),
				at_hook_direction_name(v.direction), v.text);
		assert_row(i, *v.text);
	}
}

/* WIRE-10: a missing script behind an interpreter refuses all, a missing program passes all,
 * and the words say which. */
static void wire_10_missing_has_a_direction(void **state)
{
	struct at_hook_verdict v;

	if (access("/usr/bin/python3", X_OK) == 0) {
		v = judge("python3 /nonexistent/hook.py", "/nonexistent");
		assert_int_equal(v.direction, AT_HOOK_DENIES);
		assert_non_null(strstr(v.text, "everything denied"));
	}
	v = judge("/nonexistent/hook", "/nonexistent");
	assert_int_equal(v.direction, AT_HOOK_ALLOWS);
	assert_non_null(strstr(v.text, "everything allowed"));
}

/* WIRE-10: the hook is run elsewhere, with a home of its own, without keys or a terminal. */
static void wire_10_surroundings(void **state)
{
	char *top = test_tree_new();
	struct at_buf said;
	char *script = at_alloc(4096);

	setenv("ANTHROPIC_API_KEY", "not-to-be-seen", 1);
	snprintf(script, 4096,
		"{ env; echo cwd=$(pwd); cat; (: </dev/tty) && echo HAS-TTY; touch \"$HOME/left\"; } "
		">>'%s/said' 2>/dev/null; exit 0", top);
	judge(script, "/the project");
	unsetenv("ANTHROPIC_API_KEY");
	said = test_read(top, "said");
	assert_null(strstr(at_buf_text(&said), "not-to-be-seen"));
	assert_null(strstr(at_buf_text(&said), "HAS-TTY"));
	assert_non_null(strstr(at_buf_text(&said), "CLAUDE_PROJECT_DIR=/the project\n"));
	assert_non_null(strstr(at_buf_text(&said), "cwd=/\n"));
	assert_non_null(strstr(at_buf_text(&said), "\"hook_event_name\":\"PreToolUse\""));
	assert_non_null(strstr(at_buf_text(&said), "\"tool_input\":{\"command\":\"ls\""));
	{
		const char *home = strstr(at_buf_text(&said), "\nHOME=");
		char path[256] = "";

		home = home ? home + 6 : strstr(at_buf_text(&said), "HOME=") + 5;
		snprintf(path, sizeof(path), "%.*s", (int)strcspn(home, "\n"), home);
		assert_non_null(strstr(path, "atconsole-hook-"));
		assert_int_not_equal(access(path, F_OK), 0); /* gone with what was in it */
	}
	at_buf_free(&said);
	free(script);
	test_tree_remove(top);
}

/* WIRE-10: what a hook starts in the background neither holds it up nor outlives it. */
static void wire_10_background_is_ended(void **state)
{
	char *top = test_tree_new(), script[512];
	struct timespec a, b;
	struct at_buf pids;

	snprintf(script, sizeof(script), "sleep 100 & echo $! >>'%s/pid'; exit 0", top);
	clock_gettime(CLOCK_MONOTONIC, &a);
	judge(script, "/");
	clock_gettime(CLOCK_MONOTONIC, &b);
	assert_true(b.tv_sec - a.tv_sec < 5);
	usleep(100000);
	pids = test_read(top, "pid");
	for (const char *p = at_buf_text(&pids); *p; p += strcspn(p, "\n") + 1) {
		char path[64], line[256] = "";
		FILE *file;

		/* Gone, or a zombie that whoever adopted it has not buried yet. */
		snprintf(path, sizeof(path), "/proc/%d/stat", atoi(p));
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fgets(line, sizeof(line), file) && !strstr(line, ") Z"))
			fail_msg("still there: %s", line);
		fclose(file);
	}
	at_buf_free(&pids);
	test_tree_remove(top);
}

/* A child's status, streams, cap and time limit. */
static void child_reports(void **state)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin", NULL };
	static const struct {
		const char *script, *out, *err;
		int status;
		bool timed_out, cut;
	} rows[] = {
		{ "echo a; echo b >&2; exit 7", "a\n", "b\n", 7, false, false },
		{ "cat", "input", "", 0, false, false },
		{ "kill -TERM $$", "", "", 143, false, false },
		{ "echo early; sleep 60", "early\n", "", 137, true, false },
		{ "printf 0123456789abcdef", "01234567", "", 0, false, true },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const char *argv[] = { "/bin/sh", "-c", rows[i].script, NULL };
		const struct at_child_call call = { .argv = argv, .env = env, .cwd = "/",
			.input = at_bytes_of("input"), .timeout_ms = 300, .cap = 8 };
		struct at_child_end end;
		struct at_error err;

		assert_row(i, at_child_run(&end, &call, &err));
		assert_row(i, strcmp(at_buf_text(&end.out), rows[i].out) == 0);
		assert_row(i, strcmp(at_buf_text(&end.err), rows[i].err) == 0);
		assert_row(i, end.status == rows[i].status && end.timed_out == rows[i].timed_out);
		assert_row(i, end.is_cut == rows[i].cut);
		at_child_end_free(&end);
	}
}

static void child_that_cannot_start(void **state)
{
	static const char *const env[] = { NULL };
	static const struct {
		const char *program, *cwd;
		int status;
	} rows[] = { { "/nonexistent/x", "/", 127 }, { "/bin/sh", "/nonexistent", 126 } };

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const char *argv[] = { rows[i].program, NULL };
		const struct at_child_call call = { .argv = argv, .env = env, .cwd = rows[i].cwd,
			.timeout_ms = 1000, .cap = 10 };
		struct at_child_end end;

		assert_row(i, at_child_run(&end, &call, NULL) && end.status == rows[i].status);
		at_child_end_free(&end);
	}
}

/* A descriptor that is named reaches it, and a terminal is its own. */
static void child_keeps_what_it_is_left(void **state)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin", NULL };
	static const char *const argv[] = { "/bin/sh", "-c",
		"cat /dev/fd/40; [ -t 0 ] && : </dev/tty && printf terminal", NULL };
	static const int keep[] = { 40, -1 };
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), pipe_fd[2];
	struct at_child_call call = { .argv = argv, .env = env, .cwd = "/", .timeout_ms = 5000,
		.cap = 64, .keep = keep };
	struct at_child_end end;

	assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	call.terminal = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_int_equal(pipe(pipe_fd), 0);
	assert_int_equal(write(pipe_fd[1], "left ", 5), 5);
	close(pipe_fd[1]);
	assert_int_equal(dup2(pipe_fd[0], 40), 40);
	close(pipe_fd[0]);
	assert_true(at_child_run(&end, &call, NULL));
	assert_string_equal(at_buf_text(&end.out), "left terminal");
	at_child_end_free(&end);
	close(40);
	close(call.terminal);
	close(master);
}

static bool until_it_speaks(void *user, const struct at_child_end *so_far)
{
	++*(int *)user;
	return so_far->out.len == 0;
}

static void child_is_stopped_when_asked(void **state)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin", NULL };
	static const char *const argv[] = { "/bin/sh", "-c", "echo word; sleep 60", NULL };
	int asked = 0;
	const struct at_child_call call = { .argv = argv, .env = env, .cwd = "/",
		.timeout_ms = 50000, .cap = 64, .go_on = until_it_speaks, .user = &asked };
	struct at_child_end end;

	assert_true(at_child_run(&end, &call, NULL));
	assert_true(end.stopped && !end.timed_out && asked > 0);
	assert_int_equal(end.signal, SIGKILL);
	at_child_end_free(&end);
}

/* RUN-3: input of any size up to the cap, and what left its group is found by the keeper. */
static void run_3_child_with_a_keeper(void **state)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin", NULL };
	static const struct {
		const char *line;
		size_t input;
		int status, timeout_ms;
		bool left;
	} rows[] = {
		{ "wc -c", 0, 0, 20000, false },
		{ "wc -c", AT_CHILD_INPUT_CAP + 1, 0, 20000, false },
		{ "exit 7", 0, 7, 20000, false },
		{ "kill -TERM $$", 0, 128 + SIGTERM, 20000, false },
		{ "setsid sleep 60 >/dev/null 2>&1 & exit 3", 0, 3, 20000, true },
		{ "setsid sleep 60 & sleep 60", 0, 128 + SIGKILL, 300, false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const char *argv[] = { "/bin/sh", "-c", rows[i].line, NULL };
		struct at_buf input = { 0 };
		struct at_child_end end;

		at_buf_pad(&input, 'x', rows[i].input);
		assert_row(i,
			at_child_run(&end,
				&(struct at_child_call){ .argv = argv, .env = env, .cwd = "/",
					.input = at_buf_bytes(&input),
					.timeout_ms = rows[i].timeout_ms, .cap = 64,
					.has_keeper = true },
				NULL));
		assert_row(i, end.status == rows[i].status);
		assert_row(i, (end.survivors > 0) == rows[i].left && !end.is_left);
		assert_row(i, end.timed_out == (rows[i].timeout_ms < 1000));
		if (strcmp(rows[i].line, "wc -c") == 0)
			assert_row(i, (size_t)atol(at_buf_text(&end.out)) == rows[i].input);
		at_child_end_free(&end);
		at_buf_free(&input);
	}
	{
		static const char *const argv[] = { "/bin/true", NULL };
		struct at_child_end end;

		assert_false(at_child_run(&end,
			&(struct at_child_call){ .argv = argv, .env = env, .cwd = "/",
				.input = { "", AT_CHILD_INPUT_MAX + 1 }, .timeout_ms = 1000 },
			NULL));
	}
}

int test_hook_run(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_10_verdicts),
		cmocka_unit_test(wire_10_missing_has_a_direction),
		cmocka_unit_test(wire_10_surroundings),
		cmocka_unit_test(wire_10_background_is_ended),
		cmocka_unit_test(child_reports),
		cmocka_unit_test(run_3_child_with_a_keeper),
		cmocka_unit_test(child_that_cannot_start),
		cmocka_unit_test(child_keeps_what_it_is_left),
		cmocka_unit_test(child_is_stopped_when_asked),
	};

	return cmocka_run_group_tests_name("hook_run", tests, NULL, NULL);
}
