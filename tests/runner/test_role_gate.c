/* agentteams-role-gate: who may use which tool, and that nothing opens it by accident. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/child.h"
#include "runner/role_gate/decide.h"

#define PRE "{\"hook_event_name\": \"PreToolUse\", "
#define TOOL(name) "\"tool_name\": \"" name "\"}"
#define READ(name) TOOL(AT_ROLE_GATE_SERVER name)
#define AGENT "\"agent_type\": \"explorer\", \"agent_id\": \"a1\", "

/* reference-later 5.2, and what lies between its rows. */
static const struct row {
	const char *input;
	bool allowed;
} rows[] = {
	/* the session itself */
	{ PRE TOOL("Bash"), true },
	{ PRE "\"agent_type\": \"\", \"agent_id\": \"\", " TOOL("apply_patch"), true },
	{ PRE "\"agent_type\": null, \"agent_id\": null, " TOOL("spawn_agent"), true },
	{ PRE "\"tool_input\": {\"a\": [[[[1]]]]}, " TOOL("Bash"), true },
	{ PRE "\"tool_name\": 7}", true },
	/* agents: the server's five and nothing else */
	{ PRE AGENT READ("read_file"), true }, { PRE AGENT READ("list_dir"), true },
	{ PRE AGENT READ("find"), true }, { PRE AGENT READ("grep"), true },
	{ PRE AGENT READ("stat"), true },
	{ PRE AGENT "\"tool_name\": \"mcp__agentteams_readfs__re\\u0061d_file\"}", true },
	{ PRE AGENT READ("write_file"), false }, { PRE AGENT READ(""), false },
	{ PRE AGENT READ("READ_FILE"), false }, { PRE AGENT READ("read_file "), false },
	{ PRE AGENT READ("read_file\\u0000x"), false },
	{ PRE AGENT TOOL("mcp__other__read_file"), false },
	{ PRE AGENT TOOL("xmcp__agentteams_readfs__read_file"), false },
	{ PRE AGENT TOOL("read_file"), false }, { PRE AGENT TOOL("Bash"), false },
	{ PRE AGENT TOOL("apply_patch"), false }, { PRE AGENT TOOL("spawn_agent"), false },
	{ PRE AGENT "\"tool_name\": null}", false },
	{ PRE AGENT "\"tool_name\": [\"mcp__agentteams_readfs__grep\"]}", false },
	{ PRE "\"agent_type\": \"orchestrator\", " TOOL("Bash"), false },
	{ PRE "\"agent_type\": \"default\", " TOOL("Bash"), false },
	{ PRE "\"agent_type\": \" \", " TOOL("Bash"), false },
	{ PRE "\"agent_id\": \"a1\", " TOOL("Bash"), false },
	{ PRE "\"agent_id\": \"a1\", \"agent_type\": \"\", " TOOL("Bash"), false },
	{ PRE "\"agent_type\": 7, " TOOL("Bash"), false },
	{ PRE "\"agent_type\": 0, " TOOL("Bash"), false },
	{ PRE "\"agent_type\": false, " TOOL("Bash"), false },
	{ PRE "\"agent_type\": [], " TOOL("Bash"), false },
	{ PRE "\"agent_id\": {}, " TOOL("Bash"), false },
	{ PRE "\"agent_type\": 7, " READ("grep"), true },
	/* another event, or none */
	{ "{\"hook_event_name\": \"PostToolUse\", " TOOL("Bash"), false },
	{ "{\"hook_event_name\": \"pretooluse\", " TOOL("Bash"), false },
	{ "{\"hook_event_name\": 7, " TOOL("Bash"), false }, { "{" TOOL("Bash"), false },
	/* no input that can be read */
	{ "", false }, { " ", false }, { "x", false }, { "[]", false }, { "null", false },
	{ "\"PreToolUse\"", false }, { PRE TOOL("Bash") " x", false },
	{ "\xef\xbb\xbf" PRE TOOL("Bash"), false }, { PRE TOOL("\xff"), false },
	{ PRE "\"agent_id\": \"a1\", \"agent_id\": \"\", " TOOL("Bash"), false },
	{ PRE "'tool_name': 1}", false }, { PRE "\"a\": NaN, " TOOL("Bash"), false },
};

static void wp_3_decisions(void **state)
{
	static const char *const unconfined[] = { NULL, "", "0", "true", "11", " 1", "1 ", "1\n" };

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_bytes input = at_bytes_of(rows[i].input);

		assert_row(i, !at_role_gate_decide(input, "1") == rows[i].allowed);
		for (size_t k = 0; k < AT_LEN(unconfined); k++)
			assert_row(i, at_role_gate_decide(input, unconfined[k]));
	}
}

/* Sizes and depths at the edge. */
static void wp_3_limits(void **state)
{
	struct at_buf text = { 0 };

	at_buf_puts(&text, PRE TOOL("Bash"));
	at_buf_pad(&text, ' ', AT_ROLE_GATE_CAP - text.len);
	assert_null(at_role_gate_decide(at_buf_bytes(&text), "1"));
	at_buf_putc(&text, ' ');
	assert_non_null(at_role_gate_decide(at_buf_bytes(&text), "1"));
	text.len = 0;
	at_buf_puts(&text, PRE "\"tool_input\": ");
	at_buf_pad(&text, '[', 2000000);
	assert_non_null(at_role_gate_decide(at_buf_bytes(&text), "1"));
	at_buf_free(&text);
}

static struct at_child_end sh(const char *dir, const char *confined, const char *text)
{
	const char *path = getenv("AT_ROLE_GATE");
	char variable[4200];
	const char *argv[] = { "/bin/sh", "-c", text, NULL };
	const char *env[] = { variable, "PATH=/usr/bin:/bin", confined, NULL };
	struct at_child_end got;
	struct at_error err;

	if (!path)
		fail_msg("AT_ROLE_GATE is not set: run through meson test");
	snprintf(variable, sizeof(variable), "P=%s", path);
	if (!at_child_run(&got, &(struct at_child_call){ .argv = argv, .env = env, .cwd = dir,
				       .timeout_ms = 30000, .cap = 65536 },
		    &err))
		fail_msg("%s", err.message);
	return got;
}

/* The program: 0 and silent, or 2 and one line; there is no third. */
static void wp_3_exit_status(void **state)
{
	static const struct { const char *text; int status; } ways[] = {
		{ "\"$P\" <in", 0 }, { "cat in | \"$P\"", 0 }, { "\"$P\" <in 2>&-", 0 },
		{ "\"$P\" <in >&-", 0 }, { "\"$P\" </dev/null", 2 }, { "\"$P\" <&-", 2 },
		{ "\"$P\" </", 2 }, { "\"$P\" </dev/zero", 2 }, { "\"$P\" --version", 2 },
		{ "\"$P\" <in x", 2 }, { "\"$P\" </dev/null 2>&-", 2 },
		{ "\"$P\" </dev/null 2>/dev/full", 2 }, { "head -c 5000000 /dev/zero | \"$P\"", 2 },
		{ "(ulimit -v 3000; \"$P\" </dev/zero) || exit 2", 2 },
		{ "mkfifo e; sleep 2 >e 2>&1 & \"$P\" <e & q=$!; sleep 0.2; kill $q; wait $q", 2 },
		{ "mkfifo f; sleep 2 >f 2>&1 & \"$P\" <f & q=$!; sleep 0.2; kill -SEGV $q; wait $q", 2 },
	};
	char *dir = test_tree_new();

	test_write(dir, "in", PRE TOOL("Bash"));
	for (size_t i = 0; i < AT_LEN(ways); i++) {
		struct at_child_end got = sh(dir, "AGENTTEAMS_CODEX_CONFINED=1", ways[i].text);

		if (got.status != ways[i].status)
			fail_msg("%s: %d, %s", ways[i].text, got.status, at_buf_text(&got.err));
		if (got.status == 0)
			assert_row(i, got.out.len == 0 && got.err.len == 0);
		at_child_end_free(&got);
	}
	test_write(dir, "in", PRE AGENT TOOL("Bash"));
	{
		struct at_child_end got = sh(dir, "AGENTTEAMS_CODEX_CONFINED=1", "\"$P\" <in");

		assert_int_equal(got.status, 2);
		assert_int_equal(got.out.len, 0);
		assert_int_equal(strncmp(got.err.data, "agentteams role gate: ", 22), 0);
		assert_ptr_equal(strchr(got.err.data, '\n'), got.err.data + got.err.len - 1);
		assert_null(strstr(got.err.data, "explorer")); /* nothing of the input */
		at_child_end_free(&got);
	}
	test_tree_remove(dir);
}

/* Codex lets a call pass when the hook takes 60 seconds: an input that never ends is denied
 * long before. */
static void wp_3_does_not_wait(void **state)
{
	char *dir = test_tree_new();
	time_t from = time(NULL);
	struct at_child_end got = sh(dir, "AGENTTEAMS_CODEX_CONFINED=1",
		"mkfifo f; sleep 25 >f 2>&1 & exec \"$P\" <f");

	assert_int_equal(got.status, 2);
	assert_true(time(NULL) - from < 15);
	assert_non_null(strstr(at_buf_text(&got.err), "did not end in time"));
	at_child_end_free(&got);
	test_tree_remove(dir);
}

int test_role_gate(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wp_3_decisions),
		cmocka_unit_test(wp_3_limits),
		cmocka_unit_test(wp_3_exit_status),
		cmocka_unit_test(wp_3_does_not_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
