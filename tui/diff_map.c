#include "tui/diff_map.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

#define LOOK_AROUND 65536 /* rows */
#define FOLD_LEAST 2 /* one line takes no more room than its fold */

void at_diff_map_free(struct at_diff_map *map)
{
	free(map->rows);
	free(map->hunks);
	free(map->files);
	free(map->opened);
	*map = (struct at_diff_map){ 0 };
}

void at_diff_map_reset(struct at_diff_map *map, unsigned modes, bool forget)
{
	map->modes = modes;
	map->count = map->hunk_count = map->file_count = map->lines = 0;
	map->run_start = map->run_lines = map->block.end = 0;
	if (forget)
		map->opened_count = 0;
	if (!modes) { /* rows of a large diff take as much as its lines */
		free(map->rows);
		map->rows = NULL;
		map->cap = 0;
	}
}

void at_diff_map_open(struct at_diff_map *map, uint32_t line)
{
	map->opened =
		at_grow(map->opened, &map->opened_cap, map->opened_count, sizeof(*map->opened));
	map->opened[map->opened_count++] = line;
}

static bool is_opened(const struct at_diff_map *map, uint32_t line)
{
	for (size_t i = 0; i < map->opened_count; i++) {
		if (map->opened[i] == line)
			return true;
	}
	return false;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

bool at_diff_same_but_space(struct at_bytes a, struct at_bytes b)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (i < a.len && is_space(a.data[i]))
			i++;
		while (k < b.len && is_space(b.data[k]))
			k++;
		if (i == a.len || k == b.len)
			return i == a.len && k == b.len;
		if (a.data[i++] != b.data[k++])
			return false;
	}
}

static void push(struct at_diff_map *map, enum at_diff_row_kind kind, size_t a, size_t b)
{
	map->rows = at_grow(map->rows, &map->cap, map->count, sizeof(*map->rows));
	map->rows[map->count++] = (struct at_diff_map_row){ (uint32_t)a & AT_NO_LINE,
		(uint32_t)kind & 3u, (uint32_t)b };
}

/* The unchanged rows at the end become one, unless they are few or were opened. */
static void end_run(struct at_diff_map *map)
{
	if (map->run_lines >= FOLD_LEAST && !is_opened(map, map->rows[map->run_start].a)) {
		map->count = map->run_start;
		push(map, AT_ROW_FOLD, map->rows[map->run_start].a, map->run_lines);
	}
	map->run_lines = 0;
}

static void put_same(struct at_diff_map *map, enum at_diff_row_kind kind, size_t a, size_t b)
{
	if (map->modes & AT_DIFF_FOLDED) {
		if (!map->run_lines)
			map->run_start = map->count;
		map->run_lines++;
	}
	push(map, kind, a, b);
}

/* Lines of a change: [a, a_end) of the old side, [b, b_end) of the new one. */
static void put_changed(struct at_diff_map *map, size_t a, size_t a_end, size_t b, size_t b_end)
{
	if (a == a_end && b == b_end)
		return;
	end_run(map);
	if (!(map->modes & AT_DIFF_SIDES)) {
		for (; a < a_end; a++)
			push(map, AT_ROW_LINE, a, 0);
		for (; b < b_end; b++)
			push(map, AT_ROW_LINE, b, 0);
		return;
	}
	for (; a < a_end || b < b_end; a++, b++)
		push(map, AT_ROW_PAIR, a < a_end ? a : AT_NO_LINE, b < b_end ? b : AT_NO_LINE);
}

static bool is_space_change(const struct at_diff *diff, size_t a, size_t b)
{
	return diff->lines[a].kind == AT_DIFF_REMOVED && diff->lines[b].kind == AT_DIFF_ADDED
		&& at_diff_same_but_space(at_diff_text(diff, a), at_diff_text(diff, b));
}

static void begin_block(struct at_diff_map *map, size_t middle, size_t end)
{
	size_t start = map->lines;

	map->block = (struct at_diff_block){ .middle = middle,
		.end = end,
		.has_tail = middle - start == end - middle,
		.a = start,
		.b = middle,
		.from = start,
		.other = middle };
}

/* Compares pairs from the back, in blocks that are not equally long, and then from the front, as
 * long as there is a budget of lines. True at its end. */
static bool put_block(struct at_diff_map *map, const struct at_diff *diff, size_t *budget)
{
	struct at_diff_block *k = &map->block;

	if (!(map->modes & AT_DIFF_NO_SPACE)) {
		put_changed(map, k->a, k->middle, k->b, k->end);
		return true;
	}
	for (; !k->has_tail && *budget; (*budget)--) {
		k->has_tail = k->middle - k->tail == k->a || k->end - k->tail == k->b
			|| !is_space_change(diff, k->middle - 1 - k->tail, k->end - 1 - k->tail);
		k->tail += !k->has_tail;
	}
	for (; k->a < k->middle - k->tail && k->b < k->end - k->tail; k->a++, k->b++) {
		if (!*budget)
			return false;
		(*budget)--;
		if (!is_space_change(diff, k->a, k->b))
			continue;
		put_changed(map, k->from, k->a, k->other, k->b);
		put_same(map, AT_ROW_SPACE, k->a, k->b);
		k->from = k->a + 1;
		k->other = k->b + 1;
	}
	if (!k->has_tail)
		return false;
	put_changed(map, k->from, k->middle - k->tail, k->other, k->end - k->tail);
	for (size_t i = k->tail; i > 0; i--)
		put_same(map, AT_ROW_SPACE, k->middle - i, k->end - i);
	return true;
}

/* Lines of one side from `at` on, with the word on a newline that is missing. */
static size_t side_end(const struct at_diff *diff, size_t at, enum at_diff_kind kind)
{
	size_t start = at;

	while (at < diff->count && diff->lines[at].kind == kind)
		at++;
	return at > start && at < diff->count && diff->lines[at].kind == AT_DIFF_NO_EOL ? at + 1
											: at;
}

static void put_stop(uint32_t **rows, size_t *cap, size_t *count, size_t row)
{
	*rows = at_grow(*rows, cap, *count, sizeof(**rows));
	(*rows)[(*count)++] = (uint32_t)row;
}

static void put_line(struct at_diff_map *map, const struct at_diff *diff, size_t line)
{
	enum at_diff_kind kind = diff->lines[line].kind;

	if (kind == AT_DIFF_SAME) {
		if (map->modes & AT_DIFF_SIDES)
			put_same(map, AT_ROW_PAIR, line, line);
		else
			put_same(map, AT_ROW_LINE, line, 0);
		return;
	}
	end_run(map);
	if (kind == AT_DIFF_HUNK)
		put_stop(&map->hunks, &map->hunk_cap, &map->hunk_count, map->count);
	if (kind == AT_DIFF_FILE)
		put_stop(&map->files, &map->file_cap, &map->file_count, map->count);
	push(map, AT_ROW_LINE, line, 0);
}

/* A line that is in no block, or the beginning of one. False when it may go on in what is not
 * read yet. */
static bool put_next(struct at_diff_map *map, const struct at_diff *diff, bool end)
{
	size_t middle = side_end(diff, map->lines, AT_DIFF_REMOVED);
	size_t last = side_end(diff, middle, AT_DIFF_ADDED);

	if (last == map->lines)
		put_line(map, diff, map->lines++);
	else if (last == diff->count && !end)
		return false;
	else
		begin_block(map, middle, last);
	return true;
}

bool at_diff_map_some(struct at_diff_map *map, const struct at_diff *diff, bool end, size_t most)
{
	if (!map->modes)
		return true;
	while (map->lines < diff->count) {
		size_t from = map->lines;

		if (!most)
			return false;
		if (!map->block.end && !put_next(map, diff, end))
			return true;
		if (map->block.end) {
			if (!put_block(map, diff, &most))
				return false;
			map->lines = map->block.end;
			map->block.end = 0;
		}
		most -= most < map->lines - from ? most : map->lines - from;
	}
	if (end)
		end_run(map);
	return true;
}

void at_diff_map_grow(struct at_diff_map *map, const struct at_diff *diff, bool end)
{
	at_diff_map_some(map, diff, end, SIZE_MAX);
}

static void shift(uint32_t *stops, size_t count, size_t after, size_t by)
{
	while (count > 0 && stops[count - 1] > after)
		stops[--count] += (uint32_t)by;
}

size_t at_diff_map_done(const struct at_diff_map *map)
{
	const struct at_diff_block *k = &map->block;

	return k->end ? k->a + k->b - k->middle + 2 * k->tail : map->lines;
}

/* The rows that a fold at `line` stands for, from `first` of `part` on. */
static bool rows_of_fold(struct at_diff_map *part, const struct at_diff *diff, size_t line,
	size_t count, size_t *first, size_t most)
{
	part->lines = line;
	while (diff->lines[line].kind == AT_DIFF_REMOVED && part->lines > 0
		&& diff->lines[part->lines - 1].kind == AT_DIFF_REMOVED) {
		if (line - --part->lines > most)
			return false;
	}
	for (*first = 0; part->count < *first + count; most--) {
		if (!most)
			return false;
		at_diff_map_some(part, diff, true, 1);
		while (*first < part->count && part->rows[*first].a != line)
			++*first;
	}
	return true;
}

/* They are those that there would be without folds: only the block that the fold begins in is
 * mapped again, and what follows up to its end. */
bool at_diff_map_unfold(
	struct at_diff_map *map, const struct at_diff *diff, size_t row, size_t most)
{
	size_t line = map->rows[row].a, count = map->rows[row].b, first,
	       rest = map->count - row - 1;
	struct at_diff_map part = { .modes = map->modes & ~(unsigned)AT_DIFF_FOLDED };

	if (!part.modes) /* then unchanged lines alone are folded, which this leaves as they are */
		part.modes = AT_DIFF_NO_SPACE;
	if (count > most || !rows_of_fold(&part, diff, line, count, &first, most)) {
		at_diff_map_free(&part);
		return false;
	}
	at_diff_map_open(map, (uint32_t)line);
	while (map->cap < map->count + count)
		map->rows = at_grow(map->rows, &map->cap, map->cap, sizeof(*map->rows));
	memmove(map->rows + row + count, map->rows + row + 1, rest * sizeof(*map->rows));
	memcpy(map->rows + row, part.rows + first, count * sizeof(*map->rows));
	map->count += count - 1;
	map->run_start += map->run_start > row ? count - 1 : 0;
	shift(map->hunks, map->hunk_count, row, count - 1);
	shift(map->files, map->file_count, row, count - 1);
	at_diff_map_free(&part);
	return true;
}

size_t at_diff_map_line(const struct at_diff_map *map, size_t row)
{
	const struct at_diff_map_row *r;

	if (row >= map->count)
		return map->lines;
	r = &map->rows[row];
	return r->kind == AT_ROW_PAIR && r->a == AT_NO_LINE ? r->b : r->a;
}

static bool shows(const struct at_diff_map *map, size_t row, size_t line)
{
	const struct at_diff_map_row *r;

	if (row >= map->count)
		return false;
	r = &map->rows[row];
	if (r->kind == AT_ROW_FOLD)
		return r->a <= line && line < at_diff_map_line(map, row + 1);
	return r->a == line || (r->kind != AT_ROW_LINE && r->b == line);
}

/* Rows ascend by line but inside a block, where the old lines stand beside the new ones: the
 * search ends in the right block, and the row is near. */
size_t at_diff_map_row(const struct at_diff_map *map, size_t line)
{
	size_t low = 0, high = map->count, near;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (at_diff_map_line(map, middle) <= line)
			low = middle + 1;
		else
			high = middle;
	}
	near = low ? low - 1 : 0;
	for (size_t off = 0; off < LOOK_AROUND && (off <= near || near + off < map->count); off++) {
		if (off <= near && shows(map, near - off, line))
			return near - off;
		if (shows(map, near + off, line))
			return near + off;
	}
	return near;
}
