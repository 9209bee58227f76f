/* What is said of the scopes around a wired project, of the host and of hooks that were run. */
#include "emit/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <unistd.h>
#include <sys/stat.h>

#include "core/settings_check.h"
#include "emit/claude.h"
#include "emit/claude_host.h"
#include "emit/effective.h"
#include "emit/hooks.h"

#define CONFINED "{\"privilege_profile\": \"confined\"}"
#define SECRET "topsecretvalue"

/* Every scope by a name of its own; NULL leaves it out. */
struct scopes {
	const char *base, *drop_in, *local, *project, *user, *trust;
};

static void begin(struct fixture *f, const struct scopes *s)
{
	fixture_begin(f, CONFINED);
	f->project.managed_dir = at_arena_strdup(f->arena, test_path(f->top, "managed"));
	if (s->base)
		test_write(f->top, "managed/managed-settings.json", s->base);
	if (s->drop_in)
		test_write(f->top, "managed/managed-settings.d/10-site.json", s->drop_in);
	if (s->local)
		fixture_write(f, LOCAL, s->local);
	if (s->project)
		fixture_write(f, LIVE, s->project);
	if (s->user)
		test_write(f->top, "home/.claude/settings.json", s->user);
	if (s->trust)
		test_write(f->top, "home/.claude.json", s->trust);
}

#define OFF "{\"sandbox\": {\"enabled\": false}}"
#define ON "{\"sandbox\": {\"enabled\": true}}"

static struct at_wiring check(struct fixture *f)
{
	struct at_wiring report;

	at_wiring_init(&report);
	fixture_must_plan(f);
	if (!at_frameworks[AT_CLAUDE]->check_wiring(&report, &f->manifest, &f->project, &f->plan,
		    &f->err))
		fail_msg("check: %s", f->err.message);
	return report;
}

static const struct at_finding *finding(const struct at_wiring *report, const char *id)
{
	for (size_t i = 0; i < report->count; i++)
		if (strcmp(report->findings[i].id, id) == 0)
			return &report->findings[i];
	return NULL;
}

/* A wired project, with the scopes around it. */
static void begin_wired(struct fixture *f, const struct scopes *s)
{
	struct at_buf example;

	begin(f, s);
	fixture_gate(f, NULL);
	fixture_update(f);
	example = fixture_read(f, EXAMPLE);
	fixture_write(f, LIVE, at_buf_text(&example));
	at_buf_free(&example);
}

/* WIRE-9: what another file takes back fails, naming it. */
static void wire_9_undone_by(void **state)
{
	static const struct {
		struct scopes scopes;
		const char *id; /* NULL: nothing is undone */
	} rows[] = {
		{ { .base = OFF }, "undone-by-managed" },
		{ { .base = ON, .local = OFF }, NULL }, /* managed wins */
		{ { .user = OFF }, NULL },              /* the project wins */
		{ { .user = "{\"sandbox\": {\"excludedCommands\": [\"git\"]}}" }, "undone-by-user" },
		{ { .user = "{\"sandbox\": {\"filesystem\": {\"allowWrite\": [\"~/x\"]}}}" },
			"undone-by-user" },
		{ { .user = "{\"permissions\": {\"additionalDirectories\": [\"/srv\"]}}" },
			"undone-by-user" },
		{ { .user = "{\"permissions\": {\"allow\": [\"Edit\"]}}" }, "undone-by-user" },
		{ { .user = "{\"disableAllHooks\": true}" }, "undone-by-user" },
		{ { .user = "{\"env\": {\"HTTPS_PROXY\": \"x\"}}" }, NULL }, /* warned of */
		{ { .user = "{\"sandbox\": {\"network\": {\"allowedDomains\": [\"x.org\"]}}}" }, NULL },
		{ { .local = "{\"sandbox\": {\"network\": {\"allowedDomains\": [\"x.org\"]}}}" },
			"undone-by-local" },
		{ { .local = "{\"sandbox\": {\"network\": {\"allowAllUnixSockets\": true}}}" },
			"undone-by-local" },
		{ { .base = "{\"allowManagedHooksOnly\": true}" }, "undone-by-managed" },
		{ { .local = "{\"allowManagedHooksOnly\": true}" }, NULL }, /* not read there */
		{ { .base = "{\"env\": {\"LD_PRELOAD\": \"x\"}}" }, "undone-by-managed" },
		{ { .user = "{\"sandbox\": {\"excludedCommands\": [\"git\"]},}" }, NULL },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_wiring report;
		struct fixture f;

		begin_wired(&f, &rows[i].scopes);
		report = check(&f);
		if (report.undone != (rows[i].id != NULL)) {
			struct at_buf out = { 0 };

			at_wiring_print(&report, &out);
			fail_msg("row %zu:\n%s", i, at_buf_text(&out));
		}
		assert_row(i, !rows[i].id || finding(&report, rows[i].id)->level == AT_FAIL);
		assert_row(i, !rows[i].id || *report.undone_by);
		at_wiring_free(&report);
		fixture_end(&f);
	}
}

/* WIRE-8: a broken file of any scope drops out whole and is named. */
static void wire_8_broken_scopes_say_so(void **state)
{
	static const struct {
		struct scopes scopes;
		const char *where;
		enum at_level level;
	} rows[] = {
		{ { .base = "{,}" }, "managed-settings.json", AT_FAIL },
		{ { .drop_in = "{\"sandbox\": 3}" }, "10-site.json", AT_FAIL },
		{ { .user = "// x\n{}" }, AT_USER_SETTINGS, AT_WARN },
		{ { .local = "[]" }, LOCAL, AT_FAIL },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct at_finding *f;
		struct at_wiring report;
		struct fixture fix;

		begin_wired(&fix, &rows[i].scopes);
		report = check(&fix);
		f = finding(&report, "file-would-be-skipped");
		assert_row(i, f && f->level == rows[i].level && strstr(f->where, rows[i].where));
		assert_row(i, report.file_is_loaded); /* the project's own is whole */
		at_wiring_free(&report);
		fixture_end(&fix);
	}
}

/* WIRE-9: one flag of ~/.claude.json. */
static void wire_9_trust(void **state)
{
	static const struct {
		const char *flag;
		enum at_trust trust;
	} rows[] = {
		{ "true", AT_TRUST_YES }, { "false", AT_TRUST_NO }, { "\"true\"", AT_TRUST_NO },
		{ "1", AT_TRUST_NO },
	};
	const struct scopes none = { 0 };
	struct fixture f;

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		begin(&f, &none);
		test_write(f.top, "home/.claude.json",
			at_arena_printf(f.arena, "{\"projects\": {\"%s\": {\"hasTrustDialogAccepted\": %s}}}",
				f.project_path, rows[i].flag));
		assert_row(i, at_claude_trust(&f.project) == rows[i].trust);
		fixture_end(&f);
	}
	begin(&f, &none);
	assert_int_equal(at_claude_trust(&f.project), AT_TRUST_NO);
	test_write(f.top, "home/.claude.json", "{");
	assert_int_equal(at_claude_trust(&f.project), AT_TRUST_UNKNOWN);
	fixture_end(&f);
}

static void put_program(struct fixture *f, const char *path, const char *text, mode_t mode)
{
	test_write(f->top, path, text);
	assert_int_equal(chmod(test_path(f->top, path), mode), 0);
}

/* WIRE-9: the bwrap that a session would start has to be root's, and nobody else's to write. */
static void wire_9_programs_on_path(void **state)
{
	const struct scopes none = { 0 };
	struct at_wiring report;
	const struct at_finding *found;
	struct fixture f;

	begin_wired(&f, &none);
	f.host.search_path = "/nonexistent:";
	report = check(&f);
	assert_int_equal(finding(&report, "tool-missing")->level, AT_WARN); /* fails closed */
	at_wiring_free(&report);
	put_program(&f, "bin/bwrap", "#!/bin/sh\n", 0777);
	f.host.search_path = test_path(f.top, "bin");
	report = check(&f);
	found = finding(&report, "tool-foreign");
	assert_true(found && found->level == AT_FAIL && strstr(found->text, "/bin/bwrap"));
	at_wiring_free(&report);
	/* Not executable: the search goes on. */
	put_program(&f, "bin/bwrap", "#!/bin/sh\n", 0644);
	report = check(&f);
	assert_null(finding(&report, "tool-foreign"));
	at_wiring_free(&report);
	fixture_end(&f);
}

/* WIRE-9: without failIfUnavailable a missing program is worse: the client goes on. */
static void wire_9_missing_program_open(void **state)
{
	const struct scopes s = { .local = "{\"sandbox\": {\"failIfUnavailable\": false}}" };
	struct at_wiring report;
	struct fixture f;

	begin_wired(&f, &s);
	f.host.search_path = "/nonexistent";
	report = check(&f);
	assert_int_equal(finding(&report, "tool-missing")->level, AT_FAIL);
	at_wiring_free(&report);
	fixture_end(&f);
}

/* WIRE-16: names of keys where this program runs, never a value. */
static void wire_16_environment(void **state)
{
	static char one[] = "ANTHROPIC_API_KEY=" SECRET, two[] = "AGENTTEAMS_DECISION_ED25519_KEYFILE=" SECRET,
		    three[] = "MAX_THINKING_TOKENS=" SECRET, four[] = "odd";
	static char *environment[] = { one, two, three, four, NULL };
	const struct scopes none = { 0 };
	struct at_buf out = { 0 };
	struct at_wiring report;
	struct fixture f;

	begin_wired(&f, &none);
	f.host.environment = environment;
	report = check(&f);
	assert_int_equal(finding(&report, "env-key-like")->level, AT_WARN);
	assert_non_null(strstr(finding(&report, "env-key-like")->text, "ANTHROPIC_API_KEY"));
	assert_int_equal(finding(&report, "env-signing-key")->level, AT_FAIL);
	at_wiring_print(&report, &out);
	assert_null(strstr(at_buf_text(&out), SECRET));
	assert_null(strstr(at_buf_text(&out), "MAX_THINKING_TOKENS"));
	at_buf_free(&out);
	at_wiring_free(&report);
	fixture_end(&f);
}

/* WIRE-16: and in the user's settings. */
static void wire_16_user_env(void **state)
{
	const struct scopes s = { .user = "{\"env\": {\"AGENTTEAMS_GRANT_KEY\": \"" SECRET "\"}}" };
	struct at_wiring report;
	struct fixture f;

	begin_wired(&f, &s);
	report = check(&f);
	assert_int_equal(finding(&report, "env-signing-key")->level, AT_FAIL);
	assert_non_null(strstr(finding(&report, "env-signing-key")->where, AT_USER_SETTINGS));
	at_wiring_free(&report);
	fixture_end(&f);
}

#define DOCTOR "#!/bin/sh\n[ \"$1\" = doctor ] || exit 9\necho 'Claude Code doctor'\n"

/* WIRE-8: the client is asked, its lines are quoted, its silence and its absence said. */
static void wire_8_ask_client(void **state)
{
	static const struct {
		const char *script, *id, *says;
		enum at_level level;
	} rows[] = {
		{ NULL, "client-absent", "No claude", AT_NOTE },
		{ DOCTOR "echo 'Invalid settings'; echo '- a.json › sandbox.enabled: Expected boolean'; "
			 "echo '  Suggested fix: x'; echo 'Remote Control'; echo '- not this'",
			"client-says", "sandbox.enabled: Expected boolean", AT_FAIL },
		{ DOCTOR "echo 'API connectivity'; echo '- fine'", "client-says", "no invalid settings",
			AT_OKAY },
		{ "#!/bin/sh\necho something else\n", "client-failed", "not the report", AT_WARN },
		{ "#!/bin/sh\nkill -9 $$\n", "client-failed", "could not be run", AT_WARN },
		{ DOCTOR "echo 'Invalid settings'; env | sed 's/^/- /'", "client-says", "=", AT_FAIL },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct scopes none = { 0 };
		const struct at_finding *found;
		struct at_buf out = { 0 };
		struct at_wiring report;
		struct fixture f;

		begin(&f, &none);
		if (rows[i].script)
			put_program(&f, "bin/claude", rows[i].script, 0755);
		f.host.search_path = at_arena_printf(f.arena, ".:%s/bin:/usr/bin:/bin", f.top);
		if (!rows[i].script)
			f.host.search_path = test_path(f.top, "bin");
		setenv("ANTHROPIC_API_KEY", SECRET, 1);
		at_wiring_init(&report);
		at_claude_ask_client(&report, &f.project);
		unsetenv("ANTHROPIC_API_KEY");
		found = finding(&report, rows[i].id);
		at_wiring_print(&report, &out);
		if (!found || found->level != rows[i].level || !strstr(found->text, rows[i].says))
			fail_msg("row %zu:\n%s", i, at_buf_text(&out));
		assert_row(i, !strstr(at_buf_text(&out), "not this"));
		assert_row(i, !strstr(at_buf_text(&out), SECRET));
		at_buf_free(&out);
		at_wiring_free(&report);
		fixture_end(&f);
	}
}

/* WIRE-11: the managed example is one that the client loads, and without a fault. */
static void wire_11_managed_example_loads(void **state)
{
	const struct at_settings_place place = { .name = "/etc/claude-code/managed-settings.json",
		.project = "", .project_fd = -1, .home = "" };
	struct at_wiring report;

	at_wiring_init(&report);
	at_settings_check(&report, at_bytes_of(at_claude_managed_example), &place);
	assert_true(report.file_is_loaded);
	assert_true(at_wiring_worst(&report) < AT_WARN);
	at_wiring_free(&report);
}

/* WIRE-10: a file that names the gate's script and does something else is not ours to run. */
static void wire_10_only_ours_runs_unasked(void **state)
{
	const struct scopes none = { 0 };
	struct at_hook_book book = { 0 };
	struct at_hook_list list;
	struct fixture f;
	size_t own = 0;

	begin_wired(&f, &none);
	fixture_write(&f, LOCAL, at_arena_printf(f.arena,
		"{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"timeout\": 5, "
		"\"command\": \"touch %s/ran; \\\"$CLAUDE_PROJECT_DIR\\\"/" HOOK "\"}]}]}}", f.top));
	fixture_must_plan(&f);
	at_hook_list_init(&list);
	at_frameworks[AT_CLAUDE]->hooks(&list, &f.manifest, &f.project, &f.plan);
	assert_int_equal(list.count, 2);
	at_hook_list_run(&book, &list, &f.project, false);
	assert_int_equal(book.count, 1);
	assert_int_equal(at_hook_book_find(&book, list.gate)->result, AT_HOOK_STOPS);
	assert_false(test_exists(f.top, "ran"));
	at_hook_book_free(&book);
	at_hook_list_run(&book, &list, &f.project, true);
	assert_int_equal(book.count, 2);
	assert_true(test_exists(f.top, "ran"));
	at_hook_book_free(&book);
	at_hook_list_free(&list);
	/* Nor is an edited script, though the command is the emitted one. */
	fixture_write(&f, HOOK, "#!/bin/sh\nexit 2\n");
	fixture_must_plan(&f);
	at_hook_list_init(&list);
	at_frameworks[AT_CLAUDE]->hooks(&list, &f.manifest, &f.project, &f.plan);
	for (size_t i = 0; i < list.count; i++)
		own += list.items[i].is_ours;
	assert_int_equal(own, 0);
	assert_non_null(strstr(list.gate_fault, "edited"));
	at_hook_list_free(&list);
	fixture_end(&f);
}

/* WIRE-10: the hook counts as wired only when it was run and found good. */
static void wire_10_wired_means_judged(void **state)
{
	static const struct {
		const char *gate, *id;
	} rows[] = {
		{ NULL, "hook-stops" }, { "exit 0\n", "hook-lets-through" },
		{ "exit 2\n", "hook-broken" }, { "exit 1\n", "hook-broken" },
		/* the script, which fails closed, makes a refusal of what is no answer */
		{ "echo '{\"decision\": \"approve\"}'\n", "hook-broken" },
	};

	for (size_t i = 0; i <= AT_LEN(rows); i++) {
		const struct scopes none = { 0 };
		struct at_hook_book book = { 0 };
		struct at_hook_list list;
		struct at_wiring report;
		struct fixture f;

		begin_wired(&f, &none);
		at_hook_list_init(&list);
		if (i < AT_LEN(rows)) {
			fixture_gate(&f, rows[i].gate);
			fixture_update(&f);
			at_frameworks[AT_CLAUDE]->hooks(&list, &f.manifest, &f.project, &f.plan);
			at_hook_list_run(&book, &list, &f.project, false);
			f.project.hooks = &book;
		}
		report = check(&f);
		if (!finding(&report, i < AT_LEN(rows) ? rows[i].id : "hook-not-judged"))
			fail_msg("row %zu", i);
		assert_row(i, report.hook_is_wired == (i == 0));
		at_wiring_free(&report);
		at_hook_list_free(&list);
		at_hook_book_free(&book);
		fixture_end(&f);
	}
}

static size_t each_file(struct fixture *f, const char *dir)
{
	char path[4096];
	DIR *stream;
	struct dirent *entry;
	size_t count = 0;

	snprintf(path, sizeof(path), "%s/%s", test_data(), dir);
	stream = opendir(path);
	assert_non_null(stream);
	while ((entry = readdir(stream)) != NULL) {
		struct at_effective e;
		struct at_wiring own, report;
		struct at_buf text;
		const struct at_settings_place place = { .name = LIVE, .project = f->project_path,
			.project_fd = f->project.fd, .home = f->host.home };

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		if (!strchr(entry->d_name, '.')) {
			count += each_file(f, path);
			continue;
		}
		text = test_read(NULL, path);
		test_write_bytes(f->project_path, LIVE, text.data, text.len);
		at_wiring_init(&own);
		at_settings_check(&own, at_buf_bytes(&text), &place);
		report = check(f);
		at_effective_init(&e);
		at_frameworks[AT_CLAUDE]->effective(&e, &f->project);
		if (report.file_is_loaded != own.file_is_loaded)
			fail_msg("%s: loaded is said otherwise", path);
		for (size_t i = 0; i < own.count; i++)
			if (!finding(&report, own.findings[i].id))
				fail_msg("%s: %s is lost", path, own.findings[i].id);
		for (size_t i = 0; !own.file_is_loaded && i < e.count; i++)
			if (e.values[i].scope == AT_SCOPE_PROJECT)
				fail_msg("%s is dropped, and its %s shown", path, e.values[i].key);
		at_effective_free(&e);
		at_wiring_free(&report);
		at_wiring_free(&own);
		at_buf_free(&text);
		count++;
	}
	closedir(stream);
	return count;
}

/* WIRE-8, WIRE-9: every shape and case seen in the field, as the live file: each of its
 * findings arrives, and what the client drops is in force nowhere. */
static void wire_8_shapes_and_cases(void **state)
{
	const struct scopes none = { 0 };
	struct fixture f;

	begin(&f, &none);
	fixture_update(&f);
	assert_true(each_file(&f, "settings-shapes") >= 20);
	assert_true(each_file(&f, "cases") >= 15);
	fixture_end(&f);
}

int test_scopes(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_9_undone_by),
		cmocka_unit_test(wire_8_broken_scopes_say_so),
		cmocka_unit_test(wire_9_trust),
		cmocka_unit_test(wire_9_programs_on_path),
		cmocka_unit_test(wire_9_missing_program_open),
		cmocka_unit_test(wire_16_environment),
		cmocka_unit_test(wire_16_user_env),
		cmocka_unit_test(wire_8_ask_client),
		cmocka_unit_test(wire_11_managed_example_loads),
		cmocka_unit_test(wire_10_only_ours_runs_unasked),
		cmocka_unit_test(wire_10_wired_means_judged),
		cmocka_unit_test(wire_8_shapes_and_cases),
	};

	return cmocka_run_group_tests_name("scopes", tests, NULL, NULL);
}
