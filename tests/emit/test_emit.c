#include "emit/fixture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "core/control_plane.h"

/* Every framework is listed at its place. */
static void list_is_complete(void **state)
{
	for (size_t i = 0; i < AT_FRAMEWORK_COUNT; i++) {
		assert_row(i, at_frameworks[i] != NULL && at_frameworks[i]->id == i);
		assert_row(i, at_frameworks[i]->agent_ext[0] == '.');
		assert_row(i, at_frameworks[i]->plan && at_frameworks[i]->check_wiring);
	}
}

/* DEC-2: a fatal decision is refused with its code. */
static void dec_2_fatal_is_refused(void **state)
{
	struct fixture f;

	fixture_begin(&f, "{}");
	f.options.framework = AT_GOOSE;
	f.options.platform = AT_WINDOWS;
	assert_false(fixture_plan(&f));
	assert_string_equal(f.err.id, "privilege-profile-unenforced-host");
	fixture_end(&f);
}

/* EMIT-2: a team directory that rules or the shell would misread, or that leads out. */
static void emit_2_bad_team_dirs(void **state)
{
	static const char *const rows[] = { "", ".", "..", "../x", "/abs", "a/../b", "a//b", "a/",
		"a b", "a'b", "a\"b", "$x", "a*", "a[0]", "a(b)", "x\n", "~/x", "a;b" };

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;

		fixture_begin(&f, "{}");
		f.project.team_dir = rows[i];
		assert_row(i, !fixture_plan(&f));
		assert_row(i, f.plan.count == 0);
		fixture_end(&f);
	}
}

/* EMIT-1: a link on the way of any artefact refuses the whole plan. */
static void emit_1_links_are_refused(void **state)
{
	static const char *const rows[] = { ".claude", ".claude/agents", ".claude/hooks",
		".claude/agents/references", HOOK, HOOK_PY, EXAMPLE, REFS "agent-privilege.json",
		REFS "authorized-verify-keys", REFS "build-log.json" };

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;
		char *slash, dir[256];

		fixture_begin(&f, "{}");
		test_write(f.top, "outside/x", "{}");
		snprintf(dir, sizeof(dir), "%s", rows[i]);
		slash = strrchr(dir, '/');
		if (slash) {
			strcpy(slash, "/.keep");
			fixture_write(&f, dir, "");
		}
		assert_int_equal(symlink(test_path(f.top, "outside"),
			test_path(f.project_path, rows[i])), 0);
		assert_row(i, !fixture_plan(&f));
		assert_row(i, f.err.code == AT_EUNSAFE);
		fixture_end(&f);
	}
}

/* EMIT-21: looking at the plan writes nothing at all, wherever it is asked. */
static void emit_21_plan_writes_nothing(void **state)
{
	struct fixture f;
	uint64_t before;

	fixture_begin(&f, "{\"privilege_profile\": \"exclusive\"}");
	fixture_write(&f, LIVE, "{}");
	before = test_tree_fingerprint(f.top);
	fixture_must_plan(&f);
	assert_true(at_plan_pending(&f.plan) > 0);
	for (size_t i = 0; i < f.plan.count; i++)
		assert_row(i, f.plan.changes[i].reason && *f.plan.changes[i].reason);
	assert_true(test_tree_fingerprint(f.top) == before);
	fixture_end(&f);
}

/* EMIT-15, EMIT-21: once written, nothing is left to do; an edit is seen and undone. The
 * live settings are never in the plan. */
static void emit_15_second_run_is_idle(void **state)
{
	static const char *const briefs[] = { "{}",
		("{\"privilege_profile\": \"exclusive\","
			"\"workspace_write_roots\": [\"src\", \"docs\"]}"),
		"{\"privilege_profile\": \"cooperative\"}", "{\"protect_prompt_roots\": true}",
		"{\"write_policy\": \"orchestrator-only\", \"privilege_profile\": \"confined\","
			"\"authorized_managers\": [\"a\"]}" };

	for (size_t i = 0; i < AT_LEN(briefs); i++) {
		struct fixture f;
		struct stat st;

		fixture_begin(&f, briefs[i]);
		fixture_write(&f, LIVE, "{ }");
		fixture_update(&f);
		assert_null(fixture_change(&f, LIVE));
		assert_int_equal(stat(test_path(f.project_path, HOOK), &st), 0);
		assert_int_equal(st.st_mode & 07777, 0755);
		fixture_write(&f, EXAMPLE, "{}");
		fixture_must_plan(&f);
		assert_int_equal(at_plan_pending(&f.plan), 1);
		assert_int_equal(fixture_change(&f, EXAMPLE)->kind, AT_REPLACE);
		fixture_end(&f);
	}
}

/* EMIT-12: a hook that lost its execute bit is put right. */
static void emit_12_mode_is_mended(void **state)
{
	struct fixture f;

	fixture_begin(&f, "{}");
	fixture_update(&f);
	assert_int_equal(chmod(test_path(f.project_path, HOOK), 0644), 0);
	fixture_must_plan(&f);
	assert_int_equal(at_plan_pending(&f.plan), 1);
	fixture_update(&f);
	assert_int_equal(access(test_path(f.project_path, HOOK), X_OK), 0);
	fixture_end(&f);
}

int test_emit(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_is_complete),
		cmocka_unit_test(dec_2_fatal_is_refused),
		cmocka_unit_test(emit_2_bad_team_dirs),
		cmocka_unit_test(emit_1_links_are_refused),
		cmocka_unit_test(emit_21_plan_writes_nothing),
		cmocka_unit_test(emit_15_second_run_is_idle),
		cmocka_unit_test(emit_12_mode_is_mended),
	};

	return cmocka_run_group_tests_name("emit", tests, NULL, NULL);
}
