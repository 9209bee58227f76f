#include "runner/runs_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/child.h"
#include "emit/assets.h"

static const char *const shells[] = { "/bin", "/usr/bin", NULL };
static const char *const src[] = { "src", NULL };

static bool has(const struct at_buf *text, const char *part)
{
	return strstr(at_buf_text(text), part) != NULL;
}

/* RUN-5, SB24: the entry's roots and TMPDIR can be written; nothing else, and no network. */
static void run_5_what_a_command_can_write(void **state)
{
	static const struct {
		const char *line;
		int exit;
	} rows[] = {
		{ "echo x >src/made", 0 },
		{ "echo x >\"$TMPDIR/made\"", 0 },
		{ "echo x >made", 2 },
		{ "mkdir -p .agentteams 2>/dev/null || exit 9", 9 },
		{ "echo x >../state/runs/confine-run.sh", 2 },
		{ "echo x >\"$HOME/made\"", 2 },
		{ "echo x >/usr/made", 2 },
		{ "read -r line </proc/net/dev; while read -r name rest; do case $name in lo:*|face*|Inter*) "
		  ";; *) exit 7 ;; esac; done </proc/net/dev",
			0 },
		{ "exit 3", 3 },
		{ "exit 1", 1 },
		{ "kill -9 $$", 137 },
	};
	struct at_run_end end;
	struct ground g;

	runs_open(&g, false);
	ground_need_sandbox(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		bool ok = ground_run(&end, &g, src, rows[i].line);

		if (!ok)
			print_message("%s\n", g.err.message);
		assert_row(i, ok);
		if (end.exit != rows[i].exit)
			print_message("exit %d: %s\n", end.exit, at_buf_text(&end.err));
		assert_row(i, end.exit == rows[i].exit);
		assert_row(i, at_run_status(&end) == 0);
		assert_row(i, strcmp(at_confined_name(end.how), "bwrap") == 0);
		at_run_end_free(&end);
	}
	assert_true(test_exists(g.project, "src/made"));
	assert_false(test_exists(g.project, "made"));
	runs_close(&g);
}

/* 3.9: the environment is built; the project is on no PATH; cwd is where it was asked for. */
static void run_3_environment_is_built(void **state)
{
	struct at_run_end end;
	struct ground g;
	char want[600];

	runs_open(&g, false);
	ground_need_sandbox(&g);
	assert_true(ground_run(&end, &g, NULL, "env; pwd"));
	assert_false(has(&end.out, "API_SECRET"));
	assert_false(has(&end.out, "XDG_STATE_HOME"));
	assert_true(has(&end.out, "PATH=/usr/bin:/bin\n"));
	snprintf(want, sizeof(want), "TMPDIR=%s/run-", g.private_dir);
	assert_true(has(&end.out, want));
	snprintf(want, sizeof(want), "\n%s\n", g.project);
	assert_true(has(&end.out, want));
	assert_int_equal(end.err.len, 0);
	at_run_end_free(&end);
	/* And nothing is left of its directory. */
	assert_false(test_exists(g.private_dir, "run-"));
	runs_close(&g);
}

/* RUN-5: the launcher of the project is never looked at, the one outside is checked each time. */
static void run_5_the_launcher_is_the_shipped_one(void **state)
{
	struct at_run_end end;
	struct at_buf bytes;
	struct ground g;

	runs_open(&g, false);
	ground_need_sandbox(&g);
	bytes = test_read(g.private_dir, "confine-run.sh");
	assert_true(at_bytes_equal(at_buf_bytes(&bytes), at_asset_launcher));
	at_buf_free(&bytes);
	test_write(g.project, "sandbox/confine-run.sh", "#!/bin/sh\necho taken over\n");
	assert_true(ground_run(&end, &g, src, "echo '#!/bin/sh' >src/confine-run.sh; echo fine"));
	assert_string_equal(at_buf_text(&end.out), "fine\n");
	at_run_end_free(&end);
	/* One byte more. */
	assert_int_equal(chmod(test_path(g.private_dir, "confine-run.sh"), 0600), 0);
	ground_sh(&g, "echo >>../state/runs/confine-run.sh");
	assert_false(ground_run(&end, &g, NULL, "true"));
	assert_int_equal(g.err.code, AT_EUNSAFE);
	at_run_end_free(&end);
	/* A link to the same bytes. */
	ground_sh(&g,
		"cd ../state/runs; head -c -1 confine-run.sh >same; rm -f confine-run.sh; "
		"ln -s same confine-run.sh");
	assert_false(ground_run(&end, &g, NULL, "true"));
	at_run_end_free(&end);
	/* Open to others. */
	ground_sh(&g,
		"cd ../state/runs; rm confine-run.sh; mv same confine-run.sh; chmod 500 confine-run.sh");
	assert_true(ground_run(&end, &g, NULL, "true"));
	at_run_end_free(&end);
	assert_int_equal(chmod(g.private_dir, 0770), 0);
	assert_false(ground_run(&end, &g, NULL, "true"));
	at_run_end_free(&end);
	runs_close(&g);
}

/* The private directory must be nobody else's, and outside the project. */
static void run_5_where_the_launcher_may_be(void **state)
{
	static const char *const places[] = { "project/runs", "project/src/runs", "link", "open" };
	struct at_confine_setup setup;
	struct at_confine confine;
	struct ground g;

	runs_open(&g, false);
	setup = g.confine.setup;
	assert_int_equal(symlink("state", test_path(g.dir, "link")), 0);
	assert_int_equal(mkdir(test_path(g.dir, "open"), 0755), 0);
	assert_int_equal(chmod(test_path(g.dir, "open"), 0755), 0);
	for (size_t i = 0; i < AT_LEN(places); i++) {
		setup.private_dir = test_path(g.dir, places[i]);
		assert_row(i, !at_confine_open(&confine, &setup, &g.err));
		assert_row(i, *g.err.message);
	}
	runs_close(&g);
}

/* 3.12: the run-time checks of roots, exec paths and cwd. */
static void run_5_roots_and_exec_paths(void **state)
{
	static const struct {
		const char *write, *exec, *cwd, *says;
	} rows[] = {
		{ "link", "/bin", ".", "real directory" },
		{ "src/link", "/bin", ".", "real directory" },
		{ "link/src", "/bin", ".", "real directory" },
		{ "../home", "/bin", ".", "inside the project" },
		{ "/tmp", "/bin", ".", "inside the project" },
		{ ".", "/bin", ".", "the project itself" },
		{ "src/..", "/bin", ".", "the project itself" },
		{ "src/", "/bin", ".", "plain form" },
		{ "src/new\nline", "/bin", ".", "inside the project" },
		{ "gone", "/bin", ".", "existing" },
		{ "src/.keep", "/bin", ".", "existing" },
		{ "src", "/", ".", "holds the project" },
		{ "src", "~/", ".", "your home" },
		{ "src", "bin", ".", "absolute" },
		{ "src", "PROJECT/src/bin", ".", "overlaps" },
		{ "src", "PROJECT/..", ".", "holds the project" },
		{ "src", "PRIVATE", ".", "temporary directory" },
		{ "src", "/usr/lib", ".", "none of the exec paths" },
		{ "src", "/bin", "link", "real directory" },
		{ "src", "/bin", "..", "inside the project" },
		{ "src", "/bin", "/tmp", "inside the project" },
		{ "src", "/bin", "gone", "existing" },
	};
	struct ground g;

	runs_open(&g, false);
	ground_sh(&g, "ln -s /tmp link; ln -s ../src src/link; mkdir -p src/bin");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const char *const argv[] = { "sh", NULL }, *write[] = { rows[i].write, NULL };
		char exec[700];
		const char *execs[] = { "/bin", exec, NULL };
		struct at_run_call call = { .argv = argv,
			.cwd = rows[i].cwd,
			.entry = { .exec = execs, .write = write },
			.timeout = 5 };

		if (strncmp(rows[i].exec, "PROJECT", 7) == 0)
			snprintf(exec, sizeof(exec), "%s%s", g.project, rows[i].exec + 7);
		else if (strcmp(rows[i].exec, "PRIVATE") == 0)
			snprintf(exec, sizeof(exec), "%s", g.private_dir);
		else
			snprintf(exec, sizeof(exec), "%s", rows[i].exec);
		if (strcmp(rows[i].exec, "/usr/lib") == 0)
			call.entry.exec = execs + 1;
		assert_row(i, !at_run_check(&g.confine, &call, &g.err));
		if (!strstr(g.err.message, rows[i].says))
			print_message("%s\n", g.err.message);
		assert_row(i, strstr(g.err.message, rows[i].says));
		assert_row(i, g.err.code == AT_EREFUSED);
	}
	runs_close(&g);
}

/* 3.9: no relative path, nothing of the project's, not by a link either. */
static void run_3_what_argv_0_may_be(void **state)
{
	static const char *const rows[] = { "", "./src/tool", "src/tool", "tool", "no-such-program",
		"PROJECT/src/tool", "PRIVATE/../linked", "/usr/bin" };
	struct ground g;

	runs_open(&g, false);
	ground_sh(&g, "cp /bin/true src/tool; ln -s ../project/src/tool ../state/linked");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		char name[700];
		const char *const argv[] = { name, NULL };
		const struct at_run_call call = {
			.argv = argv, .entry = { .exec = shells }, .timeout = 5
		};

		snprintf(name, sizeof(name), "%s%s",
			strncmp(rows[i], "PROJECT", 7) == 0           ? g.project
				: strncmp(rows[i], "PRIVATE", 7) == 0 ? g.private_dir
								      : "",
			rows[i][0] == 'P' ? rows[i] + 7 : rows[i]);
		assert_row(i, !at_run_check(&g.confine, &call, &g.err));
		assert_row(i, g.err.code == AT_EREFUSED);
	}
	runs_close(&g);
}

static void run_3_timeouts_have_bounds(void **state)
{
	static const int rows[] = { 0, -1, 7201, 2147483647 };
	const char *const argv[] = { "sh", NULL };
	struct ground g;

	runs_open(&g, false);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct at_run_call call = {
			.argv = argv, .entry = { .exec = shells }, .timeout = rows[i]
		};

		assert_row(i, !at_run_check(&g.confine, &call, &g.err));
		assert_row(i, g.err.code == AT_EINVALID);
	}
	runs_close(&g);
}

static bool run_for(struct at_run_end *end, struct ground *g, int timeout, const char *line,
	struct at_bytes input, bool (*go_on)(void *), void *user)
{
	const char *const argv[] = { "sh", "-c", line, NULL };
	const struct at_run_call call = { .argv = argv,
		.entry = { .exec = g->confine.how == AT_UNCONFINED ? NULL : shells },
		.timeout = timeout,
		.input = input,
		.go_on = go_on,
		.user = user };

	return at_run_command(end, &g->confine, &call, &g->err);
}

/* Nobody of that name is left on this machine. */
static bool is_gone(const char *mark)
{
	char line[200];

	/* The pattern does not match its own command line. */
	snprintf(line, sizeof(line), "! grep -lsa '[s]leep.%s' /proc/[0-9]*/cmdline >/dev/null",
		mark);
	for (int i = 0; i < 100; i++) {
		if (system(line) == 0)
			return true;
		usleep(50000);
	}
	return false;
}

/* 3.9: 256 KiB of each stream, and a command that floods ends as it would. */
static void run_3_output_is_capped(void **state)
{
	struct at_run_end end;
	struct ground g;

	runs_open(&g, false);
	ground_need_sandbox(&g);
	assert_true(ground_run(&end, &g, NULL,
		"head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2; echo end; exit 4"));
	assert_int_equal(end.exit, 4);
	assert_true(end.truncated);
	assert_int_equal(end.out.len, AT_RUN_OUTPUT_CAP);
	assert_int_equal(end.err.len, AT_RUN_OUTPUT_CAP);
	at_run_end_free(&end);
	assert_true(run_for(&end, &g, 1, "exec cat /dev/zero", (struct at_bytes){ 0 }, NULL, NULL));
	assert_true(end.timed_out && end.truncated);
	assert_int_equal(at_run_status(&end), 3);
	at_run_end_free(&end);
	runs_close(&g);
}

/* Standard input of more than a pipe holds, and none at all. */
static void run_3_input_of_any_size(void **state)
{
	static const size_t sizes[] = { 0, 1, 32 << 10, (32 << 10) + 1, 3 << 20 };
	struct at_run_end end;
	struct ground g;

	runs_open(&g, false);
	ground_need_sandbox(&g);
	for (size_t i = 0; i < AT_LEN(sizes); i++) {
		struct at_buf input = { 0 };

		at_buf_pad(&input, 'x', sizes[i]);
		assert_row(
			i, run_for(&end, &g, 20, "cat | wc -c", at_buf_bytes(&input), NULL, NULL));
		assert_row(i, (size_t)atol(at_buf_text(&end.out)) == sizes[i]);
		at_run_end_free(&end);
		at_buf_free(&input);
	}
	runs_close(&g);
}

/* What a command leaves is killed and told; what only takes a moment longer is not. */
static void run_3_survivors_are_killed_and_told(void **state)
{
	static const struct {
		const char *line;
		bool survivors;
	} rows[] = {
		{ "true", false },
		{ "sleep 0.05 & exit 0", false },
		{ "sleep 4711 & exit 0", true },
		{ "setsid sleep 4711 >/dev/null 2>&1 & sleep 0.1", true },
		{ "(setsid sh -c 'setsid sleep 4711 & setsid sleep 4711' &) ; sleep 0.3", true },
		{ "trap '' TERM HUP INT; setsid sh -c 'trap \"\" TERM HUP; sleep 4711; sleep 4711' & "
		  "sleep 0.1",
			true },
	};

	for (int unconfined = 0; unconfined < 2; unconfined++) {
		struct at_run_end end;
		struct ground g;

		runs_open(&g, unconfined);
		if (!unconfined)
			ground_need_sandbox(&g);
		for (size_t i = 0; i < AT_LEN(rows); i++) {
			assert_row(i, at_confine_probe(&g.confine, &g.err));
			assert_row(i,
				run_for(&end, &g, 20, rows[i].line, (struct at_bytes){ 0 }, NULL,
					NULL));
			assert_row(i, (end.how == AT_UNCONFINED) == unconfined);
			assert_row(i, end.exit == 0);
			assert_row(i, end.survivors == rows[i].survivors);
			assert_row(i, !end.is_left);
			assert_row(i, at_run_status(&end) == (rows[i].survivors ? 3 : 0));
			assert_row(i, is_gone("4711"));
			at_run_end_free(&end);
		}
		runs_close(&g);
	}
}

/* The time of a run is bounded, whatever it does. */
static void run_3_time_is_bounded(void **state)
{
	static const char *const rows[] = {
		"sleep 4712",
		"setsid sleep 4712 & setsid sleep 4712",
		"trap '' TERM INT HUP; while :; do sleep 4712; done",
		/* Bombs, with a bound of their own: the machine is not what is tested. */
		"i=0; while [ $i -lt 200 ]; do sleep 4712 & i=$((i+1)); done; wait",
		"f() { [ $1 = 0 ] && exec sleep 4712; f $(($1-1)) & f $(($1-1)) & wait; }; f 6",
		"f() { setsid sleep 0.03 & sleep 0.01; f; }; f",
	};

	for (int unconfined = 0; unconfined < 2; unconfined++) {
		struct at_run_end end;
		struct ground g;

		runs_open(&g, unconfined);
		if (!unconfined)
			ground_need_sandbox(&g);
		assert_true(at_confine_probe(&g.confine, &g.err));
		for (size_t i = 0; i < AT_LEN(rows); i++) {
			assert_row(i,
				run_for(&end, &g, 1, rows[i], (struct at_bytes){ 0 }, NULL, NULL));
			assert_row(i, end.timed_out && !end.is_left);
			assert_row(i, end.duration_ms >= 1000 && end.duration_ms < 13000);
			assert_row(i, at_run_status(&end) == 3);
			assert_row(i, is_gone("4712"));
			at_run_end_free(&end);
		}
		runs_close(&g);
	}
}

static bool three_times(void *user)
{
	return ++*(int *)user < 3;
}

static void run_3_a_run_can_be_stopped(void **state)
{
	struct at_run_end end;
	struct ground g;
	int asked = 0;

	runs_open(&g, false);
	ground_need_sandbox(&g);
	assert_true(
		run_for(&end, &g, 60, "sleep 4713", (struct at_bytes){ 0 }, three_times, &asked));
	assert_true(end.stopped && !end.timed_out);
	assert_true(is_gone("4713"));
	at_run_end_free(&end);
	runs_close(&g);
}

/* Whatever stands in TMPDIR at the end is taken away: depth, modes, names. */
static void run_3_nothing_stays_of_tmpdir(void **state)
{
	struct at_run_end end;
	struct ground g;

	runs_open(&g, false);
	ground_need_sandbox(&g);
	assert_true(ground_run(&end, &g, NULL,
		"cd \"$TMPDIR\"; n=nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn; i=0; mkdir d; "
		"while [ $i -lt 120 ]; do mkdir e && mv d e/$n && mv e d || exit 1; i=$((i+1)); done; "
		"mkdir -p a/b; echo x >a/b/c; ln -s / a/b/root; mkfifo a/pipe; "
		"printf x >\"a/$(printf 'new\\nline\\377')\"; chmod 0 a/b a"));
	assert_int_equal(end.exit, 0);
	at_run_end_free(&end);
	ground_sh(&g, "[ -z \"$(ls ../state/runs | grep -v confine-run.sh)\" ]");
	assert_true(test_exists("/", "usr"));
	runs_close(&g);
}

/* RUN-5: without a sandbox a refusal; with the opt-out it says what it did. */
static void run_5_no_sandbox_no_run(void **state)
{
	struct at_run_end end;
	struct ground g;

	runs_open(&g, true);
	g.confine.setup.allow_unconfined = false;
	assert_false(ground_run(&end, &g, NULL, "true"));
	assert_int_equal(g.err.code, AT_EREFUSED);
	assert_non_null(strstr(g.err.message, "no usable OS sandbox here ("));
	at_run_end_free(&end);
	g.confine.setup.allow_unconfined = true;
	assert_true(at_confine_probe(&g.confine, &g.err));
	assert_true(run_for(&end, &g, 5, "exit 5", (struct at_bytes){ 0 }, NULL, NULL));
	assert_int_equal(end.exit, 5);
	assert_string_equal(at_confined_name(end.how), "unconfined-opt-out");
	at_run_end_free(&end);
	runs_close(&g);
}

/* A write root that becomes a link after the check: nothing is started, nothing written there. */
static void run_5_a_root_that_is_swapped(void **state)
{
	static const char *const rows[] = {
		"mv src was && ln -s ../home src",
		"mv src was && ln -s was src",
		"mv src was",
		"mkdir deep && mv src deep/ && ln -s deep/src src",
	};
	const char *const argv[] = { "sh", "-c", "echo x >src/made", NULL };
	const struct at_confine_entry entry = { .exec = shells, .write = src };

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_arena *arena = at_arena_new();
		const char *const *words;
		struct at_child_end end;
		const char *tmp;
		struct ground g;

		runs_open(&g, false);
		ground_need_sandbox(&g);
		tmp = at_confine_make_tmp(&g.confine, arena, &g.err);
		words = at_confine_words(
			&g.confine, arena, &entry, "/bin/sh", argv, ".", tmp, &g.err);
		assert_non_null(words);
		ground_sh(&g, "%s", rows[i]);
		assert_true(at_child_run(&end,
			&(struct at_child_call){ .argv = words,
				.env = (const char *const *)g.env,
				.cwd = g.project,
				.timeout_ms = 10000,
				.cap = 4096 },
			NULL));
		assert_row(i, end.status != 0);
		assert_row(i, !at_confine_has_started(&g.confine, tmp));
		assert_false(test_exists(g.dir, "home/made"));
		assert_false(test_exists(g.project, "src/made"));
		assert_false(test_exists(g.project, "was/made"));
		at_child_end_free(&end);
		at_confine_remove_tmp(&g.confine, tmp);
		at_arena_free(arena);
		runs_close(&g);
	}
}

/* The brief inside a write root stays as it is, and the key is not read. */
static void run_5_protected_and_hidden(void **state)
{
	static const char *const protect[] = { "src/brief.json", "src/gone.json", NULL };
	const char *const argv[] = { "sh", "-c",
		"cat \"$HOME/keys/key\" 2>/dev/null && exit 1; echo x >src/brief.json", NULL };
	const char *hide[2] = { NULL };
	struct at_run_call call = { .argv = argv,
		.timeout = 10,
		.entry = { .exec = shells, .write = src, .protect = protect, .hide = hide } };
	struct at_run_end end;
	struct ground g;

	runs_open(&g, false);
	ground_need_sandbox(&g);
	test_write(g.project, "src/brief.json", "{}");
	test_write(g.dir, "home/keys/key", "secret");
	hide[0] = test_path(g.dir, "home/keys");
	assert_true(at_run_command(&end, &g.confine, &call, &g.err));
	assert_int_equal(end.exit, 2);
	assert_false(has(&end.out, "secret"));
	at_run_end_free(&end);
	runs_close(&g);
}

int test_run(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_5_what_a_command_can_write),
		cmocka_unit_test(run_3_environment_is_built),
		cmocka_unit_test(run_5_the_launcher_is_the_shipped_one),
		cmocka_unit_test(run_5_where_the_launcher_may_be),
		cmocka_unit_test(run_5_roots_and_exec_paths),
		cmocka_unit_test(run_3_what_argv_0_may_be),
		cmocka_unit_test(run_3_timeouts_have_bounds),
		cmocka_unit_test(run_3_output_is_capped),
		cmocka_unit_test(run_3_input_of_any_size),
		cmocka_unit_test(run_3_survivors_are_killed_and_told),
		cmocka_unit_test(run_3_time_is_bounded),
		cmocka_unit_test(run_3_a_run_can_be_stopped),
		cmocka_unit_test(run_3_nothing_stays_of_tmpdir),
		cmocka_unit_test(run_5_no_sandbox_no_run),
		cmocka_unit_test(run_5_a_root_that_is_swapped),
		cmocka_unit_test(run_5_protected_and_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
