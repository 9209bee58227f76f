#include "support/support.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/pty.h"

static struct pty *start_with(const char *const *env, const char *arg, int width, int height)
{
	const char *program = getenv("AT_TUI_SAMPLE");
	const char *argv[] = { program, arg, NULL };
	struct pty *pty;

	if (!program)
		fail_msg("AT_TUI_SAMPLE is not set: run through meson test");
	pty = pty_start(argv, env, NULL, width, height);
	return pty;
}

static struct pty *start(int width, int height)
{
	struct pty *pty = start_with(NULL, NULL, width, height);

	pty_expect(pty, "ENFORCE ?");
	return pty;
}

/* After the end everything is as it was, and nothing foreign was ever sent. */
static void end(struct pty *pty, int want)
{
	const char *wrong;
	int status = pty_exit(pty, 10000);

	if (status != want)
		fail_msg("it ended with %d, not %d", status, want);
	wrong = pty_not_restored(pty);
	if (wrong)
		fail_msg("%s", wrong);
	wrong = pty_foreign_bytes(pty_output(pty));
	if (wrong)
		fail_msg("a sequence that is not ours, %s", wrong);
	pty_end(pty);
}

static void shows_and_leaves(void **state)
{
	struct pty *pty = start(80, 24);

	pty_expect(pty, "> [ ] tightens sandbox.enabled");
	pty_send(pty, "jja");
	pty_expect(pty, "> [x] WIDENS");
	pty_send(pty, "Q");
	end(pty, 0);
}

/* STG-2: what a hostile name holds comes out as marks, at every width. */
static void stg_2_hostile_text_stays_text(void **state)
{
	struct pty *pty = start(120, 40);

	pty_expect(pty, "network.allowedDomains[1] ^[[8mh");
	pty_expect(pty, "<U+202E RLO>gnp.evil");
	pty_expect(pty, "漢字 and café");
	pty_send(pty, "Q");
	end(pty, 0);
}

static void confirms_with_y_after_the_guard(void **state)
{
	struct pty *pty = start(80, 24);

	pty_send(pty, "awy"); /* typed ahead: the y is dropped */
	pty_expect(pty, "y write 1 file");
	pty_settle(pty, 300);
	pty_send(pty, "\r");
	pty_settle(pty, 50);
	pty_expect(pty, "y write 1 file");
	pty_send(pty, "y");
	pty_expect(pty, "1 file written");
	pty_send(pty, "Q");
	end(pty, 0);
}

static void follows_the_size(void **state)
{
	static const int sizes[][2] = { { 40, 10 }, { 120, 40 }, { 30, 8 }, { 1, 1 }, { 80, 24 } };
	struct pty *pty = start(80, 24);

	for (size_t i = 0; i < AT_LEN(sizes); i++) {
		pty_resize(pty, sizes[i][0], sizes[i][1]);
		if (sizes[i][0] >= 40)
			pty_expect(pty, "tightens sandbox.enabled");
		else if (sizes[i][0] >= 30)
			pty_expect(pty, "Too small");
		pty_settle(pty, 100);
	}
	/* What is on the screen after many changes is what a whole paint would show. */
	char *changed = at_strdup(pty_screen(pty));

	pty_send(pty, "\014");
	pty_settle(pty, 200);
	assert_string_equal(changed, pty_screen(pty));
	free(changed);
	pty_send(pty, "Q");
	end(pty, 0);
}

/* Only differences are sent, and the screen is the same as if all was. */
static void differences_add_up(void **state)
{
	static const char *const keys[] = { "j", "j", "a", "\t", "]", "l", "l", "\\", "j", "z", "z",
		"=", "G", "/", "t", "i", "\r", "n", "?", "\033", "q", "\t", "k", "u" };
	struct pty *pty = start(120, 40);

	for (size_t i = 0; i < AT_LEN(keys); i++) {
		char *changed;

		pty_send(pty, keys[i]);
		pty_settle(pty, 80);
		changed = at_strdup(pty_screen(pty));
		if (strcmp(keys[i], "/") != 0 && !strstr(changed, "Search") &&
			!strstr(changed, "Type to filter") && !strstr(changed, "was written yet")) {
			pty_send(pty, "\014");
			pty_settle(pty, 80);
			/* the key takes a message away; nothing else may differ */
			if (strcmp(changed, pty_screen(pty)) != 0 && !strstr(changed, "\"ti\"") &&
				!strstr(changed, "Long lines") && !strstr(changed, "hunk") &&
				!strstr(changed, "of the screen"))
				fail_msg("after \"%s\":\n%s\nnot\n%s", keys[i], changed, pty_screen(pty));
		}
		free(changed);
	}
	pty_send(pty, "Q");
	end(pty, 0);
}

static void every_way_out_gives_the_terminal_back(void **state)
{
	static const struct {
		int number, status;
	} rows[] = {
		{ SIGTERM, 128 + SIGTERM }, { SIGHUP, 128 + SIGHUP }, { SIGINT, 128 + SIGINT },
		{ SIGSEGV, 128 + SIGSEGV }, { SIGABRT, 128 + SIGABRT },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct pty *pty = start(80, 24);

		pty_settle(pty, 100); /* a crash in the middle of a frame cuts a sequence */
		pty_signal(pty, rows[i].number);
		end(pty, rows[i].status);
	}
}

static void a_crash_inside_gives_it_back_too(void **state)
{
	static const struct {
		const char *arg;
		int status;
	} rows[] = { { "abort", 128 + SIGABRT }, { "segv", 128 + SIGSEGV } };

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct pty *pty = start_with(NULL, rows[i].arg, 80, 24);

		pty_expect(pty, "ENFORCE ?");
		pty_send(pty, "\033[15~");
		end(pty, rows[i].status);
	}
}

static void suspends_and_comes_back(void **state)
{
	struct pty *pty = start(80, 24);

	/* Nobody could wake an orphaned group, so the kernel does not stop it: it leaves the screen
	 * and takes it again at once. */
	pty_send(pty, "\032");
	pty_settle(pty, 200);
	pty_expect(pty, "tightens sandbox.enabled");
	pty_signal(pty, SIGCONT);
	pty_settle(pty, 100);
	pty_expect(pty, "tightens sandbox.enabled");
	assert_non_null(strstr(pty_output(pty).data, "\033[?1049l"));
	pty_send(pty, "Q");
	end(pty, 0);
}

/* With a shell of job control around it: stopped, the terminal is the shell's; fg brings it back. */
static void a_shell_stops_and_continues_it(void **state)
{
	static const char script[] = "set -m; \"$AT_TUI_SAMPLE\"; echo stopped-$?; stty -a | "
				     "grep -o ' echo ' && read x; fg >/dev/null; echo done-$?";
	const char *argv[] = { "/bin/bash", "--norc", "-c", script, NULL };
	struct pty *pty;

	if (access("/bin/bash", X_OK) != 0)
		skip_because("no bash to stop and continue it");
	pty = pty_start(argv, NULL, NULL, 80, 24);
	pty_expect(pty, "ENFORCE ?");
	pty_send(pty, "jj\032");
	pty_expect(pty, "stopped-148");
	pty_expect(pty, " echo\n");
	pty_send(pty, "\n");
	pty_expect(pty, "> [ ] WIDENS");
	pty_send(pty, "Q");
	pty_expect(pty, "done-0");
	assert_int_equal(pty_exit(pty, 10000), 0);
	assert_null(pty_not_restored(pty));
	pty_end(pty);
}

static void sleeps_when_nothing_happens(void **state)
{
	struct pty *pty = start(80, 24);
	long before;

	pty_settle(pty, 200);
	before = pty_wakeups(pty);
	if (before < 0) {
		pty_end(pty);
		skip_because("no /proc to count wake-ups");
	}
	pty_settle(pty, 700);
	assert_int_equal(pty_wakeups(pty), before);
	pty_send(pty, "Q");
	end(pty, 0);
}

static void mono_and_few_colours_send_no_others(void **state)
{
	static const struct {
		const char *const env[3];
		const char *never;
	} rows[] = {
		{ { "NO_COLOR=1", NULL }, "\033[38;5;" },
		{ { "NO_COLOR=1", NULL }, "\033[3" "2m" },
		{ { "TERM=xterm", NULL }, "\033[38;5;" },
		{ { "TERM=vt100", NULL }, "\033[?2004h" },
		{ { "TERM=tmux-256color", NULL }, "\033[8m" },
		{ { "TERM=linux", NULL }, "\033[38;5;" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct pty *pty = start_with(rows[i].env, NULL, 80, 24);

		pty_expect(pty, "ENFORCE ?");
		pty_send(pty, "Q");
		assert_row(i, pty_exit(pty, 10000) == 0);
		assert_row(i, strstr(pty_output(pty).data, rows[i].never) == NULL);
		pty_end(pty);
	}
}

static void dumb_terminals_get_no_escape(void **state)
{
	static const char *const env[] = { "TERM=dumb", NULL };
	struct pty *pty = start_with(env, NULL, 80, 24);

	assert_int_equal(pty_exit(pty, 10000), 0);
	assert_null(strchr(pty_output(pty).data, '\033'));
	pty_end(pty);
}

/* The allow-list itself: it must catch what it is for. */
static void the_allow_list_catches(void **state)
{
	static const struct {
		const char *bytes;
		bool ours;
	} rows[] = {
		{ "plain text\r\n", true },       { "\033[1;31mred\033(B\033[m", true },
		{ "\033[12;40H", true },          { "\033[?1049h\033[22;0;0t", true },
		{ "\033[38;5;114m", true },       { "caf\xc3\xa9 \xe6\xbc\xa2", true },
		{ "e\xcc\x81", true },            { "\033]52;c;eA==\007", false },
		{ "\033]0;title\007", false },    { "\033]8;;http://x\033\\", false },
		{ "\033[8m", false },             { "\033[6n", false },
		{ "\033[?1003h", false },         { "\033P", false },
		{ "\xc2\x9b", false },            { "\x9b", false },
		{ "\xff", false },                { "\xe2\x80\xae", false },
		{ "\xe2\x80\x8b", false },        { "\xc2\xad", false },
		{ "\xf3\xa0\x81\x81", false },    { "\b", false },
		{ "\007", false },                { "\033c", false },
		{ "\033", false },                { "\t", false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i, (pty_foreign_bytes(at_bytes_of(rows[i].bytes)) == NULL) == rows[i].ours);
}

int test_terminal(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_and_leaves),
		cmocka_unit_test(stg_2_hostile_text_stays_text),
		cmocka_unit_test(confirms_with_y_after_the_guard),
		cmocka_unit_test(follows_the_size),
		cmocka_unit_test(differences_add_up),
		cmocka_unit_test(every_way_out_gives_the_terminal_back),
		cmocka_unit_test(a_crash_inside_gives_it_back_too),
		cmocka_unit_test(suspends_and_comes_back),
		cmocka_unit_test(a_shell_stops_and_continues_it),
		cmocka_unit_test(sleeps_when_nothing_happens),
		cmocka_unit_test(mono_and_few_colours_send_no_others),
		cmocka_unit_test(dumb_terminals_get_no_escape),
		cmocka_unit_test(the_allow_list_catches),
	};

	return cmocka_run_group_tests_name("terminal", tests, NULL, NULL);
}
