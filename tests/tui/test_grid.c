#include "support/support.h"

#include <string.h>

#include "tui/backend.h"
#include "tui/line.h"

static const char *text_of(const struct at_grid *grid)
{
	static struct at_buf out;

	at_buf_free(&out);
	at_dump_text(grid, &out);
	return at_buf_text(&out);
}

static void put(const struct at_canvas *canvas, int x, int y, const char *text, int skip)
{
	struct at_spans spans = { 0 };

	at_spans_add(&spans, at_bytes_of(text), 8, 0, true);
	at_canvas_spans(canvas, x, y, &spans, AT_STYLE_ADDED, skip);
	at_spans_free(&spans);
}

/* A canvas is never left, and a wide character is whole or not there. */
static void clips_at_every_edge(void **state)
{
	static const struct {
		int x, skip;
		const char *text, *want;
	} rows[] = {
		{ 0, 0, "abcdefgh", ".abcdef.\n" },
		{ 3, 0, "abcdefgh", ".   abc.\n" },
		{ 0, 2, "abcdefgh", ".cdefgh.\n" },
		{ -2, 0, "abcdefgh", ".cdefgh.\n" },
		{ 0, 0, "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97",
			".\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2.\n" },
		{ 1, 0, "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2",
			". \xe6\xbc\xa2\xe5\xad\x97 .\n" },
		{ 0, 1, "\xe6\xbc\xa2x", ". x    .\n" },
		{ -1, 0, "\xe6\xbc\xa2x", ". x    .\n" },
		{ 0, 0, "e\xcc\x81x", ".e\xcc\x81x    .\n" },
		{ 0, 1, "e\xcc\x81x", ".x     .\n" },
		{ 2, 0, "\xe2\x80\xae", ".  <U+2.\n" },
		{ 9, 0, "abc", ".      .\n" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_grid grid = { 0 };
		struct at_rect middle = { 1, 0, 6, 1 };
		struct at_canvas canvas, part;

		at_grid_resize(&grid, 8, 1);
		canvas = at_canvas_of(&grid);
		at_canvas_text(&canvas, 0, 0, "........", AT_STYLE_NORMAL);
		part = at_canvas_part(&canvas, middle);
		at_canvas_fill(&part, AT_STYLE_NORMAL);
		put(&part, rows[i].x, 0, rows[i].text, rows[i].skip);
		if (strcmp(text_of(&grid), rows[i].want) != 0)
			fail_msg("row %zu: %s", i, text_of(&grid));
		at_grid_free(&grid);
	}
}

static void half_a_wide_character_never_stays(void **state)
{
	struct at_grid grid = { 0 };
	struct at_canvas canvas;

	at_grid_resize(&grid, 6, 1);
	canvas = at_canvas_of(&grid);
	put(&canvas, 0, 0, "\xe6\xbc\xa2\xe5\xad\x97", 0);
	put(&canvas, 1, 0, "x", 0);
	assert_string_equal(text_of(&grid), " x\xe5\xad\x97\n");
	put(&canvas, 1, 0, "\xe6\xbc\xa2", 0);
	assert_string_equal(text_of(&grid), " \xe6\xbc\xa2\n");
	at_grid_free(&grid);
}

/* Own words are printable or they are question marks. */
static void own_text_is_checked(void **state)
{
	struct at_grid grid = { 0 };
	struct at_canvas canvas;

	at_grid_resize(&grid, 12, 1);
	canvas = at_canvas_of(&grid);
	at_canvas_text(&canvas, 0, 0, "a\033b\n\xff\xe2\x80\xae\xe2\x97\x8f", AT_STYLE_NORMAL);
	assert_string_equal(text_of(&grid), "a?b???\xe2\x97\x8f\n");
	grid.ascii = true;
	at_canvas_text(&canvas, 0, 0, "\xe2\x97\x8f \xe2\x94\x80\xe2\x80\xa6 \xc3\xa9  ", AT_STYLE_NORMAL);
	assert_string_equal(text_of(&grid), "* -~ ?\n");
	at_grid_free(&grid);
}

static void what_is_cut_says_so(void **state)
{
	struct at_grid grid = { 0 };
	struct at_canvas canvas;

	at_grid_resize(&grid, 10, 1);
	canvas = at_canvas_of(&grid);
	assert_int_equal(at_canvas_text_fit(&canvas, 1, 0, 5, "abcdefgh", AT_STYLE_NORMAL), 6);
	assert_string_equal(text_of(&grid), " abcd\xe2\x80\xa6\n");
	at_canvas_text_fit(&canvas, 1, 0, 5, "abcde", AT_STYLE_NORMAL);
	assert_string_equal(text_of(&grid), " abcde\n");
	at_grid_free(&grid);
}

/* Wrapping shows every character of a line exactly once. */
static void wrapping_loses_nothing(void **state)
{
	static const char text[] = "a\xe6\xbc\xa2" "b\xe5\xad\x97\xe6\xbc\xa2" "c\xe2\x80\xae" "de\xcc\x81";

	for (int width = 4; width < 24; width++) {
		struct at_grid grid = { 0 };
		struct at_canvas canvas;
		struct at_line line = { 0 };
		struct at_buf seen = { 0 };
		unsigned rows = 0;

		at_line_text(&line, AT_STYLE_DIM, "# ");
		at_line_hold(&line);
		at_line_text(&line, AT_STYLE_NORMAL, text);
		at_grid_resize(&grid, width, 1);
		canvas = at_canvas_of(&grid);
		for (int skip = 0; skip >= 0; skip = at_line_next(&line, width, skip), rows++) {
			struct at_buf row = { 0 };

			at_line_paint(&line, &canvas, 0, skip, false);
			at_dump_text(&grid, &row);
			assert_memory_equal(row.data, "#", 1);
			for (size_t i = 1; i < row.len; i++) {
				if (row.data[i] != ' ' && row.data[i] != '\n')
					at_buf_putc(&seen, row.data[i]);
			}
			at_buf_free(&row);
		}
		assert_string_equal(at_buf_text(&seen),
			"a\xe6\xbc\xa2" "b\xe5\xad\x97\xe6\xbc\xa2" "c<U+202ERLO>de\xcc\x81");
		assert_int_equal(rows, at_line_rows(&line, width));
		at_buf_free(&seen);
		at_line_free(&line);
		at_grid_free(&grid);
	}
}

static void own_sentences_wrap_at_spaces(void **state)
{
	static const int starts[] = { 0, 10, 14, 25, -1 };
	struct at_line line = { .words = true };
	struct at_grid grid = { 0 };
	struct at_canvas canvas;

	at_line_text(&line, AT_STYLE_NORMAL, "the whole and averylongword x");
	for (size_t i = 0; starts[i] >= 0; i++)
		assert_row(i, at_line_next(&line, 11, starts[i]) == starts[i + 1]);
	at_grid_resize(&grid, 11, 1);
	canvas = at_canvas_of(&grid);
	at_line_paint(&line, &canvas, 0, 0, false);
	assert_string_equal(text_of(&grid), "the whole\n");
	at_grid_free(&grid);
	at_line_free(&line);
}

static void tabs_count_from_the_text(void **state)
{
	struct at_line line = { 0 };

	at_line_text(&line, AT_STYLE_DIM, "12 + ");
	at_line_hold(&line);
	at_line_text(&line, AT_STYLE_ADDED, "ab");
	at_line_text(&line, AT_STYLE_ADDED_WORD, "\tc");
	assert_int_equal(line.spans.width, 5 + 4 + 1);
	at_line_free(&line);
}

static void sizes_are_bounded(void **state)
{
	struct at_grid grid = { 0 };

	at_grid_resize(&grid, -5, 0);
	assert_int_equal(grid.width * grid.height, 1);
	at_grid_resize(&grid, 1 << 20, 1 << 20);
	assert_int_equal(grid.width, 1000);
	at_grid_free(&grid);
}

int test_grid(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(clips_at_every_edge),
		cmocka_unit_test(half_a_wide_character_never_stays),
		cmocka_unit_test(own_text_is_checked),
		cmocka_unit_test(what_is_cut_says_so),
		cmocka_unit_test(wrapping_loses_nothing),
		cmocka_unit_test(own_sentences_wrap_at_spaces),
		cmocka_unit_test(tabs_count_from_the_text),
		cmocka_unit_test(sizes_are_bounded),
	};

	return cmocka_run_group_tests_name("grid", tests, NULL, NULL);
}
