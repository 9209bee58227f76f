/* The dialogue of lines, in a real terminal of any kind. */
#include "support/support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "e2e/console.h"

static struct pty *start(const struct test_project *p, const char *words, const char *variable)
{
	/* As wide as the longest line, so that none wraps in the test's terminal. */
	return console_start(p, words ? words : "--plain", variable, 200, 60);
}

static void type(struct pty *pty, const char *line)
{
	pty_expect(pty, "q (leave)>");
	pty_settle(pty, 100);
	pty_send(pty, line);
	pty_send(pty, "\n");
}

/* An answer may be typed only once its question stands there. */
static void answer(struct pty *pty, const char *question, const char *word)
{
	pty_expect(pty, question);
	pty_settle(pty, 100);
	pty_send(pty, word);
	pty_send(pty, "\n");
}

static bool live_has(const struct test_project *p, const char *text)
{
	struct at_buf live = test_read(p->shop, CONSOLE_LIVE);
	bool has = strstr(at_buf_text(&live), text) != NULL;

	at_buf_free(&live);
	return has;
}

static const char write_question[] = "anything else leaves things as they are:";

/* UI-4: the whole walk in lines: look, refuse, accept, write, undo, leave. */
static void ui_4_plain_walks_the_merge(void **state)
{
	struct test_project p;
	struct at_buf before, after;
	struct pty *pty;

	console_begin(&p);
	before = test_read(p.shop, CONSOLE_LIVE);
	pty = start(&p, NULL, "TERM=dumb");
	pty_expect(pty, "Emitted, not wired: nothing is confined yet");
	pty_expect(pty, "1. chosen, tightens, add: the whole sandbox block");
	pty_expect(pty, "2. not chosen, WIDENS, add: allowWrite  ../demo-shop-build");
	type(pty, "2");
	pty_expect(pty, "WIDENS: opens a place outside the project");
	type(pty, "a 2");
	answer(pty, "Type yes to accept this one item", "y");
	pty_expect(pty, "No: things stay as they are.");
	type(pty, "a 2");
	answer(pty, "Type yes to accept this one item", "yes");
	pty_expect(pty, "2. chosen, WIDENS");
	type(pty, "u");
	pty_expect(pty, "decision undone");
	type(pty, "d");
	pty_expect(pty, "\"Edit(/.claude/settings.local.json)\",");
	type(pty, "w");
	answer(pty, "Type yes to write 38 items", "yes");
	pty_expect(pty, "written: .claude/settings.json");
	assert_true(live_has(&p, "\"failIfUnavailable\": true"));
	assert_false(live_has(&p, "demo-shop-build"));
	type(pty, "u");
	answer(pty, "Type yes to undo it", "yes");
	pty_expect(pty, "the old bytes are back");
	after = test_read(p.shop, CONSOLE_LIVE);
	assert_true(at_bytes_equal(at_buf_bytes(&before), at_buf_bytes(&after)));
	type(pty, "q");
	console_end(pty, 0);
	at_buf_free(&before);
	at_buf_free(&after);
	test_project_end(&p);
}

/* UI-6: nothing but the word does it: not a letter, not an empty line, not what was typed
 * ahead, not the end of input. */
static void ui_6_plain_needs_the_word(void **state)
{
	static const char *const words[] = { "", "y", "YES", "yes ", " yes", "w", "yes yes" };
	struct test_project p;
	struct pty *pty;
	uint64_t before;

	console_begin(&p);
	before = test_tree_fingerprint(p.stage);
	pty = start(&p, NULL, NULL);
	for (size_t i = 0; i < AT_LEN(words); i++) {
		type(pty, "w");
		answer(pty, write_question, words[i]);
		pty_expect(pty, "No: things stay as they are.");
	}
	type(pty, "w\nyes"); /* in one go: the second line is dropped */
	pty_expect(pty, write_question);
	pty_settle(pty, 200);
	assert_true(before == test_tree_fingerprint(p.stage));
	pty_send(pty, "\004");
	console_end(pty, 0);
	assert_true(before == test_tree_fingerprint(p.stage));
	test_project_end(&p);
}

/* UI-4: no escape sequence, no byte beyond ASCII, whatever the files hold and TERM says. */
static void ui_4_plain_is_ascii_on_any_terminal(void **state)
{
	static const char *const terms[] = { "TERM=dumb", "TERM=vt100", "TERM=nobody-knows", "TERM=",
		"TERM" };
	static const char live[] = "{\"permissions\": {\"deny\": [\"Read(\xe6\x97\xa5\xe2\x80\xae\xc3\xa9)\"]},"
				   "\"m\": \"\\u001b]52;c;b3duZWQ=\\u0007\"}\n";

	for (size_t i = 0; i < AT_LEN(terms); i++) {
		struct test_project p;
		struct at_bytes out;
		struct pty *pty;

		console_begin(&p);
		test_write(p.shop, CONSOLE_LIVE, live);
		pty = start(&p, NULL, terms[i]);
		type(pty, "=");
		pty_expect(pty, "<U+65E5>");
		type(pty, "d");
		type(pty, "?");
		pty_expect(pty, "a NUMBER: Accept the item");
		type(pty, "q");
		assert_int_equal(pty_exit(pty, CONSOLE_LONG), 0);
		out = pty_output(pty);
		for (size_t k = 0; k < out.len; k++) {
			unsigned char c = (unsigned char)out.data[k];

			assert_row(i, c == '\r' || c == '\n' || c == '\t' || (c >= 0x20 && c < 0x7f));
		}
		pty_end(pty);
		test_project_end(&p);
	}
}

/* The number of the first row that holds the words. */
static int number_of(struct pty *pty, const char *words)
{
	const char *screen = pty_screen(pty), *at = strstr(screen, words);

	assert_non_null(at);
	while (at > screen && at[-1] != '\n')
		at--;
	return atoi(at);
}

/* What cannot be done says why, and nothing is done. */
static void ui_4_plain_says_why_not(void **state)
{
	static const struct {
		const char *line, *says;
	} rows[] = {
		{ "a", "Say which row: a NUMBER." },
		{ "a 999", "There is no row 999." },
		{ "0", "There is no row 0." },
		{ "99999999999999999999999", "There is no row" },
		{ "a x", "A command is one word, or a word and a number." },
		{ "a 1 2", "A command is one word, or a word and a number." },
		{ "a -1", "A command is one word, or a word and a number." },
		{ "a GATE", "the gate" },
		{ "a 1", "chosen already" },
		{ "j", "j does nothing here." },
		{ "hello", "hello does nothing here." },
		{ "accept 1", "chosen already" },
	};
	struct test_project p;
	struct pty *pty;
	uint64_t before;
	int blocked;

	console_begin(&p);
	before = test_tree_fingerprint(p.stage);
	pty = start(&p, NULL, NULL);
	pty_expect(pty, "q (leave)>");
	blocked = number_of(pty, "cannot be chosen");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		char line[64];
		size_t from;

		pty_expect(pty, "q (leave)>");
		pty_settle(pty, 100);
		from = pty_output(pty).len;
		if (strcmp(rows[i].line, "a GATE") == 0)
			snprintf(line, sizeof(line), "a %d\n", blocked);
		else
			snprintf(line, sizeof(line), "%s\n", rows[i].line);
		pty_send(pty, line);
		for (int k = 0; k < 100 && !strstr(pty_output(pty).data + from, rows[i].says); k++)
			pty_settle(pty, 50);
		if (!strstr(pty_output(pty).data + from, rows[i].says))
			fail_msg("row %zu: %s", i, pty_output(pty).data + from);
	}
	type(pty, "q");
	console_end(pty, 0);
	assert_true(before == test_tree_fingerprint(p.stage));
	test_project_end(&p);
}

/* UI-6: leaving with decisions asks; a signal writes nothing and tells what was not written. */
static void ui_6_plain_loses_nothing_silently(void **state)
{
	struct test_project p;
	struct pty *pty;
	uint64_t before;

	console_begin(&p);
	before = test_tree_fingerprint(p.shop);
	pty = start(&p, NULL, NULL);
	type(pty, "r 1");
	type(pty, "q");
	answer(pty, "keep yours: the whole sandbox block", "no");
	type(pty, "l");
	pty_expect(pty, "1. not chosen");
	pty_signal(pty, SIGTERM);
	pty_expect(pty, "1 decision of the Merge view is not written");
	console_end(pty, 128 + SIGTERM);
	assert_true(before == test_tree_fingerprint(p.shop));
	test_project_end(&p);
}

/* The setting does what the option does; a live file that is refused is told. */
static void ui_4_plain_by_setting(void **state)
{
	struct test_project p;
	struct pty *pty;

	console_begin(&p);
	test_write(p.home, ".config/atconsole/config", "set plain on\nset nothing on\n");
	test_write(p.shop, CONSOLE_LIVE, "{\n  // mine\n}\n");
	pty = start(&p, "--framework claude", "TERM=dumb");
	pty_expect(pty, "/.config/atconsole/config:2: there is no setting nothing");
	pty_expect(pty, "comment");
	type(pty, "w");
	pty_expect(pty, "there is nothing to merge");
	type(pty, "q");
	console_end(pty, 0);
	test_project_end(&p);
}

/* UI-3, GATE-10: the gate's log in lines, and a filter that narrows them. */
static void ui_3_plain_filters_the_gate_log(void **state)
{
	struct test_project p;
	char variable[4200];
	struct pty *pty;

	console_begin(&p);
	test_write(p.stage, "gate.log", "no line\n");
	snprintf(variable, sizeof(variable), "AGENTTEAMS_GATE_LOG=%s/gate.log", p.stage);
	pty = start(&p, NULL, variable);
	type(pty, "v 9");
	pty_expect(pty, "from the environment of this console");
	pty_expect(pty, "1. no evidence: no whole line");
	type(pty, "f");
	answer(pty, "an empty line leaves it", "deny");
	pty_expect(pty, "[filter: deny] 0 of 1");
	type(pty, "l");
	pty_expect(pty, "a space shows all");
	type(pty, "f");
	answer(pty, "an empty line leaves it", " ");
	pty_expect(pty, "Every row is shown.");
	type(pty, "1");
	pty_expect(pty, "What stands there, its beginning: \"no line\"");
	type(pty, "q");
	assert_int_equal(pty_exit(pty, 20000), 0);
	pty_end(pty);
	test_project_end(&p);
}

int test_plain(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_4_plain_walks_the_merge),
		cmocka_unit_test(ui_6_plain_needs_the_word),
		cmocka_unit_test(ui_4_plain_is_ascii_on_any_terminal),
		cmocka_unit_test(ui_4_plain_says_why_not),
		cmocka_unit_test(ui_6_plain_loses_nothing_silently),
		cmocka_unit_test(ui_4_plain_by_setting),
		cmocka_unit_test(ui_3_plain_filters_the_gate_log),
	};

	return cmocka_run_group_tests_name("plain", tests, NULL, NULL);
}
