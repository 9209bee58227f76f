/* The emitted hook script: what it carries, what it looks at, what it makes of a bad program. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emit/claude_gate.h"
#include "emit/fixture.h"
#include "gate/fixture.h"

#define HOOK_FILE ".claude/hooks/constitutional-gate.sh"
#define FORCED \
	"{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"git push --force origin main\"}}"
#define HARMLESS "{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"ls\"}}"

/* Emits for a program at `place`, and copies the script to $D/my hooks/hook. */
static void emit_for(const char *place, bool closed)
{
	const char *const places[] = { "/nonexistent/agentteams-gate", place, NULL };
	struct fixture f;
	struct at_buf text;

	fixture_begin(&f, closed ? "{\"privilege_profile\": \"confined\"}" : "{}");
	f.project.gate_places = places;
	fixture_update(&f);
	text = fixture_read(&f, HOOK_FILE);
	test_write(gate_dir(), "my hooks/hook", at_buf_text(&text));
	at_buf_free(&text);
	fixture_end(&f);
	assert_int_equal(chmod(test_path(gate_dir(), "my hooks/hook"), 0755), 0);
}

static char *program_place(void)
{
	return at_strdup(test_path(gate_dir(), "libexec/agentteams-gate"));
}

/* GATE-5: the script names the program and carries its digest. */
static void gate_5_pins(void **state)
{
	char *place = program_place(), hex[AT_DIGEST_HEX], pinned[AT_DIGEST_HEX];
	struct at_buf program = test_read("", place), script;
	struct at_digest digest = at_digest_of(at_buf_bytes(&program));

	at_digest_hex(hex, &digest);
	emit_for(place, true);
	script = test_read(gate_dir(), "my hooks/hook");
	at_gate_pinned(pinned, at_buf_bytes(&script));
	assert_string_equal(pinned, hex);
	assert_null(strstr(at_buf_text(&script), "@GATE_"));
	assert_null(strstr(at_buf_text(&script), "/nonexistent/agentteams-gate' '"));
	at_buf_free(&script);
	at_buf_free(&program);
	emit_for("/nonexistent/other", true);
	script = test_read(gate_dir(), "my hooks/hook");
	at_gate_pinned(pinned, at_buf_bytes(&script));
	assert_string_equal(pinned, "");
	at_buf_free(&script);
	free(place);
}

/* GATE-1, GATE-9: with the real program, in every shell that is here, from any directory. */
static void gate_9_every_shell(void **state)
{
	static const char *const shells[] = { "/bin/dash", "/bin/bash", "/bin/bash --posix",
		"/bin/busybox sh" };
	char *place = program_place(), script[1024];
	unsigned tried = 0;

	for (size_t i = 0; i < AT_LEN(shells); i++) {
		for (int closed = 0; closed < 2; closed++) {
			struct gate_ran ran;

			emit_for(place, closed);
			snprintf(script, sizeof(script),
				"set -- %s; [ -x \"$1\" ] || exit 77; cd /; echo '" FORCED
				"' | \"$@\" \"$D/my hooks/hook\"",
				shells[i]);
			ran = gate_sh(script);
			if (ran.status == 77)
				continue;
			tried++;
			if (ran.status != 0 || strcmp(gate_decision(ran.out), "ask") != 0)
				fail_msg("row %zu: %d %s%s", i, ran.status, ran.out, ran.err);
			snprintf(script, sizeof(script),
				"cd /; echo '" HARMLESS "' | %s \"$D/my hooks/hook\"", shells[i]);
			ran = gate_sh(script);
			assert_row(i, ran.status == 0 && !*ran.out && !*ran.err);
			snprintf(script, sizeof(script), "echo no | %s \"$D/my hooks/hook\"",
				shells[i]);
			ran = gate_sh(script);
			assert_row(i, ran.status == !closed);
			assert_row(i, closed == (strcmp(gate_decision(ran.out), "deny") == 0));
		}
	}
	assert_true(tried > 0);
	free(place);
}

/* GATE-9: closed, whatever the program does but answer is a block. */
static void gate_9_closed_is_closed(void **state)
{
	static const struct {
		const char *program;
		int closed, open;
	} rows[] = {
		{ "exit 0", 0, 0 },
		{ "exit 1", 2, 1 },
		{ "exit 2", 2, 2 },
		{ "exit 3", 2, 3 },
		{ "kill -9 $$", 2, 137 },
		{ "kill -11 $$", 2, 139 },
		{ "exit 126", 2, 126 },
		{ "echo fine", 2, 0 },
		{ "echo '{}'", 2, 0 },
		{ "printf '{\"hookSpecific'", 2, 0 },
		{ "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", "
		  "\"permissionDecision\": \"allow\"}}'",
			2, 0 },
		{ "echo '{\"decision\": \"approve\"}'", 2, 0 },
	};
	char *place = at_strdup(test_path(gate_dir(), "fake/agentteams-gate"));

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		for (int closed = 0; closed < 2; closed++) {
			char text[512];
			struct gate_ran ran;

			snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", rows[i].program);
			test_write(gate_dir(), "fake/agentteams-gate", text);
			chmod(place, 0755);
			emit_for(place, closed);
			ran = gate_sh("echo '" FORCED "' | \"$D/my hooks/hook\"");
			if (ran.status != (closed ? rows[i].closed : rows[i].open))
				fail_msg("row %zu: %d %s%s", i, ran.status, ran.out, ran.err);
			if (closed)
				assert_row(i, !*ran.out);
		}
	}
	emit_for(place, true);
	assert_int_equal(unlink(place), 0);
	assert_int_equal(gate_sh("\"$D/my hooks/hook\" </dev/null").status, 2);
	emit_for("/nonexistent/other", true);
	assert_int_equal(gate_sh("\"$D/my hooks/hook\" </dev/null").status, 2);
	free(place);
}

/* GATE-9: what an environment can bring into a shell does not change the answer. `undone`: how the
 * script ends in bash without the lines that see to it, -1 where it needs none. */
static void gate_9_environment(void **state)
{
	static const char *const shells[] = { "/bin/dash", "/bin/bash", "$D/as/sh",
		"/bin/busybox sh" };
#define PLANTED "() { builtin exit 0; }'"
	static const struct {
		const char *variables;
		int undone;
	} rows[] = {
		{ "'BASH_FUNC_[%%=" PLANTED, 0 },
		{ "'BASH_FUNC_test%%=" PLANTED, -1 },
		{ "'BASH_FUNC_echo%%=" PLANTED, 0 },
		{ "'BASH_FUNC_printf%%=" PLANTED, -1 },
		{ "'BASH_FUNC_command%%=" PLANTED, -1 },
		{ "'BASH_FUNC_set%%=" PLANTED, 0 },
		{ "'BASH_FUNC_exit%%=" PLANTED, 0 },
		{ "'BASH_FUNC_unset%%=" PLANTED, -1 },
		{ "'BASH_FUNC_unset%%=() { :; }' 'BASH_FUNC_[%%=" PLANTED, 0 },
		{ "SHELLOPTS=errexit", 1 },
		{ "SHELLOPTS=nounset:noglob", -1 },
		{ "SHELLOPTS=xtrace 'PS4=$(exit 0)'", -1 },
		{ "FUNCNEST=1", -1 },
		{ "IFS=/ CDPATH=/ ENV=$D/evil OPTIND=9 TMOUT=1 GLOBIGNORE='*'", -1 },
		{ "BASH_COMPAT=3.1 BASHOPTS=expand_aliases:extdebug", -1 },
		{ "POSIXLY_CORRECT=", -1 },
	};
	char *place = at_strdup(test_path(gate_dir(), "fake/agentteams-gate")), script[2048];

	test_write(gate_dir(), "fake/agentteams-gate", "#!/bin/sh\nexit 1\n");
	chmod(place, 0755);
	test_write(gate_dir(), "evil", "exit 0\n");
	emit_for(place, true);
	gate_sh("mkdir -p $D/as; ln -sf /bin/bash $D/as/sh; sed '/^POSIXLY_CORRECT=/d; /^unset /d; "
		"/^set +e/d' \"$D/my hooks/hook\" >\"$D/unmended\"");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		for (size_t k = 0; k < AT_LEN(shells); k++) {
			struct gate_ran ran;

			/* a program that fails is refused in any case */
			snprintf(script, sizeof(script),
				"set -- %s; [ -x \"$1\" ] || exit 77; exec env %s \"$@\" "
				"\"$D/my hooks/hook\" </dev/null",
				shells[k], rows[i].variables);
			ran = gate_sh(script);
			if (ran.status != 2 && ran.status != 77)
				fail_msg("row %zu, %s: %d %s%s", i, shells[k], ran.status, ran.out,
					ran.err);
		}
		snprintf(script, sizeof(script),
			"[ -x /bin/bash ] || exit 77; exec env %s /bin/bash \"$D/unmended\" "
			"</dev/null",
			rows[i].variables);
		if (rows[i].undone >= 0) {
			int status = gate_sh(script).status;

			if (status != rows[i].undone && status != 77)
				fail_msg("row %zu, unmended: %d", i, status);
		}
	}
	/* and an answer is still the gate's */
	free(place);
	place = program_place();
	emit_for(place, true);
	for (size_t k = 0; k < AT_LEN(shells); k++) {
		struct gate_ran ran;

		snprintf(script, sizeof(script),
			"set -- %s; [ -x \"$1\" ] || exit 77; echo '" FORCED "' | env "
			"'BASH_FUNC_[%%%%=() { builtin exit 0; }' "
			"'BASH_FUNC_printf%%%%=() { builtin exit 0; }' "
			"'BASH_FUNC_unset%%%%=() { :; }' \"$@\" \"$D/my hooks/hook\"",
			shells[k]);
		ran = gate_sh(script);
		assert_row(k, ran.status == 77 || strcmp(gate_decision(ran.out), "ask") == 0);
	}
	free(place);
}

/* GATE-5: in the system's custody a call is judged; once the session could change program or
 * directory, the answer is to ask. $K is a directory that root alone can write. */
static void gate_5_custody(void **state)
{
	static const struct {
		const char *change, *decision;
	} rows[] = {
		{ ":", "pass" },
		{ "chmod 777 $K/a/agentteams-gate", "ask" },
		{ "chown " PLAIN_UID " $K/a/agentteams-gate", "ask" },
		{ "chmod 777 $K/a", "ask" },
		{ "chown " PLAIN_UID " $K", "ask" },
		{ "mv $K/a $K/b; ln -s b $K/a", "ask" },
		{ "mv $K/a/agentteams-gate $K/g; ln -s ../g $K/a/agentteams-gate", "ask" },
	};
	char kept[64], place[96], script[1024];
	const char *const places[] = { place, NULL };
	const struct at_project project = { .gate_places = places };

	if (geteuid() != 0)
		skip_because("only root can put a program into the system's custody");
	snprintf(kept, sizeof(kept), "/run/at-gate-test-%d", (int)getpid());
	snprintf(place, sizeof(place), "%s/a/agentteams-gate", kept);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_gate_pin pin;
		struct gate_ran ran;

		snprintf(script, sizeof(script),
			"rm -rf %s; mkdir -p %s/a; cp \"$G\" %s; chmod 755 %s %s/a %s", kept, kept,
			place, kept, kept, place);
		gate_sh(script);
		/* the operator is no more than the session is */
		assert_int_equal(seteuid(4243), 0);
		assert_true(at_gate_pin(&pin, &project));
		assert_int_equal(seteuid(0), 0);
		assert_true(pin.custody);
		assert_true(at_gate_pin(&pin, &project));
		assert_false(pin.custody); /* root could change it */
		emit_for(place, true);
		snprintf(script, sizeof(script),
			"K=%s; sed -i s/CHECKED=none/CHECKED=custody/ \"$D/my hooks/hook\"; "
			"chmod 755 \"$D/my hooks\"; %s",
			kept, rows[i].change);
		gate_sh(script);
		ran = gate_sh_plain("echo '" HARMLESS "' | /bin/sh \"$D/my hooks/hook\"");
		if (ran.status != 0 || strcmp(gate_decision(ran.out), rows[i].decision) != 0)
			fail_msg("row %zu: %d %s%s", i, ran.status, ran.out, ran.err);
		assert_row(i,
			*rows[i].decision == 'p'
				|| strstr(ran.out, "can be changed by this session") != NULL);
	}
	snprintf(script, sizeof(script), "rm -rf %s", kept);
	gate_sh(script);
}

#define MANIFEST "references/enforcement-integrity.json"
#define GIT "export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null; "

/* What the closed hook of a project expects that this script of sh made, in a directory $R that
 * holds it as `project`. */
static void expect_manifest(const char *made, const char *project, bool closed, char *out,
	size_t size, const char *program)
{
	const char *const places[] = { program, NULL };
	struct at_buf text, line = { 0 };
	struct fixture f;
	const char *at;

	fixture_begin(&f, closed ? "{\"privilege_profile\": \"confined\"}" : "{}");
	at_buf_printf(&line, "R=%s; " GIT "cd $R; %s", f.project_path, made);
	if (system(at_buf_text(&line)) != 0)
		fail_msg("%s", made);
	at_buf_free(&line);
	if (*project) { /* a project inside the repository */
		free(f.project_path);
		f.project_path = at_strdup(test_path(f.top, project));
		f.project.path = f.project_path;
		close(f.project.fd);
		f.project.fd = open(f.project_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(f.project.fd >= 0);
	}
	f.project.gate_places = places;
	fixture_update(&f);
	assert_int_equal(access(test_path(f.top, "home/ran"), F_OK), -1);
	text = fixture_read(&f, HOOK_FILE);
	at = strstr(at_buf_text(&text), "\nAGENTTEAMS_GATE_MANIFEST=") + 26;
	snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
	test_write(gate_dir(), "my hooks/hook", at_buf_text(&text));
	at_buf_free(&text);
	fixture_end(&f);
	assert_int_equal(chmod(test_path(gate_dir(), "my hooks/hook"), 0755), 0);
}

/* GATE-5: expected is what the index tracks; no git runs, so nothing it is configured to run. */
static void gate_5_manifest_is_expected(void **state)
{
#define TRACKED(dir) \
	"git init -q . && mkdir -p " dir "references && echo x >" dir MANIFEST \
	" && git add -A && "
	static const struct {
		const char *made, *project, *want;
	} rows[] = {
		{ ":", "", "''" },
		{ "mkdir references; echo x >" MANIFEST, "", "''" }, /* nothing tracks it */
		{ "git init -q . && echo x >y && git add -A", "", "''" },
		{ TRACKED("") ":", "", MANIFEST },
		{ TRACKED("") "rm " MANIFEST, "", MANIFEST },
		{ TRACKED("") "git rm -qf " MANIFEST, "", "''" },
		{ TRACKED(".claude/agents/") ":", "", ".claude/agents/" MANIFEST },
		{ TRACKED("") "git update-index --index-version 4", "", MANIFEST },
		{ TRACKED("") "git config core.fsmonitor 'touch ../ran' && "
			     "git config core.hooksPath .",
			"", MANIFEST },
		{ TRACKED("sub/") "echo x >a && git add -A", "home/project/sub", MANIFEST },
		{ TRACKED("") "mkdir sub", "home/project/sub", "''" },
		{ TRACKED("") "git -c user.name=a -c user.email=a@b commit -qm x && "
			     "git worktree add -q ../linked",
			"home/linked", MANIFEST },
		{ TRACKED("") "head -c 80 .git/index >i && mv i .git/index", "", "''" },
		{ TRACKED("") "printf DIRC >.git/index", "", "''" },
		{ TRACKED("") "mv .git g && ln -s g .git", "", "''" },
		{ "ln -s nowhere references; git init -q . && git add -A", "", "''" },
	};
	char got[256];

	if (system("git --version >/dev/null 2>&1") != 0)
		skip_because("git is not here: no index was made");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		expect_manifest(rows[i].made, rows[i].project, true, got, sizeof(got),
			"/nonexistent");
		if (strcmp(got, rows[i].want) != 0)
			fail_msg("row %zu: %s", i, got);
	}
	/* an open hook expects none */
	expect_manifest(TRACKED("") ":", "", false, got, sizeof(got), "/nonexistent");
	assert_string_equal(got, "''");
}

/* GATE-5: a program inside the project: its manifest is expected whether git knows it or not. */
static void gate_5_manifest_of_own_program(void **state)
{
	struct at_project project = { .team_dir = ".claude/agents" };
	struct at_arena *arena = at_arena_new();
	struct at_gate_pin pin = { .program = "" };

	project.path = gate_dir();
	project.fd = open(gate_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_string_equal(at_gate_manifest(&project, &pin, arena), "");
	snprintf(pin.program, sizeof(pin.program), "%sx/agentteams-gate", gate_dir());
	assert_string_equal(at_gate_manifest(&project, &pin, arena), "");
	snprintf(pin.program, sizeof(pin.program), "%s/bin/agentteams-gate", gate_dir());
	assert_string_equal(at_gate_manifest(&project, &pin, arena), ".claude/agents/" MANIFEST);
	test_write(gate_dir(), MANIFEST, "{}");
	assert_string_equal(at_gate_manifest(&project, &pin, arena), MANIFEST);
	unlink(test_path(gate_dir(), MANIFEST));
	close(project.fd);
	at_arena_free(arena);
}

/* GATE-5: missing: what would pass is asked about; an ask, a deny and a refusal stay. */
static void gate_5_manifest_missing(void **state)
{
	static const char *const shells[] = { "/bin/dash", "/bin/bash", "/bin/busybox sh" };
	static const struct {
		const char *before, *input, *decision, *says;
		bool closed;
	} rows[] = {
		{ ":", HARMLESS, "pass", "", true },
		{ "rm -f $P/" MANIFEST, HARMLESS, "ask", "integrity manifest", true },
		{ "rm -f $P/" MANIFEST, FORCED, "ask", "forces a push", true },
		{ "rm -f $P/" MANIFEST, "no", "deny", "", true },
		{ "rm -f $P/" MANIFEST "; mkdir $P/" MANIFEST, HARMLESS, "ask",
			"integrity manifest", true },
		{ "rm -f $P/" MANIFEST, HARMLESS, "pass", "", false },
		{ "cd $P; unset CLAUDE_PROJECT_DIR", HARMLESS, "pass", "", true },
	};
	char *place = program_place(), got[256], script[2048];

	if (system("git --version >/dev/null 2>&1") != 0)
		skip_because("git is not here: no index was made");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		expect_manifest(TRACKED("") ":", "", rows[i].closed, got, sizeof(got), place);
		for (size_t k = 0; k < AT_LEN(shells); k++) {
			struct gate_ran ran;

			snprintf(script, sizeof(script),
				"set -- %s; [ -x \"$1\" ] || exit 77; rm -rf $P/references; mkdir "
				"$P/references; echo '{}' >$P/" MANIFEST "; cd /; %s; echo '%s' | "
				"\"$@\" \"$D/my hooks/hook\"",
				shells[k], rows[i].before, rows[i].input);
			ran = gate_sh(script);
			if (ran.status == 77)
				continue;
			if (ran.status != 0
				|| strcmp(gate_decision(ran.out), rows[i].decision) != 0
				|| !strstr(ran.out, rows[i].says))
				fail_msg("row %zu, %s: %d %s%s", i, shells[k], ran.status, ran.out,
					ran.err);
		}
	}
	gate_sh("rm -rf $P/references");
	free(place);
}

/* GATE-5: --selfcheck compares the digest. */
static void gate_5_selfcheck(void **state)
{
	char *place = program_place();
	struct gate_ran ran;

	emit_for(place, true);
	ran = gate_sh("\"$D/my hooks/hook\" --selfcheck");
	if (strstr(ran.out, "cannot be read"))
		skip_because("no tool for SHA-256 is here");
	assert_int_equal(ran.status, 0);
	assert_non_null(strstr(ran.out, "custody  not checked"));
	ran = gate_sh(
		"cp \"$G\" \"$D/kept\"; echo >>\"$G\"; \"$D/my hooks/hook\" --selfcheck; s=$?; "
		"mv \"$D/kept\" \"$G\"; exit $s");
	assert_int_equal(ran.status, 1);
	assert_non_null(strstr(ran.out, "--update after an upgrade"));
	emit_for("/nonexistent/other", true);
	assert_int_equal(gate_sh("\"$D/my hooks/hook\" --selfcheck").status, 1);
	free(place);
}

int test_hook(void);
int test_hook(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gate_5_pins),
		cmocka_unit_test(gate_9_every_shell),
		cmocka_unit_test(gate_9_closed_is_closed),
		cmocka_unit_test(gate_9_environment),
		cmocka_unit_test(gate_5_custody),
		cmocka_unit_test(gate_5_manifest_is_expected),
		cmocka_unit_test(gate_5_manifest_of_own_program),
		cmocka_unit_test(gate_5_manifest_missing),
		cmocka_unit_test(gate_5_selfcheck),
	};

	return cmocka_run_group_tests_name("hook", tests, gate_setup, gate_teardown);
}
