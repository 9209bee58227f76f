#include "support/support.h"

#include <string.h>

#include "core/json_read.h"
#include "core/json_write.h"
#include "core/wiring.h"

static void every_level_has_a_name(void **state)
{
	static const struct {
		enum at_level level;
		const char *name;
	} rows[] = { { AT_OKAY, "ok" }, { AT_NOTE, "note" }, { AT_WARN, "warn" },
		{ AT_FAIL, "FAIL" } };

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i, strcmp(at_level_name(rows[i].level), rows[i].name) == 0);
}

static void texts_are_copied(void **state)
{
	struct at_wiring report;
	char id[] = "one", where[] = "f#/a", remedy[] = "mend", name[] = "x";
	struct at_finding *f;

	(void)state;
	at_wiring_init(&report);
	f = at_wiring_add(&report, id, AT_WARN, where, remedy, "%s is %d", name, 7);
	memset(id, 'z', 3);
	memset(where, 'z', 4);
	memset(remedy, 'z', 4);
	memset(name, 'z', 1);
	assert_string_equal(f->id, "one");
	assert_string_equal(f->where, "f#/a");
	assert_string_equal(f->remedy, "mend");
	assert_string_equal(f->text, "x is 7");
	for (int i = 0; i < 1000; i++)
		at_wiring_add(&report, "more", AT_NOTE, NULL, NULL, "%d", i);
	assert_int_equal(report.count, 1001);
	assert_string_equal(report.findings[0].text, "x is 7");
	assert_string_equal(report.findings[1000].text, "999");
	assert_string_equal(report.findings[1000].where, "");
	at_wiring_free(&report);
	assert_null(report.findings);
}

static void the_worst_counts(void **state)
{
	struct at_wiring report;

	(void)state;
	at_wiring_init(&report);
	assert_int_equal(at_wiring_worst(&report), AT_OKAY);
	at_wiring_add(&report, "a", AT_NOTE, "", "", "a");
	at_wiring_add(&report, "b", AT_FAIL, "", "", "b");
	at_wiring_add(&report, "c", AT_OKAY, "", "", "c");
	assert_int_equal(at_wiring_worst(&report), AT_FAIL);
	at_wiring_free(&report);
}

static void printing(void **state)
{
	struct at_wiring report;
	struct at_buf out = { 0 };
	struct at_finding *f;

	(void)state;
	at_wiring_init(&report);
	f = at_wiring_add(
		&report, "deny-path-missing", AT_FAIL, "s.json#/a/0", "Create it.", "x is gone.");
	f->line = 3;
	f->column = 7;
	at_wiring_add(&report, "both-layers", AT_OKAY, "", "", "fine.");
	at_wiring_print(&report, &out);
	assert_string_equal(at_buf_text(&out),
		"FAIL deny-path-missing  s.json#/a/0:3:7\n"
		"     x is gone.\n"
		"     to do: Create it.\n"
		"ok   both-layers\n"
		"     fine.\n");
	at_buf_free(&out);
	at_wiring_free(&report);
}

static void as_json(void **state)
{
	struct at_json_value *value = at_json_object();
	struct at_wiring report;
	struct at_buf out = { 0 };
	struct at_finding *f;

	(void)state;
	at_wiring_init(&report);
	report.file_is_loaded = true;
	report.undone_by = "local";
	f = at_wiring_add(&report, "a", AT_WARN, "s", "r", "a \"b\" \x1b");
	f->line = 1;
	f->column = 2;
	at_wiring_to_json(&report, value);
	at_json_print(&out, value, AT_JSON_COMPACT);
	assert_non_null(strstr(at_buf_text(&out), "\"worst\":\"warn\""));
	assert_non_null(strstr(at_buf_text(&out), "\"file_is_loaded\":true"));
	assert_non_null(strstr(at_buf_text(&out), "\"undone_by\":\"local\""));
	assert_non_null(strstr(at_buf_text(&out), "\"line\":1,\"column\":2"));
	assert_non_null(strstr(at_buf_text(&out), "a \\\"b\\\" \\u001b"));
	at_buf_free(&out);
	at_json_value_free(value);
	at_wiring_free(&report);
}

int test_findings(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_level_has_a_name),
		cmocka_unit_test(texts_are_copied),
		cmocka_unit_test(the_worst_counts),
		cmocka_unit_test(printing),
		cmocka_unit_test(as_json),
	};

	return cmocka_run_group_tests_name("findings", tests, NULL, NULL);
}
