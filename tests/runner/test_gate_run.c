#include "runner/runs_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runner/runs/gate_run.h"

static const char *const shells[] = { "/bin", "/usr/bin", NULL };

static bool gate(struct ground *g, const char *line, const char *content, const char *path)
{
	const char *const argv[] = { "sh", "-c", line, "gate", "{file}", "{path}", "x{file}",
		NULL };
	const struct at_gate_call call = { .name = "lint",
		.argv = argv,
		.exec = shells,
		.path = path,
		.content = at_bytes_of(content) };

	return at_gate_run(&g->confine, &call, &g->err);
}

/* 3.8: what a gate gets, and how it is judged. */
static void run_5_gates(void **state)
{
	static const struct {
		const char *line, *says; /* NULL: it passes */
	} rows[] = {
		{ "exit 0", NULL },
		{ "[ \"$(cat \"$1\")\" = proposed ]", NULL },
		{ "[ \"${1##*/}\" = 'the file.txt' ] && [ \"$2\" = 'src/the file.txt' ]", NULL },
		{ "[ \"$3\" = 'x{file}' ]", NULL },
		{ "[ -d src ] && ! read -r line", NULL },
		{ "! echo x 2>/dev/null >src/made", NULL },
		{ "echo x >\"$TMPDIR/made\" && echo more >>\"$1\"", NULL },
		{ "[ -z \"${API_SECRET-}\" ]", NULL },
		{ "echo out; echo err >&2; exit 3",
			"gate lint refused the proposed content (exit 3): out\nerr" },
		{ "exit 1", "gate lint refused the proposed content (exit 1): " },
		{ "kill -9 $$", "gate lint refused the proposed content (exit 137): " },
		{ "printf 'a\\000b\\n'; exit 2",
			"gate lint refused the proposed content (exit 2): a b" },
		{ "sleep 4720 & exit 0", "gate lint could not run: it left processes behind" },
	};
	struct ground g;

	runs_open(&g, false);
	ground_need_sandbox(&g);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		bool ok = gate(&g, rows[i].line, "proposed", "src/the file.txt");

		if (ok != !rows[i].says
			|| (rows[i].says && strcmp(g.err.message, rows[i].says) != 0))
			print_message("%s\n", g.err.message);
		assert_row(i, ok == !rows[i].says);
		assert_row(i, ok || strcmp(g.err.message, rows[i].says) == 0);
	}
	assert_false(test_exists(g.project, "src/made"));
	ground_sh(&g, "[ -z \"$(ls ../state/runs | grep -v confine-run.sh)\" ]");
	runs_close(&g);
}

/* The last 600 characters, and never half of one. */
static void run_5_a_refusal_quotes_the_end(void **state)
{
	struct ground g;
	const char *quoted;

	runs_open(&g, false);
	ground_need_sandbox(&g);
	assert_false(gate(&g, "head -c 5000 /dev/zero | tr '\\0' a; printf 'the end\\n\\n'; exit 1",
		"", "f"));
	quoted = strchr(g.err.message, ':') + 2;
	assert_int_equal(strlen(quoted), AT_GATE_WORDS);
	assert_string_equal(quoted + AT_GATE_WORDS - 7, "the end");
	assert_false(gate(&g,
		"i=0; while [ $i -lt 900 ]; do printf '\\303\\251'; i=$((i+1)); done; exit 1", "",
		"f"));
	quoted = strchr(g.err.message, ':') + 2;
	assert_int_equal(quoted[0], (char)0xC3);
	assert_true(strlen(quoted) % 2 == 0 && strlen(quoted) > 600);
	runs_close(&g);
}

static void run_5_gates_that_cannot_run(void **state)
{
	static const char *const never[] = { "src", NULL };
	static const char *const wrong =
		"0000000000000000000000000000000000000000000000000000000000000000";
	const char *argv[] = { "sh", "-c", "true", NULL }, *exec[] = { NULL, NULL };
	struct at_gate_call call = { .name = "g", .argv = argv, .exec = shells, .path = "f" };
	char digest[65];
	struct ground g;

	runs_open(&g, false);
	ground_need_sandbox(&g);
	assert_true(at_gate_argv_digest(digest, argv));
	call.argv_digest = digest;
	assert_true(at_gate_run(&g.confine, &call, &g.err));
	call.argv_digest = wrong;
	assert_false(at_gate_run(&g.confine, &call, &g.err));
	assert_non_null(strstr(g.err.message, "gate g could not run: its argv in the brief"));
	call.argv_digest = NULL;
	argv[0] = "no-such-program";
	assert_false(at_gate_run(&g.confine, &call, &g.err));
	assert_non_null(strstr(g.err.message, "gate g could not run: `no-such-program` is no"));
	/* The program itself and its interpreter are exec, when nothing else is said. */
	argv[0] = "sh";
	call.exec = NULL;
	assert_true(at_gate_run(&g.confine, &call, &g.err));
	/* A program an agent could write. */
	call.exec = exec;
	call.never = never;
	exec[0] = test_path(g.project, "src/tools");
	assert_false(at_gate_run(&g.confine, &call, &g.err));
	assert_non_null(strstr(g.err.message, "overlaps the write root `src`"));
	/* No name of a file. */
	call.exec = shells;
	call.path = "src/";
	assert_false(at_gate_run(&g.confine, &call, &g.err));
	assert_non_null(strstr(g.err.message, "gate g could not run: "));
	runs_close(&g);
}

/* gate_argv_sha256 as Python's json.dumps(argv, separators=(",", ":")) gives it. */
static void run_5_the_digest_of_an_argv(void **state)
{
	static const char *const plain[] = { "lint", "{file}", NULL };
	static const char *const odd[] = { "caf\xC3\xA9", "\xF0\x9F\x98\x80", "a\"\\/\n\x7F",
		NULL };
	static const char *const bad[] = { "\xFF", NULL };
	char digest[65];

	assert_true(at_gate_argv_digest(digest, plain));
	assert_string_equal(
		digest, "e77e3bba295bd86ebc401ca826e06715f039067f3ffe44af9b966fc88099051f");
	assert_true(at_gate_argv_digest(digest, odd));
	assert_string_equal(
		digest, "4c627cab865bff2e43e4112ead7f2d01fed0125d387eaceb91f6611c3e60d0a7");
	assert_false(at_gate_argv_digest(digest, bad));
}

int test_gate_run(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_5_gates),
		cmocka_unit_test(run_5_a_refusal_quotes_the_end),
		cmocka_unit_test(run_5_gates_that_cannot_run),
		cmocka_unit_test(run_5_the_digest_of_an_argv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
