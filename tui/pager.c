#include "tui/pager.h"

#include <stdio.h>

#define SIDE_STEP 8

static size_t count_of(const struct at_pager *pager)
{
	return pager->source.count(pager->source.user);
}

void at_pager_init(struct at_pager *pager, const struct at_pager_source *source)
{
	*pager = (struct at_pager){ .source = *source, .width = 1, .height = 1 };
}

void at_pager_free(struct at_pager *pager)
{
	at_search_clear(&pager->search);
}

static void fetch(const struct at_pager *pager, size_t row, struct at_line *line)
{
	at_line_clear(line);
	line->tab = pager->tab;
	pager->source.row(pager->source.user, row, line);
}

/* Screen rows of one row. */
static long rows_of(const struct at_pager *pager, size_t row)
{
	struct at_line line = { 0 };
	long rows;

	if (!pager->wrap)
		return 1;
	fetch(pager, row, &line);
	rows = at_line_rows(&line, pager->width);
	at_line_free(&line);
	return rows;
}

/* The highest top at which the last row is still at the bottom, with the cells of it above. */
static void last_top(const struct at_pager *pager, size_t *top, int *skip)
{
	size_t row = count_of(pager);
	long left = pager->height;
	struct at_line line = { 0 };

	*skip = 0;
	while (row > 0 && left > 0)
		left -= rows_of(pager, --row);
	*top = row;
	if (left < 0) { /* the row is cut at the top */
		fetch(pager, row, &line);
		while (left++ < 0 && at_line_next(&line, pager->width, *skip) >= 0)
			*skip = at_line_next(&line, pager->width, *skip);
	}
	at_line_free(&line);
}

static void keep_inside(struct at_pager *pager)
{
	size_t top;
	int skip;

	/* Far from the end nothing can be beyond it. */
	if (pager->top + (size_t)pager->height < count_of(pager))
		return;
	last_top(pager, &top, &skip);
	if (pager->top > top || (pager->top == top && pager->skip > skip)) {
		pager->top = top;
		pager->skip = skip;
	}
}

void at_pager_go(struct at_pager *pager, size_t row)
{
	pager->top = row;
	pager->skip = 0;
	keep_inside(pager);
}

void at_pager_layout(struct at_pager *pager, int width, int height)
{
	if (width != pager->width)
		pager->skip = 0;
	pager->width = width < 1 ? 1 : width;
	pager->height = height < 1 ? 1 : height;
	keep_inside(pager);
}

static void down_one(struct at_pager *pager)
{
	struct at_line line = { 0 };
	int next = -1;

	if (pager->wrap && pager->top < count_of(pager)) {
		fetch(pager, pager->top, &line);
		next = at_line_next(&line, pager->width, pager->skip);
	}
	if (next < 0)
		pager->top++;
	pager->skip = next < 0 ? 0 : next;
	at_line_free(&line);
}

static void up_one(struct at_pager *pager)
{
	struct at_line line = { 0 };
	int target = pager->skip, at = 0, next;

	if (!pager->skip) {
		if (!pager->top)
			return;
		pager->top--;
		target = pager->wrap ? 1 << 30 : 0;
	}
	if (target) {
		fetch(pager, pager->top, &line);
		while ((next = at_line_next(&line, pager->width, at)) >= 0 && next < target)
			at = next;
	}
	pager->skip = at;
	at_line_free(&line);
}

static void scroll(struct at_pager *pager, int by)
{
	if (!pager->wrap) {
		if (by < 0)
			pager->top -= (size_t)-by < pager->top ? (size_t)-by : pager->top;
		else
			pager->top += (size_t)by;
		keep_inside(pager);
		return;
	}
	for (; by > 0; by--)
		down_one(pager);
	for (; by < 0; by++)
		up_one(pager);
	keep_inside(pager);
}

/* No further right than the widest row on the screen needs. */
static void aside(struct at_pager *pager, int by)
{
	struct at_line line = { 0 };
	size_t count = count_of(pager);
	int most = 0;

	if (pager->source.aside
		&& pager->source.aside(pager->source.user, by, pager->top, at_pager_bottom(pager)))
		return;
	for (int i = 0; i < pager->height && pager->top + (size_t)i < count; i++) {
		int over;

		fetch(pager, pager->top + (size_t)i, &line);
		over = (int)(line.spans.width - line.held) - at_line_room(&line, pager->width);
		most = over > most ? over : most;
	}
	at_line_free(&line);
	pager->left += by;
	if (pager->left > most)
		pager->left = most;
	if (pager->left < 0 || pager->wrap)
		pager->left = 0;
}

typedef size_t stops(void *user, const uint32_t **rows);

static size_t stops_of(const struct at_pager *pager, stops *of, const uint32_t **rows)
{
	return of ? of(pager->source.user, rows) : 0;
}

/* How many of `rows` are before `row`. */
static size_t rank(const uint32_t *rows, size_t count, size_t row)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows[middle] < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The stop at or above the top, from 1; the first one where there is none above. */
static size_t stop_at_top(const struct at_pager *pager, stops *of, size_t *count)
{
	const uint32_t *rows;
	size_t at;

	*count = stops_of(pager, of, &rows);
	at = *count ? rank(rows, *count, pager->top + 1) : 0;
	return at ? at : *count > 0;
}

size_t at_pager_hunk(const struct at_pager *pager, size_t *count)
{
	return stop_at_top(pager, pager->source.hunks, count);
}

size_t at_pager_file(const struct at_pager *pager, size_t *count)
{
	return stop_at_top(pager, pager->source.files, count);
}

static void go_stop(
	struct at_pager *pager, stops *of, const char *name, bool forward, struct at_fx *fx)
{
	const uint32_t *rows;
	size_t count = stops_of(pager, of, &rows), at, was = pager->top;

	if (!count) {
		at_fx_message(fx, "There are no %ss here.", name);
		return;
	}
	at = rank(rows, count, forward ? pager->top + 1 : pager->top);
	if (forward ? at == count : at == 0) {
		at_fx_message(fx, "This is the %s %s.", forward ? "last" : "first", name);
		return;
	}
	at_pager_go(pager, rows[forward ? at : at - 1]);
	if (forward && pager->top == was)
		at_fx_message(fx, "Every %s further on is on the screen.", name);
}

struct reader {
	const struct at_pager *pager;
	struct at_line line;
};

static struct at_bytes row_text(void *user, size_t row)
{
	struct reader *reader = user;
	const struct at_pager_source *source = &reader->pager->source;

	if (source->text)
		return source->text(source->user, row);
	fetch(reader->pager, row, &reader->line);
	return at_buf_bytes(&reader->line.spans.text);
}

/* Rows that a search may look at. */
static size_t settled_of(const struct at_pager *pager)
{
	return pager->source.settled ? pager->source.settled(pager->source.user) : count_of(pager);
}

static struct at_bytes row_flat(void *user, size_t row)
{
	const struct at_pager_source *source = &((struct reader *)user)->pager->source;

	return source->flat(source->user, row);
}

static void search_some(struct at_pager *pager)
{
	struct reader reader = { .pager = pager };
	const struct at_search_source source = { .user = &reader,
		.count = settled_of(pager),
		.text = row_text,
		.flat = pager->source.flat ? row_flat : NULL };

	at_search_more(&pager->search, &source, pager->slice ? pager->slice : SIZE_MAX);
	at_line_free(&reader.line);
}

/* From where one looks on, so that the nearest match is found first. */
static size_t search_start(const struct at_pager *pager, size_t row)
{
	size_t count = settled_of(pager);

	return !pager->slice ? 0 : row < count ? row : count;
}

static void search(struct at_pager *pager, struct at_bytes text)
{
	if (!pager->slice) /* nobody tells of rows that changed: what was found is no help */
		pager->search.text.len = 0;
	at_search_start(&pager->search, text, search_start(pager, pager->origin));
	pager->seeking = pager->counting = false;
	search_some(pager);
}

void at_pager_refresh(struct at_pager *pager)
{
	keep_inside(pager);
	if (!pager->search.text.len)
		return;
	at_search_restart(&pager->search, search_start(pager, pager->top)); /* by row numbers */
	search_some(pager);
}

void at_pager_grown(struct at_pager *pager, bool end)
{
	pager->growing = !end;
	keep_inside(pager);
}

/* Rows that a search is about: without slices those that there were when it was made. */
static size_t searched_of(const struct at_pager *pager)
{
	return pager->slice ? settled_of(pager) : pager->search.below.next;
}

static bool is_searching(const struct at_pager *pager)
{
	return !at_search_is_done(&pager->search, searched_of(pager));
}

bool at_pager_is_busy(const struct at_pager *pager)
{
	return is_searching(pager) || (pager->seeking && !pager->growing);
}

static enum at_search_state search_state(const struct at_pager *pager)
{
	if (is_searching(pager))
		return AT_SEARCH_PART;
	return pager->growing ? AT_SEARCH_GROWING : AT_SEARCH_ALL;
}

static size_t next_match(const struct at_pager *pager, bool *wrapped)
{
	return at_search_step(&pager->search, searched_of(pager), pager->seek_from,
		pager->seek_forward, wrapped);
}

static void step(struct at_pager *pager, size_t from, bool forward, struct at_fx *fx)
{
	size_t row;

	pager->seek_forward = forward;
	pager->seek_from = from;
	row = next_match(pager, &pager->wrapped);
	pager->seeking = row == AT_SEARCH_LATER
		|| (row == AT_SEARCH_NONE && pager->growing && pager->search.text.len);
	if (row < AT_SEARCH_LATER) {
		pager->found = row;
		at_pager_go(pager, row);
	}
	pager->counting = row < AT_SEARCH_LATER && is_searching(pager);
	at_search_tell(&pager->search, row, pager->wrapped, search_state(pager), fx);
}

bool at_pager_work(struct at_pager *pager, struct at_fx *fx)
{
	bool wrapped;
	size_t row;

	if (!at_pager_is_busy(pager))
		return false;
	search_some(pager);
	row = next_match(pager, &wrapped);
	if (pager->seeking && (row < AT_SEARCH_LATER || (row == AT_SEARCH_NONE && !pager->growing)))
		step(pager, pager->seek_from, pager->seek_forward, fx);
	if (pager->counting && !is_searching(pager)) {
		at_search_tell(
			&pager->search, pager->found, pager->wrapped, search_state(pager), fx);
		pager->counting = false;
	}
	return at_pager_is_busy(pager);
}

void at_pager_progress(const struct at_pager *pager, char *out, size_t size)
{
	size_t count = settled_of(pager), left = at_search_left(&pager->search, count);

	snprintf(out, size, "searching, %zu%%", count ? (count - left) * 100 / count : 100);
}

/* Near the end the top stays above what was found, so that counts as long as it is seen. */
static size_t search_from(const struct at_pager *pager)
{
	if (pager->found > pager->top && pager->found < at_pager_bottom(pager))
		return pager->found;
	return pager->top;
}

enum at_take at_pager_act(struct at_pager *pager, enum at_action action, struct at_fx *fx)
{
	int page = pager->height > 1 ? pager->height - 1 : 1;

	pager->seeking = pager->counting = false; /* who does something else waits no longer */
	switch (action) {
	case AT_DO_MOVE_DOWN:
		scroll(pager, 1);
		return AT_TAKEN;
	case AT_DO_MOVE_UP:
		scroll(pager, -1);
		return AT_TAKEN;
	case AT_DO_PAGE_DOWN:
		scroll(pager, page);
		return AT_TAKEN;
	case AT_DO_PAGE_UP:
		scroll(pager, -page);
		return AT_TAKEN;
	case AT_DO_MOVE_LEFT:
		aside(pager, -SIDE_STEP);
		return AT_TAKEN;
	case AT_DO_MOVE_RIGHT:
		aside(pager, SIDE_STEP);
		return AT_TAKEN;
	case AT_DO_FIRST:
		at_pager_go(pager, 0);
		return AT_TAKEN;
	case AT_DO_LAST:
		last_top(pager, &pager->top, &pager->skip);
		return AT_TAKEN;
	case AT_DO_NEXT_HUNK:
	case AT_DO_PREV_HUNK:
		go_stop(pager, pager->source.hunks, "hunk", action == AT_DO_NEXT_HUNK, fx);
		return AT_TAKEN;
	case AT_DO_NEXT_FILE:
	case AT_DO_PREV_FILE:
		go_stop(pager, pager->source.files, "file", action == AT_DO_NEXT_FILE, fx);
		return AT_TAKEN;
	case AT_DO_WRAP:
		pager->wrap = !pager->wrap;
		pager->left = pager->skip = 0;
		keep_inside(pager);
		at_fx_message(fx, pager->wrap ? "Long lines wrap." : "Long lines scroll sideways.");
		return AT_TAKEN;
	case AT_DO_SEARCH:
		pager->origin = pager->top;
		pager->origin_skip = pager->skip;
		at_search_ask(fx);
		return AT_TAKEN;
	case AT_DO_SEARCH_NEXT:
		step(pager, search_from(pager) + 1, true, fx);
		return AT_TAKEN;
	case AT_DO_SEARCH_PREV:
		step(pager, search_from(pager), false, fx);
		return AT_TAKEN;
	default:
		return AT_PASS;
	}
}

static void back_to_origin(struct at_pager *pager)
{
	pager->top = pager->origin;
	pager->skip = pager->origin_skip;
}

enum at_take at_pager_event(struct at_pager *pager, const struct at_event *event, struct at_fx *fx)
{
	if (event->kind == AT_EVENT_MOUSE && (event->button == 64 || event->button == 65)) {
		scroll(pager, event->button == 64 ? -3 : 3);
		return AT_TAKEN;
	}
	if ((event->kind != AT_EVENT_TYPED && event->kind != AT_EVENT_ANSWER)
		|| event->id != AT_ASK_SEARCH)
		return AT_PASS;
	back_to_origin(pager);
	if (event->kind == AT_EVENT_ANSWER && !event->yes) {
		at_search_clear(&pager->search);
		pager->seeking = pager->counting = false;
		return AT_TAKEN;
	}
	search(pager, event->text);
	if (!pager->search.text.len && event->kind == AT_EVENT_TYPED)
		return AT_TAKEN;
	if (at_search_count(&pager->search) || is_searching(pager)
		|| event->kind == AT_EVENT_ANSWER)
		step(pager, pager->origin, true, fx);
	return AT_TAKEN;
}

/* Walks over the rows on the screen; paints them when there is a canvas. */
static size_t walk(const struct at_pager *pager, const struct at_canvas *canvas, int height)
{
	struct at_line line = { .ascii = canvas && canvas->grid->ascii };
	size_t row = pager->top, count = count_of(pager);
	int y = 0, skip = pager->wrap ? pager->skip : pager->left;

	for (; y < height && row < count; row++, skip = pager->wrap ? 0 : pager->left) {
		fetch(pager, row, &line);
		do {
			if (canvas) {
				at_line_paint(&line, canvas, y, skip, !pager->wrap);
				at_search_highlight(&pager->search, &line, canvas, y, skip);
			}
			y++;
			skip = pager->wrap ? at_line_next(&line, pager->width, skip) : -1;
		} while (skip >= 0 && y < height);
	}
	for (; canvas && y < height; y++)
		at_canvas_fill_row(canvas, y, AT_STYLE_NORMAL);
	at_line_free(&line);
	return row;
}

void at_pager_paint(const struct at_pager *pager, const struct at_canvas *canvas)
{
	walk(pager, canvas, canvas->at.height);
}

size_t at_pager_bottom(const struct at_pager *pager)
{
	size_t count = count_of(pager), bottom = pager->top + (size_t)pager->height;

	if (!pager->wrap) /* a row each: none needs to be made */
		return bottom < count ? bottom : count;
	return walk(pager, NULL, pager->height);
}

void at_pager_status(const struct at_pager *pager, char *out, size_t size)
{
	size_t count = count_of(pager), bottom = at_pager_bottom(pager);

	if (!count)
		snprintf(out, size, "empty");
	else if (pager->top == 0 && !pager->skip && bottom == count)
		snprintf(out, size, "all");
	else
		snprintf(out, size, "lines %zu-%zu of %zu", pager->top + 1, bottom, count);
}
