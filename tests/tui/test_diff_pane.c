#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "core/patch.h"
#include "tui/diff_pane.h"

#define HUNKS 30

/* Hunks with pairs, blocks of two lengths, white space alone and notes of our own. */
static void make(struct at_patch *patch)
{
	struct at_buf text = { 0 };

	for (int i = 0; i < HUNKS; i++) {
		if (i % 7 == 0)
			at_buf_printf(&text, "diff --git a/f%d b/f%d\n--- a/f%d\n+++ b/%s%d\n", i,
				i, i, i % 2 ? "other" : "f", i);
		at_buf_printf(&text,
			"@@ -%d,8 +%d,8 @@ hunk\n same one\n same two\n"
			"-old %d\n-  pad %d\n-tail\n+new %d\n+pad  %d\n+ tail\n"
			" same three\n same four\n same mark%d\n",
			i * 20 + 1, i * 20 + 1, i, i, i, i, i);
	}
	at_patch_init(patch, 0);
	at_patch_add(patch, at_buf_bytes(&text));
	at_patch_end(patch);
	at_buf_free(&text);
}

static void begin(struct at_diff_pane *pane, const struct at_patch *patch, size_t slice)
{
	at_diff_pane_init(pane, &patch->diff);
	pane->rows.slice = pane->pager.slice = slice;
	at_diff_pane_layout(pane, 120, 5);
}

/* Idle events until nothing is asked for any more. */
static size_t finish(struct at_diff_pane *pane, struct at_fx *fx)
{
	size_t turns = 0;

	while (at_diff_pane_work(pane, fx)) {
		assert_non_null(at_fx_find(fx, AT_FX_IDLE));
		at_fx_clear(fx);
		assert_true(turns++ < 10000);
	}
	assert_null(at_fx_find(fx, AT_FX_IDLE));
	assert_false(at_diff_pane_is_busy(pane));
	return turns;
}

static void same_rows(const struct at_diff_rows *a, const struct at_diff_rows *b)
{
	assert_int_equal(a->map.modes, b->map.modes);
	assert_int_equal(a->map.count, b->map.count);
	assert_int_equal(a->map.hunk_count, b->map.hunk_count);
	for (size_t i = 0; i < a->map.count; i++)
		assert_row(i, memcmp(&a->map.rows[i], &b->map.rows[i], sizeof(*a->map.rows)) == 0);
	for (size_t i = 0; i < a->map.hunk_count; i++)
		assert_row(i, a->map.hunks[i] == b->map.hunks[i]);
	for (size_t i = 0; i < a->map.file_count; i++)
		assert_row(i, a->map.files[i] == b->map.files[i]);
}

static const enum at_action modes[] = { AT_DO_SIDE_BY_SIDE, AT_DO_FOLD, AT_DO_SPACE,
	AT_DO_SIDE_BY_SIDE, AT_DO_FOLD, AT_DO_SPACE, AT_DO_SPACE, AT_DO_FOLD };

/* UI-5: other rows are made in slices: until they are ready the old ones stand, then the place is
 * where it was and the rows are those that are made at once. */
static void ui_5_modes_change_in_slices(void **state)
{
	struct at_diff_pane sliced, whole;
	struct at_fx fx = { 0 };
	struct at_patch patch;

	make(&patch);
	for (size_t slice = 1; slice < 1000; slice *= 7) {
		begin(&sliced, &patch, slice);
		begin(&whole, &patch, 0);
		at_pager_go(&sliced.pager, 150);
		at_pager_go(&whole.pager, 150);
		for (size_t i = 0; i < AT_LEN(modes); i++) {
			size_t line = at_diff_rows_line(&sliced.rows, sliced.pager.top), now;
			unsigned before = sliced.rows.map.modes;

			at_fx_clear(&fx);
			at_diff_pane_act(&sliced, modes[i], &fx);
			if (slice == 1 && sliced.rows.wants) {
				assert_true(at_diff_pane_is_busy(&sliced));
				assert_non_null(at_fx_find(&fx, AT_FX_IDLE));
				assert_int_equal(sliced.rows.map.modes, before);
			}
			at_fx_clear(&fx);
			finish(&sliced, &fx);
			at_fx_clear(&fx);
			at_diff_pane_act(&whole, modes[i], &fx);
			assert_false(at_diff_pane_is_busy(&whole));
			same_rows(&sliced.rows, &whole.rows);
			now = at_diff_rows_line(&sliced.rows, sliced.pager.top);
			assert_row(i, sliced.pager.top == whole.pager.top);
			assert_row(i, now <= line && line < now + 9);
		}
		at_diff_pane_free(&sliced);
		at_diff_pane_free(&whole);
	}
	at_fx_free(&fx);
	at_patch_free(&patch);
}

/* UI-5: who changes his mind while rows are made gets those asked for last. */
static void ui_5_the_last_mode_wins(void **state)
{
	struct at_diff_pane pane;
	struct at_fx fx = { 0 };
	struct at_patch patch;

	make(&patch);
	begin(&pane, &patch, 20);
	at_diff_pane_act(&pane, AT_DO_FOLD, &fx);
	at_diff_pane_work(&pane, &fx);
	assert_true(pane.rows.mapping);
	at_diff_pane_act(&pane, AT_DO_SIDE_BY_SIDE, &fx);
	at_diff_pane_work(&pane, &fx);
	at_diff_pane_act(&pane, AT_DO_FOLD, &fx);
	assert_int_equal(pane.rows.map.modes, 0);
	at_fx_clear(&fx);
	finish(&pane, &fx);
	assert_int_equal(pane.rows.map.modes, AT_DIFF_SIDES);
	at_diff_pane_act(&pane, AT_DO_FOLD, &fx);
	at_diff_pane_act(&pane, AT_DO_FOLD, &fx); /* back to what is shown: nothing to do */
	assert_false(at_diff_pane_is_busy(&pane));
	at_diff_pane_layout(&pane, 90, 5); /* too narrow */
	assert_int_equal(pane.rows.map.modes, 0);
	at_diff_pane_act(&pane, AT_DO_SPACE, &fx);
	assert_true(at_diff_pane_hides_space(&pane));
	at_fx_clear(&fx);
	finish(&pane, &fx);
	at_diff_pane_act(&pane, AT_DO_FOLD, &fx);
	at_diff_pane_act(&pane, AT_DO_SPACE, &fx);
	assert_true(pane.rows.mapping);
	assert_true(at_diff_pane_hides_space(&pane)); /* until the rows show it again */
	at_fx_clear(&fx);
	finish(&pane, &fx);
	assert_false(at_diff_pane_hides_space(&pane));
	at_diff_pane_free(&pane);
	at_fx_free(&fx);
	at_patch_free(&patch);
}

/* UI-5: a fold opens in its place, in every mode, also while other rows are being made. */
static void ui_5_a_fold_opens_in_its_place(void **state)
{
	struct at_fx fx = { 0 };
	struct at_patch patch;

	make(&patch);
	for (unsigned mode = 0; mode < 8; mode++) {
		struct at_diff_pane pane;
		struct at_diff_rows whole;
		size_t fold;

		begin(&pane, &patch, 0);
		at_diff_rows_init(&whole, &patch.diff, 120);
		at_diff_rows_want(&pane.rows, mode | AT_DIFF_FOLDED);
		pane.rows.slice = 50;
		for (size_t turn = 0; turn < 4; turn++) {
			uint32_t line;

			at_pager_go(&pane.pager, pane.rows.map.count / (turn + 2));
			fold = at_diff_rows_fold(&pane.rows, pane.pager.top, pane.rows.map.count);
			at_pager_go(&pane.pager, fold);
			line = pane.rows.map.rows[fold].a;
			if (turn == 3) { /* other rows are on the way */
				at_diff_pane_act(&pane, AT_DO_SPACE, &fx);
				assert_true(pane.rows.mapping);
			}
			assert_int_equal(at_diff_pane_act(&pane, AT_DO_OPEN, &fx), AT_TAKEN);
			assert_int_equal(pane.rows.map.rows[fold].a, line);
			assert_true(pane.rows.map.rows[fold].kind != AT_ROW_FOLD);
			at_diff_map_open(&whole.map, line);
			at_fx_clear(&fx);
			finish(&pane, &fx);
			at_diff_map_reset(&whole.map, pane.rows.map.modes, false);
			at_diff_map_grow(&whole.map, &patch.diff, true);
			same_rows(&pane.rows, &whole);
		}
		at_diff_pane_free(&pane);
		at_diff_rows_free(&whole);
	}
	at_fx_free(&fx);
	at_patch_free(&patch);
}

static void say(
	struct at_diff_pane *pane, enum at_event_kind kind, const char *text, struct at_fx *fx)
{
	const struct at_event event = {
		.kind = kind, .id = AT_ASK_SEARCH, .yes = true, .text = at_bytes_of(text)
	};

	at_fx_clear(fx);
	at_diff_pane_event(pane, &event, fx);
}

static const char *told(const struct at_fx *fx)
{
	const char *text = "";

	for (size_t i = 0; i < fx->count; i++)
		text = fx->items[i].kind == AT_FX_MESSAGE ? fx->items[i].text : text;
	return text;
}

/* UI-5: a search that is not through goes to its match as soon as it is found. */
static void ui_5_a_search_goes_on_between_keys(void **state)
{
	struct at_diff_pane pane;
	struct at_fx fx = { 0 };
	struct at_patch patch;
	char progress[40];
	size_t first;

	make(&patch);
	begin(&pane, &patch, 100);
	at_diff_pane_act(&pane, AT_DO_SEARCH, &fx);
	say(&pane, AT_EVENT_TYPED, "mark2", &fx);
	assert_string_equal(told(&fx), "\"mark2\": searching");
	assert_non_null(at_fx_find(&fx, AT_FX_IDLE));
	assert_int_equal(pane.pager.top, 0);
	at_diff_pane_progress(&pane, progress, sizeof(progress));
	assert_memory_equal(progress, "searching, ", 11);
	say(&pane, AT_EVENT_TYPED, "mark", &fx); /* typed over */
	for (at_fx_clear(&fx); !*told(&fx);) {
		at_fx_clear(&fx);
		at_diff_pane_work(&pane, &fx);
	}
	assert_string_equal(told(&fx), "\"mark\": found, still counting");
	first = pane.pager.top;
	say(&pane, AT_EVENT_TYPED, "mark29", &fx);
	at_diff_pane_act(&pane, AT_DO_SPACE, &fx); /* other rows, and still the same wish */
	say(&pane, AT_EVENT_ANSWER, "mark29", &fx);
	assert_true(pane.pager.top < first);
	while (at_diff_pane_work(&pane, &fx))
		;
	assert_string_equal(told(&fx), "\"mark29\": 1 of 1");
	assert_true(pane.pager.found == pane.rows.map.count - 1);
	at_pager_go(&pane.pager, 0);
	at_diff_pane_act(&pane, AT_DO_SEARCH, &fx);
	say(&pane, AT_EVENT_ANSWER, "mark9", &fx);
	at_diff_pane_act(&pane, AT_DO_MOVE_DOWN, &fx); /* who moves on is not taken away */
	at_fx_clear(&fx);
	finish(&pane, &fx);
	assert_int_equal(pane.pager.top, 1);
	assert_string_equal(told(&fx), "");
	at_diff_pane_act(&pane, AT_DO_SEARCH_NEXT, &fx);
	assert_string_equal(told(&fx), "\"mark9\": 1 of 1");
	at_diff_pane_free(&pane);
	at_fx_free(&fx);
	at_patch_free(&patch);
}

/* UI-5: while lines still come a search tells what it knows so far, and goes on with them. */
static void ui_5_a_search_follows_what_is_read(void **state)
{
	static const char start[] = "--- a\n+++ b\n@@ -1,5 +1,5 @@\n same\n same\n";
	static const char rest[] = " same\n same mark\n-x\n+y\n";

	for (unsigned folded = 0; folded < 2; folded++) {
		struct at_diff_pane pane;
		struct at_fx fx = { 0 };
		struct at_patch patch;

		at_patch_init(&patch, 0);
		at_patch_add(&patch, at_bytes_of(start));
		begin(&pane, &patch, 1000);
		at_diff_pane_grow(&pane, false);
		if (folded)
			at_diff_pane_act(&pane, AT_DO_FOLD, &fx);
		at_diff_pane_act(&pane, AT_DO_SEARCH, &fx);
		say(&pane, AT_EVENT_ANSWER, "mark", &fx);
		assert_string_equal(told(&fx), "\"mark\" is not here so far.");
		at_fx_clear(&fx);
		finish(&pane, &fx); /* nothing to do before there is more */
		at_patch_add(&patch, at_bytes_of(rest));
		at_patch_end(&patch);
		at_diff_pane_grow(&pane, true);
		assert_true(at_diff_pane_is_busy(&pane));
		at_diff_pane_work(&pane, &fx);
		assert_string_equal(told(&fx), "\"mark\": 1 of 1");
		assert_int_equal(pane.pager.found, folded ? 3 : 6);
		at_fx_clear(&fx);
		finish(&pane, &fx);
		at_diff_pane_free(&pane);
		at_fx_free(&fx);
		at_patch_free(&patch);
	}
}

int test_diff_pane(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_5_modes_change_in_slices),
		cmocka_unit_test(ui_5_the_last_mode_wins),
		cmocka_unit_test(ui_5_a_fold_opens_in_its_place),
		cmocka_unit_test(ui_5_a_search_goes_on_between_keys),
		cmocka_unit_test(ui_5_a_search_follows_what_is_read),
	};

	return cmocka_run_group_tests_name("diff_pane", tests, NULL, NULL);
}
