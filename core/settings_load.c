#include "core/settings_load.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

/* Where a string that starts at `i` ends: past its quote, or at the end of the text. */
static size_t skip_string(struct at_bytes text, size_t i)
{
	for (i++; i < text.len && text.data[i] != '"'; i++)
		if (text.data[i] == '\\')
			i++;
	return i < text.len ? i + 1 : text.len;
}

static size_t comment_end(struct at_bytes text, size_t i)
{
	const char *p = text.data;

	if (p[i + 1] == '/') {
		while (i < text.len && p[i] != '\n')
			i++;
		return i;
	}
	for (i += 2; i + 1 < text.len; i++)
		if (p[i] == '*' && p[i + 1] == '/')
			return i + 2;
	return text.len;
}

static void blank(char *from, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (from[i] != '\n' && from[i] != '\r')
			from[i] = ' ';
}

static bool is_comment(struct at_bytes text, size_t i)
{
	return text.data[i] == '/' && i + 1 < text.len &&
		(text.data[i + 1] == '/' || text.data[i + 1] == '*');
}

static void blank_comments(char *copy, size_t len, struct at_relaxed *out)
{
	struct at_bytes text = { copy, len };

	for (size_t i = 0; i < len;) {
		size_t end;

		if (copy[i] == '"') {
			i = skip_string(text, i);
			continue;
		}
		if (!is_comment(text, i)) {
			i++;
			continue;
		}
		end = comment_end(text, i);
		if (out->comments++ == 0)
			out->first_comment = i;
		blank(copy + i, end - i);
		i = end;
	}
}

static void blank_commas(char *copy, size_t len, struct at_relaxed *out)
{
	struct at_bytes text = { copy, len };
	size_t comma = SIZE_MAX;

	for (size_t i = 0; i < len;) {
		if (copy[i] == '"') {
			comma = SIZE_MAX;
			i = skip_string(text, i);
			continue;
		}
		if (copy[i] == ',') {
			/* After an opening bracket or another comma it stands for nothing
			 * that could be left out: only the last one before the end counts. */
			comma = comma == SIZE_MAX ? i : SIZE_MAX;
		} else if ((copy[i] == '}' || copy[i] == ']') && comma != SIZE_MAX) {
			if (out->commas++ == 0)
				out->first_comma = comma;
			copy[comma] = ' ';
			comma = SIZE_MAX;
		} else if (!strchr(" \t\r\n", copy[i]) || copy[i] == '\0') {
			comma = SIZE_MAX;
		}
		i++;
	}
}

char *at_settings_relax(struct at_relaxed *out, struct at_bytes text)
{
	char *copy = at_alloc(text.len + 1);

	*out = (struct at_relaxed){ 0 };
	if (text.len)
		memcpy(copy, text.data, text.len);
	blank_comments(copy, text.len, out);
	blank_commas(copy, text.len, out);
	return copy;
}

uint32_t *at_settings_lines(size_t *count, struct at_bytes text)
{
	size_t cap = 0;
	uint32_t *lines = at_grow(NULL, &cap, 0, sizeof(*lines));
	const char *p = text.data, *end = text.data + text.len;

	lines[0] = 0;
	*count = 1;
	while (p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		p++;
		lines = at_grow(lines, &cap, *count, sizeof(*lines));
		lines[(*count)++] = (uint32_t)(p - text.data);
	}
	return lines;
}

struct member {
	struct at_bytes key;
	uint32_t node;
};

static int by_key(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	size_t least = x->key.len < y->key.len ? x->key.len : y->key.len;
	int order = memcmp(x->key.data, y->key.data, least);

	if (order != 0)
		return order;
	if (x->key.len != y->key.len)
		return x->key.len < y->key.len ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static void mark_object(bool *dead, const struct at_json *doc, uint32_t object,
	struct at_arena *arena)
{
	struct member *list = at_alloc(doc->nodes[object].count * sizeof(*list));
	size_t count = 0;

	at_json_each(doc, i, object)
		list[count++] = (struct member){ at_json_key(doc, i, arena), i };
	qsort(list, count, sizeof(*list), by_key);
	for (size_t i = 0; i + 1 < count; i++)
		if (at_bytes_equal(list[i].key, list[i + 1].key))
			dead[list[i].node] = true;
	free(list);
}

bool *at_settings_dead(const struct at_json *doc, struct at_arena *arena)
{
	bool *dead, *done;

	if (doc->duplicates == 0)
		return NULL;
	dead = at_arena_alloc(arena, doc->count * sizeof(*dead));
	done = at_arena_alloc(arena, doc->count * sizeof(*done));
	for (uint32_t i = 0; i < doc->count; i++) {
		uint32_t parent = doc->nodes[i].parent;

		if (doc->nodes[i].duplicate && !done[parent]) {
			done[parent] = true;
			mark_object(dead, doc, parent, arena);
		}
	}
	/* Parents stand before their children: what is below a dead member is dead. */
	for (uint32_t i = 1; i < doc->count; i++)
		dead[i] = dead[i] || dead[doc->nodes[i].parent];
	return dead;
}
