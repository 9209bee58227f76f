#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "core/effects.h"

struct change_row {
	const char *path;
	enum at_op op;
	const char *before, *after; /* JSON, or NULL */
	enum at_effect want;
};

static enum at_effect judge(const struct change_row *row, const char *roots)
{
	struct at_effect_context context = {
		.place = { "/srv/shop", "/home/op", AT_LINUX },
	};
	struct at_json docs[3] = { 0 };
	struct at_effect_change change = { .path = row->path, .op = row->op };
	const char *texts[3] = { row->before, row->after, roots };
	struct at_effect_value values[3] = { { NULL, AT_JSON_NONE }, { NULL, AT_JSON_NONE },
		{ NULL, AT_JSON_NONE } };
	struct at_effect_verdict verdict;

	for (int i = 0; i < 3; i++) {
		if (!texts[i])
			continue;
		assert_true(at_json_read(&docs[i], at_bytes_of(texts[i]), &at_json_settings_limits, 0, NULL));
		values[i] = (struct at_effect_value){ &docs[i], AT_JSON_ROOT };
	}
	change.before = values[0];
	change.after = values[1];
	context.live_roots = values[2];
	verdict = at_effect_judge(&change, &context);
	for (int i = 0; i < 3; i++)
		at_json_free(&docs[i]);
	return verdict.effect;
}

/* WIRE-4: each line of the table of effects, both ways. */
static void wire_4_effect_of_every_row(void **state)
{
	static const char gate[] = "{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":"
				   "\"\\\"$CLAUDE_PROJECT_DIR\\\"/.claude/hooks/constitutional-gate.sh\"}]}";
	static const char other[] = "{\"hooks\":[{\"type\":\"command\",\"command\":\"beep\"}]}";
	static const struct change_row rows[] = {
		{ "sandbox", AT_ADDED, NULL, "{}", AT_TIGHTENS },
		{ "sandbox", AT_REMOVED, "{}", NULL, AT_RELAXES },
		{ "sandbox/enabled", AT_CHANGED, "false", "true", AT_TIGHTENS },
		{ "sandbox/enabled", AT_CHANGED, "true", "false", AT_RELAXES },
		{ "sandbox/enabled", AT_REMOVED, "true", NULL, AT_RELAXES },
		{ "sandbox/failIfUnavailable", AT_ADDED, NULL, "true", AT_TIGHTENS },
		{ "sandbox/failIfUnavailable", AT_REMOVED, "true", NULL, AT_RELAXES },
		{ "sandbox/allowUnsandboxedCommands", AT_ADDED, NULL, "false", AT_TIGHTENS },
		{ "sandbox/allowUnsandboxedCommands", AT_CHANGED, "false", "true", AT_RELAXES },
		{ "sandbox/allowUnsandboxedCommands", AT_REMOVED, "false", NULL, AT_RELAXES },
		{ "sandbox/excludedCommands/[]", AT_ADDED, NULL, "\"git *\"", AT_WIDENS },
		{ "sandbox/excludedCommands/[]", AT_REMOVED, "\"git *\"", NULL, AT_TIGHTENS },
		{ "sandbox/enableWeakerNestedSandbox", AT_ADDED, NULL, "true", AT_WIDENS },
		{ "sandbox/enableWeakerNestedSandbox", AT_REMOVED, "true", NULL, AT_TIGHTENS },
		{ "sandbox/network/allowedDomains/[]", AT_ADDED, NULL, "\"x.test\"", AT_WIDENS },
		{ "sandbox/network/allowLocalBinding", AT_ADDED, NULL, "true", AT_WIDENS },
		{ "sandbox/network/allowLocalBinding", AT_CHANGED, "true", "false", AT_TIGHTENS },
		{ "sandbox/ignoreViolations", AT_ADDED, NULL, "{\"*\":[\"x\"]}", AT_WIDENS },
		{ "sandbox/ignoreViolations/file", AT_ADDED, NULL, "[]", AT_WIDENS },
		{ "sandbox/filesystem/allowWrite/[]", AT_ADDED, NULL, "\"src\"", AT_NEUTRAL },
		{ "sandbox/filesystem/allowWrite/[]", AT_ADDED, NULL, "\"../other\"", AT_WIDENS },
		{ "sandbox/filesystem/allowRead/[]", AT_ADDED, NULL, "\"/srv/data\"", AT_WIDENS },
		{ "sandbox/filesystem/allowWrite/[]", AT_REMOVED, "\"src\"", NULL, AT_TIGHTENS },
		{ "sandbox/filesystem/denyWrite/[]", AT_ADDED, NULL, "\".claude\"", AT_TIGHTENS },
		{ "sandbox/filesystem/denyRead/[]", AT_REMOVED, "\"/etc\"", NULL, AT_RELAXES },
		{ "sandbox/filesystem/denyRead/[]", AT_REMOVED, "\"/nothing/here\"", NULL, AT_NEUTRAL },
		{ "permissions/deny/[]", AT_ADDED, NULL, "\"Edit(/x)\"", AT_TIGHTENS },
		{ "permissions/deny/[]", AT_REMOVED, "\"Edit(/x)\"", NULL, AT_RELAXES },
		{ "permissions/allow/[]", AT_ADDED, NULL, "\"Bash\"", AT_WIDENS },
		{ "permissions/allow/[]", AT_REMOVED, "\"Bash\"", NULL, AT_TIGHTENS },
		{ "permissions/additionalDirectories/[]", AT_ADDED, NULL, "\"/x\"", AT_WIDENS },
		{ "permissions/ask/[]", AT_ADDED, NULL, "\"Bash\"", AT_TIGHTENS },
		{ "permissions/ask/[]", AT_REMOVED, "\"Bash\"", NULL, AT_RELAXES },
		{ "permissions/defaultMode", AT_CHANGED, "\"plan\"", "\"acceptEdits\"", AT_WIDENS },
		{ "permissions/defaultMode", AT_ADDED, NULL, "\"bypassPermissions\"", AT_WIDENS },
		{ "permissions/defaultMode", AT_CHANGED, "\"auto\"", "\"default\"", AT_TIGHTENS },
		{ "permissions/disableBypassPermissionsMode", AT_ADDED, NULL, "\"disable\"", AT_TIGHTENS },
		{ "permissions/disableBypassPermissionsMode", AT_REMOVED, "\"disable\"", NULL, AT_RELAXES },
		{ "hooks/PreToolUse/[]", AT_ADDED, NULL, gate, AT_TIGHTENS },
		{ "hooks/PreToolUse/[]", AT_REMOVED, gate, NULL, AT_RELAXES },
		{ "hooks/PreToolUse/[]", AT_ADDED, NULL, other, AT_WIDENS },
		{ "hooks/Stop/[]", AT_ADDED, NULL, other, AT_WIDENS },
		{ "hooks/Stop/[]", AT_REMOVED, other, NULL, AT_NEUTRAL },
		{ "disableAllHooks", AT_ADDED, NULL, "true", AT_RELAXES },
		{ "disableAllHooks", AT_REMOVED, "true", NULL, AT_TIGHTENS },
		{ "env/PATH", AT_ADDED, NULL, "\"/x\"", AT_WIDENS },
		{ "env/ANTHROPIC_BASE_URL", AT_CHANGED, "\"a\"", "\"b\"", AT_WIDENS },
		{ "env/HTTPS_PROXY", AT_ADDED, NULL, "\"a\"", AT_WIDENS },
		{ "env/EDITOR", AT_ADDED, NULL, "\"vi\"", AT_NEUTRAL },
		{ "mcpServers/x", AT_ADDED, NULL, "{\"command\":\"x\"}", AT_WIDENS },
		{ "enableAllProjectMcpServers", AT_ADDED, NULL, "true", AT_WIDENS },
		{ "enabledMcpjsonServers/[]", AT_ADDED, NULL, "\"x\"", AT_WIDENS },
		{ "statusLine/command", AT_ADDED, NULL, "\"x\"", AT_WIDENS },
		{ "apiKeyHelper", AT_ADDED, NULL, "\"x\"", AT_WIDENS },
		{ "model", AT_CHANGED, "\"a\"", "\"b\"", AT_NEUTRAL },
		{ "permissionsX/allow/[]", AT_ADDED, NULL, "\"Bash\"", AT_NEUTRAL },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i, judge(&rows[i], NULL) == rows[i].want);
}

/* GATE-10: an item that moves or drops the gate's record relaxes; a first one has no record yet. */
static void gate_10_log_items(void **state)
{
	static const struct change_row rows[] = {
		{ "env/AGENTTEAMS_GATE_LOG", AT_CHANGED, "\"/a\"", "\"/b\"", AT_RELAXES },
		{ "env/AGENTTEAMS_GATE_LOG", AT_REMOVED, "\"/a\"", NULL, AT_RELAXES },
		{ "env/AGENTTEAMS_GATE_LOG_KEY", AT_CHANGED, "\"a\"", "\"b\"", AT_RELAXES },
		{ "env/AGENTTEAMS_GATE_LOG_KEY", AT_REMOVED, "\"a\"", NULL, AT_RELAXES },
		{ "env/AGENTTEAMS_GATE_LOG", AT_ADDED, NULL, "\"/a\"", AT_WIDENS },
		{ "env/AGENTTEAMS_GATE_LOGS", AT_REMOVED, "\"a\"", NULL, AT_NEUTRAL },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i, judge(&rows[i], NULL) == rows[i].want);
}

/* WIRE-4: a root is judged against the roots that are there, by whole components. */
static void wire_4_roots_against_roots(void **state)
{
	static const struct {
		const char *roots, *added;
		enum at_effect want;
	} rows[] = {
		{ NULL, "\".\"", AT_NEUTRAL }, /* the client's default is the whole project */
		{ "[]", "\"src\"", AT_NEUTRAL },
		{ "[\".\"]", "\"src\"", AT_NEUTRAL },
		{ "[\"src\"]", "\"src/deep/er\"", AT_NEUTRAL },
		{ "[\"src\"]", "\"./src/../docs\"", AT_WIDENS },
		{ "[\"src\"]", "\".\"", AT_WIDENS },
		{ "[\"src\"]", "\"srcery\"", AT_WIDENS },
		{ "[\".\"]", "\"~/x\"", AT_WIDENS },
		{ "[\".\"]", "\"/srv/shop/../other\"", AT_WIDENS },
		{ "[\"/srv\"]", "\"/srv/data\"", AT_WIDENS }, /* outside stays outside */
		{ "[\".\"]", "5", AT_WIDENS },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct change_row change = { "sandbox/filesystem/allowWrite/[]", AT_ADDED, NULL,
			rows[i].added, 0 };

		assert_row(i, judge(&change, rows[i].roots) == rows[i].want);
	}
}

/* WIRE-4: what has no known meaning says so, and says to read what looks active. */
static void wire_4_unknown_keys_say_so(void **state)
{
	struct at_effect_context context = { .place = { "/srv/shop", "/home/op", AT_LINUX },
		.live_roots = { NULL, AT_JSON_NONE } };
	struct at_json doc;
	struct at_effect_change change = { .op = AT_ADDED, .before = { NULL, AT_JSON_NONE } };

	assert_true(at_json_read(&doc, at_bytes_of("true"), &at_json_settings_limits, 0, NULL));
	change.after = (struct at_effect_value){ &doc, AT_JSON_ROOT };
	change.path = "skipEverything";
	assert_string_equal(at_effect_judge(&change, &context).why, "unknown, read it");
	change.path = "tidy";
	assert_string_equal(at_effect_judge(&change, &context).why, "no protective meaning known");
	at_json_free(&doc);
}

static void the_table_prints_whole_lines(void **state)
{
	struct at_buf text = { 0 };

	at_effect_print_table(&text);
	assert_non_null(strstr(at_buf_text(&text), "permissions/deny/[] | + | tightens | "));
	assert_non_null(strstr(at_buf_text(&text), "sandbox/enabled | +~ to true | tightens | "));
	at_buf_free(&text);
}

int test_effects(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_4_effect_of_every_row),
		cmocka_unit_test(wire_4_roots_against_roots),
		cmocka_unit_test(gate_10_log_items),
		cmocka_unit_test(wire_4_unknown_keys_say_so),
		cmocka_unit_test(the_table_prints_whole_lines),
	};

	return cmocka_run_group_tests_name("effects", tests, NULL, NULL);
}
