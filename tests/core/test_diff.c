#include "support/support.h"

#include <string.h>

#include "core/diff.h"

#define HEAD "--- a\n+++ b\n"

static void prints_unified_text(void **state)
{
	static const struct {
		const char *name, *old_text, *new_text;
		unsigned context;
		const char *want;
	} rows[] = {
		{ "equal", "a\n", "a\n", 3, "" },
		{ "both empty", "", "", 3, "" },
		{ "new file", "", "a\nb\n", 3, HEAD "@@ -0,0 +1,2 @@\n+a\n+b\n" },
		{ "gone", "a\n", "", 3, HEAD "@@ -1 +0,0 @@\n-a\n" },
		{ "one line", "a\nb\nc\n", "a\nB\nc\n", 1, HEAD "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n" },
		{ "no context", "a\nb\nc\n", "a\nB\nc\n", 0, HEAD "@@ -2 +2 @@\n-b\n+B\n" },
		{ "two hunks", "1\n2\n3\n4\n5\n6\n7\n8\n", "x\n2\n3\n4\n5\n6\n7\ny\n", 1,
			HEAD "@@ -1,2 +1,2 @@\n-1\n+x\n 2\n@@ -7,2 +7,2 @@\n 7\n-8\n+y\n" },
		{ "no newline, new", "a\n", "a", 3,
			HEAD "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n" },
		{ "no newline, old", "a", "a\n", 3,
			HEAD "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n" },
		{ "no newline, both", "a\nz", "b\nz", 3,
			HEAD "@@ -1,2 +1,2 @@\n-a\n+b\n z\n\\ No newline at end of file\n" },
		{ "crlf", "a\r\n", "a\n", 3, HEAD "@@ -1 +1 @@\n-a\r\n+a\n" },
		{ "invalid bytes", "\xff\n", "\xfe\n", 3, HEAD "@@ -1 +1 @@\n-\xff\n+\xfe\n" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_buf out = { 0 };
		struct at_diff diff;

		assert_row(i, at_diff_make(&diff, at_bytes_of(rows[i].old_text),
				      at_bytes_of(rows[i].new_text), rows[i].context, NULL));
		at_diff_print(&diff, "a", "b", AT_DIFF_RAW, &out);
		if (strcmp(at_buf_text(&out), rows[i].want) != 0)
			fail_msg("%s:\n%s", rows[i].name, at_buf_text(&out));
		at_buf_free(&out);
		at_diff_free(&diff);
	}
}

/* The new text comes back from the lines alone: nothing is lost or doubled. */
static void lines_point_into_the_texts(void **state)
{
	static const char old_text[] = "a\nb\nc\nd\ne\n", new_text[] = "a\nB\nc\nd\ne\nf\n";
	struct at_buf again = { 0 };
	struct at_diff diff;

	assert_true(at_diff_make(&diff, at_bytes_of(old_text), at_bytes_of(new_text), 99, NULL));
	for (size_t i = 0; i < diff.count; i++) {
		if (diff.lines[i].kind != AT_DIFF_SAME && diff.lines[i].kind != AT_DIFF_ADDED)
			continue;
		at_buf_put(&again, at_diff_text(&diff, i).data, at_diff_text(&diff, i).len);
		at_buf_putc(&again, '\n');
	}
	assert_string_equal(at_buf_text(&again), new_text);
	assert_int_equal(diff.added, 2);
	assert_int_equal(diff.removed, 1);
	assert_int_equal(diff.hunk_count, 1);
	assert_int_equal(diff.lines[2].old_no, 2);
	assert_int_equal(diff.lines[2].new_no, 0);
	at_buf_free(&again);
	at_diff_free(&diff);
}

/* STG-2: the terminal's form and the file's form differ exactly where text would act. */
static void stg_2_safe_form(void **state)
{
	struct at_buf safe = { 0 };
	struct at_diff diff;

	assert_true(at_diff_make(&diff, at_bytes_of(""), at_bytes_of("\033[8mx\r\n"), 3, NULL));
	at_diff_print(&diff, NULL, "b\033[2J", AT_DIFF_SAFE, &safe);
	assert_string_equal(at_buf_text(&safe),
		"--- /dev/null\n+++ b^[[2J\n@@ -0,0 +1 @@\n+^[[8mx^M\n");
	at_buf_free(&safe);
	at_diff_free(&diff);
}

static void binary_is_one_line(void **state)
{
	const struct at_bytes nul = { "a\0b", 3 };
	struct at_buf out = { 0 };
	struct at_diff diff;

	assert_true(at_diff_make(&diff, nul, at_bytes_of("a\n"), 3, NULL));
	assert_int_equal(diff.count, 1);
	assert_int_equal(diff.lines[0].kind, AT_DIFF_BINARY);
	at_diff_print(&diff, "a", "b", AT_DIFF_RAW, &out);
	assert_string_equal(at_buf_text(&out), HEAD "Binary files differ\n");
	at_diff_free(&diff);
	assert_true(at_diff_make(&diff, nul, nul, 3, NULL));
	assert_int_equal(diff.count, 0);
	at_diff_free(&diff);
	at_buf_free(&out);
}

static void huge_texts_are_refused(void **state)
{
	struct at_bytes huge = { "x", (size_t)1 << 30 };
	struct at_error err;
	struct at_diff diff;

	assert_false(at_diff_make(&diff, huge, at_bytes_of(""), 3, &err));
	assert_int_equal(err.code, AT_ELIMIT);
	at_diff_free(&diff);
}

/* What is equal at both ends is left out of the comparison and changes nothing of the result:
 * every line starts where a line starts, and every number is right. */
static void equal_ends_change_nothing(void **state)
{
	static const char alphabet[] = "ab\n\n";
	unsigned seed = 1;

	for (int round = 0; round < 4000; round++) {
		struct at_buf texts[2] = { { 0 } };
		struct at_diff diff;
		size_t old_line = 1, new_line = 1;
		unsigned context = (unsigned)round % 4;

		for (int t = 0; t < 2; t++) {
			seed = seed * 1103515245u + 12345u;
			for (unsigned n = (seed >> 16) % 40; n; n--) {
				seed = seed * 1103515245u + 12345u;
				at_buf_putc(&texts[t], alphabet[(seed >> 16) % 4]);
			}
		}
		/* Both share ends, so that there is something to leave out. */
		for (int t = 0; t < 2; t++) {
			struct at_buf whole = { 0 };

			at_buf_puts(&whole, "one\ntwo\nthree\nfour\nfive\n");
			at_buf_put(&whole, at_buf_text(&texts[t]), texts[t].len);
			at_buf_puts(&whole, round % 3 ? "six\nseven\neight\nnine" : "\n");
			at_buf_free(&texts[t]);
			texts[t] = whole;
		}
		assert_true(at_diff_make(&diff, at_buf_bytes(&texts[0]), at_buf_bytes(&texts[1]), context, NULL));
		for (size_t i = 0; i < diff.count; i++) {
			const struct at_diff_line *line = &diff.lines[i];
			const char *text;

			if (line->kind == AT_DIFF_HUNK || line->kind == AT_DIFF_NO_EOL)
				continue;
			text = line->kind == AT_DIFF_REMOVED ? texts[0].data : texts[1].data;
			/* Lines between hunks are equal: walk over them. */
			while ((line->old_no && old_line < line->old_no) || (line->new_no && new_line < line->new_no)) {
				old_line++;
				new_line++;
			}
			assert_true(line->offset == 0 || text[line->offset - 1] == '\n');
			assert_true(!line->old_no || line->old_no == old_line);
			assert_true(!line->new_no || line->new_no == new_line);
			old_line += line->kind != AT_DIFF_ADDED;
			new_line += line->kind != AT_DIFF_REMOVED;
		}
		at_diff_free(&diff);
		at_buf_free(&texts[0]);
		at_buf_free(&texts[1]);
	}
}

int test_diff(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_ends_change_nothing),
		cmocka_unit_test(prints_unified_text),
		cmocka_unit_test(lines_point_into_the_texts),
		cmocka_unit_test(stg_2_safe_form),
		cmocka_unit_test(binary_is_one_line),
		cmocka_unit_test(huge_texts_are_refused),
	};

	return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
