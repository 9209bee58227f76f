#include "tui/diff_rows.h"

#include <stdio.h>
#include <string.h>

#define PAIR_CAP 64   /* a block longer than this is not paired line by line */
#define WORD_CAP 4096 /* bytes of a line that is looked at for the changed part */
#define NUMBERS_FROM 60

static const struct {
	enum at_style line, word;
} styles[] = {
	[AT_DIFF_HUNK] = { AT_STYLE_HUNK, AT_STYLE_HUNK },
	[AT_DIFF_SAME] = { AT_STYLE_NORMAL, AT_STYLE_NORMAL },
	[AT_DIFF_ADDED] = { AT_STYLE_ADDED, AT_STYLE_ADDED_WORD },
	[AT_DIFF_REMOVED] = { AT_STYLE_REMOVED, AT_STYLE_REMOVED_WORD },
	[AT_DIFF_NO_EOL] = { AT_STYLE_DIM, AT_STYLE_DIM },
	[AT_DIFF_BINARY] = { AT_STYLE_MARK, AT_STYLE_MARK },
};

void at_diff_rows_layout(struct at_diff_rows *rows, int width)
{
	rows->numbers = width >= NUMBERS_FROM;
}

void at_diff_rows_init(struct at_diff_rows *rows, const struct at_diff *diff, int width)
{
	uint32_t most = 1;

	*rows = (struct at_diff_rows){ .diff = diff, .digits = 1 };
	for (size_t i = 0; i < diff->hunk_count; i++) {
		const struct at_diff_line *hunk = &diff->lines[diff->hunks[i]];
		uint32_t old_end = hunk->old_no + hunk->offset, new_end = hunk->new_no + hunk->len;

		most = old_end > most ? old_end : most;
		most = new_end > most ? new_end : most;
	}
	for (; most >= 10; most /= 10)
		rows->digits++;
	at_diff_rows_layout(rows, width);
}

static enum at_diff_kind kind_at(const struct at_diff *diff, size_t row)
{
	return row < diff->count ? diff->lines[row].kind : AT_DIFF_HUNK;
}

/* The line on the other side that this one replaces: blocks of equal length, line by line. */
static bool find_partner(const struct at_diff *diff, size_t row, size_t *partner)
{
	enum at_diff_kind kind = kind_at(diff, row);
	size_t first = row, middle, last;

	while (first > 0 && row - first < 2 * PAIR_CAP && kind_at(diff, first - 1) == kind)
		first--;
	if (kind == AT_DIFF_ADDED) {
		while (first > 0 && row - first < 2 * PAIR_CAP &&
			kind_at(diff, first - 1) == AT_DIFF_REMOVED)
			first--;
	}
	for (middle = first; middle - first < PAIR_CAP && kind_at(diff, middle) == AT_DIFF_REMOVED;)
		middle++;
	for (last = middle; last - middle < PAIR_CAP && kind_at(diff, last) == AT_DIFF_ADDED;)
		last++;
	if (middle == first || last - middle != middle - first ||
		kind_at(diff, last) == AT_DIFF_ADDED)
		return false;
	*partner = kind == AT_DIFF_REMOVED ? row + (middle - first) : row - (middle - first);
	return true;
}

static bool is_inside_char(struct at_bytes text, size_t at)
{
	return at < text.len && ((unsigned char)text.data[at] & 0xc0) == 0x80;
}

static bool is_word(struct at_bytes text, size_t at)
{
	unsigned char c = at < text.len ? (unsigned char)text.data[at] : ' ';

	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
		c >= 0x80;
}

/* Half a word underlined reads badly: "false" became "true", not "fals" "tru". */
static void widen_to_words(struct at_bytes text, size_t *from, size_t *to)
{
	while (*from > 0 && is_word(text, *from) && is_word(text, *from - 1))
		--*from;
	while (*to < text.len && is_word(text, *to - 1) && is_word(text, *to))
		++*to;
}

/* The part [*from, *to) of `text` that `other` does not share; false where so little is shared
 * that underlining would say nothing. */
static bool changed_part(struct at_bytes text, struct at_bytes other, size_t *from, size_t *to)
{
	size_t shorter = text.len < other.len ? text.len : other.len, head = 0, tail = 0;

	if (text.len > WORD_CAP || other.len > WORD_CAP)
		return false;
	while (head < shorter && text.data[head] == other.data[head])
		head++;
	while (head > 0 && (is_inside_char(text, head) || is_inside_char(other, head)))
		head--;
	while (tail < shorter - head &&
		text.data[text.len - 1 - tail] == other.data[other.len - 1 - tail])
		tail++;
	while (tail > 0 && is_inside_char(text, text.len - tail))
		tail--;
	*from = head;
	*to = text.len - tail;
	if (*from >= *to || (head + tail) * 3 < shorter)
		return false;
	widen_to_words(text, from, to);
	return true;
}

static void put_gutter(const struct at_diff_rows *rows, const struct at_diff_line *line,
	struct at_line *out)
{
	char number[2][16] = { "", "" };

	if (rows->numbers) {
		if (line->old_no)
			snprintf(number[0], sizeof(number[0]), "%u", line->old_no);
		if (line->new_no)
			snprintf(number[1], sizeof(number[1]), "%u", line->new_no);
		at_line_textf(out, AT_STYLE_DIM, "%*s %*s ", rows->digits, number[0], rows->digits,
			number[1]);
	}
	at_line_textf(out, styles[line->kind].line, "%c ", at_diff_sign(line->kind));
	at_line_hold(out);
}

/* Space at the end of a changed line is part of the change and would not be seen. */
static void put_text(const struct at_diff_rows *rows, size_t row, struct at_line *out)
{
	const struct at_diff_line *line = &rows->diff->lines[row];
	struct at_bytes text = at_diff_text(rows->diff, row);
	size_t from = 0, to = 0, end = text.len, partner;
	enum at_style style = styles[line->kind].line;

	if (line->kind == AT_DIFF_SAME) {
		at_line_add(out, style, text);
		return;
	}
	while (end > 0 && text.data[end - 1] == ' ')
		end--;
	if (!find_partner(rows->diff, row, &partner) ||
		!changed_part(text, at_diff_text(rows->diff, partner), &from, &to))
		from = to = end;
	from = from > end ? end : from;
	to = to > end ? end : to;
	at_line_add(out, style, (struct at_bytes){ text.data, from });
	at_line_add(out, styles[line->kind].word, (struct at_bytes){ text.data + from, to - from });
	at_line_add(out, style, (struct at_bytes){ text.data + to, end - to });
	for (size_t i = end; i < text.len && i - end < 64; i++)
		at_line_text(out, AT_STYLE_CONTROL, rows->ascii ? "_" : "·");
	if (text.len - end > 64)
		at_line_textf(out, AT_STYLE_CONTROL, " +%zu spaces", text.len - end - 64);
}

void at_diff_row(const struct at_diff_rows *rows, size_t row, struct at_line *out)
{
	const struct at_diff_line *line = &rows->diff->lines[row];

	switch (line->kind) {
	case AT_DIFF_HUNK:
		at_line_textf(out, AT_STYLE_HUNK, "@@ -%u,%u +%u,%u @@", line->old_no, line->offset,
			line->new_no, line->len);
		return;
	case AT_DIFF_BINARY:
		at_line_text(out, AT_STYLE_MARK, "Binary files differ: there is no text to show.");
		return;
	case AT_DIFF_NO_EOL:
		put_gutter(rows, line, out);
		at_line_text(out, AT_STYLE_DIM, "no newline at the end of the file");
		return;
	default:
		put_gutter(rows, line, out);
		put_text(rows, row, out);
		return;
	}
}

static size_t count(void *user)
{
	const struct at_diff_rows *rows = user;

	return rows->diff->count;
}

static void fill(void *user, size_t row, struct at_line *out)
{
	struct at_diff_rows *rows = user;

	rows->ascii = out->ascii;
	at_diff_row(rows, row, out);
}

static struct at_bytes text(void *user, size_t row)
{
	const struct at_diff_rows *rows = user;

	return at_diff_text(rows->diff, row);
}

static size_t hunks(void *user, const uint32_t **out)
{
	const struct at_diff_rows *rows = user;

	*out = rows->diff->hunks;
	return rows->diff->hunk_count;
}

struct at_pager_source at_diff_rows_source(struct at_diff_rows *rows)
{
	return (struct at_pager_source){ .user = rows, .count = count, .row = fill, .text = text,
		.hunks = hunks };
}
