#include "tui/search.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "tui/line.h"

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool has_capital(struct at_bytes text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] >= 'A' && text.data[i] <= 'Z')
			return true;
	}
	return false;
}

size_t at_search_find(const struct at_search *search, struct at_bytes text, size_t from)
{
	const char *want = at_buf_text(&search->text);
	size_t len = search->text.len, i, k;

	if (!len || from > text.len || len > text.len - from)
		return AT_SEARCH_NONE;
	if (!search->fold) {
		const char *hit = memmem(text.data + from, text.len - from, want, len);

		return hit ? (size_t)(hit - text.data) : AT_SEARCH_NONE;
	}
	for (i = from; i + len <= text.len; i++) {
		for (k = 0; k < len && lower(text.data[i + k]) == want[k]; k++)
			;
		if (k == len)
			return i;
	}
	return AT_SEARCH_NONE;
}

void at_search_run(struct at_search *search, struct at_bytes text, size_t row_count,
	at_search_text *text_of, void *user)
{
	search->count = 0;
	search->text.len = 0;
	at_buf_put(&search->text, text.data ? text.data : "", text.len);
	search->fold = !has_capital(text);
	if (!text.len)
		return;
	for (size_t i = 0; i < row_count; i++) {
		if (at_search_find(search, text_of(user, i), 0) == AT_SEARCH_NONE)
			continue;
		search->rows = at_grow(search->rows, &search->cap, search->count,
			sizeof(*search->rows));
		search->rows[search->count++] = i;
	}
}

void at_search_clear(struct at_search *search)
{
	at_buf_free(&search->text);
	free(search->rows);
	*search = (struct at_search){ 0 };
}

/* How many matching rows lie before `row`. */
static size_t rank(const struct at_search *search, size_t row)
{
	size_t low = 0, high = search->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (search->rows[middle] < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t at_search_step(const struct at_search *search, size_t from, bool forward, bool *wrapped)
{
	size_t at = rank(search, from);

	*wrapped = false;
	if (!search->count)
		return AT_SEARCH_NONE;
	if (forward) {
		*wrapped = at == search->count;
		return search->rows[*wrapped ? 0 : at];
	}
	*wrapped = at == 0;
	return search->rows[*wrapped ? search->count - 1 : at - 1];
}

void at_search_tell(const struct at_search *search, size_t row, bool wrapped, struct at_fx *fx)
{
	if (!search->text.len)
		at_fx_message(fx, "Nothing was searched yet: / searches.");
	else if (row == AT_SEARCH_NONE)
		at_fx_message(fx, "\"%s\" is not here.", at_buf_text(&search->text));
	else
		at_fx_message(fx, "\"%s\": %zu of %zu%s", at_buf_text(&search->text),
			rank(search, row) + 1, search->count, wrapped ? ", wrapped around" : "");
}

void at_search_ask(struct at_fx *fx)
{
	const struct at_ask ask = { .id = AT_ASK_SEARCH, .title = "Search" };

	at_fx_prompt(fx, &ask);
}

static int cells_of(struct at_bytes text)
{
	int width = 0;
	int32_t code;

	for (size_t at = 0, used; (used = at_utf8_next(text, at, &code)) > 0; at += used)
		width += (int)at_char_width((uint32_t)code);
	return width;
}

void at_search_highlight(const struct at_search *search, const struct at_line *line,
	const struct at_canvas *canvas, int y, int skip)
{
	struct at_bytes text = at_buf_bytes(&line->spans.text);
	int held = (int)line->held, room = canvas->at.width - held;
	size_t at = 0;

	while ((at = at_search_find(search, text, at)) != AT_SEARCH_NONE) {
		struct at_bytes before = { text.data, at },
				match = { text.data + at, search->text.len };
		int from = cells_of(before) - held - skip, count = cells_of(match);

		at += search->text.len;
		if (from + count <= 0 || from >= room)
			continue;
		if (from < 0) {
			count += from;
			from = 0;
		}
		at_canvas_restyle(canvas, held + from, y, count, AT_STYLE_MATCH);
	}
}
