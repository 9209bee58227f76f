#include "gate/fixture.h"

#include <stdio.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#define IS_PLAIN 0
#else
#define IS_PLAIN 1
#endif
#define CALL(tool, input) "{\"tool_name\": \"" tool "\", \"tool_input\": " input "}"
#define BASH(command) CALL("Bash", "{\"command\": " command "}")
#define KEY "AKIAIOSFODNN7EXAMPLQ"

static void expect(size_t row, const char *json, bool closed, const char *decision, int status)
{
	struct gate_ran ran = gate_call(json, closed);

	if (strcmp(gate_decision(ran.out), decision) != 0 || ran.status != status)
		fail_msg("row %zu (%s): %s, %d: %s%s", row, closed ? "closed" : "open",
			gate_decision(ran.out), ran.status, ran.out, ran.err);
	if ((*ran.err != '\0') != (status == 1))
		fail_msg("row %zu: says on standard error: %s", row, ran.err);
}

/* GATE-1, GATE-4: what is a call, and what of it is judged. */
static void gate_1_calls(void **state)
{
	static const struct {
		const char *json, *decision;
	} rows[] = {
		{ BASH("\"ls -la\""), "pass" },
		{ BASH("\"rm -rf src\""), "ask" },
		{ BASH("\"git push --force origin main\""), "ask" },
		{ BASH("[\"rm\", \"-rf\", \"src\"]"), "ask" },
		{ BASH("null"), "pass" },
		{ BASH("\"rm -rf \\u0000 src\""), "ask" },
		{ CALL("Bash", "{}"), "pass" },
		{ CALL("Bash", "null"), "pass" },
		{ "{\"tool_name\": \"Bash\"}", "pass" },
		/* case 64: another name, a command all the same */
		{ CALL("bash", "{\"command\": \"rm -rf src\"}"), "ask" },
		{ CALL("local_shell", "{\"cmd\": [\"rm\", \"-rf\", \"src\"]}"), "ask" },
		{ CALL("Read", "{\"file_path\": \"a\"}"), "pass" },
		{ CALL("mcp__fs__write", "{\"content\": \"" KEY "\"}"), "pass" },
		/* the last of two counts, as for the client */
		{ "{\"tool_name\": \"Read\", \"tool_name\": \"Bash\", \"tool_input\": "
		  "{\"command\": \"ls\", \"command\": \"rm -rf src\"}}",
			"ask" },
		{ CALL("Write", "{\"content\": \"a\", \"file_path\": \"n\"}"), "pass" },
		{ CALL("Write", "{\"content\": \"k " KEY "\", \"file_path\": \"n\"}"), "deny" },
		{ CALL("Write", "{\"content\": \"\\u0000" KEY "\"}"), "deny" },
		{ CALL("Write", "{\"content\": \"\\ud800 " KEY "\"}"), "deny" },
		{ CALL("Write", "{\"content\": \"\", \"content\": \"" KEY "\"}"), "deny" },
		{ CALL("Write", "{\"content\": null}"), "pass" },
		{ CALL("Edit", "{\"old_string\": \"" KEY "\", \"new_string\": \"a\"}"), "pass" },
		{ CALL("Edit", "{\"old_string\": \"a\", \"new_string\": \"" KEY "\"}"), "deny" },
		{ CALL("Edit", "{\"new_string\": \"" KEY "\", \"edits\": []}"), "deny" },
		{ CALL("MultiEdit",
			  "{\"edits\": [{\"new_string\": \"a\"}, {\"new_string\": \"" KEY "\"}]}"),
			"deny" },
		{ CALL("MultiEdit", "{\"edits\": []}"), "pass" },
		{ CALL("NotebookEdit", "{\"new_source\": \"" KEY "\", \"notebook_path\": \"n\"}"),
			"deny" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		expect(i, rows[i].json, false, rows[i].decision, 0);
		expect(i, rows[i].json, true, rows[i].decision, 0);
	}
}

/* GATE-6, GATE-9: what cannot be judged passes with a notice, or is denied. */
static void gate_9_malformed(void **state)
{
	static const char *const rows[] = {
		"",
		"not json at all",
		"[]",
		"null",
		"\"x\"",
		"{}",
		"{\"tool_name\": 12}",
		"{\"tool_name\": [\"Bash\"], \"tool_input\": {}}",
		"{\"tool_name\": 7, \"tool_input\": null}",
		BASH("\"rm -rf src\"") " x",
		"\xef\xbb\xbf" BASH("\"ls\""),
		BASH("\"\xff\""),
		BASH("\"a\nb\""),
		"{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"rm -rf src\"",
		CALL("Bash", "[]"),
		CALL("Bash", "\"ls\""),
		BASH("7"),
		BASH("[1]"),
		CALL("Write", "{\"content\": 7}"),
		CALL("Write", "{\"content\": [\"" KEY "\"]}"),
		CALL("Write", "{\"content\": \"a\", \"file_path\": 7}"),
		CALL("Edit", "{\"edits\": [\"x\"]}"),
		CALL("Edit", "{\"edits\": \"x\"}"),
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		expect(i, rows[i], false, "pass", 1);
		expect(i, rows[i], true, "deny", 0);
		assert_null(strstr(gate_call(rows[i], true).out, "src")); /* nothing of the input */
	}
}

/* GATE-9: too much, too deep, too long, too little memory, nowhere to answer. */
static void gate_9_limits(void **state)
{
	static const struct {
		const char *script, *closed;
		int closed_status;
		const char *open;
		int open_status;
	} rows[] = {
		{ "head -c 104857600 /dev/zero | \"$G\" --fail-closed $F", "deny", 0, "pass", 1 },
		{ "head -c 100000 /dev/zero | tr '\\0' '[' | \"$G\" --fail-closed $F", "deny", 0,
			"pass", 1 },
		/* nobody ends the input: the deadline does (case 36: never silence) */
		{ "{ printf '{'; sleep 3; } | \"$G\" --fail-closed $F", "deny", 0, "ask", 0 },
		{ "ulimit -v 6000; { printf '{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"'; "
		  "head -c 4000000 /dev/zero | tr '\\0' a; printf '\"}}'; } | \"$G\" --fail-closed $F",
			"deny", 0, "pass", 1 },
		{ "printf x | \"$G\" --fail-closed $F >/dev/full", "pass", 2, "pass", 1 },
		{ "printf x | \"$G\" --fail-closed $F >&-", "pass", 2, "pass", 1 },
		{ "\"$G\" --fail-closed $F <&-", "deny", 0, "pass", 1 },
		{ "\"$G\" --fail-closed $F </", "deny", 0, "pass", 1 },
	};
	char script[512];

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		/* a sanitizer's memory map knows no limit */
		if (!IS_PLAIN && strstr(rows[i].script, "ulimit"))
			continue;
		for (int closed = 0; closed < 2; closed++) {
			struct gate_ran ran;

			snprintf(script, sizeof(script), "F=%d; %s", closed, rows[i].script);
			ran = gate_sh(script);
			if (strcmp(gate_decision(ran.out), closed ? rows[i].closed : rows[i].open)
					!= 0
				|| ran.status
					!= (closed ? rows[i].closed_status : rows[i].open_status))
				fail_msg("row %zu, %d: %d %s%s", i, closed, ran.status, ran.out,
					ran.err);
		}
	}
}

/* GATE-2, case 66: what bypass would swallow and nothing brings back becomes a deny. */
static void gate_2_bypass(void **state)
{
	static const char call[] = "{\"permission_mode\": \"%s\", \"tool_name\": \"Bash\", "
				   "\"tool_input\": {\"command\": \"terraform destroy\"}}";
	char json[256];

	snprintf(json, sizeof(json), call, "bypassPermissions");
	assert_string_equal(gate_decision(gate_call(json, true).out), "deny");
	assert_string_equal(gate_decision(gate_call(json, false).out), "ask");
	snprintf(json, sizeof(json), call, "default");
	assert_string_equal(gate_decision(gate_call(json, true).out), "ask");
}

/* GATE-1: usage, and the subcommands for people. */
static void gate_8_people(void **state)
{
	static const struct {
		const char *script;
		int status;
		const char *says;
	} rows[] = {
		{ "\"$G\"", 2, "" },
		{ "\"$G\" --fail-closed 2 </dev/null", 2, "" },
		{ "\"$G\" --fail-closed", 2, "" },
		{ "\"$G\" --fail-closed 1 --allow", 2, "" },
		{ "\"$G\" --version", 0, "agentteams-gate " },
		{ "\"$G\" --help", 0, "no boundary" },
		{ "\"$G\" --explain 'rm -rf src'", 0, "ask" },
		{ "\"$G\" --explain \"$(printf 'ls \\033[31m')\"", 0, "ask" },
		{ "printf '#id\\texpect\\ttolerate\\tcommand_json\\nA\\tpass\\t\\t\"ls\"\\n' >t; "
		  "\"$G\" --test t",
			0, "1 rows, 0 failed" },
		{ "printf '#id\\texpect\\ttolerate\\tcommand_json\\nA\\tpass\\t\\t\"rm -rf x\"\\n"
		  "B\\tdeny\\task\\t\"rm -rf x\"\\n' >t; \"$G\" --test t",
			1, "FAIL A: wants pass, got ask" },
		{ "\"$G\" --test /nowhere", 2, "" },
		{ "printf 'x\\n' >t; \"$G\" --test t", 2, "" },
		/* two columns: the command stands there as it is typed */
		{ "printf '# a remark\\n\\npass\\tls -la\\r\\nask\\trm -rf \"a b\"\\n' >t; "
		  "\"$G\" --test t",
			0, "2 rows, 0 failed; 1 of 1" },
		{ "printf 'pass\\tls\\npass\\trm -rf x' >t; \"$G\" --test t", 1,
			"FAIL line 2: wants pass, got ask" },
		{ "printf 'ask|deny\\trm -rf x\\n' >t; \"$G\" --test t", 0, "1 rows, 0 failed" },
		{ "printf 'pass\\t' >t; \"$G\" --test t", 0, "1 rows, 0 failed" },
		{ "printf 'maybe\\tls\\n' >t; \"$G\" --test t 2>&1", 2, "line 1 begins with no verdict" },
		{ "printf 'pass\\tls\\nask\\tfs\\t\"ls\"\\n' >t; \"$G\" --test t 2>&1", 2,
			"line 2 has more than two columns" },
		{ "printf 'pass ls\\n' >t; \"$G\" --test t 2>&1", 2, "line 1 holds no tab" },
		{ "printf '#id\\tcommand_json\\n' >t; \"$G\" --test t 2>&1", 2,
			"names the columns #id" },
		{ "printf '# nothing\\n' >t; \"$G\" --test t 2>&1", 2, "no table" },
		{ "printf 'pass\\tls \\033[31m;rm -rf x\\n' >t; \"$G\" --test t", 1, "FAIL line 1" },
		{ "echo fine | \"$G\" --scan -", 0, "\"PASS\"" },
		{ "echo " KEY " | \"$G\" --scan -", 1, "\"HALT\"" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct gate_ran ran = gate_sh(rows[i].script);

		if (ran.status != rows[i].status || !strstr(ran.out, rows[i].says)
			|| strchr(ran.out, '\033'))
			fail_msg("row %zu: %d %s%s", i, ran.status, ran.out, ran.err);
	}
}

int test_program(void);
int test_program(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gate_1_calls),
		cmocka_unit_test(gate_9_malformed),
		cmocka_unit_test(gate_9_limits),
		cmocka_unit_test(gate_2_bypass),
		cmocka_unit_test(gate_8_people),
	};

	return cmocka_run_group_tests_name("program", tests, gate_setup, gate_teardown);
}
