/* The real program in a real terminal. */
#include "support/support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "e2e/project.h"
#include "support/pty.h"

#define ROOT "../demo-shop-build"
#define LIVE ".claude/settings.json"
#define LONG 20000 /* ms; a sanitizer on a busy machine is slow */

static struct pty *start(const struct test_project *p, const char *variable, int width, int height)
{
	const char *argv[] = { test_program(), "--project", p->shop, TEST_NO_GATE,
		"--accept-write-root", ROOT, NULL };
	const char *env[32];
	size_t count = 0;

	for (const char *const *e = test_environment(p); *e; e++)
		env[count++] = *e;
	env[count++] = variable;
	env[count] = NULL;
	return pty_start(argv, env, p->stage, width, height);
}

/* Ends the session with `keys` and holds the terminal against what it was. */
static void leave(struct pty *pty, const char *keys)
{
	const char *fault;

	pty_send(pty, keys);
	assert_int_equal(pty_exit(pty, LONG), 0);
	fault = pty_not_restored(pty);
	if (fault)
		fail_msg("the terminal is not as before: %s", fault);
	fault = pty_foreign_bytes(pty_output(pty));
	if (fault)
		fail_msg("a foreign sequence reached the terminal: %s", fault);
	pty_end(pty);
}

/* A question takes keys only after it was on the screen for a moment. */
static void answer(struct pty *pty, const char *question, const char *key)
{
	pty_expect(pty, question);
	pty_settle(pty, 400);
	pty_send(pty, key);
}

static void begin_emitted(struct test_project *p)
{
	test_project_begin(p, NULL);
	test_expect(p, 0, "--update --accept-write-root " ROOT);
}

static bool live_has(const struct test_project *p, const char *text)
{
	struct at_buf live = test_read(p->shop, LIVE);
	bool has = strstr(at_buf_text(&live), text) != NULL;

	at_buf_free(&live);
	return has;
}

/* UI-1, WIRE-2: the whole walk: look, accept the widening with its own confirmation, write,
 * undo. */
static void ui_1_walk_the_merge(void **state)
{
	struct test_project p;
	struct at_buf before, after;
	struct pty *pty;

	begin_emitted(&p);
	before = test_read(p.shop, LIVE);
	pty = start(&p, NULL, 120, 40);
	pty_expect(pty, "Emitted, not wired: nothing is confined yet");
	pty_expect(pty, "38 of 43 chosen");
	pty_send(pty, "j"); /* to the outside root */
	pty_expect(pty, "> [ ] WIDENS");
	pty_send(pty, "a");
	answer(pty, "This WIDENS what an agent may do", "y");
	pty_expect(pty, "39 of 43 chosen");
	pty_send(pty, "u"); /* the decision back */
	pty_expect(pty, "38 of 43 chosen");
	pty_send(pty, "w");
	answer(pty, "Write the live settings?", "y");
	pty_expect(pty, "written: .claude/settings.json");
	assert_true(live_has(&p, "\"failIfUnavailable\": true"));
	assert_false(live_has(&p, "demo-shop-build"));
	pty_send(pty, "u");
	answer(pty, "Undo the last write?", "y");
	pty_expect(pty, "the old bytes are back");
	after = test_read(p.shop, LIVE);
	assert_true(at_bytes_equal(at_buf_bytes(&before), at_buf_bytes(&after)));
	at_buf_free(&before);
	at_buf_free(&after);
	leave(pty, "Q");
	test_project_end(&p);
}

/* UI-6: Enter and the trigger are no yes; Esc and n are a no; nothing is written. */
static void ui_6_no_is_the_default(void **state)
{
	static const char *const keys[] = { "\r", "w", "n", "\033", " ", "j" };
	struct test_project p;
	struct pty *pty;
	uint64_t before;

	begin_emitted(&p);
	before = test_tree_fingerprint(p.stage);
	pty = start(&p, NULL, 80, 24);
	pty_expect(pty, "38 of 43 chosen");
	for (size_t i = 0; i < AT_LEN(keys); i++) {
		pty_send(pty, "w");
		answer(pty, "Write the live settings?", keys[i]);
		pty_settle(pty, 200);
		pty_send(pty, "n"); /* what did not close it is closed now */
		assert_true(pty_wait_gone(pty, "Write the live settings?", LONG));
	}
	assert_true(before == test_tree_fingerprint(p.stage));
	leave(pty, "Q");
	test_project_end(&p);
}

/* UI-6: keys typed ahead of a question do not answer it. */
static void ui_6_keys_typed_ahead_are_dropped(void **state)
{
	struct test_project p;
	struct pty *pty;
	uint64_t before;

	begin_emitted(&p);
	before = test_tree_fingerprint(p.stage);
	pty = start(&p, NULL, 80, 24);
	pty_expect(pty, "38 of 43 chosen");
	pty_send(pty, "wy");
	pty_expect(pty, "Write the live settings?");
	pty_settle(pty, 300);
	assert_true(before == test_tree_fingerprint(p.stage));
	answer(pty, "Write the live settings?", "n");
	leave(pty, "Q");
	test_project_end(&p);
}

/* WIRE-2: the file changed while the operator was deciding: nothing is written, it is read
 * again, and the decision can be made anew. */
static void wire_2_changed_while_deciding(void **state)
{
	static const char theirs[] = "{\"model\": \"changed meanwhile\"}\n";
	struct test_project p;
	struct at_buf live;
	struct pty *pty;

	begin_emitted(&p);
	pty = start(&p, NULL, 100, 30);
	pty_expect(pty, "38 of 43 chosen");
	pty_send(pty, "w");
	pty_expect(pty, "Write the live settings?");
	test_write(p.shop, LIVE, theirs);
	answer(pty, "Write the live settings?", "y");
	pty_expect(pty, "changed while you were deciding");
	live = test_read(p.shop, LIVE);
	assert_string_equal(at_buf_text(&live), theirs);
	at_buf_free(&live);
	pty_send(pty, "w");
	answer(pty, "Write the live settings?", "y");
	pty_expect(pty, "written: .claude/settings.json");
	assert_true(live_has(&p, "changed meanwhile"));
	assert_true(live_has(&p, "\"sandbox\""));
	leave(pty, "Q");
	test_project_end(&p);
}

/* WIRE-3, case "viewing writes nothing": looking, scrolling, resizing and leaving touch no
 * file, whatever the live file is. */
static void wire_3_viewing_writes_nothing(void **state)
{
	static const struct {
		const char *live, *says;
	} rows[] = {
		{ "{\"model\": \"x\"}\n", "chosen" },
		{ "{ \"broken\": \n", "line 2 column 1" },
		{ "{\n  // mine\n}\n", "line 2 column 3" },
		{ "", "line 1 column 1" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		static const int sizes[][2] = { { 40, 10 }, { 200, 60 }, { 20, 5 }, { 100, 30 } };
		struct test_project p;
		struct pty *pty;
		uint64_t before;

		begin_emitted(&p);
		test_write(p.shop, LIVE, rows[i].live);
		assert_int_equal(chmod(test_path(p.shop, LIVE), 0444), 0);
		before = test_tree_fingerprint(p.stage);
		pty = start(&p, NULL, 80, 24);
		pty_expect(pty, rows[i].says);
		pty_send(pty, "jjk=q\t]z");
		for (size_t k = 0; k < AT_LEN(sizes); k++) {
			pty_resize(pty, sizes[k][0], sizes[k][1]);
			pty_settle(pty, 100);
		}
		pty_send(pty, "\t\014");
		leave(pty, "Q");
		assert_row(i, before == test_tree_fingerprint(p.stage));
		test_project_end(&p);
	}
}

/* UI-6: every way out restores the terminal. */
static void ui_6_every_exit_restores(void **state)
{
	static const int signals[] = { SIGTERM, SIGHUP, SIGINT, SIGSEGV };

	for (size_t i = 0; i < AT_LEN(signals); i++) {
		struct test_project p;
		struct pty *pty;
		const char *fault;

		begin_emitted(&p);
		pty = start(&p, NULL, 80, 24);
		pty_expect(pty, "38 of 43 chosen");
		pty_settle(pty, 100);
		pty_signal(pty, signals[i]);
		assert_row(i, pty_exit(pty, LONG) >= 0);
		fault = pty_not_restored(pty);
		if (fault)
			fail_msg("row %zu: the terminal is not as before: %s", i, fault);
		pty_end(pty);
		test_project_end(&p);
	}
}

/* Does any SGR sequence (ESC [ … m) set a colour? */
static bool has_colour(struct at_bytes out)
{
	for (size_t i = 0; i + 2 < out.len; i++) {
		size_t at = i + 2;
		int number = 0;

		if (out.data[i] != '\033' || out.data[i + 1] != '[')
			continue;
		for (; at < out.len && strchr("0123456789;", out.data[at]); at++)
			;
		if (at == out.len || out.data[at] != 'm')
			continue;
		for (size_t k = i + 2; k <= at; k++) {
			if (out.data[k] >= '0' && out.data[k] <= '9') {
				number = number * 10 + out.data[k] - '0';
				continue;
			}
			/* 39 and 49 give the terminal's own back. */
			if ((number >= 30 && number <= 48 && number != 39) || (number >= 90 && number <= 107))
				return true;
			number = 0;
		}
	}
	return false;
}

/* UI-4: NO_COLOR sends no colour; the words still tell everything. */
static void ui_4_no_color(void **state)
{
	struct test_project p;
	struct pty *pty;

	begin_emitted(&p);
	pty = start(&p, "NO_COLOR=1", 80, 24);
	pty_expect(pty, "[ ] WIDENS");
	pty_expect(pty, "[x] tightens");
	pty_settle(pty, 100);
	assert_false(has_colour(pty_output(pty)));
	assert_true(has_colour((struct at_bytes){ "x\033[1;32my", 9 })); /* the check can fail */
	leave(pty, "Q");
	test_project_end(&p);
}

/* UI-4: a C locale gets ASCII. */
static void ui_4_c_locale(void **state)
{
	struct test_project p;
	struct pty *pty;
	struct at_bytes out;

	begin_emitted(&p);
	pty = start(&p, "LC_ALL=C", 120, 40);
	pty_expect(pty, "38 of 43 chosen");
	pty_settle(pty, 200);
	assert_null(strstr(pty_screen(pty), "<U+"));
	assert_non_null(strstr(pty_screen(pty), "demo-shop - claude - confined"));
	out = pty_output(pty);
	for (size_t i = 0; i < out.len; i++)
		assert_true((unsigned char)out.data[i] < 0x80);
	leave(pty, "Q");
	test_project_end(&p);
}

/* UI-4: a language that is not installed is no reason to spell the interface's symbols out. */
static void ui_4_missing_locale(void **state)
{
	struct test_project p;
	struct pty *pty;

	begin_emitted(&p);
	pty = start(&p, "LC_ALL=xx_XX.UTF-8", 120, 40);
	pty_expect(pty, "demo-shop · claude · confined");
	leave(pty, "Q");
	test_project_end(&p);
}

/* STG-2: names and contents that carry sequences never reach the terminal as such. */
static void stg_2_hostile_text(void **state)
{
	static const char live[] =
		"{\"permissions\":{\"deny\":[\"Read(\\u001b]52;c;b3duZWQ=\\u0007)\",\"\x1b\"]},"
		"\"m\xe2\x80\xae\":\"\xc2\x9b" "2J\"}\n";
	static const char clean[] =
		"{\"permissions\":{\"deny\":[\"Read(\\u001b]52;c;b3duZWQ=\\u0007)\"]},"
		"\"m\xe2\x80\xae\":\"\xc2\x9b" "2J \xe2\x80\x8b\xef\xbb\xbf\"}\n";
	const char *const texts[] = { live, clean };

	for (size_t i = 0; i < AT_LEN(texts); i++) {
		struct test_project p;
		struct pty *pty;

		begin_emitted(&p);
		test_write(p.shop, LIVE, texts[i]);
		pty = start(&p, NULL, 120, 40);
		pty_expect(pty, i ? "chosen" : "line 1 column");
		pty_send(pty, "=");
		pty_settle(pty, 200);
		pty_send(pty, "qjj\r");
		pty_settle(pty, 200);
		leave(pty, "qQ");
		test_project_end(&p);
	}
}

/* WIRE-17: in an agent session the console shows everything and says why w is off. */
static void wire_17_agent_session_may_look(void **state)
{
	struct test_project p;
	struct pty *pty;
	uint64_t before;

	begin_emitted(&p);
	before = test_tree_fingerprint(p.stage);
	pty = start(&p, "CLAUDECODE=1", 100, 30);
	pty_expect(pty, "38 of 43 chosen");
	pty_send(pty, "w");
	pty_expect(pty, "CLAUDECODE is set");
	assert_true(before == test_tree_fingerprint(p.stage));
	leave(pty, "Q");
	test_project_end(&p);
}

/* WIRE-2: a link that leads out of the project is asked about by a typed word; the link and
 * the target's mode stay, and undo reaches the target. */
static void wire_2_a_link_outside_is_asked_about(void **state)
{
	struct test_project p;
	struct at_buf before, after;
	struct pty *pty;
	struct stat st;

	begin_emitted(&p);
	assert_int_equal(mkdir(test_path(p.stage, "dot"), 0755), 0);
	assert_int_equal(rename(test_path(p.shop, LIVE), test_path(p.stage, "dot/settings.json")), 0);
	assert_int_equal(chmod(test_path(p.stage, "dot/settings.json"), 0640), 0);
	assert_int_equal(symlink("../../dot/settings.json", test_path(p.shop, LIVE)), 0);
	before = test_read(p.stage, "dot/settings.json");
	pty = start(&p, NULL, 120, 40);
	pty_expect(pty, "lies outside the project");
	pty_send(pty, "w\r");
	pty_expect(pty, "Merge into the file behind the link?");
	pty_settle(pty, 400);
	pty_send(pty, "yes\r");
	pty_settle(pty, 200);
	assert_false(pty_wait_text(pty, "38 of 43 chosen", 300));
	pty_send(pty, "\033");
	pty_settle(pty, 200);
	pty_send(pty, "\r");
	pty_expect(pty, "Merge into the file behind the link?");
	pty_settle(pty, 400);
	pty_send(pty, "follow\r");
	pty_expect(pty, "38 of 43 chosen");
	pty_send(pty, "w");
	answer(pty, "Write the live settings?", "y");
	pty_expect(pty, "written: ");
	after = test_read(p.stage, "dot/settings.json");
	assert_non_null(strstr(at_buf_text(&after), "\"failIfUnavailable\": true"));
	at_buf_free(&after);
	assert_int_equal(lstat(test_path(p.shop, LIVE), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(test_path(p.stage, "dot/settings.json"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	leave(pty, "Q");
	test_expect(&p, 0, "--undo");
	after = test_read(p.stage, "dot/settings.json");
	assert_true(at_bytes_equal(at_buf_bytes(&before), at_buf_bytes(&after)));
	at_buf_free(&before);
	at_buf_free(&after);
	test_project_end(&p);
}

/* UI-1, UI-7: --update in a terminal ends with an offer that only a y takes. */
static void ui_1_update_offers_the_merge_view(void **state)
{
	static const struct {
		const char *answer;
		bool opens;
	} rows[] = { { "y\r", true }, { "\r", false }, { "n\r", false }, { "\004", false } };

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const char *argv[] = { test_program(), "--project", NULL, TEST_NO_GATE,
			"--accept-write-root", ROOT, "--update", NULL };
		struct test_project p;
		struct pty *pty;

		test_project_begin(&p, NULL);
		argv[2] = p.shop;
		pty = pty_start(argv, test_environment(&p), p.stage, 80, 24);
		pty_expect(pty, "Open the Merge view now? [y/N]");
		pty_send(pty, rows[i].answer);
		if (rows[i].opens) {
			pty_expect(pty, "38 of 43 chosen");
			leave(pty, "Q");
		} else {
			assert_int_equal(pty_exit(pty, LONG), 0);
			pty_end(pty);
		}
		test_project_end(&p);
	}
}

/* UI-1: the guided steps from a project that has only a brief: Emit, then Merge, then done. */
static void ui_1_guided_from_emit_to_merge(void **state)
{
	struct test_project p;
	struct pty *pty;

	test_project_begin(&p, NULL);
	pty = start(&p, NULL, 120, 40);
	pty_expect(pty, "11 to write");
	pty_send(pty, "w");
	answer(pty, "Write the emitted files?", "y");
	pty_expect(pty, "11 files written");
	pty_expect(pty, "everything is as it should be");
	pty_send(pty, ">");
	pty_expect(pty, "38 of 43 chosen");
	pty_send(pty, "w");
	answer(pty, "Write the live settings?", "y");
	pty_expect(pty, "Configured; not proven on this host");
	pty_send(pty, "<");
	pty_expect(pty, "everything is as it should be");
	pty_send(pty, "M");
	pty_expect(pty, "11 files written");
	pty_send(pty, "q");
	pty_settle(pty, 200);
	pty_send(pty, "H");
	pty_expect(pty, "KEYS (context");
	leave(pty, "Q");
	test_project_end(&p);
}

/* UI-4: too small is said, and only leaving works; growing brings everything back. */
static void ui_4_too_small(void **state)
{
	struct test_project p;
	struct pty *pty;
	uint64_t before;

	begin_emitted(&p);
	before = test_tree_fingerprint(p.stage);
	pty = start(&p, NULL, 30, 8);
	pty_expect(pty, "40");
	pty_send(pty, "wy");
	pty_settle(pty, 300);
	pty_resize(pty, 80, 24);
	pty_expect(pty, "38 of 43 chosen");
	assert_true(before == test_tree_fingerprint(p.stage));
	leave(pty, "Q");
	test_project_end(&p);
}

/* WIRE-8, WIRE-10: the Wiring view says whether the file is loaded; a hook of the settings is
 * run after a yes, beside the screen, and its verdict appears. */
static void wire_10_run_hooks_from_the_screen(void **state)
{
	struct test_project p;
	struct pty *pty;

	begin_emitted(&p);
	test_write(p.shop, LIVE, "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", "
				 "\"timeout\": 9, \"command\": \"sleep 0.5; exit 1\"}]}]}}\n");
	pty = start(&p, NULL, 120, 40);
	pty_expect(pty, "5 Wiring");
	pty_send(pty, "5");
	pty_expect(pty, "Would claude load .claude/settings.json?  YES");
	pty_expect(pty, "not run    every tool");
	pty_send(pty, "X");
	answer(pty, "Run these commands of the settings", "n");
	pty_settle(pty, 300);
	pty_expect(pty, "not run    every tool");
	pty_send(pty, "X");
	answer(pty, "Run these commands of the settings", "y");
	pty_expect(pty, "running    every tool");
	pty_send(pty, "G"); /* no key waits for it */
	pty_send(pty, "g");
	pty_expect(pty, "ALLOWS ALL every tool");
	test_write(p.shop, LIVE, "{ // no\n}\n");
	pty_send(pty, "\033[15~"); /* F5 */
	pty_expect(pty, "Would claude load .claude/settings.json?  NO");
	leave(pty, "Q");
	test_project_end(&p);
}

/* UI-4: a file that takes longer than a frame to read: the first frame says that nothing is known,
 * and claims nothing; keys typed meanwhile are not lost. */
static void ui_4_large_settings_say_so_first(void **state)
{
	struct test_project p;
	struct at_buf text = { 0 };
	struct at_bytes all;
	struct pty *pty;
	const char *first;

	(void)state;
	begin_emitted(&p);
	at_buf_puts(&text, "{\"permissions\": {\"allow\": [\"Read\"");
	for (int i = 0; i < 20000; i++)
		at_buf_printf(&text, ", \"Bash(a-tool-with-a-long-name-%05d:*)\"", i);
	at_buf_puts(&text, "]}}\n");
	test_write(p.shop, LIVE, at_buf_text(&text));
	at_buf_free(&text);
	pty = start(&p, NULL, 120, 40);
	pty_send(pty, "5");
	pty_expect(pty, "Would claude load .claude/settings.json?  YES");
	all = pty_output(pty);
	first = memmem(all.data, all.len, "Reading the settings", 20);
	assert_non_null(first);
	/* The tabs of the frame come with the evidence. */
	assert_true((const char *)memmem(all.data, all.len, "Setup", 5) > first);
	leave(pty, "Q");
	test_project_end(&p);
}

/* UI-4: a log that grows while nobody presses a key is noticed. */
static void ui_4_the_gate_log_grows_on_the_screen(void **state)
{
	struct test_project p;
	char variable[4200];
	struct pty *pty;

	test_project_begin(&p, NULL);
	test_write(p.stage, "gate.log", "x\n");
	snprintf(variable, sizeof(variable), "AGENTTEAMS_GATE_LOG=%s/gate.log", p.stage);
	pty = start(&p, variable, 100, 30);
	pty_expect(pty, "leave");
	pty_send(pty, "9");
	pty_expect(pty, "1 gap, no evidence there");
	test_write(p.stage, "gate.log", "x\ny\n");
	pty_expect(pty, "2 gaps, no evidence there");
	unlink(test_path(p.stage, "gate.log"));
	pty_expect(pty, "not read");
	leave(pty, "Q");
	test_project_end(&p);
}

int test_console(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_1_walk_the_merge),
		cmocka_unit_test(ui_6_no_is_the_default),
		cmocka_unit_test(ui_6_keys_typed_ahead_are_dropped),
		cmocka_unit_test(wire_2_changed_while_deciding),
		cmocka_unit_test(wire_3_viewing_writes_nothing),
		cmocka_unit_test(ui_6_every_exit_restores),
		cmocka_unit_test(ui_4_no_color),
		cmocka_unit_test(ui_4_c_locale),
		cmocka_unit_test(ui_4_missing_locale),
		cmocka_unit_test(stg_2_hostile_text),
		cmocka_unit_test(wire_17_agent_session_may_look),
		cmocka_unit_test(wire_2_a_link_outside_is_asked_about),
		cmocka_unit_test(ui_1_update_offers_the_merge_view),
		cmocka_unit_test(ui_1_guided_from_emit_to_merge),
		cmocka_unit_test(ui_4_too_small),
		cmocka_unit_test(ui_4_large_settings_say_so_first),
		cmocka_unit_test(wire_10_run_hooks_from_the_screen),
		cmocka_unit_test(ui_4_the_gate_log_grows_on_the_screen),
	};

	return cmocka_run_group_tests_name("console", tests, NULL, NULL);
}
