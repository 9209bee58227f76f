/* Settings, keys, --readonly, the mouse and the ways out, with the real program. */
#include "support/support.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "e2e/console.h"

static const char config_path[] = ".config/atconsole/config";

/* UI-4: --check-config names file and line and is 1; what holds is 0. */
static void ui_4_check_config(void **state)
{
	struct test_project p;
	struct test_run run;
	const char *out;

	test_project_begin(&p, NULL);
	out = test_expect(&p, 0, "--check-config");
	assert_non_null(strstr(out, "it is not there; the defaults hold"));
	test_write(p.home, config_path, "set theme light\nbind merge write j\nset x \x1b]0;x\x07\n");
	out = test_expect(&p, 1, "--check-config");
	assert_non_null(strstr(out, "/.config/atconsole/config:2: j moves or goes on"));
	assert_non_null(strstr(out, "/.config/atconsole/config:3: "));
	assert_null(strchr(out, '\x1b'));
	out = test_expect(&p, 1, "--check-config --json");
	assert_non_null(strstr(out, "\"theme\": \"light\""));
	assert_non_null(strstr(out, "\"line\": 2"));
	test_expect(&p, 0, "--check-config --no-config");
	test_expect(&p, 1, "--check-config --config nowhere");
	test_expect(&p, 2, "--check-config --no-config --config nowhere");
	/* In batch the faults go to standard error, and the report is made. */
	test_write(p.home, config_path, "bind merge accept M-o\nset theme pink\n");
	run = test_run(&p, "--list-keys");
	assert_int_equal(run.status, 0);
	assert_non_null(strstr(at_buf_text(&run.err), "config:2: theme cannot be pink"));
	assert_non_null(strstr(at_buf_text(&run.out), "merge             accept             M-o "));
	test_run_free(&run);
	assert_non_null(strstr(test_expect(&p, 0, "--list-keys --no-config"), "accept             a "));
	test_project_end(&p);
}

/* UI-4: keys and settings of the file rule the console; its faults are shown first. */
static void ui_4_console_obeys_the_file(void **state)
{
	struct test_project p;
	struct pty *pty;

	console_begin(&p);
	test_write(p.home, config_path, "bind merge keep-mine M-o\nset two-panes 80\nset theme pink\n");
	pty = console_start(&p, NULL, NULL, 90, 30);
	pty_expect(pty, "Faults of the configuration");
	pty_expect(pty, "config:3: theme cannot be pink");
	pty_expect(pty, "1 fault; the rest holds");
	pty_send(pty, "q");
	pty_expect(pty, "38 of ");
	pty_expect(pty, "│ yours on disk"); /* two panes at 90 columns */
	pty_send(pty, "r"); /* no key any more */
	pty_settle(pty, 100);
	pty_expect(pty, "38 of ");
	pty_expect(pty, "M-o keep mine");
	pty_send(pty, "\033o");
	pty_expect(pty, "37 of ");
	pty_send(pty, "uQ");
	console_end(pty, 0);
	test_project_end(&p);
}

/* --readonly: every screen, no act; and no mode that writes starts. */
static void ui_6_readonly_writes_nothing(void **state)
{
	static const char *const refused[] = { "--update", "--undo", "--merge --accept-safe",
		"--merge --accept deny-1" };
	static const char *const allowed[] = { "--status", "--merge --accept-write-root " CONSOLE_ROOT,
		"--merge --accept-safe --dry-run --accept-write-root " CONSOLE_ROOT,
		"--update --dry-run --accept-write-root " CONSOLE_ROOT };
	struct test_project p;
	struct pty *pty;
	uint64_t before;
	char words[128];

	console_begin(&p);
	before = test_tree_fingerprint(p.stage);
	for (size_t i = 0; i < AT_LEN(refused); i++) {
		struct test_run run;

		snprintf(words, sizeof(words), "--readonly %s", refused[i]);
		run = test_run(&p, words);
		assert_row(i, run.status == 2 && strstr(at_buf_text(&run.err), "--readonly"));
		test_run_free(&run);
	}
	for (size_t i = 0; i < AT_LEN(allowed); i++) {
		snprintf(words, sizeof(words), "--readonly %s", allowed[i]);
		test_expect(&p, 0, words);
	}
	pty = console_start(&p, "--readonly", NULL, 100, 30);
	pty_expect(pty, "38 of ");
	pty_send(pty, "w");
	pty_expect(pty, "--readonly: nothing is written");
	pty_send(pty, "j");
	assert_true(pty_wait_gone(pty, "--readonly: nothing is written", CONSOLE_LONG));
	pty_send(pty, "u");
	pty_expect(pty, "--readonly: nothing is written");
	pty_send(pty, "?");
	pty_expect(pty, "(off: --readonly: nothing is written)");
	pty_send(pty, "\033");
	assert_true(pty_wait_gone(pty, "Type to filter", CONSOLE_LONG));
	pty_send(pty, "Q");
	console_end(pty, 0);
	pty = console_start(&p, "--readonly --plain", "TERM=dumb", 100, 60);
	pty_expect(pty, "q (leave)>");
	pty_send(pty, "w\n");
	pty_expect(pty, "--readonly: nothing is written");
	pty_settle(pty, 100);
	pty_send(pty, "q\n");
	console_end(pty, 0);
	assert_true(before == test_tree_fingerprint(p.stage));
	test_project_end(&p);
}

static bool sent(struct pty *pty, const char *text)
{
	return strstr(pty_output(pty).data, text) != NULL;
}

/* UI-4: off until asked for; the wheel scrolls, a click selects and never acts; off again and
 * restored. */
static void ui_4_mouse_only_looks(void **state)
{
	struct test_project p;
	struct pty *pty;
	uint64_t before;

	console_begin(&p);
	before = test_tree_fingerprint(p.stage);
	pty = console_start(&p, NULL, NULL, 80, 24);
	pty_expect(pty, "> [x] tightens + the whole sandbox block");
	assert_false(sent(pty, "\033[?1000h"));
	pty_send(pty, "\033[<0;5;9M\033[<0;5;9m"); /* reports that nobody asked for do nothing */
	pty_settle(pty, 100);
	pty_expect(pty, "> [x] tightens + the whole sandbox block");
	pty_send(pty, "m");
	pty_expect(pty, "Mouse on");
	assert_true(sent(pty, "\033[?1000h\033[?1006h"));
	for (int y = 1; y <= 24; y++) { /* every cell of a column, every button */
		char click[96];

		snprintf(click, sizeof(click), "\033[<0;5;%dM\033[<0;5;%dm\033[<1;5;%dM\033[<2;5;%dM", y, y, y, y);
		pty_send(pty, click);
	}
	pty_settle(pty, 100);
	pty_expect(pty, "38 of ");
	pty_send(pty, "\033[<0;5;9M"); /* the second item */
	pty_expect(pty, "> [ ] WIDENS");
	pty_send(pty, "\033[<65;5;9M\033[<65;5;9M\033[<65;5;9M");
	assert_true(pty_wait_gone(pty, "> [ ] WIDENS", CONSOLE_LONG));
	pty_send(pty, "w"); /* a question takes no click */
	pty_expect(pty, "Write the live settings?");
	pty_settle(pty, 300);
	for (int y = 1; y <= 24; y++) {
		char click[32];

		snprintf(click, sizeof(click), "\033[<0;4;%dM", y);
		pty_send(pty, click);
	}
	pty_settle(pty, 100);
	pty_expect(pty, "Write the live settings?");
	pty_send(pty, "n");
	assert_true(pty_wait_gone(pty, "Write the live settings?", CONSOLE_LONG));
	pty_send(pty, "m");
	pty_expect(pty, "Mouse off");
	assert_true(sent(pty, "\033[?1006l\033[?1000l"));
	pty_send(pty, "m");
	pty_expect(pty, "Mouse on");
	pty_send(pty, "Q"); /* left while it is on */
	console_end(pty, 0);
	assert_true(before == test_tree_fingerprint(p.stage));
	/* From the file; and restored after a crash. */
	test_write(p.home, config_path, "set mouse on\n");
	pty = console_start(&p, NULL, NULL, 80, 24);
	pty_expect(pty, "38 of ");
	pty_settle(pty, 100);
	assert_true(sent(pty, "\033[?1000h\033[?1006h"));
	pty_signal(pty, SIGABRT);
	console_end(pty, 128 + SIGABRT);
	/* A terminal that has none is told so. */
	pty = console_start(&p, NULL, "TERM=vt100", 80, 24);
	pty_expect(pty, "not known to report a mouse");
	assert_false(sent(pty, "\033[?1000h"));
	pty_send(pty, "Q");
	assert_int_equal(pty_exit(pty, CONSOLE_LONG), 0);
	pty_end(pty);
	test_project_end(&p);
}

/* UI-6: SIGTERM and SIGHUP write nothing of the project and tell what was decided, then and at the
 * next start; nothing is chosen by that. */
static void ui_6_signals_tell_what_was_decided(void **state)
{
	static const int signals[] = { SIGTERM, SIGHUP, SIGINT };

	for (size_t i = 0; i < AT_LEN(signals); i++) {
		struct test_project p;
		struct pty *pty;
		uint64_t before;

		console_begin(&p);
		before = test_tree_fingerprint(p.shop);
		pty = console_start(&p, NULL, NULL, 80, 24);
		pty_expect(pty, "38 of ");
		pty_send(pty, "r");
		pty_expect(pty, "37 of ");
		if (i == 0) { /* even with the question open, and a text on top of the view */
			pty_send(pty, "w");
			pty_expect(pty, "Write the live settings?");
		} else if (i == 1) {
			pty_send(pty, "=");
			pty_expect(pty, "The whole resulting file");
		}
		pty_settle(pty, 100);
		pty_signal(pty, signals[i]);
		pty_expect(pty, "1 decision of the Merge view is not written");
		pty_expect(pty, "keep yours: the whole sandbox block");
		console_end(pty, 128 + signals[i]);
		assert_row(i, before == test_tree_fingerprint(p.shop));
		pty = console_start(&p, NULL, NULL, 80, 24);
		pty_expect(pty, "Decided before, and not written");
		pty_expect(pty, "keep yours: the whole sandbox block");
		pty_send(pty, "q");
		pty_expect(pty, "38 of ");
		pty_send(pty, "Q");
		console_end(pty, 0);
		pty = console_start(&p, NULL, NULL, 80, 24);
		pty_expect(pty, "38 of ");
		pty_send(pty, "Q");
		console_end(pty, 0);
		assert_row(i, before == test_tree_fingerprint(p.shop));
		test_project_end(&p);
	}
}

static void ui_6_leaving_asks_when_something_is_lost(void **state)
{
	struct test_project p;
	struct pty *pty;

	console_begin(&p);
	pty = console_start(&p, NULL, NULL, 80, 24);
	pty_expect(pty, "38 of ");
	pty_send(pty, "r");
	pty_expect(pty, "37 of ");
	pty_send(pty, "Q");
	pty_expect(pty, "Leave the program?");
	pty_expect(pty, "keep yours: the whole sandbox block");
	pty_settle(pty, 300);
	pty_send(pty, "n");
	pty_expect(pty, "37 of ");
	assert_true(pty_wait_gone(pty, "Leave the program?", CONSOLE_LONG));
	pty_send(pty, "u"); /* nothing is lost any more */
	pty_expect(pty, "38 of ");
	pty_send(pty, "Q");
	console_end(pty, 0);
	test_project_end(&p);
}

/* UI-6: another view and back: decisions, the way back and the cursor are as they were; leaving
 * from there tells of them. A file that changed meanwhile keeps the decisions only. */
static void ui_6_decisions_outlive_a_look_elsewhere(void **state)
{
	struct test_project p;
	struct pty *pty;

	console_begin(&p);
	pty = console_start(&p, NULL, NULL, 120, 40);
	pty_expect(pty, "38 of ");
	pty_send(pty, "jjr");
	pty_expect(pty, "37 of ");
	pty_send(pty, "5");
	pty_expect(pty, "Would claude load");
	pty_send(pty, "Q");
	pty_expect(pty, "Leave the program?");
	pty_expect(pty, "keep yours: deny");
	pty_settle(pty, 300);
	pty_send(pty, "n");
	pty_expect(pty, "Would claude load");
	pty_send(pty, "4");
	pty_expect(pty, "37 of ");
	pty_expect(pty, "> [ ] tightens + deny");
	pty_send(pty, "u");
	pty_expect(pty, "38 of ");
	pty_send(pty, "r");
	pty_expect(pty, "37 of ");
	pty_send(pty, "3");
	pty_expect(pty, "Files");
	test_write(p.shop, CONSOLE_LIVE, "{\"model\": \"another\"}\n");
	pty_send(pty, "4");
	pty_expect(pty, "another");
	pty_expect(pty, "37 of ");
	pty_expect(pty, "> [ ] tightens + deny");
	pty_send(pty, "Q");
	pty_expect(pty, "Leave the program?");
	pty_settle(pty, 300);
	pty_send(pty, "y");
	console_end(pty, 0);
	test_project_end(&p);
}

/* UI-6: what is typed ahead of the end does not reach the shell. */
static void ui_6_typed_ahead_is_dropped_at_the_end(void **state)
{
	struct test_project p;
	struct pty *pty;
	char more[6001];

	console_begin(&p);
	pty = console_start(&p, NULL, NULL, 80, 24);
	pty_expect(pty, "38 of ");
	pty_settle(pty, 200);
	memset(more, 'x', sizeof(more) - 1);
	for (size_t i = 1; i < sizeof(more) - 1; i += 50)
		more[i] = '\r';
	more[0] = 'Q'; /* the rest is more than one read takes */
	more[sizeof(more) - 1] = '\0';
	pty_signal(pty, SIGSTOP);
	pty_send(pty, more);
	pty_signal(pty, SIGCONT);
	assert_int_equal(pty_exit(pty, CONSOLE_LONG), 0);
	assert_int_equal(pty_pending(pty), 0);
	pty_end(pty);
	test_project_end(&p);
}

/* UI-4: a theme by name; a wrong one is bad usage; every number of colours stays within. */
static void ui_4_themes(void **state)
{
	static const struct {
		const char *words, *term;
		const char *has, *has_not; /* parts of colour sequences */
	} rows[] = {
		{ "--theme dark", "TERM=xterm-256color", "38;5;114", "38;5;28m" },
		{ "--theme light", "TERM=xterm-256color", "38;5;28", "38;5;114" },
		{ "--theme colour-blind", "TERM=xterm-256color", "38;5;75", "38;5;114" },
		{ "--theme mono", "TERM=xterm-256color", "\033[1m", "38;5;" },
		{ "--theme light", "TERM=rxvt-unicode", "\033[38;5;2m", "38;5;28m" },
		{ "--theme light", "TERM=xterm", "\033[32m", "\033[90m" },
		{ "--theme dark", "TERM=vt100", "38 of ", "\033[32m" },
	};

	struct test_project p;

	console_begin(&p);
	test_write(p.home, config_path, "set theme mono\n");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct pty *pty = console_start(&p, rows[i].words, rows[i].term, 120, 40);

		pty_expect(pty, "38 of ");
		pty_settle(pty, 100);
		if (!sent(pty, rows[i].has) || sent(pty, rows[i].has_not))
			fail_msg("row %zu: %s\n%s", i, rows[i].words, pty_screen(pty));
		pty_send(pty, "Q");
		assert_row(i, pty_exit(pty, CONSOLE_LONG) == 0);
		pty_end(pty);
	}
	{
		struct pty *pty = console_start(&p, "--theme pink", NULL, 80, 24);

		pty_expect(pty, "--theme pink is none of");
		assert_int_equal(pty_exit(pty, CONSOLE_LONG), 2);
		pty_end(pty);
	}
	test_project_end(&p);
}

int test_config(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_4_check_config),
		cmocka_unit_test(ui_4_console_obeys_the_file),
		cmocka_unit_test(ui_6_readonly_writes_nothing),
		cmocka_unit_test(ui_4_mouse_only_looks),
		cmocka_unit_test(ui_6_signals_tell_what_was_decided),
		cmocka_unit_test(ui_6_leaving_asks_when_something_is_lost),
		cmocka_unit_test(ui_6_decisions_outlive_a_look_elsewhere),
		cmocka_unit_test(ui_6_typed_ahead_is_dropped_at_the_end),
		cmocka_unit_test(ui_4_themes),
	};

	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
