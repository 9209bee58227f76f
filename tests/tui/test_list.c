#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "tui/list.h"

/* 30 rows, every tenth a heading, the first among them. */
static size_t thirty(void *user)
{
	return *(size_t *)user;
}

static void row(void *user, size_t i, struct at_line *out)
{
	at_line_textf(out, AT_STYLE_NORMAL, i % 10 ? "item %zu" : "part %zu", i);
}

static bool heading(void *user, size_t i)
{
	return i % 10 == 0;
}

static void moves_over_headings_and_stops_at_the_ends(void **state)
{
	static const struct {
		enum at_action action;
		size_t cursor, top;
	} steps[] = {
		{ AT_DO_MOVE_UP, 1, 0 },   { AT_DO_MOVE_DOWN, 2, 0 },  { AT_DO_PAGE_DOWN, 6, 2 },
		{ AT_DO_PAGE_DOWN, 11, 7 }, { AT_DO_MOVE_UP, 9, 7 },   { AT_DO_LAST, 29, 25 },
		{ AT_DO_MOVE_DOWN, 29, 25 }, { AT_DO_PAGE_UP, 25, 25 }, { AT_DO_FIRST, 1, 0 },
	};
	size_t count = 30;
	const struct at_list_source source = { &count, thirty, row, heading };
	struct at_fx fx = { 0 };
	struct at_list list;

	at_list_init(&list, &source);
	at_list_layout(&list, 20, 5);
	assert_int_equal(list.cursor, 1);
	for (size_t i = 0; i < AT_LEN(steps); i++) {
		assert_row(i, at_list_act(&list, steps[i].action, &fx) == AT_TAKEN);
		if (list.cursor != steps[i].cursor || list.top != steps[i].top)
			fail_msg("step %zu: cursor %zu top %zu", i, list.cursor, list.top);
	}
	assert_int_equal(fx.count, 0);
	assert_int_equal(at_list_act(&list, AT_DO_OPEN, &fx), AT_PASS);
	at_list_free(&list);
}

static void shrinking_keeps_the_cursor_inside(void **state)
{
	size_t count = 30;
	const struct at_list_source source = { &count, thirty, row, heading };
	struct at_fx fx = { 0 };
	struct at_list list;

	at_list_init(&list, &source);
	at_list_layout(&list, 20, 5);
	at_list_act(&list, AT_DO_LAST, &fx);
	count = 12;
	at_list_refresh(&list);
	assert_int_equal(list.cursor, 11);
	count = 11; /* the last row is a heading now: back to the item before it */
	at_list_refresh(&list);
	assert_int_equal(list.cursor, 9);
	count = 0;
	at_list_refresh(&list);
	at_list_act(&list, AT_DO_MOVE_DOWN, &fx);
	assert_int_equal(list.cursor, 0);
	count = 1; /* a heading alone */
	at_list_refresh(&list);
	at_list_act(&list, AT_DO_MOVE_UP, &fx);
	assert_int_equal(list.top, 0);
	at_list_free(&list);
}

static void a_click_selects_and_the_wheel_moves(void **state)
{
	const struct at_event click = { .kind = AT_EVENT_MOUSE, .button = 0, .y = 3, .yes = true };
	const struct at_event wheel = { .kind = AT_EVENT_MOUSE, .button = 65, .yes = true };
	size_t count = 30;
	const struct at_list_source source = { &count, thirty, row, heading };
	struct at_fx fx = { 0 };
	struct at_list list;

	at_list_init(&list, &source);
	at_list_layout(&list, 20, 5);
	at_list_event(&list, &click, &fx);
	assert_int_equal(list.cursor, 3);
	at_list_event(&list, &wheel, &fx);
	assert_int_equal(list.cursor, 6);
	assert_int_equal(fx.count, 0);
	at_list_free(&list);
}

static void type(
	struct at_list *list, const char *text, enum at_event_kind kind, bool yes, struct at_fx *fx)
{
	const struct at_event event = {
		.kind = kind, .id = AT_ASK_FILTER, .yes = yes, .text = at_bytes_of(text)
	};

	assert_int_equal(at_list_event(list, &event, fx), AT_TAKEN);
}

/* UI-5: a filter leaves rows out of sight with their headings, tells how many, and changes no
 * row's number; Esc brings back what was there. */
static void ui_5_filter_hides_and_counts(void **state)
{
	size_t count = 30;
	const struct at_list_source source = { &count, thirty, row, heading };
	struct at_fx fx = { 0 };
	struct at_list list;
	char status[96];

	at_list_init(&list, &source);
	at_list_layout(&list, 20, 5);
	at_list_go(&list, 17);
	at_list_act(&list, AT_DO_FILTER, &fx);
	assert_int_equal(at_fx_find(&fx, AT_FX_PROMPT)->ask.id, AT_ASK_FILTER);
	type(&list, "2", AT_EVENT_TYPED, false, &fx);
	at_list_filter_status(&list, status, sizeof(status));
	assert_string_equal(status, "[filter: 2] 11/27");
	assert_int_equal(list.cursor, 21); /* the nearest shown; its number is its own */
	type(&list, "22", AT_EVENT_TYPED, false, &fx);
	assert_int_equal(list.cursor, 22);
	assert_int_equal(list.shown_count, 2); /* with its heading */
	assert_false(at_list_is_shown(&list, 17));
	at_list_act(&list, AT_DO_MOVE_DOWN, &fx);
	at_list_act(&list, AT_DO_FIRST, &fx);
	assert_int_equal(list.cursor, 22);
	type(&list, "none", AT_EVENT_TYPED, false, &fx);
	assert_true(list.cursor == AT_LIST_NONE); /* nothing that is not seen can be acted on */
	at_list_act(&list, AT_DO_MOVE_UP, &fx);
	at_list_act(&list, AT_DO_LAST, &fx);
	at_list_refresh(&list);
	at_list_layout(&list, 20, 3);
	assert_true(list.cursor == AT_LIST_NONE);
	type(&list, "", AT_EVENT_ANSWER, false, &fx); /* Esc */
	assert_int_equal(list.cursor, 17);
	assert_false(at_list_is_filtered(&list));
	type(&list, "item 1", AT_EVENT_ANSWER, true, &fx);
	at_list_filter_status(&list, status, sizeof(status));
	assert_string_equal(status, "[filter: item 1] 10/27");
	at_list_act(&list, AT_DO_LAST, &fx);
	assert_int_equal(list.cursor, 19);
	count = 15; /* rows go: the filter is looked at again */
	at_list_refresh(&list);
	assert_int_equal(list.cursor, 14);
	at_list_act(&list, AT_DO_FILTER, &fx);
	type(&list, "", AT_EVENT_ANSWER, true, &fx);
	assert_false(at_list_is_filtered(&list));
	assert_int_equal(list.cursor, 14);
	at_fx_free(&fx);
	at_list_free(&list);
}

/* A search goes to nothing that the filter hides. */
static void ui_5_search_stays_in_the_filter(void **state)
{
	const struct at_event typed = {
		.kind = AT_EVENT_ANSWER, .id = AT_ASK_SEARCH, .yes = true, .text = { "5", 1 }
	};
	size_t count = 30;
	const struct at_list_source source = { &count, thirty, row, heading };
	struct at_fx fx = { 0 };
	struct at_list list;

	at_list_init(&list, &source);
	at_list_layout(&list, 20, 5);
	at_list_filter(&list, at_bytes_of("item 2"));
	at_list_event(&list, &typed, &fx);
	assert_int_equal(at_search_count(&list.search), 1);
	assert_int_equal(list.cursor, 25);
	at_list_filter(&list, at_bytes_of(""));
	assert_int_equal(at_search_count(&list.search), 3);
	at_fx_free(&fx);
	at_list_free(&list);
}

int test_list(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(moves_over_headings_and_stops_at_the_ends),
		cmocka_unit_test(shrinking_keeps_the_cursor_inside),
		cmocka_unit_test(a_click_selects_and_the_wheel_moves),
		cmocka_unit_test(ui_5_filter_hides_and_counts),
		cmocka_unit_test(ui_5_search_stays_in_the_filter),
	};

	return cmocka_run_group_tests_name("list", tests, NULL, NULL);
}
