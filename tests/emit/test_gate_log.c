/* What the wiring check says of a log that a settings file names for the gate. */
#include "emit/fixture.h"

#include <string.h>

#define SETTINGS "{\"env\": {\"AGENTTEAMS_GATE_LOG\": \"%s\"}, \"sandbox\": {\"filesystem\": " \
	"{\"denyWrite\": [\"%s\"]}}, \"permissions\": {\"deny\": [\"%s\"]}}"
#define NAMES(path) "{\"env\": {\"AGENTTEAMS_GATE_LOG\": \"" path "\"}}"
#define OPEN "gate-log-writable"
#define DENIES \
	"{\"sandbox\": {\"filesystem\": {\"denyWrite\": [\"/srv/log\"]}}, \"permissions\": " \
	"{\"deny\": [\"Edit(//srv/log/**)\"]}}"

struct files {
	const char *project, *local, *user, *managed;
};

static struct at_wiring check(struct fixture *f, const struct files *files)
{
	struct at_wiring report;

	fixture_begin(f, "{\"privilege_profile\": \"confined\"}");
	f->project.managed_dir = at_arena_strdup(f->arena, test_path(f->top, "managed"));
	fixture_write(f, LIVE, files->project ? files->project : "{}");
	if (files->local)
		fixture_write(f, LOCAL, files->local);
	if (files->user)
		test_write(f->top, "home/.claude/settings.json", files->user);
	if (files->managed)
		test_write(f->top, "managed/managed-settings.json", files->managed);
	at_wiring_init(&report);
	fixture_must_plan(f);
	if (!at_frameworks[AT_CLAUDE]->check_wiring(&report, &f->manifest, &f->project, &f->plan,
		    &f->err))
		fail_msg("check: %s", f->err.message);
	return report;
}

static const struct at_finding *find(const struct at_wiring *report, const char *id)
{
	for (size_t i = 0; i < report->count; i++)
		if (strcmp(report->findings[i].id, id) == 0)
			return &report->findings[i];
	return NULL;
}

/* The one finding about the log, or NULL. */
static const struct at_finding *about_log(const struct at_wiring *report)
{
	const struct at_finding *found = NULL;

	for (size_t i = 0; i < report->count; i++) {
		if (strncmp(report->findings[i].id, "gate-log-", 9) != 0)
			continue;
		assert_null(found);
		found = &report->findings[i];
	}
	return found;
}

/* GATE-10: neither commands nor the file tools may write where the log is. */
static void gate_10_log_is_denied(void **state)
{
	static const struct {
		const char *log, *deny_write, *rule, *id, *says;
	} rows[] = {
		{ "/srv/log/gate", "/srv/log", "Edit(//srv/log/**)", NULL, NULL },
		{ "/srv/log/gate", "/srv/log/gate", "Edit(//srv/log/gate)", NULL, NULL },
		{ "/srv/log/gate", "/srv/log/**", "Edit(//srv/log/*)", NULL, NULL },
		{ "/srv/log/gate", "/srv", "Edit", NULL, NULL },
		{ "/srv/log/gate", "/srv/./log/", "Edit(//srv/x/../log/)", NULL, NULL },
		{ "/srv/log/gate", "/srv/log", "Read(//srv/log/**)", OPEN, "file tools" },
		{ "/srv/log/gate", "/srv/log", "Edit(/srv/log/**)", OPEN, "file tools" },
		{ "/srv/log/gate", "/srv/log", "Edit(//srv/lo)", OPEN, "file tools" },
		{ "/srv/log/gate", "/srv/log", "Edit(//srv/*/gate)", OPEN, "file tools" },
		{ "/srv/log/gate", "/srv/log", "Edit()", OPEN, "file tools" },
		{ "/srv/log/gate", "/srv/log", "Edit(", OPEN, "file tools" },
		{ "/srv/log/gate", "/srv/lo", "Edit(//srv/log/**)", OPEN, "commands" },
		{ "/srv/log/gate", "srv/log", "Edit(//srv/log/**)", OPEN, "commands" },
		{ "/srv/log/gate", "/srv/*", "Edit(//srv/log/**)", OPEN, "commands" },
		{ "/srv/log/gate", "/x", "Edit(//x)", OPEN, "neither" },
		{ "log/gate", "log", "Edit", "gate-log-place", "no absolute path" },
		{ "~/log/gate", "~/log", "Edit(~/log/**)", "gate-log-place", "no absolute path" },
		{ "", "/x", "Edit(//x)", NULL, NULL }, /* no log at all */
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct at_finding *found;
		struct files files = { 0 };
		struct at_wiring report;
		struct at_buf text = { 0 };
		struct fixture f;

		at_buf_printf(&text, SETTINGS, rows[i].log, rows[i].deny_write, rows[i].rule);
		files.project = at_buf_text(&text);
		report = check(&f, &files);
		found = about_log(&report);
		assert_row(i, (found != NULL) == (rows[i].id != NULL));
		if (found) {
			assert_row(i, strcmp(found->id, rows[i].id) == 0);
			assert_row(i, found->level == AT_FAIL && *found->remedy);
			assert_row(i, strstr(found->text, rows[i].says) != NULL);
			/* WIRE-5: what an environment holds is never shown */
			assert_row(i, !strstr(found->text, "srv") && !strstr(found->remedy, "srv"));
			assert_string_equal(found->where, LIVE "#/env/AGENTTEAMS_GATE_LOG");
		}
		at_wiring_free(&report);
		at_buf_free(&text);
		fixture_end(&f);
	}
}

/* GATE-10: below the home of the user, and through a link above it. */
static void gate_10_log_at_home(void **state)
{
	struct files files = { 0 };
	struct at_buf text = { 0 };
	struct at_wiring report;
	struct fixture f;

	report = check(&f, &files);
	at_wiring_free(&report);
	at_buf_printf(&text, SETTINGS, test_path(f.top, "home/state/gate"), "~/state",
		"Edit(~/state/**)");
	fixture_write(&f, LIVE, at_buf_text(&text));
	at_wiring_init(&report);
	assert_true(at_frameworks[AT_CLAUDE]->check_wiring(
		&report, &f.manifest, &f.project, &f.plan, &f.err));
	assert_null(about_log(&report));
	at_wiring_free(&report);
	at_buf_free(&text);

	at_buf_printf(&text, SETTINGS, test_path(f.project_path, "log"), "~", "Edit(~/**)");
	fixture_write(&f, LIVE, at_buf_text(&text));
	at_wiring_init(&report);
	assert_true(at_frameworks[AT_CLAUDE]->check_wiring(
		&report, &f.manifest, &f.project, &f.plan, &f.err));
	assert_string_equal(about_log(&report)->id, "gate-log-place");
	assert_non_null(strstr(about_log(&report)->text, "into the project"));
	at_wiring_free(&report);
	at_buf_free(&text);
	fixture_end(&f);
}

/* GATE-10: any scope may name it, any scope may deny it, and the strongest name counts. */
static void gate_10_log_of_every_scope(void **state)
{
	static const struct {
		struct files files;
		const char *id, *where;
	} rows[] = {
		{ { .project = NAMES("/srv/log/g"), .user = DENIES }, NULL, NULL },
		{ { .user = NAMES("/srv/log/g"), .project = DENIES }, NULL, NULL },
		{ { .local = NAMES("/srv/log/g"), .managed = DENIES }, NULL, NULL },
		{ { .managed = NAMES("/srv/log/g"), .local = DENIES }, NULL, NULL },
		{ { .user = NAMES("/srv/log/g") }, OPEN, "~/.claude/settings.json#" },
		{ { .local = NAMES("/srv/log/g") }, OPEN, LOCAL "#" },
		{ { .managed = NAMES("/srv/log/g") }, OPEN, "/managed-settings.json#" },
		{ { .local = NAMES("/srv/log/g"), .user = NAMES("/srv/log/g"), .project = DENIES },
			NULL, NULL },
		{ { .local = NAMES("/srv/log/h"), .user = NAMES("/srv/log/g"), .project = DENIES },
			"gate-log-overridden", LOCAL "#" },
		{ { .local = NAMES(""), .user = NAMES("/srv/log/g"), .project = DENIES },
			"gate-log-overridden", LOCAL "#" },
		{ { .local = NAMES("/srv/log/g") " broken" }, NULL, NULL }, /* the client drops it */
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct at_finding *found;
		struct at_wiring report;
		struct fixture f;

		report = check(&f, &rows[i].files);
		found = about_log(&report);
		assert_row(i, (found != NULL) == (rows[i].id != NULL));
		if (found)
			assert_row(i,
				strcmp(found->id, rows[i].id) == 0
					&& strstr(found->where, rows[i].where) != NULL);
		/* where the record goes takes nothing of the boundary back */
		assert_row(i, !find(&report, "undone-by-local")
			&& !find(&report, "undone-by-managed"));
		at_wiring_free(&report);
		fixture_end(&f);
	}
}

int test_gate_log(void);
int test_gate_log(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(gate_10_log_is_denied),
		cmocka_unit_test(gate_10_log_at_home),
		cmocka_unit_test(gate_10_log_of_every_scope),
	};

	return cmocka_run_group_tests_name("gate_log", tests, NULL, NULL);
}
