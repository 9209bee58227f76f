#include "views/out.h"

#include <stdio.h>

#include "core/safetext.h"

static void put(FILE *to, struct at_bytes text)
{
	struct at_buf safe = { 0 };

	at_safe_text(&safe, text, true);
	fwrite(at_buf_text(&safe), 1, safe.len, to);
	at_buf_free(&safe);
}

void at_out_text(const struct at_buf *text)
{
	put(stdout, at_buf_bytes(text));
}

void at_out_json(struct at_json_value *value)
{
	struct at_buf text = { 0 };

	at_json_print(&text, value, AT_JSON_PRETTY);
	fwrite(at_buf_text(&text), 1, text.len, stdout);
	at_buf_free(&text);
	at_json_value_free(value);
}

int at_out_error(const struct at_error *err)
{
	struct at_buf text = { 0 };

	at_buf_puts(&text, "atconsole: ");
	if (*err->path)
		at_buf_puts(&text, err->path);
	if (err->line)
		at_buf_printf(&text, ":%u:%u", err->line, err->column);
	if (*err->path || err->line)
		at_buf_puts(&text, ": ");
	at_buf_printf(&text, "%s\n", err->message);
	if (*err->hint)
		at_buf_printf(&text, "  %s\n", err->hint);
	fflush(stdout);
	put(stderr, at_buf_bytes(&text));
	at_buf_free(&text);
	return at_exit_status(err->code);
}

void at_out_notices(const struct at_notices *notices)
{
	fflush(stdout);
	for (size_t i = 0; i < notices->count; i++) {
		put(stderr, at_bytes_of(notices->items[i].text));
		fputc('\n', stderr);
	}
}
