#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/control_plane.h"
#include "views/fixture.h"
#include "views/frame.h"
#include "views/integrity_ground.h"
#include "views/integrity_text.h"
#include "views/view_integrity.h"

#define LAUNCHER "sandbox/confine-run.sh"
#define REFS ".claude/agents/references/"

static void end_walk(struct fixture *f)
{
	for (int i = 0; i < 1000 && (f->app.idle_due || f->app.dirty); i++) {
		screen_text(&f->app);
		at_app_idle(&f->app);
	}
}

static void reread(struct fixture *f)
{
	struct at_event changed = { .kind = AT_EVENT_CHANGED, .id = AT_ACT_REREAD };

	at_collected_free(&f->collected);
	at_collect(&f->collected, &f->session);
	at_app_step(&f->app, &changed);
	end_walk(f);
}

/* INT-1, INT-2: as it is, edited with the difference beside it, missing, and nothing expected. */
static void int_2_golden_screens(void **state)
{
	static const struct fixture_plan none = { .is_emitted = false };
	static const struct fixture_plan emitted = { .is_emitted = true };
	static const struct fixture_plan tampered = { .is_emitted = true, .is_tampered = true };

	(void)state;
	fixture_golden(&emitted, &at_view_integrity, 8, "integrity", "");
	fixture_golden(&none, &at_view_integrity, 8, "integrity-none", "");
	fixture_golden(&tampered, &at_view_integrity, 8, "integrity-edited", "j");
	fixture_golden(&tampered, &at_view_integrity, 8, "integrity-diff", "j Tab");
}

/* INT-2: what was changed meanwhile shows after F5, and the rows that are not well come first. */
static void int_2_fresh_after_a_reread(void **state)
{
	static const struct fixture_plan plan = { .is_emitted = true };
	struct fixture f;
	const char *shown;

	(void)state;
	fixture_begin(&f, &plan, &at_view_integrity, 8, 160, 40);
	end_walk(&f);
	assert_non_null(strstr(screen_text(&f.app), "all as it was"));
	test_write(f.options.project, LAUNCHER, "#!/bin/sh\nexec \"$@\"\n");
	assert_int_equal(unlink(test_path(f.options.project, REFS "agent-privilege.json")), 0);
	reread(&f);
	shown = screen_text(&f.app);
	assert_non_null(strstr(shown, "NOT VERIFIED"));
	assert_non_null(strstr(shown, "edited        confine-run.sh"));
	assert_non_null(strstr(shown, "missing       agent-privilege.json"));
	shown = strstr(shown, "Emitted here");
	assert_true(strstr(shown, "edited        confine-run.sh") < strstr(shown, "same  "));
	screen_keys(&f.app, "/ c o n f i n e - r u n Enter");
	end_walk(&f);
	shown = screen_text(&f.app);
	assert_non_null(strstr(shown, "emitted → on disk"));
	assert_non_null(strstr(shown, "+1 -1"));
	screen_keys(&f.app, "Enter");
	shown = screen_text(&f.app);
	assert_non_null(strstr(shown, "expected"));
	fixture_end(&f);
}

/* WIRE-3 and its kin: names and bytes of anyone's reach the screen as marks alone. */
static void ui_4_hostile_names_and_bytes(void **state)
{
	static const struct fixture_plan plan = { .is_emitted = true };
	struct fixture f;

	(void)state;
	fixture_begin(&f, &plan, &at_view_integrity, 8, 120, 40);
	test_write(f.options.project, ".goose/recipes/references/build-log.json",
		"{\"file_hashes\": {\"a\\u001b[31m\\u202eb\": \"0123456789abcdef\"}}");
	test_write(f.options.project, LAUNCHER, "\x1b]0;title\x07\n\xff\n");
	reread(&f);
	assert_null(strchr(screen_text(&f.app), '\x1b'));
	screen_keys(&f.app, "j j j");
	end_walk(&f);
	assert_null(strchr(screen_text(&f.app), '\x1b'));
	fixture_end(&f);
}

/* UI-6: with many files a key never waits for all of them: the walk goes on between keys. */
static void ui_6_many_files_in_slices(void **state)
{
	static const struct fixture_plan plan = { .is_emitted = true };
	struct at_buf log = { 0 };
	struct fixture f;
	struct timespec from, to;
	const char *dir = at_team_dir(AT_GOOSE);
	char path[128];

	(void)state;
	fixture_begin(&f, &plan, &at_view_integrity, 8, 120, 40);
	at_buf_puts(&log, "{\"file_hashes\": {");
	for (int i = 0; i < 3000; i++) {
		snprintf(path, sizeof(path), "%s/agent-%04d.md", dir, i);
		test_write(f.options.project, path, i == 2999 ? "edited" : "");
		at_buf_printf(&log, "%s\"agent-%04d.md\": \"e3b0c44298fc1c14\"", i ? ", " : "", i);
	}
	at_buf_puts(&log, "}}");
	snprintf(path, sizeof(path), "%s/references/build-log.json", dir);
	test_write(f.options.project, path, at_buf_text(&log));
	at_buf_free(&log);
	at_app_step(&f.app, &(struct at_event){ .kind = AT_EVENT_CHANGED, .id = AT_ACT_REREAD });
	assert_non_null(strstr(screen_text(&f.app), "comparing, "));
	screen_keys(&f.app, "G");
	clock_gettime(CLOCK_MONOTONIC, &from);
	at_app_idle(&f.app);
	clock_gettime(CLOCK_MONOTONIC, &to);
	assert_true((to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000 < 250);
	end_walk(&f);
	assert_null(strstr(screen_text(&f.app), "comparing, "));
	screen_keys(&f.app, "/ 2 9 9 9 Enter");
	end_walk(&f);
	assert_non_null(strstr(screen_text(&f.app), "edited        agent-2999.md"));
	fixture_end(&f);
}

/* UI-3: the report says what the screen says, as lines and as JSON. */
static void ui_3_the_report_is_the_screen(void **state)
{
	static const struct fixture_plan tampered = { .is_emitted = true, .is_tampered = true };
	struct at_json_value *json = at_json_object();
	struct at_integrity_site site;
	struct at_integrity integrity;
	struct at_buf text = { 0 };
	struct fixture f;

	(void)state;
	fixture_begin(&f, &tampered, &at_view_integrity, 8, 80, 24);
	at_integrity_site_make(&site, &f.session, &f.collected);
	at_integrity_begin(&integrity, &site.ground);
	at_integrity_work(&integrity, -1);
	at_integrity_print(&integrity, &text);
	assert_non_null(strstr(at_buf_text(&text), LAUNCHER ": edited (expected "));
	assert_non_null(strstr(at_buf_text(&text), "NOT VERIFIED"));
	assert_non_null(strstr(at_buf_text(&text), "CEIL-7"));
	text.len = 0;
	at_integrity_to_json(&integrity, json);
	at_json_print(&text, json, AT_JSON_COMPACT);
	assert_non_null(strstr(at_buf_text(&text), "\"worst\":\"FAIL\""));
	assert_non_null(strstr(at_buf_text(&text), "\"ceilings\":[{\"id\":\"CEIL-7\""));
	at_json_value_free(json);
	at_buf_free(&text);
	at_integrity_free(&integrity);
	fixture_end(&f);
}

/* UI-4: the row of tabs is never cut, whatever the width: it gives things up by rule. */
static void ui_4_tabs_fit_at_every_width(void **state)
{
	static const struct fixture_plan plan = { .is_emitted = true };
	static const struct { int width; const char *has[3]; } rows[] = {
		{ 200, { "2 Advisories  3 Emit", "8 Integrity  9 Runner", "ENFORCE" } },
		{ 108, { "2 Advisories  3 Emit", "8 Integrity  9 Runner", "○" } },
		{ 100, { "2 Advisories 3 Emit", "8 Integrity 9 Runner", "○" } },
		{ 88, { "2 Advice 3 Emit", "8 Pins 9 Runner", "○" } },
		{ 80, { "2 Advice 3 Emit", "8 Pins 9 Runner", "○" } },
		{ 76, { "1 2 3", "8 Pins 9", "○" } },
		{ 72, { "1 2 3", "8 Pins 9", "○" } },
		{ 60, { "1 2 3 4 5 6 7 8 Pins 9", "○", "" } },
	};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		fixture_begin(&f, &plan, &at_view_integrity, 8, rows[i].width, 24);
		for (size_t k = 0; k < 3; k++)
			if (!strstr(screen_text(&f.app), rows[i].has[k]))
				fail_msg("row %zu: no %s in\n%s", i, rows[i].has[k],
					screen_text(&f.app));
		fixture_end(&f);
	}
}

int test_view_integrity(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(int_2_golden_screens),
		cmocka_unit_test(int_2_fresh_after_a_reread),
		cmocka_unit_test(ui_4_hostile_names_and_bytes),
		cmocka_unit_test(ui_6_many_files_in_slices),
		cmocka_unit_test(ui_3_the_report_is_the_screen),
		cmocka_unit_test(ui_4_tabs_fit_at_every_width),
	};

	return cmocka_run_group_tests_name("view_integrity", tests, NULL, NULL);
}
