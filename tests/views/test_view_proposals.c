#include "support/support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "views/fixture.h"
#include "views/staged_ground.h"
#include "views/view_proposals.h"

static const struct fixture_plan staged = { .is_emitted = true, .is_staged = true };
static const struct fixture_plan none = { .is_emitted = true };

static void settle(struct fixture *f)
{
	for (int i = 0; i < 1000 && (f->app.idle_due || f->app.dirty); i++) {
		screen_text(&f->app);
		at_app_idle(&f->app);
	}
}

static void press(struct fixture *f, const char *keys)
{
	screen_keys(&f->app, keys);
	settle(f);
}

static void must_show(struct fixture *f, const char *text)
{
	const char *screen = screen_text(&f->app);

	if (!strstr(screen, text))
		fail_msg("no `%s` on\n%s", text, screen);
}

static void stg_4_golden_screens(void **state)
{
	(void)state;
	fixture_golden(&none, &at_view_proposals, 6, "proposals-none", "");
	fixture_golden(&staged, &at_view_proposals, 6, "proposals", "");
	fixture_golden(&staged, &at_view_proposals, 6, "proposals-diff", "Tab");
	fixture_golden(&staged, &at_view_proposals, 6, "proposals-apply", "Tab a");
	fixture_golden(&staged, &at_view_proposals, 6, "proposals-reject", "j r");
}

/* STG-4: the riskiest first, each with its reason, its state and what is left of its time. */
static void stg_4_the_riskiest_first(void **state)
{
	static const char *const rows[] = { "tools/run.sh  writer  is a shell file",
		"package.json  writer  names scripts that npm runs", "clean   2h    docs/guide.md",
		"stale   2h    docs/a.md", "over          docs/b.md" };
	struct fixture f;
	const char *screen;
	size_t before = 0;

	(void)state;
	fixture_begin(&f, &staged, &at_view_proposals, 6, 160, 40);
	settle(&f);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		must_show(&f, rows[i]);
		screen = screen_text(&f.app);
		assert_row(i, (size_t)(strstr(screen, rows[i]) - screen) > before);
		before = (size_t)(strstr(screen, rows[i]) - screen);
	}
	must_show(&f, "5 wait, the riskiest first");
	fixture_end(&f);
}

/* STG-4: `a` exists where the change is seen whole, on what is still what the agent read. */
static void stg_4_applied_only_as_shown(void **state)
{
	static const struct {
		const char *keys, *says;
	} rows[] = {
		{ "a", "a exists only in the change: Tab goes there" },
		{ "Tab a", "Type apply and Enter to apply it" },
		{ "j j Tab a", "y apply it" },
		{ "j j Tab W", "" },
		{ "j j Tab W a", "changes of white space are hidden: W shows them" },
		{ "j j j Tab a", "the file changed since the agent read it" },
		{ "j j j j Tab a", "its time is over" },
		{ "j j j r", "why not, for the agent" },
		{ "!", "1 of 1: is a shell file" },
		{ "j j !", "no reason to look twice was found here" },
		{ "u", "Undo the newest application?" },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct fixture f;

		fixture_begin(&f, &staged, &at_view_proposals, 6, 80, 24);
		settle(&f);
		press(&f, rows[i].keys);
		must_show(&f, rows[i].says);
		fixture_end(&f);
	}
}

/* UI-9: with --readonly nothing is applied, sent back or taken back. */
static void ui_9_readonly(void **state)
{
	static const char *const keys[] = { "Tab a", "r", "u" };

	(void)state;
	for (size_t i = 0; i < AT_LEN(keys); i++) {
		struct fixture f;

		fixture_begin(&f, &staged, &at_view_proposals, 6, 80, 24);
		settle(&f);
		f.options.readonly = true;
		press(&f, keys[i]);
		must_show(&f, "--readonly");
		fixture_end(&f);
	}
}

/* Anything may lie there: it is shown as what it is, and no raw byte of it. */
static void stg_1_hostile_records(void **state)
{
	static const struct staged_row odd[] = {
		{ "docs/esc.md", NULL, "\033]0;x\007\xe2\x80\xae\n", "see\033[2J\nApply me", false },
		{ "../outside", NULL, "x\n", "up", false },
		{ "docs", NULL, "a folder stands there\n", "", false },
	};
	static const char *const texts[] = { "", "{", "[]", "{\"sid\": 1}" };
	struct fixture f;
	char path[80];
	const char *screen;

	(void)state;
	fixture_begin(&f, &none, &at_view_proposals, 6, 100, 30);
	test_write(f.options.project, "docs/here.md", "");
	staged_put(f.options.project, odd, AT_LEN(odd));
	for (size_t i = 0; i < AT_LEN(texts); i++) {
		snprintf(path, sizeof(path), ".agentteams/staged/%032zu.json", 20 + i);
		test_write(f.options.project, path, texts[i]);
	}
	snprintf(path, sizeof(path), ".agentteams/staged/%032d.json", 30);
	assert_int_equal(symlink("/etc/passwd", test_path(f.options.project, path)), 0);
	at_app_step(&f.app, &(struct at_event){ .kind = AT_EVENT_CHANGED, .id = AT_ACT_REREAD });
	settle(&f);
	for (int i = 0; i < 9; i++) {
		screen = screen_text(&f.app);
		for (const char *p = screen; *p; p++)
			assert_true(*p == '\n' || (unsigned char)*p >= ' ');
		assert_null(strstr(screen, "\xe2\x80\xae"));
		assert_null(strstr(screen, "root:"));
		press(&f, "Tab Tab Enter q j");
	}
	fixture_end(&f);
}

/* UI-4: what comes meanwhile moves nobody's cursor, and what went is gone at a look. */
static void ui_4_others_come_and_go(void **state)
{
	static const struct staged_row more[] = {
		{ "docs/guide.md", "x", "y\n", "newer", false },
	};
	struct fixture f;
	char path[80];

	(void)state;
	fixture_begin(&f, &staged, &at_view_proposals, 6, 160, 40);
	settle(&f);
	press(&f, "j j j");
	must_show(&f, "> stale   2h    docs/a.md");
	snprintf(path, sizeof(path), ".agentteams/staged/%032d.json", 1);
	assert_int_equal(unlink(test_path(f.options.project, path)), 0);
	at_app_step(&f.app, &(struct at_event){ .kind = AT_EVENT_TICK });
	settle(&f);
	must_show(&f, "4 wait");
	must_show(&f, "> stale   2h    docs/a.md");
	staged_put(f.options.project, more, 1); /* in place of number 0 */
	press(&f, "F5");
	settle(&f);
	must_show(&f, "> stale   2h    docs/a.md");
	fixture_end(&f);
}

int test_view_proposals(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(stg_4_golden_screens),
		cmocka_unit_test(stg_4_the_riskiest_first),
		cmocka_unit_test(stg_4_applied_only_as_shown),
		cmocka_unit_test(ui_9_readonly),
		cmocka_unit_test(stg_1_hostile_records),
		cmocka_unit_test(ui_4_others_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
