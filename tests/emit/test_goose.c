/* What is emitted for goose beside what every team gets. */
#include "emit/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "core/control_plane.h"
#include "emit/goose.h"
#include "emit/seatbelt.h"

#define POLICY "{\"write_policy\": \"orchestrator-only\", \"privilege_profile\": \"confined\"}"
#define EXCLUSIVE "\"privilege_profile\": \"exclusive\""

/* The write policy has goose for one process, by this variable alone. */
static char *const allowed[] = { (char *)(uintptr_t)"AGENTTEAMS_ALLOW_UNENFORCED_GOOSE_SWITCH=1",
	NULL };

static void begin(struct fixture *f, const char *brief, enum at_platform platform)
{
	fixture_begin(f, brief);
	f->options.framework = AT_GOOSE;
	f->host.environment = allowed;
	f->options.platform = platform;
	f->options.allow_unenforced_confinement = true;
	f->project.team_dir = at_team_dir(AT_GOOSE);
}

static const char *planned(const struct fixture *f, const char *path)
{
	const struct at_change *change = fixture_change(f, path);

	return change ? at_arena_strndup(f->arena, change->bytes.data, change->bytes.len) : NULL;
}

/* Without comments: what the rules alone are. */
static const char *rules_of(struct fixture *f)
{
	const char *text = planned(f, AT_GOOSE_PROFILE);
	struct at_buf out = { 0 };
	const char *copy;

	assert_non_null(text);
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (*text != ';' && len)
			at_buf_printf(&out, "%.*s\n", (int)len, text);
		text += len + (text[len] == '\n');
	}
	copy = at_arena_strdup(f->arena, at_buf_text(&out));
	at_buf_free(&out);
	return copy;
}

#define BELOW(path) "  (subpath (string-append (param \"WORKSPACE_ROOT\") \"/" path "\"))"
#define LOCK(path) "  (literal (string-append (param \"WORKSPACE_ROOT\") \"/" path "\"))"
#define HOMED(path) "  (subpath (string-append (param \"HOME_DIR\") \"/" path "\"))"
#define TEAM(dir) \
	BELOW(dir "/references/agent-privilege.json") "\n" \
	BELOW(dir "/references/authorized-verify-keys") "\n" \
	BELOW(dir "/references/security-approvers.txt") "\n" \
	BELOW(dir "/references/authorized-managers.txt") "\n" \
	BELOW(dir "/references/management-authority.json") "\n" \
	BELOW(dir "/references/build-log.json") "\n"

/* EMIT-11: reference-later 2.7, rule by rule, of a team that is alone. */
static void emit_11_profile_text(void **state)
{
	static const char want[] =
		"(version 1)\n(allow default)\n(deny file-write*)\n(allow file-write*\n"
		"  (subpath (param \"WORKSPACE_ROOT\")))\n"
		"(allow file-write*\n  (subpath \"/private/tmp\")\n"
		"  (subpath \"/private/var/folders\")\n  (literal \"/dev/null\")\n"
		"  (literal \"/dev/stdout\")\n  (literal \"/dev/stderr\"))\n"
		"(deny file-write*\n"
		BELOW(".goose/recipes/references/agent-privilege.json") "\n"
		BELOW(".claude/hooks/constitutional-gate.sh") "\n"
		BELOW(".claude/hooks/constitutional-gate.py") "\n"
		BELOW(".goose/recipes/references/authorized-verify-keys") "\n"
		BELOW(".goose/sandbox.sb") "\n"
		BELOW(".goose/recipes/references/security-approvers.txt") "\n"
		BELOW(".goose/recipes/references/authorized-managers.txt") "\n"
		BELOW(".goose/recipes/references/management-authority.json") "\n"
		BELOW(".claude") "\n"
		TEAM(".github/agents")
		TEAM(".codex/agents")
		BELOW(".codex/config.toml") "\n" BELOW(".codex/hooks.json") "\n"
		BELOW("references/security-approvers.txt") ")\n"
		"(deny file-write-unlink file-write-create\n"
		LOCK(".claude") "\n" LOCK(".claude/hooks") "\n" LOCK(".codex") "\n"
		LOCK(".codex/agents") "\n" LOCK(".codex/agents/references") "\n" LOCK(".goose") "\n"
		LOCK(".goose/recipes") "\n" LOCK(".goose/recipes/references") ")\n"
		"(deny network*)\n"
		"(deny file-read*\n" HOMED(".config/agentteams/keys") ")\n";
	struct fixture f;

	begin(&f, "{}", AT_DARWIN);
	fixture_update(&f);
	assert_string_equal(rules_of(&f), want);
	assert_non_null(strstr(planned(&f, AT_GOOSE_PROFILE), "UNVERIFIED"));
	assert_non_null(strstr(planned(&f, AT_GOOSE_PROFILE), "cannot reach its model"));
	assert_non_null(strstr(planned(&f, AT_GOOSE_PROFILE), "-D WORKSPACE_ROOT=\"$(pwd -P)\""));
	assert_non_null(strstr(fixture_notice(&f, "seatbelt-unverified"), "UNVERIFIED"));
	assert_non_null(strstr(fixture_notice(&f, "goose-no-egress"), "cannot reach its model"));
	fixture_end(&f);
}

/* EMIT-11: roots of every form, read exclusions, the proxy, the write policy, a neighbour. */
static void emit_11_profile_parts(void **state)
{
	static const struct { const char *brief, *want; bool copilot; } rows[] = {
		{ "{\"workspace_write_roots\": [\"./src/\", \"~/out\", \"/srv/x\", \"/var/y\"]}",
			"(allow file-write*\n" BELOW("src") "\n" HOMED("out") "\n"
			"  (subpath \"/srv/x\")\n  (subpath \"/var/y\")\n"
			"  (subpath \"/private/var/y\"))\n", false },
		{ "{\"goose_egress_proxy\": \"localhost:8443\"}",
			"(deny network*)\n(allow network-outbound (remote ip \"localhost:8443\"))\n",
			false },
		{ "{\"goose_egress_proxy\": \"localhost\"}",
			"(deny network*)\n(allow network-outbound (remote ip \"localhost:*\"))\n",
			false },
		{ "{" EXCLUSIVE ", \"goose_egress_proxy\": \"\"}", "(deny network*)\n(deny file-read*",
			false },
		{ "{" EXCLUSIVE ", \"protected_read_paths\": [\"~/.netrc\", \"secret\", \"/etc/x\"]}",
			HOMED(".azure") "\n" HOMED(".netrc") "\n" BELOW("secret") "\n"
			"  (subpath \"/etc/x\")\n  (subpath \"/private/etc/x\")\n", false },
		{ POLICY, BELOW("references/security-approvers.txt") "\n" BELOW(".agentteams") "\n"
			BELOW(".goose/recipes") ")\n", false },
		{ "{}", LOCK(".codex/agents/references") "\n" LOCK(".github") "\n"
			LOCK(".github/agents") "\n" LOCK(".github/agents/references") "\n"
			LOCK(".goose") "\n", true },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;

		begin(&f, rows[i].brief, AT_DARWIN);
		f.accepted[0] = "~/out";
		f.accepted[1] = "/srv/x";
		f.accepted[2] = "/var/y";
		if (rows[i].copilot)
			fixture_write(&f, ".github/agents/references/build-log.json", "{}");
		fixture_update(&f);
		if (!strstr(rules_of(&f), rows[i].want))
			fail_msg("row %zu: %s\nlacks\n%s", i, rules_of(&f), rows[i].want);
		fixture_end(&f);
	}
}

/* EMIT-11: whatever the plane marks for the profile is in it, under either team directory. */
static void emit_11_no_row_is_forgotten(void **state)
{
	static const char *const dirs[] = { ".goose/recipes", "conf/goose" };

	for (size_t d = 0; d < AT_LEN(dirs); d++) {
		struct fixture f;

		begin(&f, POLICY, AT_DARWIN);
		f.project.team_dir = dirs[d];
		fixture_must_plan(&f);
		for (size_t i = 0; i < at_control_plane_count; i++) {
			const struct at_plane_row *row = &at_control_plane[i];
			char path[PATH_MAX], want[PATH_MAX + 8];

			if (!(row->use & (AT_PLANE_SEATBELT | AT_PLANE_WRITE_POLICY)))
				continue;
			at_plane_path(path, sizeof(path), row, dirs[d]);
			snprintf(want, sizeof(want), "\"/%s\"))", path);
			if (!strstr(rules_of(&f), want))
				fail_msg("%s is not in the profile", path);
		}
		fixture_end(&f);
	}
}

/* EMIT-11: what a profile cannot hold is an error that names it, never left out. */
static void emit_11_refuses_paths(void **state)
{
	static const char *const paths[] = { "a\\\"b", "a\\\\b", "../x", "x/../y", "/", "//", "~bob" };

	for (size_t i = 0; i < AT_LEN(paths); i++) {
		struct fixture f;

		fixture_begin(&f, "{}");
		fixture_brief(&f, at_arena_printf(f.arena,
			"{" EXCLUSIVE ", \"protected_read_paths\": [\"%s\"]}", paths[i]));
		f.options.framework = AT_GOOSE;
		f.options.platform = AT_DARWIN;
		f.project.team_dir = at_team_dir(AT_GOOSE);
		assert_row(i, !fixture_plan(&f));
		assert_row(i, strstr(f.err.message, "cannot hold the path") && *f.err.hint);
		f.options.platform = AT_LINUX; /* there it is another file's matter */
		f.options.framework = AT_CLAUDE;
		f.project.team_dir = at_team_dir(AT_CLAUDE);
		assert_row(i, fixture_plan(&f));
		fixture_end(&f);
	}
}

/* EMIT-11, EMIT-20: each file on its platform, with a boundary alone, and for goose alone. */
static void emit_11_matrix(void **state)
{
	static const char *const files[] = { AT_GOOSE_PROFILE, AT_GOOSE_EXAMPLE, AT_GOOSE_RUNNER };
	static const enum at_platform on[] = { AT_DARWIN, AT_DARWIN, AT_LINUX };
	static const char *const briefs[] = { "{}", "{" EXCLUSIVE "}",
		"{\"privilege_profile\": \"cooperative\"}" };

	for (size_t row = 0; row < AT_LEN(briefs) * AT_FRAMEWORK_COUNT * 4; row++) {
		const size_t b = row % AT_LEN(briefs), rest = row / AT_LEN(briefs);
		const enum at_framework_id framework = rest % AT_FRAMEWORK_COUNT;
		const enum at_platform platform = (enum at_platform)(rest / AT_FRAMEWORK_COUNT);
		struct fixture f;

		begin(&f, briefs[b], platform);
		f.options.framework = framework;
		f.project.team_dir = at_team_dir(framework);
		fixture_must_plan(&f);
		for (size_t i = 0; i < AT_LEN(files); i++)
			assert_row(row, !!fixture_change(&f, files[i]) ==
				(framework == AT_GOOSE && platform == on[i] && b < 2));
		fixture_end(&f);
	}
}

/* EMIT-11: the emitted text, asked: every denied path is denied, the rest of a root is open, and
 * what an allow behind it opens is found open. */
static void emit_11_a_deny_is_a_deny(void **state)
{
	static const char *const briefs[] = { "{}", "{\"goose_egress_proxy\": \"localhost:1\"}",
		POLICY, "{" EXCLUSIVE ", \"protected_read_paths\": [\"secret\"]}",
		"{\"workspace_write_roots\": [\".\", \"src\"]}" };

	for (size_t b = 0; b < AT_LEN(briefs); b++) {
		struct at_seatbelt_param params[3] = { { 0 } };
		struct at_seatbelt_question q = { .params = params };
		struct at_seatbelt profile, reopened;
		struct at_goose_plane plane;
		const char *text;
		struct fixture f;

		begin(&f, briefs[b], AT_DARWIN);
		fixture_must_plan(&f);
		params[0] = (struct at_seatbelt_param){ "WORKSPACE_ROOT", f.project_path };
		params[1] = (struct at_seatbelt_param){ "HOME_DIR", f.host.home };
		text = planned(&f, AT_GOOSE_PROFILE);
		assert_true(at_seatbelt_read(&profile, at_bytes_of(text), &f.err));
		text = at_arena_printf(f.arena, "%s(allow file-write* (subpath (param "
			"\"WORKSPACE_ROOT\")))\n", text);
		assert_true(at_seatbelt_read(&reopened, at_bytes_of(text), &f.err));
		at_goose_plane(&plane, &f.manifest, &f.project, f.arena);
		q.op = "file-write*";
		for (size_t i = 0; i < plane.shut.count; i++) {
			q.path = at_arena_printf(f.arena, "%s/%s", f.project_path,
				plane.shut.items[i]);
			assert_row(i, at_seatbelt_ask(&profile, &q) == AT_SEATBELT_DENIED);
			assert_row(i, at_seatbelt_ask(&reopened, &q) == AT_SEATBELT_ALLOWED);
		}
		q.op = "file-write-unlink";
		for (size_t i = 0; i < plane.locked.count; i++) {
			q.path = at_arena_printf(f.arena, "%s/%s", f.project_path,
				plane.locked.items[i]);
			assert_row(i, at_seatbelt_ask(&profile, &q) == AT_SEATBELT_DENIED);
		}
		q.op = "file-write*";
		q.path = at_arena_printf(f.arena, "%s/src/main.c", f.project_path);
		assert_int_equal(at_seatbelt_ask(&profile, &q), AT_SEATBELT_ALLOWED);
		q.path = at_arena_printf(f.arena, "%s/.bashrc", f.host.home);
		assert_int_equal(at_seatbelt_ask(&profile, &q), AT_SEATBELT_DENIED);
		q.op = "file-read*";
		assert_int_equal(at_seatbelt_ask(&profile, &q), AT_SEATBELT_ALLOWED);
		q.path = at_arena_printf(f.arena, "%s/.config/agentteams/keys/a.pem", f.host.home);
		assert_int_equal(at_seatbelt_ask(&profile, &q), AT_SEATBELT_DENIED);
		at_goose_plane_free(&plane);
		at_seatbelt_free(&profile);
		at_seatbelt_free(&reopened);
		fixture_end(&f);
	}
}

/* EMIT-11: inert, and says what each way needs; one active line. */
static void emit_11_example(void **state)
{
	static const char *const want[] = { "inert", "`confined`", "localhost:8443", "sandbox-exec",
		"depends on the build", "deprecated", "UNVERIFIED", "#   src\n", "confine-run.sh" };
	size_t active = 0;
	struct fixture f;
	const char *text;

	begin(&f, "{\"workspace_write_roots\": [\"src\"], \"goose_egress_proxy\": "
		"\"localhost:8443\"}", AT_DARWIN);
	fixture_must_plan(&f);
	text = planned(&f, AT_GOOSE_EXAMPLE);
	for (size_t i = 0; i < AT_LEN(want); i++)
		assert_row(i, strstr(text, want[i]));
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		active += *line != '#' && *line != '\n';
	assert_int_equal(active, 1);
	assert_non_null(strstr(text, "\nGOOSE_SANDBOX: 1\n"));
	assert_null(fixture_notice(&f, "goose-no-egress"));
	fixture_end(&f);
}

static bool is_clean(struct fixture *f, const char *command)
{
	char line[1024];
	int status;

	snprintf(line, sizeof(line), "cd '%s' && %s " AT_GOOSE_RUNNER, f->project_path, command);
	status = system(line);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* EMIT-20: the brief's paths as words of the shell; shellcheck and every shell's parser agree. */
static void emit_20_runner_text(void **state)
{
	static const struct { const char *brief, *want, *lacks; } rows[] = {
		{ "{}", "set -- --writable \"$REPO_ROOT\" \"$@\"\n", "--exclude" },
		{ "{\"team_id\": \"t-1\"}", "\nteam=t-1\n", "#@" },
		{ "{\"workspace_write_roots\": [\"./src\", \"~/o p\", \"/srv/x\"]}",
			"set -- --writable /srv/x \"$@\"\nset -- --writable \"$HOME\"'/o p' \"$@\"\n"
			"set -- --writable \"$REPO_ROOT\"/src \"$@\"\n", "--writable ~" },
		{ "{\"protect_prompt_roots\": true}", "set -- --protect-prompt-roots \"$@\"\n", NULL },
		{ "{\"protect_prompt_roots\": false}", "set -- --writable", "--protect-prompt" },
		{ "{" EXCLUSIVE ", \"protected_read_paths\": [\"~/x\", \"a'b\", \"~\", \"~bob/y\"]}",
			"set -- --exclude \"$HOME\"/x \"$@\"\nset -- --exclude \"$REPO_ROOT\"/"
			"'a'\\''b' \"$@\"\n# NOT HIDDEN: 2 of", "~bob" },
		{ "{\"protected_read_paths\": [\"~/x\"]}", "--writable", "--exclude" },
	};
	bool has_checker = system("command -v shellcheck >/dev/null") == 0;

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;
		struct stat st;
		const char *text;

		begin(&f, rows[i].brief, AT_LINUX);
		f.accepted[0] = "~/o p";
		f.accepted[1] = "/srv/x";
		fixture_update(&f);
		text = planned(&f, AT_GOOSE_RUNNER);
		if (!strstr(text, rows[i].want) || (rows[i].lacks && strstr(text, rows[i].lacks)))
			fail_msg("row %zu: %s", i, text);
		assert_row(i, !strstr(text, "/tmp/"));
		assert_int_equal(stat(test_path(f.project_path, AT_GOOSE_RUNNER), &st), 0);
		assert_row(i, (st.st_mode & 07777) == 0755);
		assert_row(i, is_clean(&f, "dash -n"));
		assert_row(i, !has_checker || is_clean(&f, "shellcheck"));
		fixture_end(&f);
	}
}

/* EMIT-20: protected wherever it is, by launcher, settings, runner and gate. */
static void emit_20_runner_is_protected(void **state)
{
	static const unsigned uses[] = { AT_PLANE_LAUNCHER_PRESENT, AT_PLANE_EDIT_DENY,
		AT_PLANE_REFUSE };

	for (size_t i = 0; i < AT_LEN(uses); i++)
		assert_row(i, at_plane_covers(AT_GOOSE_RUNNER, uses[i]));
}

int test_goose(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(emit_11_profile_text),
		cmocka_unit_test(emit_11_profile_parts),
		cmocka_unit_test(emit_11_no_row_is_forgotten),
		cmocka_unit_test(emit_11_refuses_paths),
		cmocka_unit_test(emit_11_matrix),
		cmocka_unit_test(emit_11_a_deny_is_a_deny),
		cmocka_unit_test(emit_11_example),
		cmocka_unit_test(emit_20_runner_text),
		cmocka_unit_test(emit_20_runner_is_protected),
	};

	return cmocka_run_group_tests_name("goose", tests, NULL, NULL);
}
