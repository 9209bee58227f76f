#include "emit/control_files.h"

#include <string.h>
#include <strings.h>

#include "core/mem.h"

/* One cell of RFC 4180 text into `cell`; *last tells that its record ends with it. Returns
 * where the next one begins. */
static const char *next_cell(struct at_buf *cell, bool *last, const char *p, const char *end)
{
	bool quoted = p < end && *p == '"';

	cell->len = 0;
	at_buf_put(cell, "", 0); /* an empty cell is an empty text too */
	*last = true;
	for (p += quoted; p < end; p++) {
		if (quoted && *p == '"') {
			if (p + 1 == end || p[1] != '"') {
				quoted = false;
				continue;
			}
			p++;
		} else if (!quoted && *p == ',') {
			*last = false;
			return p + 1;
		} else if (!quoted && *p == '\n') {
			return p + 1;
		}
		at_buf_putc(cell, *p);
	}
	return end;
}

static bool is_word(const struct at_buf *cell, const char *word)
{
	const char *text = at_buf_text(cell);
	size_t len = strlen(word);

	text += strspn(text, " \t\r");
	return strncasecmp(text, word, len) == 0 && text[len + strspn(text + len, " \t\r")] == '\0';
}

static bool authorises(const struct at_buf *cell)
{
	return is_word(cell, "PASS") || is_word(cell, "CONDITIONAL PASS") ||
		is_word(cell, "HALT-RETRACTED");
}

size_t at_count_unsigned_rows(struct at_bytes csv)
{
	const char *p = csv.data, *end = csv.data + csv.len;
	size_t verdict = SIZE_MAX, signature = SIZE_MAX, column = 0, count = 0;
	bool is_header = true, passes = false, is_signed = false, last;
	struct at_buf cell = { 0 };

	while (p < end) {
		p = next_cell(&cell, &last, p, end);
		if (is_header && (is_word(&cell, "verdict") || is_word(&cell, "decision")))
			verdict = column;
		else if (is_header && is_word(&cell, "signature"))
			signature = column;
		else if (!is_header && column == verdict)
			passes = authorises(&cell);
		else if (!is_header && column == signature)
			is_signed = !is_word(&cell, "");
		column++;
		if (!last && p < end)
			continue;
		count += passes && !is_signed;
		is_header = passes = is_signed = false;
		column = 0;
	}
	at_buf_free(&cell);
	return count;
}
