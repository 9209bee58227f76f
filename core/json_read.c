#include "core/json_read.h"

#include <stdlib.h>
#include <string.h>

#include "core/json_keys.h"
#include "core/json_reader.h"
#include "core/mem.h"

const struct at_json_limits at_json_brief_limits = { (size_t)4 << 20, 64 };
const struct at_json_limits at_json_settings_limits = { (size_t)16 << 20, 64 };

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static void skip_space(struct at_json_reader *r)
{
	while (r->p < r->end && is_space(*r->p))
		r->p++;
}

static struct at_json_node *add_node(struct at_json_reader *r, enum at_json_kind kind)
{
	struct at_json *doc = r->doc;
	struct at_json_node *node;

	doc->nodes = at_grow(doc->nodes, &r->cap, doc->count, sizeof(*doc->nodes));
	node = &doc->nodes[doc->count];
	*node = (struct at_json_node){ .kind = kind,
		.start = (uint32_t)(r->p - r->text),
		.parent = r->container,
		.next = AT_JSON_NONE };
	if (r->last != AT_JSON_NONE)
		doc->nodes[r->last].next = doc->count;
	if (r->container != AT_JSON_NONE)
		doc->nodes[r->container].count++;
	r->last = doc->count++;
	return node;
}

static void end_node(struct at_json_reader *r)
{
	r->doc->nodes[r->last].end = (uint32_t)(r->p - r->text);
}

static const struct word {
	const char *text;
	enum at_json_kind kind;
} words[] = {
	{ "null", AT_JSON_NULL },
	{ "false", AT_JSON_FALSE },
	{ "true", AT_JSON_TRUE },
};

static bool read_word(struct at_json_reader *r)
{
	static const char *const numbers[] = { "NaN", "Infinity", ".", "+" };

	for (size_t i = 0; i < AT_LEN(words); i++) {
		size_t len = strlen(words[i].text);

		if (!at_json_starts_with(r, words[i].text))
			continue;
		if (r->p + len < r->end && at_json_is_word(r->p[len]))
			break;
		add_node(r, words[i].kind);
		r->p += len;
		end_node(r);
		return true;
	}
	for (size_t i = 0; i < AT_LEN(numbers); i++)
		if (at_json_starts_with(r, numbers[i]))
			return at_json_scan_number(r);
	return at_json_refuse_here(r, "a value");
}

static bool is_object(const struct at_json_reader *r)
{
	return r->doc->nodes[r->container].kind == AT_JSON_OBJECT;
}

static bool open_container(struct at_json_reader *r)
{
	if (r->depth == r->max_depth)
		return at_json_refuse(r, AT_JSON_BAD_DEPTH, r->p,
			"more than %u arrays and objects inside each other", r->max_depth);
	add_node(r, *r->p == '{' ? AT_JSON_OBJECT : AT_JSON_ARRAY);
	r->p++;
	r->depth++;
	r->container = r->last;
	r->last = AT_JSON_NONE;
	return true;
}

static bool close_container(struct at_json_reader *r)
{
	struct at_json *doc = r->doc;
	struct at_json_node *node = &doc->nodes[r->container];
	uint32_t twice;

	r->p++;
	r->depth--;
	r->last = r->container;
	r->container = node->parent;
	end_node(r);
	if (node->kind != AT_JSON_OBJECT || node->count < 2)
		return true;
	twice = at_json_mark_duplicates(doc, r->last);
	if (twice == AT_JSON_NONE || r->flags & AT_JSON_ALLOW_DUPLICATES)
		return true;
	node = &doc->nodes[twice];
	return at_json_refuse(r, AT_JSON_BAD_DUPLICATE_KEY, r->text + node->key_start,
		"the key %.*s is given twice in one object",
		(int)(node->key_end - node->key_start > 120 ? 120
							    : node->key_end - node->key_start),
		r->text + node->key_start);
}

static bool at_closer(const struct at_json_reader *r)
{
	return r->p < r->end && *r->p == (is_object(r) ? '}' : ']');
}

/* A key with its colon, read before the node that bears it exists. */
struct key {
	uint32_t start, end;
	bool escaped;
};

static bool read_key(struct at_json_reader *r, struct key *key)
{
	*key = (struct key){ 0 };
	if (r->container == AT_JSON_NONE || !is_object(r))
		return true;
	if (r->p == r->end || *r->p != '"')
		return at_json_refuse_here(r, "a key in double quotes");
	key->start = (uint32_t)(r->p - r->text);
	if (!at_json_scan_string(r, &key->escaped))
		return false;
	key->end = (uint32_t)(r->p - r->text);
	skip_space(r);
	if (r->p == r->end || *r->p != ':')
		return at_json_refuse_here(r, "a colon");
	r->p++;
	skip_space(r);
	return true;
}

static bool read_scalar(struct at_json_reader *r)
{
	bool escaped = false;

	if (*r->p == '"') {
		uint32_t node = r->doc->count;

		add_node(r, AT_JSON_STRING);
		if (!at_json_scan_string(r, &escaped))
			return false;
		r->doc->nodes[node].escaped = escaped;
	} else if (*r->p == '-' || (*r->p >= '0' && *r->p <= '9')) {
		add_node(r, AT_JSON_NUMBER);
		if (!at_json_scan_number(r))
			return false;
	} else {
		return read_word(r);
	}
	end_node(r);
	return true;
}

/* Reads a value up to its end, or a container up to its first child. */
static bool read_value(struct at_json_reader *r)
{
	uint32_t node = r->doc->count;
	struct key key;

	if (!read_key(r, &key))
		return false;
	if (r->p == r->end)
		return at_json_refuse_here(r, "a value");
	if (*r->p == '{' || *r->p == '[') {
		if (!open_container(r))
			return false;
	} else if (!read_scalar(r)) {
		return false;
	}
	r->doc->nodes[node].key_start = key.start;
	r->doc->nodes[node].key_end = key.end;
	r->doc->nodes[node].key_escaped = key.escaped;
	return true;
}

/* Passes what stands between two values: closing brackets and one comma. */
static bool read_between(struct at_json_reader *r)
{
	const char *comma;

	skip_space(r);
	while (r->container != AT_JSON_NONE && at_closer(r)) {
		if (!close_container(r))
			return false;
		skip_space(r);
	}
	if (r->container == AT_JSON_NONE)
		return true;
	if (r->last == AT_JSON_NONE) /* an open container before its first child */
		return true;
	if (r->p == r->end || *r->p != ',')
		return at_json_refuse_here(r, is_object(r) ? "a comma or }" : "a comma or ]");
	comma = r->p++;
	skip_space(r);
	if (at_closer(r))
		return at_json_refuse(r, AT_JSON_BAD_TRAILING_COMMA, comma,
			"a comma stands before the closing %c", *r->p);
	return true;
}

static bool read_document(struct at_json_reader *r)
{
	do {
		if (!read_value(r) || !read_between(r))
			return false;
	} while (r->container != AT_JSON_NONE);
	if (r->p == r->end)
		return true;
	if (at_json_is_comment(r))
		return at_json_refuse_here(r, "the end");
	return at_json_refuse(
		r, AT_JSON_BAD_TRAILING_TEXT, r->p, "something follows the end of the value");
}

/* A NUL is never JSON: beside another byte at the start it tells UTF-16 or UTF-32. */
static bool is_utf16(struct at_bytes text)
{
	const unsigned char *p = (const unsigned char *)text.data;

	if (text.len < 2)
		return false;
	return (p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff) ||
		(p[0] == 0) != (p[1] == 0);
}

static bool read_start(struct at_json_reader *r)
{
	struct at_bytes text = r->doc->text;

	if (is_utf16(text))
		return at_json_refuse(
			r, AT_JSON_BAD_UTF16, r->p, "this is UTF-16 text, JSON is UTF-8");
	r->doc->bom = at_json_starts_with(r, "\xef\xbb\xbf");
	if (r->doc->bom && !(r->flags & AT_JSON_ALLOW_BOM))
		return at_json_refuse(
			r, AT_JSON_BAD_BOM, r->p, "a byte order mark stands before the text");
	if (r->doc->bom)
		r->p += 3;
	skip_space(r);
	if (r->p == r->end)
		return at_json_refuse(
			r, AT_JSON_BAD_EMPTY, r->text, "there is nothing but white space in it");
	return true;
}

bool at_json_read(struct at_json *out, struct at_bytes text, const struct at_json_limits *limits,
	unsigned flags, struct at_error *err)
{
	struct at_json_reader r = { .doc = out,
		.container = AT_JSON_NONE,
		.last = AT_JSON_NONE,
		.max_depth = limits->depth,
		.flags = flags,
		.err = err };

	if (!text.data)
		text = (struct at_bytes){ "", 0 };
	r.text = r.p = text.data;
	r.end = text.data + text.len;
	*out = (struct at_json){ .text = text };
	if (text.len > limits->bytes || text.len >= UINT32_MAX) {
		*out = (struct at_json){ 0 };
		return at_json_refuse(&r, AT_JSON_BAD_SIZE, r.text,
			"%zu bytes are more than the %zu that are read", text.len, limits->bytes);
	}
	if (read_start(&r) && read_document(&r))
		return true;
	at_json_free(out);
	return false;
}

void at_json_free(struct at_json *doc)
{
	free(doc->nodes);
	*doc = (struct at_json){ 0 };
}
