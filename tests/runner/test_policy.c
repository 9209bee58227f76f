/* reference-ledgers 3.11, 3.12: the policy of the brief and the operator's file. */
#include "runner/ground.h"

#include <stdio.h>
#include <string.h>

#include "runner/proposals/operator_file.h"
#include "runner/proposals/policy.h"

#define GATES \
	"\"proposal_gates\":{\"lint\":{\"glob\":\"docs/*\"," \
	"\"argv\":[\"/usr/bin/lint\",\"{file}\"]}}"

static bool read_policy(
	struct at_policy *policy, const char *brief, const char *confined, struct at_error *err)
{
	struct at_bytes own = { 0 };

	if (confined)
		own = at_bytes_of(confined);
	return at_policy_read(policy, at_bytes_of(brief), "brief.json", own, "/home/op", err);
}

static void run_2_a_policy_is_read(void **state)
{
	static const char brief[] =
		"{\"write_policy\":\"orchestrator-only\",\"allow_unconfined_runs\":true,"
		"\"protected_paths\":[\"CHANGELOG.md\"]," GATES ","
		"\"agent_policies\":{\"writer\":{\"write_scopes\":[\"docs/\",\"src/*.c\"],"
		"\"commands\":[{\"prefix\":[\"make\",\"docs\"]},"
		"{\"prefix\":[\"lake\",\"build\"],\"args\":[\"[a-z]+\",\"[0-9]+\"],\"variadic\":"
		"true,\"cwd\":\"proofs\",\"writes\":[\"build/*\"],\"stdin_gates\":[\"lint\"],"
		"\"timeout\":7200}]},\"reader\":{}},"
		"\"confined_programs\":{\"writer\":{\"exec\":[\"/usr/bin/make\",\"~/bin/lake\"],"
		"\"write\":[\"build\"]}},"
		"\"mcp_grants\":{\"writer\":{\"tools\":[\"request_status\",\"write_file\"],"
		"\"approval\":\"direct\"}}}";
	const char *const lake[] = { "lake", "build", "all", "1", "22" };
	const struct at_policy_agent *writer;
	const struct at_policy_command *c;
	struct at_policy policy;
	struct at_error err;

	if (!read_policy(&policy, brief, NULL, &err))
		fail_msg("%s", err.message);
	assert_true(policy.is_orchestrator_only);
	assert_true(policy.allow_unconfined_runs);
	writer = at_policy_agent(&policy, "writer");
	assert_non_null(writer);
	assert_int_equal(writer->write_scopes.count, 2);
	assert_int_equal(writer->commands[0].timeout, 600);
	assert_string_equal(writer->commands[0].cwd, ".");
	c = at_policy_command(writer, lake, 5);
	assert_ptr_equal(c, &writer->commands[1]);
	assert_int_equal(c->timeout, 7200);
	assert_string_equal(c->cwd, "proofs");
	assert_null(at_policy_agent(&policy, "nobody"));
	assert_string_equal(
		at_policy_confined(&policy, "writer")->exec.items[1], "/home/op/bin/lake");
	assert_int_equal(at_policy_mcp(&policy, "writer")->tools,
		1u << AT_MCP_WRITE_FILE | 1u << AT_MCP_REQUEST_STATUS);
	assert_true(at_policy_mcp(&policy, "writer")->direct);
	at_policy_free(&policy);
}

static void run_2_no_policy_is_one(void **state)
{
	struct at_policy policy;
	struct at_error err;

	assert_true(read_policy(&policy, "{}", NULL, &err));
	assert_false(policy.is_orchestrator_only);
	assert_int_equal(policy.agent_count + policy.gate_count + policy.mcp_count, 0);
	at_policy_free(&policy);
}

static void run_6_the_allowlist(void **state)
{
	static const struct {
		const char *argv[5];
		int entry; /* -1: on none */
	} rows[] = {
		{ { "make", "all" }, 0 },
		{ { "make" }, -1 },
		{ { "make", "all", "x" }, -1 },
		{ { "make", "ALL" }, -1 },
		{ { "make", "-n" }, -1 },
		{ { "ls" }, 1 },
		{ { "ls", "x" }, -1 },
		{ { "/bin/ls" }, -1 },
		{ { "cat", "--", "a", "b.c" }, 2 },
		{ { "cat", "--" }, -1 },
		{ { "cat", "a" }, -1 },
		{ { "cat", "--", ".." }, -1 },
		{ { "cat", "--", "a", ".." }, -1 },
	};
	struct at_policy policy;
	struct at_error err;

	assert_true(read_policy(&policy,
		"{\"agent_policies\":{\"a\":{\"commands\":["
		"{\"prefix\":[\"make\"],\"args\":[\"[a-z]+\"]},"
		"{\"prefix\":[\"ls\"]},"
		"{\"prefix\":[\"cat\",\"--\"],\"args\":[\"[a-z]+(\\\\.[a-z]+)?\"],"
		"\"variadic\":true}]}}}",
		NULL, &err));
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct at_policy_agent *a = at_policy_agent(&policy, "a");
		const struct at_policy_command *c;
		size_t count = 0;

		while (rows[i].argv[count])
			count++;
		c = at_policy_command(a, rows[i].argv, count);
		assert_row(i, (c ? (int)(c - a->commands) : -1) == rows[i].entry);
	}
	at_policy_free(&policy);
}

#define AGENT(body) "{" GATES ",\"agent_policies\":{\"a\":{" body "}}}"
#define COMMAND(body) AGENT("\"commands\":[{" body "}]")
#define PREFIX "\"prefix\":[\"make\"]"
#define GATE(body) "{\"proposal_gates\":{\"g\":{" body "}}}"
#define CONFINED(body) "{\"confined_programs\":{\"a\":{" body "}}}"
#define EXEC "\"exec\":[\"/bin/x\"]"
#define MCP(body) "{\"mcp_grants\":" body "}"

/* Every load-time refusal of 3.11 and 3.12 for the brief. */
static const struct {
	const char *brief, *id, *says;
} refusals[] = {
	{ "[]", "policy-shape", "must be an object" },
	{ "{\"agent_policies\":[]}", "policy-shape", "must be an object" },
	{ "{\"agent_policies\":{\"A\":{}}}", "policy-agent", "malformed agent slug: 'A'" },
	{ "{\"agent_policies\":{\"a\":[]}}", "policy-shape", "`agent_policies.a` must be" },
	{ AGENT("\"write_scopes\":\"docs/\""), "policy-shape", "must be a list of texts" },
	{ AGENT("\"write_scopes\":[1]"), "policy-shape", "must be text" },
	{ AGENT("\"write_scopes\":[\"a\\u0000b\"]"), "policy-shape", "control character" },
	{ AGENT("\"write_scopes\":[\"\\ud800\"]"), "policy-shape", "lone surrogate" },
	{ AGENT("\"write_scopes\":[\"**/x\"]"), "policy-scope", "unsafe pattern" },
	{ AGENT("\"write_scopes\":[\".claude/*\"]"), "policy-scope", "control plane" },
	{ AGENT("\"write_scopes\":[\"brief.json\"]"), "policy-scope-brief", "covers the brief" },
	{ AGENT("\"write_scopes\":[\"BRIEF.json\"]"), "policy-scope-brief", "covers the brief" },
	{ AGENT("\"commands\":{}"), "policy-shape", "must be a list" },
	{ COMMAND("\"prefix\":[]"), "policy-command", "empty `prefix`" },
	{ COMMAND("\"args\":[]"), "policy-command", "empty `prefix`" },
	{ COMMAND("\"prefix\":[\"\"]"), "policy-command", "empty `prefix`" },
	{ COMMAND("\"prefix\":[\"sh\"]"), "policy-shell", "begins with the shell `sh`" },
	{ COMMAND("\"prefix\":[\"/bin/bash\",\"x\"]"), "policy-shell", "/bin/bash" },
	{ COMMAND("\"prefix\":[\"zsh\"]"), "policy-shell", "zsh" },
	{ COMMAND("\"prefix\":[\"dash\"]"), "policy-shell", "dash" },
	{ COMMAND("\"prefix\":[\"ksh\"]"), "policy-shell", "ksh" },
	{ COMMAND("\"prefix\":[\"fish\"]"), "policy-shell", "fish" },
	{ COMMAND("\"prefix\":[\"csh\"]"), "policy-shell", "csh" },
	{ COMMAND("\"prefix\":[\"tcsh\"]"), "policy-shell", "tcsh" },
	{ COMMAND(PREFIX ",\"args\":[\"(\"]"), "policy-regex", "does not close" },
	{ COMMAND(PREFIX ",\"args\":[\"(?=x)\"]"), "policy-regex", "group" },
	{ COMMAND(PREFIX ",\"args\":[\".*\"]"), "policy-regex-wide", "matches `-x`" },
	{ COMMAND(PREFIX ",\"args\":[\"\\\\.\\\\./.*\"]"), "policy-regex-wide", "`../x`" },
	{ COMMAND(PREFIX ",\"args\":[\"/.*\"]"), "policy-regex-wide", "`/etc/passwd`" },
	{ COMMAND(PREFIX ",\"args\":[\"~/.*\"]"), "policy-regex-wide", "`~/x`" },
	{ COMMAND(PREFIX ",\"writes\":[\"*.o\"]"), "policy-writes", "by its name" },
	{ COMMAND(PREFIX ",\"writes\":[\"*/x\"]"), "policy-writes", "by its name" },
	{ COMMAND(PREFIX ",\"writes\":[\"/tmp/x\"]"), "policy-writes", "by its name" },
	{ COMMAND(PREFIX ",\"writes\":[\"../x\"]"), "policy-writes", "by its name" },
	{ COMMAND(PREFIX ",\"writes\":[\".claude/*\"]"), "policy-writes", "control plane" },
	{ COMMAND(PREFIX ",\"writes\":[\".git/*\"]"), "policy-writes", "control plane" },
	{ COMMAND(PREFIX ",\"timeout\":0"), "policy-timeout", "1 to 7200" },
	{ COMMAND(PREFIX ",\"timeout\":7201"), "policy-timeout", "1 to 7200" },
	{ COMMAND(PREFIX ",\"timeout\":1.5"), "policy-timeout", "1 to 7200" },
	{ COMMAND(PREFIX ",\"timeout\":true"), "policy-timeout", "1 to 7200" },
	{ COMMAND(PREFIX ",\"timeout\":\"60\""), "policy-timeout", "1 to 7200" },
	{ COMMAND(PREFIX ",\"stdin_gates\":[]"), "policy-gate-name", "is empty" },
	{ COMMAND(PREFIX ",\"stdin_gates\":[\"x\"]"), "policy-gate-name", "names the gate `x`" },
	{ COMMAND(PREFIX ",\"variadic\":true"), "policy-command", "needs a pattern" },
	{ COMMAND(PREFIX ",\"variadic\":1"), "policy-command", "true or false" },
	{ COMMAND(PREFIX ",\"cwd\":\"../x\""), "policy-command", "below the project" },
	{ COMMAND(PREFIX ",\"cwd\":\"/x\""), "policy-command", "below the project" },
	{ COMMAND(PREFIX ",\"variadik\":true"), "policy-shape", "has no key `variadik`" },
	{ GATE("\"glob\":\"*\",\"argv\":[]"), "policy-gate", "empty `argv`" },
	{ GATE("\"glob\":\"*\""), "policy-gate", "empty `argv`" },
	{ GATE("\"argv\":[\"x\"]"), "policy-shape", "must be text" },
	{ GATE("\"glob\":\"\",\"argv\":[\"x\"]"), "policy-gate", "empty `glob`" },
	{ GATE("\"glob\":\"*\",\"argv\":[\"bash\",\"-c\"]"), "policy-shell", "runs the shell" },
	{ GATE("\"glob\":\"*\",\"argv\":[\"x\",\"--f={file}\"]"), "policy-gate",
		"inside the larger argument" },
	{ GATE("\"glob\":\"*\",\"argv\":[\"x\",\"{path}.bak\"]"), "policy-gate",
		"inside the larger argument" },
	{ GATE("\"glob\":\"*\",\"argv\":[\"x\"],\"exec\":[\"bin/x\"]"), "policy-gate", "absolute" },
	{ GATE("\"glob\":\"*\",\"argv\":[\"x\"],\"exek\":[]"), "policy-shape", "`exek`" },
	{ "{\"protected_paths\":\"x\"}", "policy-shape", "list of texts" },
	{ "{\"allow_unconfined_runs\":false}", "policy-unconfined", "may be true" },
	{ "{\"allow_unconfined_runs\":1}", "policy-unconfined", "may be true" },
	{ "{\"confined_programs\":{\"gate_exec\":{}}}", "policy-confined", "`gate_exec`" },
	{ "{\"confined_programs\":{\"gate_argv_sha256\":{}}}", "policy-confined",
		"`gate_argv_sha256`" },
	{ "{\"confined_programs\":{\"A\":{}}}", "policy-confined", "malformed agent slug" },
	{ CONFINED("\"exec\":[]"), "policy-confined", "must name a program" },
	{ CONFINED("\"write\":[]"), "policy-confined", "must name a program" },
	{ CONFINED("\"exec\":[\"bin/x\"]"), "policy-confined", "absolute" },
	{ CONFINED("\"exec\":\"/bin/x\""), "policy-shape", "list of texts" },
	{ CONFINED(EXEC ",\"write\":[\".\"]"), "policy-confined", "the project itself" },
	{ CONFINED(EXEC ",\"write\":[\"./\"]"), "policy-confined", "the project itself" },
	{ CONFINED(EXEC ",\"write\":[\"../x\"]"), "policy-confined", "project-relative" },
	{ CONFINED(EXEC ",\"write\":[\"/abs\"]"), "policy-confined", "project-relative" },
	{ CONFINED(EXEC ",\"write\":[\"build/*\"]"), "policy-confined", "wildcard" },
	{ CONFINED(EXEC ",\"write\":[\".agentteams\"]"), "policy-confined", "ledger" },
	{ CONFINED(EXEC ",\"write\":[\"./.agentteams\"]"), "policy-confined", "ledger" },
	{ CONFINED(EXEC ",\"write\":[\".agentteams-queue\"]"), "policy-confined", "ledger" },
	{ CONFINED(EXEC ",\"write\":[\".git/hooks\"]"), "policy-confined", "ledger" },
	{ CONFINED(EXEC ",\"write\":[\".Claude/x\"]"), "policy-confined", "harness" },
	{ CONFINED(EXEC ",\"write\":[\".github\"]"), "policy-confined", "harness" },
	{ CONFINED(EXEC ",\"write\":[\"sandbox\"]"), "policy-confined", "control plane" },
	{ CONFINED(EXEC ",\"extra\":1"), "policy-shape", "`extra`" },
	{ MCP("[]"), "policy-shape", "must be an object" },
	{ MCP("{\"A\":{}}"), "policy-mcp", "malformed agent slug" },
	{ MCP("{\"orchestrator\":{\"tools\":[\"write_file\"]}}"), "policy-mcp", "orchestrator" },
	{ MCP("{\"a\":{\"tools\":[]}}"), "policy-mcp", "at least one" },
	{ MCP("{\"a\":{}}"), "policy-mcp", "at least one" },
	{ MCP("{\"a\":{\"tools\":[\"Write_file\"]}}"), "policy-mcp", "is none" },
	{ MCP("{\"a\":{\"tools\":[\"write_file\",\"write_file\"]}}"), "policy-mcp", "there twice" },
	{ MCP("{\"a\":{\"tools\":[\"write_file\"],\"approval\":\"auto\"}}"), "policy-mcp",
		"neither" },
	{ MCP("{\"a\":{\"tools\":[\"write_file\"],\"approval\":true}}"), "policy-mcp", "neither" },
	{ MCP("{\"a\":{\"tools\":[\"write_file\"],\"scopes\":[]}}"), "policy-shape", "`scopes`" },
	{ "{\"agent_policies\":{},\"agent_policies\":{}}", "json-duplicate-key", "" },
	{ "", "json-empty", "" },
};

static void refused(
	size_t row, const char *brief, const char *confined, const char *id, const char *says)
{
	struct at_policy policy;
	struct at_error err = { 0 };

	if (read_policy(&policy, brief, confined, &err))
		fail_msg("row %zu: was read", row);
	if (strcmp(err.id, id) != 0 || !strstr(err.message, says))
		fail_msg("row %zu: %s, %s", row, err.id, err.message);
	at_policy_free(&policy);
}

static void run_6_policies_that_are_refused(void **state)
{
	for (size_t i = 0; i < AT_LEN(refusals); i++)
		refused(i, refusals[i].brief, NULL, refusals[i].id, refusals[i].says);
}

/* The same for the operator's file. `%s` is the digest of the gate's argv. */
static const struct {
	const char *brief, *confined, *id, *says;
} operators[] = {
	{ "{}", "[]", "policy-shape", "must be an object" },
	{ "{}", "{", "json-syntax", "" },
	{ "{" GATES "}", "{\"a\":{" EXEC "}}", NULL, NULL },
	{ "{\"confined_programs\":{\"a\":{" EXEC "}}}", "{\"a\":{" EXEC "}}",
		"policy-confined-twice", "in the brief and in the operator's file" },
	{ "{" GATES "}", "{\"gate_exec\":{\"x\":[\"/bin/x\"]},\"gate_argv_sha256\":{\"x\":\"0\"}}",
		"policy-gate-name", "the brief does not have" },
	{ "{" GATES "}", "{\"gate_exec\":{\"lint\":[\"/bin/x\"]},\"gate_argv_sha256\":{}}",
		"policy-gate-name", "must name the same gates" },
	{ "{" GATES "}", "{\"gate_exec\":{},\"gate_argv_sha256\":{\"lint\":\"0\"}}",
		"policy-gate-name", "must name the same gates" },
	{ "{" GATES "}", "{\"gate_exec\":{\"lint\":[\"/bin/x\"]}}", "policy-confined", "both" },
	{ "{" GATES "}",
		"{\"gate_exec\":{\"lint\":[\"/bin/x\"]},\"gate_argv_sha256\":{\"lint\":\"0\"}}",
		"policy-gate", "another argv" },
	{ "{" GATES "}", "{\"gate_exec\":{\"lint\":[]},\"gate_argv_sha256\":{\"lint\":\"%s\"}}",
		"policy-confined", "must name a program" },
	{ "{" GATES "}",
		"{\"gate_exec\":{\"lint\":[\"~/x\"]},\"gate_argv_sha256\":{\"lint\":\"%s\"}}", NULL,
		NULL },
	{ "{\"proposal_gates\":{\"lint\":{\"glob\":\"*\",\"argv\":[\"/usr/bin/lint\",\"{file}\"],"
	  "\"exec\":[\"/bin/y\"]}}}",
		"{\"gate_exec\":{\"lint\":[\"/bin/x\"]},\"gate_argv_sha256\":{\"lint\":\"%s\"}}",
		"policy-confined-twice", "has an `exec` in the brief" },
};

static void fill_in(char *out, size_t size, const char *text)
{
	const char *at = strstr(text, "%s");
	const struct at_digest digest = at_digest_of(at_bytes_of("[\"/usr/bin/lint\",\"{file}\"]"));
	char hex[AT_DIGEST_HEX];

	at_digest_hex(hex, &digest);
	if (at)
		snprintf(out, size, "%.*s%s%s", (int)(at - text), text, hex, at + 2);
	else
		snprintf(out, size, "%s", text);
}

static void run_6_operators_files_that_are_refused(void **state)
{
	for (size_t i = 0; i < AT_LEN(operators); i++) {
		struct at_policy policy;
		struct at_error err;
		char text[512];

		fill_in(text, sizeof(text), operators[i].confined);
		if (operators[i].id) {
			refused(i, operators[i].brief, text, operators[i].id, operators[i].says);
			continue;
		}
		if (!read_policy(&policy, operators[i].brief, text, &err))
			fail_msg("row %zu: %s", i, err.message);
		assert_row(i, policy.confined_is_operators);
		at_policy_free(&policy);
	}
}

/* [!] of 3.13: a gate's hash is of the brief's own object, whoever gives its programs. */
static void dir_1_the_gate_hash_is_of_the_brief(void **state)
{
	struct at_policy alone, with;
	struct at_error err;
	char text[512];

	fill_in(text, sizeof(text), operators[10].confined);
	assert_true(read_policy(&alone, "{" GATES "}", NULL, &err));
	assert_true(read_policy(&with, "{" GATES "}", text, &err));
	assert_true(at_digest_equal(&alone.gates[0].object, &with.gates[0].object));
	assert_int_equal(alone.gates[0].exec.count, 0);
	assert_string_equal(with.gates[0].exec.items[0], "/home/op/x");
	at_policy_free(&alone);
	at_policy_free(&with);
}

static void run_5_the_operators_file_is_rendered(void **state)
{
	static const char wanted[] = "{\"gate_exec\":{\"lint\":[\"/bin/x\"]},\"a\":{\"write\":"
				     "[\"build\"],\"exec\":[\"/bin/x\"]}}";
	struct at_buf out = { 0 };
	struct at_policy policy;
	struct at_error err;
	char text[1024];

	if (!at_confined_render(&out, at_bytes_of(wanted), at_bytes_of("{" GATES "}"), "brief.json",
		    "/home/op", &err))
		fail_msg("%s", err.message);
	fill_in(text, sizeof(text),
		"{\n  \"a\": {\n    \"exec\": [\n      \"/bin/x\"\n    ],\n    \"write\": [\n      "
		"\"build\"\n    ]\n  },\n  \"gate_argv_sha256\": {\n    \"lint\": \"%s\"\n  },\n  "
		"\"gate_exec\": {\n    \"lint\": [\n      \"/bin/x\"\n    ]\n  }\n}\n");
	assert_string_equal(at_buf_text(&out), text);
	assert_true(read_policy(&policy, "{" GATES "}", at_buf_text(&out), &err));
	at_policy_free(&policy);
	out.len = 0;
	assert_false(at_confined_render(&out, at_bytes_of("{\"gate_exec\":{\"x\":[\"/b\"]}}"),
		at_bytes_of("{" GATES "}"), "brief.json", "/home/op", &err));
	assert_string_equal(err.id, "policy-gate-name");
	assert_false(at_confined_render(&out, at_bytes_of("[]"), at_bytes_of("{}"), "", "/", &err));
	at_buf_free(&out);
}

int test_policy(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_2_a_policy_is_read),
		cmocka_unit_test(run_2_no_policy_is_one),
		cmocka_unit_test(run_6_the_allowlist),
		cmocka_unit_test(run_6_policies_that_are_refused),
		cmocka_unit_test(run_6_operators_files_that_are_refused),
		cmocka_unit_test(dir_1_the_gate_hash_is_of_the_brief),
		cmocka_unit_test(run_5_the_operators_file_is_rendered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
