#include "support/support.h"

#include <string.h>

#include "tui/prompt.h"

static void edits_whole_characters(void **state)
{
	static const struct {
		enum at_action action;
		const char *want;
		size_t cursor;
	} steps[] = {
		{ AT_DO_PROMPT_LEFT, "a\xc3\xa9 b", 4 },   { AT_DO_PROMPT_LEFT, "a\xc3\xa9 b", 3 },
		{ AT_DO_PROMPT_BACKSPACE, "a b", 1 },      { AT_DO_PROMPT_END, "a b", 3 },
		{ AT_DO_PROMPT_RIGHT, "a b", 3 },          { AT_DO_PROMPT_WORD, "a ", 2 },
		{ AT_DO_PROMPT_START, "a ", 0 },           { AT_DO_PROMPT_BACKSPACE, "a ", 0 },
		{ AT_DO_PROMPT_LEFT, "a ", 0 },            { AT_DO_PROMPT_DELETE, " ", 0 },
		{ AT_DO_PROMPT_CUT, "", 0 },               { AT_DO_PROMPT_DELETE, "", 0 },
		{ AT_DO_PROMPT_CLEAR, "", 0 },
	};
	struct at_prompt prompt = { 0 };

	at_prompt_set(&prompt, "a\xc3\xa9 b");
	assert_int_equal(prompt.cursor, 5);
	for (size_t i = 0; i < AT_LEN(steps); i++) {
		assert_row(i, at_prompt_act(&prompt, steps[i].action) == AT_TAKEN);
		assert_row(i, strcmp(at_buf_text(&prompt.text), steps[i].want) == 0);
		assert_row(i, prompt.cursor == steps[i].cursor);
	}
	assert_int_equal(at_prompt_act(&prompt, AT_DO_PROMPT_DONE), AT_PASS);
	at_prompt_free(&prompt);
}

static void keeps_out_what_is_no_text(void **state)
{
	struct at_prompt prompt = { 0 };
	char big[AT_PROMPT_CAP + 10];

	at_prompt_insert(&prompt, at_bytes_of("a\033[31m\n\tb\xff\xc2\x9b\177"));
	assert_string_equal(at_buf_text(&prompt.text), "a[31m  b");
	memset(big, 'x', sizeof(big));
	at_prompt_insert(&prompt, (struct at_bytes){ big, sizeof(big) });
	assert_true(prompt.text.len <= AT_PROMPT_CAP);
	at_prompt_insert_char(&prompt, AT_KEY_UP);
	assert_true(at_utf8_is_valid(at_buf_bytes(&prompt.text), NULL));
	at_prompt_free(&prompt);
}

static void the_cursor_stays_in_sight(void **state)
{
	struct at_prompt prompt = { 0 };
	struct at_grid grid = { 0 };
	struct at_canvas canvas;

	at_grid_resize(&grid, 12, 1);
	canvas = at_canvas_of(&grid);
	at_prompt_set(&prompt, "0123456789abcdef");
	at_prompt_paint(&prompt, &canvas, 2, 0);
	assert_int_equal(grid.cursor_x, 11);
	assert_int_equal(at_grid_cell(&grid, 10, 0)->code, 'f');
	at_prompt_act(&prompt, AT_DO_PROMPT_START);
	at_prompt_paint(&prompt, &canvas, 2, 0);
	assert_int_equal(grid.cursor_x, 2);
	at_grid_free(&grid);
	at_prompt_free(&prompt);
}

int test_prompt(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(edits_whole_characters),
		cmocka_unit_test(keeps_out_what_is_no_text),
		cmocka_unit_test(the_cursor_stays_in_sight),
	};

	return cmocka_run_group_tests_name("prompt", tests, NULL, NULL);
}
