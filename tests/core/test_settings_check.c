#include "settings_rows.h"

#include <time.h>

#include "core/json_write.h"

#if defined(__SANITIZE_ADDRESS__)
#define IS_SLOW true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SLOW true
#endif
#endif
#ifndef IS_SLOW
#define IS_SLOW false
#endif

/* WIRE-8: would the client load the file at all. Each of these costs the whole file. */
static void wire_8_causes(void **state)
{
	static const struct row rows[] = {
		{ "", "json-empty", AT_FAIL, "", "{}" },
		{ " \n", "json-empty", AT_FAIL, "", "{}" },
		{ "{'a':1,}", "json-trailing-comma", AT_FAIL, "", "{'a':1}" },
		{ "{'a':[1,\n]}", "json-trailing-comma", AT_FAIL, "", "{'a':[1\n]}" },
		{ "{// x\n'a':1}", "file-not-strict-json", AT_FAIL, "", "{'a':'// x'}" },
		{ "{/* x */'a':1}", "file-not-strict-json", AT_FAIL, "", "{'a':'/* x */'}" },
		{ "{'a':01}", "json-invalid", AT_FAIL, "", "{'a':1}" },
		{ "{'a':NaN}", "json-invalid", AT_FAIL, "", "{'a':null}" },
		{ "{'a':1} x", "json-invalid", AT_FAIL, "", "{'a':1} " },
		{ "{'a':", "json-invalid", AT_FAIL, "", NULL },
		{ "{'a':'\xff'}", "json-invalid", AT_FAIL, "", "{'a':'\xc3\xa9'}" },
		{ "/*", "json-invalid", AT_FAIL, "", NULL },
		{ "{,}", "file-would-be-skipped", AT_FAIL, "", NULL },
		{ "[]", "key-wrong-type", AT_FAIL, "", "{}" },
		{ "'x'", "key-wrong-type", AT_FAIL, "", "{}" },
		{ "{'sandbox':{'enabled':'true'}}", "key-wrong-type", AT_FAIL, "/sandbox/enabled",
			"{'sandbox':{'enabled':true}}" },
		{ "{'sandbox':{'failIfUnavailable':'yes'}}", "key-wrong-type", AT_FAIL,
			"/sandbox/failIfUnavailable", "{'sandbox':{'failIfUnavailable':true}}" },
		{ "{'sandbox':{'filesystem':{'denyWrite':'x'}}}", "key-wrong-type", AT_FAIL,
			"/sandbox/filesystem/denyWrite",
			"{'sandbox':{'filesystem':{'denyWrite':['x']}}}" },
		{ "{'sandbox':{'filesystem':{'denyWrite':['a',5]}}}", "key-wrong-type", AT_FAIL,
			"/sandbox/filesystem/denyWrite/1",
			"{'sandbox':{'filesystem':{'denyWrite':['a','5']}}}" },
		{ "{'sandbox':true}", "key-wrong-type", AT_FAIL, "/sandbox", "{'sandbox':{}}" },
		{ "{'sandbox':{'network':[]}}", "key-wrong-type", AT_FAIL, "/sandbox/network",
			NULL },
		{ "{'cleanupPeriodDays':'x'}", "key-wrong-type", AT_FAIL, "/cleanupPeriodDays",
			"{'cleanupPeriodDays':7}" },
		{ "{'permissions':[]}", "key-wrong-type", AT_FAIL, "/permissions",
			"{'permissions':{}}" },
		{ "{'permissions':{'deny':'Read'}}", "key-wrong-type", AT_FAIL, "/permissions/deny",
			"{'permissions':{'deny':['Read']}}" },
		{ "{'env':['A']}", "key-wrong-type", AT_FAIL, "/env", "{'env':{'A':'1'}}" },
		{ "{'hooks':[]}", "key-wrong-type", AT_FAIL, "/hooks", "{'hooks':{}}" },
		{ "{'disableAllHooks':'no'}", "key-wrong-type", AT_FAIL, "/disableAllHooks",
			"{'disableAllHooks':false}" },
		{ "{'hooks':{'PreToolUse':'x'}}", "hook-shape-wrong", AT_FAIL, "/hooks/PreToolUse",
			"{'hooks':{'PreToolUse':[]}}" },
		{ "{'hooks':{'PreToolUse':['x']}}", "hook-shape-wrong", AT_FAIL,
			"/hooks/PreToolUse/0", NULL },
		{ "{'hooks':{'PreToolUse':[{'matcher':{'type':'always'},'hooks':[]}]}}",
			"hook-shape-wrong", AT_FAIL, "/hooks/PreToolUse/0/matcher",
			"{'hooks':{'PreToolUse':[{'matcher':'Bash','hooks':[]}]}}" },
		{ "{'hooks':{'Stop':[{'type':'command','command':'x'}]}}", "hook-shape-wrong",
			AT_FAIL, "/hooks/Stop/0",
			"{'hooks':{'Stop':[{'hooks':[{'type':'command','command':'x'}]}]}}" },
		{ "{'hooks':{'PreToolUse':[{'hooks':{}}]}}", "hook-shape-wrong", AT_FAIL,
			"/hooks/PreToolUse/0/hooks", NULL },
		{ "{'hooks':{'PreToolUse':[{'hooks':[{'type':'command'}]}]}}",
			"hook-command-missing", AT_FAIL, "/hooks/PreToolUse/0/hooks/0", NULL },
		{ "{'hooks':{'PreToolUse':[{'hooks':[{'command':'x'}]}]}}", "hook-type-missing",
			AT_FAIL, "/hooks/PreToolUse/0/hooks/0",
			"{'hooks':{'PreToolUse':[{'hooks':[{'type':'command','command':'x'}]}]}}" },
		{ "{'hooks':{'PreToolUse':[{'hooks':[{'type':'command','command':'x','timeout':'9'}"
		  "]}]}}",
			"hook-shape-wrong", AT_FAIL, "/hooks/PreToolUse/0/hooks/0/timeout", NULL },
		{ "{'hooks':{'PreToolUse':[{'hooks':[{'type':'command','command':['x']}]}]}}",
			"hook-shape-wrong", AT_FAIL, "/hooks/PreToolUse/0/hooks/0/command", NULL },
	};

	(void)state;
	run_rows(rows, AT_LEN(rows), NAME);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_wiring report;

		check(&report, rows[i].text, NAME);
		assert_row(i, !report.file_is_loaded);
		assert_row(i, strcmp(report.findings[0].id, "file-would-be-skipped") == 0);
		at_wiring_free(&report);
		if (!rows[i].mended)
			continue;
		check(&report, rows[i].mended, NAME);
		assert_row(i, report.file_is_loaded);
		at_wiring_free(&report);
	}
}

/* WIRE-8: what does not cost the file says so: the file counts as loaded. */
static void wire_8_loaded_all_the_same(void **state)
{
	static const struct row rows[] = {
		{ "\xef\xbb\xbf{}", "utf8-bom", AT_NOTE, "", "{}" },
		{ "{'permissions':{'deny':['A'],'deny':['Read']}}", "json-duplicate-key", AT_WARN,
			"/permissions/deny", "{'permissions':{'deny':['Read']}}" },
		{ "{'sandbox':{'enabled':'x','enabled':true}}", "json-duplicate-key", AT_WARN,
			"/sandbox/enabled",
			NULL }, /* the client takes the last: the wrong type is gone */
		{ "{'permissions':{'deny':[5]}}", "rule-malformed", AT_WARN, "/permissions/deny/0",
			"{'permissions':{'deny':['Read']}}" },
		{ "{'hooks':{'StopFaliure':'x'}}", "hook-event-unknown", AT_FAIL,
			"/hooks/StopFaliure", "{'hooks':{'StopFailure':[]}}" },
		{ "{'hooks':{'PreTooluse':[]}}", "hook-event-unknown", AT_FAIL, "/hooks/PreTooluse",
			NULL },
		{ "{'newThing':1}", "key-unknown", AT_NOTE, "/newThing", "{'_newThing':1}" },
		{ "{'permissionRules':{}}", "key-unknown", AT_WARN, "/permissionRules", "{}" },
		{ "{'mcp':{}}", "key-unknown", AT_WARN, "/mcp", "{}" },
		{ "{'sandbox':{'network':{'allowedHosts':[]}}}", "key-unknown", AT_WARN,
			"/sandbox/network/allowedHosts",
			"{'sandbox':{'network':{'allowedDomains':[]}}}" },
		{ "{'autoAllowBashIfSandboxed':true}", "key-misplaced", AT_WARN,
			"/autoAllowBashIfSandboxed",
			"{'sandbox':{'autoAllowBashIfSandboxed':true}}" },
		{ "{'sandbox':{'allowedDomains':[]}}", "key-misplaced", AT_WARN,
			"/sandbox/allowedDomains",
			"{'sandbox':{'network':{'allowedDomains':[]}}}" },
		{ "{'sandbox':{'denyWrite':[]}}", "key-misplaced", AT_WARN, "/sandbox/denyWrite",
			NULL },
		{ "{'deny':['Read']}", "key-misplaced", AT_WARN, "/deny", NULL },
		{ "{'PreToolUse':[]}", "key-misplaced", AT_WARN, "/PreToolUse", NULL },
		{ "{'sandbox':{'bwrapPath':'/x'}}", "key-managed-only", AT_NOTE,
			"/sandbox/bwrapPath", NULL },
	};

	(void)state;
	run_rows(rows, AT_LEN(rows), NAME);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_wiring report;

		check(&report, rows[i].text, NAME);
		assert_row(i, report.file_is_loaded);
		at_wiring_free(&report);
	}
}

/* WIRE-5, WIRE-9: what the sandbox block leaves open. */
static void wire_5_sandbox(void **state)
{
	static const struct row rows[] = {
		{ "{}", "sandbox-absent", AT_NOTE, "", "{'sandbox':{" BOX "}}" },
		{ "{'sandbox':{'enabled':false}}", "sandbox-disabled", AT_FAIL, "/sandbox/enabled",
			"{'sandbox':{" BOX "}}" },
		{ "{'sandbox':{}}", "sandbox-disabled", AT_FAIL, "/sandbox",
			"{'sandbox':{" BOX "}}" },
		{ "{'sandbox':{'enabled':true}}", "sandbox-fails-open", AT_FAIL, "/sandbox",
			"{'sandbox':{" BOX "}}" },
		{ "{'sandbox':{'enabled':true,'failIfUnavailable':false}}", "sandbox-fails-open",
			AT_FAIL, "/sandbox/failIfUnavailable", NULL },
		{ "{'sandbox':{'enabled':true}}", "unsandboxed-retry-open", AT_FAIL, "/sandbox",
			"{'sandbox':{" BOX "}}" },
		{ "{'sandbox':{'enabled':true,'allowUnsandboxedCommands':true}}",
			"unsandboxed-retry-open", AT_FAIL, "/sandbox/allowUnsandboxedCommands",
			NULL },
		{ "{'sandbox':{" BOX ",'excludedCommands':['git *']}}", "excluded-commands",
			AT_WARN, "/sandbox/excludedCommands",
			"{'sandbox':{" BOX ",'excludedCommands':[]}}" },
		{ "{'sandbox':{'enableWeakerNestedSandbox':true}}", "weaker-nested", AT_WARN, NULL,
			"{'sandbox':{'enableWeakerNestedSandbox':false}}" },
		{ "{'sandbox':{'enableWeakerNetworkIsolation':true}}", "weaker-network", AT_WARN,
			NULL, "{'sandbox':{}}" },
		{ "{'sandbox':{'network':{'allowAllUnixSockets':true}}}", "allow-all-unix-sockets",
			AT_WARN, "/sandbox/network/allowAllUnixSockets",
			"{'sandbox':{'network':{}}}" },
		{ "{'sandbox':{'network':{'allowedDomains':['example.org']}}}",
			"network-allow-list", AT_NOTE, "/sandbox/network/allowedDomains",
			"{'sandbox':{'network':{}}}" },
		{ "{'sandbox':{'network':{'allowedDomains':['*']}}}", "network-allow-list", AT_WARN,
			"/sandbox/network/allowedDomains/0", NULL },
		{ "{'sandbox':{'network':{'allowLocalBinding':true}}}", "network-allow-list",
			AT_NOTE, "/sandbox/network/allowLocalBinding", NULL },
		{ "{'sandbox':{'ignoreViolations':{'x':['y']}}}", "violations-ignored", AT_NOTE,
			NULL, "{'sandbox':{'ignoreViolations':{}}}" },
	};

	(void)state;
	run_rows(rows, AT_LEN(rows), NAME);
}

/* WIRE-8: paths that protect nothing, or hide too much. */
static void wire_8_sandbox_paths(void **state)
{
	static const struct row rows[] = {
		{ FS("'denyWrite':['ops/gone.json']"), "deny-path-missing", AT_FAIL,
			"/sandbox/filesystem/denyWrite/0", FS("'denyWrite':['ops/switch.json']") },
		{ FS("'denyWrite':['ops','ops/a/b']"), "deny-path-missing", AT_FAIL,
			"/sandbox/filesystem/denyWrite/1",
			FS("'denyWrite':['ops','./ops/','ops/**']") },
		{ FS("'denyWrite':['~/gone']"), "deny-path-missing", AT_FAIL, NULL, NULL },
		{ FS("'denyWrite':['/ops/switch.json']"), "deny-path-single-slash", AT_FAIL,
			"/sandbox/filesystem/denyWrite/0", FS("'denyWrite':['ops/switch.json']") },
		{ FS("'denyWrite':['/nowhere']"), "deny-path-single-slash", AT_FAIL, NULL,
			FS("'denyWrite':['/etc/passwd']") },
		{ FS("'denyWrite':['/opt/own.txt']"), "deny-path-single-slash", AT_FAIL, NULL,
			NULL },
		{ FS("'denyWrite':['/etc/gone']"), "deny-path-missing", AT_FAIL, NULL, NULL },
		{ FS("'denyWrite':['link']"), "deny-path-is-link", AT_WARN,
			"/sandbox/filesystem/denyWrite/0", FS("'denyWrite':['ops']") },
		{ FS("'denyWrite':['link/switch.json']"), "deny-path-is-link", AT_WARN, NULL,
			NULL },
		{ FS("'denyWrite':['ops/*.json']"), "glob-in-sandbox-path", AT_FAIL,
			"/sandbox/filesystem/denyWrite/0", FS("'denyWrite':['ops/**']") },
		{ FS("'denyRead':['~/.s?h']"), "glob-in-sandbox-path", AT_FAIL, NULL, NULL },
		{ FS("'denyRead':['**/x/**']"), "glob-in-sandbox-path", AT_FAIL, NULL, NULL },
		{ FS("'allowWrite':['/dev/ttys*']"), "glob-in-sandbox-path", AT_WARN,
			"/sandbox/filesystem/allowWrite/0", FS("'allowWrite':['/dev/ptmx']") },
		{ FS("'denyRead':['$HOME/.ssh']"), "sandbox-path-unexpanded", AT_WARN, NULL,
			FS("'denyRead':['~/.ssh']") },
		{ FS("'denyRead':['/'],'allowRead':['.','/usr','/bin','/lib']"),
			"deny-read-ancestor", AT_FAIL, "/sandbox/filesystem/denyRead/0",
			FS("'denyRead':['~/.ssh']") },
		{ FS("'denyRead':['/**']"), "deny-read-ancestor", AT_FAIL, NULL, NULL },
		{ FS("'denyRead':['/usr']"), "deny-read-ancestor", AT_FAIL, NULL,
			FS("'denyRead':['/usr/local/share/secret']") },
		{ FS("'denyRead':['..']"), "deny-read-ancestor", AT_FAIL, NULL,
			FS("'denyRead':['../other']") },
		{ FS("'denyRead':['.']"), "deny-read-ancestor", AT_FAIL, NULL, NULL },
		{ FS("'denyRead':['..'],'allowRead':['.']"), "deny-read-reopened", AT_NOTE,
			"/sandbox/filesystem/denyRead/0",
			FS("'denyRead':['..'],'allowRead':['ops']") },
		{ FS("'denyRead':['ops'],'allowRead':['./ops/']"), "deny-read-cancelled", AT_WARN,
			"/sandbox/filesystem/denyRead/0",
			FS("'denyRead':['ops'],'allowRead':['tools']") },
		{ FS("'allowWrite':['/']"), "allow-write-wide", AT_FAIL, NULL,
			FS("'allowWrite':['.']") },
		{ FS("'allowWrite':['~']"), "allow-write-wide", AT_FAIL, NULL,
			FS("'allowWrite':['~/.cache/x']") },
		{ FS("'allowWrite':['..']"), "allow-write-wide", AT_FAIL, NULL, NULL },
	};

	(void)state;
	run_rows(rows, AT_LEN(rows), NAME);
}

/* WIRE-16, WIRE-5: names that steer or look like keys. */
static void wire_16_env(void **state)
{
	static const struct row rows[] = {
		{ "{'env':{'ANTHROPIC_BASE_URL':'x'}}", "env-steers-client", AT_WARN,
			"/env/ANTHROPIC_BASE_URL", "{'env':{'LANG':'C'}}" },
		{ "{'env':{'PATH':'x'}}", "env-steers-client", AT_WARN, "/env/PATH",
			"{'env':{'MYPATH':'x'}}" },
		{ "{'env':{'LD_PRELOAD':'x'}}", "env-steers-client", AT_WARN, NULL, NULL },
		{ "{'env':{'SHELLOPTS':'x'}}", "env-steers-client", AT_WARN, NULL, NULL },
		{ "{'env':{'BASH_FUNC_echo%%':'x'}}", "env-steers-client", AT_WARN, NULL, NULL },
		{ "{'env':{'NODE_OPTIONS':'x'}}", "env-steers-client", AT_WARN, NULL, NULL },
		{ "{'env':{'HTTPS_PROXY':'x'}}", "env-steers-client", AT_WARN, NULL, NULL },
		{ "{'env':{'IS_SANDBOX':'1'}}", "env-steers-client", AT_WARN, NULL, NULL },
		{ "{'env':{'AGENTTEAMS_ROOT':'x'}}", "env-steers-client", AT_WARN, NULL, NULL },
		{ "{'env':{'AGENTTEAMS_DECISION_ED25519_KEYFILE':'x'}}", "env-signing-key", AT_FAIL,
			NULL, "{'env':{}}" },
		{ "{'env':{'AGENTTEAMS_GRANT_KEY_HEX':'x'}}", "env-signing-key", AT_FAIL, NULL,
			NULL },
		{ "{'env':{'MY_API_KEY':'x'}}", "env-key-like", AT_WARN, "/env/MY_API_KEY",
			"{'env':{'MAX_THINKING_TOKENS':'9','KEYBOARD':'us'}}" },
		{ "{'env':{'db_password':'x'}}", "env-key-like", AT_WARN, NULL, NULL },
		{ "{'apiKeyHelper':'x'}", "runs-unsandboxed", AT_NOTE, "/apiKeyHelper", "{}" },
		{ "{'statusLine':{'type':'command','command':'x'}}", "runs-unsandboxed", AT_NOTE,
			"/statusLine", "{}" },
		{ "{'mcpServers':{'a':{'command':'x'}}}", "runs-unsandboxed", AT_NOTE,
			"/mcpServers", "{}" },
		{ "{'extraKnownMarketplaces':{'v':{'autoUpdate':true}}}", "auto-update-marketplace",
			AT_NOTE, "/extraKnownMarketplaces/v/autoUpdate",
			"{'extraKnownMarketplaces':{'v':{'autoUpdate':false}}}" },
		{ "{'enabledPlugins':{'a@b':true}}", "plugins-enabled", AT_NOTE, "/enabledPlugins",
			"{'enabledPlugins':{'a@b':false}}" },
	};

	(void)state;
	run_rows(rows, AT_LEN(rows), NAME);
}

/* Reports as text and as JSON in one buffer. */
static struct at_buf both_outputs(const struct at_wiring *report)
{
	struct at_json_value *out = at_json_object();
	struct at_buf buf = { 0 };

	at_wiring_print(report, &buf);
	at_wiring_to_json(report, out);
	at_json_print(&buf, out, AT_JSON_PRETTY);
	at_json_value_free(out);
	return buf;
}

/* WIRE-5: values of env and unknown keys are named, never shown, in no output. */
static void wire_5_never_shows_values(void **state)
{
	static const char *const rows[] = {
		"{'env':{'MY_TOKEN':'CANARY','PATH':'CANARY','X':['CANARY']}}",
		"{'env':'CANARY'}",
		"{'env':{'A':'1','A':'CANARY'}}",
		"{'mcp':{'CANARY':1,'CANARY':2,'x':'CANARY'},'unknown':['CANARY']}",
		"{'permissionRules':'CANARY'}",
		"{'sandbox':{'excludedCommands':['CANARY *']}}",
		"{'sandbox':{'mystery':'CANARY'}}",
		"{'apiKeyHelper':'CANARY'}",
		"{'statusLine':{'command':'CANARY'}}",
		"{'mcpServers':{'a':{'env':{'K':'CANARY'}}}}",
		"{'env':{'X':'CANARY',}}",
		"{'env':{'X':CANARY}}",
		"{'env':{'X':'CANARY\n'}}",
		"#!/bin/sh\nCANARY=1\n",
		"CANARY",
		"{'env':{'X':'CANARY'}} CANARY",
		"{/* CANARY */'a':1}",
		"{'model':'CANARY','model':'CANARY'}",
		"{'cleanupPeriodDays':'CANARY'}",
		"'CANARY'",
		"{'extraKnownMarketplaces':{'v':{'autoUpdate':true,'source':{'url':'CANARY'}}}}",
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_wiring report;
		struct at_buf out;

		check(&report, rows[i], NAME);
		out = both_outputs(&report);
		if (strstr(at_buf_text(&out), "CANARY"))
			fail_msg("row %zu: shown in\n%s", i, at_buf_text(&out));
		at_buf_free(&out);
		at_wiring_free(&report);
	}
}

/* WIRE-8: line and byte column, from 1, of the value or the key that is meant. */
static void wire_8_positions(void **state)
{
	static const struct {
		const char *text, *id;
		unsigned line, column;
	} rows[] = {
		{ "{\n  'a': [\n    1,\n  ]\n}", "json-trailing-comma", 3, 6 },
		{ "{\r\n  // x\r\n  'a': 1}", "file-not-strict-json", 2, 3 },
		{ "{\n 'a': 01}", "json-invalid", 2, 7 },
		{ "{\n 'sandbox': {'enabled': 5}}", "key-wrong-type", 2, 25 },
		{ "{\n 'a': 1,\n  'mcp': {}}", "key-unknown", 3, 3 },
		{ "{\n'permissions': {'deny': ['Read',\n  'Write(x)']}}", "rule-never-matches", 3,
			3 },
		{ "\xef\xbb\xbf{}", "utf8-bom", 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_wiring report;
		const struct at_finding *f;

		check(&report, rows[i].text, NAME);
		f = strcmp(rows[i].id, "key-unknown") == 0 ? find(&report, rows[i].id, "/mcp") :
			find(&report, rows[i].id, NULL);
		if (!f || f->line != rows[i].line || f->column != rows[i].column)
			fail_msg("row %zu: %s at %u:%u", i, rows[i].id, f ? f->line : 0,
				f ? f->column : 0);
		at_wiring_free(&report);
	}
}

/* WIRE-8: a file that is no strict JSON still tells the rest, and is not loaded. */
static void wire_8_relaxed_reading(void **state)
{
	struct at_wiring report;

	(void)state;
	check(&report, "{ // '}\n 'permissions': {'allow': ['Bash(rm:*)', /* ',] */ ], },}", NAME);
	assert_non_null(find(&report, "file-not-strict-json", ""));
	assert_non_null(find(&report, "json-trailing-comma", ""));
	assert_non_null(find(&report, "allow-covers-delete", ALLOW0));
	assert_null(find(&report, "json-invalid", NULL));
	assert_false(report.file_is_loaded);
	at_wiring_free(&report);
	check(&report, "{ // x\n 'a': }", NAME);
	assert_non_null(find(&report, "json-invalid", ""));
	at_wiring_free(&report);
}

/* WIRE-9: a local file may leave to the project's what it does not name. */
static void wire_9_local_file(void **state)
{
	static const struct row rows[] = {
		{ "{'sandbox':{}}", "sandbox-disabled", AT_NOTE, "/sandbox", NULL },
		{ "{'sandbox':{'enabled':false}}", "sandbox-disabled", AT_FAIL, "/sandbox/enabled",
			"{'sandbox':{'enabled':true}}" },
		{ "{'sandbox':{'failIfUnavailable':false}}", "sandbox-fails-open", AT_FAIL, NULL,
			"{'sandbox':{'enabled':true}}" },
		{ "{'sandbox':{'allowUnsandboxedCommands':true}}", "unsandboxed-retry-open",
			AT_FAIL, NULL, "{'sandbox':{}}" },
	};
	struct at_wiring report;

	(void)state;
	run_rows(rows, AT_LEN(rows), ".claude/settings.local.json");
	check(&report, "{'allowManagedHooksOnly':true}", "/etc/claude-code/managed-settings.json");
	assert_null(find(&report, "key-managed-only", NULL));
	at_wiring_free(&report);
	check(&report, "{}", ".claude/settings.jsonc");
	assert_non_null(find(&report, "file-name-not-read", ""));
	assert_false(report.file_is_loaded);
	at_wiring_free(&report);
}

/* Without a project nothing is looked up, and nothing is called missing. */
static void without_a_project(void **state)
{
	const char *had = project;
	int fd = project_fd;
	static const struct row rows[] = {
		{ FS("'denyRead':['../..']"), "deny-read-ancestor", AT_FAIL, NULL,
			FS("'denyRead':['../x']") },
		{ FS("'denyWrite':['/references/x']"), "deny-path-single-slash", AT_WARN, NULL,
			FS("'denyWrite':['references/x','/etc/x']") },
		{ GATE, "hook-needs-exec-bit", AT_NOTE, NULL, PRE("sh " OURS "gate") },
		{ PRE("x/y"), "hook-path-relative", AT_FAIL, NULL, NULL },
		{ DENY("'Edit(/opt/x)'"), "rule-anchor-suspicious", AT_WARN, NULL, NULL },
	};
	struct at_wiring report;

	(void)state;
	project = NULL;
	project_fd = -1;
	run_rows(rows, AT_LEN(rows), NAME);
	check(&report, FS("'denyWrite':['gone']"), NAME);
	assert_null(find(&report, "deny-path-missing", NULL));
	at_wiring_free(&report);
	check(&report, PRE("/opt/gone/x"), NAME);
	assert_null(find(&report, "hook-missing", NULL));
	at_wiring_free(&report);
	project = had;
	project_fd = fd;
}

/* What lies in a home that nobody named is not called missing. */
static void without_a_home(void **state)
{
	struct at_settings_place place = { .name = NAME, .project = project,
		.project_fd = project_fd };
	struct at_buf text = json("{'sandbox':{'filesystem':{'denyWrite':['~/gone']}},"
		"'hooks':{'PreToolUse':[{'hooks':[{'type':'command','command':'~/gone'}]}]}}");
	struct at_wiring report;

	(void)state;
	at_wiring_init(&report);
	at_settings_check(&report, at_buf_bytes(&text), &place);
	assert_null(find(&report, "deny-path-missing", NULL));
	assert_null(find(&report, "hook-missing", NULL));
	assert_non_null(find(&report, "hook-needs-exec-bit", NULL));
	at_wiring_free(&report);
	at_buf_free(&text);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#define MANY 50000

/* One of these per kind of list; `%d` is replaced by the index. */
static struct at_buf many(const char *before, const char *item, const char *after)
{
	struct at_buf buf = json(before);

	for (int i = 0; i < MANY; i++) {
		struct at_buf one = json(item);
		const char *mark = strchr(at_buf_text(&one), '%');

		if (i > 0)
			at_buf_putc(&buf, ',');
		if (mark) {
			at_buf_put(&buf, one.data, (size_t)(mark - one.data));
			at_buf_printf(&buf, "%d%s", i, mark + 1);
		} else {
			at_buf_puts(&buf, at_buf_text(&one));
		}
		at_buf_free(&one);
	}
	while (*after) {
		at_buf_putc(&buf, *after == '\'' ? '"' : *after);
		after++;
	}
	return buf;
}

/* A file of fifty thousand faults of one kind takes no time and no pages. */
static void large_files(void **state)
{
	static const struct {
		const char *before, *item, *after;
		double limit; /* seconds, for a plain build */
	} rows[] = {
		{ "{'permissions':{'deny':[", "'Bash(git checkout .)*%'", "]}}", 0.03 },
		{ "{'permissions':{'allow':[", "'Bash(tool% *)'", "]}}", 0.06 },
		{ "{'permissions':{'deny':[", "'Read(/a/b/c%/**)'", "]}}", 0.1 },
		{ "{'permissions':{'deny':[],'deny':[],'allow':[", "'Edit(/a/%)'", "]}}", 0.1 },
		{ "{'sandbox':{'enabled':true,'filesystem':{'denyRead':[", "'../%'", "]}}}", 0.2 },
		{ "{'sandbox':{'enabled':true,'filesystem':{'denyWrite':[", "'/a/%'", "]}}}", 0.5 },
		{ "{", "'k%':1", "}", 0.1 },
		{ "{", "'k':1", "}", 0.1 },
		{ "{'env':{", "'PATH':1", "}}", 0.1 },
		{ "{'hooks':{'PreToolUse':[",
			"{'matcher':'Q%','hooks':[{'type':'command','command':'x'}]}", "]}}", 0.2 },
		{ "[", "{// x\n}", "]", 0.1 },
		{ "[", "1", ",]", 0.1 },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_buf text = many(rows[i].before, rows[i].item, rows[i].after);
		struct at_wiring report;
		double took = seconds();

		check_bytes(&report, at_buf_bytes(&text), NAME);
		took = seconds() - took;
		if (getenv("AT_TEST_TIMES"))
			print_message(
				"row %zu: %.1f ms, %zu findings\n", i, took * 1e3, report.count);
		/* With room for a loaded machine; what is quadratic takes seconds. */
		if (took > rows[i].limit * (IS_SLOW ? 50 : 5))
			fail_msg("row %zu: %.0f ms", i, took * 1e3);
		assert_row(i, report.count < 1000);
		at_wiring_free(&report);
		at_buf_free(&text);
	}
}

/* The rest is counted, so that nothing is lost from the sum. */
static void repeated_findings_are_counted(void **state)
{
	struct at_buf text = many("{'permissions':{'deny':[", "'Bash('", "]}}");
	struct at_wiring report;

	(void)state;
	check_bytes(&report, at_buf_bytes(&text), NAME);
	assert_non_null(strstr(report.findings[report.count - 1].text, "49900 more"));
	assert_string_equal(report.findings[report.count - 1].id, "rule-malformed");
	at_wiring_free(&report);
	at_buf_free(&text);
}

int test_settings_check(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_8_causes),
		cmocka_unit_test(wire_8_loaded_all_the_same),
		cmocka_unit_test(wire_5_sandbox),
		cmocka_unit_test(wire_8_sandbox_paths),
		cmocka_unit_test(wire_16_env),
		cmocka_unit_test(wire_5_never_shows_values),
		cmocka_unit_test(wire_8_positions),
		cmocka_unit_test(wire_8_relaxed_reading),
		cmocka_unit_test(wire_9_local_file),
		cmocka_unit_test(without_a_project),
		cmocka_unit_test(without_a_home),
		cmocka_unit_test(large_files),
		cmocka_unit_test(repeated_findings_are_counted),
	};

	return cmocka_run_group_tests_name("settings_check", tests, set_up, tear_down);
}
