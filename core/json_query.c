#include <stdio.h>
#include <string.h>

#include "core/json_keys.h"
#include "core/json_read.h"
#include "core/json_text.h"
#include "core/mem.h"

void at_json_position(struct at_bytes text, size_t offset, unsigned *line, unsigned *column)
{
	size_t line_start = 0;

	*line = 1;
	for (size_t i = 0; i < offset && i < text.len; i++) {
		bool pair = text.data[i] == '\r' && i + 1 < text.len && text.data[i + 1] == '\n';

		if ((text.data[i] != '\n' && text.data[i] != '\r') || pair)
			continue;
		++*line;
		line_start = i + 1;
	}
	*column = (unsigned)(offset - line_start) + 1;
}

uint32_t at_json_first(const struct at_json *doc, uint32_t parent)
{
	if (parent >= doc->count || doc->nodes[parent].count == 0)
		return AT_JSON_NONE;
	return parent + 1;
}

bool at_json_is(const struct at_json *doc, uint32_t node, enum at_json_kind kind)
{
	return node < doc->count && doc->nodes[node].kind == kind;
}

/* `plain` may hold a backslash that means itself, so it is never compared as escaped. */
static bool means(struct at_json_text text, const char *plain, size_t len)
{
	const char *p = text.data, *end = p + text.len, *q = plain, *q_end = plain + len;

	if (!text.escaped)
		return text.len == len && memcmp(p, plain, len) == 0;
	while (p < end && q < q_end) {
		uint32_t code;

		if (!at_utf8_take(&q, q_end, &code) || at_json_text_next(&p, end) != code)
			return false;
	}
	return p == end && q == q_end;
}

static uint32_t find_member(const struct at_json *doc, uint32_t object, const char *key, size_t len)
{
	uint32_t found = AT_JSON_NONE;

	if (!at_json_is(doc, object, AT_JSON_OBJECT))
		return AT_JSON_NONE;
	at_json_each(doc, i, object)
		if (means(at_json_key_text(doc, i), key, len))
			found = i;
	return found;
}

uint32_t at_json_member(const struct at_json *doc, uint32_t object, const char *key)
{
	return find_member(doc, object, key, strlen(key));
}

uint32_t at_json_at(const struct at_json *doc, const char *dotted)
{
	uint32_t node = AT_JSON_ROOT;

	while (node != AT_JSON_NONE && *dotted) {
		size_t len = strcspn(dotted, ".");

		node = find_member(doc, node, dotted, len);
		dotted += len + (dotted[len] == '.');
	}
	return node < doc->count ? node : AT_JSON_NONE;
}

static struct at_bytes plain_copy(struct at_json_text text, struct at_arena *arena)
{
	char *copy;

	if (!text.escaped)
		return (struct at_bytes){ at_arena_strndup(arena, text.data, text.len), text.len };
	copy = at_arena_alloc(arena, text.len + 1);
	return (struct at_bytes){ copy, at_json_text_plain(copy, text) };
}

struct at_bytes at_json_string(const struct at_json *doc, uint32_t node, struct at_arena *arena)
{
	if (!at_json_is(doc, node, AT_JSON_STRING))
		return (struct at_bytes){ "", 0 };
	return plain_copy(at_json_string_text(doc, node), arena);
}

struct at_bytes at_json_key(const struct at_json *doc, uint32_t node, struct at_arena *arena)
{
	if (node >= doc->count || doc->nodes[node].key_end == 0)
		return (struct at_bytes){ "", 0 };
	return plain_copy(at_json_key_text(doc, node), arena);
}

bool at_json_string_is(const struct at_json *doc, uint32_t node, const char *text)
{
	return at_json_is(doc, node, AT_JSON_STRING) &&
		means(at_json_string_text(doc, node), text, strlen(text));
}

struct at_bytes at_json_raw(const struct at_json *doc, uint32_t node)
{
	if (node >= doc->count)
		return (struct at_bytes){ "", 0 };
	return (struct at_bytes){ doc->text.data + doc->nodes[node].start,
		doc->nodes[node].end - doc->nodes[node].start };
}

static void put_key_token(struct at_buf *out, struct at_bytes key)
{
	for (size_t i = 0; i < key.len; i++) {
		switch (key.data[i]) {
		case '~':
			at_buf_puts(out, "~0");
			break;
		case '/':
			at_buf_puts(out, "~1");
			break;
		case '\0': /* would end the pointer and name another value */
			at_buf_puts(out, "\xef\xbf\xbd");
			break;
		default:
			at_buf_putc(out, key.data[i]);
		}
	}
}

static void put_token(
	struct at_buf *out, const struct at_json *doc, uint32_t node, struct at_arena *arena)
{
	uint32_t parent = doc->nodes[node].parent;
	size_t index = 0;

	at_buf_putc(out, '/');
	if (doc->nodes[parent].kind == AT_JSON_OBJECT) {
		put_key_token(out, at_json_key(doc, node, arena));
		return;
	}
	for (uint32_t i = parent + 1; i != node; i = doc->nodes[i].next)
		index++;
	at_buf_printf(out, "%zu", index);
}

const char *at_json_pointer(const struct at_json *doc, uint32_t node, struct at_arena *arena)
{
	struct at_buf out = { 0 };
	uint32_t *path;
	size_t depth = 0;
	char *copy;

	if (node >= doc->count)
		return "";
	for (uint32_t i = node; i != AT_JSON_ROOT; i = doc->nodes[i].parent)
		depth++;
	path = at_arena_alloc(arena, depth * sizeof(*path));
	for (uint32_t i = node; i != AT_JSON_ROOT; i = doc->nodes[i].parent)
		path[--depth] = i;
	for (uint32_t i = node; i != AT_JSON_ROOT; i = doc->nodes[i].parent)
		put_token(&out, doc, path[depth++], arena);
	copy = at_arena_strndup(arena, at_buf_text(&out), out.len);
	at_buf_free(&out);
	return copy;
}
