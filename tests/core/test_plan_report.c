#include "support/support.h"

#include <string.h>

#include "core/json_write.h"
#include "core/plan.h"

static struct at_plan plan;

static int set_up(void **state)
{
	struct at_error err;

	at_plan_init(&plan);
	assert_true(at_plan_add(&plan, -1, AT_IN_PROJECT, "a/b", at_bytes_of("x"), 0755,
		AT_PLAN_WRITE, "a tool", &err));
	assert_true(at_plan_add(&plan, -1, AT_IN_STATE, "base", at_bytes_of(""), 0, AT_PLAN_WRITE,
		"", &err));
	at_plan_keep(&plan, "mine\x1b[2J", "yours");
	return 0;
}

static int tear_down(void **state)
{
	at_plan_free(&plan);
	return 0;
}

/* STG-2: a file name cannot speak to the terminal. */
static void stg_2_lines_are_safe(void **state)
{
	struct at_buf out = { 0 };

	at_plan_print(&plan, &out);
	assert_non_null(strstr(at_buf_text(&out), "new      a/b  a tool\n"));
	assert_non_null(strstr(at_buf_text(&out), "new      (state) base\n"));
	assert_non_null(strstr(at_buf_text(&out), "kept     mine"));
	assert_null(strchr(at_buf_text(&out), '\x1b'));
	at_buf_free(&out);
}

static void json_rows(void **state)
{
	struct at_json_value *array = at_json_array();
	struct at_buf out = { 0 };

	at_plan_to_json(&plan, array);
	at_json_print(&out, array, AT_JSON_COMPACT);
	assert_string_equal(at_buf_text(&out),
		"[{\"path\":\"a/b\",\"place\":\"project\",\"kind\":\"new\",\"reason\":\"a tool\","
		"\"old\":null,\"size\":1,\"mode\":\"0755\",\"new\":"
		"\"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881\"},"
		"{\"path\":\"base\",\"place\":\"state\",\"kind\":\"new\",\"reason\":\"\","
		"\"old\":null,\"size\":0,\"mode\":\"0600\",\"new\":"
		"\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"},"
		"{\"path\":\"mine\\u001b[2J\",\"place\":\"project\",\"kind\":\"kept\","
		"\"reason\":\"yours\",\"old\":null}]");
	at_json_value_free(array);
	at_buf_free(&out);
}

int test_plan_report(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(stg_2_lines_are_safe),
		cmocka_unit_test(json_rows),
	};

	return cmocka_run_group_tests_name("plan_report", tests, set_up, tear_down);
}
