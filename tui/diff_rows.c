#include "tui/diff_rows.h"

#include <string.h>

#include "core/patch.h"
#include "tui/diff_draw.h"

static void measure(struct at_diff_rows *rows)
{
	rows->digits = 1;
	for (uint32_t most = rows->diff->last_no; most >= 10; most /= 10)
		rows->digits++;
}

/* The map that was made in slices takes the place of the one that was shown, with the folds that
 * were opened there meanwhile. */
static void swap(struct at_diff_rows *rows)
{
	struct at_diff_map old = rows->map;

	for (size_t i = rows->next.opened_count; i < old.opened_count; i++) {
		size_t row = at_diff_map_row(&rows->next, old.opened[i]);

		if (row < rows->next.count && rows->next.rows[row].kind == AT_ROW_FOLD
			&& rows->next.rows[row].a == old.opened[i])
			at_diff_map_unfold(&rows->next, rows->diff, row, SIZE_MAX);
		else
			at_diff_map_open(&rows->next, old.opened[i]);
	}
	rows->map = rows->next;
	rows->next = (struct at_diff_map){ 0 };
	at_diff_map_free(&old);
	rows->mapping = false;
	if (!(rows->map.modes & AT_DIFF_SIDES))
		rows->left = 0;
}

static size_t slice_of(const struct at_diff_rows *rows)
{
	return rows->slice ? rows->slice : SIZE_MAX;
}

bool at_diff_rows_work(struct at_diff_rows *rows)
{
	if (!rows->mapping
		|| !at_diff_map_some(&rows->next, rows->diff, rows->ended, slice_of(rows)))
		return false;
	swap(rows);
	return true;
}

static void drop_next(struct at_diff_rows *rows)
{
	at_diff_map_free(&rows->next);
	rows->mapping = false;
}

static bool begin_next(struct at_diff_rows *rows, unsigned modes)
{
	rows->next.modes = modes;
	for (size_t i = 0; i < rows->map.opened_count; i++)
		at_diff_map_open(&rows->next, rows->map.opened[i]);
	rows->mapping = true;
	return at_diff_rows_work(rows);
}

/* Begins to map other modes, or another diff (`forget`), whose lines show one by one meanwhile. */
static bool remap(struct at_diff_rows *rows, bool forget)
{
	unsigned modes = rows->wants;

	if (rows->width < AT_DIFF_SIDES_FROM)
		modes &= ~(unsigned)AT_DIFF_SIDES;
	if (forget)
		at_diff_map_reset(&rows->map, 0, true);
	else if (modes == (rows->mapping ? rows->next.modes : rows->map.modes))
		return false;
	drop_next(rows);
	if (modes == rows->map.modes)
		return forget;
	if (!modes) { /* nothing to map: the folds that were opened are kept in mind */
		at_diff_map_reset(&rows->map, 0, false);
		rows->left = 0;
		return true;
	}
	return begin_next(rows, modes) || forget;
}

void at_diff_rows_init(struct at_diff_rows *rows, const struct at_diff *diff, int width)
{
	*rows = (struct at_diff_rows){ .diff = diff, .ended = true };
	measure(rows);
	at_diff_rows_layout(rows, width);
}

void at_diff_rows_free(struct at_diff_rows *rows)
{
	at_diff_map_free(&rows->map);
	at_diff_map_free(&rows->next);
	at_line_free(&rows->half);
	at_buf_free(&rows->joined);
}

void at_diff_rows_set(struct at_diff_rows *rows, const struct at_diff *diff)
{
	rows->diff = diff;
	measure(rows);
	remap(rows, true);
}

void at_diff_rows_grow(struct at_diff_rows *rows, bool end)
{
	rows->ended = end;
	measure(rows);
	at_diff_map_grow(&rows->map, rows->diff, end);
}

bool at_diff_rows_layout(struct at_diff_rows *rows, int width)
{
	rows->width = width;
	rows->numbers = width >= DIFF_NUMBERS_FROM;
	return remap(rows, false);
}

bool at_diff_rows_want(struct at_diff_rows *rows, unsigned modes)
{
	rows->wants = modes;
	return remap(rows, false);
}

bool at_diff_rows_are(const struct at_diff_rows *rows, enum at_diff_mode mode)
{
	return rows->map.modes & (unsigned)mode;
}

size_t at_diff_rows_line(const struct at_diff_rows *rows, size_t row)
{
	return rows->map.modes ? at_diff_map_line(&rows->map, row) : row;
}

size_t at_diff_rows_row(const struct at_diff_rows *rows, size_t line)
{
	return rows->map.modes ? at_diff_map_row(&rows->map, line) : line;
}

size_t at_diff_rows_fold(const struct at_diff_rows *rows, size_t from, size_t to)
{
	if (!rows->map.modes)
		return to;
	while (from < to && from < rows->map.count && rows->map.rows[from].kind != AT_ROW_FOLD)
		from++;
	return from < rows->map.count ? from : to;
}

void at_diff_rows_open(struct at_diff_rows *rows, size_t row)
{
	uint32_t line = rows->map.rows[row].a;

	if (at_diff_map_unfold(&rows->map, rows->diff, row, slice_of(rows)))
		return;
	at_diff_map_open(&rows->map, line);
	if (!rows->mapping) /* else it opens in the rows that are being made */
		begin_next(rows, rows->map.modes);
}

void at_diff_row(struct at_diff_rows *rows, size_t row, struct at_line *out)
{
	const struct at_diff_map_row *r = rows->map.modes ? &rows->map.rows[row] : NULL;

	if (!r)
		diff_draw_line(rows, row, out);
	else if (r->kind == AT_ROW_FOLD)
		diff_draw_fold(rows, r->b, out);
	else if (at_diff_rows_are(rows, AT_DIFF_SIDES))
		diff_draw_sides(rows, r, out);
	else if (r->kind == AT_ROW_SPACE)
		diff_draw_space(rows, r->a, r->b, out);
	else
		diff_draw_line(rows, r->a, out);
}

static size_t count(void *user)
{
	const struct at_diff_rows *rows = user;

	return rows->map.modes ? rows->map.count : rows->diff->count;
}

static void fill(void *user, size_t row, struct at_line *out)
{
	struct at_diff_rows *rows = user;

	rows->ascii = out->ascii;
	at_diff_row(rows, row, out);
}

/* Everything from the first line of a fold to its last, so that a search finds it there. Where
 * the two sides are two texts, the lines of the new one are enough. */
static struct at_bytes folded_text(const struct at_diff_rows *rows, size_t row)
{
	const struct at_diff *diff = rows->diff;
	size_t first = rows->map.rows[row].a, last = at_diff_map_line(&rows->map, row + 1) - 1;
	struct at_bytes from, to;

	while (!diff->is_text && first < last && diff->lines[first].kind == AT_DIFF_REMOVED)
		first++;
	while (!diff->is_text && first < last && diff->lines[last].kind == AT_DIFF_REMOVED)
		last--;
	from = at_diff_text(diff, first);
	to = at_diff_text(diff, last);
	return (struct at_bytes){ from.data, (size_t)(to.data + to.len - from.data) };
}

static struct at_bytes text(void *user, size_t row)
{
	struct at_diff_rows *rows = user;
	const struct at_diff_map_row *r;
	struct at_bytes b;

	if (!rows->map.modes)
		return at_diff_text(rows->diff, row);
	r = &rows->map.rows[row];
	if (r->kind == AT_ROW_FOLD)
		return folded_text(rows, row);
	if (r->kind == AT_ROW_LINE || r->b == AT_NO_LINE || r->a == r->b)
		return at_diff_text(rows->diff, r->a);
	b = at_diff_text(rows->diff, r->b);
	if (r->kind == AT_ROW_SPACE || r->a == AT_NO_LINE)
		return b;
	rows->joined.len = 0;
	at_buf_put(&rows->joined, at_diff_text(rows->diff, r->a).data,
		at_diff_text(rows->diff, r->a).len);
	at_buf_putc(&rows->joined, '\n');
	at_buf_put(&rows->joined, b.data, b.len);
	return at_buf_bytes(&rows->joined);
}

/* All texts of a patch lie in it one after the other; a row of our own is behind the last one. */
static struct at_bytes flat(void *user, size_t row)
{
	const struct at_diff_rows *rows = user;

	if (rows->map.modes || !rows->diff->is_text)
		return (struct at_bytes){ 0 };
	while (at_patch_is_own(&rows->diff->lines[row])) {
		if (row-- == 0)
			return (struct at_bytes){ rows->diff->new_text.data, 0 };
	}
	return at_diff_text(rows->diff, row);
}

/* Unchanged rows at the end of what was read may all become one fold. */
static size_t settled(void *user)
{
	const struct at_diff_map *map = &((struct at_diff_rows *)user)->map;

	return map->run_lines ? map->run_start : count(user);
}

static size_t hunks(void *user, const uint32_t **out)
{
	const struct at_diff_rows *rows = user;

	*out = rows->map.modes ? rows->map.hunks : rows->diff->hunks;
	return rows->map.modes ? rows->map.hunk_count : rows->diff->hunk_count;
}

static size_t files(void *user, const uint32_t **out)
{
	const struct at_diff_rows *rows = user;

	*out = rows->map.modes ? rows->map.files : rows->diff->files;
	return rows->map.modes ? rows->map.file_count : rows->diff->file_count;
}

static bool aside(void *user, int by, size_t from, size_t to)
{
	struct at_diff_rows *rows = user;
	int most = 0;

	if (!at_diff_rows_are(rows, AT_DIFF_SIDES))
		return false;
	for (size_t row = from; row < to; row++) {
		int over = diff_draw_over(rows, row);

		most = over > most ? over : most;
	}
	rows->left += by;
	if (rows->left > most)
		rows->left = most;
	if (rows->left < 0)
		rows->left = 0;
	return true;
}

struct at_pager_source at_diff_rows_source(struct at_diff_rows *rows)
{
	return (struct at_pager_source){ .user = rows,
		.count = count,
		.row = fill,
		.text = text,
		.flat = flat,
		.settled = settled,
		.hunks = hunks,
		.files = files,
		.aside = aside };
}
