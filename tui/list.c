#include "tui/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

static size_t count_of(const struct at_list *list)
{
	return list->source.count(list->source.user);
}

static bool is_heading(const struct at_list *list, size_t row)
{
	return list->source.is_heading && list->source.is_heading(list->source.user, row);
}

bool at_list_is_filtered(const struct at_list *list)
{
	return list->filter.text.len > 0;
}

static size_t shown_of(const struct at_list *list)
{
	return at_list_is_filtered(list) ? list->shown_count : count_of(list);
}

static size_t row_at(const struct at_list *list, size_t shown)
{
	return at_list_is_filtered(list) ? list->shown[shown] : shown;
}

/* Where a row stands among those shown, or where it would. */
static size_t place_of(const struct at_list *list, size_t row)
{
	size_t low = 0, high = list->shown_count;

	if (!at_list_is_filtered(list))
		return row;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->shown[middle] < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool at_list_is_shown(const struct at_list *list, size_t row)
{
	size_t at = place_of(list, row);

	return at < shown_of(list) && row_at(list, at) == row;
}

void at_list_init(struct at_list *list, const struct at_list_source *source)
{
	*list = (struct at_list){ .source = *source };
	at_list_refresh(list);
}

void at_list_free(struct at_list *list)
{
	at_search_clear(&list->search);
	at_search_clear(&list->filter);
	at_buf_free(&list->filter_before);
	free(list->shown);
}

/* The nearest shown row that is no heading, in the direction asked or else in the other. */
static size_t land(const struct at_list *list, size_t shown, bool forward)
{
	size_t count = shown_of(list);

	for (int turn = 0; turn < 2; turn++, forward = !forward) {
		size_t at = shown;

		while (at < count && is_heading(list, row_at(list, at))) {
			if (!forward && at == 0)
				break;
			at = forward ? at + 1 : at - 1;
		}
		if (at < count && !is_heading(list, row_at(list, at)))
			return at;
	}
	return shown;
}

/* Headings alone stand above the first row: the list begins with them. */
static bool is_first(const struct at_list *list, size_t shown)
{
	while (shown-- > 0) {
		if (!is_heading(list, row_at(list, shown)))
			return false;
	}
	return true;
}

static void keep_in_sight(struct at_list *list)
{
	size_t height = list->height > 0 ? (size_t)list->height : 1, count = shown_of(list);
	size_t cursor = list->cursor == AT_LIST_NONE ? 0 : place_of(list, list->cursor);

	if (cursor < list->top)
		list->top = cursor;
	/* A heading right above the cursor belongs to it. */
	if (list->top && list->top == cursor && height > 1
		&& is_heading(list, row_at(list, list->top - 1)))
		list->top--;
	if (cursor < height && is_first(list, cursor))
		list->top = 0;
	if (cursor >= list->top + height)
		list->top = cursor - height + 1;
	if (list->top + height > count)
		list->top = count > height ? count - height : 0;
}

/* To a place among the rows shown. */
static void go(struct at_list *list, size_t shown, bool forward)
{
	size_t count = shown_of(list);

	if (!count) {
		list->cursor = at_list_is_filtered(list) ? AT_LIST_NONE : 0;
		list->top = 0;
		return;
	}
	list->cursor = row_at(list, land(list, shown < count ? shown : count - 1, forward));
	keep_in_sight(list);
}

void at_list_go(struct at_list *list, size_t row)
{
	go(list, place_of(list, row), true);
}

void at_list_layout(struct at_list *list, int width, int height)
{
	list->width = width;
	list->height = height;
	keep_in_sight(list);
}

static void move(struct at_list *list, long by)
{
	size_t count = shown_of(list);
	long to = list->cursor == AT_LIST_NONE ? 0 : (long)place_of(list, list->cursor) + by;

	to = to < 0 ? 0 : to >= (long)count ? (long)count - 1 : to;
	go(list, to < 0 ? 0 : (size_t)to, by > 0);
}

/* For search: one line, kept between calls. */
struct reader {
	const struct at_list *list;
	struct at_line line;
};

static struct at_bytes row_text(void *user, size_t row)
{
	struct reader *reader = user;
	const struct at_list_source *source = &reader->list->source;

	at_line_clear(&reader->line);
	source->row(source->user, row, &reader->line);
	return at_buf_bytes(&reader->line.spans.text);
}

static void run(const struct at_list *list, struct at_search *search, struct at_bytes text)
{
	struct reader reader = { .list = list };
	const struct at_search_source source = {
		.user = &reader, .count = count_of(list), .text = row_text
	};

	at_search_run(search, text, &source);
	at_line_free(&reader.line);
}

/* Matches that the filter leaves out are not gone to. */
static void search(struct at_list *list, struct at_bytes text)
{
	struct at_search_part *found = &list->search.below;
	size_t kept = 0;

	run(list, &list->search, text);
	for (size_t i = 0; i < found->count; i++) {
		if (at_list_is_shown(list, found->rows[i]))
			found->rows[kept++] = found->rows[i];
	}
	found->count = kept;
}

static void search_again(struct at_list *list)
{
	struct at_buf text = { 0 };

	if (!list->search.text.len)
		return;
	at_buf_put(&text, list->search.text.data, list->search.text.len);
	search(list, at_buf_bytes(&text));
	at_buf_free(&text);
}

static void show(struct at_list *list, size_t row)
{
	list->shown =
		at_grow(list->shown, &list->shown_cap, list->shown_count, sizeof(*list->shown));
	list->shown[list->shown_count++] = row;
}

static void run_filter(struct at_list *list, struct at_bytes text)
{
	const struct at_search_part *found = &list->filter.below;
	size_t count = count_of(list), next = 0, heading = AT_LIST_NONE;

	run(list, &list->filter, text);
	list->shown_count = 0;
	for (size_t row = 0; row < count && found->count; row++) {
		bool matches = next < found->count && found->rows[next] == row;

		next += matches;
		if (is_heading(list, row)) {
			heading = row;
			continue;
		}
		if (!matches)
			continue;
		if (heading != AT_LIST_NONE)
			show(list, heading);
		heading = AT_LIST_NONE;
		show(list, row);
	}
	search_again(list);
}

void at_list_filter(struct at_list *list, struct at_bytes text)
{
	size_t row = list->cursor == AT_LIST_NONE ? list->origin : list->cursor;

	run_filter(list, text);
	at_list_go(list, row);
}

void at_list_refresh(struct at_list *list)
{
	struct at_buf text = { 0 };
	size_t row = list->cursor == AT_LIST_NONE ? list->origin : list->cursor;

	if (at_list_is_filtered(list)) {
		at_buf_put(&text, list->filter.text.data, list->filter.text.len);
		run_filter(list, at_buf_bytes(&text));
		at_buf_free(&text);
	}
	at_list_go(list, row);
}

void at_list_filter_status(const struct at_list *list, char *out, size_t size)
{
	size_t all = 0, shown = 0, count = count_of(list);

	out[0] = '\0';
	if (!at_list_is_filtered(list))
		return;
	for (size_t i = 0; i < count; i++)
		all += !is_heading(list, i);
	for (size_t i = 0; i < list->shown_count; i++)
		shown += !is_heading(list, list->shown[i]);
	snprintf(out, size, "[filter: %.40s] %zu/%zu", at_buf_text(&list->filter.text), shown, all);
}

static void ask_filter(struct at_list *list, struct at_fx *fx)
{
	const struct at_ask ask = {
		.id = AT_ASK_FILTER, .title = "Filter", .value = at_buf_text(&list->filter.text)
	};

	if (list->cursor != AT_LIST_NONE)
		list->origin = list->cursor;
	list->filter_before.len = 0;
	at_buf_put(&list->filter_before, at_buf_text(&list->filter.text), list->filter.text.len);
	at_fx_prompt(fx, &ask);
}

/* Narrows while it is typed; from where the cursor was, so that it comes back to it. */
static void filter_event(struct at_list *list, const struct at_event *event, struct at_fx *fx)
{
	char status[96];

	if (event->kind == AT_EVENT_ANSWER && !event->yes)
		run_filter(list, at_buf_bytes(&list->filter_before));
	else
		run_filter(list, event->text);
	at_list_go(list, list->origin);
	if (event->kind == AT_EVENT_ANSWER && event->yes && !list->shown_count
		&& at_list_is_filtered(list))
		at_fx_message(fx, "No row has that text: f changes the filter.");
	else if (event->kind == AT_EVENT_ANSWER && event->yes) {
		at_list_filter_status(list, status, sizeof(status));
		at_fx_message(fx, "%s", *status ? status : "Every row is shown.");
	}
}

static void step(struct at_list *list, size_t from, bool forward, struct at_fx *fx)
{
	bool wrapped;
	size_t row = at_search_step(
		&list->search, list->search.below.next, from, forward, &wrapped);

	if (row != AT_SEARCH_NONE)
		at_list_go(list, row);
	at_search_tell(&list->search, row, wrapped, AT_SEARCH_ALL, fx);
}

enum at_take at_list_act(struct at_list *list, enum at_action action, struct at_fx *fx)
{
	long page = list->height > 1 ? list->height - 1 : 1;

	switch (action) {
	case AT_DO_MOVE_DOWN:
		move(list, 1);
		return AT_TAKEN;
	case AT_DO_MOVE_UP:
		move(list, -1);
		return AT_TAKEN;
	case AT_DO_PAGE_DOWN:
		move(list, page);
		return AT_TAKEN;
	case AT_DO_PAGE_UP:
		move(list, -page);
		return AT_TAKEN;
	case AT_DO_FIRST:
		list->top = 0;
		go(list, 0, true);
		return AT_TAKEN;
	case AT_DO_LAST:
		go(list, (size_t)-1, false);
		return AT_TAKEN;
	case AT_DO_SEARCH:
		if (list->cursor != AT_LIST_NONE)
			list->origin = list->cursor;
		at_search_ask(fx);
		return AT_TAKEN;
	case AT_DO_FILTER:
		ask_filter(list, fx);
		return AT_TAKEN;
	case AT_DO_SEARCH_NEXT:
		step(list, list->cursor + 1, true, fx);
		return AT_TAKEN;
	case AT_DO_SEARCH_PREV:
		step(list, list->cursor, false, fx);
		return AT_TAKEN;
	default:
		return AT_PASS;
	}
}

enum at_take at_list_event(struct at_list *list, const struct at_event *event, struct at_fx *fx)
{
	if (event->id == AT_ASK_FILTER
		&& (event->kind == AT_EVENT_TYPED || event->kind == AT_EVENT_ANSWER)) {
		filter_event(list, event, fx);
		return AT_TAKEN;
	}
	switch (event->kind) {
	case AT_EVENT_TYPED:
		if (event->id != AT_ASK_SEARCH)
			return AT_PASS;
		search(list, event->text);
		if (at_search_count(&list->search))
			step(list, list->origin, true, fx);
		else
			at_list_go(list, list->origin);
		return AT_TAKEN;
	case AT_EVENT_ANSWER:
		if (event->id != AT_ASK_SEARCH)
			return AT_PASS;
		if (event->yes) {
			search(list, event->text);
			step(list, list->origin, true, fx);
		} else {
			at_search_clear(&list->search);
			at_list_go(list, list->origin);
		}
		return AT_TAKEN;
	case AT_EVENT_GO:
		at_list_go(list, event->row);
		return list->cursor == event->row ? AT_TAKEN : AT_PASS;
	case AT_EVENT_MOUSE:
		if (event->button == 64 || event->button == 65)
			move(list, event->button == 64 ? -3 : 3);
		else if (event->button == 0 && event->yes && event->y >= 0)
			go(list, list->top + (size_t)event->y, true);
		return AT_TAKEN;
	default:
		return AT_PASS;
	}
}

static void paint_row(const struct at_list *list, const struct at_canvas *canvas, int y, size_t row,
	struct at_line *line, bool focused)
{
	bool here = row == list->cursor && !is_heading(list, row);
	struct at_rect rest = { 2, y, canvas->at.width - 2, 1 };
	struct at_canvas part = at_canvas_part(canvas, rest);

	at_line_clear(line);
	list->source.row(list->source.user, row, line);
	if (is_heading(list, row)) {
		at_line_paint(line, canvas, y, 0, true);
		return;
	}
	at_line_paint(line, &part, 0, 0, true);
	at_canvas_text(canvas, 0, y, here ? "> " : "  ", AT_STYLE_NORMAL);
	if (here)
		at_canvas_restyle(canvas, 0, y, canvas->at.width,
			focused ? AT_STYLE_SELECTED : AT_STYLE_SELECTED_FAR);
	at_search_highlight(&list->search, line, &part, 0, 0);
}

void at_list_paint(const struct at_list *list, const struct at_canvas *canvas, bool focused)
{
	struct at_line line = { .ascii = canvas->grid->ascii };
	size_t count = shown_of(list);

	for (int y = 0; y < canvas->at.height; y++) {
		if (list->top + (size_t)y < count)
			paint_row(list, canvas, y, row_at(list, list->top + (size_t)y), &line,
				focused);
		else
			at_canvas_fill_row(canvas, y, AT_STYLE_NORMAL);
	}
	at_line_free(&line);
}
