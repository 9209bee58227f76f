#include "support/support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/settings_check.h"

#define MAIN ".claude/settings.json"
#define LOCAL ".claude/settings.local.json"

struct want {
	const char *id, *where; /* pointer; "" for the file; NULL for any */
	enum at_level level;
	const char *says; /* part of the text, or NULL */
};

struct expected {
	const char *file, *name;
	struct want want[9];
	const char *unwanted[4]; /* ids */
};

static const struct at_finding *find(const struct at_wiring *report, const struct want *want)
{
	for (size_t i = 0; i < report->count; i++) {
		const struct at_finding *f = &report->findings[i];
		const char *hash = strchr(f->where, '#');

		if (strcmp(f->id, want->id) == 0 &&
				(!want->where || strcmp(hash ? hash + 1 : "", want->where) == 0))
			return f;
	}
	return NULL;
}

static void fail_with(const struct at_wiring *report, const char *file, const char *what,
	const char *id)
{
	struct at_buf out = { 0 };

	at_wiring_print(report, &out);
	fail_msg("%s: %s %s in\n%s", file, what, id, at_buf_text(&out));
}

static void check_file(struct at_wiring *report, const char *file, const char *name,
	const char *project)
{
	struct at_buf text = test_read(NULL, file);
	struct at_settings_place place = { .name = name, .project = project ? project : "",
		.project_fd = project ? open(project, O_PATH | O_DIRECTORY) : -1,
		.home = "/home/nobody-here" };

	at_wiring_init(report);
	at_settings_check(report, at_buf_bytes(&text), &place);
	if (place.project_fd >= 0)
		close(place.project_fd);
	at_buf_free(&text);
}

static void compare(const struct expected *e, const char *dir, const char *project)
{
	char file[256];
	struct at_wiring report;

	snprintf(file, sizeof(file), "%s/%s", dir, e->file);
	check_file(&report, file, e->name, project);
	for (const struct want *w = e->want; w < e->want + AT_LEN(e->want) && w->id; w++) {
		const struct at_finding *f = find(&report, w);

		if (!f)
			fail_with(&report, file, "no", w->id);
		else if (f->level != w->level)
			fail_with(&report, file, "another level of", w->id);
		else if (w->says && !strstr(f->text, w->says))
			fail_with(&report, file, "another text of", w->id);
	}
	for (size_t i = 0; i < AT_LEN(e->unwanted) && e->unwanted[i]; i++)
		if (find(&report, &(struct want){ .id = e->unwanted[i] }))
			fail_with(&report, file, "unwanted", e->unwanted[i]);
	at_wiring_free(&report);
}

#define PRE_COMMAND "/hooks/PreToolUse/0/hooks/0/command"
#define DENY_WRITE "/sandbox/filesystem/denyWrite/"
#define DENY_READ "/sandbox/filesystem/denyRead/"

/* WIRE-5, WIRE-8: faults seen in the field, each with its finding. */
static void wire_8_cases(void **state)
{
	static const struct expected cases[] = {
		{ "01-denied-path-absent/settings.json", MAIN,
			{ { "deny-path-missing", DENY_WRITE "1", AT_FAIL, "etc/toggle.json" } },
			{ NULL } },
		{ "03-everything-hidden/settings.json", MAIN,
			{ { "deny-read-ancestor", DENY_READ "0", AT_FAIL, "`/`" } },
			{ "deny-read-reopened" } },
		{ "04-two-layers/settings.json", MAIN,
			{ { "both-layers", DENY_WRITE "0", AT_OKAY, "bin/publish" } },
			{ "gap-tool-edit", "deny-path-missing", "gap-bash-write" } },
		{ "05-starts-without-sandbox/settings.json", MAIN,
			{ { "sandbox-fails-open", "/sandbox", AT_FAIL,
				"allowUnsandboxedCommands does not close this" } },
			{ "unsandboxed-retry-open" } },
		{ "18-above-the-project/settings.json", MAIN,
			{ { "deny-read-ancestor", DENY_READ "0", AT_FAIL, "../.." },
				{ "deny-read-ancestor", DENY_READ "1", AT_FAIL, "`..`" } },
			{ NULL } },
		{ "20-bypass/settings.json", MAIN,
			{ { "unsandboxed-retry-open", "/sandbox", AT_FAIL, NULL },
				{ "bypass-mode-on", "/permissions/defaultMode", AT_FAIL, NULL } },
			{ "sandbox-fails-open" } },
		{ "23-comments/settings.json", MAIN,
			{ { "file-not-strict-json", "", AT_FAIL, "2 comments" },
				{ "file-would-be-skipped", "", AT_FAIL, "1 cause" },
				{ "gap-bash-read", "/permissions/deny/0", AT_WARN, NULL } },
			{ "json-invalid", "json-trailing-comma" } },
		{ "24-trailing-comma/settings.json", MAIN,
			{ { "json-trailing-comma", "", AT_FAIL, NULL },
				{ "file-would-be-skipped", "", AT_FAIL, NULL } },
			{ "json-invalid" } },
		{ "25-byte-order-mark/settings.json", MAIN, { { "utf8-bom", "", AT_NOTE, NULL } },
			{ "json-invalid", "file-would-be-skipped" } },
		/* The version that dropped the file over the event is history; over the matcher
		 * every version does. */
		{ "30-unknown-event/settings.json", MAIN,
			{ { "hook-event-unknown", "/hooks/BeforeLunch", AT_FAIL, "whole file" },
				{ "hook-shape-wrong", "/hooks/PreToolUse/0/matcher", AT_FAIL,
					NULL },
				{ "file-would-be-skipped", "", AT_FAIL, NULL } },
			{ "sandbox-disabled" } },
		{ "31-hook-shapes/tool-as-event.json", MAIN,
			{ { "hook-event-unknown", "/hooks/Bash", AT_FAIL, "\"matcher\": \"Bash\"" },
				{ "hook-absent", "", AT_NOTE, NULL } },
			{ NULL } },
		{ "31-hook-shapes/no-type.json", MAIN,
			{ { "hook-type-missing", "/hooks/PreToolUse/0/hooks/0", AT_FAIL,
				"never runs" } },
			{ NULL } },
		{ "31-hook-shapes/another-schema.json", MAIN,
			{ { "hook-event-unknown", "/hooks/beforeTool", AT_FAIL, "PreToolUse" },
				{ "hook-event-unknown", "/hooks/afterTool", AT_FAIL,
					"PostToolUse" },
				{ "key-unknown", "/permissionRules", AT_WARN, NULL },
				{ "key-misplaced", "/sandbox/allowedDomains", AT_WARN,
					"sandbox.network.allowedDomains" } },
			{ NULL } },
		{ "33-relative-hook/settings.json", MAIN,
			{ { "hook-path-relative", PRE_COMMAND, AT_FAIL, "everything denied" } },
			{ "hook-timeout-absent", "hook-missing" } },
		{ "34-no-execute-bit/settings.json", MAIN,
			{ { "hook-not-startable", PRE_COMMAND, AT_FAIL, "no execute bit" } },
			{ "hook-missing" } },
		{ "35-missing-hook/interpreter.json", MAIN,
			{ { "hook-missing", PRE_COMMAND, AT_FAIL, "everything denied" } },
			{ NULL } },
		{ "35-missing-hook/bare.json", MAIN,
			{ { "hook-missing", PRE_COMMAND, AT_FAIL, "everything allowed" } },
			{ NULL } },
		{ "50-rules/settings.json", MAIN,
			{ { "rule-malformed", "/permissions/allow/0", AT_WARN, NULL },
				{ "rule-malformed", "/permissions/deny/0", AT_WARN,
					"after the closing" },
				{ "rule-malformed", "/permissions/deny/1", AT_WARN,
					"after the closing" },
				{ "rule-never-matches", "/permissions/deny/2", AT_WARN, NULL },
				{ "rule-prefix-only", "/permissions/deny/3", AT_NOTE, "rm -fr" } },
			{ NULL } },
		{ "51-one-layer-each/settings.json", MAIN,
			{ { "gap-bash-read", "/permissions/deny/0", AT_NOTE, "older versions" },
				{ "gap-tool-edit", DENY_WRITE "0", AT_FAIL, "tool edit open" } },
			{ NULL } },
	};
	char *project = test_tree_new();
	uint64_t before;

	(void)state;
	test_write(project, MAIN, "{}\n");
	test_write(project, "bin/publish", "#!/bin/sh\n");
	test_write(project, ".claude/hooks/watch", "#!/bin/sh\n");
	test_write(project, "etc/other", "");
	chmod(test_path(project, ".claude/hooks/watch"), 0644);
	before = test_tree_fingerprint(project);
	for (size_t i = 0; i < AT_LEN(cases); i++)
		compare(&cases[i], "cases", project);
	assert_true(test_tree_fingerprint(project) == before); /* a check leaves no file behind */
	test_tree_remove(project);
}

/* A project whose path holds a blank: the quoted form is found, the bare one is not. */
static void wire_9_blank_in_the_path(void **state)
{
	char *tree = test_tree_new();
	char project[4096];
	struct at_wiring report;

	(void)state;
	snprintf(project, sizeof(project), "%s/my project", tree);
	test_write(project, ".claude/hooks/watch", "#!/bin/sh\n");
	chmod(test_path(project, ".claude/hooks/watch"), 0755);
	check_file(&report, "cases/34-no-execute-bit/settings.json", MAIN, project);
	assert_int_equal(at_wiring_worst(&report), AT_NOTE);
	at_wiring_free(&report);
	test_tree_remove(tree);
}

/* WIRE-8: the comma itself, not the bracket after it. */
static void wire_8_comma_position(void **state)
{
	struct at_wiring report;
	const struct at_finding *f;

	(void)state;
	check_file(&report, "cases/24-trailing-comma/settings.json", MAIN, NULL);
	f = find(&report, &(struct want){ .id = "json-trailing-comma" });
	assert_non_null(f);
	assert_int_equal(f->line, 6);
	assert_int_equal(f->column, 13);
	at_wiring_free(&report);
}

/* What is emitted here must not be called a fault: notes at most. (WIRE-5) */
static void wire_5_our_block_is_clean(void **state)
{
	char *project = test_tree_new();
	struct at_wiring report;

	(void)state;
	test_write(project, ".claude/hooks/constitutional-gate.sh", "#!/bin/sh\n");
	chmod(test_path(project, ".claude/hooks/constitutional-gate.sh"), 0755);
	test_write(project, ".claude/agents/references/agent-privilege.json", "{}");
	test_write(project, ".claude/agents/references/authorized-verify-keys/.keep", "");
	test_write(project, ".goose/recipes/references/build-log.json", "{}");
	check_file(&report, "cases/our-block/settings.json", MAIN, project);
	if (at_wiring_worst(&report) > AT_NOTE)
		fail_with(&report, "our-block", "a fault", "");
	assert_true(report.file_is_loaded);
	assert_false(report.is_configured); /* that is for the emitter to say */
	at_wiring_free(&report);
	test_tree_remove(project);
}

/* Files as people have them. Where a finding is heavier or lighter than one might think:
 * 23 tells of excluded commands by count, since an entry is a command line; 26 is not
 * called skipped, since the measured client skips only the unknown entries below hooks. */
static void wire_8_shapes(void **state)
{
	static const struct expected shapes[] = {
		{ "01-deny-only.json", MAIN,
			{ { "sandbox-absent", "", AT_NOTE, NULL },
				{ "hook-absent", "", AT_NOTE, NULL },
				{ "gap-bash-read", "/permissions/deny/0", AT_WARN, NULL } },
			{ "file-would-be-skipped" } },
		{ "02-empty-deny-ask-acceptedits.json", MAIN,
			{ { "allow-covers-delete", "/permissions/allow/1", AT_WARN, NULL },
				{ "accept-edits-mode", NULL, AT_NOTE, NULL } },
			{ "rule-tool-unknown", "rule-odd" } },
		{ "04-trailing-comma.json", MAIN,
			{ { "json-trailing-comma", "", AT_FAIL, NULL },
				{ "file-would-be-skipped", "", AT_FAIL, NULL },
				{ "allow-bare-bash", "/permissions/allow/2", AT_WARN, NULL } },
			{ "json-invalid" } },
		{ "05-jsonc-role-fragment.jsonc", ".claude/settings.jsonc",
			{ { "file-not-strict-json", "", AT_FAIL, NULL },
				{ "json-trailing-comma", "", AT_FAIL, NULL },
				{ "file-name-not-read", "", AT_FAIL, NULL },
				{ "key-unknown", "/sandbox/network/allowedHosts", AT_WARN, NULL },
				{ "key-misplaced", "/defaultMode", AT_WARN, NULL },
				{ "glob-in-sandbox-path", "/sandbox/filesystem/allowWrite/1",
					AT_WARN, NULL },
				{ "sandbox-fails-open", "/sandbox", AT_FAIL, NULL },
				{ "allow-all-unix-sockets", NULL, AT_WARN, NULL },
				{ "weaker-network", NULL, AT_WARN, NULL } },
			{ "json-invalid" } },
		{ "07-hook-without-type.json", MAIN,
			{ { "hook-type-missing", "/hooks/PreToolUse/0/hooks/0", AT_FAIL, NULL },
				{ "hook-type-missing", "/hooks/PreToolUse/1/hooks/0", AT_FAIL,
					NULL },
				{ "matcher-matches-nothing", "/hooks/PreToolUse/1/matcher", AT_WARN,
					NULL } },
			{ "hook-path-relative" } },
		{ "08-wide-allow-long-deny-dontask.json", MAIN,
			{ { "rule-malformed", "/permissions/deny/1", AT_WARN, NULL },
				{ "rule-malformed", "/permissions/deny/2", AT_WARN, NULL },
				{ "rule-never-matches", "/permissions/deny/4", AT_WARN, NULL },
				{ "rule-odd", "/permissions/deny/5", AT_WARN, NULL },
				{ "auto-update-marketplace",
					"/extraKnownMarketplaces/vendor/autoUpdate", AT_NOTE,
					NULL },
				{ "allow-bare-bash", "/permissions/allow/3", AT_WARN, NULL },
				{ "bypass-prompt-skipped", NULL, AT_WARN, NULL },
				{ "sandbox-absent", "", AT_NOTE, NULL } },
			{ "default-mode-unknown", "hook-event-unknown" } },
		{ "10-absolute-double-slash.json", MAIN,
			{ { "allow-covers-home", "/permissions/allow/0", AT_WARN, NULL },
				{ "allow-git-config", "/permissions/allow/1", AT_WARN, NULL },
				{ "allow-covers-push", "/permissions/allow/2", AT_WARN, NULL } },
			{ NULL } },
		{ "11-reordered-hook-keys-unicode.json", MAIN,
			{ { "sandbox-absent", "", AT_NOTE, NULL } },
			{ "file-would-be-skipped", "matcher-matches-nothing", "hook-timeout-absent",
				"key-unknown" } },
		{ "13-windows-local.json", LOCAL,
			{ { "allow-covers-delete", "/permissions/allow/3", AT_WARN, NULL },
				{ "allow-covers-merge", "/permissions/allow/4", AT_WARN, NULL } },
			{ NULL } },
		{ "14-chezmoi-modify-script.sh", MAIN,
			{ { "json-invalid", "", AT_FAIL, NULL },
				{ "managed-by-other-tool", "", AT_WARN, NULL },
				{ "file-would-be-skipped", "", AT_FAIL, NULL } },
			{ NULL } },
		{ "16-git-C-allow-read-deny.json", MAIN,
			{ { "rule-odd", "/permissions/allow/3", AT_WARN, NULL },
				{ "allow-covers-delete", "/permissions/allow/4", AT_WARN, "find" },
				{ "deny-by-reader-name-only", "/permissions/deny/1", AT_NOTE,
					NULL },
				{ "deny-by-reader-name-only", "/permissions/deny/2", AT_NOTE,
					NULL },
				{ "env-steers-client", "/env/GIT_EXTERNAL_DIFF", AT_WARN, NULL } },
			{ NULL } },
		{ "17-bypass-default.json", MAIN,
			{ { "bypass-mode-on", "/permissions/defaultMode", AT_FAIL, NULL },
				{ "sandbox-absent", "", AT_NOTE, NULL } },
			{ "auto-update-marketplace" } },
		{ "19-inline-array-skill.json", MAIN, { { "sandbox-absent", "", AT_NOTE, NULL } },
			{ "key-unknown", "hook-path-relative", "rule-tool-unknown" } },
		{ "20-quoted-project-dir.json", MAIN,
			{ { "hook-timeout-absent", "/hooks/PreToolUse/0/hooks/0", AT_WARN, NULL },
				{ "hook-timeout-absent", "/hooks/PreToolUse/0/hooks/1", AT_WARN,
					NULL },
				{ "hook-needs-exec-bit", PRE_COMMAND, AT_NOTE, NULL } },
			{ "hook-path-relative", "hook-path-unquoted" } },
		{ "22-escapes-in-attribution.json", MAIN,
			{ { "sandbox-absent", "", AT_NOTE, NULL },
				{ "runs-unsandboxed", "/statusLine", AT_NOTE, NULL } },
			{ "key-unknown" } },
		{ "23-sandbox-with-excluded.json", MAIN,
			{ { "excluded-commands", "/sandbox/excludedCommands", AT_WARN,
				  "5 entries" },
				{ "sandbox-fails-open", "/sandbox", AT_FAIL, NULL },
				{ "unsandboxed-retry-open", "/sandbox", AT_FAIL, NULL },
				{ "allow-nested-agent", "/permissions/allow/1", AT_WARN, NULL } },
			{ "allow-git-config" } },
		{ "25-managed-blank-lines.json", "/etc/claude-code/managed-settings.json",
			{ { "rule-anchor-suspicious", "/permissions/deny/1", AT_WARN, NULL },
				{ "sandbox-absent", "", AT_NOTE, NULL } },
			{ "key-managed-only", "bypass-mode-on", "key-unknown" } },
		{ "26-invented-schema.json", MAIN,
			{ { "key-unknown", "/permissionRules", AT_WARN, NULL },
				{ "key-unknown", "/mcp", AT_WARN, NULL },
				{ "key-misplaced", "/autoAllowBashIfSandboxed", AT_WARN, NULL },
				{ "key-misplaced", "/sandbox/allowedDomains", AT_WARN, NULL },
				{ "key-misplaced", "/sandbox/allowUnixSockets", AT_WARN, NULL },
				{ "hook-event-unknown", "/hooks/beforeTool", AT_FAIL,
					"whole file" } },
			{ "file-would-be-skipped" } },
		{ "28-underscore-comment.json", MAIN,
			{ { "hook-post-cannot-block", "/hooks/PostToolUse", AT_NOTE, NULL } },
			{ "key-unknown", "hook-path-relative" } },
		{ "29-jsonc-inline-comments.jsonc", ".claude/settings.jsonc",
			{ { "file-name-not-read", "", AT_FAIL, NULL },
				{ "file-not-strict-json", "", AT_FAIL, NULL },
				{ "enable-all-mcp", "/enableAllProjectMcpServers", AT_WARN, NULL },
				{ "rule-odd", "/permissions/deny/0", AT_WARN, NULL },
				{ "allow-covers-delete", "/permissions/allow/2", AT_WARN, NULL } },
			{ NULL } },
		{ "31-bom.json", MAIN, { { "utf8-bom", "", AT_NOTE, NULL } },
			{ "file-would-be-skipped" } },
		{ "32-minimal-two-keys.json", MAIN,
			{ { "sandbox-absent", "", AT_NOTE, NULL },
				{ "plugins-enabled", "/enabledPlugins", AT_NOTE, NULL } },
			{ "key-unknown" } },
	};

	(void)state;
	if (!test_exists(test_data(), "settings-shapes"))
		skip_because("tests/data/settings-shapes is not in this tree");
	for (size_t i = 0; i < AT_LEN(shapes); i++)
		compare(&shapes[i], "settings-shapes", NULL);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Bytes cut out, turned over and put in: no crash, and a summary whenever it is dropped. */
static void hostile_bytes(void **state)
{
	static const char *const files[] = {
		"cases/our-block/settings.json", "cases/23-comments/settings.json",
		"cases/50-rules/settings.json", "cases/30-unknown-event/settings.json",
	};
	static const char *const pieces[] = {
		"\"",
		"{",
		"}",
		"[",
		"]",
		",",
		":",
		"//",
		"/*",
		"*/",
		"\\u0000",
		"\\",
		"~",
		"${",
		"'",
		"(",
		")",
		"*",
		":*",
		"..",
		"/",
		"|",
		"null",
		"1",
		"\n",
		"\xff",
		"\"a\":",
	};
	uint32_t seed = 7;

	(void)state;
	for (unsigned round = 0; round < 4000; round++) {
		struct at_buf from = test_read(NULL, files[round % AT_LEN(files)]), text = { 0 };
		size_t at = next_random(&seed) % from.len, cut = next_random(&seed) % 4;
		struct at_settings_place place = { .name = MAIN, .project = "", .project_fd = -1 };
		struct at_wiring report;

		cut = cut < from.len - at ? cut : 0;
		at_buf_put(&text, from.data, at);
		at_buf_puts(&text, pieces[next_random(&seed) % AT_LEN(pieces)]);
		at_buf_put(&text, from.data + at + cut, from.len - at - cut);
		at_wiring_init(&report);
		at_settings_check(&report, at_buf_bytes(&text), &place);
		assert_true(report.count > 0);
		assert_true(report.file_is_loaded ==
			!find(&report, &(struct want){ .id = "file-would-be-skipped" }));
		at_wiring_free(&report);
		at_buf_free(&text);
		at_buf_free(&from);
	}
}

int test_settings_cases(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_8_cases),
		cmocka_unit_test(wire_9_blank_in_the_path),
		cmocka_unit_test(wire_8_comma_position),
		cmocka_unit_test(wire_5_our_block_is_clean),
		cmocka_unit_test(wire_8_shapes),
		cmocka_unit_test(hostile_bytes),
	};

	return cmocka_run_group_tests_name("settings_cases", tests, NULL, NULL);
}
