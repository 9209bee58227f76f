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

/* Looks for the first and the last byte of the text, a block at a time, in either case where
 * they are letters: a loop that compilers turn into vector instructions. */
#define BLOCK 64

struct pattern {
	const char *text;
	size_t len;
	unsigned char first, last, first_case, last_case; /* or-ed to the byte before comparing */
};

static bool is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool block_may_match(const struct pattern *p, const unsigned char *at)
{
	const unsigned char *end = at + p->len - 1;
	unsigned char hit = 0;

	for (size_t i = 0; i < BLOCK; i++)
		hit |= (unsigned char)(((at[i] | p->first_case) == p->first)
			& ((end[i] | p->last_case) == p->last));
	return hit;
}

static bool matches(const struct pattern *p, const char *at)
{
	for (size_t i = 0; i < p->len; i++) {
		if (lower(at[i]) != p->text[i])
			return false;
	}
	return true;
}

static size_t find_folded(const struct pattern *p, struct at_bytes text, size_t from)
{
	size_t last = text.len - p->len; /* the last place it may start at */

	while (from <= last) {
		size_t end = last - from >= BLOCK ? from + BLOCK : last + 1;

		if (end - from == BLOCK
			&& !block_may_match(p, (const unsigned char *)text.data + from)) {
			from = end;
			continue;
		}
		for (; from < end; from++) {
			if (matches(p, text.data + from))
				return from;
		}
	}
	return AT_SEARCH_NONE;
}

size_t at_search_find(const struct at_search *search, struct at_bytes text, size_t from)
{
	const char *want = at_buf_text(&search->text), *hit;
	size_t len = search->text.len;
	struct pattern pattern;

	if (!len || from > text.len || len > text.len - from)
		return AT_SEARCH_NONE;
	if (!search->fold) {
		hit = memmem(text.data + from, text.len - from, want, len);
		return hit ? (size_t)(hit - text.data) : AT_SEARCH_NONE;
	}
	pattern = (struct pattern){ .text = want,
		.len = len,
		.first = (unsigned char)want[0],
		.last = (unsigned char)want[len - 1],
		.first_case = is_letter(want[0]) ? 0x20 : 0,
		.last_case = is_letter(want[len - 1]) ? 0x20 : 0 };
	return find_folded(&pattern, text, from);
}

static void forget(struct at_search_part *part, size_t first)
{
	part->count = part->seen = part->old = 0;
	part->next = first;
}

void at_search_restart(struct at_search *search, size_t first)
{
	search->first = first;
	forget(&search->below, first);
	forget(&search->above, 0);
}

/* What matched, and what matched before and was not looked at again yet, is looked at now. */
static void narrow(struct at_search_part *part)
{
	size_t left = part->old - part->seen;

	if (left && part->count < part->seen)
		memmove(part->rows + part->count, part->rows + part->seen,
			left * sizeof(*part->rows));
	part->old = part->count + left;
	part->count = part->seen = 0;
}

static bool is_same_text(const struct at_search *search, struct at_bytes text)
{
	return at_bytes_equal(at_buf_bytes(&search->text), text);
}

void at_search_start(struct at_search *search, struct at_bytes text, size_t first)
{
	bool narrows = search->text.len && search->first == first
		&& at_search_find(search, text, 0) != AT_SEARCH_NONE;

	if (narrows && is_same_text(search, text))
		return;
	search->text.len = 0;
	at_buf_put(&search->text, text.data ? text.data : "", text.len);
	search->fold = !has_capital(text);
	if (!narrows) {
		at_search_restart(search, first);
		return;
	}
	narrow(&search->below);
	narrow(&search->above);
}

static void keep(struct at_search_part *part, size_t row)
{
	part->rows = at_grow(part->rows, &part->cap, part->count, sizeof(*part->rows));
	part->rows[part->count++] = row;
}

/* Work is told in bytes; a row of its own costs as much as this many, a found one too. */
#define ROW_COST 128

struct walk {
	const struct at_search *search;
	const struct at_search_source *source;
	size_t budget;
};

static bool pay(struct walk *walk, size_t bytes)
{
	walk->budget = bytes + ROW_COST < walk->budget ? walk->budget - bytes - ROW_COST : 0;
	return walk->budget > 0;
}

static bool row_matches(struct walk *walk, size_t row)
{
	struct at_bytes text = walk->source->text(walk->source->user, row);

	pay(walk, text.len);
	return at_search_find(walk->search, text, 0) != AT_SEARCH_NONE;
}

static struct at_bytes flat_of(const struct walk *walk, size_t row)
{
	return walk->source->flat(walk->source->user, row);
}

/* The last row of [from, end) whose text does not start after `at`; near `from` at once. */
static size_t row_of(const struct walk *walk, size_t from, size_t end, const char *at)
{
	size_t step = 1, low = from, high;

	while (low + step < end && flat_of(walk, low + step).data <= at) {
		low += step;
		step *= 2;
	}
	high = low + step < end ? low + step : end;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (flat_of(walk, middle).data <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Rows from `next` to `end` whose texts lie in one buffer. What stands between the texts may
 * match too: a find that is not in its row alone means that the row has none. */
static void walk_flat(struct walk *walk, struct at_search_part *part, size_t end)
{
	struct at_bytes all = flat_of(walk, part->next), row = flat_of(walk, end - 1);
	size_t at = 0, hit;

	if ((size_t)(row.data + row.len - all.data) > walk->budget) {
		end = row_of(walk, part->next, end, all.data + walk->budget) + 1;
		row = flat_of(walk, end - 1);
	}
	all.len = (size_t)(row.data + row.len - all.data);
	while (part->next < end && walk->budget) {
		hit = at_search_find(walk->search, all, at);
		if (hit == AT_SEARCH_NONE) {
			pay(walk, all.len - at);
			part->next = end;
			return;
		}
		pay(walk, hit - at);
		part->next = row_of(walk, part->next, end, all.data + hit);
		row = flat_of(walk, part->next);
		if (all.data + hit + walk->search->text.len <= row.data + row.len)
			keep(part, part->next);
		if (++part->next < end)
			at = (size_t)(flat_of(walk, part->next).data - all.data);
	}
}

static void walk_part(struct walk *walk, struct at_search_part *part, size_t end)
{
	/* What is kept never overtakes what is read. */
	for (; part->seen < part->old && walk->budget; part->seen++) {
		if (row_matches(walk, part->rows[part->seen]))
			part->rows[part->count++] = part->rows[part->seen];
	}
	if (part->seen < part->old)
		return;
	part->seen = part->old = 0;
	if (walk->budget && part->next < end && walk->source->flat
		&& flat_of(walk, part->next).data) {
		walk_flat(walk, part, end);
		return;
	}
	for (; part->next < end && walk->budget; part->next++) {
		if (row_matches(walk, part->next))
			keep(part, part->next);
	}
}

static size_t left_of(const struct at_search_part *part, size_t end)
{
	return part->old - part->seen + (part->next < end ? end - part->next : 0);
}

static bool is_part_done(const struct at_search_part *part, size_t end)
{
	return left_of(part, end) == 0;
}

size_t at_search_left(const struct at_search *search, size_t row_count)
{
	return left_of(&search->below, row_count) + left_of(&search->above, search->first);
}

bool at_search_is_done(const struct at_search *search, size_t row_count)
{
	return !search->text.len || !at_search_left(search, row_count);
}

bool at_search_more(struct at_search *search, const struct at_search_source *source, size_t budget)
{
	struct walk walk = { search, source, budget ? budget : 1 };

	if (!search->text.len)
		return true;
	walk_part(&walk, &search->below, source->count);
	if (is_part_done(&search->below, source->count))
		walk_part(&walk, &search->above, search->first);
	return at_search_is_done(search, source->count);
}

void at_search_run(
	struct at_search *search, struct at_bytes text, const struct at_search_source *source)
{
	at_search_restart(search, 0);
	search->text.len = 0;
	at_search_start(search, text, 0);
	at_search_more(search, source, SIZE_MAX);
}

void at_search_clear(struct at_search *search)
{
	at_buf_free(&search->text);
	free(search->below.rows);
	free(search->above.rows);
	*search = (struct at_search){ 0 };
}

size_t at_search_count(const struct at_search *search)
{
	return search->below.count + search->above.count;
}

/* How many matching rows of a part lie before `row`. */
static size_t rank_in(const struct at_search_part *part, size_t row)
{
	size_t low = 0, high = part->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (part->rows[middle] < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t rank(const struct at_search *search, size_t row)
{
	return row < search->first ? rank_in(&search->above, row)
				   : search->above.count + rank_in(&search->below, row);
}

/* The first match of a part at or after `row`, up to `end`. */
static size_t first_in(const struct at_search_part *part, size_t row, size_t end)
{
	size_t at = rank_in(part, row);

	if (at < part->count)
		return part->rows[at];
	return is_part_done(part, end) ? AT_SEARCH_NONE : AT_SEARCH_LATER;
}

/* The last match of a part before `row`, which is at most its `end`. */
static size_t last_in(const struct at_search_part *part, size_t row, size_t end)
{
	size_t at = rank_in(part, row);
	size_t known = part->seen < part->old ? part->rows[part->seen] : part->next;

	if (known < row && known < end)
		return AT_SEARCH_LATER;
	return at ? part->rows[at - 1] : AT_SEARCH_NONE;
}

size_t at_search_step(
	const struct at_search *search, size_t row_count, size_t from, bool forward, bool *wrapped)
{
	const struct at_search_part *below = &search->below, *above = &search->above;
	size_t first = search->first, found[4];
	/* In the order in which the rows follow one another from `from` on; the last two wrap. */
	bool starts_above = forward ? from < first : from <= first;

	*wrapped = false;
	if (!search->text.len)
		return AT_SEARCH_NONE;
	if (forward) {
		found[0] = starts_above ? first_in(above, from, first) : AT_SEARCH_NONE;
		found[1] = first_in(below, from, row_count);
		found[2] = first_in(above, 0, first);
		found[3] = first_in(below, first, row_count);
	} else {
		found[0] = starts_above ? AT_SEARCH_NONE : last_in(below, from, row_count);
		found[1] = last_in(above, starts_above ? from : first, first);
		found[2] = last_in(below, SIZE_MAX, row_count);
		found[3] = last_in(above, first, first);
	}
	for (size_t i = 0; i < AT_LEN(found); i++) {
		*wrapped = i > 1 && found[i] < AT_SEARCH_LATER;
		if (found[i] != AT_SEARCH_NONE)
			return found[i];
	}
	return AT_SEARCH_NONE;
}

void at_search_tell(const struct at_search *search, size_t row, bool wrapped,
	enum at_search_state state, struct at_fx *fx)
{
	const char *text = at_buf_text(&search->text);
	const char *so_far = state == AT_SEARCH_GROWING ? " so far" : "";

	if (!search->text.len)
		at_fx_message(fx, "Nothing was searched yet: / searches.");
	else if (row == AT_SEARCH_LATER)
		at_fx_message(fx, "\"%s\": searching", text);
	else if (row == AT_SEARCH_NONE)
		at_fx_message(fx, "\"%s\" is not here%s.", text, so_far);
	else if (state == AT_SEARCH_PART)
		at_fx_message(fx, "\"%s\": found, still counting%s", text,
			wrapped ? ", wrapped around" : "");
	else
		at_fx_message(fx, "\"%s\": %zu of %zu%s%s", text, rank(search, row) + 1,
			at_search_count(search), so_far, wrapped ? ", wrapped around" : "");
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
