#include "emit/fixture.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emit/hooks.h"

#define CONFINED "{\"privilege_profile\": \"confined\"}"
#define SECRET "topsecretvalue"

static const char *const none[] = { "/nonexistent/agentteams-gate", NULL };

/* A wired project: the example is the live file (its comment is ignored by the client). */
static void begin(struct fixture *f, const char *brief)
{
	struct at_buf example;

	fixture_begin(f, brief);
	fixture_gate(f, NULL);
	f->project.managed_dir = at_arena_strdup(f->arena, test_path(f->top, "managed"));
	fixture_update(f);
	example = fixture_read(f, EXAMPLE);
	fixture_write(f, LIVE, at_buf_text(&example));
	at_buf_free(&example);
}

/* Replaces the first `from` in the live file. */
static void change(struct fixture *f, const char *from, const char *to)
{
	struct at_buf old = fixture_read(f, LIVE), new = { 0 };
	const char *at = strstr(at_buf_text(&old), from);

	if (!at)
		fail_msg("%s is not in the live file", from);
	at_buf_put(&new, old.data, (size_t)(at - old.data));
	at_buf_puts(&new, to);
	at_buf_puts(&new, at + strlen(from));
	fixture_write(f, LIVE, at_buf_text(&new));
	at_buf_free(&old);
	at_buf_free(&new);
}

/* As --check-wiring does: hooks that are ours are run first, others when `foreign`. */
static struct at_wiring check_with(struct fixture *f, bool foreign)
{
	struct at_hook_book book = { 0 };
	struct at_hook_list list;
	struct at_wiring report;

	at_wiring_init(&report);
	at_hook_list_init(&list);
	fixture_must_plan(f);
	at_frameworks[AT_CLAUDE]->hooks(&list, &f->manifest, &f->project, &f->plan);
	at_hook_list_run(&book, &list, &f->project, foreign);
	f->project.hooks = &book;
	if (!at_frameworks[AT_CLAUDE]->check_wiring(&report, &f->manifest, &f->project, &f->plan,
		    &f->err))
		fail_msg("check: %s", f->err.message);
	f->project.hooks = NULL;
	at_hook_list_free(&list);
	at_hook_book_free(&book);
	return report;
}

static struct at_wiring check(struct fixture *f)
{
	return check_with(f, false);
}

static const struct at_finding *find(const struct at_wiring *report, const char *id)
{
	for (size_t i = 0; i < report->count; i++)
		if (strcmp(report->findings[i].id, id) == 0)
			return &report->findings[i];
	return NULL;
}

static void dump(const struct at_wiring *report)
{
	struct at_buf out = { 0 };

	at_wiring_print(report, &out);
	print_message("%s\n", at_buf_text(&out));
	at_buf_free(&out);
}

/* WIRE-5: merged, enabled, hook wired: nothing fails. */
static void wire_5_all_good(void **state)
{
	static const char *const briefs[] = { CONFINED, "{\"protect_prompt_roots\": true}",
		("{\"privilege_profile\": \"exclusive\","
			"\"workspace_write_roots\": [\"src\", \"docs\"]}") };

	for (size_t i = 0; i < AT_LEN(briefs); i++) {
		struct at_wiring report;
		struct fixture f;

		begin(&f, briefs[i]);
		report = check(&f);
		if (at_wiring_worst(&report) == AT_FAIL)
			dump(&report);
		assert_row(i, at_wiring_worst(&report) != AT_FAIL);
		assert_row(
			i, report.file_is_loaded && report.is_configured && report.hook_is_wired);
		assert_row(i, !report.undone && !report.undone_by);
		assert_row(i, find(&report, "sandbox-merged") != NULL);
		at_wiring_free(&report);
		fixture_end(&f);
	}
}

/* WIRE-5: other spellings of the same places are the same. */
static void wire_5_compares_places(void **state)
{
	struct at_wiring report;
	struct fixture f;

	begin(&f, "{\"privilege_profile\": \"exclusive\"}");
	change(&f, "\"allowWrite\": [\n        \".\"", "\"allowWrite\": [\n        \"./\"");
	change(&f, "\".claude\"", "\"./.claude/\"");
	change(&f, "\"~/.ssh\"", at_arena_printf(f.arena, "\"%s/.ssh\"", f.host.home));
	report = check(&f);
	assert_true(report.is_configured);
	at_wiring_free(&report);
	fixture_end(&f);
}

/* WIRE-5: one change each, and the finding it makes. */
static void wire_5_diminished(void **state)
{
	static const struct { const char *from, *to, *id; } rows[] = {
		{ "\"enabled\": true", "\"enabled\": false", "sandbox-disabled" },
		{ "\"allowUnsandboxedCommands\": false", "\"allowUnsandboxedCommands\": true",
			"unsandboxed-retry-open" },
		{ "\"failIfUnavailable\": true", "\"failIfUnavailable\": false",
			"sandbox-fails-open" },
		{ "\"allowWrite\": [\n        \".\"", "\"allowWrite\": [\n        \".\", \"../x\"",
			"write-roots-differ" },
		{ "\"allowWrite\": [\n        \".\"", "\"allowWrite\": [\n        \"./src\"",
			"write-roots-widen" },
		{ "        \".claude/hooks/constitutional-gate.sh\",\n", "", "deny-write-lacking" },
		{ "\"~/.config/agentteams/keys\"", "\"~/other\"", "deny-read-lacking" },
		{ "\"Edit(/.claude/settings.local.json)\",", "", "permission-rules-lacking" },
		{ "\"sandbox\": {", "\"sandbox2\": {", "not-merged" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct at_finding *finding;
		struct at_wiring report;
		struct fixture f;

		begin(&f, CONFINED);
		change(&f, rows[i].from, rows[i].to);
		report = check(&f);
		finding = find(&report, rows[i].id);
		if (!finding || finding->level != AT_FAIL)
			dump(&report);
		assert_row(i, finding && finding->level == AT_FAIL);
		assert_row(i, !report.is_configured);
		assert_row(i, !find(&report, "sandbox-merged"));
		at_wiring_free(&report);
		fixture_end(&f);
	}
}

/* WIRE-5: the missing emitted entries are listed; a widening is called one, without the
 * word merge. */
static void wire_5_words(void **state)
{
	const struct at_finding *finding;
	struct at_wiring report;
	struct fixture f;

	begin(&f, CONFINED);
	change(&f, "\"Edit(/.claude/settings.json)\",", "");
	change(&f, "\"Edit(/.claude/hooks/**)\",", "");
	change(&f, "        \".\"", "        \"src\"");
	report = check(&f);
	finding = find(&report, "permission-rules-lacking");
	assert_non_null(strstr(finding->text,
		"[\"Edit(/.claude/settings.json)\", \"Edit(/.claude/hooks/**)\"]"));
	finding = find(&report, "write-roots-widen");
	assert_non_null(strstr(finding->text, "WIDENS allowWrite by [\".\"]"));
	assert_null(strstr(finding->text, "merge"));
	assert_null(strstr(finding->remedy, "merge"));
	assert_non_null(find(&report, "write-roots-differ")->remedy);
	at_wiring_free(&report);
	fixture_end(&f);
}

/* WIRE-1, WIRE-5: no live file, one that the client drops, one that is out of reach. */
static void wire_5_no_live_file(void **state)
{
	const struct at_finding *finding;
	struct at_wiring report;
	struct fixture f;

	begin(&f, CONFINED);
	assert_int_equal(unlink(test_path(f.project_path, LIVE)), 0);
	report = check(&f);
	finding = find(&report, "not-merged");
	assert_true(finding && finding->level == AT_FAIL);
	assert_non_null(strstr(finding->text, "Emitted, not wired"));
	assert_false(report.is_configured || report.file_is_loaded || report.hook_is_wired);
	at_wiring_free(&report);
	fixture_write(&f, LIVE, "{\"sandbox\": {\"enabled\": \"true\"}}");
	report = check(&f);
	assert_false(report.file_is_loaded || report.is_configured);
	assert_int_equal(at_wiring_worst(&report), AT_FAIL);
	at_wiring_free(&report);
	assert_int_equal(unlink(test_path(f.project_path, LIVE)), 0);
	assert_int_equal(symlink("/nonexistent/settings.json", test_path(f.project_path, LIVE)), 0);
	report = check(&f);
	assert_non_null(find(&report, "settings-unreadable"));
	at_wiring_free(&report);
	fixture_end(&f);
}

/* WIRE-5: every key of the local file that takes the boundary back. */
static void wire_5_undone_by_local(void **state)
{
	static const struct { const char *local; bool undone;
	} rows[] = {
		{ "{\"sandbox\": {\"enabled\": false}}", true },
		{ "{\"sandbox\": {\"allowUnsandboxedCommands\": true}}", true },
		{ "{\"sandbox\": {\"failIfUnavailable\": false}}", true },
		{ "{\"sandbox\": {\"excludedCommands\": [\"" SECRET "\"]}}", true },
		{ "{\"sandbox\": {\"enableWeakerNestedSandbox\": true}}", true },
		{ "{\"sandbox\": {\"filesystem\": {\"allowWrite\": [\"~\"]}}}", true },
		{ "{\"sandbox\": {\"filesystem\": {\"allowRead\": [\"~/.ssh\"]}}}", true },
		{ "{\"disableAllHooks\": true}", true },
		{ "{\"permissions\": {\"defaultMode\": \"bypassPermissions\"}}", true },
		{ "{\"permissions\": {\"additionalDirectories\": [\"../x\"]}}", true },
		{ "{\"permissions\": {\"allow\": [\"Edit(~/wide/**)\"]}}", true },
		{ "{\"permissions\": {\"allow\": [\"Edit(//abs/**)\"]}}", true },
		{ "{\"permissions\": {\"allow\": [\"Edit(../**)\"]}}", true },
		{ "{\"permissions\": {\"allow\": [\"Edit(/src/../../x)\"]}}", true },
		{ "{\"permissions\": {\"allow\": [\"Edit(src/..)\"]}}", true },
		{ "{\"permissions\": {\"allow\": [\"Edit(src/..x/**)\", \"Read(../x)\"]}}", false },
		{ "{\"permissions\": {\"allow\": [\"Edit\"]}}", true }, /* broad: anywhere */
		{ "{\"env\": {\"ANTHROPIC_BASE_URL\": \"" SECRET "\"}}", true },
		{ "{\"env\": {\"LD_PRELOAD\": \"" SECRET "\"}}", true },
		{ "{\"env\": {\"https_proxy\": \"" SECRET "\"}}", true },
		{ "{\"sandbox\": {\"enabled\": true, \"excludedCommands\": [], \"filesystem\": "
		  "{\"allowWrite\": [\"./\"], \"denyRead\": [\"~/more\"]}}}",
			false },
		{ "{\"permissions\": {\"allow\": [\"Read\", \"Edit(/src/**)\"], \"deny\": []}}",
			false },
		{ "{\"env\": {\"EDITOR\": \"vi\", \"XPATH\": \"1\"}, \"disableAllHooks\": false}",
			false },
		{ "{\"sandbox\": {\"enabled\": false},}", false }, /* the client drops it */
		{ "{\"sandbox\": {\"enabled\": \"no\"}}", false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct at_finding *finding;
		struct at_wiring report;
		struct at_buf out = { 0 };
		struct fixture f;

		begin(&f, CONFINED);
		fixture_write(&f, LOCAL, rows[i].local);
		report = check(&f);
		finding = find(&report, "undone-by-local");
		assert_row(i, report.undone == rows[i].undone);
		assert_row(i, (finding != NULL) == rows[i].undone);
		assert_row(i, !finding || finding->level == AT_FAIL);
		assert_row(i, !report.undone || strcmp(report.undone_by, LOCAL) == 0);
		assert_row(i, report.file_is_loaded && report.is_configured);
		at_wiring_print(&report, &out);
		/* excluded commands are entries of sandbox; values of env are never shown */
		assert_row(i, strstr(rows[i].local, "\"env\"") == NULL ||
			strstr(at_buf_text(&out), SECRET) == NULL);
		at_buf_free(&out);
		at_wiring_free(&report);
		fixture_end(&f);
	}
}

/* WIRE-5: the project's own file can add what takes it back. */
static void wire_5_undone_in_place(void **state)
{
	static const struct { const char *from, *to;
	} rows[] = {
		{ "\"enabled\": true", "\"enabled\": true, \"excludedCommands\": [\"git\"]" },
		{ "\"permissions\": {", "\"disableAllHooks\": true, \"permissions\": {" },
		{ "\"denyRead\": [",
			"\"allowRead\": [\"~/.config/agentteams/keys\"], \"denyRead\": [" },
		{ "\"permissions\": {",
			"\"permissions\": {\"additionalDirectories\": [\"/srv\"], " },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_wiring report;
		struct fixture f;

		begin(&f, CONFINED);
		change(&f, rows[i].from, rows[i].to);
		report = check(&f);
		assert_row(i, report.undone && strcmp(report.undone_by, LIVE) == 0);
		assert_row(i, find(&report, "undone-in-settings")->level == AT_FAIL);
		at_wiring_free(&report);
		fixture_end(&f);
	}
}

/* WIRE-5: the hook: entry, script, program, matcher. */
static void wire_5_hook(void **state)
{
	static const struct {
		const char *from, *to, *id;
		bool wired;
	} rows[] = {
		{ "Write|Edit|NotebookEdit|MultiEdit|Bash", "*", NULL, true },
		{ "Write|Edit|NotebookEdit|MultiEdit|Bash",
			"Bash, MultiEdit, NotebookEdit, Edit, Write", NULL, true },
		{ "Write|Edit|NotebookEdit|MultiEdit|Bash", "Bash", "hook-matcher-narrow", false },
		{ "Write|Edit|NotebookEdit|MultiEdit|Bash",
			"write|edit|notebookedit|multiedit|bash", "hook-not-wired", false },
		{ "/constitutional-gate.sh\"", "/other.sh\"", "hook-not-wired", false },
		{ "PreToolUse", "PostToolUse", "hook-not-wired", false },
	};
	struct at_wiring report;
	struct fixture f;

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		begin(&f, CONFINED);
		change(&f, rows[i].from, rows[i].to);
		report = check(&f);
		assert_row(i, report.hook_is_wired == rows[i].wired);
		assert_row(i, !rows[i].id || find(&report, rows[i].id));
		assert_row(i, report.is_configured); /* the hook is counted apart */
		at_wiring_free(&report);
		fixture_end(&f);
	}
	begin(&f, CONFINED);
	f.project.gate_places = none;
	report = check(&f);
	assert_non_null(strstr(find(&report, "hook-program-absent")->text,
		"not wired (program absent): the gate program is not on this host"));
	assert_false(report.hook_is_wired);
	at_wiring_free(&report);
	assert_int_equal(unlink(test_path(f.project_path, HOOK)), 0);
	report = check(&f);
	assert_non_null(find(&report, "hook-script-absent"));
	assert_false(report.hook_is_wired);
	at_wiring_free(&report);
	fixture_end(&f);
}

/* GATE-5: another program than the one the script pins is a finding, until --update. */
static void gate_5_program_changed(void **state)
{
	struct at_wiring report;
	struct fixture f;

	begin(&f, CONFINED);
	fixture_gate(&f, "exit 0\n");
	report = check(&f);
	assert_non_null(strstr(find(&report, "hook-program-changed")->remedy, "--update after an upgrade"));
	assert_false(report.hook_is_wired);
	at_wiring_free(&report);
	fixture_must_plan(&f);
	assert_int_equal(fixture_change(&f, HOOK)->kind, AT_REPLACE);
	assert_non_null(strstr(fixture_change(&f, HOOK)->reason, "pins the gate's program anew"));
	fixture_update(&f);
	report = check(&f);
	assert_null(find(&report, "hook-program-changed"));
	at_wiring_free(&report);
	fixture_end(&f);
}

/* EMIT-12: older wiring that names the .py: an older gate works on, our stub needs all. */
static void emit_12_older_wiring(void **state)
{
	struct at_wiring report;
	struct fixture f;

	begin(&f, CONFINED);
	f.project.gate_places = none;
	fixture_update(&f);
	fixture_write(&f, LIVE,
		"{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", "
		"\"timeout\": 60, \"command\": \"python3 \\\"${CLAUDE_PROJECT_DIR}/" HOOK_PY
		"\\\"\"}]}]}}");
	report = check(&f);
	assert_non_null(find(&report, "hook-program-absent"));
	assert_false(report.hook_is_wired);
	at_wiring_free(&report);
	fixture_write(&f, HOOK_PY, "import sys\nif 'push --force' in sys.stdin.read(): sys.exit(2)\n");
	report = check(&f);
	assert_non_null(find(&report, "hook-older-gate"));
	assert_non_null(find(&report, "hook-not-judged")); /* it is not ours to run unasked */
	assert_false(report.hook_is_wired);
	at_wiring_free(&report);
	report = check_with(&f, true);
	assert_true(report.hook_is_wired);
	at_wiring_free(&report);
	fixture_end(&f);
}

/* WIRE-5: hooks that a file switches off start no gate, wherever it says so. */
static void wire_5_hooks_off(void **state)
{
	struct at_wiring report;
	struct fixture f;

	begin(&f, "{\"privilege_profile\": \"cooperative\"}");
	fixture_write(&f, LOCAL, "{\"disableAllHooks\": true}");
	report = check(&f);
	assert_true(report.undone);
	assert_false(report.hook_is_wired);
	at_wiring_free(&report);
	fixture_end(&f);
}

/* WIRE-2, WIRE-5: a link at the file itself that stays in the project is read through. Where
 * its target may be written by commands, the boundary is one that a session can rewrite. */
static void wire_5_linked_settings(void **state)
{
	static const struct {
		const char *link, *target, *deny; /* `deny`: what comes in front of ".claude" */
		bool open;
	} rows[] = {
		{ LIVE, "dotfile.json", NULL, true },
		{ LIVE, "src/dotfile.json", NULL, true },
		{ LIVE, ".claude/kept/live.json", NULL, false },
		{ LIVE, "dotfile.json", "dotfile.json", false },
		{ LIVE, "kept/dotfile.json", "./kept", false },
		{ LOCAL, "dotfile.json", NULL, true },
		{ LOCAL, ".claude/kept.json", NULL, false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct at_finding *finding;
		struct at_wiring report;
		struct fixture f;
		char to[128];

		begin(&f, CONFINED);
		if (rows[i].deny) {
			snprintf(to, sizeof(to), "\"denyWrite\": [\"%s\", ", rows[i].deny);
			change(&f, "\"denyWrite\": [", to);
		}
		fixture_write(&f, LOCAL, "{}");
		fixture_write(&f, rows[i].target, "");
		assert_int_equal(rename(test_path(f.project_path, rows[i].link),
			test_path(f.project_path, rows[i].target)), 0);
		snprintf(to, sizeof(to), "../%s", rows[i].target);
		assert_int_equal(symlink(to, test_path(f.project_path, rows[i].link)), 0);
		report = check(&f);
		finding = find(&report, "settings-link-open");
		assert_row(i, report.is_configured && report.hook_is_wired);
		assert_row(i, (finding != NULL) == rows[i].open);
		assert_row(i, report.undone == rows[i].open);
		assert_row(i, !finding || strstr(finding->text, rows[i].target));
		assert_row(i, !finding || strcmp(report.undone_by, rows[i].target) == 0);
		assert_row(i, (find(&report, "sandbox-merged") != NULL) == !rows[i].open);
		at_wiring_free(&report);
		fixture_end(&f);
	}
}

/* WIRE-5: out of the project the target lies open where a write root holds it. */
static void wire_5_linked_out_of_the_project(void **state)
{
	static const char *const denies[] = { NULL, "../out/kept" };

	for (size_t i = 0; i < 4; i++) {
		bool in_root = i >= 2, open = in_root && !denies[i % 2];
		char target[PATH_MAX], to[256];
		struct at_wiring report;
		struct fixture f;

		begin(&f, "{\"workspace_write_roots\": [\"src\"]}");
		if (in_root)
			change(&f, "\"allowWrite\": [", "\"allowWrite\": [\"../out\", ");
		if (denies[i % 2]) {
			snprintf(to, sizeof(to), "\"denyWrite\": [\"%s\", ", denies[i % 2]);
			change(&f, "\"denyWrite\": [", to);
		}
		fixture_write(&f, "../out/kept/live.json", "");
		snprintf(target, sizeof(target), "%s/../out/kept/live.json", f.project_path);
		assert_int_equal(rename(test_path(f.project_path, LIVE), target), 0);
		assert_int_equal(symlink("../../out/kept/live.json", test_path(f.project_path, LIVE)), 0);
		report = check(&f);
		assert_row(i, (find(&report, "settings-link-open") != NULL) == open);
		at_wiring_free(&report);
		fixture_end(&f);
	}
}

/* WIRE-5: a second name of the file is a second way to write it. */
static void wire_5_hard_link(void **state)
{
	struct at_wiring report;
	struct fixture f;

	begin(&f, CONFINED);
	report = check(&f);
	assert_null(find(&report, "settings-hard-link"));
	at_wiring_free(&report);
	assert_int_equal(link(test_path(f.project_path, LIVE), test_path(f.project_path, "twin")), 0);
	report = check(&f);
	assert_non_null(find(&report, "settings-hard-link"));
	at_wiring_free(&report);
	fixture_end(&f);
}

/* WIRE-5: emitted files that are missing, edited, older or broken. */
static void wire_5_artefacts(void **state)
{
	static const struct { const char *path, *text, *id; enum at_level level; } rows[] = {
		{ HOOK, "#!/bin/sh\nexit 0\n", "artefact-differs", AT_FAIL },
		{ EXAMPLE, "{}", "artefact-differs", AT_FAIL },
		{ EXAMPLE, "{,}", "example-unreadable", AT_FAIL },
		{ EXAMPLE, "[]", "example-unreadable", AT_FAIL },
		{ REFS "security-approvers.txt", NULL, "artefact-missing", AT_FAIL },
		{ REFS "agent-privilege.json", NULL, "artefact-missing", AT_FAIL },
		{ REFS "agent-privilege.json", "{\"enforce_decision_signing\": false}",
			"artefact-differs", AT_FAIL },
		{ ".claude/agents/new.md", "x", "record-behind", AT_WARN },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct at_finding *finding;
		struct at_wiring report;
		struct fixture f;

		begin(&f, CONFINED);
		if (rows[i].text)
			fixture_write(&f, rows[i].path, rows[i].text);
		else
			assert_int_equal(unlink(test_path(f.project_path, rows[i].path)), 0);
		report = check(&f);
		finding = find(&report, rows[i].id);
		if (!finding)
			dump(&report);
		assert_row(i, finding && finding->level == rows[i].level);
		at_wiring_free(&report);
		fixture_end(&f);
	}
}

/* WIRE-5: checking writes nothing. */
static void wire_5_writes_nothing(void **state)
{
	struct at_wiring report;
	struct fixture f;
	uint64_t before;

	begin(&f, CONFINED);
	fixture_write(&f, LOCAL, "{\"sandbox\": {\"enabled\": false}}");
	before = test_tree_fingerprint(f.top);
	report = check(&f);
	at_wiring_free(&report);
	assert_true(test_tree_fingerprint(f.top) == before);
	fixture_end(&f);
}

/* EMIT-16: cooperative: the hook is all there is to wire. */
static void emit_16_cooperative(void **state)
{
	struct at_wiring report;
	struct fixture f;

	begin(&f, "{\"privilege_profile\": \"cooperative\"}");
	fixture_write(&f, LOCAL, "{\"sandbox\": {\"enabled\": false}}");
	report = check(&f);
	assert_true(report.is_configured && report.hook_is_wired && !report.undone);
	assert_null(find(&report, "sandbox-merged"));
	at_wiring_free(&report);
	fixture_end(&f);
}

int test_wiring(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_5_all_good),
		cmocka_unit_test(wire_5_compares_places),
		cmocka_unit_test(wire_5_diminished),
		cmocka_unit_test(wire_5_words),
		cmocka_unit_test(wire_5_no_live_file),
		cmocka_unit_test(wire_5_undone_by_local),
		cmocka_unit_test(wire_5_undone_in_place),
		cmocka_unit_test(wire_5_hook),
		cmocka_unit_test(gate_5_program_changed),
		cmocka_unit_test(emit_12_older_wiring),
		cmocka_unit_test(wire_5_hooks_off),
		cmocka_unit_test(wire_5_linked_settings),
		cmocka_unit_test(wire_5_linked_out_of_the_project),
		cmocka_unit_test(wire_5_hard_link),
		cmocka_unit_test(wire_5_artefacts),
		cmocka_unit_test(wire_5_writes_nothing),
		cmocka_unit_test(emit_16_cooperative),
	};

	return cmocka_run_group_tests_name("wiring", tests, NULL, NULL);
}
