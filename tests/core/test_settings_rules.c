#include "settings_rows.h"

/* WIRE-5, WIRE-8: rules that do nothing, and rules that do more than they seem to. */
static void wire_8_rules(void **state)
{
	static const struct row rows[] = {
		{ ALLOW("'*'"), "rule-malformed", AT_WARN, ALLOW0, ALLOW("'Read'") },
		{ DENY("'Bash(git checkout .)*'"), "rule-malformed", AT_WARN, DENY0,
			DENY("'Bash(git checkout .*)'") },
		{ DENY("'Bash('"), "rule-malformed", AT_WARN, DENY0, NULL },
		{ DENY("''"), "rule-malformed", AT_WARN, DENY0, NULL },
		{ DENY("'(x)'"), "rule-malformed", AT_WARN, DENY0, NULL },
		{ DENY("' Read'"), "rule-malformed", AT_WARN, DENY0, NULL },
		{ DENY("'Read','Edit)'"), "rule-malformed", AT_WARN, "/permissions/deny/1", NULL },
		{ DENY("'Bash(DROP TABLE*)'"), "rule-never-matches", AT_WARN, DENY0,
			DENY("'Bash(dropdb *)'") },
		{ DENY("'Write(/x)'"), "rule-never-matches", AT_FAIL, DENY0, DENY("'Edit(/x)'") },
		{ DENY("'MultiEdit(/x)'"), "rule-never-matches", AT_FAIL, DENY0, NULL },
		{ DENY("'NotebookEdit(/x)'"), "rule-never-matches", AT_FAIL, DENY0,
			DENY("'NotebookEdit'") },
		{ ALLOW("'Write(/x)'"), "rule-never-matches", AT_WARN, ALLOW0, ALLOW("'Write'") },
		{ DENY("'Read($HOME/x)'"), "rule-never-matches", AT_FAIL, DENY0,
			DENY("'Read(~/x)'") },
		{ DENY("'bash(x)'"), "rule-never-matches", AT_WARN, DENY0, DENY("'Bash(x)'") },
		{ DENY("'Edit(/etc/claude-code/**)'"), "rule-anchor-suspicious", AT_WARN, DENY0,
			DENY("'Edit(//etc/claude-code/**)'") },
		{ DENY("'Read(/home/x/.ssh/**)'"), "rule-anchor-suspicious", AT_WARN, DENY0,
			DENY("'Read(/homework/x)','Read(/opt/own.txt)'") }, /* opt/ is in the
									       project */
		{ ALLOW("'Bash(git -C checkout *)'"), "rule-odd", AT_WARN, ALLOW0,
			ALLOW("'Bash(git -C * checkout *)'") },
		{ DENY("'Bash(*sudo *:*)'"), "rule-odd", AT_WARN, DENY0, DENY("'Bash(*sudo *)'") },
		{ DENY("'Bash(a:* b)'"), "rule-odd", AT_WARN, DENY0, NULL },
		{ DENY("'Bash()'"), "rule-odd", AT_WARN, DENY0, NULL },
		{ DENY("'Bash(curl*| *sh*)'"), "rule-odd", AT_WARN, DENY0, NULL },
		{ DENY("'Bash(> /dev/*)'"), "rule-odd", AT_WARN, DENY0, NULL },
		{ DENY("'Frobnicate'"), "rule-tool-unknown", AT_NOTE, DENY0, DENY("'mcp__x__y'") },
		{ DENY("'Bash(rm -rf *)'"), "rule-prefix-only", AT_NOTE, DENY0,
			DENY("'Bash(rm -rf x)'") },
		{ DENY("'Bash(cat *.env*)'"), "deny-by-reader-name-only", AT_NOTE, DENY0,
			DENY("'Bash(catalog *)'") },
		{ ALLOW("'Bash'"), "allow-bare-bash", AT_WARN, ALLOW0, ALLOW("'Bash(ls)'") },
		{ ALLOW("'Bash(*)'"), "allow-bare-bash", AT_WARN, ALLOW0, NULL },
		{ "{'permissions':{'allow':['Bash']},'sandbox':{" BOX "}}", "allow-bare-bash",
			AT_NOTE, ALLOW0, NULL },
		{ ALLOW("'Bash(rm:*)'"), "allow-covers-delete", AT_WARN, ALLOW0,
			ALLOW("'Bash(rm -rf ./out)','Bash(rmlint:*)'") },
		{ ALLOW("'Bash(find *)'"), "allow-covers-delete", AT_WARN, ALLOW0, NULL },
		{ ALLOW("'Bash(gh:*)'"), "allow-covers-merge", AT_WARN, ALLOW0,
			ALLOW("'Bash(gh pr view:*)'") },
		{ ALLOW("'Bash(gh pr *)'"), "allow-covers-merge", AT_WARN, ALLOW0, NULL },
		{ ALLOW("'Bash(git push *)'"), "allow-covers-push", AT_WARN, ALLOW0,
			ALLOW("'Bash(git pull *)'") },
		{ ALLOW("'Bash(git config *)'"), "allow-git-config", AT_WARN, ALLOW0,
			ALLOW("'Bash(git config --get *)'") },
		{ ALLOW("'Bash(git *)'"), "allow-git-config", AT_WARN, ALLOW0, NULL },
		{ ALLOW("'Bash(sudo:*)'"), "allow-covers-root", AT_WARN, ALLOW0,
			ALLOW("'Bash(sudo systemctl status:*)'") },
		{ ALLOW("'Bash(python3 *)'"), "allow-covers-interpreter", AT_WARN, ALLOW0,
			ALLOW("'Bash(python3 tools/x.py *)'") },
		{ ALLOW("'Bash(agent -p *)'"), "allow-nested-agent", AT_WARN, ALLOW0, NULL },
		{ ALLOW("'Read(//Users/someone/**)'"), "allow-covers-home", AT_WARN, ALLOW0,
			ALLOW("'Read(//Users/someone/x/**)'") },
		{ ALLOW("'Read(~/**)'"), "allow-covers-home", AT_WARN, ALLOW0,
			ALLOW("'Read(~/x/**)'") },
		{ ALLOW("'Edit(~/wide/**)'"), "allow-edit-outside", AT_WARN, ALLOW0,
			ALLOW("'Edit(/wide/**)'") },
		{ "{'enableAllProjectMcpServers':true}", "enable-all-mcp", AT_WARN,
			"/enableAllProjectMcpServers", "{'enableAllProjectMcpServers':false}" },
		{ "{'permissions':{'additionalDirectories':['../x']}}", "additional-directories",
			AT_WARN, NULL, "{'permissions':{'additionalDirectories':[]}}" },
		{ "{'permissions':{'defaultMode':'bypassPermissions'}}", "bypass-mode-on", AT_FAIL,
			"/permissions/defaultMode",
			"{'permissions':{'defaultMode':'bypassPermissions',"
			"'disableBypassPermissionsMode':'disable'}}" },
		{ "{'permissions':{'defaultMode':'acceptEdits'}}", "accept-edits-mode", AT_NOTE,
			NULL, "{'permissions':{'defaultMode':'default'}}" },
		{ "{'permissions':{'defaultMode':'yolo'}}", "default-mode-unknown", AT_WARN, NULL,
			"{'permissions':{'defaultMode':'plan'}}" },
		{ "{'permissions':{'disableBypassPermissionsMode':'true'}}",
			"bypass-lock-without-effect", AT_WARN, NULL,
			"{'permissions':{'disableBypassPermissionsMode':'disable'}}" },
		{ "{'skipDangerousModePermissionPrompt':true}", "bypass-prompt-skipped", AT_WARN,
			NULL, "{}" },
	};

	(void)state;
	run_rows(rows, AT_LEN(rows), NAME);
}

#define LAYERS(deny, box) "{'permissions':{'deny':[" deny "]},'sandbox':{" BOX "," \
	"'filesystem':{" box "}}}"

/* WIRE-5: a path needs both layers, the tools' and Bash's. */
static void wire_5_layers(void **state)
{
	static const struct row rows[] = {
		{ LAYERS("'Edit(/tools/release.sh)'", "'denyWrite':['tools/release.sh']"),
			"both-layers", AT_OKAY, "/sandbox/filesystem/denyWrite/0",
			LAYERS("", "'denyWrite':['tools']") },
		{ LAYERS("'Edit(./tools/**)'", "'denyWrite':['./tools/release.sh']"), "both-layers",
			AT_OKAY, NULL, NULL },
		{ LAYERS("", "'denyWrite':['ops/switch.json']"), "gap-tool-edit", AT_FAIL,
			"/sandbox/filesystem/denyWrite/0",
			LAYERS("'Edit(/ops/**)'", "'denyWrite':['ops/switch.json']") },
		{ LAYERS("'Write(/ops/**)'", "'denyWrite':['ops']"), "gap-tool-edit", AT_FAIL, NULL,
			NULL },
		{ LAYERS("'Edit(//ops/**)'", "'denyWrite':['ops']"), "gap-tool-edit", AT_FAIL, NULL,
			NULL },
		{ LAYERS("'Edit(/ops/**)'", "'denyWrite':['.agentteams']"), "gap-tool-edit",
			AT_WARN, NULL,
			LAYERS("'Edit(/.agentteams/**)'", "'denyWrite':['.agentteams']") },
		{ LAYERS("'Edit(/.claude/settings.json)'", "'denyWrite':['.claude']"),
			"gap-tool-edit-partial", AT_NOTE, "/sandbox/filesystem/denyWrite/0",
			LAYERS("'Edit(/.claude/**)'", "'denyWrite':['.claude']") },
		{ DENY("'Read(./notes/**)'"), "gap-bash-read", AT_WARN, DENY0, DENY("'Glob'") },
		{ LAYERS("'Read(./notes/**)'", ""), "gap-bash-read", AT_NOTE, DENY0,
			LAYERS("'Read(./notes/**)'", "'denyRead':['notes']") },
		{ LAYERS("'Read(~/.ssh/**)'", "'denyRead':['~/.aws']"), "gap-bash-read", AT_NOTE,
			DENY0, LAYERS("'Read(~/.ssh/**)'", "'denyRead':['~']") },
		{ LAYERS("'Edit(/a)','Edit(/b)'", "'denyWrite':['ops']"), "gap-bash-write", AT_NOTE,
			"/permissions/deny", LAYERS("'Edit(/ops/a)'", "'denyWrite':['ops']") },
	};

	(void)state;
	run_rows(rows, AT_LEN(rows), NAME);
}


/* WIRE-8, WIRE-9: a guard that cannot run, or lets pass what it should stop. */
static void wire_8_hooks(void **state)
{
	static const struct row rows[] = {
		{ "{}", "hook-absent", AT_NOTE, "", GATE },
		{ "{'disableAllHooks':true}", "hooks-disabled", AT_FAIL, "/disableAllHooks", GATE },
		{ "{'hooks':{'Bash':[{'type':'command','command':'x'}]}}", "hook-event-unknown",
			AT_FAIL, "/hooks/Bash", GATE },
		{ "{'hooks':{'beforeTool':'/opt/x'}}", "hook-event-unknown", AT_FAIL,
			"/hooks/beforeTool", GATE },
		{ HOOK("PreToolUse", "'matcher':'Bash(echo *)',", "'command':'x'"),
			"matcher-matches-nothing", AT_FAIL, "/hooks/PreToolUse/0/matcher",
			HOOK("PreToolUse", "'matcher':'Bash|Edit, Write',", "'command':'x'") },
		{ HOOK("PreToolUse", "'matcher':'bash',", "'command':'x'"),
			"matcher-matches-nothing", AT_FAIL, NULL,
			HOOK("PreToolUse", "'matcher':'^Bash$',", "'command':'x'") },
		{ HOOK("PreToolUse", "'matcher':'create|merge',", "'command':'x'"),
			"matcher-matches-nothing", AT_WARN, NULL,
			HOOK("PreToolUse", "'matcher':'create|Bash',", "'command':'x'") },
		{ HOOK("PreToolUse", "'matcher':'Ba',", "'command':'x'"), "matcher-matches-nothing",
			AT_WARN, NULL, HOOK("PreToolUse", "'matcher':'Ba.*',", "'command':'x'") },
		{ HOOK("PostToolUse", "", "'command':'x'"), "hook-post-cannot-block", AT_NOTE,
			"/hooks/PostToolUse", GATE },
		{ PRE("python3 .claude/hooks/gate.py"), "hook-path-relative", AT_FAIL,
			ENTRY "/command", PRE("python3 " OURS "gate") },
		{ PRE("./gate"), "hook-path-relative", AT_FAIL, ENTRY "/command", GATE },
		{ PRE("FOO=1 exec .claude/hooks/gate"), "hook-path-relative", AT_FAIL, NULL, NULL },
		{ HOOK("Stop", "", "'command':'tools/x'"), "hook-path-relative", AT_WARN, NULL,
			HOOK("Stop", "", "'command':'x'") },
		{ PRE(OURS "flat"), "hook-not-startable", AT_FAIL, ENTRY "/command", GATE },
		{ PRE("${CLAUDE_PROJECT_DIR}/.claude/hooks/flat"), "hook-not-startable", AT_FAIL,
			NULL, PRE("sh \\'${CLAUDE_PROJECT_DIR}/.claude/hooks/flat\\'") },
		{ PRE(OURS), "hook-not-startable", AT_FAIL, NULL, NULL }, /* a directory */
		{ PRE(OURS "gone"), "hook-missing", AT_FAIL, ENTRY "/command", GATE },
		{ PRE("/opt/gone/gate"), "hook-missing", AT_FAIL, ENTRY "/command", NULL },
		{ PRE("python3 -I -S /opt/gone/gate.py"), "hook-missing", AT_FAIL, ENTRY "/command",
			PRE("python3 -I -c x /opt/gone/gate.py") },
		{ HOOK("Stop", "", "'command':'~/.claude/gone'"), "hook-missing", AT_WARN, NULL,
			NULL },
		{ HOOK("PreToolUse", "", "'timeout':9,'command':'/bin/sh','args':['/opt/gone']"),
			"hook-missing", AT_FAIL, NULL,
			HOOK("PreToolUse", "",
				"'timeout':9,'command':'/bin/sh','args':['-c','x']") },
		{ HOOK("PreToolUse", "", "'timeout':9,'command':'$HOME/x','args':[]"),
			"hook-unexpanded", AT_FAIL, ENTRY "/command",
			HOOK("PreToolUse", "",
				"'timeout':9,'command':'${CLAUDE_PROJECT_DIR}/.claude/hooks/"
				"gate','args':[]") },
		{ PRE("\\'~/gate\\'"), "hook-unexpanded", AT_FAIL, NULL, NULL },
		{ PRE("$CLAUDE_PROJECT_DIR/.claude/hooks/gate"), "hook-path-unquoted", AT_NOTE,
			ENTRY "/command", GATE },
		{ HOOK("PreToolUse", "", "'command':'x'"), "hook-timeout-absent", AT_WARN, ENTRY,
			GATE },
		{ HOOK("PreToolUse", "", "'command':'x','timeout':0.5"), "hook-timeout-short",
			AT_WARN, ENTRY, GATE },
		{ "{'hooks':{'PreToolUse':[{'hooks':[]}]}}", "hook-group-empty", AT_NOTE,
			"/hooks/PreToolUse/0", GATE },
		{ "{'hooks':{'Stop':[{'hooks':[{'type':'magic'}]}]}}", "hook-type-unknown", AT_WARN,
			"/hooks/Stop/0/hooks/0",
			"{'hooks':{'Stop':[{'hooks':[{'type':'prompt'}]}]}}" },
	};

	(void)state;
	run_rows(rows, AT_LEN(rows), NAME);
}

/* A hook line that cannot be read here must not be called missing or relative. */
static void hooks_that_are_left_alone(void **state)
{
	static const char *const rows[] = {
		GATE, PRE("guard"), PRE("cd \\'$CLAUDE_PROJECT_DIR\\' && python3 x.py"),
		PRE("$MY_HOME/x"), PRE("$(which x)/y"), PRE("python3 $X/y.py"), PRE("sh -c ./x"),
		PRE("node --require ./y -e 0"), PRE("python3 -m x"), PRE("python3 -"), PRE("bash"),
		PRE(""), PRE("#"), PRE("node -e \\'process.stdin.resume()\\'"),
	};
	static const char *const ids[] = {
		"hook-missing", "hook-path-relative", "hook-not-startable", "hook-unexpanded",
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_wiring report;

		check(&report, rows[i], NAME);
		for (size_t k = 0; k < AT_LEN(ids); k++)
			if (find(&report, ids[k], NULL))
				fail_msg("row %zu: %s in %s", i, ids[k], rows[i]);
		at_wiring_free(&report);
	}
}

int test_settings_rules(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_8_rules),
		cmocka_unit_test(wire_5_layers),
		cmocka_unit_test(wire_8_hooks),
		cmocka_unit_test(hooks_that_are_left_alone),
	};

	return cmocka_run_group_tests_name("settings_rules", tests, set_up, tear_down);
}
