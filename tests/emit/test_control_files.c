#include "emit/fixture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "core/control_plane.h"
#include "emit/assets.h"
#include "emit/control_files.h"

#define SWITCH REFS "agent-privilege.json"
#define LOG REFS "security-decisions.log.csv"
#define MANAGERS REFS "authorized-managers.txt"
#define AUTHORITY REFS "management-authority.json"
#define APPROVERS REFS "security-approvers.txt"

/* REQ-8: keys in order, indent two, final newline. */
static void req_8_switch_bytes(void **state)
{
	struct fixture f;

	fixture_begin(&f, "{}");
	fixture_must_plan(&f);
	assert_int_equal(strncmp(fixture_change(&f, SWITCH)->bytes.data,
		"{\n  \"enforce_decision_signing\": true,\n  \"note\": \"", 49), 0);
	fixture_brief(&f, "{\"enforce_decision_signing\": false}");
	fixture_must_plan(&f);
	assert_int_equal(strncmp(fixture_change(&f, SWITCH)->bytes.data,
		"{\n  \"enforce_decision_signing\": false,\n  \"note\": \"", 50), 0);
	assert_int_equal(fixture_change(&f, SWITCH)->bytes.data[
		fixture_change(&f, SWITCH)->bytes.len - 1], '\n');
	fixture_end(&f);
}

/* REQ-8: what says the same stays; anything else is replaced. */
static void req_8_existing_switch(void **state)
{
	static const struct { const char *text; enum at_change_kind want; } rows[] = {
		{ "{\"enforce_decision_signing\": true, \"note\": \"other\"}", AT_KEPT },
		{ "{\"enforce_decision_signing\": true}", AT_KEPT },
		{ "{\"enforce_decision_signing\": false, \"note\": \"other\"}", AT_REPLACE },
		{ "{\"enforce_decision_signing\": \"false\"}", AT_REPLACE },
		{ "{\"enforce_decision_signing\": 1}", AT_REPLACE },
		{ "{}", AT_REPLACE },
		{ "[true]", AT_REPLACE },
		{ "", AT_REPLACE },
		{ "{\"enforce_decision_signing\": true,}", AT_REPLACE },
		{ "{\"enforce_decision_signing\": false, \"enforce_decision_signing\": true}",
			AT_REPLACE },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;

		fixture_begin(&f, "{}");
		fixture_write(&f, SWITCH, rows[i].text);
		fixture_must_plan(&f);
		assert_row(i, fixture_change(&f, SWITCH)->kind == rows[i].want);
		fixture_update(&f);
		fixture_end(&f);
	}
}

#define HEADER "timestamp,requesting_agent,action_reviewed,verdict,conditions,conditions_verified"
#define ROW(verdict) "1,security,overwrite," verdict ",,"

/* REQ-8: rows that stop clearing are counted, and only those, as the gate reads them. */
static void req_8_counts_rows(void **state)
{
	static const struct { const char *csv, *want; } rows[] = {
		{ HEADER "\n", "0 existing" },
		{ HEADER "\n" ROW("PASS") "\n" ROW("HALT") "\n" ROW("CONDITIONAL PASS") "\n"
		  ROW("HALT-RETRACTED") "\n", "3 existing" },
		{ HEADER "\r\n" ROW("pass") "\r\n" ROW(" PASS ") "\r\n" ROW("PASSED") "\r\n",
			"2 existing" },
		{ HEADER "\n" ROW("PASS") "\n" ROW("PASS"), "1 existing" }, /* torn */
		{ HEADER ",signature\n" ROW("PASS") ",\n" ROW("PASS") ",abc\n" ROW("PASS")
			",  \n" ROW("PASS") "\n", "3 existing" },
		{ HEADER ",consumed\n" ROW("PASS") ",yes\n" ROW("PASS") ",\n", "1 existing" },
		{ HEADER "\n\"x, \"\"y\"\"\nz\",security,o,\"PASS\",,\n", "1 existing" },
		{ "a,verdict\n1,PASS\n", "not counted" },
		{ HEADER "\n\"PASS", "not counted" },
		{ "", "not counted" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;

		fixture_begin(&f, "{}");
		fixture_write(&f, LOG, rows[i].csv);
		fixture_must_plan(&f);
		assert_row(i, strstr(fixture_notice(&f, "switch-on"), rows[i].want) != NULL);
		fixture_end(&f);
	}
}

/* REQ-8: the notice names opt-out and count, each way round, and says when it cannot. */
static void req_8_notice(void **state)
{
	struct fixture f;

	fixture_begin(&f, "{}");
	fixture_write(&f, LOG, HEADER "\n" ROW("PASS") "\n" ROW("PASS") "\n");
	fixture_must_plan(&f);
	assert_non_null(strstr(fixture_notice(&f, "switch-on"), "2 existing unsigned"));
	assert_non_null(
		strstr(fixture_notice(&f, "switch-on"), "enforce_decision_signing to false"));
	fixture_update(&f);
	assert_null(fixture_notice(&f, "switch-on")); /* it was on already */
	fixture_brief(&f, "{\"enforce_decision_signing\": false}");
	fixture_update(&f);
	assert_non_null(strstr(fixture_notice(&f, "switch-off"), "2 existing unsigned"));
	assert_int_equal(unlink(test_path(f.project_path, LOG)), 0);
	assert_int_equal(symlink("x", test_path(f.project_path, LOG)), 0);
	fixture_must_plan(&f);
	assert_non_null(strstr(fixture_notice(&f, "switch-off"), "not counted"));
	fixture_end(&f);
}

/* EMIT-7: the sentinel comes with the deny; keys are never touched. */
static void emit_7_sentinel(void **state)
{
	static const char readme[] = REFS "authorized-verify-keys/README.md";
	static const char key[] = REFS "authorized-verify-keys/op.pub.pem";
	struct at_buf text;
	struct fixture f;

	fixture_begin(&f, "{}");
	fixture_write(&f, key, "key");
	fixture_write(&f, readme, "edited");
	fixture_update(&f);
	text = fixture_read(&f, readme);
	assert_true(at_bytes_equal(at_buf_bytes(&text), at_asset_verify_keys_readme));
	at_buf_free(&text);
	text = fixture_read(&f, key);
	assert_string_equal(at_buf_text(&text), "key");
	at_buf_free(&text);
	assert_null(fixture_change(&f, key));
	assert_null(strstr(at_asset_verify_keys_readme.data, "BEGIN"));
	fixture_end(&f);
}

/* EMIT-8: stubs are made once and never written again; links are refused, not followed. */
static void emit_8_stubs(void **state)
{
	static const char *const stubs[] = { APPROVERS, MANAGERS, AUTHORITY };

	for (size_t i = 0; i < AT_LEN(stubs); i++) {
		struct fixture f;
		struct at_buf text;

		fixture_begin(&f, "{}");
		fixture_must_plan(&f);
		assert_int_equal(fixture_notice_count(&f, "stub-created"), 3);
		assert_int_equal(fixture_change(&f, stubs[i])->kind, AT_CREATE);
		fixture_write(&f, stubs[i], "by hand");
		fixture_update(&f);
		text = fixture_read(&f, stubs[i]);
		assert_string_equal(at_buf_text(&text), "by hand");
		at_buf_free(&text);
		assert_int_equal(unlink(test_path(f.project_path, stubs[i])), 0);
		assert_int_equal(symlink("nowhere", test_path(f.project_path, stubs[i])), 0);
		assert_false(fixture_plan(&f));
		assert_int_equal(f.err.code, AT_EUNSAFE);
		fixture_end(&f);
	}
}

/* EMIT-8: a stub reads as nobody: comments alone, every field off. */
static void emit_8_stub_contents(void **state)
{
	const struct at_bytes texts[] = { at_asset_security_approvers,
		at_asset_authorized_managers };
	struct at_json doc;

	for (size_t i = 0; i < AT_LEN(texts); i++)
		for (const char *p = texts[i].data; *p; p = strchr(p, '\n') + 1)
			assert_row(i, *p == '#');
	assert_true(
		at_json_read(&doc, at_asset_management_authority, &at_json_brief_limits, 0, NULL));
	assert_true(at_json_is(&doc, at_json_at(&doc, "is_management_repo"), AT_JSON_FALSE));
	assert_int_equal(doc.nodes[at_json_at(&doc, "authorized_managers")].count, 0);
	at_json_free(&doc);
}

#define MANAGED "{\"authorized_managers\": [\"hub\", \"ops\"], \"is_management_repo\": true}"

/* EMIT-8: filled rosters replace stubs and what we wrote, never a hand-made file. */
static void emit_8_filled(void **state)
{
	struct at_buf text;
	struct fixture f;

	fixture_begin(&f, "{}");
	fixture_update(&f);
	fixture_brief(&f, MANAGED);
	fixture_must_plan(&f);
	assert_int_equal(fixture_change(&f, MANAGERS)->kind, AT_REPLACE);
	assert_int_equal(fixture_change(&f, AUTHORITY)->kind, AT_REPLACE);
	fixture_update(&f);
	text = fixture_read(&f, MANAGERS);
	assert_non_null(strstr(at_buf_text(&text), "\nhub\nops\n"));
	at_buf_free(&text);
	text = fixture_read(&f, AUTHORITY);
	assert_int_equal(
		strncmp(at_buf_text(&text),
			"{\n  \"is_management_repo\": true,\n"
			"  \"authorized_managers\": [\n    \"hub\",\n    \"ops\"\n  ],\n"
			"  \"note\": ",
			94),
		0);
	at_buf_free(&text);
	fixture_brief(&f, "{\"authorized_managers\": [\"hub\"]}");
	fixture_must_plan(&f);
	assert_int_equal(fixture_change(&f, MANAGERS)->kind, AT_REPLACE); /* recorded as ours */
	fixture_write(&f, MANAGERS, "mine\n");
	fixture_must_plan(&f);
	assert_int_equal(fixture_change(&f, MANAGERS)->kind, AT_KEPT);
	fixture_end(&f);
}

/* EMIT-8, EMIT-16: who gets which. */
static void emit_8_matrix(void **state)
{
	static const struct { const char *brief; bool approvers, managers, authority; } rows[] = {
		{ "{}", true, true, true },
		{ "{\"privilege_profile\": \"exclusive\"}", true, true, true },
		{ "{\"privilege_profile\": \"cooperative\"}", false, false, false },
		{ "{\"privilege_profile\": \"cooperative\", \"authorized_managers\": [\"a\"]}",
			false, true, true },
		{ "{\"privilege_profile\": \"cooperative\", \"is_management_repo\": true}",
			false, false, true },
		{ "{\"is_management_repo\": true}", true, true, true },
	};
	static const struct { enum at_framework_id id; bool boundary, want; } teams[] = {
		{ AT_CLAUDE, true, true }, { AT_CLAUDE, false, false },
		{ AT_GOOSE, true, true }, { AT_GOOSE, false, false },
		{ AT_CODEX, false, true }, { AT_COPILOT_VSCODE, false, true },
		{ AT_COPILOT_CLI, false, true }, { AT_AGENTS_MD, true, false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;

		fixture_begin(&f, rows[i].brief);
		fixture_must_plan(&f);
		assert_row(i, (fixture_change(&f, APPROVERS) != NULL) == rows[i].approvers);
		assert_row(i, (fixture_change(&f, MANAGERS) != NULL) == rows[i].managers);
		assert_row(i, (fixture_change(&f, AUTHORITY) != NULL) == rows[i].authority);
		fixture_end(&f);
	}
	for (size_t i = 0; i < AT_LEN(teams); i++) {
		const struct at_manifest manifest = { .framework = teams[i].id,
			.boundary_is_emitted = teams[i].boundary };

		assert_row(i, at_rosters_are_emitted(&manifest) == teams[i].want);
	}
}

#define LAYERS "references/security-infrastructure-layers.reference.md"

/* EMIT-17: every team gets the page, with its ceiling in it; what is there already stays. */
static void emit_17_infrastructure_layers(void **state)
{
	static const char *const words[] = { "| L0 ", "| L1 ", "| L2 ", "| L3 ", "| L4 ", "| L5 ",
		"| L6 ", "| L7 ", "| design ", "| build ", "| baseline ", "| tune ", "| operate ",
		"| respond ", "| review ", "What this page cannot do", "engages as tested" };
	struct fixture f;

	(void)state;
	for (int id = 0; id < AT_FRAMEWORK_COUNT; id++) {
		char path[128];

		fixture_begin(&f, "{}");
		f.options.framework = (enum at_framework_id)id;
		f.project.team_dir = at_team_dir((enum at_framework_id)id);
		fixture_brief(&f, "{}");
		fixture_must_plan(&f);
		snprintf(path, sizeof(path), "%s/" LAYERS, f.project.team_dir);
		assert_row(id, fixture_change(&f, path)->kind == AT_CREATE);
		fixture_write(&f, path, "mine\n");
		fixture_must_plan(&f);
		assert_row(id, fixture_change(&f, path)->kind == AT_KEPT);
		fixture_end(&f);
	}
	for (size_t i = 0; i < AT_LEN(words); i++)
		assert_row(i, memmem(at_asset_infrastructure_layers.data,
				      at_asset_infrastructure_layers.len, words[i], strlen(words[i])));
}

int test_control_files(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(req_8_switch_bytes),
		cmocka_unit_test(req_8_existing_switch),
		cmocka_unit_test(req_8_counts_rows),
		cmocka_unit_test(req_8_notice),
		cmocka_unit_test(emit_7_sentinel),
		cmocka_unit_test(emit_8_stubs),
		cmocka_unit_test(emit_8_stub_contents),
		cmocka_unit_test(emit_8_filled),
		cmocka_unit_test(emit_8_matrix),
		cmocka_unit_test(emit_17_infrastructure_layers),
	};

	return cmocka_run_group_tests_name("control_files", tests, NULL, NULL);
}
