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

static bool remap(struct at_diff_rows *rows, bool forget)
{
	unsigned modes = rows->wants;

	if (rows->width < AT_DIFF_SIDES_FROM)
		modes &= ~(unsigned)AT_DIFF_SIDES;
	if (!forget && modes == rows->map.modes)
		return false;
	if (!(modes & AT_DIFF_SIDES))
		rows->left = 0;
	at_diff_map_reset(&rows->map, modes, forget);
	at_diff_map_grow(&rows->map, rows->diff, rows->ended);
	return true;
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
	at_diff_map_open(&rows->map, rows->map.rows[row].a);
	at_diff_map_reset(&rows->map, rows->map.modes, false);
	at_diff_map_grow(&rows->map, rows->diff, rows->ended);
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
		.hunks = hunks,
		.files = files,
		.aside = aside };
}
