/* Places outside the project that the live settings open and nobody explains. */
#include "emit/fixture.h"

#include <stdio.h>
#include <string.h>

#define BOX(allow) "{\"sandbox\": {\"enabled\": true, \"filesystem\": {" allow "}}}"

/* KEY-13: which entries are named, once each, by every run that plans. */
static void key_13_is_named_by_every_run(void **state)
{
	static const struct {
		const char *brief, *live;
		size_t count;
		const char *named;
	} rows[] = {
		{ "{}", BOX("\"allowWrite\": [\".\", \"src\", \"./x\"]"), 0, NULL },
		{ "{}", BOX("\"allowWrite\": [\".\", \"/srv/old\"]"), 1, "'/srv/old'" },
		{ "{}", BOX("\"allowWrite\": [\"/srv/old/\", \"/srv/./old\"]"), 1, "'/srv/old/'" },
		{ "{}", BOX("\"allowRead\": [\"~/lib\"], \"allowWrite\": [\".\"]"), 1, "'~/lib'" },
		{ "{}", BOX("\"allowRead\": [\"/a\"], \"allowWrite\": [\"/a\", \"../b\"]"), 2, "'/a'" },
		{ "{\"workspace_write_roots\": [\".\", \"/srv/x\"]}",
			BOX("\"allowWrite\": [\".\", \"/srv/x\"]"), 0, NULL },
		{ "{\"privilege_profile\": \"cooperative\"}", BOX("\"allowWrite\": [\"/srv/x\"]"), 0,
			NULL },
		{ "{}", "[]", 0, NULL },
		{ "{}", BOX("\"allowWrite\": \"/srv/x\""), 0, NULL },
		{ "{}", BOX("\"allowWrite\": [5, null, {\"a\": 1}]"), 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;

		fixture_begin(&f, rows[i].brief);
		fixture_write(&f, LIVE, rows[i].live);
		fixture_must_plan(&f);
		assert_row(i, fixture_notice_count(&f, "stale-widening") == rows[i].count);
		if (rows[i].named)
			assert_row(i, strstr(fixture_notice(&f, "stale-widening"), rows[i].named));
		fixture_end(&f);
	}
}

/* KEY-13: and by the wiring check, which fails on it. */
static void key_13_wiring_check_fails(void **state)
{
	struct at_wiring report;
	struct fixture f;
	size_t found = 0;

	(void)state;
	fixture_begin(&f, "{\"privilege_profile\": \"confined\"}");
	fixture_gate(&f, NULL);
	fixture_update(&f);
	fixture_write(&f, LIVE, BOX("\"allowWrite\": [\".\", \"/srv/old\", \"src\"]"));
	fixture_must_plan(&f);
	at_wiring_init(&report);
	assert_true(at_frameworks[AT_CLAUDE]->check_wiring(
		&report, &f.manifest, &f.project, &f.plan, &f.err));
	for (size_t i = 0; i < report.count; i++)
		if (strcmp(report.findings[i].id, "stale-widening") == 0) {
			assert_int_equal(report.findings[i].level, AT_FAIL);
			assert_non_null(strstr(report.findings[i].text, "'/srv/old'"));
			found++;
		}
	assert_int_equal(found, 1);
	assert_false(report.is_configured);
	at_wiring_free(&report);
	fixture_end(&f);
}

/* KEY-13, REQ-4: a brief that names it later does not find it accepted. */
static void key_13_is_no_acceptance(void **state)
{
	struct fixture f;

	(void)state;
	fixture_begin(&f, "{\"privilege_profile\": \"confined\"}");
	fixture_update(&f);
	fixture_write(&f, LIVE, BOX("\"allowWrite\": [\".\", \"/srv/old\"]"));
	fixture_brief(&f, "{\"privilege_profile\": \"confined\", "
			  "\"workspace_write_roots\": [\".\", \"/srv/old\"]}");
	assert_false(fixture_plan(&f));
	assert_string_equal(f.err.id, "root-not-accepted");
	f.accepted[0] = "/srv/old";
	fixture_update(&f);
	/* Explained now: from here on it is kept. */
	f.accepted[0] = NULL;
	fixture_must_plan(&f);
	assert_non_null(fixture_notice(&f, "external-root-kept"));
	fixture_end(&f);
}

int test_stale(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_13_is_named_by_every_run),
		cmocka_unit_test(key_13_wiring_check_fails),
		cmocka_unit_test(key_13_is_no_acceptance),
	};

	return cmocka_run_group_tests_name("stale", tests, NULL, NULL);
}
