#include "runner/readfs/tools.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json_text.h"
#include "core/mem.h"

enum argument { PATH, PATTERN, GLOB, OFFSET, LENGTH, REGEX, IGNORE_CASE, ARGUMENTS };
#define BIT(argument) (1u << (argument))

static const struct row {
	const char *name, *type, *description;
	size_t at; /* in struct at_readfs_args */
} rows[ARGUMENTS] = {
#define AT(member) offsetof(struct at_readfs_args, member)
	[PATH] = { "path", "string", "Below the root; the root itself when left out.", AT(path) },
	[PATTERN] = { "pattern", "string", "What to look for.", AT(pattern) },
	[GLOB] = { "glob", "string", "Only in files whose name fits, as *.c or src/**/*.h.",
		AT(glob) },
	[OFFSET] = { "offset", "integer", "First byte; 0 when left out.", AT(offset) },
	[LENGTH] = { "length", "integer", "Bytes at most; 262144 is the most.", AT(length) },
	[REGEX] = { "regex", "boolean", "The pattern is a POSIX extended regular expression.",
		AT(regex) },
	[IGNORE_CASE] = { "ignore_case", "boolean", "Letters of either case.", AT(ignore_case) },
};

const struct at_readfs_tool at_readfs_tools[5] = {
	{ "read_file", "Reads a UTF-8 text file of the project.",
		BIT(PATH) | BIT(OFFSET) | BIT(LENGTH), BIT(PATH), at_readfs_read_file },
	{ "list_dir", "Lists a directory of the project: kind, size and name, one a line.",
		BIT(PATH), 0, at_readfs_list_dir },
	{ "find", "Finds files and directories below a path by a name pattern (*, ?, [a-z], **).",
		BIT(PATH) | BIT(PATTERN), BIT(PATTERN), at_readfs_find_files },
	{ "grep", "Finds lines that hold a text, in the UTF-8 files below a path.",
		BIT(PATH) | BIT(PATTERN) | BIT(GLOB) | BIT(REGEX) | BIT(IGNORE_CASE), BIT(PATTERN),
		at_readfs_grep },
	{ "stat", "Tells kind, size, mode and time of change of a path.", BIT(PATH), BIT(PATH),
		at_readfs_stat },
};

const struct at_readfs_tool *at_readfs_tool(struct at_bytes name)
{
	for (size_t i = 0; i < AT_LEN(at_readfs_tools); i++)
		if (at_bytes_equal_text(name, at_readfs_tools[i].name))
			return &at_readfs_tools[i];
	return NULL;
}

static void print_schema(struct at_buf *out, const struct at_readfs_tool *tool)
{
	const char *comma = "";

	at_buf_puts(out, "{\"type\":\"object\",\"properties\":{");
	for (unsigned i = 0; i < ARGUMENTS; i++) {
		if (!(tool->takes & BIT(i)))
			continue;
		at_buf_printf(out, "%s\"%s\":{\"type\":\"%s\",\"description\":\"%s\"}", comma,
			rows[i].name, rows[i].type, rows[i].description);
		comma = ",";
	}
	at_buf_puts(out, "},\"required\":[");
	comma = "";
	for (unsigned i = 0; i < ARGUMENTS; i++) {
		if (!(tool->needs & BIT(i)))
			continue;
		at_buf_printf(out, "%s\"%s\"", comma, rows[i].name);
		comma = ",";
	}
	at_buf_puts(out, "],\"additionalProperties\":false}");
}

void at_readfs_print_tools(struct at_buf *out)
{
	at_buf_putc(out, '[');
	for (size_t i = 0; i < AT_LEN(at_readfs_tools); i++) {
		at_buf_printf(out,
			"%s{\"name\":\"%s\",\"description\":\"%s\",\"inputSchema\":", i ? "," : "",
			at_readfs_tools[i].name, at_readfs_tools[i].description);
		print_schema(out, &at_readfs_tools[i]);
		at_buf_puts(out, ",\"annotations\":{\"readOnlyHint\":true}}");
	}
	at_buf_putc(out, ']');
}

/* Digits alone: what else JSON calls a number is none here. */
static bool read_integer(long long *out, struct at_bytes raw)
{
	*out = 0;
	if (!raw.len || raw.len > 15)
		return false;
	for (size_t i = 0; i < raw.len; i++) {
		if (raw.data[i] < '0' || raw.data[i] > '9')
			return false;
		*out = *out * 10 + (raw.data[i] - '0');
	}
	return true;
}

static bool read_one(struct at_readfs_args *out, const struct row *row, const struct at_json *doc,
	uint32_t node, struct at_arena *arena)
{
	char *at = (char *)out + row->at;

	switch (row->type[0]) {
	case 's':
		if (!at_json_is(doc, node, AT_JSON_STRING))
			return false;
		*(struct at_bytes *)(void *)at = at_json_string(doc, node, arena);
		return true;
	case 'i':
		return at_json_is(doc, node, AT_JSON_NUMBER)
			&& read_integer((long long *)(void *)at, at_json_raw(doc, node));
	default:
		*(bool *)(void *)at = at_json_is(doc, node, AT_JSON_TRUE);
		return *(bool *)(void *)at || at_json_is(doc, node, AT_JSON_FALSE);
	}
}

bool at_readfs_read_args(struct at_readfs_args *out, const struct at_readfs_tool *tool,
	const struct at_json *doc, uint32_t object, struct at_arena *arena, struct at_error *err)
{
	size_t given = 0;

	*out = (struct at_readfs_args){ .offset = -1, .length = -1 };
	for (unsigned i = 0; i < ARGUMENTS; i++) {
		uint32_t node = at_json_member(doc, object, rows[i].name);

		if (node == AT_JSON_NONE) {
			if (tool->needs & BIT(i))
				return at_fail(err, AT_EINVALID, "`%s` is missing", rows[i].name);
			continue;
		}
		if (!(tool->takes & BIT(i)))
			return at_fail(
				err, AT_EINVALID, "%s takes no `%s`", tool->name, rows[i].name);
		if (!read_one(out, &rows[i], doc, node, arena))
			return at_fail(err, AT_EINVALID, "`%s` is no %s that can be taken",
				rows[i].name, rows[i].type);
		given++;
	}
	if (object != AT_JSON_NONE && doc->nodes[object].count > given)
		return at_fail(err, AT_EINVALID, "an argument is none of %s", tool->name);
	return true;
}

void at_readfs_result_free(struct at_readfs_result *result)
{
	at_buf_free(&result->text);
	at_buf_free(&result->note);
}

static void print_text(struct at_buf *out, const struct at_buf *text)
{
	at_buf_puts(out, "{\"type\":\"text\",\"text\":");
	at_json_text_quote(out, at_buf_bytes(text), false);
	at_buf_putc(out, '}');
}

void at_readfs_print_result(struct at_buf *out, const struct at_readfs_result *result)
{
	at_buf_puts(out, "{\"content\":[");
	print_text(out, &result->text);
	if (result->note.len) {
		at_buf_putc(out, ',');
		print_text(out, &result->note);
	}
	at_buf_printf(out, "],\"isError\":%s}", result->is_error ? "true" : "false");
}

void at_readfs_refuse(struct at_readfs_result *out, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	at_readfs_result_free(out);
	at_buf_puts(&out->text, text);
	out->is_error = true;
}

const char *at_readfs_kind(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return "file";
	case S_IFDIR:
		return "directory";
	case S_IFLNK:
		return "link";
	default:
		return "other";
	}
}

void at_readfs_put_name(struct at_buf *out, const char *name)
{
	at_json_text_quote(out, at_bytes_of(name), false);
}
