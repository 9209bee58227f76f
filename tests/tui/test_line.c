#include "support/support.h"

#include <string.h>

#include "tui/line.h"

/* UI-5: any window of a line has exactly its cells, and what is torn is left out whole. */
static void a_part_has_its_width(void **state)
{
	static const struct {
		const char *text;
		int skip, width;
		const char *want;
	} rows[] = {
		{ "abcdef", 0, 6, "abcdef" },
		{ "abcdef", 0, 4, "abc…" },
		{ "abcdef", 2, 4, "cdef" },
		{ "abcdef", 2, 3, "cd…" },
		{ "abc", 0, 5, "abc  " },
		{ "abc", 9, 3, "   " },
		{ "日本語", 0, 6, "日本語" },
		{ "日本語", 1, 5, " 本語" },
		{ "日本語", 0, 4, "日 …" },
		{ "e\xcc\x81x", 0, 2, "e\xcc\x81x" },
		{ "ae\xcc\x81x", 2, 1, "x" },
		{ "a\xe2\x80\xaeZ", 0, 14, "a<U+202E RLO>Z" },
		{ "a\xe2\x80\xaeZ", 0, 8, "a      …" },
		{ "a\xe2\x80\xaeZ", 5, 9, "        Z" },
		{ "a\xe2\x80\xaeZ", 13, 1, "Z" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_line from = { 0 }, line = { 0 };

		at_line_text(&from, AT_STYLE_ADDED, rows[i].text);
		at_line_text(&line, AT_STYLE_DIM, "> ");
		at_line_put_part(&line, &from, rows[i].skip, rows[i].width, AT_STYLE_NORMAL);
		if (strcmp(at_buf_text(&line.spans.text) + 2, rows[i].want) != 0)
			fail_msg("row %zu: \"%s\"", i, at_buf_text(&line.spans.text));
		assert_row(i, (int)line.spans.width == rows[i].width + 2);
		at_line_free(&from);
		at_line_free(&line);
	}
}

int test_line(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_part_has_its_width),
	};

	return cmocka_run_group_tests_name("line", tests, NULL, NULL);
}
