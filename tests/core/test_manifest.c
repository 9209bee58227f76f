#include "support/support.h"

#include <string.h>

#include "core/decide.h"
#include "core/json_read.h"
#include "core/json_write.h"

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

static struct at_manifest manifest_of(const char *brief, enum at_framework_id framework,
	enum at_platform platform, bool is_allowed)
{
	struct at_request *request = at_arena_alloc(arena, sizeof(*request));
	struct at_decide_options options = { framework, platform, "goose:mcp", is_allowed, false };
	struct at_manifest m = { 0 };
	struct at_error err = { 0 };

	if (!at_request_read(request, at_bytes_of(brief), "demo", arena, &err) ||
		!at_decide(&m, request, &options, arena, &err))
		fail_msg("%s", err.message);
	return m;
}

static struct at_buf json_of(void (*fill)(struct at_json_value *, const void *), const void *what)
{
	struct at_json_value *value = at_json_object();
	struct at_buf text = { 0 };

	fill(value, what);
	at_json_print(&text, value, AT_JSON_PRETTY);
	at_json_value_free(value);
	return text;
}

static void fill_manifest(struct at_json_value *value, const void *what)
{
	at_manifest_to_json(what, value);
}

static void fill_schema(struct at_json_value *value, const void *what)
{
	(void)what;
	at_manifest_schema(value);
}

static const char full[] = "{\"privilege_profile\": \"exclusive\", \"workspace_write_roots\": "
	"[\"src\"], \"coordination_write_roots\": [\"../hub\"], \"protected_read_paths\": [\"~/x\"], "
	"\"odd\": 1, \"write_policy\": \"orchestrator-only\"}";

/* REQ-11: everything later stages read is there. */
static void req_11_json(void **state)
{
	struct at_manifest m = manifest_of(full, AT_GOOSE, AT_LINUX, false);
	struct at_buf text;
	struct at_json doc;

	m.roots[1].external = true;
	text = json_of(fill_manifest, &m);
	assert_true(at_json_read(&doc, at_buf_bytes(&text), &at_json_settings_limits, 0, NULL));
	assert_true(at_json_string_is(&doc, at_json_at(&doc, "framework"), "goose"));
	assert_true(at_json_string_is(&doc, at_json_at(&doc, "platform"), "linux"));
	assert_true(at_json_string_is(&doc, at_json_at(&doc, "privilege_profile"), "exclusive"));
	assert_true(at_json_is(&doc, at_json_at(&doc, "privilege_profile_explicit"), AT_JSON_TRUE));
	assert_true(at_json_is(&doc, at_json_at(&doc, "gate_fails_closed"), AT_JSON_TRUE));
	assert_true(at_json_is(&doc, at_json_at(&doc, "confinement_requested"), AT_JSON_TRUE));
	assert_true(at_json_is(&doc, at_json_at(&doc, "boundary_emitted"), AT_JSON_TRUE));
	assert_true(at_json_string_is(&doc, at_json_at(&doc, "team_id"), "demo"));
	assert_true(at_json_string_is(&doc, at_json_at(&doc, "write_policy"), "orchestrator-only"));
	assert_int_equal(doc.nodes[at_json_at(&doc, "advisories")].count, 2);
	assert_int_equal(doc.nodes[at_json_at(&doc, "resource_caps")].count, 3);
	assert_int_equal(doc.nodes[at_json_at(&doc, "host_features")].count, 2);
	assert_int_equal(doc.nodes[at_json_at(&doc, "unknown_keys")].count, 1);
	assert_true(doc.nodes[at_json_at(&doc, "notes")].count >= 1);
	assert_non_null(strstr(at_buf_text(&text), "\"source\": \"brief workspace_write_roots\""));
	assert_non_null(
		strstr(at_buf_text(&text), "\"source\": \"brief coordination_write_roots (unsigned)\""));
	assert_non_null(strstr(at_buf_text(&text), "\"external\": true"));
	at_json_free(&doc);
	at_buf_free(&text);
}

/* REQ-11: what the operator accepted changes nothing of what is printed. */
static void req_11_transient_values_never_print(void **state)
{
	struct at_manifest m = manifest_of(full, AT_CLAUDE, AT_LINUX, false);
	struct at_buf before = json_of(fill_manifest, &m), after;

	for (size_t i = 0; i < m.root_count; i++)
		m.roots[i].accepted = true;
	after = json_of(fill_manifest, &m);
	assert_string_equal(at_buf_text(&before), at_buf_text(&after));
	assert_null(strstr(at_buf_text(&after), "accepted"));
	at_buf_free(&before);
	at_buf_free(&after);
}

/* REQ-14: schema and manifest name the same keys, in items as well, and the same types. */
static void req_14_schema_fits(void **state)
{
	struct at_manifest m = manifest_of(full, AT_CODEX, AT_WINDOWS, true);
	struct at_buf text = json_of(fill_manifest, &m), schema_text = json_of(fill_schema, NULL);
	struct at_json doc, schema;
	uint32_t properties;

	assert_true(at_json_read(&doc, at_buf_bytes(&text), &at_json_settings_limits, 0, NULL));
	assert_true(
		at_json_read(&schema, at_buf_bytes(&schema_text), &at_json_settings_limits, 0, NULL));
	properties = at_json_at(&schema, "properties");
	assert_int_equal(doc.nodes[AT_JSON_ROOT].count, schema.nodes[properties].count);
	assert_int_equal(schema.nodes[at_json_at(&schema, "required")].count,
		schema.nodes[properties].count);
	at_json_each(&doc, i, AT_JSON_ROOT) {
		struct at_bytes key = at_json_key(&doc, i, arena);
		uint32_t one = at_json_member(&schema, properties, key.data);
		uint32_t type = at_json_member(&schema, one, "type");
		uint32_t wanted = at_json_member(&schema, at_json_member(&schema, one, "items"),
			"properties");
		static const char *const types[] = { "null", "boolean", "boolean", "number", "string",
			"array", "object" };

		if (!at_json_string_is(&schema, type, types[doc.nodes[i].kind]))
			fail_msg("%s", key.data);
		if (!at_json_is(&doc, i, AT_JSON_ARRAY) || wanted == AT_JSON_NONE)
			continue;
		at_json_each(&doc, item, i) {
			assert_int_equal(doc.nodes[item].count, schema.nodes[wanted].count);
			at_json_each(&doc, k, item)
				if (at_json_member(&schema, wanted,
					    at_json_key(&doc, k, arena).data) == AT_JSON_NONE)
					fail_msg("%s", key.data);
		}
	}
	at_json_free(&doc);
	at_json_free(&schema);
	at_buf_free(&text);
	at_buf_free(&schema_text);
}

/* DEC-2, DEC-7, WIRE-1: the override stays in the record, and the plain report says so. */
static void plain_report(void **state)
{
	static const struct {
		const char *brief;
		enum at_framework_id framework;
		enum at_platform platform;
		bool is_allowed;
		const char *says;
	} rows[] = {
		{ "{}", AT_CLAUDE, AT_LINUX, false, "nothing is in force until it is wired" },
		{ "{}", AT_CLAUDE, AT_LINUX, false, "confined (default)" },
		{ full, AT_CLAUDE, AT_LINUX, false, "exclusive (named by the brief)" },
		{ full, AT_CLAUDE, AT_LINUX, false, "../hub (brief coordination_write_roots" },
		{ full, AT_CLAUDE, AT_LINUX, false, "unknown brief keys     odd" },
		{ "{}", AT_CLAUDE, AT_LINUX, false, "AppArmor" },
		{ "{}", AT_CLAUDE, AT_LINUX, false, "--mem-max" },
		{ "{}", AT_CODEX, AT_OTHER, false, "NONE CAN BE HAD HERE" },
		{ "{}", AT_CODEX, AT_OTHER, false, "FATAL privilege-profile-unenforced-host" },
		{ "{}", AT_CODEX, AT_OTHER, true, "NONE HERE (override)" },
		{ "{\"privilege_profile\": \"cooperative\"}", AT_CLAUDE, AT_LINUX, false,
			"none was asked for" },
		{ "{\"enforce_decision_signing\": false}", AT_CLAUDE, AT_LINUX, false, "OPTED OUT" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_manifest m = manifest_of(rows[i].brief, rows[i].framework,
			rows[i].platform, rows[i].is_allowed);
		struct at_buf out = { 0 };

		at_manifest_print(&m, &out);
		if (!strstr(at_buf_text(&out), rows[i].says))
			fail_msg("row %zu: %s", i, at_buf_text(&out));
		at_buf_free(&out);
	}
}

int test_manifest(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(req_11_json),
		cmocka_unit_test(req_11_transient_values_never_print),
		cmocka_unit_test(req_14_schema_fits),
		cmocka_unit_test(plain_report),
	};

	return cmocka_run_group_tests_name("manifest", tests, set_up, tear_down);
}
