/* Several teams in one project: what a run for one of them says about the others. */
#include "emit/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/control_plane.h"

#define ON "{\"sandbox\": {\"enabled\": true, \"failIfUnavailable\": true, \"filesystem\": " \
	"{\"denyWrite\": [\".claude\", \"gone\", \".codex\"]}}, \"permissions\": {\"deny\": " \
	"[\"Edit(/AGENTS.md)\"]}}"
#define OFF "{\"sandbox\": {\"enabled\": false, \"filesystem\": {\"denyWrite\": [\"gone\"]}}}"

static void begin(struct fixture *f, enum at_framework_id framework, const char *brief,
	const char *live)
{
	fixture_begin(f, brief);
	f->options.framework = framework;
	f->project.team_dir = at_team_dir(framework);
	fixture_write(f, ".claude/.keep", "");
	if (live)
		fixture_write(f, LIVE, live);
}

/* EMIT-4, EMIT-15: a stale entry is told of by any team's run, while the block is on. */
static void emit_15_stale_for_every_team(void **state)
{
	for (size_t i = 0; i < AT_FRAMEWORK_COUNT; i++) {
		const char *text;
		struct fixture f;

		begin(&f, (enum at_framework_id)i, "{}", ON);
		fixture_write(&f, ".codex/.keep", "");
		fixture_must_plan(&f);
		text = fixture_notice(&f, "stale-deny-entry");
		assert_row(i, text && strstr(text, "'gone'"));
		assert_row(i, fixture_notice_count(&f, "stale-deny-entry") == 1);
		fixture_write(&f, LIVE, OFF);
		fixture_must_plan(&f);
		assert_null(fixture_notice(&f, "stale-deny-entry"));
		fixture_end(&f);
	}
}

/* EMIT-3: the team that this very run makes is a neighbour that claude's live block lacks, where
 * it stands in its usual place. */
static void emit_3_own_team_is_lacking(void **state)
{
	static const char *const want[AT_FRAMEWORK_COUNT] = {
		[AT_GOOSE] = "[\".goose\"]", [AT_COPILOT_VSCODE] = "[\".github/agents\"]",
		[AT_COPILOT_CLI] = "[\".github/agents\"]" };

	for (size_t i = 0; i < AT_FRAMEWORK_COUNT; i++) {
		const char *text;
		struct fixture f;

		begin(&f, (enum at_framework_id)i, "{}", ON); /* has .codex */
		fixture_must_plan(&f);
		text = fixture_notice(&f, "sibling-lacking");
		assert_row(i, !!text == !!want[i] && (!text || strstr(text, want[i])));
		if (i != AT_CLAUDE) {
			f.project.team_dir = "elsewhere";
			fixture_must_plan(&f);
			assert_row(i, !fixture_notice(&f, "sibling-lacking"));
		}
		fixture_end(&f);
	}
}

/* EMIT-13: prompt roots are advised with claude's sandbox on and another team about, whichever
 * of them is emitted; a relaxation is of claude's render alone. */
static void emit_13_across_teams(void **state)
{
	static const struct {
		enum at_framework_id framework;
		const char *brief, *live, *team;
		bool advised, relaxed;
	} rows[] = {
		{ AT_CODEX, "{}", ON, NULL, true, false },
		{ AT_GOOSE, "{}", ON, NULL, true, false },
		{ AT_AGENTS_MD, "{}", ON, NULL, true, false },
		{ AT_CODEX, "{}", OFF, NULL, false, false },
		{ AT_CODEX, "{}", NULL, NULL, false, false },
		{ AT_CODEX, "{\"protect_prompt_roots\": true}", ON, NULL, false, false },
		{ AT_CLAUDE, "{}", ON, NULL, false, true },
		{ AT_CLAUDE, "{}", ON, ".agents", true, true },
		{ AT_CLAUDE, "{}", NULL, ".goose/recipes", true, false },
		{ AT_CLAUDE, "{\"protect_prompt_roots\": true}", ON, ".goose/recipes", false, false },
		{ AT_CLAUDE, "{\"privilege_profile\": \"cooperative\", \"protect_prompt_roots\": true}",
			ON, ".goose/recipes", false, true },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		char marker[256];
		struct fixture f;

		begin(&f, rows[i].framework, rows[i].brief, rows[i].live);
		snprintf(marker, sizeof(marker), "%s/" AT_TEAM_MARKER, rows[i].team);
		if (rows[i].team)
			fixture_write(&f, marker, "{}");
		fixture_must_plan(&f);
		assert_row(i, !!fixture_notice(&f, "prompt-root-advice") == rows[i].advised);
		assert_row(i, !!fixture_notice(&f, "sandbox-relaxation") == rows[i].relaxed);
		fixture_end(&f);
	}
}

/* EMIT-13: off is byte for byte what absent is; on and off again as well. */
static void emit_13_off_is_absent(void **state)
{
	for (size_t i = 0; i < AT_FRAMEWORK_COUNT; i++) {
		struct at_buf before, after;
		const char *marker;
		struct fixture f;

		begin(&f, (enum at_framework_id)i, "{}", NULL);
		marker = at_arena_printf(f.arena, "%s",
			i == AT_CLAUDE ? EXAMPLE : i == AT_GOOSE ? ".goose/confined-run.example.sh"
						: "sandbox/confine-run.sh");
		fixture_update(&f);
		before = fixture_read(&f, marker);
		fixture_brief(&f, "{\"protect_prompt_roots\": true}");
		fixture_update(&f);
		after = fixture_read(&f, marker);
		assert_row(i, at_bytes_equal(at_buf_bytes(&before), at_buf_bytes(&after)) ==
			(i != AT_CLAUDE && i != AT_GOOSE));
		at_buf_free(&after);
		fixture_brief(&f, "{\"protect_prompt_roots\": false}");
		fixture_update(&f);
		after = fixture_read(&f, marker);
		assert_row(i, at_bytes_equal(at_buf_bytes(&before), at_buf_bytes(&after)));
		at_buf_free(&before);
		at_buf_free(&after);
		fixture_end(&f);
	}
}

/* EMIT-2: where a launcher team is put elsewhere, the launcher does not follow. */
static void emit_2_launcher_mismatch(void **state)
{
	for (size_t i = AT_CLAUDE + 1; i < AT_FRAMEWORK_COUNT; i++) {
		struct fixture f;

		begin(&f, (enum at_framework_id)i, "{}", NULL);
		fixture_must_plan(&f);
		assert_row(i, !fixture_notice(&f, "deny-path-mismatch"));
		f.project.team_dir = "elsewhere";
		fixture_must_plan(&f);
		assert_row(i, fixture_notice_count(&f, "deny-path-mismatch") == 5);
		assert_row(i, strstr(fixture_notice(&f, "deny-path-mismatch"), "not protected"));
		fixture_brief(&f, "{\"privilege_profile\": \"cooperative\"}");
		fixture_must_plan(&f);
		assert_row(i, !fixture_notice(&f, "deny-path-mismatch"));
		fixture_end(&f);
	}
}

/* EMIT-3: present is a way of real directories to a regular file, nothing less. */
static void emit_3_present(void **state)
{
	static const struct { const char *make; bool is; } rows[] = {
		{ "mkdir -p .goose/recipes/references; echo {} >$M", true },
		{ "mkdir -p .goose/recipes/references", false },
		{ "mkdir -p real/recipes/references; ln -s real .goose; echo {} >$M", false },
		{ "mkdir -p .goose real/references; ln -s ../real .goose/recipes; echo {} >$M", false },
		{ "mkdir -p .goose/recipes real; ln -s ../../real .goose/recipes/references; "
			"echo {} >$M", false },
		{ "mkdir -p .goose/recipes/references; echo {} >m; ln -s ../../../m $M", false },
		{ "mkdir -p .goose/recipes/references; mkdir $M", false },
		{ "mkdir -p .goose/recipes/references; mkfifo $M", false },
		{ "mkdir -p .goose/recipes/references; ln -s nowhere $M", false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;
		char *line;

		fixture_begin(&f, "{}");
		line = at_arena_printf(f.arena, "cd '%s'; M=.goose/recipes/" AT_TEAM_MARKER "; %s",
			f.project_path, rows[i].make);
		assert_row(i, system(line) == 0);
		assert_row(i, at_team_is_present(&f.project, AT_GOOSE) == rows[i].is);
		fixture_end(&f);
	}
}

int test_teams(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(emit_15_stale_for_every_team),
		cmocka_unit_test(emit_3_own_team_is_lacking),
		cmocka_unit_test(emit_13_across_teams),
		cmocka_unit_test(emit_13_off_is_absent),
		cmocka_unit_test(emit_2_launcher_mismatch),
		cmocka_unit_test(emit_3_present),
	};

	return cmocka_run_group_tests_name("teams", tests, NULL, NULL);
}
