#include "views/out.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

bool at_out_wants_colour(const char *when)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when && strcmp(when, "auto") != 0)
		return strcmp(when, "always") == 0;
	return isatty(1) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

/* By a line's first character; the rest of a report is indented or starts with a letter. */
static const char *colour_of(char sign)
{
	return sign == '+'    ? "\033[32m"
		: sign == '-' ? "\033[31m"
		: sign == '@' ? "\033[36m"
			      : NULL;
}

void at_out_diff(const struct at_buf *text, const char *when)
{
	bool colour = at_out_wants_colour(when);
	const char *line = at_buf_text(text), *end = line + text->len;

	while (line < end) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t len = newline ? (size_t)(newline - line) : (size_t)(end - line);
		const char *on = colour ? colour_of(*line) : NULL;

		if (on)
			fputs(on, stdout);
		put(stdout, (struct at_bytes){ line, len });
		if (on)
			fputs("\033[0m", stdout);
		if (newline)
			putchar('\n');
		line += len + 1;
	}
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

void at_out_notes(const struct at_buf *text)
{
	fflush(stdout);
	put(stderr, at_buf_bytes(text));
}

void at_out_note(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fflush(stdout);
	put(stderr, at_bytes_of(text));
	fputc('\n', stderr);
}

void at_out_notices(const struct at_notices *notices)
{
	fflush(stdout);
	for (size_t i = 0; i < notices->count; i++) {
		put(stderr, at_bytes_of(notices->items[i].text));
		fputc('\n', stderr);
	}
}

void at_out_notices_to_json(const struct at_notices *notices, struct at_json_value *array)
{
	for (size_t i = 0; i < notices->count; i++) {
		struct at_json_value *one = at_json_add_object(array, NULL);

		at_json_add_text(one, "id", notices->items[i].id);
		at_json_add_text(one, "text", notices->items[i].text);
	}
}

void at_out_advisories(const struct at_manifest *manifest)
{
	struct at_buf text = { 0 };

	for (size_t i = 0; i < manifest->advisory_count; i++) {
		const struct at_advisory *a = &manifest->advisories[i];

		at_buf_printf(&text, "advisory %s: %s\n", a->code, a->message);
	}
	at_out_text(&text);
	at_buf_free(&text);
}
