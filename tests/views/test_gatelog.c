/* The gate's log as rows: what is read backwards, in slices and while it grows says the same as
 * the check that reads it at once. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "views/gate_lines.h"
#include "views/gatelog.h"
#include "views/gatelog_filter.h"
#include "views/gatelog_text.h"

static char *dir;

static int begin(void **state)
{
	dir = test_tree_new();
	return 0;
}

static int end(void **state)
{
	test_tree_remove(dir);
	return 0;
}

static void read_all(struct at_gatelog *log, const char *name)
{
	struct at_error err;

	if (!at_gatelog_open(log, test_path(dir, name), false, &err))
		fail_msg("%s", err.message);
	while (at_gatelog_more(log))
		;
	assert_true(log->is_done);
	assert_false(log->is_other);
}

static unsigned pick(unsigned *seed, unsigned below)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 16) % below;
}

/* Whole lines and what is none, in any order. */
static void make_any(struct gate_lines *lines, unsigned *seed)
{
	static const char *const decisions[] = { "pass", "ask", "deny", "crash-open", "maybe" };
	static const char nul[] = "{\"tool\0_use_id\":1}\n";
	unsigned count = pick(seed, 60);

	for (unsigned i = 0; i < count; i++) {
		switch (pick(seed, 16)) {
		case 0:
			at_buf_puts(&lines->text, "\n");
			break;
		case 1:
			at_buf_put(&lines->text, nul, sizeof(nul) - 1);
			break;
		case 2:
			if (*lines->prev) /* what it follows is not there */
				lines->prev[3] = lines->prev[3] == 'a' ? 'b' : 'a';
			break;
		case 3:
			at_buf_pad(&lines->text, '[', 200);
			at_buf_putc(&lines->text, '\n');
			break;
		case 4: /* longer than a slice, now and then */
			at_buf_pad(&lines->text, 'x', pick(seed, 4) ? 70000 : 1300000);
			at_buf_putc(&lines->text, '\n');
			break;
		default:
			gate_lines_add(lines, decisions[pick(seed, 5)],
				pick(seed, 2) ? "Bash" : "a\nb\x1b", "r",
				pick(seed, 2) ? "custody" : "none", pick(seed, 2));
		}
	}
	if (pick(seed, 4) == 0)
		at_buf_puts(&lines->text, "{\"tool_use_id\":");
}

static void assert_report(size_t row, const struct at_gatelog *log, struct at_bytes text)
{
	static struct gate_log_report report;

	gate_log_verify(&report, text);
	assert_row(row, log->calls == report.lines);
	assert_row(row, log->gaps == report.gap_count);
	assert_row(row, log->not_inspected == report.not_inspected);
	assert_row(row, log->keyed == report.keyed);
	assert_row(row, memcmp(log->decided, report.decided, sizeof(report.decided)) == 0);
}

/* GATE-10: 300 logs of anything. */
static void gate_10_rows_and_check_agree(void **state)
{
	unsigned seed = 7;

	for (size_t i = 0; i < 300; i++) {
		struct gate_lines lines = { 0 };
		struct at_gatelog log;

		make_any(&lines, &seed);
		test_write_bytes(dir, "any", at_buf_text(&lines.text), lines.text.len);
		read_all(&log, "any");
		assert_report(i, &log, at_buf_bytes(&lines.text));
		at_gatelog_close(&log);
		at_buf_free(&lines.text);
	}
}

/* GATE-10: a log that grew while it was looked at has the rows of one that is read anew. */
static void gate_10_growth_is_the_same_log(void **state)
{
	unsigned seed = 11;

	for (size_t i = 0; i < 200; i++) {
		struct gate_lines lines = { 0 };
		struct at_gatelog log, anew;
		size_t first, came, gone;
		enum at_gatelog_news news;

		make_any(&lines, &seed);
		gate_lines_add(&lines, "pass", "Bash", "", "none", false);
		first = pick(&seed, (unsigned)lines.text.len);
		test_write_bytes(dir, "grown", lines.text.data, first);
		read_all(&log, "grown");
		/* appended, as the gate does: the file stays the same one */
		FILE *file = fopen(test_path(dir, "grown"), "a");
		assert_int_equal(fwrite(lines.text.data + first, 1, lines.text.len - first, file),
			lines.text.len - first);
		fclose(file);
		news = at_gatelog_look(&log, &came, &gone);
		if (news == AT_GATELOG_GROWN) {
			read_all(&anew, "grown");
			assert_report(i, &log, at_buf_bytes(&lines.text));
			assert_row(i, log.end == anew.end && strcmp(log.head, anew.head) == 0);
			at_gatelog_close(&anew);
		} else { /* too much at once */
			assert_row(i, news == AT_GATELOG_ANEW && lines.text.len - first > 900000);
		}
		at_gatelog_close(&log);
		at_buf_free(&lines.text);
	}
}

/* GATE-10: the order of rows, and the lines that they name. */
static void gate_10_gaps_stand_between_the_calls(void **state)
{
	static const char *const want[] = {
		"deny        Bash             content              custody       line 6",
		"no evidence: lines are missing here, or were changed, before line 6",
		"no evidence: no whole line, half written or changed, lines 3 to 5",
		"ask         Write            x                    not inspected line 2",
		"pass        Bash                                  custody       line 1",
		"no evidence: the log begins after a line that is not here, before line 1",
	};
	struct gate_lines lines = { 0 };
	struct at_gatelog log;

	memset(lines.prev, 'a', AT_DIGEST_HEX - 1);
	gate_lines_add(&lines, "pass", "Bash", "", "custody", false);
	gate_lines_add(&lines, "ask", "Write", "x", "none", false);
	at_buf_puts(&lines.text, "\n\ngarbage\n");
	lines.prev[0] = lines.prev[0] == '0' ? '1' : '0';
	gate_lines_add(&lines, "deny", "Bash", "content", "custody", false);
	test_write_bytes(dir, "log", lines.text.data, lines.text.len);
	read_all(&log, "log");
	assert_int_equal(log.count, AT_LEN(want));
	for (size_t i = 0; i < log.count; i++) {
		struct at_buf text = { 0 };

		at_gatelog_words_of(&log, &log.rows[i], &text);
		if (strcmp(at_buf_text(&text), want[i]) != 0)
			fail_msg("row %zu: %s", i, at_buf_text(&text));
		at_buf_free(&text);
	}
	at_gatelog_close(&log);
	at_buf_free(&lines.text);
}

/* GATE-10: what is no regular file is refused, and nobody waits for it. */
static void gate_10_only_a_regular_file_is_opened(void **state)
{
	static const struct {
		const char *name;
		bool through_links, opens;
		const char *says;
	} rows[] = {
		{ "plain", false, true, NULL },
		{ "link", false, false, "is a link" },
		{ "link", true, true, NULL },
		{ "fifo", false, false, "no regular file" },
		{ "fifo", true, false, "no regular file" },
		{ "folder", false, false, "no regular file" },
		{ "nowhere", false, false, "cannot open" },
		{ "loop", true, false, "cannot open" },
	};

	test_write(dir, "plain", "x\n");
	assert_int_equal(symlink("plain", test_path(dir, "link")), 0);
	assert_int_equal(symlink("loop", test_path(dir, "loop")), 0);
	assert_int_equal(mkfifo(test_path(dir, "fifo"), 0600), 0);
	assert_int_equal(mkdir(test_path(dir, "folder"), 0700), 0);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_error err = { 0 };
		struct at_gatelog log;

		assert_row(i,
			at_gatelog_open(
				&log, test_path(dir, rows[i].name), rows[i].through_links, &err)
				== rows[i].opens);
		assert_row(i, rows[i].opens || strstr(err.message, rows[i].says));
		at_gatelog_close(&log);
	}
}

/* GATE-10: every kind of change is noticed, and none is made up. */
static void gate_10_changes_are_noticed(void **state)
{
	static const struct {
		const char *act;
		enum at_gatelog_news news;
	} rows[] = {
		{ ":", AT_GATELOG_SAME },
		{ "echo x >>log", AT_GATELOG_GROWN },
		{ "printf x >>log", AT_GATELOG_GROWN },
		{ "truncate -s 100 log", AT_GATELOG_ANEW },
		{ ": >log", AT_GATELOG_ANEW },
		{ "rm log", AT_GATELOG_ANEW },
		{ "cp log new; mv new log", AT_GATELOG_ANEW },
		{ "mv log old; ln -s old log", AT_GATELOG_ANEW },
		{ "touch -d '2001-01-01' log", AT_GATELOG_ANEW },
		{ "rm log; mkfifo log", AT_GATELOG_ANEW },
		{ "rm log; mkdir log", AT_GATELOG_ANEW },
		{ "tr a b <log >new; cat new new >log", AT_GATELOG_GROWN },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct gate_lines lines = { 0 };
		struct at_gatelog log;
		char command[4096];
		size_t came, gone;

		gate_lines_sample(&lines);
		snprintf(command, sizeof(command), "rm -rf '%s/log'", dir);
		assert_int_equal(system(command), 0);
		test_write_bytes(dir, "log", lines.text.data, lines.text.len);
		read_all(&log, "log");
		snprintf(command, sizeof(command), "cd '%s' && { %s; }", dir, rows[i].act);
		assert_int_equal(system(command), 0);
		assert_row(i, at_gatelog_look(&log, &came, &gone) == rows[i].news);
		assert_row(i, rows[i].news != AT_GATELOG_GROWN || came > 0);
		at_gatelog_close(&log);
		at_buf_free(&lines.text);
	}
}

/* GATE-10: cut while it is read: nothing is shown that is not there, and it is said. */
static void gate_10_cut_while_it_is_read(void **state)
{
	struct gate_lines lines = { 0 };
	struct at_gatelog log;
	struct at_error err;
	size_t came, gone;

	for (int i = 0; i < 6000; i++)
		gate_lines_add(&lines, "pass", "Bash", "", "custody", false);
	test_write_bytes(dir, "long", lines.text.data, lines.text.len);
	assert_true(at_gatelog_open(&log, test_path(dir, "long"), false, &err));
	assert_false(log.is_done);
	assert_true(log.calls > 100);
	assert_int_equal(at_gatelog_line(&log, &log.rows[0]), 0); /* no number is known yet */
	assert_int_equal(truncate(test_path(dir, "long"), 1000), 0);
	while (at_gatelog_more(&log))
		;
	assert_true(log.is_other);
	assert_int_equal(at_gatelog_look(&log, &came, &gone), AT_GATELOG_ANEW);
	at_gatelog_close(&log);
	at_buf_free(&lines.text);
}

/* GATE-10: one line of 10 MiB costs a row, not memory. */
static void gate_10_a_huge_line_is_a_gap(void **state)
{
	struct gate_lines lines = { 0 };
	struct at_gatelog log;

	gate_lines_add(&lines, "pass", "Bash", "", "custody", false);
	at_buf_pad(&lines.text, 'x', (size_t)10 << 20);
	at_buf_putc(&lines.text, '\n');
	gate_lines_add(&lines, "pass", "Bash", "", "custody", false);
	at_buf_pad(&lines.text, 'y', (size_t)10 << 20);
	test_write_bytes(dir, "huge", lines.text.data, lines.text.len);
	read_all(&log, "huge");
	assert_int_equal(log.count, 4);
	assert_int_equal(log.rows[0].kind, AT_GATELOG_TAIL);
	assert_int_equal(log.rows[2].kind, AT_GATELOG_TORN);
	assert_int_equal(at_gatelog_line(&log, &log.rows[2]), 2);
	assert_report(0, &log, at_buf_bytes(&lines.text));
	at_gatelog_close(&log);
	at_buf_free(&lines.text);
}

/* GATE-10: more kinds of calls than are told apart are counted all the same. */
static void gate_10_a_log_of_noise_is_bounded(void **state)
{
	struct gate_lines lines = { 0 };
	struct at_gatelog log;
	char tool[32];

	for (int i = 0; i < AT_GATELOG_WORDS + 500; i++) {
		snprintf(tool, sizeof(tool), "t%d", i);
		gate_lines_add(&lines, i % 2 ? "deny" : "pass", tool, "", "custody", false);
	}
	test_write_bytes(dir, "noise", lines.text.data, lines.text.len);
	read_all(&log, "noise");
	assert_int_equal(log.word_count, AT_GATELOG_WORDS + 5);
	assert_int_equal(log.calls, AT_GATELOG_WORDS + 500);
	assert_int_equal(log.gaps, 0);
	assert_int_equal(log.words[log.rows[log.count - 1].word].decision, 0);
	assert_int_equal(log.words[log.rows[log.count - 2].word].decision, 2);
	at_gatelog_close(&log);
	at_buf_free(&lines.text);
}

/* UI-3: what a filter lets through. */
static void ui_3_filters(void **state)
{
	static const struct {
		const char *text;
		size_t want;
	} rows[] = {
		{ "", 42 },
		{ "gaps", 2 },
		{ "no evidence", 2 },
		{ "pass", 33 },
		{ "deny", 4 }, /* crash-deny too */
		{ "decision=deny", 3 },
		{ "decision=crash-deny", 1 },
		{ "DENY", 0 },
		{ "bash", 21 },
		{ "Bash", 21 },
		{ "tool=Bas", 0 },
		{ "tool=Bash decision=ask", 2 },
		{ "checked=none", 3 },
		{ "not inspected pass", 2 },
		{ "reason=content", 2 },
		{ "  mcp__   pass ", 1 },
		{ "decision=", 0 },
		{ "gaps pass", 0 },
		{ "\x1b", 0 },
	};
	struct gate_lines lines = { 0 };
	struct at_gatelog log;

	gate_lines_sample(&lines);
	test_write_bytes(dir, "sample", lines.text.data, lines.text.len);
	read_all(&log, "sample");
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_gatelog_filter filter = { 0 };
		size_t found = 0;

		at_gatelog_filter_set(&filter, at_bytes_of(rows[i].text));
		for (size_t r = 0; r < log.count; r++)
			found += at_gatelog_filter_holds(&filter, &log, &log.rows[r]);
		if (found != rows[i].want)
			fail_msg("row %zu: %zu of %zu", i, found, log.count);
		at_gatelog_filter_free(&filter);
	}
	at_gatelog_close(&log);
	at_buf_free(&lines.text);
}

int test_gatelog(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(gate_10_rows_and_check_agree),
		cmocka_unit_test(gate_10_growth_is_the_same_log),
		cmocka_unit_test(gate_10_gaps_stand_between_the_calls),
		cmocka_unit_test(gate_10_only_a_regular_file_is_opened),
		cmocka_unit_test(gate_10_changes_are_noticed),
		cmocka_unit_test(gate_10_cut_while_it_is_read),
		cmocka_unit_test(gate_10_a_huge_line_is_a_gap),
		cmocka_unit_test(gate_10_a_log_of_noise_is_bounded),
		cmocka_unit_test(ui_3_filters),
	};

	return cmocka_run_group_tests_name("gatelog", tests, begin, end);
}
