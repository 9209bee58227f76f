#include "support/support.h"

#include <string.h>

#include "views/fixture.h"
#include "views/view_emit.h"

/* UI-3, UI-4: the plan as a tree, at every size. */
static void ui_3_golden_screens(void **state)
{
	static const struct fixture_plan fresh = { 0 }, done = { .is_emitted = true },
		refused = { .brief = "{\"workspace_write_roots\": [\"~/.ssh\"]}" },
		several = { .all_teams = true, .framework = "codex" };

	fixture_golden(&fresh, &at_view_emit, 3, "emit-fresh", "");
	fixture_golden(&fresh, &at_view_emit, 3, "emit-notice", "G");
	fixture_golden(&fresh, &at_view_emit, 3, "emit-diff", "Tab");
	fixture_golden(&fresh, &at_view_emit, 3, "emit-write", "w");
	fixture_golden(&done, &at_view_emit, 3, "emit-done", "");
	fixture_golden(&refused, &at_view_emit, 3, "emit-refused", "");
	fixture_golden(&several, &at_view_emit, 3, "emit-teams", "");
	fixture_golden(&several, &at_view_emit, 3, "emit-team", "g");
}

/* EMIT-21: nothing is written but by the application, after a yes. */
static void emit_21_write_only_asks(void **state)
{
	static const struct fixture_plan fresh = { 0 };
	struct at_event answer = { .kind = AT_EVENT_ANSWER, .yes = true };
	struct at_fx fx = { 0 };
	struct fixture f;
	struct at_view *view;
	uint64_t before;

	fixture_begin(&f, &fresh, &at_view_emit, 3, 80, 24);
	before = test_tree_fingerprint(f.stage);
	view = at_app_top(&f.app);
	view->class->act(view, AT_DO_WRITE, &fx);
	assert_non_null(at_fx_find(&fx, AT_FX_CONFIRM));
	assert_null(at_fx_find(&fx, AT_FX_DO));
	answer.id = at_fx_find(&fx, AT_FX_CONFIRM)->ask.id;
	at_fx_clear(&fx);
	view->class->event(view, &answer, &fx);
	assert_int_equal(at_fx_find(&fx, AT_FX_DO)->code, AT_ACT_EMIT_WRITE);
	assert_true(before == test_tree_fingerprint(f.stage));
	at_fx_free(&fx);
	fixture_end(&f);
}

/* Each directory is one heading, whatever the order of the plan. */
static void directories_have_one_heading(void **state)
{
	static const struct fixture_plan fresh = { 0 };
	struct fixture f;
	const char *text, *first;

	fixture_begin(&f, &fresh, &at_view_emit, 3, 120, 60);
	text = screen_text(&f.app);
	first = strstr(text, ".claude/agents/references/ ");
	assert_non_null(first);
	assert_null(strstr(first + 1, "\n.claude/agents/references/ "));
	fixture_end(&f);
}

/* UI-4: plain output has every pending file as a patch, and nothing when none is. */
static void ui_4_the_plan_as_a_patch(void **state)
{
	static const struct fixture_plan plans[] = { { 0 }, { .is_emitted = true } };

	for (size_t i = 0; i < AT_LEN(plans); i++) {
		struct at_buf text = { 0 };
		struct at_error err;
		struct fixture f;

		fixture_begin(&f, &plans[i], &at_view_emit, 3, 80, 24);
		assert_true(at_view_emit.more(at_app_top(&f.app), &text, &err));
		assert_row(i, (text.len == 0) == plans[i].is_emitted);
		if (text.len) {
			assert_non_null(strstr(at_buf_text(&text), "--- /dev/null\n+++ .claude/hooks/"));
			assert_non_null(strstr(at_buf_text(&text), "+++ .claude/settings.hooks.example.json\n"));
		}
		at_buf_free(&text);
		fixture_end(&f);
	}
}

/* UI-5: W hides what a write would do, so it is off until all is shown. */
static void ui_5_no_write_while_space_is_hidden(void **state)
{
	static const struct fixture_plan fresh = { 0 };
	struct fixture f;

	fixture_begin(&f, &fresh, &at_view_emit, 3, 120, 40);
	screen_keys(&f.app, "W w");
	assert_int_equal(f.app.modal, AT_MODAL_NONE);
	assert_non_null(strstr(screen_text(&f.app), "white space is hidden"));
	screen_keys(&f.app, "W w");
	assert_int_equal(f.app.modal, AT_MODAL_CONFIRM);
	fixture_end(&f);
}

int test_view_emit(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_3_golden_screens),
		cmocka_unit_test(emit_21_write_only_asks),
		cmocka_unit_test(directories_have_one_heading),
		cmocka_unit_test(ui_4_the_plan_as_a_patch),
		cmocka_unit_test(ui_5_no_write_while_space_is_hidden),
	};

	return cmocka_run_group_tests_name("view_emit", tests, NULL, NULL);
}
