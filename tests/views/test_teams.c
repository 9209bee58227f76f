/* Several teams in one project: each one's own state, and which of them is shown. (UI-2) */
#include "support/support.h"

#include <string.h>
#include <unistd.h>

#include "core/json_write.h"
#include "core/launch_line.h"
#include "core/mem.h"
#include "views/fixture.h"
#include "views/teams.h"
#include "views/view_emit.h"
#include "views/view_wiring.h"
#include "views/wiring_rows.h"

#define INSIDE "{\"privilege_profile\": \"confined\"}"

static const struct at_team *team(const struct fixture *f, enum at_framework_id framework)
{
	for (size_t i = 0; i < f->collected.teams.count; i++)
		if (f->collected.teams.items[i].framework == framework)
			return &f->collected.teams.items[i];
	return NULL;
}

static void again(struct fixture *f)
{
	at_collected_free(&f->collected);
	at_collect(&f->collected, &f->session);
}

/* Whichever team is shown, every one is there once, and one of the copilots speaks for both. */
static void ui_2_each_team_has_a_row(void **state)
{
	static const char *const names[] = { "claude", "goose", "codex", "copilot-vscode",
		"copilot-cli", "agents-md" };

	for (size_t i = 0; i < AT_LEN(names); i++) {
		const struct fixture_plan plan = { .brief = INSIDE, .is_emitted = true,
			.all_teams = true, .framework = names[i] };
		struct fixture f;
		size_t shown = 0;

		fixture_begin(&f, &plan, &at_view_emit, 3, 80, 24);
		assert_int_equal(f.collected.teams.count, 5);
		assert_true(at_teams_are_several(&f.collected.teams));
		for (size_t k = 0; k < f.collected.teams.count; k++) {
			const struct at_team *t = &f.collected.teams.items[k];

			shown += t->is_shown;
			assert_row(i, t->is_shown == (t->framework == f.session.manifest.framework));
			assert_row(i, t->is_present && *t->state && *t->sentence);
		}
		assert_row(i, shown == 1);
		assert_row(i, !team(&f, AT_COPILOT_CLI) == (strcmp(names[i], "copilot-cli") != 0));
		assert_row(i, !team(&f, AT_COPILOT_VSCODE) == (strcmp(names[i], "copilot-cli") == 0));
		fixture_end(&f);
	}
}

/* What is so of one is not said of the next; what they share is said of each. */
static void ui_2_states_are_their_own(void **state)
{
	static const struct fixture_plan plan = { .brief = INSIDE, .is_emitted = true,
		.all_teams = true, .framework = "claude", .live = "{}" };
	struct fixture f;

	fixture_begin(&f, &plan, &at_view_wiring, 5, 80, 24);
	assert_string_equal(team(&f, AT_CLAUDE)->state, "not wired");
	assert_string_equal(team(&f, AT_CODEX)->state, "launcher genuine");
	assert_true(team(&f, AT_CODEX)->is_configured && !team(&f, AT_CLAUDE)->is_configured);
	assert_string_equal(team(&f, AT_CLAUDE)->sentence, f.collected.pipeline.sentence);
	test_write(f.options.project, ".codex/agents/references/security-approvers.txt", "bob\n");
	assert_int_equal(unlink(test_path(f.options.project,
		".goose/recipes/references/agent-privilege.json")), 0);
	again(&f);
	assert_string_equal(team(&f, AT_GOOSE)->state, "not as emitted");
	assert_string_equal(team(&f, AT_CODEX)->state, "launcher genuine");
	test_write(f.options.project, AT_LAUNCHER, "#!/bin/sh\n");
	again(&f);
	assert_string_equal(team(&f, AT_CODEX)->state, "launcher edited");
	assert_string_equal(team(&f, AT_AGENTS_MD)->state, "launcher edited");
	assert_string_equal(team(&f, AT_CLAUDE)->state, "not as emitted");
	assert_int_equal(unlink(test_path(f.options.project, AT_LAUNCHER)), 0);
	again(&f);
	assert_string_equal(team(&f, AT_CODEX)->state, "launcher missing");
	fixture_end(&f);
}

static void ui_2_reports_agree(void **state)
{
	static const struct fixture_plan several = { .brief = INSIDE, .is_emitted = true,
		.all_teams = true, .framework = "codex" },
		alone = { .brief = INSIDE, .is_emitted = true, .framework = "codex" },
		broken = { .brief = "{", .framework = "codex" };
	struct at_json_value *json = at_json_object();
	struct at_buf text = { 0 }, printed = { 0 };
	struct fixture f;

	fixture_begin(&f, &several, &at_view_wiring, 5, 80, 24);
	at_teams_print(&f.collected.teams, &text);
	assert_non_null(strstr(at_buf_text(&text), AT_TEAMS_HEADING));
	assert_non_null(strstr(at_buf_text(&text), "launcher genuine  shown\n  copilot-vscode"));
	assert_non_null(strstr(at_buf_text(&text), "\n  agents-md"));
	assert_null(strchr(at_buf_text(&text), '*'));
	at_teams_to_json(&f.collected.teams, json);
	at_json_print(&printed, json, AT_JSON_COMPACT);
	assert_non_null(strstr(at_buf_text(&printed), "{\"framework\":\"codex\",\"dir\":"
		"\".codex/agents\",\"shown\":true,\"present\":true,\"configured\":true,\"state\":"
		"\"launcher genuine\",\"truth_id\":\"launcher\""));
	text.len = 0;
	at_wiring_report_print(&f.session, &f.collected, &text);
	assert_non_null(strstr(at_buf_text(&text), AT_TEAMS_HEADING "\n  claude"));
	at_json_value_free(json);
	at_buf_free(&printed);
	fixture_end(&f);

	json = at_json_object();
	fixture_begin(&f, &alone, &at_view_wiring, 5, 80, 24);
	test_tree_remove(at_strdup(test_path(f.options.project, ".claude")));
	again(&f);
	text.len = 0;
	at_teams_print(&f.collected.teams, &text);
	assert_int_equal(text.len, 0);
	at_teams_to_json(&f.collected.teams, json);
	at_json_print(&printed, json, AT_JSON_COMPACT);
	assert_non_null(strstr(at_buf_text(&printed), "[{\"framework\":\"codex\""));
	assert_null(strstr(at_buf_text(&printed), "},{"));
	at_json_value_free(json);
	fixture_end(&f);

	/* Without a request nothing is claimed of anybody. */
	fixture_begin(&f, &broken, &at_view_wiring, 5, 80, 24);
	for (size_t i = 0; i < f.collected.teams.count; i++)
		assert_string_equal(f.collected.teams.items[i].state, "no valid request");
	fixture_end(&f);
	at_buf_free(&text);
	at_buf_free(&printed);
}

/* Emit begins at the first file, below the teams; a team's row tells of it when it is opened. */
static void ui_3_emit_shows_teams(void **state)
{
	static const struct fixture_plan several = { .brief = INSIDE, .all_teams = true,
		.framework = "codex" };
	struct fixture f;

	fixture_begin(&f, &several, &at_view_emit, 3, 120, 40);
	assert_non_null(strstr(screen_text(&f.app), AT_TEAMS_HEADING));
	assert_non_null(strstr(screen_text(&f.app), "a new file"));
	screen_keys(&f.app, "g Enter");
	assert_non_null(strstr(screen_text(&f.app), "claude, in .claude/agents"));
	assert_non_null(strstr(screen_text(&f.app), "--framework claude"));
	fixture_end(&f);
}

int test_teams(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_2_each_team_has_a_row),
		cmocka_unit_test(ui_2_states_are_their_own),
		cmocka_unit_test(ui_2_reports_agree),
		cmocka_unit_test(ui_3_emit_shows_teams),
	};

	return cmocka_run_group_tests_name("teams", tests, NULL, NULL);
}
