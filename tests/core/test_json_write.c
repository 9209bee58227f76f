#include "support/support.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/json_write.h"

static struct at_json_value *sample(void)
{
	struct at_json_value *root = at_json_object(), *list, *inner;

	at_json_add_text(root, "b", "x/y");
	list = at_json_add_array(root, "list");
	at_json_add_number(list, NULL, 1);
	at_json_add_null(list, NULL);
	inner = at_json_add_object(list, NULL);
	at_json_add_bool(inner, "z", true);
	at_json_add_bool(inner, "B", false);
	at_json_add_array(root, "none");
	at_json_add_object(root, "a");
	return root;
}

static void expect(const struct at_json_value *value, enum at_json_layout layout, const char *want)
{
	struct at_buf out = { 0 };

	at_json_print(&out, value, layout);
	assert_string_equal(at_buf_text(&out), want);
	at_buf_free(&out);
}

/* EMIT-1: sorted keys, two spaces: what json.dumps(indent=2[, sort_keys=True]) writes. */
static void emit_1_layouts_are_those_of_python(void **state)
{
	struct at_json_value *root = sample(), *empty = at_json_object();

	expect(root, AT_JSON_COMPACT,
		"{\"b\":\"x/y\",\"list\":[1,null,{\"z\":true,\"B\":false}],\"none\":[],\"a\":{}}");
	expect(root, AT_JSON_PRETTY,
		"{\n  \"b\": \"x/y\",\n  \"list\": [\n    1,\n    null,\n    {\n"
		"      \"z\": true,\n"
		"      \"B\": false\n    }\n  ],\n  \"none\": [],\n  \"a\": {}\n}\n");
	expect(root, AT_JSON_SORTED,
		"{\n  \"a\": {},\n  \"b\": \"x/y\",\n  \"list\": [\n    1,\n    null,\n    {\n"
		"      \"B\": false,\n      \"z\": true\n    }\n  ],\n  \"none\": []\n}\n");
	expect(empty, AT_JSON_PRETTY, "{}\n");
	at_json_value_free(root);
	at_json_value_free(empty);
}

static void keys_sort_by_code_point(void **state)
{
	struct at_json_value *root = at_json_object();
	static const char *const keys[] = { "\xf0\x9f\xa4\x96", "\xef\xbf\xbc", "ab", "a", "B", "",
		"\xc3\xa9", "z" };

	for (size_t i = 0; i < AT_LEN(keys); i++)
		at_json_add_number(root, keys[i], (long long)i);
	expect(root, AT_JSON_SORTED,
		"{\n  \"\": 5,\n  \"B\": 4,\n  \"a\": 3,\n  \"ab\": 2,\n  \"z\": 7,\n"
		"  \"\\u00e9\": 6,\n"
		"  \"\\ufffc\": 1,\n  \"\\ud83e\\udd16\": 0\n}\n");
	at_json_value_free(root);
}

static void numbers_keep_every_digit(void **state)
{
	struct at_json_value *root = at_json_array();

	at_json_add_number(root, NULL, LLONG_MAX);
	at_json_add_number(root, NULL, LLONG_MIN);
	at_json_add_number(root, NULL, 9007199254740993);
	expect(root, AT_JSON_COMPACT,
		"[9223372036854775807,-9223372036854775808,9007199254740993]");
	at_json_value_free(root);
}

static void texts_are_copied_and_end_at_nul(void **state)
{
	struct at_json_value *root = at_json_array();
	char text[] = "one";

	at_json_add_text(root, NULL, text);
	text[0] = 'X';
	at_json_add_text(root, NULL, NULL);
	at_json_add_bytes(root, NULL, (struct at_bytes){ "two\0three", 9 });
	at_json_add_bytes(root, NULL, (struct at_bytes){ "fourfive", 4 });
	at_json_add_bytes(root, NULL, (struct at_bytes){ NULL, 0 });
	expect(root, AT_JSON_COMPACT, "[\"one\",null,\"two\",\"four\",\"\"]");
	at_json_value_free(root);
}

/* Escapes as Python's; bytes that are no UTF-8 as its errors="replace". */
static void quotes_are_those_of_python(void **state)
{
	static const struct {
		struct at_bytes text;
		const char *want;
	} rows[] = {
		{ { "", 0 }, "\"\"" },
		{ { "a\"b\\c/d", 7 }, "\"a\\\"b\\\\c/d\"" },
		{ { "\n\r\t\b\f", 5 }, "\"\\n\\r\\t\\b\\f\"" },
		{ { "\0\x01\x1f\x7f", 4 }, "\"\\u0000\\u0001\\u001f\\u007f\"" },
		{ { "\xc3\xa9\xe2\x80\xa8\xef\xbb\xbf", 8 }, "\"\\u00e9\\u2028\\ufeff\"" },
		{ { "\xf0\x9f\xa4\x96\xf4\x8f\xbf\xbf", 8 }, "\"\\ud83e\\udd16\\udbff\\udfff\"" },
		{ { "a\xff"
		    "b",
			  3 },
			"\"a\\ufffdb\"" },
		{ { "\xc0\xaf", 2 }, "\"\\ufffd\\ufffd\"" },
		{ { "\xed\xa0\x80", 3 }, "\"\\ufffd\\ufffd\\ufffd\"" },
		{ { "\xf0\x9f\xa4", 3 }, "\"\\ufffd\"" }, /* one for what is cut short */
		{ { "\xf0\x9f\xa4z", 4 }, "\"\\ufffdz\"" },
		{ { "\xe2\x82\xe2\x82\xac", 5 }, "\"\\ufffd\\u20ac\"" },
		{ { "\xf4\x90\x80\x80", 4 }, "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_buf out = { 0 };

		at_json_quote(&out, rows[i].text);
		if (strcmp(at_buf_text(&out), rows[i].want) != 0)
			fail_msg("row %zu: %s", i, at_buf_text(&out));
		at_buf_free(&out);
	}
}

int test_json_write(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(emit_1_layouts_are_those_of_python),
		cmocka_unit_test(keys_sort_by_code_point),
		cmocka_unit_test(numbers_keep_every_digit),
		cmocka_unit_test(texts_are_copied_and_end_at_nul),
		cmocka_unit_test(quotes_are_those_of_python),
	};

	return cmocka_run_group_tests_name("json_write", tests, NULL, NULL);
}
