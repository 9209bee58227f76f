#include "support/support.h"

#include <string.h>

#include "tui/diff_rows.h"

/* A line as text with its changed part in braces and marks in angle brackets of our own. */
static void flatten(const struct at_line *line, struct at_buf *out)
{
	size_t piece = 0;

	at_buf_free(out);
	for (size_t i = 0; i < line->spans.count; i++) {
		enum at_style style;
		bool word;

		while (piece + 1 < line->count && line->pieces[piece + 1].first <= i)
			piece++;
		style = line->pieces[piece].style;
		word = style == AT_STYLE_ADDED_WORD || style == AT_STYLE_REMOVED_WORD;
		at_buf_puts(out, word ? "{" : "");
		at_buf_put(out, line->spans.items[i].text, line->spans.items[i].len);
		at_buf_puts(out, word ? "}" : "");
	}
}

static void shows_signs_numbers_and_what_changed(void **state)
{
	static const char *const want[] = {
		"@@ -1,7 +1,7 @@",
		"1 1   same",
		"2   - \"enabled\": {false},",
		"  2 + \"enabled\": {true},",
		"3 3   mid",
		"4   - alpha beta",
		"  4 + nothing alike",
		"5 5   mid",
		"6   - text",
		"  6 + text\xc2\xb7\xc2\xb7",
		"7   - {caf\xc3\xa9} end^M",
		"  7 + {caf\xc3\xa8} end^M",
		"    \\ no newline at the end of the file",
	};
	static const char old_text[] = "same\n\"enabled\": false,\nmid\nalpha beta\nmid\ntext\n"
				       "caf\xc3\xa9 end\r\n";
	static const char new_text[] = "same\n\"enabled\": true,\nmid\nnothing alike\nmid\ntext  \n"
				       "caf\xc3\xa8 end\r";
	struct at_diff_rows rows;
	struct at_line line = { 0 };
	struct at_buf flat = { 0 };
	struct at_diff diff;
	size_t at = 0;

	assert_true(at_diff_make(&diff, at_bytes_of(old_text), at_bytes_of(new_text), 3, NULL));
	at_diff_rows_init(&rows, &diff, 80);
	/* git puts the two removed lines of the last block before the two added ones */
	for (size_t i = 0; i < diff.count && at < AT_LEN(want); i++) {
		at_line_clear(&line);
		at_diff_row(&rows, i, &line);
		flatten(&line, &flat);
		for (at = 0; at < AT_LEN(want); at++) {
			if (strcmp(at_buf_text(&flat), want[at]) == 0)
				break;
		}
		if (at == AT_LEN(want))
			fail_msg("row %zu: %s", i, at_buf_text(&flat));
	}
	assert_int_equal(diff.count, AT_LEN(want));
	at_buf_free(&flat);
	at_line_free(&line);
	at_diff_free(&diff);
}

static void narrow_panes_drop_the_numbers(void **state)
{
	struct at_diff_rows rows;
	struct at_line line = { 0 };
	struct at_buf flat = { 0 };
	struct at_diff diff;

	assert_true(at_diff_make(&diff, at_bytes_of("a\n"), at_bytes_of("b\n"), 3, NULL));
	at_diff_rows_init(&rows, &diff, 40);
	at_diff_row(&rows, 1, &line);
	flatten(&line, &flat);
	assert_string_equal(at_buf_text(&flat), "- a");
	at_buf_free(&flat);
	at_line_free(&line);
	at_diff_free(&diff);
}

static void binary_says_so(void **state)
{
	const struct at_bytes nul = { "\0", 1 };
	struct at_diff_rows rows;
	struct at_line line = { 0 };
	struct at_diff diff;

	assert_true(at_diff_make(&diff, nul, at_bytes_of("b\n"), 3, NULL));
	at_diff_rows_init(&rows, &diff, 40);
	at_diff_row(&rows, 0, &line);
	assert_non_null(strstr(at_buf_text(&line.spans.text), "Binary files differ"));
	at_line_free(&line);
	at_diff_free(&diff);
}

int test_diff_rows(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_signs_numbers_and_what_changed),
		cmocka_unit_test(narrow_panes_drop_the_numbers),
		cmocka_unit_test(binary_says_so),
	};

	return cmocka_run_group_tests_name("diff_rows", tests, NULL, NULL);
}
