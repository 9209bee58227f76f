/* EMIT-20: the emitted example really run, with the emitted launcher and a goose that tells what
 * it sees. Under dash, which is what /bin/sh is on many machines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launcher/ground.h"
#include "support/support.h"

/* Tells, tries, and ends with 7. */
#define GOOSE "mkdir bin; cat >bin/goose <<'EOF'\n#!/bin/sh\n" \
	"printf '<%%s>' \"$@\"; echo; echo cwd=$PWD key=${OPENROUTER_API_KEY-}${OTHER-} more=${MORE-}\n" \
	"echo state=$XDG_STATE_HOME data=$XDG_DATA_HOME cache=$XDG_CACHE_HOME ring=$GOOSE_DISABLE_KEYRING\n" \
	"for f in .goose/confined-run.example.sh .goose/recipes/references/agent-privilege.json " \
	"sandbox/confine-run.sh $HOME/x ../x AGENTS.md made $XDG_STATE_HOME/made; do\n" \
	"(echo x >>$f) 2>/dev/null && echo WROTE $f\ndone\n" \
	"mv .goose .moved 2>/dev/null && echo MOVED\n[ ! -e ../hidden/x ] || echo SEEN\n" \
	"exit 7\nEOF\nchmod +x bin/goose; "
#define RUN "export PATH=$PWD/bin:$PATH OPENROUTER_API_KEY=k1 MORE=leak; "
#define SCRIPT "s/.goose/confined-run.example.sh"

/* A goose team in the ground, emitted by the program itself. */
static void begin(struct ground *ground, const char *brief)
{
	const char *program = getenv("AT_PROGRAM");
	struct at_child_end end;

	if (!program)
		fail_msg("AT_PROGRAM is not set: run through meson test");
	ground_begin(ground);
	ground_must(ground, GOOSE "echo a >s/AGENTS.md; mkdir hidden; echo >hidden/x");
	test_write(ground->path, "s/brief.json", brief);
	end = ground_sh_as_caller(ground, "'%s' --project s --framework goose --update && "
		"chown -R $(stat -c %%u:%%g home) s home", program);
	if (end.status)
		fail_msg("not emitted: %s%s", at_buf_text(&end.out), at_buf_text(&end.err));
	at_child_end_free(&end);
}

static bool says(const struct at_child_end *end, const char *text)
{
	return strstr(at_buf_text(&end->out), text) || strstr(at_buf_text(&end->err), text);
}

/* Skips the test where no sandbox can be had. */
static void need_sandbox(void)
{
	struct ground ground;
	const char *why;

	ground_begin(&ground);
	why = ground_why_no_sandbox(&ground);
	ground_end(&ground);
	if (why)
		skip_because("%s", why);
}

static void emit_20_runs_confined(void **state)
{
	static const struct { const char *line, *want[6]; } rows[] = {
		{ RUN "dash " SCRIPT, { "<session>\n", "/s key=k1 more=\n", "ring=1",
			"WROTE made", "/home/.local/state/goose-confined/s/state/made", NULL } },
		{ RUN SCRIPT " run --text 'a  b' ''", { "<run><--text><a  b><>\n", "WROTE made" } },
		{ RUN "cd s/.goose; dash ./confined-run.example.sh", { "/s key=k1", "WROTE made" } },
		{ RUN "export OTHER=k2 GOOSE_KEY_ENV=OTHER GOOSE_CONFINE_SCRATCH=home/sc; dash " SCRIPT,
			{ "key=k2 more=\n", "/home/sc/state data=", "WROTE made" } },
		{ RUN "export GOOSE_CONFINE_EGRESS=host GOOSE_CONFINE_ACCEPT_OPEN_EGRESS=1; dash "
			SCRIPT, { "<session>", "WROTE made" } },
	};

	need_sandbox();
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_child_end end;
		struct ground ground;

		begin(&ground, "{}");
		end = ground_sh(&ground, "%s", rows[i].line);
		if (end.status != 7)
			fail_msg("row %zu: %d: %s%s", i, end.status, at_buf_text(&end.out),
				at_buf_text(&end.err));
		for (size_t k = 0; k < AT_LEN(rows[i].want) && rows[i].want[k]; k++)
			if (!says(&end, rows[i].want[k]))
				fail_msg("row %zu lacks %s: %s", i, rows[i].want[k],
					at_buf_text(&end.out));
		assert_row(i, !says(&end, "WROTE .goose") && !says(&end, "WROTE sandbox"));
		assert_row(i, !says(&end, "WROTE ../x") && !says(&end, "home/x\n"));
		assert_row(i, !says(&end, "MOVED"));
		at_child_end_free(&end);
		ground_end(&ground);
	}
}

/* The brief's own: hidden paths, prompt roots, and roots with a blank. */
static void emit_20_brief_counts(void **state)
{
	struct at_child_end end;
	struct ground ground;

	need_sandbox();
	begin(&ground, "{}");
	end = ground_sh(&ground, RUN "dash " SCRIPT);
	assert_true(says(&end, "WROTE AGENTS.md") && says(&end, "SEEN"));
	at_child_end_free(&end);
	ground_end(&ground);

	begin(&ground, "{\"privilege_profile\": \"exclusive\", \"protect_prompt_roots\": true, "
		"\"protected_read_paths\": [\"../hidden\"], \"team_id\": \"shop\"}");
	end = ground_sh(&ground, RUN "dash " SCRIPT);
	assert_int_equal(end.status, 7);
	assert_true(!says(&end, "WROTE AGENTS.md") && !says(&end, "SEEN"));
	assert_true(says(&end, "WROTE made") && says(&end, "goose-confined/shop/state"));
	at_child_end_free(&end);
	ground_end(&ground);

	begin(&ground, "{\"workspace_write_roots\": [\"a b\"]}");
	end = ground_sh(&ground, "mkdir 's/a b'; " RUN "dash " SCRIPT);
	assert_int_equal(end.status, 7);
	assert_true(!says(&end, "WROTE made") && says(&end, "state/made"));
	at_child_end_free(&end);
	ground_end(&ground);
}

/* Whatever is not as it should be is refused with 2 and a sentence, before anything is started. */
static void emit_20_refusals(void **state)
{
	static const struct { const char *line, *want; } rows[] = {
		{ "export PATH=$PWD/bin:$PATH; dash " SCRIPT, "OPENROUTER_API_KEY is not set" },
		{ RUN "export GOOSE_KEY_ENV=NONE; dash " SCRIPT, "NONE is not set" },
		{ RUN "export GOOSE_KEY_ENV='a;touch x'; dash " SCRIPT, "no name of a variable" },
		{ RUN "export GOOSE_KEY_ENV='9a'; dash " SCRIPT, "no name of a variable" },
		{ RUN "export GOOSE_CONFINE_EGRESS=host; dash " SCRIPT, "ACCEPT_OPEN_EGRESS=1" },
		{ RUN "export GOOSE_CONFINE_EGRESS=open; dash " SCRIPT, "none of deny, proxy, host" },
		{ RUN "ln -s /etc home/l; GOOSE_CONFINE_SCRATCH=home/l dash " SCRIPT, "symbolic link" },
		{ RUN "mkdir home/d; ln -s /etc home/d/state; GOOSE_CONFINE_SCRATCH=home/d dash "
			SCRIPT, "symbolic link" },
		{ RUN "rm s/sandbox/confine-run.sh; dash " SCRIPT, "run atconsole --update" },
	};
	struct ground ground;

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_child_end end;

		begin(&ground, "{}");
		end = ground_sh(&ground, "%s", rows[i].line);
		if (end.status != 2 || !says(&end, rows[i].want) || says(&end, "<session>"))
			fail_msg("row %zu: %d: %s%s", i, end.status, at_buf_text(&end.out),
				at_buf_text(&end.err));
		at_child_end_free(&end);
		end = ground_sh(&ground, "test ! -e x && test ! -e s/x");
		assert_row(i, end.status == 0);
		at_child_end_free(&end);
		ground_end(&ground);
	}
}

int test_goose_runner(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(emit_20_runs_confined),
		cmocka_unit_test(emit_20_brief_counts),
		cmocka_unit_test(emit_20_refusals),
	};

	return cmocka_run_group_tests_name("goose_runner", tests, NULL, NULL);
}
