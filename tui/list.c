#include "tui/list.h"

#include <string.h>

static size_t count_of(const struct at_list *list)
{
	return list->source.count(list->source.user);
}

static bool is_heading(const struct at_list *list, size_t row)
{
	return list->source.is_heading && list->source.is_heading(list->source.user, row);
}

void at_list_init(struct at_list *list, const struct at_list_source *source)
{
	*list = (struct at_list){ .source = *source };
	at_list_refresh(list);
}

void at_list_free(struct at_list *list)
{
	at_search_clear(&list->search);
}

/* The nearest row that is no heading, in the direction asked or else in the other. */
static size_t land(const struct at_list *list, size_t row, bool forward)
{
	size_t count = count_of(list);

	for (int turn = 0; turn < 2; turn++, forward = !forward) {
		size_t at = row;

		while (at < count && is_heading(list, at)) {
			if (!forward && at == 0)
				break;
			at = forward ? at + 1 : at - 1;
		}
		if (at < count && !is_heading(list, at))
			return at;
	}
	return row;
}

/* Headings alone stand above the first row: the list begins with them. */
static bool is_first(const struct at_list *list, size_t row)
{
	while (row-- > 0) {
		if (!is_heading(list, row))
			return false;
	}
	return true;
}

static void keep_in_sight(struct at_list *list)
{
	size_t height = list->height > 0 ? (size_t)list->height : 1, count = count_of(list);

	if (list->cursor < list->top)
		list->top = list->cursor;
	/* A heading right above the cursor belongs to it. */
	if (list->top && list->top == list->cursor && height > 1 && is_heading(list, list->top - 1))
		list->top--;
	if (list->cursor < height && is_first(list, list->cursor))
		list->top = 0;
	if (list->cursor >= list->top + height)
		list->top = list->cursor - height + 1;
	if (list->top + height > count)
		list->top = count > height ? count - height : 0;
}

static void go(struct at_list *list, size_t row, bool forward)
{
	size_t count = count_of(list);

	if (!count) {
		list->cursor = list->top = 0;
		return;
	}
	list->cursor = land(list, row < count ? row : count - 1, forward);
	keep_in_sight(list);
}

void at_list_go(struct at_list *list, size_t row)
{
	go(list, row, true);
}

void at_list_refresh(struct at_list *list)
{
	go(list, list->cursor, true);
}

void at_list_layout(struct at_list *list, int width, int height)
{
	list->width = width;
	list->height = height;
	keep_in_sight(list);
}

static void move(struct at_list *list, long by)
{
	size_t count = count_of(list);
	long to = (long)list->cursor + by;

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

static void search(struct at_list *list, struct at_bytes text)
{
	struct reader reader = { .list = list };

	at_search_run(&list->search, text, count_of(list), row_text, &reader);
	at_line_free(&reader.line);
}

static void step(struct at_list *list, size_t from, bool forward, struct at_fx *fx)
{
	bool wrapped;
	size_t row = at_search_step(&list->search, from, forward, &wrapped);

	if (row != AT_SEARCH_NONE)
		at_list_go(list, row);
	at_search_tell(&list->search, row, wrapped, fx);
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
		list->origin = list->cursor;
		at_search_ask(fx);
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
	switch (event->kind) {
	case AT_EVENT_TYPED:
		if (event->id != AT_ASK_SEARCH)
			return AT_PASS;
		search(list, event->text);
		if (list->search.count)
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
			at_list_go(list, list->top + (size_t)event->y);
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
	size_t count = count_of(list);

	for (int y = 0; y < canvas->at.height; y++) {
		if (list->top + (size_t)y < count)
			paint_row(list, canvas, y, list->top + (size_t)y, &line, focused);
		else
			at_canvas_fill_row(canvas, y, AT_STYLE_NORMAL);
	}
	at_line_free(&line);
}
