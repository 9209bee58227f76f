#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "core/brief_edit.h"

/* One change: a field and words as an operator gives them; no words take the field out. */
struct row {
	const char *old, *field, *words, *want;
};

static bool change(struct at_buf *out, const char *old, const char *name, const char *words,
	struct at_error *err)
{
	const struct at_field *field = at_request_field(name);
	struct at_buf value = { 0 };
	bool ok;

	assert_non_null(field);
	if (!words)
		return at_brief_unset(out, at_bytes_of(old), field, err);
	ok = at_brief_value(&value, field, words, err)
		&& at_brief_set(out, at_bytes_of(old), field, at_buf_bytes(&value), err);
	at_buf_free(&value);
	return ok;
}

static void expect_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct at_error err = { 0 };
		struct at_buf out = { 0 };

		if (!change(&out, rows[i].old, rows[i].field, rows[i].words, &err))
			fail_msg("row %zu: %s", i, err.message);
		if (strcmp(at_buf_text(&out), rows[i].want) != 0)
			fail_msg("row %zu:\n%s\nexpected\n%s", i, at_buf_text(&out), rows[i].want);
		at_buf_free(&out);
	}
}

/* REQ-12: a missing brief is made, small and laid out. */
static void req_12_a_missing_brief_is_made(void **state)
{
	static const struct row rows[] = {
		{ "", "privilege_profile", "confined", "{\n  \"privilege_profile\": \"confined\"\n}\n" },
		{ "", "workspace_write_roots", "[\"src\",\"docs\"]",
			"{\n  \"workspace_write_roots\": [\n    \"src\",\n    \"docs\"\n  ]\n}\n" },
		{ "", "protect_prompt_roots", "true", "{\n  \"protect_prompt_roots\": true\n}\n" },
		{ "", "team_id", NULL, "" },
		{ "{\n  \"privilege_profile\": \"confined\"\n}\n", "team_id", "shop",
			"{\n  \"privilege_profile\": \"confined\",\n  \"team_id\": \"shop\"\n}\n" },
	};

	expect_rows(rows, AT_LEN(rows));
}

/* REQ-12: what is not the field keeps its bytes: line ends, tabs, odd layouts, no last newline,
 * escapes, numbers as spelled, keys that nobody knows. */
static void req_12_foreign_bytes_stay(void **state)
{
	static const struct row rows[] = {
		{ "{\r\n\t\"x\": 1e0,\r\n\t\"privilege_profile\": \"confined\"\r\n}", "privilege_profile",
			"exclusive", "{\r\n\t\"x\": 1e0,\r\n\t\"privilege_profile\": \"exclusive\"\r\n}" },
		{ "{\r\n\t\"x\": 1e0\r\n}", "team_id", "a",
			"{\r\n\t\"x\": 1e0,\r\n\t\"team_id\": \"a\"\r\n}" },
		{ "{\t\"x\" :{ } , \"team_id\"\t: \"a\" }", "team_id", "b",
			"{\t\"x\" :{ } , \"team_id\"\t: \"b\" }" },
		{ "{\"x\":\"\\u00e9\\/\",\"team_id\":\"a\",\"y\":[ 1,2 ]}", "team_id", NULL,
			"{\"x\":\"\\u00e9\\/\",\"y\":[ 1,2 ]}" },
		{ "{\n    \"team_id\": \"a\"\n}\n\n\n", "team_id", NULL, "{}\n\n\n" },
		{ "{\n  \"mcp_grants\": {\"a\": [ ]},\n\n  \"team_id\": \"a\"\n}\n", "team_id", "a-1",
			"{\n  \"mcp_grants\": {\"a\": [ ]},\n\n  \"team_id\": \"a-1\"\n}\n" },
		/* the value that is there already, however it is spelled */
		{ "{ \"privilege_profile\" : \"\\u0063onfined\" }", "privilege_profile", "confined",
			"{ \"privilege_profile\" : \"\\u0063onfined\" }" },
		{ "{\"workspace_write_roots\": [ \"a\",\n\"\\u0062\" ]}", "workspace_write_roots",
			"[\"a\",\"b\"]", "{\"workspace_write_roots\": [ \"a\",\n\"\\u0062\" ]}" },
		{ "{\"te\\u0061m_id\": \"a\"}", "team_id", "b", "{\"te\\u0061m_id\": \"b\"}" },
		{ "{\"team_id\\u0000\": \"kept\"}", "team_id", "b",
			"{\"team_id\\u0000\": \"kept\", \"team_id\": \"b\"}" },
	};

	expect_rows(rows, AT_LEN(rows));
}

/* REQ-3, REQ-5: lists are changed element by element. */
static void req_3_lists_by_element(void **state)
{
#define LIST(items) "{\n\t\"workspace_write_roots\": [\n" items "\t]\n}\n"
	static const struct row rows[] = {
		{ LIST("\t\t\"src\",\n\t\t\"d\\u006fcs\"\n"), "workspace_write_roots",
			"[\"src\",\"docs\",\"out\"]",
			LIST("\t\t\"src\",\n\t\t\"d\\u006fcs\",\n\t\t\"out\"\n") },
		{ LIST("\t\t\"src\",\n\n\t\t\"docs\",\n\t\t\"out\"\n"), "workspace_write_roots",
			"[\"src\",\"out\"]", LIST("\t\t\"src\",\n\n\t\t\"out\"\n") },
		{ LIST("\t\t\"src\",\n\t\t\"docs\"\n"), "workspace_write_roots", "[\"lib\",\"docs\"]",
			LIST("\t\t\"lib\",\n\t\t\"docs\"\n") },
		{ LIST("\t\t\"src\",\n\t\t\"src\"\n"), "workspace_write_roots", "src",
			LIST("\t\t\"src\"\n") },
		{ LIST("\t\t\"src\"\n"), "workspace_write_roots", "[]",
			"{\n\t\"workspace_write_roots\": []\n}\n" },
		{ "{\"workspace_write_roots\":[]}", "workspace_write_roots", "[\"a\"]",
			"{\"workspace_write_roots\":[\"a\"]}" },
		{ "{\"workspace_write_roots\": \"src\"}", "workspace_write_roots", "src",
			"{\"workspace_write_roots\": [\"src\"]}" },
		{ "{\"workspace_write_roots\": [1, \"src\"]}", "workspace_write_roots", "src",
			"{\"workspace_write_roots\": [\"src\"]}" },
		{ "{}", "protected_read_paths", "caf\xc3\xa9 \"x\"",
			"{\n  \"protected_read_paths\": [\n    \"caf\xc3\xa9 \\\"x\\\"\"\n  ]\n}" },
	};
#undef LIST

	expect_rows(rows, AT_LEN(rows));
}

/* REQ-12: putting in and taking out again gives the old bytes. */
static void req_12_round_trips(void **state)
{
	static const char *const briefs[] = {
		"{}", "{}\n", "{ }", "{\r\n\t\"x\": [1,\r\n2]\r\n}\r\n", "{\"x\":1}", "{ \"x\" : 1 }",
		"{\n  \"x\": 1\n}", "{\n\t\"x\": {\n\t\t\"y\": []\n\t}\n}\n",
		"{\"privilege_profile\": \"confined\",\n \"x\": \"\xe2\x80\xae\"}\n",
	};
	static const struct {
		const char *field, *words;
	} values[] = {
		{ "team_id", "a" }, { "protect_prompt_roots", "true" },
		{ "protected_read_paths", "[\"~/a\",\"~/b\"]" }, { "mcp_grants", "{\"a\":{\"b\":[1]}}" },
	};

	for (size_t i = 0; i < AT_LEN(briefs); i++) {
		for (size_t k = 0; k < AT_LEN(values); k++) {
			struct at_buf with = { 0 }, without = { 0 };
			struct at_error err = { 0 };

			assert_row(i, change(&with, briefs[i], values[k].field, values[k].words, &err));
			assert_row(i, strcmp(at_buf_text(&with), briefs[i]) != 0);
			assert_row(i, change(&without, at_buf_text(&with), values[k].field, NULL, &err));
			assert_row(i, strcmp(at_buf_text(&without), briefs[i]) == 0);
			at_buf_free(&with);
			at_buf_free(&without);
		}
	}
}

/* REQ-2, REQ-14: what a field may not hold is refused, naming the field; nothing comes out. */
static void req_14_refusals_name_the_field(void **state)
{
	static const struct {
		const char *old, *field, *words, *says;
		bool has_field;
	} rows[] = {
		{ "{}", "privilege_profile", "exclusiv", "`cooperative`, `confined`, `exclusive`", true },
		{ "{}", "privilege_profile", "Confined", "must be one of", true },
		{ "{}", "team_id", "Shop", "lower-case letters", true },
		{ "{}", "team_id", "\"a\\u0000b\"", "NUL", true },
		{ "{}", "protect_prompt_roots", "yes", "true or false, not a string", true },
		{ "{}", "protect_prompt_roots", "1", "true or false, not a number", true },
		{ "{}", "workspace_write_roots", "[1]", "strings alone", true },
		{ "{}", "protected_read_paths", "a\nb", "single line", true },
		{ "{}", "goose_egress_proxy", "example.org:80", "localhost", true },
		{ "{}", "write_policy", "everybody", "orchestrator-only", true },
		{ "{}", "authorized_managers", "# none", "single line", true },
		{ "{}", "mcp_grants", "{\"a\":1,\"a\":2}", "twice", true },
		{ "{}", "project_name", "\xff", "not UTF-8", true },
		{ "{\"team_id\": \"a\", \"team_id\": \"b\"}", "team_id", "c", "twice", false },
		{ "{\"x\": 1, \"x\": 2}", "team_id", "c", "twice", false },
		{ "[]", "team_id", "c", "JSON object", false },
		{ "{\"x\": 1,}", "team_id", "c", "comma", false },
		{ "{} x", "team_id", NULL, "", false },
		{ "\xef\xbb\xbf{}", "team_id", "c", "", false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_buf out = { 0 };
		struct at_error err = { 0 };

		at_buf_puts(&out, "before");
		assert_row(i, !change(&out, rows[i].old, rows[i].field, rows[i].words, &err));
		if (!strstr(err.message, rows[i].says))
			fail_msg("row %zu: %s", i, err.message);
		assert_row(i, strcmp(err.field, rows[i].has_field ? rows[i].field : "") == 0);
		assert_row(i, !rows[i].has_field || err.line == 0);
		assert_string_equal(at_buf_text(&out), "before");
		at_buf_free(&out);
	}
}

/* REQ-14: a brief with two faults is mended field by field. */
static void req_14_faults_elsewhere_do_not_block(void **state)
{
	static const struct row rows[] = {
		{ "{\"privilege_profile\": 7, \"team_id\": \"A\"}", "team_id", "a",
			"{\"privilege_profile\": 7, \"team_id\": \"a\"}" },
		{ "{\"privilege_profile\": 7, \"team_id\": \"a\"}", "privilege_profile", NULL,
			"{\"team_id\": \"a\"}" },
		{ "{\"_x\": 1}", "team_id", "a", "{\"_x\": 1, \"team_id\": \"a\"}" },
	};

	expect_rows(rows, AT_LEN(rows));
}

/* REQ-14: a reader's error tells its field too, with its place. */
static void req_14_reader_names_the_field(void **state)
{
	struct at_arena *arena = at_arena_new();
	struct at_request request;
	struct at_error err = { 0 };

	assert_false(at_request_read(&request, at_bytes_of("{\n\"x\": 1, \"team_id\": \"A\"}"), "d",
		arena, &err));
	assert_string_equal(err.field, "team_id");
	assert_int_equal(err.line, 2);
	assert_false(at_request_read(&request, at_bytes_of("{\"_x\": 1}"), "d", arena, &err));
	assert_string_equal(err.field, "");
	at_arena_free(arena);
}

/* REQ-12: at most 4 MiB come out. */
static void req_12_size_limit(void **state)
{
	size_t len = ((size_t)4 << 20) - 40;
	char *words = at_alloc(len + 1);
	struct at_error err = { 0 };
	struct at_buf out = { 0 };

	memset(words, 'x', len);
	assert_true(change(&out, "{}", "project_name", words, &err));
	out.len = 0;
	assert_false(change(&out, "{\"a\": \"and so on and so forth\"}", "project_name", words, &err));
	assert_int_equal(err.code, AT_ELIMIT);
	assert_int_equal(out.len, 0);
	at_buf_free(&out);
	free(words);
}

int test_brief_edit(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(req_12_a_missing_brief_is_made),
		cmocka_unit_test(req_12_foreign_bytes_stay),
		cmocka_unit_test(req_3_lists_by_element),
		cmocka_unit_test(req_12_round_trips),
		cmocka_unit_test(req_14_refusals_name_the_field),
		cmocka_unit_test(req_14_faults_elsewhere_do_not_block),
		cmocka_unit_test(req_14_reader_names_the_field),
		cmocka_unit_test(req_12_size_limit),
	};

	return cmocka_run_group_tests_name("brief_edit", tests, NULL, NULL);
}
