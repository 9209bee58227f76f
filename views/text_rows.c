#include "views/text_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

void at_text_rows_set(struct at_text_rows *rows, struct at_bytes bytes)
{
	const char *text;
	size_t at = 0;

	rows->text.len = 0;
	rows->count = 0;
	at_buf_put(&rows->text, bytes.data, bytes.len);
	text = at_buf_text(&rows->text);
	while (at < rows->text.len) {
		const char *end = memchr(text + at, '\n', rows->text.len - at);

		rows->starts =
			at_grow(rows->starts, &rows->cap, rows->count + 1, sizeof(*rows->starts));
		rows->starts[rows->count++] = at;
		at = end ? (size_t)(end - text) + 1 : rows->text.len;
	}
	rows->starts = at_grow(rows->starts, &rows->cap, rows->count + 1, sizeof(*rows->starts));
	rows->starts[rows->count] = rows->text.len;
}

void at_text_rows_free(struct at_text_rows *rows)
{
	at_buf_free(&rows->text);
	free(rows->starts);
	*rows = (struct at_text_rows){ 0 };
}

struct at_bytes at_text_rows_line(const struct at_text_rows *rows, size_t row)
{
	const char *start = at_buf_text(&rows->text) + rows->starts[row];
	size_t len = rows->starts[row + 1] - rows->starts[row];

	if (len && start[len - 1] == '\n')
		len--;
	return (struct at_bytes){ start, len };
}

static size_t count_rows(void *user)
{
	return ((struct at_text_rows *)user)->count;
}

static struct at_bytes text_of(void *user, size_t row)
{
	return at_text_rows_line(user, row);
}

static void fill_row(void *user, size_t row, struct at_line *out)
{
	const struct at_text_rows *rows = user;
	int digits = 1;

	out->words = rows->prose;
	for (size_t n = rows->count; n >= 10; n /= 10)
		digits++;
	if (rows->numbers) {
		at_line_textf(out, AT_STYLE_DIM, "%*zu ", digits, row + 1);
		at_line_hold(out);
	}
	at_line_add(out, row ? AT_STYLE_NORMAL : rows->first, text_of(user, row));
}

struct at_pager_source at_text_rows_source(struct at_text_rows *rows)
{
	return (struct at_pager_source){ .user = rows, .count = count_rows, .row = fill_row,
		.text = text_of };
}
