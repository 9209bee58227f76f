/* Any bytes as a patch: no byte is dropped, the rows are the same however the bytes come, every
 * mode shows every line, and what is drawn is safe. (UI-5, STG-2) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/patch.h"
#include "tui/diff_pane.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "violated: %s (line %d)\n", #truth, __LINE__); \
			abort(); \
		} \
	} while (0)

static void read_all(struct at_patch *patch, struct at_bytes text, size_t step)
{
	at_patch_init(patch, 0);
	for (size_t at = 0; at < text.len; at += step)
		at_patch_add(patch,
			(struct at_bytes){
				text.data + at, text.len - at < step ? text.len - at : step });
	at_patch_end(patch);
	CHECK(patch->ended && patch->indexed == text.len);
}

static void check_rows(const struct at_patch *patch)
{
	size_t at = 0, faults = 0, added = 0, removed = 0;

	for (size_t i = 0; i < patch->diff.count; i++) {
		const struct at_diff_line *line = &patch->diff.lines[i];
		bool is_signed = line->kind == AT_DIFF_SAME || line->kind == AT_DIFF_ADDED
			|| line->kind == AT_DIFF_REMOVED;

		faults += at_patch_is_fault(line);
		added += line->kind == AT_DIFF_ADDED;
		removed += line->kind == AT_DIFF_REMOVED;
		CHECK(line->old_no <= patch->diff.last_no || line->kind == AT_DIFF_NOTE);
		if (at_patch_is_own(line))
			continue;
		CHECK(line->offset == at || (is_signed && line->offset == at + 1));
		at = (size_t)line->offset + line->len;
		CHECK(at == patch->text.len || patch->text.data[at] == '\n');
		at++;
	}
	CHECK(at == patch->text.len || at == patch->text.len + 1);
	CHECK(faults == patch->faults && added == patch->diff.added
		&& removed == patch->diff.removed);
	for (size_t i = 0; i < patch->diff.file_count; i++)
		CHECK(at_patch_name(&patch->diff, i).len <= patch->text.len);
}

static void check_same(const struct at_diff *a, const struct at_diff *b)
{
	CHECK(a->count == b->count && a->hunk_count == b->hunk_count
		&& a->file_count == b->file_count);
	for (size_t i = 0; i < a->count; i++)
		CHECK(memcmp(&a->lines[i], &b->lines[i], sizeof(*a->lines)) == 0);
}

static void draw(struct at_diff_pane *pane, struct at_grid *grid)
{
	struct at_canvas canvas = at_canvas_of(grid);
	struct at_fx fx = { 0 };

	at_pager_paint(&pane->pager, &canvas);
	for (int i = 0; i < grid->width * grid->height; i++) {
		uint32_t code = grid->cells[i].code;

		CHECK(grid->cells[i].width == 0
			|| (code >= 0x20 && !(code >= 0x7f && code < 0xa0)));
		CHECK(code != 0x202e && code != 0x200b);
	}
	at_diff_pane_act(pane, AT_DO_PAGE_DOWN, &fx);
	at_diff_pane_act(pane, AT_DO_OPEN, &fx);
	at_diff_pane_act(pane, AT_DO_MOVE_RIGHT, &fx);
	at_fx_free(&fx);
}

/* In every mode: each line is in a row, and no row is outside of the diff. */
static void check_modes(const struct at_patch *patch, struct at_grid *grid)
{
	for (unsigned modes = 0; modes < 8; modes++) {
		struct at_diff_pane pane;
		size_t count;

		at_diff_pane_init(&pane, &patch->diff);
		at_diff_rows_want(&pane.rows, modes);
		at_diff_pane_layout(&pane, grid->width, grid->height);
		count = pane.pager.source.count(&pane.rows);
		CHECK(count <= patch->diff.count);
		for (size_t line = 0; line < patch->diff.count; line++)
			CHECK(at_diff_rows_row(&pane.rows, line) < count);
		for (size_t row = 0; row < count; row++) {
			CHECK(at_diff_rows_line(&pane.rows, row) < patch->diff.count);
			pane.pager.source.text(&pane.rows, row);
		}
		/* Drawing costs most: one mode an input, by its bytes. */
		for (int i = 0; i < 3 && modes == patch->text.len % 8; i++)
			draw(&pane, grid);
		at_diff_pane_free(&pane);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct at_bytes text = { size ? (const char *)data : "", size };
	size_t step = size ? data[size - 1] % 37 + 1 : 1;
	struct at_patch patch, other;
	struct at_grid grid = { 0 };
	struct at_buf out = { 0 };

	read_all(&patch, text, size + 1);
	check_rows(&patch);
	read_all(&other, text, step);
	check_same(&patch.diff, &other.diff);
	for (size_t i = 0; i < patch.diff.count; i++)
		at_patch_print_row(&patch.diff, i, &out);
	for (size_t i = 0; i < out.len; i++)
		CHECK((unsigned char)out.data[i] >= 0x20 || out.data[i] == '\n'
			|| out.data[i] == '\t');
	at_grid_resize(&grid, 121, 12);
	check_modes(&patch, &grid);
	at_grid_free(&grid);
	at_buf_free(&out);
	at_patch_free(&patch);
	at_patch_free(&other);
	return 0;
}
