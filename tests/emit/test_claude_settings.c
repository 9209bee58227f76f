#include "emit/fixture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/control_plane.h"

#define OWN_DENY ".claude/agents/references/agent-privilege.json", HOOK, HOOK_PY, \
	".claude/agents/references/authorized-verify-keys", ".claude"

#define SIBLING(dir) "Edit(/" dir "/references/agent-privilege.json)", \
	"Edit(/" dir "/references/authorized-verify-keys/**)", \
	"Edit(/" dir "/references/security-approvers.txt)", \
	"Edit(/" dir "/references/authorized-managers.txt)", \
	"Edit(/" dir "/references/management-authority.json)", \
	"Edit(/" dir "/references/build-log.json)"

#define RULES "Read(~/.config/agentteams/keys/**)", "Read(~/.config/agentteams/*.pem)", \
	"Edit(~/.config/agentteams/keys/**)", "Edit(~/.config/agentteams/confined)", \
	"Edit(~/.config/agentteams/confined/**)", \
	"Edit(/.claude/agents/references/agent-privilege.json)", \
	"Edit(/.claude/agents/references/authorized-verify-keys/**)", \
	"Edit(/.claude/agents/references/security-approvers.txt)", \
	"Edit(/.claude/agents/references/authorized-managers.txt)", \
	"Edit(/.claude/agents/references/management-authority.json)", \
	"Edit(/references/security-approvers.txt)", "Edit(/.claude/settings.json)", \
	"Edit(/.claude/settings.local.json)", "Edit(/.claude/settings.hooks.example.json)", \
	"Edit(/.goose/confined-run.example.sh)", "Edit(/.codex/confined-run.example.sh)", \
	"Edit(/.claude/hooks/**)", SIBLING(".github/agents"), SIBLING(".codex/agents"), \
	SIBLING(".goose/recipes"), "Edit(/.goose/sandbox.sb)", "Edit(/.codex/config.toml)"

static const char *const own_deny[] = { OWN_DENY, NULL };
static const char *const rules[] = { RULES, NULL };
static const char *const keys_only[] = { "~/.config/agentteams/keys", NULL };
static const char *const nothing[] = { NULL };

static bool example_has(const struct fixture *f, const char *text)
{
	return strstr(fixture_change(f, EXAMPLE)->bytes.data, text) != NULL;
}

/* EMIT-1, EMIT-2, EMIT-5, EMIT-6: the default case, every list exact. */
static void emit_1_default_is_confined(void **state)
{
	static const char *const dot[] = { ".", NULL };
	struct fixture f;
	struct at_json doc;

	fixture_begin(&f, "{}");
	fixture_must_plan(&f);
	fixture_assert_list(&f, "sandbox.filesystem.allowWrite", dot);
	fixture_assert_list(&f, "sandbox.filesystem.denyWrite", own_deny);
	fixture_assert_list(&f, "sandbox.filesystem.denyRead", keys_only);
	fixture_assert_list(&f, "permissions.deny", rules);
	doc = fixture_example(&f);
	assert_true(at_json_is(&doc, at_json_at(&doc, "sandbox.enabled"), AT_JSON_TRUE));
	assert_true(at_json_is(&doc, at_json_at(&doc, "sandbox.allowUnsandboxedCommands"),
		AT_JSON_FALSE));
	assert_true(at_json_is(&doc, at_json_at(&doc, "sandbox.failIfUnavailable"), AT_JSON_TRUE));
	assert_true(at_json_at(&doc, "sandbox.filesystem.allowRead") == AT_JSON_NONE);
	assert_int_equal(doc.nodes[AT_JSON_ROOT].count, 4);
	assert_int_equal(doc.nodes[at_json_at(&doc, "sandbox")].count, 4);
	assert_int_equal(doc.nodes[at_json_at(&doc, "sandbox.filesystem")].count, 3);
	assert_int_equal(doc.nodes[at_json_at(&doc, "permissions")].count, 1);
	at_json_free(&doc);
	fixture_end(&f);
}

/* EMIT-1: sorted keys, two spaces, final newline, the hook entry, no forbidden key. */
static void emit_1_bytes(void **state)
{
	static const char hooks[] =
		"  \"hooks\": {\n"
		"    \"PreToolUse\": [\n"
		"      {\n"
		"        \"hooks\": [\n"
		"          {\n"
		"            \"command\": \"\\\"$CLAUDE_PROJECT_DIR\\\"/.claude/hooks/"
		"constitutional-gate.sh\",\n"
		"            \"timeout\": 10,\n"
		"            \"type\": \"command\"\n"
		"          }\n"
		"        ],\n"
		"        \"matcher\": \"Write|Edit|NotebookEdit|MultiEdit|Bash\"\n"
		"      }\n"
		"    ]\n"
		"  },\n"
		"  \"permissions\": {\n";
	static const char *const never[] = { "network", "excludedCommands", "omain",
		"NotebookEdit(", "Edit(/.claude/**)", "Edit(/.claude/agents/**)", "Grep(",
		"Glob(" };
	static const char *const told[] = { "failIfUnavailable", "socat", "bubblewrap", "AppArmor",
		"WSL2", "--merge", "Inert", "gate program" };
	const struct at_change *change;
	struct fixture f;

	fixture_begin(&f, "{}");
	fixture_must_plan(&f);
	change = fixture_change(&f, EXAMPLE);
	assert_int_equal(strncmp(change->bytes.data, "{\n  \"_comment\": [\n", 18), 0);
	assert_true(example_has(&f, hooks));
	assert_string_equal(change->bytes.data + change->bytes.len - 12, "    }\n  }\n}\n");
	for (size_t i = 0; i < AT_LEN(never); i++)
		assert_row(i, !example_has(&f, never[i]));
	for (size_t i = 0; i < AT_LEN(told); i++)
		assert_row(i, example_has(&f, told[i]));
	for (size_t i = 0; i < change->bytes.len; i++)
		assert_true((unsigned char)change->bytes.data[i] < 0x80);
	fixture_end(&f);
}

/* EMIT-1: the key is there only where the generating platform has a boundary to lack. */
static void emit_1_fail_if_unavailable(void **state)
{
	static const struct { enum at_platform platform; bool want; } rows[] = {
		{ AT_LINUX, true }, { AT_DARWIN, true }, { AT_WINDOWS, false }, { AT_OTHER, false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;
		struct at_json doc;

		fixture_begin(&f, "{\"privilege_profile\": \"confined\"}");
		f.options.platform = rows[i].platform;
		fixture_must_plan(&f);
		doc = fixture_example(&f);
		assert_row(i, at_json_is(&doc, at_json_at(&doc, "sandbox.failIfUnavailable"),
			AT_JSON_TRUE) == rows[i].want);
		assert_row(i, at_json_at(&doc, "sandbox") != AT_JSON_NONE);
		at_json_free(&doc);
		fixture_end(&f);
	}
}

/* EMIT-5: exclusive, roots as spelled, what the operator named, legacy keys, state last. */
static void emit_5_exclusive(void **state)
{
	static const char *const roots[] = { "./src", "./docs", "build/out", NULL };
	static const char *const reads[] = { "~/.ssh", "~/.aws", "~/.gnupg", "~/.kube",
		"~/.config/gcloud", "~/.azure", "~/sibling", "/abs/other-team",
		"~/.config/agentteams/keys", "~/.config/agentteams/a.pem",
		"~/.config/agentteams/b.pem", "~/.local/state/agentteams", NULL };
	struct fixture f;

	fixture_begin(&f,
		"{\"privilege_profile\": \"exclusive\","
		"\"workspace_write_roots\": [\"./src\", \"./docs\", \"build/out\"],"
		"\"protected_read_paths\": [\"~/sibling\", \"/abs/other-team\", \"~/.ssh\", "
		"\"\"]}");
	test_write(f.host.home, ".config/agentteams/b.pem", "");
	test_write(f.host.home, ".config/agentteams/a.pem", "");
	test_write(f.host.home, ".config/agentteams/c.txt", "");
	test_write(f.host.home, ".config/agentteams/keys/k.pem", "");
	test_write(f.host.home, ".config/agentteams/dir.pem/x", "");
	assert_int_equal(symlink("a.pem", test_path(f.host.home, ".config/agentteams/l.pem")), 0);
	fixture_must_plan(&f);
	fixture_assert_list(&f, "sandbox.filesystem.allowWrite", roots);
	fixture_assert_list(&f, "sandbox.filesystem.allowRead", roots);
	fixture_assert_list(&f, "sandbox.filesystem.denyRead", reads);
	assert_true(example_has(&f, "outbound"));
	assert_non_null(fixture_notice(&f, "legacy-keys"));
	fixture_brief(&f, "{\"privilege_profile\": \"confined\"}");
	fixture_must_plan(&f);
	assert_false(example_has(&f, "outbound"));
	assert_false(example_has(&f, "state/agentteams"));
	assert_true(example_has(&f, "agentteams/a.pem"));
	fixture_end(&f);
}

/* REQ-6: no `~` is left in denyRead; off is the same as absent. */
static void req_6_absolute_deny_read(void **state)
{
	struct at_text_list got = { 0 };
	struct at_json doc;
	struct fixture f;
	struct at_buf absent = { 0 };

	fixture_begin(&f, "{\"privilege_profile\": \"exclusive\"}");
	fixture_must_plan(&f);
	at_buf_put(&absent, fixture_change(&f, EXAMPLE)->bytes.data,
		fixture_change(&f, EXAMPLE)->bytes.len);
	fixture_brief(&f, "{\"privilege_profile\": \"exclusive\","
		"\"resolve_deny_read_abspath\": false, \"protect_prompt_roots\": false}");
	fixture_must_plan(&f);
	assert_true(at_bytes_equal(at_buf_bytes(&absent), fixture_change(&f, EXAMPLE)->bytes));
	fixture_brief(&f, "{\"privilege_profile\": \"exclusive\","
		"\"resolve_deny_read_abspath\": true}");
	fixture_must_plan(&f);
	doc = fixture_example(&f);
	at_text_list_of_json(&got, &doc, "sandbox.filesystem.denyRead", f.arena);
	assert_int_equal(got.count, 8);
	for (size_t i = 0; i < got.count; i++)
		assert_row(i, strncmp(got.items[i], f.host.home, strlen(f.host.home)) == 0);
	at_text_list_free(&got);
	at_json_free(&doc);
	at_buf_free(&absent);
	fixture_end(&f);
}

static void make_team(struct fixture *f, const char *dir)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/references/build-log.json", dir);
	fixture_write(f, path, "{}");
	snprintf(path, sizeof(path), "%s/references/agent-privilege.json", dir);
	fixture_write(f, path, "{}");
}

/* EMIT-3: present siblings, sorted; never .github itself. */
static void emit_3_siblings(void **state)
{
	static const char *const all[] = { OWN_DENY, ".codex", ".github/agents", ".goose", NULL };
	static const char *const two[] = { OWN_DENY, ".codex", ".goose", NULL };
	struct fixture f;

	fixture_begin(&f, "{}");
	make_team(&f, ".goose/recipes");
	make_team(&f, ".codex/agents");
	fixture_must_plan(&f);
	fixture_assert_list(&f, "sandbox.filesystem.denyWrite", two);
	make_team(&f, ".github/agents");
	fixture_must_plan(&f);
	fixture_assert_list(&f, "sandbox.filesystem.denyWrite", all);
	fixture_assert_list(&f, "permissions.deny", rules); /* EMIT-6: present or not */
	fixture_end(&f);
}

/* EMIT-3: a link anywhere on the way, a directory as the marker, or none: not present. */
static void emit_3_presence(void **state)
{
	struct fixture f;

	fixture_begin(&f, "{}");
	fixture_write(&f, ".codex/agents/x.toml", "");
	assert_false(at_team_is_present(&f.project, AT_CODEX));
	fixture_write(&f, ".codex/agents/references/build-log.json/x", "");
	assert_false(at_team_is_present(&f.project, AT_CODEX));
	make_team(&f, "elsewhere/recipes");
	assert_int_equal(symlink("elsewhere", test_path(f.project_path, ".goose")), 0);
	assert_false(at_team_is_present(&f.project, AT_GOOSE));
	make_team(&f, "real");
	fixture_write(&f, ".github/x", "");
	assert_int_equal(symlink("../real", test_path(f.project_path, ".github/agents")), 0);
	assert_false(at_team_is_present(&f.project, AT_COPILOT_VSCODE));
	fixture_write(&f, ".agents/references/x", "");
	assert_int_equal(
		symlink("x", test_path(f.project_path, ".agents/references/build-log.json")), 0);
	assert_false(at_team_is_present(&f.project, AT_AGENTS_MD));
	make_team(&f, ".claude/agents");
	assert_true(at_team_is_present(&f.project, AT_CLAUDE));
	fixture_must_plan(&f);
	fixture_assert_list(&f, "sandbox.filesystem.denyWrite", own_deny);
	fixture_end(&f);
}

/* EMIT-13: rules for all, denyWrite for those present with the right type. */
static void emit_13_prompt_roots(void **state)
{
	static const char *const denied[] = { OWN_DENY, ".github/instructions", "AGENTS.md",
		".agentteams", NULL };
	static const char *const with[] = { RULES, "Edit(/.github/copilot-instructions.md)",
		"Edit(/AGENTS.md)", "Edit(/AGENTS.override.md)", "Edit(/.goosehints)",
		"Edit(/CLAUDE.md)", "Edit(/CLAUDE.local.md)", "Edit(/.mcp.json)",
		"Edit(/.github/instructions/**)", "Edit(/.github/prompts/**)",
		"Edit(/.github/agents/**)", "Edit(/.codex/**)", "Edit(/.goose/recipes/**)",
		"Edit(/.agentteams/**)", NULL };
	struct fixture f;

	fixture_begin(&f, "{\"protect_prompt_roots\": true}");
	fixture_write(&f, "AGENTS.md", "");
	fixture_write(&f, ".github/instructions/x", "");
	fixture_write(&f, ".github/workflows/x", "");
	fixture_write(&f, ".agentteams/x", "");
	fixture_write(&f, "CLAUDE.md/dir", "");
	assert_int_equal(symlink("AGENTS.md", test_path(f.project_path, ".goosehints")), 0);
	fixture_must_plan(&f);
	fixture_assert_list(&f, "sandbox.filesystem.denyWrite", denied);
	fixture_assert_list(&f, "permissions.deny", with);
	assert_false(example_has(&f, "workflows"));
	fixture_end(&f);
}

/* EMIT-2, EMIT-4: under the write policy its ground is last, and exists afterwards. */
static void emit_2_write_policy(void **state)
{
	static const char *const denied[] = { OWN_DENY, ".agentteams", NULL };
	struct fixture f;

	fixture_begin(&f, "{\"write_policy\": \"orchestrator-only\","
		"\"privilege_profile\": \"confined\"}");
	fixture_must_plan(&f);
	fixture_assert_list(&f, "sandbox.filesystem.denyWrite", denied);
	fixture_update(&f);
	assert_true(test_exists(f.project_path, ".agentteams"));
	fixture_brief(&f, "{\"write_policy\": \"orchestrator-only\","
		"\"write_policy_frameworks\": [\"codex\"]}");
	fixture_must_plan(&f);
	fixture_assert_list(&f, "sandbox.filesystem.denyWrite", own_deny);
	fixture_end(&f);
}

/* EMIT-4: everything denied exists after generation. */
static void emit_4_every_path_exists(void **state)
{
	static const char *const briefs[] = { "{}", "{\"privilege_profile\": \"exclusive\"}",
		"{\"protect_prompt_roots\": true, \"workspace_write_roots\": [\"src\"]}" };

	for (size_t i = 0; i < AT_LEN(briefs); i++) {
		struct at_text_list got = { 0 };
		struct at_json doc;
		struct fixture f;

		fixture_begin(&f, briefs[i]);
		fixture_update(&f);
		doc = fixture_example(&f);
		at_text_list_of_json(&got, &doc, "sandbox.filesystem.denyWrite", f.arena);
		assert_true(got.count >= 5);
		for (size_t k = 0; k < got.count; k++)
			assert_row(k, test_exists(f.project_path, got.items[k]));
		at_text_list_free(&got);
		at_json_free(&doc);
		fixture_end(&f);
	}
}

/* EMIT-16: cooperative without a token has the hook alone; with one, the whole block. */
static void emit_16_cooperative(void **state)
{
	struct at_json doc;
	struct fixture f;

	fixture_begin(&f, "{\"privilege_profile\": \"cooperative\"}");
	fixture_must_plan(&f);
	doc = fixture_example(&f);
	assert_int_equal(doc.nodes[AT_JSON_ROOT].count, 2);
	assert_true(at_json_at(&doc, "hooks.PreToolUse") != AT_JSON_NONE);
	at_json_free(&doc);
	assert_false(example_has(&f, "socat"));
	assert_non_null(
		strstr(fixture_change(&f, HOOK)->bytes.data, "\nAGENTTEAMS_GATE_FAIL_CLOSED=0\n"));
	assert_non_null(fixture_change(&f, REFS "agent-privilege.json"));
	assert_non_null(fixture_change(&f, REFS "authorized-verify-keys/README.md"));
	assert_null(fixture_change(&f, REFS "security-approvers.txt"));
	f.options.target_host_features = "claude:sandbox";
	fixture_must_plan(&f);
	fixture_assert_list(&f, "sandbox.filesystem.denyWrite", own_deny);
	fixture_assert_list(&f, "sandbox.filesystem.denyRead", keys_only);
	fixture_assert_list(&f, "sandbox.filesystem.allowRead", nothing);
	assert_non_null(
		strstr(fixture_change(&f, HOOK)->bytes.data, "\nAGENTTEAMS_GATE_FAIL_CLOSED=0\n"));
	fixture_end(&f);
}

/* EMIT-2: all paths follow another team directory, and every difference is named. */
static void emit_2_other_output(void **state)
{
	static const char *const denied[] = { "conf/team/references/agent-privilege.json",
		"conf/hooks/constitutional-gate.sh", "conf/hooks/constitutional-gate.py",
		"conf/team/references/authorized-verify-keys", "conf", NULL };
	static const char *const top[] = { "team/references/agent-privilege.json",
		"hooks/constitutional-gate.sh", "hooks/constitutional-gate.py",
		"team/references/authorized-verify-keys", NULL };
	const struct at_change *change;
	struct fixture f;
	struct at_json doc;
	struct at_text_list got = { 0 };

	fixture_begin(&f, "{}");
	f.project.team_dir = "conf/team";
	fixture_must_plan(&f);
	change = fixture_change(&f, "conf/settings.hooks.example.json");
	assert_non_null(change);
	assert_true(at_json_read(&doc, change->bytes, &at_json_settings_limits, 0, NULL));
	at_text_list_of_json(&got, &doc, "sandbox.filesystem.denyWrite", f.arena);
	assert_int_equal(got.count, 5);
	for (size_t i = 0; i < got.count; i++)
		assert_string_equal(got.items[i], denied[i]);
	at_json_free(&doc);
	assert_non_null(strstr(change->bytes.data, "Edit(/.claude/settings.json)"));
	assert_non_null(strstr(change->bytes.data, "Edit(/conf/hooks/**)"));
	assert_non_null(strstr(change->bytes.data, "\\\"$CLAUDE_PROJECT_DIR\\\"/conf/hooks/"));
	assert_int_equal(fixture_notice_count(&f, "deny-path-mismatch"), 5);
	assert_non_null(strstr(fixture_notice(&f, "deny-path-mismatch"),
		".claude/agents/references/agent-privilege.json -> "
		"conf/team/references/agent-privilege.json"));
	assert_non_null(strstr(fixture_notice(&f, "deny-path-mismatch"), "not protected"));
	f.project.team_dir = "team";
	fixture_must_plan(&f);
	change = fixture_change(&f, "settings.hooks.example.json");
	assert_non_null(change);
	assert_true(at_json_read(&doc, change->bytes, &at_json_settings_limits, 0, NULL));
	got.count = 0;
	at_text_list_of_json(&got, &doc, "sandbox.filesystem.denyWrite", f.arena);
	assert_int_equal(got.count, 4);
	for (size_t i = 0; i < got.count; i++)
		assert_string_equal(got.items[i], top[i]);
	at_json_free(&doc);
	at_text_list_free(&got);
	fixture_brief(&f, "{\"privilege_profile\": \"cooperative\"}");
	fixture_must_plan(&f);
	assert_null(fixture_notice(&f, "deny-path-mismatch"));
	fixture_end(&f);
}

int test_claude_settings(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(emit_1_default_is_confined),
		cmocka_unit_test(emit_1_bytes),
		cmocka_unit_test(emit_1_fail_if_unavailable),
		cmocka_unit_test(emit_5_exclusive),
		cmocka_unit_test(req_6_absolute_deny_read),
		cmocka_unit_test(emit_3_siblings),
		cmocka_unit_test(emit_3_presence),
		cmocka_unit_test(emit_13_prompt_roots),
		cmocka_unit_test(emit_2_write_policy),
		cmocka_unit_test(emit_4_every_path_exists),
		cmocka_unit_test(emit_16_cooperative),
		cmocka_unit_test(emit_2_other_output),
	};

	return cmocka_run_group_tests_name("claude_settings", tests, NULL, NULL);
}
