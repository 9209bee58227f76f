#include "tui/diff_draw.h"

#include <stdio.h>
#include <string.h>

#include "core/patch.h"
#include "tui/diff_words.h"

#define PAIR_CAP 64 /* a block longer than this is not paired line by line */
#define PART_CAP 64 /* marked parts of a line */
#define DOT_CAP 64 /* spaces at a line's end that are drawn one by one */

static const struct {
	enum at_style line, word;
} styles[] = {
	[AT_DIFF_HUNK] = { AT_STYLE_HUNK, AT_STYLE_HUNK },
	[AT_DIFF_SAME] = { AT_STYLE_NORMAL, AT_STYLE_NORMAL },
	[AT_DIFF_ADDED] = { AT_STYLE_ADDED, AT_STYLE_ADDED_WORD },
	[AT_DIFF_REMOVED] = { AT_STYLE_REMOVED, AT_STYLE_REMOVED_WORD },
	[AT_DIFF_NO_EOL] = { AT_STYLE_DIM, AT_STYLE_DIM },
	[AT_DIFF_BINARY] = { AT_STYLE_MARK, AT_STYLE_MARK },
	[AT_DIFF_FILE] = { AT_STYLE_TITLE, AT_STYLE_TITLE },
	[AT_DIFF_NOTE] = { AT_STYLE_DIM, AT_STYLE_DIM },
};

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
		while (first > 0 && row - first < 2 * PAIR_CAP
			&& kind_at(diff, first - 1) == AT_DIFF_REMOVED)
			first--;
	}
	for (middle = first; middle - first < PAIR_CAP && kind_at(diff, middle) == AT_DIFF_REMOVED;)
		middle++;
	for (last = middle; last - middle < PAIR_CAP && kind_at(diff, last) == AT_DIFF_ADDED;)
		last++;
	if (middle == first || last - middle != middle - first
		|| kind_at(diff, last) == AT_DIFF_ADDED)
		return false;
	*partner = kind == AT_DIFF_REMOVED ? row + (middle - first) : row - (middle - first);
	return true;
}

/* Notes start at the same column as the lines of a file, so that none can pass for a header or
 * for a row of ours. */
static void put_gutter(const struct at_diff_rows *rows, uint32_t old_no, uint32_t new_no, char sign,
	enum at_style style, struct at_line *out)
{
	char number[2][16] = { "", "" };

	if (rows->numbers) {
		if (old_no)
			snprintf(number[0], sizeof(number[0]), "%u", old_no);
		if (new_no)
			snprintf(number[1], sizeof(number[1]), "%u", new_no);
		at_line_textf(out, AT_STYLE_DIM, "%*s %*s ", rows->digits, number[0], rows->digits,
			number[1]);
	}
	at_line_textf(out, style, "%c ", sign);
	at_line_hold(out);
}

static bool is_trailing(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Space at the end of a changed line is part of the change and would not be seen. */
static void put_end(const struct at_diff_rows *rows, enum at_style style, struct at_bytes end,
	struct at_line *out)
{
	for (size_t i = 0; i < end.len && i < DOT_CAP; i++) {
		if (end.data[i] == ' ')
			at_line_text(out, AT_STYLE_CONTROL, rows->ascii ? "_" : "·");
		else
			at_line_add(out, style, (struct at_bytes){ end.data + i, 1 });
	}
	if (end.len > DOT_CAP)
		at_line_textf(out, AT_STYLE_CONTROL, " +%zu blanks", end.len - DOT_CAP);
}

/* The text of a changed line, what `other` does not have marked; NULL: nothing is. */
static void put_changed(const struct at_diff_rows *rows, size_t line, const struct at_bytes *other,
	struct at_line *out)
{
	enum at_diff_kind kind = rows->diff->lines[line].kind;
	struct at_bytes text = at_diff_text(rows->diff, line);
	struct at_diff_part parts[PART_CAP];
	size_t end = text.len, at = 0,
	       count = other ? at_diff_words(text, *other, parts, PART_CAP) : 0;

	while (end > 0 && is_trailing(text.data[end - 1]))
		end--;
	for (size_t i = 0; i < count && parts[i].from < end; i++) {
		size_t to = parts[i].to < end ? parts[i].to : end;

		at_line_add(out, styles[kind].line,
			(struct at_bytes){ text.data + at, parts[i].from - at });
		at_line_add(out, styles[kind].word,
			(struct at_bytes){ text.data + parts[i].from, to - parts[i].from });
		at = to;
	}
	at_line_add(out, styles[kind].line, (struct at_bytes){ text.data + at, end - at });
	put_end(rows, styles[kind].line, (struct at_bytes){ text.data + end, text.len - end }, out);
}

/* What stands after the gutter. */
static void put_text(const struct at_diff_rows *rows, size_t line, const struct at_bytes *other,
	struct at_line *out)
{
	const struct at_diff_line *row = &rows->diff->lines[line];
	struct at_buf words = { 0 };

	switch (row->kind) {
	case AT_DIFF_ADDED:
	case AT_DIFF_REMOVED:
		put_changed(rows, line, other, out);
		return;
	case AT_DIFF_NO_EOL:
		if (!rows->diff->is_text) {
			at_line_text(out, AT_STYLE_DIM, "no newline at the end of the file");
			return;
		}
		break;
	case AT_DIFF_NOTE:
		at_patch_note_words(row, &words);
		at_line_add(out, AT_STYLE_MARK, at_buf_bytes(&words));
		at_buf_free(&words);
		break;
	default:
		break;
	}
	at_line_add(out, styles[row->kind].line, at_diff_text(rows->diff, line));
}

void diff_draw_line(const struct at_diff_rows *rows, size_t line, struct at_line *out)
{
	const struct at_diff_line *row = &rows->diff->lines[line];
	bool is_fault = at_patch_is_fault(row), is_note = row->kind == AT_DIFF_NOTE;
	bool is_changed = row->kind == AT_DIFF_ADDED || row->kind == AT_DIFF_REMOVED;
	struct at_bytes other;
	size_t partner;

	if (row->kind == AT_DIFF_HUNK && !rows->diff->is_text) {
		at_line_textf(out, AT_STYLE_HUNK, "@@ -%u,%u +%u,%u @@", row->old_no, row->offset,
			row->new_no, row->len);
		return;
	}
	if (row->kind == AT_DIFF_BINARY) {
		at_line_text(out, AT_STYLE_MARK, "Binary files differ: there is no text to show.");
		return;
	}
	if (row->kind != AT_DIFF_HUNK && row->kind != AT_DIFF_FILE)
		put_gutter(rows, is_note ? 0 : row->old_no, is_note ? 0 : row->new_no,
			is_fault ? '!' : at_diff_sign(row->kind),
			is_fault ? AT_STYLE_MARK : styles[row->kind].line, out);
	if (is_changed && find_partner(rows->diff, line, &partner)) {
		other = at_diff_text(rows->diff, partner);
		put_text(rows, line, &other, out);
		return;
	}
	put_text(rows, line, NULL, out);
}

void diff_draw_fold(const struct at_diff_rows *rows, size_t count, struct at_line *out)
{
	at_line_text(out, AT_STYLE_ACCENT, rows->ascii ? "..." : "…");
	at_line_textf(out, AT_STYLE_ACCENT, " %zu unchanged%s", count,
		at_diff_rows_are(rows, AT_DIFF_NO_SPACE) ? ", white space aside" : "");
}

void diff_draw_space(const struct at_diff_rows *rows, size_t old, size_t new, struct at_line *out)
{
	const struct at_diff *diff = rows->diff;

	put_gutter(rows, diff->lines[old].old_no, diff->lines[new].new_no, '~', AT_STYLE_DIM, out);
	at_line_add(out, AT_STYLE_DIM, at_diff_text(diff, new));
}

/* One half: number, sign, and as much of the text as there is room for. */
static void put_half(struct at_diff_rows *rows, size_t line, const struct at_bytes *other,
	bool is_new, bool is_space, int width, struct at_line *out)
{
	const struct at_diff_line *row = line == AT_NO_LINE ? NULL : &rows->diff->lines[line];
	int gutter = rows->digits + 3;
	enum at_style style = !row || is_space ? AT_STYLE_DIM : styles[row->kind].line;
	uint32_t number = !row ? 0 : is_new ? row->new_no : row->old_no;
	char digits[16] = "";

	at_line_clear(&rows->half);
	rows->half.ascii = out->ascii;
	if (number)
		snprintf(digits, sizeof(digits), "%u", number);
	at_line_textf(out, AT_STYLE_DIM, "%*s ", rows->digits, digits);
	at_line_textf(out, style, "%c ", !row ? ' ' : is_space ? '~' : at_diff_sign(row->kind));
	if (row && is_space)
		at_line_add(&rows->half, style, at_diff_text(rows->diff, line));
	else if (row)
		put_text(rows, line, other, &rows->half);
	at_line_put_part(out, &rows->half, rows->left, width - gutter, AT_STYLE_NORMAL);
}

/* Between the halves stand a line and a space. */
static int left_width(const struct at_diff_rows *rows)
{
	return (rows->width - 2) / 2;
}

void diff_draw_sides(
	struct at_diff_rows *rows, const struct at_diff_map_row *row, struct at_line *out)
{
	bool has_both = row->kind == AT_ROW_PAIR && row->a != AT_NO_LINE && row->b != AT_NO_LINE
		&& row->a != row->b;
	bool is_space = row->kind == AT_ROW_SPACE;
	struct at_bytes old, new;
	int left = left_width(rows);

	if (row->kind == AT_ROW_LINE) { /* headers and notes have the whole width */
		diff_draw_line(rows, row->a, out);
		return;
	}
	if (has_both) {
		old = at_diff_text(rows->diff, row->a);
		new = at_diff_text(rows->diff, row->b);
	}
	put_half(rows, row->a, has_both ? &new : NULL, false, is_space, left, out);
	at_line_text(out, AT_STYLE_RULE, out->ascii ? "| " : "│ ");
	put_half(rows, row->b, has_both ? &old : NULL, true, is_space, rows->width - left - 2, out);
}

int diff_draw_over(struct at_diff_rows *rows, size_t row)
{
	const struct at_diff_map_row *r = &rows->map.rows[row];
	int most = 0, room = left_width(rows) - rows->digits - 3;

	if (r->kind != AT_ROW_PAIR && r->kind != AT_ROW_SPACE)
		return 0;
	for (int i = 0; i < 2; i++) {
		size_t line = i ? r->b : r->a;

		if (line == AT_NO_LINE)
			continue;
		at_line_clear(&rows->half);
		rows->half.ascii = rows->ascii;
		put_text(rows, line, NULL, &rows->half);
		if ((int)rows->half.spans.width - room > most)
			most = (int)rows->half.spans.width - room;
	}
	return most;
}
