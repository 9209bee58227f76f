#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "views/fixture.h"
#include "views/grants_text.h"
#include "views/sign_form.h"
#include "views/view_grants.h"

#define TEAM_A "{\"project_name\": \"demo-shop\", \"team_id\": \"team-a\"}"

static const struct fixture_plan granted = { .brief = TEAM_A, .is_emitted = true,
	.has_grants = true };
static const struct fixture_plan none = { .brief = TEAM_A, .is_emitted = true };

/* KEY-3, KEY-8, UI-8: rows with their checks, and what is said where there is nothing. */
static void key_3_golden_screens(void **state)
{
	(void)state;
	fixture_golden(&granted, &at_view_grants, 7, "grants", "");
	fixture_golden(&granted, &at_view_grants, 7, "grants-bad-row", "j");
	fixture_golden(&granted, &at_view_grants, 7, "grants-key", "j j j");
	fixture_golden(&none, &at_view_grants, 7, "grants-none", "");
}

/* KEY-3: a broken chain takes the word from every row. */
static void key_3_a_broken_chain_voids_all(void **state)
{
	struct at_event changed = { .kind = AT_EVENT_CHANGED, .id = AT_ACT_REREAD };
	struct at_buf text;
	struct at_fx fx = { 0 };
	struct fixture f;
	const char *shown;
	char *at;

	(void)state;
	fixture_begin(&f, &granted, &at_view_grants, 7, 160, 40);
	assert_non_null(strstr(screen_text(&f.app), "WIDENS"));
	text = test_read(f.options.project, AT_GRANTS_PATH);
	at = strstr(text.data, "/srv/team-b/shared");
	memcpy(at, "/srv/team-b/sharex", strlen("/srv/team-b/sharex"));
	test_write(f.options.project, AT_GRANTS_PATH, text.data);
	at_buf_free(&text);
	at_app_top(&f.app)->class->event(at_app_top(&f.app), &changed, &fx);
	shown = screen_text(&f.app);
	assert_non_null(strstr(shown, "NOT ONE COUNTS"));
	assert_null(strstr(shown, "WIDENS"));
	assert_non_null(strstr(shown, "void"));
	at_fx_free(&fx);
	fixture_end(&f);
}

/* UI-3: the report says what the screen says, as lines and as JSON. */
static void ui_3_the_report_is_the_screen(void **state)
{
	struct at_json_value *json = at_json_object();
	struct at_grants_list list;
	struct at_buf text = { 0 };
	struct fixture f;

	(void)state;
	fixture_begin(&f, &granted, &at_view_grants, 7, 80, 24);
	at_grants_list_open(&list, &f.session, true);
	assert_int_equal(list.count, 3);
	at_grants_print(&text, &list);
	assert_non_null(strstr(at_buf_text(&text), "3 rows"));
	assert_non_null(strstr(at_buf_text(&text), "/srv/team-b/shared"));
	text.len = 0;
	at_grants_to_json(json, &list);
	at_json_print(&text, json, AT_JSON_COMPACT);
	assert_non_null(strstr(at_buf_text(&text), "\"widening_here\":"));
	assert_non_null(strstr(at_buf_text(&text), "\"checks\":{"));
	at_json_value_free(json);
	at_buf_free(&text);
	at_grants_list_close(&list);
	fixture_end(&f);
}

/* KEY-7: what is wrong stands at its field, and s is off while anything is. */
static void key_7_the_form_judges_itself(void **state)
{
	static const struct {
		enum at_sign_field field;
		const char *value, *why;
	} rows[] = {
		{ AT_SIGN_TARGET, "/", "filesystem root" },
		{ AT_SIGN_TARGET, "~/x", "home" },
		{ AT_SIGN_TARGET, "../x", ".." },
		{ AT_SIGN_TARGET, "/srv/*", "" },
		{ AT_SIGN_TARGET, "/srv/a|b", "" },
		{ AT_SIGN_EXPIRES, "soon", "expires_at" },
		{ AT_SIGN_EXPIRES, "2000-01-01", "" },
		{ AT_SIGN_MAX_USES, "0", "max_uses" },
		{ AT_SIGN_MAX_USES, "99999999999999999999", "max_uses" },
		{ AT_SIGN_APPROVER, "mallory", "roster" },
		{ AT_SIGN_OPS, "WRITE", "" },
		{ AT_SIGN_ISSUER_ROOT, "relative", "" },
		{ AT_SIGN_ISSUER_ROOT, "/elsewhere", "" },
		{ AT_SIGN_REASON, "   ", "empty" },
		{ AT_SIGN_KEY, "../../x", "" },
	};
	struct at_sign_form form;
	struct fixture f;

	(void)state;
	fixture_begin(&f, &granted, &at_view_grants, 7, 80, 24);
	at_sign_form_open(&form, &f.session);
	assert_false(form.is_ready);
	assert_int_equal(form.fault_field, AT_SIGN_TARGET);
	at_sign_form_set(&form, AT_SIGN_TARGET, "/srv/team-b/new");
	at_sign_form_set(&form, AT_SIGN_ISSUER, "team-b");
	at_sign_form_set(&form, AT_SIGN_TICKET, "T-9");
	at_sign_form_set(&form, AT_SIGN_REASON, "because");
	if (!form.is_ready)
		fail_msg("%s", form.fault.message);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		char *was = at_strdup(at_buf_text(&form.values[rows[i].field]));

		at_sign_form_set(&form, rows[i].field, rows[i].value);
		assert_row(i, !form.is_ready);
		assert_row(i, strstr(form.fault.message, rows[i].why));
		at_sign_form_set(&form, rows[i].field, was);
		assert_row(i, form.is_ready);
		free(was);
	}
	at_sign_form_close(&form);
	fixture_end(&f);
}

/* KEY-10: a grant by HMAC that writes is listed, and the form begins with what it said. */
static void key_10_signed_anew(void **state)
{
	struct at_event changed = { .kind = AT_EVENT_CHANGED, .id = AT_ACT_REREAD };
	struct at_fx fx = { 0 };
	struct at_grants_list list;
	struct at_buf ledger, text = { 0 };
	struct fixture f;
	const char *shown;

	(void)state;
	fixture_begin(&f, &granted, &at_view_grants, 7, 160, 40);
	ledger = test_read(NULL, "vectors/grants-hmac/variants/00-original.csv");
	test_write_bytes(f.options.project, AT_GRANTS_PATH, ledger.data, ledger.len);
	at_buf_free(&ledger);
	screen_keys(&f.app, "F5");
	at_app_top(&f.app)->class->event(at_app_top(&f.app), &changed, &fx);
	at_fx_free(&fx);
	assert_non_null(strstr(screen_text(&f.app), "HMAC write"));
	screen_keys(&f.app, "s");
	shown = screen_text(&f.app);
	assert_non_null(strstr(shown, "Sign a grant"));
	assert_non_null(strstr(shown, "target_path   /srv/team-b/shared"));
	at_grants_list_open(&list, &f.session, true);
	at_grants_print(&text, &list);
	assert_non_null(strstr(at_buf_text(&text), "to sign anew: grant-"));
	at_buf_free(&text);
	at_grants_list_close(&list);
	fixture_end(&f);
}

/* UI-8: the form at every size. */
static void ui_8_the_form_s_screens(void **state)
{
	(void)state;
	fixture_golden(&granted, &at_view_grants, 7, "sign-form", "s");
}

int test_view_grants(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_3_golden_screens),
		cmocka_unit_test(key_3_a_broken_chain_voids_all),
		cmocka_unit_test(ui_3_the_report_is_the_screen),
		cmocka_unit_test(key_7_the_form_judges_itself),
		cmocka_unit_test(key_10_signed_anew),
		cmocka_unit_test(ui_8_the_form_s_screens),
	};

	return cmocka_run_group_tests_name("view_grants", tests, NULL, NULL);
}
