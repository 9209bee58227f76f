#include "support/support.h"

#include <string.h>

#include "support/screen.h"
#include "tui/sample_view.h"

static void draw(struct at_grid *grid)
{
	struct at_spans spans = { 0 };
	struct at_canvas canvas;

	at_grid_resize(grid, 24, 2);
	canvas = at_canvas_of(grid);
	at_canvas_text(&canvas, 0, 0, "a b  c", AT_STYLE_NORMAL);
	at_spans_add(&spans, at_bytes_of("<&\">\033"), 8, 0, true);
	at_canvas_spans(&canvas, 0, 1, &spans, AT_STYLE_ADDED, 0);
	at_spans_free(&spans);
}

static void an_svg_cuts_at_two_spaces_and_escapes(void **state)
{
	const struct at_theme dark = { AT_THEME_DARK, 256 };
	struct at_grid grid = { 0 };
	struct at_buf one = { 0 }, two = { 0 };

	draw(&grid);
	at_dump_svg(&grid, &dark, "a <title>", &one);
	assert_non_null(strstr(at_buf_text(&one), ">a b</text>"));
	assert_non_null(strstr(at_buf_text(&one), "<text x=\"52.0\""));
	assert_non_null(strstr(at_buf_text(&one), ">c</text>"));
	assert_non_null(strstr(at_buf_text(&one), ">&lt;&amp;&quot;&gt;</text>"));
	assert_non_null(strstr(at_buf_text(&one), "<title>a &lt;title&gt;</title>"));
	assert_non_null(strstr(at_buf_text(&one), "shape-rendering=\"crispEdges\""));
	at_dump_svg(&grid, &dark, "a <title>", &two);
	assert_true(at_bytes_equal(at_buf_bytes(&one), at_buf_bytes(&two)));
	at_buf_free(&one);
	at_buf_free(&two);
	at_grid_free(&grid);
}

static void ansi_and_text(void **state)
{
	const struct at_theme mono = { AT_THEME_MONO, 0 };
	struct at_grid grid = { 0 };
	struct at_buf out = { 0 };

	draw(&grid);
	at_dump_text(&grid, &out);
	assert_string_equal(at_buf_text(&out), "a b  c\n<&\">^[\n");
	at_buf_free(&out);
	at_dump_ansi(&grid, &mono, &out);
	assert_non_null(strstr(at_buf_text(&out), "\033[0;1m<&\">\033[0;7m^[\033[0m "));
	at_buf_free(&out);
	at_grid_free(&grid);
}

int test_dump(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_svg_cuts_at_two_spaces_and_escapes),
		cmocka_unit_test(ansi_and_text),
	};

	return cmocka_run_group_tests_name("dump", tests, NULL, NULL);
}
