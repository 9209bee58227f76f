#include "support/support.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tui/diff_words.h"

/* UI-5: what is marked, in braces. */
static void ui_5_marks_whole_words(void **state)
{
	static const struct {
		const char *text, *other, *want;
	} rows[] = {
		{ "a = false;", "a = true;", "a = {false};" },
		{ "f(int a, int b)", "f(long a, long b)", "f({int} a, {int} b)" },
		{ "if (a && b)", "if (a)", "if (a{ && b})" },
		{ "if (a)", "if (a && b)", "if (a)" },
		{ "one two three", "one 2 3 three", "one {two} three" },
		{ "one old words end", "one new text end", "one {old words} end" },
		{ "caf\xc3\xa9 end", "caf\xc3\xa8 end", "{caf\xc3\xa9} end" },
		{ "  x", "\tx", "{  }x" },
		{ "alpha beta", "nothing alike", "alpha beta" },
		{ "", "x", "" },
		{ "x", "", "x" },
		{ "                    a = 1;", "                    a = 2;",
			"                    a = {1};" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_diff_part parts[8];
		struct at_bytes text = at_bytes_of(rows[i].text);
		size_t count = at_diff_words(text, at_bytes_of(rows[i].other), parts, 8), at = 0;
		struct at_buf out = { 0 };

		for (size_t k = 0; k < count; k++) {
			at_buf_put(&out, text.data + at, parts[k].from - at);
			at_buf_putc(&out, '{');
			at_buf_put(&out, text.data + parts[k].from, parts[k].to - parts[k].from);
			at_buf_putc(&out, '}');
			at = parts[k].to;
		}
		at_buf_puts(&out, text.data + at);
		if (strcmp(at_buf_text(&out), rows[i].want) != 0)
			fail_msg("row %zu: %s", i, at_buf_text(&out));
		at_buf_free(&out);
	}
}

/* UI-5: too long, too many steps, too many parts: it stays bounded and inside. */
static void ui_5_cost_is_bounded(void **state)
{
	char a[AT_DIFF_WORDS_CAP + 1], b[AT_DIFF_WORDS_CAP + 1];
	struct at_diff_part parts[4];
	struct timespec start, end;
	size_t count;

	for (size_t i = 0; i < sizeof(a); i++) {
		a[i] = "(;,.)"[i % 5];
		b[i] = "(;!.)"[(i * 7 + i / 3) % 5];
	}
	assert_int_equal(at_diff_words((struct at_bytes){ a, sizeof(a) }, (struct at_bytes){ b, 5 },
				 parts, 4),
		0);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (int i = 0; i < 100; i++)
		at_diff_words((struct at_bytes){ a, sizeof(a) - 1 },
			(struct at_bytes){ b, sizeof(b) - 1 }, parts, 4);
	clock_gettime(CLOCK_MONOTONIC, &end);
	/* 2 ms a line in the budget; a sanitizer and a busy machine take their share. */
	assert_true((end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000
		< 2000);
	count = at_diff_words(at_bytes_of("a1b a2b a3b a4b a5b a6b = 1;"),
		at_bytes_of("a1b,a2b,a3b,a4b,a5b,a6b = 1;"), parts, 4);
	assert_int_equal(count, 4);
	assert_int_equal(parts[3].to, 20);
}

int test_diff_words(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_5_marks_whole_words),
		cmocka_unit_test(ui_5_cost_is_bounded),
	};

	return cmocka_run_group_tests_name("diff_words", tests, NULL, NULL);
}
