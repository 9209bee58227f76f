#include "support/support.h"

#include <string.h>

#include "core/json_write.h"
#include "core/request.h"

static struct at_arena *arena;

static int set_up(void **state)
{
	arena = at_arena_new();
	return 0;
}

static int tear_down(void **state)
{
	at_arena_free(arena);
	return 0;
}

static bool read_text(struct at_request *out, const char *brief, struct at_error *err)
{
	return at_request_read(out, at_bytes_of(brief), "My Dir", arena, err);
}

static struct at_request good(const char *brief)
{
	struct at_error err = { 0 };
	struct at_request request;

	if (!read_text(&request, brief, &err))
		fail_msg("%s: %s", brief, err.message);
	return request;
}

/* REQ-1: absent, null and "" are confined and defaulted; a named value is explicit. */
static void req_1_profile(void **state)
{
	static const struct {
		const char *brief;
		enum at_profile profile;
		bool is_explicit;
	} rows[] = {
		{ "{}", AT_CONFINED, false },
		{ "{\"privilege_profile\": null}", AT_CONFINED, false },
		{ "{\"privilege_profile\": \"\"}", AT_CONFINED, false },
		{ "{\"privilege_profile\": \"cooperative\"}", AT_COOPERATIVE, true },
		{ "{\"privilege_profile\": \"confined\"}", AT_CONFINED, true },
		{ "{\"privilege_profile\": \"exclusive\"}", AT_EXCLUSIVE, true },
		{ "{\"privilege_profile\": \"\\u0063onfined\"}", AT_CONFINED, true },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_request r = good(rows[i].brief);

		assert_row(i, r.profile == rows[i].profile);
		assert_row(i, r.profile_is_explicit == rows[i].is_explicit);
	}
}

/* REQ-2: everything else is an error that names the three and the place. */
static void req_2_profile_errors(void **state)
{
	static const char *const values[] = { "\"confind\"", "\"Confined\"", "\" confined\"",
		"\"confined \"", "\"confined\\u0000\"", "\"none\"", "true", "false", "0", "1", "[]", "{}",
		"[\"confined\"]", "\"null\"", "\"cooperative,exclusive\"" };

	for (size_t i = 0; i < AT_LEN(values); i++) {
		struct at_buf brief = { 0 };
		struct at_error err = { 0 };
		struct at_request r;

		at_buf_printf(&brief, "{\n  \"privilege_profile\": %s}", values[i]);
		assert_row(i, !read_text(&r, at_buf_text(&brief), &err));
		assert_row(i, err.code == AT_EINVALID && err.line == 2 && err.column == 24);
		assert_row(i, strstr(err.message, "`cooperative`, `confined`, `exclusive`"));
		at_buf_free(&brief);
	}
}

/* REQ-3 to REQ-8: types are strict, nothing is guessed. */
static void req_14_strict_types(void **state)
{
	static const struct {
		const char *member, *says;
	} rows[] = {
		{ "\"workspace_write_roots\": \"src\"", "an array of strings, not a string" },
		{ "\"workspace_write_roots\": [\"src\", 1]", "alone, not a number" },
		{ "\"workspace_write_roots\": [null]", "alone, not null" },
		{ "\"workspace_write_roots\": null", "not null" },
		{ "\"workspace_write_roots\": {\"0\": \"src\"}", "not an object" },
		{ "\"workspace_write_roots\": [\"src\\u0000/../.ssh\"]", "NUL" },
		{ "\"coordination_write_roots\": \"x\"", "not a string" },
		{ "\"protected_read_paths\": \"~/x\"", "not a string" },
		{ "\"protected_read_paths\": [\"~/x\\n~/y\"]", "a single line" },
		{ "\"enforce_decision_signing\": \"false\"", "true or false, not a string" },
		{ "\"enforce_decision_signing\": null", "not null" },
		{ "\"enforce_decision_signing\": 0", "not a number" },
		/* REQ-7: only JSON true turns it on. */
		{ "\"protect_prompt_roots\": \"true\"", "not a string" },
		{ "\"protect_prompt_roots\": 1", "not a number" },
		{ "\"resolve_deny_read_abspath\": [true]", "not an array" },
		{ "\"is_management_repo\": \"yes\"", "not a string" },
		{ "\"project_name\": 7", "a string, not a number" },
		{ "\"project_name\": \"a\\nb\"", "a single line" },
		{ "\"team_id\": \"Bad Id!\"", "lower-case" },
		{ "\"team_id\": \"\"", "lower-case" },
		{ "\"team_id\": \"-a\"", "lower-case" },
		{ "\"team_id\": \"a\\u0000b\"", "NUL" },
		{ "\"team_id\": null", "not null" },
		{ "\"write_policy\": \"none\"", "`orchestrator-only`" },
		{ "\"write_policy\": true", "a string, not true" },
		{ "\"write_policy_frameworks\": [\"copilot-cli\"]", "`claude`, `goose` or `codex`" },
		{ "\"authorized_managers\": [\"\"]", "not empty" },
		{ "\"authorized_managers\": [\"# hub\"]", "does not start with `#`" },
		{ "\"authorized_managers\": [\"hub\\nevil\"]", "a single line" },
		{ "\"authorized_managers\": [\" hub\"]", "blank" },
		{ "\"authorized_managers\": \"hub\"", "not a string" },
		{ "\"goose_egress_proxy\": \"*\"", "`localhost`" },
		{ "\"goose_egress_proxy\": \"127.0.0.1:8443\"", "`localhost`" },
		{ "\"goose_egress_proxy\": \"localhost:0\"", "`localhost`" },
		{ "\"goose_egress_proxy\": \"localhost:70000\"", "`localhost`" },
		{ "\"goose_egress_proxy\": \"localhost:80 \"", "`localhost`" },
		{ "\"goose_egress_proxy\": \"localhost:\"", "`localhost`" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_buf brief = { 0 };
		struct at_error err = { 0 };
		struct at_request r;

		at_buf_printf(&brief, "{\n%s}", rows[i].member);
		assert_row(i, !read_text(&r, at_buf_text(&brief), &err));
		assert_row(i, err.code == AT_EINVALID && err.line == 2 && err.column > 10);
		if (!strstr(err.message, rows[i].says))
			fail_msg("row %zu: %s", i, err.message);
		at_buf_free(&brief);
	}
}

/* REQ-14: an operator's authority never comes from a file. */
static void req_14_authority_keys(void **state)
{
	static const char *const keys[] = { "accept_write_root", "accept_write_roots", "_accepted",
		"_", "_write_root_provenance", "accept_write_root\\u0073", "\\u005fx" };

	for (size_t i = 0; i < AT_LEN(keys); i++) {
		struct at_buf brief = { 0 };
		struct at_error err = { 0 };
		struct at_request r;

		at_buf_printf(&brief, "{\"team_id\": \"a\",\n \"%s\": []}", keys[i]);
		assert_row(i, !read_text(&r, at_buf_text(&brief), &err));
		assert_row(i, err.code == AT_EREFUSED && err.line == 2 && err.column == 2);
		assert_row(i, strstr(err.hint, "--accept-write-root"));
		at_buf_free(&brief);
	}
}

/* REQ-12: strict JSON, with line and column; unknown keys are listed, never an error. */
static void req_12_strict_json(void **state)
{
	static const struct {
		const char *brief, *id;
	} rows[] = {
		{ "", "json-empty" },
		{ "{\"team_id\": \"a\",\n\"team_id\": \"b\"}", "json-duplicate-key" },
		{ "\xef\xbb\xbf{}", "json-bom" },
		{ "{} x", "json-trailing-text" },
		{ "{\"a\": 1,}", "json-trailing-comma" },
		{ "{\"a\": \"\xff\"}", "json-utf8" },
		{ "// brief\n{}", "json-comment" },
		{ "[]", "brief-type" },
		{ "\"confined\"", "brief-type" },
		{ "null", "brief-type" },
	};
	struct at_buf deep = { 0 };
	struct at_error err = { 0 };
	struct at_request r;

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		memset(&err, 0, sizeof(err));
		assert_row(i, !read_text(&r, rows[i].brief, &err));
		if (strcmp(err.id, rows[i].id) != 0)
			fail_msg("row %zu: %s: %s", i, err.id, err.message);
		assert_row(i, err.line >= 1 && err.column >= 1);
	}
	at_buf_puts(&deep, "{\"x\": ");
	at_buf_pad(&deep, '[', 64);
	at_buf_pad(&deep, ']', 64);
	at_buf_putc(&deep, '}');
	assert_false(read_text(&r, at_buf_text(&deep), &err));
	assert_string_equal(err.id, "json-depth");
	at_buf_free(&deep);
	at_buf_puts(&deep, "{\"x\": \"");
	at_buf_pad(&deep, 'x', 4 << 20);
	at_buf_puts(&deep, "\"}");
	assert_false(read_text(&r, at_buf_text(&deep), &err));
	assert_string_equal(err.id, "json-size");
	at_buf_free(&deep);
}

static void req_12_unknown_keys_are_listed(void **state)
{
	struct at_request r = good("{\"zeta\": 1, \"team_id\": \"t\", \"Team_id\": 2, \"tools\": 3,"
				   "\"accept\": [], \"a_\": null, \"confined_programs\": {}}");
	static const char *const want[] = { "zeta", "Team_id", "accept", "a_", "confined_programs" };

	assert_int_equal(r.unknown_keys.count, AT_LEN(want));
	for (size_t i = 0; i < AT_LEN(want); i++)
		assert_row(i, strcmp(r.unknown_keys.items[i], want[i]) == 0);
	assert_string_equal(r.team_id, "t");
}

/* A key that only begins like one of ours is not it. */
static void a_nul_ends_no_key(void **state)
{
	struct at_request r = good("{\"team_id\\u0000x\": \"z\"}");

	assert_false(r.team_id_is_given);
	assert_int_equal(r.unknown_keys.count, 1);
}

static void defaults_and_values(void **state)
{
	struct at_request d, r = good("{}");

	at_request_default(&d, "My Dir", arena);
	assert_string_equal(r.team_id, d.team_id);
	assert_string_equal(r.team_id, "my-dir");
	assert_false(r.team_id_is_given);
	assert_string_equal(r.project_name, "");
	assert_int_equal(r.write_roots.count, 1);
	assert_string_equal(r.write_roots.items[0], ".");
	assert_false(r.write_roots_are_given);
	assert_true(r.enforce_decision_signing && d.enforce_decision_signing);
	assert_false(r.resolve_deny_read_abspath || r.protect_prompt_roots || r.is_management_repo);
	assert_string_equal(r.write_policy, "");
	assert_string_equal(r.goose_egress_proxy, "");
	assert_int_equal(r.unknown_keys.count + r.protected_read_paths.count, 0);

	r = good("{\"workspace_write_roots\": []}");
	assert_string_equal(r.write_roots.items[0], ".");
	assert_false(r.write_roots_are_given);

	r = good("{\"project_name\": \"Demo Project!\", \"workspace_write_roots\": [\"./src\", \"../x\"],"
		 "\"coordination_write_roots\": [\"../hub\"],"
		 "\"protected_read_paths\": [\"~/a\", \"\", \"/b\", \"~/a\"],"
		 "\"resolve_deny_read_abspath\": true, \"protect_prompt_roots\": true,"
		 "\"enforce_decision_signing\": false, \"write_policy\": \"orchestrator-only\","
		 "\"write_policy_frameworks\": [\"claude\"], \"authorized_managers\": [\"hub-a\"],"
		 "\"is_management_repo\": true, \"goose_egress_proxy\": \"localhost:8443\"}");
	assert_string_equal(r.team_id, "demo-project");
	assert_true(r.write_roots_are_given);
	assert_string_equal(r.write_roots.items[0], "./src"); /* as spelled */
	assert_string_equal(r.coordination_write_roots.items[0], "../hub");
	assert_int_equal(r.protected_read_paths.count, 2); /* REQ-5 */
	assert_string_equal(r.protected_read_paths.items[1], "/b");
	assert_true(r.resolve_deny_read_abspath && r.protect_prompt_roots && r.is_management_repo);
	assert_false(r.enforce_decision_signing);
	assert_string_equal(r.write_policy, "orchestrator-only");
	assert_string_equal(r.write_policy_frameworks.items[0], "claude");
	assert_string_equal(r.authorized_managers.items[0], "hub-a");
	assert_string_equal(r.goose_egress_proxy, "localhost:8443");
}

/* REQ-13: the team id, given or made from the name. */
static void req_13_slug(void **state)
{
	static const struct {
		const char *name, *want;
	} rows[] = {
		{ "Demo Project!", "demo-project" }, { "demo", "demo" },     { "", "team" },
		{ "!!!", "team" },		     { "--x--", "x--" },     { "  A  B ", "a-b" },
		{ "my_dir.v2", "mydirv2" },	     { "\xc3\xa9t\xc3\xa9 9", "t-9" },
		{ "a\nb", "a-b" },		     { "-", "team" },	     { "9", "9" },
	};
	const struct at_field *field = at_request_field("team_id");

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const char *slug = at_request_slug(rows[i].name, arena);

		if (strcmp(slug, rows[i].want) != 0)
			fail_msg("row %zu: %s", i, slug);
		assert_row(i, field->rule->holds(slug));
	}
}

/* A list long enough to make comparing it slow is refused at once. */
static void lists_are_capped(void **state)
{
	struct at_buf brief = { 0 };
	struct at_error err = { 0 };
	struct at_request r;

	at_buf_puts(&brief, "{\"protected_read_paths\": [\"x\"");
	for (int i = 0; i < AT_REQUEST_LIST_MAX; i++)
		at_buf_printf(&brief, ",\"%d\"", i);
	at_buf_puts(&brief, "]}");
	assert_false(read_text(&r, at_buf_text(&brief), &err));
	assert_int_equal(err.code, AT_ELIMIT);
	at_buf_free(&brief);
}

/* REQ-14: each row of the table is whole, and what the parser takes is in the schema. */
static void req_14_table_and_schema(void **state)
{
	struct at_json_value *value = at_json_object();
	struct at_buf text = { 0 };
	struct at_error err = { 0 };
	struct at_json doc;
	uint32_t properties;

	at_request_schema(value);
	at_json_print(&text, value, AT_JSON_PRETTY);
	at_json_value_free(value);
	assert_true(at_json_read(&doc, at_buf_bytes(&text), &at_json_settings_limits, 0, &err));
	properties = at_json_at(&doc, "properties");
	assert_int_equal(doc.nodes[properties].count, at_request_field_count);
	for (size_t i = 0; i < at_request_field_count; i++) {
		const struct at_field *f = &at_request_fields[i];
		uint32_t one = at_json_member(&doc, properties, f->name);

		assert_row(i, f->name && f->fallback && *f->help && *f->reader && *f->seed);
		assert_row(i, at_request_field(f->name) == f);
		assert_row(i, !at_request_key_ban(f->name));
		assert_row(i, at_json_string_is(&doc, at_json_member(&doc, one, "description"), f->help));
		assert_row(i, (f->type == AT_FIELD_ANY || f->type == AT_FIELD_PROFILE) ==
			(at_json_member(&doc, one, "type") == AT_JSON_NONE));
		assert_row(i, (strcmp(f->fallback, "null") == 0) ==
			(at_json_member(&doc, one, "default") == AT_JSON_NONE));
	}
	assert_true(at_json_string_is(&doc,
		at_json_at(&doc, "properties.privilege_profile.default"), "confined"));
	assert_int_equal(doc.nodes[at_json_at(&doc, "properties.privilege_profile.enum")].count, 5);
	assert_true(at_json_is(&doc, at_json_at(&doc, "additionalProperties"), AT_JSON_TRUE));
	assert_true(at_json_string_is(&doc, at_json_at(&doc, "propertyNames.not.pattern"),
		AT_REQUEST_BANNED_KEYS));
	at_json_free(&doc);
	at_buf_free(&text);
}

/* The defaults that the table shows are those the parser sets. */
static void req_14_shown_defaults_are_true(void **state)
{
	struct at_request bare = good("{}");

	for (size_t i = 0; i < at_request_field_count; i++) {
		const struct at_field *f = &at_request_fields[i];
		const char *at = (const char *)&bare + f->offset;
		struct at_buf brief = { 0 };
		struct at_request given;

		if (f->type == AT_FIELD_ANY || strcmp(f->fallback, "null") == 0)
			continue;
		at_buf_printf(&brief, "{\"%s\": %s}", f->name, f->fallback);
		given = good(at_buf_text(&brief));
		at_buf_free(&brief);
		if (f->type == AT_FIELD_BOOL)
			assert_row(i, *(const bool *)at == *((const bool *)((const char *)&given + f->offset)));
		if (f->type == AT_FIELD_TEXT)
			assert_row(i, strcmp(*(const char *const *)at,
				*(const char *const *)((const char *)&given + f->offset)) == 0);
		if (f->type == AT_FIELD_TEXTS)
			assert_row(i, ((const struct at_texts *)at)->count ==
				((const struct at_texts *)((const char *)&given + f->offset))->count);
		if (f->type == AT_FIELD_PROFILE)
			assert_row(i, given.profile == bare.profile);
	}
}

/* Any prefix and any one changed byte of a good brief is read or refused, never worse. */
static void hostile_bytes(void **state)
{
	static const char brief[] = "{\"privilege_profile\": \"exclusive\", \"team_id\": \"a-1\", "
		"\"workspace_write_roots\": [\".\", \"\\u00e9\"], \"protect_prompt_roots\": true}";
	char copy[sizeof(brief)];
	struct at_request r;

	for (size_t i = 0; i < sizeof(brief); i++) {
		struct at_error err = { 0 };

		if (!at_request_read(&r, (struct at_bytes){ brief, i }, "x", arena, &err))
			assert_row(i, err.code != AT_OK && *err.message);
		for (int c = 0; c < 256 && i + 1 < sizeof(brief); c += 5) {
			memcpy(copy, brief, sizeof(brief));
			copy[i] = (char)c;
			memset(&err, 0, sizeof(err));
			if (!at_request_read(&r, (struct at_bytes){ copy, sizeof(brief) - 1 }, "x",
					arena, &err))
				assert_row(i, err.code != AT_OK && *err.message);
		}
	}
}

int test_request(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(req_1_profile),
		cmocka_unit_test(req_2_profile_errors),
		cmocka_unit_test(req_14_strict_types),
		cmocka_unit_test(req_14_authority_keys),
		cmocka_unit_test(req_12_strict_json),
		cmocka_unit_test(req_12_unknown_keys_are_listed),
		cmocka_unit_test(a_nul_ends_no_key),
		cmocka_unit_test(defaults_and_values),
		cmocka_unit_test(req_13_slug),
		cmocka_unit_test(lists_are_capped),
		cmocka_unit_test(req_14_table_and_schema),
		cmocka_unit_test(req_14_shown_defaults_are_true),
		cmocka_unit_test(hostile_bytes),
	};

	return cmocka_run_group_tests_name("request", tests, set_up, tear_down);
}
