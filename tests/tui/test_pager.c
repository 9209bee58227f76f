#include "support/support.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tui/backend.h"
#include "tui/diff_rows.h"
#include "tui/pager.h"

struct text {
	const char *const *rows;
	size_t count;
	const uint32_t *hunks;
	size_t hunk_count;
	size_t asked; /* rows fetched */
};

static size_t count(void *user)
{
	return ((struct text *)user)->count;
}

static void row(void *user, size_t i, struct at_line *out)
{
	struct text *text = user;

	text->asked++;
	if (text->rows)
		at_line_text(out, AT_STYLE_NORMAL, text->rows[i]);
	else
		at_line_textf(out, AT_STYLE_NORMAL, "row %zu%s", i, i % 1000 ? "" : " Mark");
}

static size_t hunks(void *user, const uint32_t **rows)
{
	const struct text *text = user;

	*rows = text->hunks;
	return text->hunk_count;
}

static struct at_pager_source source_of(struct text *text)
{
	return (struct at_pager_source){ .user = text, .count = count, .row = row, .hunks = hunks };
}

static void act(struct at_pager *pager, enum at_action action, struct at_fx *fx)
{
	at_fx_clear(fx);
	assert_int_equal(at_pager_act(pager, action, fx), AT_TAKEN);
}

static void scrolls_and_stops_at_the_ends(void **state)
{
	static const struct {
		enum at_action action;
		size_t top;
	} steps[] = {
		{ AT_DO_MOVE_UP, 0 },    { AT_DO_MOVE_DOWN, 1 }, { AT_DO_PAGE_DOWN, 10 },
		{ AT_DO_PAGE_UP, 1 },    { AT_DO_LAST, 90 },     { AT_DO_PAGE_DOWN, 90 },
		{ AT_DO_MOVE_UP, 89 },   { AT_DO_FIRST, 0 },
	};
	struct text text = { .count = 100 };
	struct at_pager_source source = source_of(&text);
	struct at_fx fx = { 0 };
	struct at_pager pager;
	char status[64];

	at_pager_init(&pager, &source);
	at_pager_layout(&pager, 20, 10);
	for (size_t i = 0; i < AT_LEN(steps); i++) {
		act(&pager, steps[i].action, &fx);
		assert_row(i, pager.top == steps[i].top);
	}
	at_pager_status(&pager, status, sizeof(status));
	assert_string_equal(status, "lines 1-10 of 100");
	at_pager_layout(&pager, 20, 100);
	at_pager_status(&pager, status, sizeof(status));
	assert_string_equal(status, "all");
	at_fx_free(&fx);
	at_pager_free(&pager);
}

static void goes_from_hunk_to_hunk(void **state)
{
	static const uint32_t at[] = { 0, 20, 50, 95 };
	struct text text = { .count = 100, .hunks = at, .hunk_count = 4 };
	struct at_pager_source source = source_of(&text);
	struct at_fx fx = { 0 };
	struct at_pager pager;
	size_t total;

	at_pager_init(&pager, &source);
	at_pager_layout(&pager, 20, 10);
	act(&pager, AT_DO_NEXT_HUNK, &fx);
	assert_int_equal(pager.top, 20);
	assert_int_equal(at_pager_hunk(&pager, &total), 2);
	assert_int_equal(total, 4);
	act(&pager, AT_DO_NEXT_HUNK, &fx);
	act(&pager, AT_DO_NEXT_HUNK, &fx);
	assert_int_equal(pager.top, 90); /* 95 is on the screen */
	act(&pager, AT_DO_NEXT_HUNK, &fx);
	assert_non_null(at_fx_find(&fx, AT_FX_MESSAGE));
	act(&pager, AT_DO_PREV_HUNK, &fx);
	assert_int_equal(pager.top, 50);
	act(&pager, AT_DO_FIRST, &fx);
	act(&pager, AT_DO_PREV_HUNK, &fx);
	assert_non_null(strstr(at_fx_find(&fx, AT_FX_MESSAGE)->text, "first hunk"));
	at_fx_free(&fx);
	at_pager_free(&pager);
}

static const char *painted(struct at_pager *pager)
{
	static struct at_buf out;
	struct at_grid grid = { 0 };
	struct at_canvas canvas;

	at_grid_resize(&grid, pager->width, pager->height);
	canvas = at_canvas_of(&grid);
	at_pager_paint(pager, &canvas);
	at_buf_free(&out);
	at_dump_text(&grid, &out);
	at_grid_free(&grid);
	return at_buf_text(&out);
}

static void long_lines_scroll_or_wrap(void **state)
{
	static const char *const rows[] = { "abcdefghijklmnop", "short", "ABCDEFGHIJKLMNOP" };
	struct text text = { .rows = rows, .count = 3 };
	struct at_pager_source source = source_of(&text);
	struct at_fx fx = { 0 };
	struct at_pager pager;

	at_pager_init(&pager, &source);
	at_pager_layout(&pager, 10, 3);
	assert_string_equal(painted(&pager), "abcdefghi\xe2\x80\xa6\nshort\nABCDEFGHI\xe2\x80\xa6\n");
	act(&pager, AT_DO_MOVE_RIGHT, &fx);
	assert_string_equal(painted(&pager), "ghijklmnop\n\nGHIJKLMNOP\n"); /* as far as needed */
	act(&pager, AT_DO_WRAP, &fx);
	assert_string_equal(painted(&pager), "abcdefghij\nklmnop\nshort\n");
	act(&pager, AT_DO_MOVE_DOWN, &fx);
	assert_string_equal(painted(&pager), "klmnop\nshort\nABCDEFGHIJ\n");
	act(&pager, AT_DO_LAST, &fx);
	assert_string_equal(painted(&pager), "short\nABCDEFGHIJ\nKLMNOP\n");
	act(&pager, AT_DO_MOVE_UP, &fx);
	assert_string_equal(painted(&pager), "klmnop\nshort\nABCDEFGHIJ\n");
	act(&pager, AT_DO_MOVE_UP, &fx);
	act(&pager, AT_DO_MOVE_UP, &fx);
	assert_string_equal(painted(&pager), "abcdefghij\nklmnop\nshort\n");
	at_pager_layout(&pager, 10, 1);
	act(&pager, AT_DO_LAST, &fx);
	assert_string_equal(painted(&pager), "KLMNOP\n");
	at_fx_free(&fx);
	at_pager_free(&pager);
}

static void answer(struct at_pager *pager, const char *text, struct at_fx *fx)
{
	const struct at_event event = { .kind = AT_EVENT_ANSWER, .id = AT_ASK_SEARCH, .yes = true,
		.text = at_bytes_of(text) };

	act(pager, AT_DO_SEARCH, fx);
	at_fx_clear(fx);
	at_pager_event(pager, &event, fx);
}

static void searches_with_smart_case(void **state)
{
	static const struct {
		const char *text;
		size_t top;
		const char *told;
	} rows[] = {
		{ "mark", 0, "\"mark\": 1 of 5" },
		{ "Mark", 0, "\"Mark\": 1 of 5" },
		{ "mARK", 0, "\"mARK\" is not here." },
		{ "row 4000", 4000, "\"row 4000\": 1 of 1" },
		{ "row 4999", 4990, "\"row 4999\": 1 of 1" },
	};
	struct text text = { .count = 5000 };
	struct at_pager_source source = source_of(&text);
	struct at_fx fx = { 0 };
	struct at_pager pager;

	at_pager_init(&pager, &source);
	at_pager_layout(&pager, 20, 10);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		at_pager_go(&pager, 0);
		answer(&pager, rows[i].text, &fx);
		assert_row(i, pager.top == rows[i].top);
		assert_row(i, strcmp(at_fx_find(&fx, AT_FX_MESSAGE)->text, rows[i].told) == 0);
	}
	at_pager_go(&pager, 0);
	answer(&pager, "mark", &fx);
	for (size_t i = 1; i < 5; i++) {
		act(&pager, AT_DO_SEARCH_NEXT, &fx);
		assert_int_equal(pager.top, i * 1000);
	}
	act(&pager, AT_DO_SEARCH_NEXT, &fx);
	assert_int_equal(pager.top, 0);
	assert_non_null(strstr(at_fx_find(&fx, AT_FX_MESSAGE)->text, "wrapped"));
	act(&pager, AT_DO_SEARCH_PREV, &fx);
	assert_int_equal(pager.top, 4000);
	at_fx_free(&fx);
	at_pager_free(&pager);
}

/* The last matches are all on one screen: "next" still goes from one to the other. */
static void next_goes_on_where_the_top_cannot(void **state)
{
	static const char *const rows[] = { "a", "b", "x1", "c", "x2", "x3" };
	struct text text = { .rows = rows, .count = 6 };
	struct at_pager_source source = source_of(&text);
	struct at_fx fx = { 0 };
	struct at_pager pager;

	at_pager_init(&pager, &source);
	at_pager_layout(&pager, 10, 5);
	answer(&pager, "x", &fx);
	assert_non_null(strstr(at_fx_find(&fx, AT_FX_MESSAGE)->text, "1 of 3"));
	act(&pager, AT_DO_SEARCH_NEXT, &fx);
	assert_non_null(strstr(at_fx_find(&fx, AT_FX_MESSAGE)->text, "2 of 3"));
	act(&pager, AT_DO_SEARCH_NEXT, &fx);
	assert_non_null(strstr(at_fx_find(&fx, AT_FX_MESSAGE)->text, "3 of 3"));
	act(&pager, AT_DO_SEARCH_PREV, &fx);
	assert_non_null(strstr(at_fx_find(&fx, AT_FX_MESSAGE)->text, "2 of 3"));
	at_fx_free(&fx);
	at_pager_free(&pager);
}

/* However long the text, a screen asks for a screen of rows. */
static void a_million_rows_cost_a_screen(void **state)
{
	struct text text = { .count = 1000000 };
	struct at_pager_source source = source_of(&text);
	struct at_fx fx = { 0 };
	struct at_pager pager;

	at_pager_init(&pager, &source);
	at_pager_layout(&pager, 80, 40);
	painted(&pager);
	act(&pager, AT_DO_LAST, &fx);
	painted(&pager);
	act(&pager, AT_DO_PAGE_UP, &fx);
	pager.wrap = true;
	act(&pager, AT_DO_LAST, &fx);
	painted(&pager);
	assert_true(text.asked < 400);
	at_fx_free(&fx);
	at_pager_free(&pager);
}

int test_pager(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(scrolls_and_stops_at_the_ends),
		cmocka_unit_test(goes_from_hunk_to_hunk),
		cmocka_unit_test(long_lines_scroll_or_wrap),
		cmocka_unit_test(searches_with_smart_case),
		cmocka_unit_test(next_goes_on_where_the_top_cannot),
		cmocka_unit_test(a_million_rows_cost_a_screen),
	};

	return cmocka_run_group_tests_name("pager", tests, NULL, NULL);
}
