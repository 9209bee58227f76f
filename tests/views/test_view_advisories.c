#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "views/acknowledged.h"
#include "views/fixture.h"
#include "views/guide.h"
#include "views/view_advisories.h"

#define EXCLUSIVE "{\"project_name\": \"demo-shop\", \"privilege_profile\": \"exclusive\"}"

/* DEC-5, DEC-6, UI-4: an empty list is never shown as covered. */
static void dec_5_golden_screens(void **state)
{
	static const struct fixture_plan none = { 0 }, exclusive = { .brief = EXCLUSIVE };

	fixture_golden(&none, &at_view_advisories, 2, "advisories-none", "");
	fixture_golden(&exclusive, &at_view_advisories, 2, "advisories-exclusive", "");
	fixture_golden(&exclusive, &at_view_advisories, 2, "advisories-text", "Enter");
}

/* CEIL-1 to CEIL-8: the view shows every ceiling of the team's mechanism. */
static void ceil_1_every_ceiling_is_a_row(void **state)
{
	static const struct fixture_plan none = { 0 };
	struct fixture f;
	const char *text;
	char id[16];

	fixture_begin(&f, &none, &at_view_advisories, 2, 120, 60);
	text = screen_text(&f.app);
	for (int i = 1; i <= 8; i++) {
		snprintf(id, sizeof(id), "CEIL-%d ", i);
		assert_row(i, strstr(text, id));
	}
	fixture_end(&f);
}

/* Marking an advisory as read changes a count, keeps it listed, and can be turned around. */
static void acknowledged_ones_stay_listed(void **state)
{
	static const struct fixture_plan exclusive = { .brief = EXCLUSIVE };
	static const char code[] = "privilege-profile-exclusive-inbound-hardening";
	struct at_event changed = { .kind = AT_EVENT_CHANGED, .id = AT_ACT_ACKNOWLEDGE, .yes = true };
	struct at_fx fx = { 0 };
	struct at_error err;
	struct fixture f;
	struct at_view *view;

	fixture_begin(&f, &exclusive, &at_view_advisories, 2, 120, 40);
	view = at_app_top(&f.app);
	assert_int_equal(at_unacknowledged(&f.session), 1);
	view->class->act(view, AT_DO_ACKNOWLEDGE, &fx);
	assert_int_equal(at_fx_find(&fx, AT_FX_DO)->code, AT_ACT_ACKNOWLEDGE);
	assert_string_equal(at_fx_find(&fx, AT_FX_DO)->data, code);
	assert_true(at_acknowledge(&f.session, code, &err));
	assert_int_equal(at_unacknowledged(&f.session), 0);
	view->class->event(view, &changed, &fx);
	assert_non_null(strstr(screen_text(&f.app), "read     privilege"));
	assert_true(at_acknowledge(&f.session, code, &err));
	assert_int_equal(at_unacknowledged(&f.session), 1);
	at_fx_free(&fx);
	fixture_end(&f);
}

/* UI-1: a session begins at the first step that is not done, and steps follow the tabs. */
static void ui_1_the_guide_resumes(void **state)
{
	static const struct {
		struct fixture_plan plan;
		int want;
	} rows[] = {
		{ { 0 }, 3 },
		{ { .brief = EXCLUSIVE }, 2 }, /* an advisory nobody read comes first */
		{ { .is_emitted = true }, 4 },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;

		fixture_begin(&f, &rows[i].plan, &at_view_advisories, 2, 80, 24);
		assert_row(i, at_guide_start(&f.session, &f.collected) == rows[i].want);
		fixture_end(&f);
	}
	assert_int_equal(at_guide_step(3, true), 4);
	assert_int_equal(at_guide_step(3, false), 2);
}

int test_view_advisories(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(dec_5_golden_screens),
		cmocka_unit_test(ceil_1_every_ceiling_is_a_row),
		cmocka_unit_test(acknowledged_ones_stay_listed),
		cmocka_unit_test(ui_1_the_guide_resumes),
	};

	return cmocka_run_group_tests_name("view_advisories", tests, NULL, NULL);
}
