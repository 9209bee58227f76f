#include "emit/fixture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void begin(struct fixture *f, const char *brief, const char *live)
{
	fixture_begin(f, brief);
	if (live)
		fixture_write(f, LIVE, live);
}

#define CONFINED "{\"privilege_profile\": \"confined\"}"
#define COOPERATIVE "{\"privilege_profile\": \"cooperative\"}"
#define SECRET "topsecretvalue"

/* EMIT-4, EMIT-15: one line an entry that is gone, in every spelling. */
static void emit_4_stale_entries(void **state)
{
	static const char live[] =
		"{\"sandbox\": {\"enabled\": true, \"filesystem\": {\"denyWrite\": "
		"[\"gone\", \"./gone2\", \"/gone/abs\", \"~/gone\", \"there\", \"./there/**\", "
		"\"~\", "
		"\"there/x/y\"]}}}";
	struct fixture f;

	begin(&f, COOPERATIVE, live);
	fixture_write(&f, "there/x", "");
	fixture_must_plan(&f);
	assert_int_equal(fixture_notice_count(&f, "stale-deny-entry"), 5);
	assert_non_null(strstr(fixture_notice(&f, "stale-deny-entry"), "'gone'"));
	assert_non_null(strstr(fixture_notice(&f, "stale-deny-entry"), "Can't mkdir"));
	assert_non_null(strstr(fixture_notice(&f, "stale-deny-entry"), "Remove it"));
	assert_non_null(strstr(fixture_notice(&f, "stale-deny-entry"), "before deleting the team"));
	fixture_write(&f, LIVE, "{\"sandbox\": {\"enabled\": false, \"filesystem\": "
		"{\"denyWrite\": [\"gone\"]}}}");
	fixture_must_plan(&f);
	assert_null(fixture_notice(&f, "stale-deny-entry"));
	fixture_write(&f, LIVE, "{\"sandbox\": {\"enabled\": true, ");
	fixture_must_plan(&f);
	assert_null(fixture_notice(&f, "stale-deny-entry"));
	fixture_end(&f);
}

/* EMIT-3, EMIT-4: a present team that the live list lacks, compared as places. */
static void emit_4_sibling_lacking(void **state)
{
	static const struct { const char *entries; const char *want; } rows[] = {
		{ "", "[\".codex\", \".goose\"]" },
		{ "\"./.codex\"", "[\".goose\"]" },
		{ "\".goose/\", \".codex/**\"", NULL },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;
		const char *got;

		fixture_begin(&f, COOPERATIVE);
		fixture_write(&f, LIVE,
			at_arena_printf(f.arena,
				"{\"sandbox\": {\"enabled\": true, "
				"\"filesystem\": {\"denyWrite\": [%s]}}}",
				rows[i].entries));
		fixture_write(&f, ".codex/agents/references/build-log.json", "{}");
		fixture_write(&f, ".goose/recipes/references/build-log.json", "{}");
		fixture_must_plan(&f);
		got = fixture_notice(&f, "sibling-lacking");
		assert_row(i, (got != NULL) == (rows[i].want != NULL));
		assert_row(i, !got || strstr(got, rows[i].want));
		fixture_end(&f);
	}
}

/* EMIT-15: FAILS OPEN and UNCONFINED, by what is live, asked for, and the platform. */
static void emit_15_states(void **state)
{
	static const struct {
		const char *brief, *live;
		enum at_platform platform;
		bool opens, unconfined;
	} rows[] = {
		{ CONFINED, NULL, AT_LINUX, false, true },
		{ CONFINED, "{", AT_LINUX, false, true },
		{ CONFINED, "{\"sandbox\": {\"enabled\": false}}", AT_LINUX, false, true },
		{ CONFINED, "{\"sandbox\": {\"enabled\": true}}", AT_LINUX, true, false },
		{ CONFINED, "{\"sandbox\": {\"enabled\": true}}", AT_DARWIN, true, false },
		{ CONFINED, "{\"sandbox\": {\"enabled\": true}}", AT_WINDOWS, false, false },
		{ CONFINED, "{\"sandbox\": {\"enabled\": true, \"failIfUnavailable\": false}}",
			AT_LINUX, true, false },
		{ CONFINED, "{\"sandbox\": {\"enabled\": true, \"failIfUnavailable\": true}}",
			AT_LINUX, false, false },
		{ COOPERATIVE, NULL, AT_LINUX, false, false },
		{ COOPERATIVE, "{\"sandbox\": {\"enabled\": true}}", AT_LINUX, true, false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const char *open, *unconfined;
		struct fixture f;

		begin(&f, rows[i].brief, rows[i].live);
		f.options.platform = rows[i].platform;
		fixture_must_plan(&f);
		open = fixture_notice(&f, "fails-open");
		unconfined = fixture_notice(&f, "runs-unconfined");
		assert_row(i, (open != NULL) == rows[i].opens);
		assert_row(i, (unconfined != NULL) == rows[i].unconfined);
		assert_row(i,
			!open ||
				(strstr(open, "FAILS OPEN") && strstr(open, LIVE) &&
					!strstr(open, f.project_path) &&
					strstr(open, "\"failIfUnavailable\": true")));
		assert_row(i, !unconfined || strstr(unconfined, "UNCONFINED"));
		fixture_end(&f);
	}
}

/* EMIT-15: live values outside sandbox and permissions are never repeated, nor the
 * excluded commands. */
static void emit_15_echoes_nothing(void **state)
{
	struct fixture f;

	begin(&f, CONFINED, "{\"env\": {\"K\": \"" SECRET "\"}, \"other\": \"" SECRET "\", "
		"\"sandbox\": {\"excludedCommands\": [\"" SECRET "\"], \"more\": \"" SECRET "\"}}");
	fixture_must_plan(&f);
	assert_non_null(strstr(fixture_notice(&f, "excluded-commands"), "HIGH"));
	assert_non_null(strstr(fixture_notice(&f, "excluded-commands"), "LD_PRELOAD"));
	for (size_t i = 0; i < f.notices.count; i++)
		assert_row(i, !strstr(f.notices.items[i].text, SECRET));
	fixture_write(&f, LIVE, "{\"sandbox\": {\"excludedCommands\": []}}");
	fixture_must_plan(&f);
	assert_null(fixture_notice(&f, "excluded-commands"));
	fixture_end(&f);
}

/* EMIT-5: keys outside the keys directory, when a sandbox was asked for. */
static void emit_5_legacy_keys(void **state)
{
	struct fixture f;

	begin(&f, CONFINED, NULL);
	fixture_must_plan(&f);
	assert_null(fixture_notice(&f, "legacy-keys"));
	test_write(f.host.home, ".config/agentteams/old.pem", "");
	fixture_must_plan(&f);
	assert_non_null(strstr(fixture_notice(&f, "legacy-keys"), "~/.config/agentteams/old.pem"));
	assert_non_null(strstr(fixture_notice(&f, "legacy-keys"), "~/.config/agentteams/keys"));
	assert_non_null(strstr(fixture_notice(&f, "legacy-keys"), "--migrate"));
	fixture_brief(&f, COOPERATIVE);
	fixture_must_plan(&f);
	assert_null(fixture_notice(&f, "legacy-keys"));
	fixture_end(&f);
}

/* EMIT-13: advised beside another team; the loss of it is named with the rules. */
static void emit_13_advice_and_relaxation(void **state)
{
	static const char live[] = "{\"permissions\": {\"deny\": [\"Edit(/AGENTS.md)\", "
		"\"Edit(/.codex/**)\", \"Edit(/.claude/settings.json)\"]}}";
	static const char ordinary[] =
		"{\"permissions\": {\"deny\": [\"Edit(/.codex/config.toml)\", "
		"\"Edit(/.claude/settings.json)\"]}}";
	static const char *const relaxing[] = { CONFINED, COOPERATIVE,
		"{\"protect_prompt_roots\": false}",
		"{\"privilege_profile\": \"cooperative\", \"protect_prompt_roots\": true}" };
	struct fixture f;

	begin(&f, CONFINED, live);
	fixture_must_plan(&f);
	assert_null(fixture_notice(&f, "prompt-root-advice"));
	fixture_write(&f, ".codex/agents/references/build-log.json", "{}");
	fixture_must_plan(&f);
	assert_non_null(strstr(fixture_notice(&f, "prompt-root-advice"), "protect_prompt_roots"));
	for (size_t i = 0; i < AT_LEN(relaxing); i++) {
		fixture_brief(&f, relaxing[i]);
		fixture_must_plan(&f);
		assert_string_equal(fixture_notice(&f, "sandbox-relaxation"),
			"SANDBOX RELAXATION: prompt-root protection removed: "
			"[\"Edit(/AGENTS.md)\", \"Edit(/.codex/**)\"].");
	}
	fixture_brief(&f, "{\"protect_prompt_roots\": true}");
	fixture_must_plan(&f);
	assert_null(fixture_notice(&f, "sandbox-relaxation"));
	assert_null(fixture_notice(&f, "prompt-root-advice"));
	fixture_brief(&f, CONFINED);
	fixture_write(&f, LIVE, ordinary);
	fixture_must_plan(&f);
	assert_null(fixture_notice(&f, "sandbox-relaxation"));
	fixture_end(&f);
}

/* EMIT-15: a marker with nothing behind it. */
static void emit_15_planted_marker(void **state)
{
	struct fixture f;

	begin(&f, COOPERATIVE, NULL);
	fixture_write(&f, ".goose/recipes/references/build-log.json", "{}");
	fixture_must_plan(&f);
	assert_non_null(strstr(fixture_notice(&f, "planted-marker"), ".goose/recipes"));
	fixture_write(&f, ".goose/recipes/a.yaml", "");
	fixture_must_plan(&f);
	assert_null(fixture_notice(&f, "planted-marker"));
	fixture_write(&f, ".github/agents/references/build-log.json", "{}");
	fixture_must_plan(&f);
	assert_int_equal(fixture_notice_count(&f, "planted-marker"), 1);
	fixture_write(&f, ".github/agents/references/agent-privilege.json", "{}");
	fixture_must_plan(&f);
	assert_null(fixture_notice(&f, "planted-marker"));
	fixture_end(&f);
}

/* EMIT-15: codex's own configuration: names, never values; a link. */
static void emit_15_codex_keys(void **state)
{
	static const struct { const char *toml; size_t want; } rows[] = {
		{ "model = \"x\"\n# sandbox_mode = 1\n", 0 },
		{ "sandbox_mode = \"" SECRET "\"\n", 1 },
		{ "  approval_policy=\"never\"\n[mcp_servers.x]\ncommand = \"" SECRET "\"\n", 2 },
		{ "sandbox_modes = 1\nx = \"sandbox_mode\"", 0 },
		{ "[[hooks]]\n\"notify\" = []", 2 },
		{ "[sandbox_workspace_write]", 1 },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;

		begin(&f, COOPERATIVE, NULL);
		fixture_write(&f, ".codex/config.toml", rows[i].toml);
		fixture_must_plan(&f);
		assert_row(i, fixture_notice_count(&f, "codex-keys") == rows[i].want);
		for (size_t k = 0; k < f.notices.count; k++)
			assert_row(i, !strstr(f.notices.items[k].text, SECRET));
		assert_int_equal(unlink(test_path(f.project_path, ".codex/config.toml")), 0);
		assert_int_equal(symlink("x", test_path(f.project_path, ".codex/config.toml")), 0);
		fixture_must_plan(&f);
		assert_non_null(strstr(fixture_notice(&f, "codex-keys"), "symbolic link"));
		fixture_end(&f);
	}
}

int test_notices(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(emit_4_stale_entries),
		cmocka_unit_test(emit_4_sibling_lacking),
		cmocka_unit_test(emit_15_states),
		cmocka_unit_test(emit_15_echoes_nothing),
		cmocka_unit_test(emit_5_legacy_keys),
		cmocka_unit_test(emit_13_advice_and_relaxation),
		cmocka_unit_test(emit_15_planted_marker),
		cmocka_unit_test(emit_15_codex_keys),
	};

	return cmocka_run_group_tests_name("notices", tests, NULL, NULL);
}
