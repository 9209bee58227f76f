#include <endian.h>
#include <string.h>

#include "core/mem.h"
#include "core/utf8.h"
#include "runner/gate/scan_fold_table.h"
#include "runner/gate/scan_parts.h"

#define NEXT_LINE 0x85
#define LINE_SEPARATOR 0x2028
#define PARAGRAPH_SEPARATOR 0x2029

static const struct scan_fold_row *row_of(uint32_t code)
{
	size_t low = 0, high = AT_LEN(scan_fold_rows);

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (code > scan_fold_rows[middle].last)
			low = middle + 1;
		else if (code < scan_fold_rows[middle].first)
			high = middle;
		else
			return &scan_fold_rows[middle];
	}
	return NULL;
}

static int fold_ascii(struct scan_fold *fold, unsigned char c)
{
	if (c > ' ' && c < 0x7f)
		return c;
	if (c == '\r' && fold->at < fold->end && *fold->at == '\n')
		fold->at++;
	if ((c >= '\n' && c <= '\r') || (c >= 0x1c && c <= 0x1e))
		return '\n';
	return c == ' ' || c == '\t' ? ' ' : SCAN_OTHER;
}

/* The character for the code, 0 for none. */
static int fold_wide(struct scan_fold *fold)
{
	const struct scan_fold_row *row;
	uint32_t code;

	if (!at_utf8_take(&fold->at, fold->end, &code))
		return SCAN_OTHER;
	if (code == NEXT_LINE || code == LINE_SEPARATOR || code == PARAGRAPH_SEPARATOR)
		return '\n';
	row = row_of(code);
	if (!row)
		return SCAN_OTHER;
	if (!row->to)
		return 0;
	if (row->to[1]) {
		fold->more = row->to + 1;
		return row->to[0];
	}
	return (int)((uint32_t)(unsigned char)row->to[0] + code - row->first);
}

static int fold_one(struct scan_fold *fold)
{
	if (fold->more) {
		int c = (unsigned char)*fold->more++;

		if (!*fold->more)
			fold->more = NULL;
		return c;
	}
	if ((unsigned char)*fold->at < 0x80)
		return fold_ascii(fold, (unsigned char)*fold->at++);
	return fold_wide(fold);
}

int scan_fold_next(struct scan_fold *fold)
{
	while (fold->more || fold->at < fold->end) {
		int c = fold_one(fold);

		if (!c || (c == ' ' && fold->blank))
			continue;
		fold->blank = c == ' ';
		return c;
	}
	return SCAN_END;
}

#define ONES 0x0101010101010101u
#define HIGHS 0x8080808080808080u

/* Whether these eight bytes stand for themselves: printable ASCII with no two blanks in a row,
 * the one before counted. Then `*blank` is of the last of them. */
static bool are_plain(const char *at, bool *blank)
{
	uint64_t word, blanks;

	memcpy(&word, at, 8);
	word = le64toh(word);
	if ((word | (word - ONES * ' ') | (word + ONES)) & HIGHS)
		return false;
	blanks = ~((word ^ ONES * ' ') + ONES * 0x7f) & HIGHS;
	if (blanks & (blanks << 8 | (*blank ? 0x80 : 0)))
		return false;
	*blank = blanks >> 63;
	return true;
}

size_t scan_fold_plain(struct scan_fold *fold, char *to, size_t most)
{
	const char *at = fold->at, *end = fold->end;
	bool blank = fold->blank;
	size_t n = 0, by_itself = 0; /* so many are looked at by themselves */

	if (fold->more)
		return 0;
	while (at < end && n < most) {
		unsigned char c = (unsigned char)*at;

		if (!by_itself && end - at >= 8 && most - n >= 8) {
			if (are_plain(at, &blank)) {
				memcpy(to + n, at, 8);
				at += 8;
				n += 8;
				continue;
			}
			by_itself = 8;
		}
		if ((c < ' ' && c != '\n') || c >= 0x7f)
			break;
		/* Written in any case, kept unless it goes on a run of blanks: without a branch,
		 * which would be guessed wrong at each word. */
		to[n] = (char)c;
		n += !(blank & (c == ' '));
		blank = c == ' ';
		at++;
		by_itself -= by_itself != 0;
	}
	fold->at = at;
	fold->blank = blank;
	return n;
}
