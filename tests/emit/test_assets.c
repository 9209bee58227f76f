#include "emit/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/digest.h"
#include "emit/assets.h"

struct outcome {
	int status;
	char out[1024], err[1024];
};

/* Runs the hook as the client does: by /bin/sh -c, with a hostile PATH and HOME. */
static struct outcome run(struct fixture *f, const char *command)
{
	struct outcome got = { 0 };
	char line[8192];
	struct at_buf text;
	int status;

	snprintf(line, sizeof(line),
		"cd / && printf '{}' | env -i PATH='%s/bin' HOME='%s/bin' CLAUDE_PROJECT_DIR='%s' "
		"/bin/sh -c '%s' >'%s/out' 2>'%s/err'",
		f->top, f->top, f->project_path, command, f->top, f->top);
	status = system(line);
	assert_true(WIFEXITED(status));
	got.status = WEXITSTATUS(status);
	text = test_read(f->top, "out");
	snprintf(got.out, sizeof(got.out), "%s", at_buf_text(&text));
	at_buf_free(&text);
	text = test_read(f->top, "err");
	snprintf(got.err, sizeof(got.err), "%s", at_buf_text(&text));
	at_buf_free(&text);
	return got;
}

static void write_program(struct fixture *f, const char *path, const char *text)
{
	test_write(f->top, path, text);
	assert_int_equal(chmod(test_path(f->top, path), 0755), 0);
}

#define RUN_HOOK "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/constitutional-gate.sh"

/* EMIT-12: without the program closed refuses (exit 2), open passes with one line. Neither
 * PATH nor HOME nor the project is searched. */
static void emit_12_program_absent(void **state)
{
	static const struct { const char *brief; int want; } rows[] = {
		{ "{\"privilege_profile\": \"confined\"}", 2 },
		{ "{\"privilege_profile\": \"exclusive\"}", 2 },
		{ "{\"privilege_profile\": \"cooperative\"}", 0 },
		{ "{}", 0 },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct outcome got;
		struct fixture f;

		fixture_begin(&f, rows[i].brief);
		write_program(&f, "bin/agentteams-gate", "#!/bin/sh\necho planted\nexit 0\n");
		write_program(
			&f, "home/project/agentteams-gate", "#!/bin/sh\necho planted\nexit 0\n");
		fixture_update(&f);
		got = run(&f, RUN_HOOK);
		assert_row(i, got.status == rows[i].want);
		assert_string_equal(got.out, "");
		assert_row(i, strchr(got.err, '\n') == got.err + strlen(got.err) - 1);
		assert_row(i, strstr(got.err, "not installed") != NULL);
		fixture_end(&f);
	}
}

#define ASKS                                                                                       \
	"{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", "                              \
	"\"permissionDecision\": \"ask\", \"permissionDecisionReason\": \"r\"}}"

/* EMIT-12: the program's own answer passes through; closed turns a crash into a refusal. */
static void emit_12_program_present(void **state)
{
	static const struct { const char *brief, *program; int want; const char *out; } rows[] = {
		{ "{}", "#!/bin/sh\necho \"$1 $2\"; /bin/cat\n", 0, "--fail-closed 0\n{}" },
		{ "{}", "#!/bin/sh\nexit 2\n", 2, "" },
		{ "{}", "#!/bin/sh\nexit 1\n", 1, "" },
		{ "{\"privilege_profile\": \"confined\"}",
			"#!/bin/sh\n[ \"$1 $2\" = '--fail-closed 1' ] && /bin/cat >/dev/null && "
			"echo '" ASKS "'\n", 0, ASKS "\n" },
		{ "{\"privilege_profile\": \"confined\"}", "#!/bin/sh\nexit 0\n", 0, "" },
		/* GATE-9: closed, what is no answer is a block */
		{ "{\"privilege_profile\": \"confined\"}", "#!/bin/sh\necho all right\n", 2, "" },
		{ "{\"privilege_profile\": \"confined\"}",
			"#!/bin/sh\necho '" ASKS "'; echo '" ASKS "'\n", 2, "" },
		{ "{\"privilege_profile\": \"confined\"}", "#!/bin/sh\nexit 2\n", 2, "" },
		{ "{\"privilege_profile\": \"confined\"}", "#!/bin/sh\nexit 1\n", 2, "" },
		{ "{\"privilege_profile\": \"confined\"}", "#!/bin/sh\nkill -9 $$\n", 2, "" },
		{ "{\"privilege_profile\": \"confined\"}", "#!/nonexistent/interpreter\n", 2, "" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const char *places[3] = { "/nonexistent/agentteams-gate" };
		struct outcome got;
		struct fixture f;

		fixture_begin(&f, rows[i].brief);
		write_program(&f, "lib exec/agentteams-gate", rows[i].program);
		places[1] = at_arena_strdup(f.arena, test_path(f.top, "lib exec/agentteams-gate"));
		f.project.gate_places = places;
		fixture_update(&f);
		got = run(&f, RUN_HOOK);
		if (got.status != rows[i].want || strcmp(got.out, rows[i].out) != 0)
			fail_msg("row %zu: %d, %s, %s", i, got.status, got.out, got.err);
		fixture_end(&f);
	}
}

/* EMIT-12: the stub keeps what the script answers, from any directory. */
static void emit_12_stub_hands_over(void **state)
{
	struct outcome got;
	struct fixture f;

	if (system("/usr/bin/python3 -c 0 2>/dev/null") != 0)
		skip_because("/usr/bin/python3 is not here: the stub was not run");
	fixture_begin(&f, "{\"privilege_profile\": \"confined\"}");
	fixture_update(&f);
	got = run(&f,
		"/usr/bin/python3 \"${CLAUDE_PROJECT_DIR}/.claude/hooks/constitutional-gate.py\"");
	assert_int_equal(got.status, 2);
	assert_non_null(strstr(got.err, "not installed"));
	assert_int_equal(unlink(test_path(f.project_path, HOOK)), 0);
	got = run(&f,
		"/usr/bin/python3 \"${CLAUDE_PROJECT_DIR}/.claude/hooks/constitutional-gate.py\"");
	assert_int_equal(got.status, 2);
	fixture_end(&f);
}

static struct at_bytes hook_of(struct fixture *f)
{
	fixture_must_plan(f);
	return fixture_change(f, HOOK)->bytes;
}

static bool is_closed(struct fixture *f)
{
	const char *text = hook_of(f).data;
	bool closed = strstr(text, "\nAGENTTEAMS_GATE_FAIL_CLOSED=1\n") != NULL;

	assert_true(closed != (strstr(text, "\nAGENTTEAMS_GATE_FAIL_CLOSED=0\n") != NULL));
	return closed;
}

#define WIRED "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": " \
	"\"command\", \"command\": \"\\\"$CLAUDE_PROJECT_DIR\\\"/.claude/hooks/" \
	"constitutional-gate.sh\"}]}]}}"

#define WIRED_STUB \
	"{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", " \
	"\"command\": \"python3 \\\"${CLAUDE_PROJECT_DIR}/.claude/hooks/" \
	"constitutional-gate.py\\\"\"}]}]}}"

/* EMIT-12: only an explicit profile flips, and the flag keeps it open. */
static void emit_12_sentinel(void **state)
{
	static const struct { const char *brief; bool flag, want; } rows[] = {
		{ "{}", false, false },
		{ "{\"privilege_profile\": null}", false, false },
		{ "{\"privilege_profile\": \"cooperative\"}", false, false },
		{ "{\"privilege_profile\": \"confined\"}", false, true },
		{ "{\"privilege_profile\": \"exclusive\"}", false, true },
		{ "{\"privilege_profile\": \"confined\"}", true, false },
		{ "{\"privilege_profile\": \"exclusive\"}", true, false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;

		fixture_begin(&f, rows[i].brief);
		f.options.allow_fallback_fail_open = rows[i].flag;
		assert_row(i, is_closed(&f) == rows[i].want);
		assert_row(i, fixture_change(&f, HOOK)->mode == 0755);
		fixture_end(&f);
	}
}

/* EMIT-12: a defaulted profile never changes a wired hook, in either direction. */
static void emit_12_wired_hook_stays(void **state)
{
	struct fixture f;

	fixture_begin(&f, "{\"privilege_profile\": \"confined\"}");
	fixture_update(&f);
	fixture_brief(&f, "{}");
	assert_false(is_closed(&f)); /* not wired: as the brief says */
	fixture_write(&f, LIVE, WIRED);
	assert_true(is_closed(&f));
	assert_int_equal(fixture_change(&f, HOOK)->kind, AT_SAME);
	fixture_write(&f, LIVE, WIRED_STUB); /* it starts the script */
	assert_true(is_closed(&f));
	fixture_brief(&f, "{\"privilege_profile\": \"cooperative\"}");
	assert_false(is_closed(&f)); /* explicit: the operator said so */
	fixture_end(&f);
}

/* EMIT-12: what of an older Python gate is replaced, and when. */
static void emit_12_older_gate(void **state)
{
	static const char *const places[] = { "/bin/sh", NULL };
	static const char log[] =
		"{\"file_hashes\": {\"../hooks/constitutional-gate.py\": \"%.16s\"}}";
	char hex[AT_DIGEST_HEX], text[256];
	struct at_digest digest = at_digest_of(at_bytes_of("old gate\n"));
	struct fixture f;

	fixture_begin(&f, "{}");
	at_digest_hex(hex, &digest);
	fixture_write(&f, HOOK_PY, "old gate\n");
	fixture_must_plan(&f);
	assert_int_equal(fixture_change(&f, HOOK_PY)->kind, AT_KEPT); /* nothing records it */
	snprintf(text, sizeof(text), log, hex);
	fixture_write(&f, REFS "build-log.json", text);
	fixture_must_plan(&f);
	assert_int_equal(fixture_change(&f, HOOK_PY)->kind, AT_KEPT); /* no program here */
	f.project.gate_places = places;
	fixture_must_plan(&f);
	assert_int_equal(fixture_change(&f, HOOK_PY)->kind, AT_REPLACE);
	assert_true(at_bytes_equal(fixture_change(&f, HOOK_PY)->bytes, at_asset_gate_py));
	fixture_write(&f, HOOK_PY, "old gate, edited\n");
	fixture_must_plan(&f);
	assert_int_equal(fixture_change(&f, HOOK_PY)->kind, AT_KEPT);
	fixture_end(&f);
}

/* EMIT-7, EMIT-12: frozen files; a change is a decision, made here too. */
static void emit_7_frozen(void **state)
{
	const struct { const struct at_bytes *bytes; const char *digest;
	} rows[] = {
		{ &at_asset_gate_py,
			"ea05a8ab771406ca6424f67a07aac977f02801375da4cc8cdb1c3bf431968701" },
		{ &at_asset_verify_keys_readme,
			"73397713913712ad48f4f3b79e51c09160f1ae3bf0ee6f33d579c2484b78be33" },
		{ &at_asset_security_approvers,
			"fe5673a2c33eaba74c5d779c44c355c6f489b616ddbd6fffa8297812b91d6675" },
		{ &at_asset_authorized_managers,
			"cd9c16855ef448827a38a5c4945ea3249b1cd48bffb931c00b543a8b08b8ac05" },
		{ &at_asset_management_authority,
			"20628a1b0dcffb8c218273a71e95ef2a0de67d8f134980f12d4e9d65a9d1cd79" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_digest digest = at_digest_of(*rows[i].bytes);
		char hex[AT_DIGEST_HEX];

		at_digest_hex(hex, &digest);
		if (strcmp(hex, rows[i].digest) != 0)
			fail_msg("row %zu: %s", i, hex);
	}
}

/* EMIT-12: the script stands the shell checker, raw and rendered. */
static void emit_12_shellcheck(void **state)
{
	char line[4096];
	struct fixture f;

	if (system("shellcheck --version >/dev/null 2>&1") != 0)
		skip_because("shellcheck is not here: the hook was not checked");
	fixture_begin(&f, "{}");
	fixture_update(&f);
	snprintf(line, sizeof(line), "shellcheck '%s/" HOOK "' && sh -n '%s/" HOOK "'",
		f.project_path, f.project_path);
	assert_int_equal(system(line), 0);
	fixture_end(&f);
}

int test_assets(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(emit_12_program_absent),
		cmocka_unit_test(emit_12_program_present),
		cmocka_unit_test(emit_12_stub_hands_over),
		cmocka_unit_test(emit_12_sentinel),
		cmocka_unit_test(emit_12_wired_hook_stays),
		cmocka_unit_test(emit_12_older_gate),
		cmocka_unit_test(emit_7_frozen),
		cmocka_unit_test(emit_12_shellcheck),
	};

	return cmocka_run_group_tests_name("assets", tests, NULL, NULL);
}
