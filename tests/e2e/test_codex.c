/* A codex team from the command line: its runner, its hook and the programs behind it. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/digest.h"
#include "e2e/project.h"
#include "launcher/ground.h"

#define RUNNER ".codex/confined-run.example.sh"
#define HOOKS ".codex/hooks.json"
#define GATE ".agentteams/bin/agentteams-role-gate"
#define SERVER ".agentteams/bin/agentteams-readfs-mcp"

static const char policy[] =
	"{\"project_name\": \"shop\", \"project_goal\": \"A shop.\", \"privilege_profile\": "
	"\"confined\", \"workspace_write_roots\": [\"src\"], \"write_policy\": "
	"\"orchestrator-only\"}";

static void copy_program(const struct test_project *p, const char *variable, const char *name)
{
	const char *from = getenv(variable);
	char to[256];
	struct at_buf bytes;

	if (!from)
		fail_msg("%s is not set: run through meson test", variable);
	bytes = test_read("/", from + 1);
	snprintf(to, sizeof(to), "libexec/%s", name);
	test_write_bytes(p->stage, to, bytes.data, bytes.len);
	assert_int_equal(chmod(test_path(p->stage, to), 0755), 0);
	at_buf_free(&bytes);
}

static void begin(struct test_project *p)
{
	test_project_begin(p, NULL);
	test_write(p->shop, "brief.json", policy);
	copy_program(p, "AT_ROLE_GATE", "agentteams-role-gate");
	copy_program(p, "AT_READFS", "agentteams-readfs-mcp");
}

static const char *run(const struct test_project *p, int want, const char *words)
{
	char line[1024];

	snprintf(line, sizeof(line), "--gate-program %s/libexec/agentteams-gate --framework codex %s",
		p->stage, words);
	return test_expect(p, want, line);
}

static void must_say(const char *out, const char *text)
{
	if (!strstr(out, text))
		fail_msg("it lacks `%s`: %s", text, out);
}

static mode_t mode_of(const char *dir, const char *path)
{
	struct stat st;

	assert_int_equal(lstat(test_path(dir, path), &st), 0);
	assert_true(S_ISREG(st.st_mode));
	return st.st_mode & 07777;
}

static void assert_same(const char *a, const char *path_a, const char *b, const char *path_b)
{
	struct at_buf x = test_read(a, path_a), y = test_read(b, path_b);

	assert_true(at_bytes_equal(at_buf_bytes(&x), at_buf_bytes(&y)));
	at_buf_free(&x);
	at_buf_free(&y);
}

/* EMIT-14: the record has the whole digest of each program. */
static void must_pin(const struct test_project *p, const char *log)
{
	static const char *const files[] = { GATE, SERVER };

	for (size_t i = 0; i < AT_LEN(files); i++) {
		struct at_buf bytes = test_read(p->shop, files[i]);
		struct at_digest digest = at_digest_of(at_buf_bytes(&bytes));
		char hex[AT_DIGEST_HEX], want[256];

		at_digest_hex(hex, &digest);
		snprintf(want, sizeof(want), "\"%s\": \"%s\"", files[i], hex);
		must_say(strstr(log, "\"pinned_programs\""), want);
		at_buf_free(&bytes);
	}
}

/* WP-3, WP-5, EMIT-9: what is written, that it rests, and that it can be taken back. */
static void wp_3_emitted_and_undone(void **state)
{
	static const char *const files[] = { RUNNER, HOOKS, GATE, SERVER };
	struct test_project p;
	struct at_buf text;
	const char *out;

	begin(&p);
	run(&p, 1, "--check");
	run(&p, 0, "--update");
	assert_same(p.shop, GATE, p.stage, "libexec/agentteams-role-gate");
	assert_same(p.shop, SERVER, p.stage, "libexec/agentteams-readfs-mcp");
	assert_int_equal(mode_of(p.shop, RUNNER), 0755);
	assert_int_equal(mode_of(p.shop, GATE), 0755);
	assert_int_equal(mode_of(p.shop, SERVER), 0755);
	assert_int_equal(mode_of(p.shop, HOOKS), 0644);
	text = test_read(p.shop, ".codex/agents/references/build-log.json");
	must_say(text.data, "\"../../.agentteams/bin/agentteams-role-gate\"");
	must_pin(&p, text.data);
	at_buf_free(&text);
	text = test_read(p.shop, RUNNER);
	assert_null(strstr(text.data, "@CODEX_"));
	must_say(text.data, "\ngate=yes\n");
	at_buf_free(&text);
	run(&p, 0, "--check");
	out = run(&p, 0, "--check-wiring");
	for (size_t i = 0; i < AT_LEN(files); i++)
		must_say(out, files[i]);
	must_say(out, "Whether codex honours the hook cannot be seen from here");
	out = run(&p, 0, "--check-wiring --json");
	must_say(out, "codex-genuine");
	run(&p, 0, "--undo");
	for (size_t i = 0; i < AT_LEN(files); i++)
		assert_row(i, !test_exists(p.shop, files[i]));
	test_project_end(&p);
}

/* WP-3: without the policy there is the runner alone, and no word of a hook. */
static void wp_3_without_a_policy(void **state)
{
	struct test_project p;
	struct at_buf text;

	test_project_begin(&p, NULL);
	run(&p, 0, "--accept-write-root ../demo-shop-build --update");
	assert_true(test_exists(p.shop, RUNNER));
	assert_false(test_exists(p.shop, HOOKS));
	assert_false(test_exists(p.shop, ".agentteams"));
	text = test_read(p.shop, RUNNER);
	must_say(text.data, "roots='src\ndocs\n../demo-shop-build'\n");
	must_say(text.data, "\ngate=''\n");
	at_buf_free(&text);
	must_say(run(&p, 0, "--accept-write-root ../demo-shop-build --check-wiring"), RUNNER);
	test_project_end(&p);
}

/* INT-2, WIRE-5: edited, removed, not to be executed, a link, another name: each is named, and
 * --update mends what is ours. */
static void wire_5_each_artefact(void **state)
{
	static const struct { const char *path, *how, *id; int update; } rows[] = {
		{ RUNNER, "echo '#' >>$F", "codex-edited", 0 },
		{ RUNNER, "rm $F", "codex-missing", 0 },
		{ RUNNER, "chmod 644 $F", "codex-not-executable", 0 },
		{ HOOKS, "rm $F", "codex-missing", 0 },
		{ HOOKS, "sed -i s/60/600/ $F", "codex-edited", 0 },
		{ HOOKS, "sed -i 's/ || exit 2//' $F", "codex-hooks-foreign", 0 },
		{ HOOKS, "rm $F; ln -s x $F", "codex-hooks-foreign", 0 },
		{ GATE, "printf x >>$F", "codex-edited", 0 },
		{ GATE, "rm $F", "codex-missing", 0 },
		{ GATE, "chmod 644 $F", "codex-not-executable", 0 },
		{ GATE, "ln $F $F.2", "codex-hard-link", 0 },
		{ SERVER, "printf x >>$F", "codex-edited", 0 },
		{ SERVER, "rm $F", "codex-missing", 0 },
		{ SERVER, "printf x >>../libexec/agentteams-readfs-mcp", "codex-older", 0 },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		char line[1024], want[256];
		struct test_project p;
		const char *out;

		begin(&p);
		run(&p, 0, "--update");
		snprintf(line, sizeof(line), "cd '%s' && F=%s && %s", p.shop, rows[i].path, rows[i].how);
		assert_int_equal(system(line), 0);
		out = run(&p, 1, "--check-wiring");
		snprintf(want, sizeof(want), "FAIL %s  %s", rows[i].id, rows[i].path);
		must_say(out, want);
		assert_null(strstr(out, "Whether codex honours"));
		run(&p, rows[i].update, "--update");
		if (strcmp(rows[i].id, "codex-hooks-foreign") != 0
			&& strcmp(rows[i].id, "codex-hard-link") != 0)
			run(&p, 0, "--check-wiring");
		test_project_end(&p);
	}
}

/* reference-later 5.1: whose the hook file is. */
static void wp_3_hooks_of_others(void **state)
{
#define HOOK(command) "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [" command "]}]}}"
#define OURS "{\"type\": \"command\", \"command\": " \
	"\"\\\"$AGENTTEAMS_ROOT/.agentteams/bin/agentteams-role-gate\\\" || exit 2\"}"
#define PYTHON "{\"command\": \"\\\"$AGENTTEAMS_PYTHON\\\" -I -S " \
	"\\\"$AGENTTEAMS_ROOT/.agentteams/bin/codex-role-gate.py\\\" || exit 2\"}"
	static const struct { const char *text; bool replaced; } rows[] = {
		{ HOOK(OURS), true }, { HOOK(PYTHON), true }, { HOOK(OURS ", " PYTHON), true },
		{ HOOK(OURS ", {\"command\": \"x\"}"), false }, { HOOK("{\"command\": \"x\"}"), false },
		{ HOOK(""), false }, { "{}", false }, { "", false }, { "{", false }, { "[]", false },
		{ HOOK("{\"command\": \"true; \\\"$AGENTTEAMS_ROOT/.agentteams/bin/"
		       "agentteams-role-gate\\\" || exit 2\"}"), false },
		{ "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [" OURS "]}], \"Stop\": "
		  "[{\"hooks\": [{\"command\": \"x\"}]}]}}", false },
		{ "{\"x\": 1, \"hooks\": {\"PreToolUse\": [{\"hooks\": [" OURS "]}]}}", false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct test_project p;
		struct test_run ran;
		struct at_buf text;
		char line[1024];

		begin(&p);
		test_write(p.shop, HOOKS, rows[i].text);
		snprintf(line, sizeof(line), "--gate-program %s/libexec/agentteams-gate "
			"--framework codex --update", p.stage);
		ran = test_run(&p, line);
		assert_row(i, ran.status == 0);
		text = test_read(p.shop, HOOKS);
		assert_row(i, (strcmp(at_buf_text(&text), rows[i].text) == 0) != rows[i].replaced);
		assert_row(i, !strstr(at_buf_text(&ran.err), "it stays as it is") == rows[i].replaced);
		at_buf_free(&text);
		test_run_free(&ran);
		test_project_end(&p);
	}
}

/* WP-3: what is not installed here is told, and pinned by nobody. */
static void wp_3_not_installed(void **state)
{
	struct test_project p;
	struct test_run ran;

	test_project_begin(&p, NULL);
	test_write(p.shop, "brief.json", policy);
	ran = test_run(&p, "--framework codex --update");
	assert_int_equal(ran.status, 0);
	must_say(at_buf_text(&ran.err), "agentteams-role-gate is not installed here");
	must_say(at_buf_text(&ran.err), "agentteams-readfs-mcp is not installed here");
	assert_false(test_exists(p.shop, GATE));
	test_run_free(&ran);
	must_say(test_expect(&p, 1, "--framework codex --check-wiring"), "FAIL codex-program-missing");
	test_expect(&p, 0, "--framework codex --check");
	test_project_end(&p);
}

/* WP-3, EMIT-14: a policy that is given up leaves no pins, and the hook that stays is told. */
static void wp_3_policy_given_up(void **state)
{
	struct test_project p;
	struct test_run ran;
	struct at_buf text;
	char line[512];

	begin(&p);
	run(&p, 0, "--update");
	test_write(p.shop, "brief.json", "{\"privilege_profile\": \"confined\"}");
	snprintf(line, sizeof(line), "--gate-program %s/libexec/agentteams-gate --framework codex "
		"--update", p.stage);
	ran = test_run(&p, line);
	assert_int_equal(ran.status, 0);
	must_say(at_buf_text(&ran.err), HOOKS " still starts the role gate");
	test_run_free(&ran);
	text = test_read(p.shop, ".codex/agents/references/build-log.json");
	assert_null(strstr(text.data, "pinned_programs"));
	at_buf_free(&text);
	text = test_read(p.shop, RUNNER);
	must_say(text.data, "\npin_role_gate=''\n");
	at_buf_free(&text);
	run(&p, 0, "--check");
	test_project_end(&p);
}

/* ---- the runner itself, under the launcher, with a codex that tells what it sees ---- */

static const char fake[] =
	"#!/bin/sh\n"
	"echo \"codex $*\"\n"
	"echo \"in ${PWD##*/} confined=$AGENTTEAMS_CODEX_CONFINED\"\n"
	"for f in \"$AGENTTEAMS_ROOT/x\" \"$AGENTTEAMS_ROOT/src/x\" \"$CODEX_HOME/x\" "
	"\"$CODEX_HOME/config.toml\" \"$CODEX_HOME/rules/x\" \"$AGENTTEAMS_ROOT/.codex/hooks.json\" "
	"\"$AGENTTEAMS_ROOT/.agentteams/bin/agentteams-role-gate\"; do\n"
	"(echo x >>\"$f\") 2>/dev/null && echo \"wrote ${f##*/s/}\"\n"
	"done\n"
	"echo '{\"hook_event_name\": \"PreToolUse\", \"agent_id\": \"1\", \"tool_name\": \"Bash\"}' |\n"
	"\"$AGENTTEAMS_ROOT/.agentteams/bin/agentteams-role-gate\" 2>/dev/null; echo \"gate $?\"\n"
	"printf '%s\\n' '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
	"\"read_file\",\"arguments\":{\"path\":\"src/note.txt\"}}}' |\n"
	"\"$AGENTTEAMS_ROOT/.agentteams/bin/agentteams-readfs-mcp\"\n"
	"exit 7\n";

#define RUN "HOME=\"$PWD/home\" PATH=\"$PWD/bin:/usr/bin:/bin\" CODEX_CONFINE_EGRESS=deny dash s/" \
	RUNNER
#define CONFIG "home/.config/agentteams/codex-home/*/config.toml"

static void begin_ground(struct ground *ground)
{
	struct test_project p;
	struct at_child_end end;

	begin(&p);
	test_write(p.shop, "src/note.txt", "a note\n");
	run(&p, 0, "--update");
	ground_begin(ground);
	end = ground_sh_as_caller(ground, "cp -R '%s/.' s && chmod -R a+rX s", p.shop);
	assert_int_equal(end.status, 0);
	at_child_end_free(&end);
	end = ground_sh_as_caller(ground, "chown -R --reference=. s");
	assert_int_equal(end.status, 0);
	at_child_end_free(&end);
	ground_must(ground, "mkdir bin; cat >bin/codex <<'END'\n%sEND\nchmod 755 bin/codex; "
		"mkdir -p home/.config/agentteams/keys; echo secret >home/.config/agentteams/keys/k; "
		"echo secret >home/.config/agentteams/old.pem", fake);
	test_project_end(&p);
}

static void end_ground(struct ground *ground)
{
	ground_must(ground, "chmod -R u+w s");
	ground_end(ground);
}

/* WP-3: it starts codex as it should, twice; what must hold holds; nothing is left behind. */
static void wp_3_runner_starts_codex(void **state)
{
	struct ground ground;
	struct at_child_end end;

	begin_ground(&ground);
	if (ground_why_no_sandbox(&ground)) {
		const char *why = ground_why_no_sandbox(&ground);

		end_ground(&ground);
		skip_because("%s", why);
	}
	for (int i = 0; i < 2; i++) {
		const char *out;

		end = ground_sh(&ground, "mkdir -p t; TMPDIR=\"$PWD/t\"; export TMPDIR; " RUN
			" exec 'a b'");
		out = at_buf_text(&end.out);
		if (end.status != 7)
			fail_msg("%d: %s%s", end.status, out, at_buf_text(&end.err));
		must_say(out, "codex --sandbox danger-full-access --dangerously-bypass-hook-trust "
			"exec a b\n");
		must_say(out, "in s confined=1\n");
		must_say(out, "wrote src/x\n");
		must_say(out, "gate 2\n");
		must_say(out, "\"text\":\"a note\\n\"");
		assert_null(strstr(out, "wrote x"));
		assert_null(strstr(out, "wrote .codex"));
		assert_null(strstr(out, "wrote .agentteams"));
		assert_null(strstr(out, "config.toml"));
		assert_null(strstr(out, "rules"));
		at_child_end_free(&end);
	}
	ground_must(&ground, "[ \"$(grep -c agentteams_readfs " CONFIG ")\" = 1 ]");
	ground_must(&ground, "[ -z \"$(ls -A t)\" ]");
	end_ground(&ground);
}

/* reference-later 5.3: every refusal, before anything is started. */
static void wp_3_runner_refuses(void **state)
{
	static const struct { const char *before, *variable; int status; const char *says; } rows[] = {
		{ "rm bin/codex", "", 1, "codex is not on the PATH" },
		{ "rm s/sandbox/confine-run.sh", "", 1, "confine-run.sh is not there" },
		{ "true", "AGENTTEAMS_CODEX_CONFINED=1", 2, "confined session already" },
		{ "true", "AGENTTEAMS_CODEX_HOME=x", 2, "not absolute" },
		{ "true", "AGENTTEAMS_CODEX_HOME=\"$PWD/a/../b\"", 2, "holds //, . or .." },
		{ "true", "AGENTTEAMS_CODEX_HOME=\"$PWD//b\"", 2, "holds //, . or .." },
		{ "true", "AGENTTEAMS_CODEX_HOME=\"$PWD/b/.\"", 2, "holds //, . or .." },
		{ "true", "AGENTTEAMS_CODEX_HOME=\"$PWD/home\"", 2, "is your home" },
		{ "true", "AGENTTEAMS_CODEX_HOME=\"$PWD\"", 2, "is your home, or above" },
		{ "true", "AGENTTEAMS_CODEX_HOME=\"$PWD/s/x\"", 2, "is inside the project" },
		{ "true", "AGENTTEAMS_CODEX_HOME=\"$PWD/home/.config/agentteams/keys\"", 2,
			"operator's own files" },
		{ "true", "AGENTTEAMS_CODEX_HOME=\"$PWD/home/.config/agentteams/codex-home\"", 2,
			"operator's own files" },
		{ "ln -s \"$PWD/home/.config/agentteams/keys\" l", "AGENTTEAMS_CODEX_HOME=\"$PWD/l\"", 2,
			"operator's own files" },
		{ "ln -s \"$PWD/s/src\" l", "AGENTTEAMS_CODEX_HOME=\"$PWD/l\"", 2,
			"is inside the project" },
		{ "mkdir h; ln -s ../x h/config.toml", "AGENTTEAMS_CODEX_HOME=\"$PWD/h\"", 2,
			"no regular file" },
		{ "mkdir h; ln -s ../x h/rules", "AGENTTEAMS_CODEX_HOME=\"$PWD/h\"", 2, "no directory" },
		{ "echo '#' >>s/" HOOKS, "", 2, "not the one that was pinned" },
		{ "echo x >>s/" GATE, "", 2, "not the one that was pinned" },
		{ "echo x >>s/" SERVER, "", 2, "not the one that was pinned" },
		{ "rm s/" GATE, "", 2, "missing, or no regular file" },
		{ "mv s/" GATE " g; ln -s \"$PWD/g\" s/" GATE, "", 2, "no regular file" },
		{ "mv s/.agentteams/bin b; ln -s \"$PWD/b\" s/.agentteams/bin", "", 2, "symbolic link" },
		{ "sed -i \"s/^pin_readfs=.*/pin_readfs=''/\" s/" RUNNER, "", 2, "was not installed" },
		{ "echo '[mcp_servers.AgentTeams_ReadFS]' >s/.codex/config.toml", "", 2,
			"names agentteams_readfs" },
		{ "echo 'mcp_servers = { \"agentteams\\u005freadfs\" = { } }' >s/.codex/config.toml", "", 2,
			"names agentteams_readfs" },
		{ "mkdir s/src/.codex; echo '{}' >s/src/.codex/hooks.json", "", 2, "other settings of codex" },
		{ "mkdir s/src/.Codex; : >s/src/.Codex/Config.TOML", "", 2, "other settings of codex" },
		{ "ln -s ../../h s/src/.CODEX", "", 2, "other settings of codex" },
		{ "mkdir h; echo 'model = \"x\"' >h/config.toml", "AGENTTEAMS_CODEX_HOME=\"$PWD/h\"", 2,
			"lacks the file server's table" },
	};
	struct ground whole;

	begin_ground(&whole);
	ground_must(&whole, "cp -R s s.orig; cp -R bin bin.orig");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_child_end end;

		ground_must(&whole, "chmod -R u+w s bin; rm -rf s bin h l g b x; cp -R s.orig s; "
			"cp -R bin.orig bin; %s", rows[i].before);
		end = ground_sh(&whole, "%s " RUN, rows[i].variable);
		if (end.status != rows[i].status || !strstr(at_buf_text(&end.err), rows[i].says))
			fail_msg("row %zu (%s %s): %d: %s", i, rows[i].before, rows[i].variable,
				end.status, at_buf_text(&end.err));
		assert_row(i, end.out.len == 0);
		at_child_end_free(&end);
	}
	end_ground(&whole);
}

/* reference-later 5.3: the server's table, and what may stand around it. */
static void wp_3_runner_server_table(void **state)
{
	static const struct { const char *edit; bool fine; } rows[] = {
		{ "true", true }, { "printf 'model = \"x\"\\n\\n' | cat - $C >n && cat n >$C", true },
		{ "printf '\\n# mine\\n[tui]\\nx = 1\\n' >>$C", true }, { "printf '# mine' >>$C", true },
		{ "echo 'env = { LD_PRELOAD = \"x\" }' >>$C", false },
		{ "echo '  env = { LD_PRELOAD = \"x\" }' >>$C", false },
		{ "printf '# a\\nenv.LD_PRELOAD = \"x\"\\n' >>$C", false },
		{ "echo '[mcp_servers.agentteams_readfs.env]' >>$C", false },
		{ "cat $C >n; cat n >>$C", false },
		{ "printf '[mcp_servers.\"agentteams\\\\u005freadfs\"]\\n' >>$C", false },
		{ "sed -i 's/--root/--foot/' $C", false },
	};
	struct ground ground;

	begin_ground(&ground);
	if (ground_why_no_sandbox(&ground)) {
		const char *why = ground_why_no_sandbox(&ground);

		end_ground(&ground);
		skip_because("%s", why);
	}
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_child_end end;

		ground_must(&ground, "rm -rf home/.config/agentteams/codex-home");
		end = ground_sh(&ground, RUN " >/dev/null 2>&1");
		assert_row(i, end.status == 7);
		at_child_end_free(&end);
		ground_must(&ground, "C=$(echo " CONFIG "); %s", rows[i].edit);
		end = ground_sh(&ground, RUN);
		if (end.status != (rows[i].fine ? 7 : 2))
			fail_msg("row %zu: %d: %s", i, end.status, at_buf_text(&end.err));
		at_child_end_free(&end);
	}
	end_ground(&ground);
}

/* reference-later 5.3: a launcher that confines nothing is found out before codex starts. */
static void wp_3_self_probe(void **state)
{
	static const struct { const char *before, *says; } rows[] = {
		{ "true", "keys can be listed" },
		{ "rm -r home/.config/agentteams/keys", "key can be read" },
		{ "rm -r home/.config/agentteams/keys home/.config/agentteams/old.pem",
			".agentteams can be written" },
		{ "rm -r home/.config/agentteams/keys home/.config/agentteams/old.pem; "
		  "chmod 555 s/.agentteams s/.codex", "config.toml can be written" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct ground ground;
		struct at_child_end end;

		begin_ground(&ground);
		ground_must(&ground, "%s; cat >s/sandbox/confine-run.sh <<'END'\n"
			"#!/bin/sh\n"
			"while [ \"$1\" != -- ]; do\n"
			"    [ \"$1\" != --setenv ] || export \"$2\"\n"
			"    shift\n"
			"done\n"
			"shift\n"
			"exec \"$@\"\n"
			"END", rows[i].before);
		end = ground_sh(&ground, RUN);
		if (end.status != 3 || !strstr(at_buf_text(&end.err), rows[i].says)
			|| !strstr(at_buf_text(&end.err), "SELF-PROBE FAILED"))
			fail_msg("row %zu: %d: %s", i, end.status, at_buf_text(&end.err));
		assert_row(i, end.out.len == 0);
		at_child_end_free(&end);
		end_ground(&ground);
	}
}

int test_codex(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wp_3_emitted_and_undone),
		cmocka_unit_test(wp_3_without_a_policy),
		cmocka_unit_test(wire_5_each_artefact),
		cmocka_unit_test(wp_3_hooks_of_others),
		cmocka_unit_test(wp_3_not_installed),
		cmocka_unit_test(wp_3_policy_given_up),
		cmocka_unit_test(wp_3_runner_starts_codex),
		cmocka_unit_test(wp_3_runner_refuses),
		cmocka_unit_test(wp_3_runner_server_table),
		cmocka_unit_test(wp_3_self_probe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
