#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "core/patch.h"
#include "tui/diff_map.h"

static const char text[] = "--- a\n+++ b\n@@ -1,11 +1,11 @@\n"
			   " s1\n s2\n s3\n" /* lines 3-5 */
			   "-old\n-  pad\n-gone\n" /* 6-8 */
			   "+new\n+pad\n+more\n" /* 9-11 */
			   " s4\n s5\n" /* 12, 13 */
			   "-x\n+ x\n" /* 14, 15 */
			   " s6\n s7\n"; /* 16, 17 */

/* "3" a line, "6|9" a pair, "7~10" white space alone, "3*3" a fold of three. */
static void show(const struct at_diff_map *map, struct at_buf *out)
{
	for (size_t i = 0; i < map->count; i++) {
		const struct at_diff_map_row *r = &map->rows[i];
		static const char signs[] = { [AT_ROW_LINE] = '.',
			[AT_ROW_PAIR] = '|',
			[AT_ROW_SPACE] = '~',
			[AT_ROW_FOLD] = '*' };

		at_buf_puts(out, i ? " " : "");
		if (r->a == AT_NO_LINE)
			at_buf_putc(out, '-');
		else
			at_buf_printf(out, "%u", r->a);
		if (r->kind != AT_ROW_LINE)
			at_buf_putc(out, signs[r->kind]);
		if (r->kind != AT_ROW_LINE && r->b == AT_NO_LINE)
			at_buf_putc(out, '-');
		else if (r->kind != AT_ROW_LINE)
			at_buf_printf(out, "%u", r->b);
	}
}

static const struct {
	unsigned modes;
	const char *want;
} rows[] = {
	{ AT_DIFF_SIDES, "0 1 2 3|3 4|4 5|5 6|9 7|10 8|11 12|12 13|13 14|15 16|16 17|17" },
	{ AT_DIFF_FOLDED, "0 1 2 3*3 6 7 8 9 10 11 12*2 14 15 16*2" },
	{ AT_DIFF_NO_SPACE, "0 1 2 3 4 5 6 9 7~10 8 11 12 13 14~15 16 17" },
	{ AT_DIFF_FOLDED | AT_DIFF_NO_SPACE, "0 1 2 3*3 6 9 7~10 8 11 12*5" },
	{ AT_DIFF_SIDES | AT_DIFF_FOLDED, "0 1 2 3*3 6|9 7|10 8|11 12*2 14|15 16*2" },
};

/* UI-5: the rows of every mode, also when the diff comes in pieces; and every line has a row. */
static void ui_5_rows_of_every_mode(void **state)
{
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		for (size_t step = 3; step < sizeof(text); step += sizeof(text) - 4) {
			struct at_diff_map map = { .modes = rows[i].modes };
			struct at_buf out = { 0 };
			struct at_patch patch;

			at_patch_init(&patch, 0);
			for (size_t at = 0; at < sizeof(text) - 1; at += step) {
				size_t left = sizeof(text) - 1 - at;

				at_patch_add(&patch,
					(struct at_bytes){ text + at, left < step ? left : step });
				at_diff_map_grow(&map, &patch.diff, false);
			}
			at_patch_end(&patch);
			at_diff_map_grow(&map, &patch.diff, true);
			show(&map, &out);
			if (strcmp(at_buf_text(&out), rows[i].want) != 0)
				fail_msg("modes %u: %s", rows[i].modes, at_buf_text(&out));
			for (size_t line = 0; line < patch.diff.count; line++) {
				const struct at_diff_map_row *r =
					&map.rows[at_diff_map_row(&map, line)];

				assert_row(line,
					r->a == line || (r->kind != AT_ROW_LINE && r->b == line)
						|| r->kind == AT_ROW_FOLD);
			}
			assert_int_equal(map.hunks[0], 2);
			assert_int_equal(map.files[0], 0);
			at_buf_free(&out);
			at_diff_map_free(&map);
			at_patch_free(&patch);
		}
	}
}

static void ui_5_an_opened_fold_stays_open(void **state)
{
	struct at_diff_map map = { .modes = AT_DIFF_FOLDED };
	struct at_buf out = { 0 };
	struct at_patch patch;

	at_patch_init(&patch, 0);
	at_patch_add(&patch, (struct at_bytes){ text, sizeof(text) - 1 });
	at_patch_end(&patch);
	at_diff_map_open(&map, 12);
	at_diff_map_grow(&map, &patch.diff, true);
	show(&map, &out);
	assert_string_equal(at_buf_text(&out), "0 1 2 3*3 6 7 8 9 10 11 12 13 14 15 16*2");
	at_diff_map_reset(&map, AT_DIFF_FOLDED, true);
	at_diff_map_grow(&map, &patch.diff, true);
	out.len = 0;
	show(&map, &out);
	assert_string_equal(at_buf_text(&out), rows[1].want);
	at_buf_free(&out);
	at_diff_map_free(&map);
	at_patch_free(&patch);
}

/* Blocks of any two lengths, with pairs at either end that differ in white space alone. */
static void make_blocks(struct at_patch *patch)
{
	struct at_buf body = { 0 }, all = { 0 };
	int old = 0, new = 0;

	for (int i = 0; i < 200; i++) {
		int removed = i % 5, added = i / 5 % 5;

		for (int k = 0; k < removed; k++)
			at_buf_printf(&body, "-%s%d\n", i % 3 ? "x" : "old ", k);
		for (int k = 0; k < added; k++)
			at_buf_printf(&body, "+x %d\n", i % 2 ? k : k + removed - added);
		at_buf_puts(&body, " same\n same too\n");
		old += removed + 2;
		new += added + 2;
	}
	at_buf_printf(&all, "--- a\n+++ b\n@@ -1,%d +1,%d @@\n", old, new);
	at_buf_put(&all, body.data, body.len);
	at_patch_init(patch, 0);
	at_patch_add(patch, at_buf_bytes(&all));
	at_patch_end(patch);
	assert_int_equal(patch->faults, 0);
	at_buf_free(&body);
	at_buf_free(&all);
}

/* UI-5: made in slices of any size, also within a block, the rows are those made at once; and
 * what a fold opens to in its place is what a map with it open has. */
static void ui_5_slices_make_the_same_rows(void **state)
{
	struct at_patch patch;

	make_blocks(&patch);
	for (unsigned modes = 1; modes < 8; modes++) {
		struct at_diff_map whole = { .modes = modes };

		at_diff_map_grow(&whole, &patch.diff, true);
		for (size_t most = 1; most < 20; most += 3) {
			struct at_diff_map map = { .modes = modes };
			size_t turns = 0;

			while (!at_diff_map_some(&map, &patch.diff, true, most))
				assert_true(turns++ < 2 * patch.diff.count / most + 1);
			assert_int_equal(map.count, whole.count);
			for (size_t i = 0; i < map.count; i++)
				assert_row(i,
					memcmp(&map.rows[i], &whole.rows[i], sizeof(*map.rows)) == 0);
			at_diff_map_free(&map);
		}
		for (size_t row = 0; modes & AT_DIFF_FOLDED && row < whole.count; row++) {
			struct at_diff_map opened = { .modes = modes };
			uint32_t line = whole.rows[row].a;

			if (whole.rows[row].kind != AT_ROW_FOLD)
				continue;
			assert_false(at_diff_map_unfold(&whole, &patch.diff, row, 1));
			assert_int_equal(whole.rows[row].kind, AT_ROW_FOLD);
			assert_true(at_diff_map_unfold(&whole, &patch.diff, row, SIZE_MAX));
			for (size_t i = 0; i < whole.opened_count; i++)
				at_diff_map_open(&opened, whole.opened[i]);
			assert_int_equal(whole.opened[whole.opened_count - 1], line);
			at_diff_map_grow(&opened, &patch.diff, true);
			assert_int_equal(opened.count, whole.count);
			for (size_t i = 0; i < opened.count; i++)
				assert_row(i, memcmp(&opened.rows[i], &whole.rows[i],
						      sizeof(*opened.rows)) == 0);
			at_diff_map_free(&opened);
		}
		at_diff_map_free(&whole);
	}
	at_patch_free(&patch);
}

static void ui_5_white_space_alone(void **state)
{
	static const struct {
		const char *a, *b;
		bool same;
	} pairs[] = {
		{ "a b", "ab", true },
		{ "a\t b ", " a b\r", true },
		{ "", " \t", true },
		{ "a", "b", false },
		{ "a", "a b", false },
		{ "a\xc2\xa0", "a", false },
		{ "a\v", "a", false },
	};

	for (size_t i = 0; i < AT_LEN(pairs); i++) {
		assert_row(i,
			at_diff_same_but_space(at_bytes_of(pairs[i].a), at_bytes_of(pairs[i].b))
				== pairs[i].same);
		assert_row(i,
			at_diff_same_but_space(at_bytes_of(pairs[i].b), at_bytes_of(pairs[i].a))
				== pairs[i].same);
	}
}

int test_diff_map(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ui_5_rows_of_every_mode),
		cmocka_unit_test(ui_5_an_opened_fold_stays_open),
		cmocka_unit_test(ui_5_slices_make_the_same_rows),
		cmocka_unit_test(ui_5_white_space_alone),
	};

	return cmocka_run_group_tests_name("diff_map", tests, NULL, NULL);
}
