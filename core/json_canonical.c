#include "core/json_canonical.h"

#include <stdlib.h>
#include <string.h>

#include "core/json_keys.h"
#include "core/mem.h"

/* How one form is laid out. */
static const struct layout {
	const char *comma, *colon;
	bool is_pretty;
} layouts[] = {
	[AT_CANONICAL_SPACED] = { ", ", ": ", false },
	[AT_CANONICAL_COMPACT] = { ",", ":", false },
	[AT_CANONICAL_PRETTY] = { ",", ": ", true },
};

const char *at_canonical_comma(enum at_canonical form)
{
	return layouts[form].comma;
}

const char *at_canonical_colon(enum at_canonical form)
{
	return layouts[form].colon;
}

struct place {
	const struct layout *layout;
	unsigned depth;
};

static void put_line(struct at_buf *out, struct place place)
{
	if (!place.layout->is_pretty)
		return;
	at_buf_putc(out, '\n');
	at_buf_pad(out, ' ', (size_t)place.depth * 2);
}

static int by_text(const void *a, const void *b)
{
	const struct at_json_key *one = a, *other = b;

	return at_json_text_compare(one->text, other->text);
}

/* A row of the Python tool that holds a lone surrogate has to come out as it went in. */
static void put_string(struct at_buf *out, struct at_json_text text)
{
	const char *p = text.data, *end = p + text.len;
	struct at_buf one = { 0 };

	if (!text.escaped) {
		at_json_text_quote(out, (struct at_bytes){ text.data, text.len }, true);
		return;
	}
	at_buf_putc(out, '"');
	while (p < end) {
		uint32_t code = at_json_text_next(&p, end);
		char utf8[4];

		if (code >= 0x20 && code < 0x7f && code != '"' && code != '\\') {
			at_buf_putc(out, (char)code);
		} else if (code >= 0xd800 && code <= 0xdfff) {
			at_buf_printf(out, "\\u%04x", code);
		} else {
			one.len = 0;
			at_json_text_quote(
				&one, (struct at_bytes){ utf8, at_utf8_encode(utf8, code) }, true);
			at_buf_put(out, one.data + 1, one.len - 2);
		}
	}
	at_buf_putc(out, '"');
	at_buf_free(&one);
}

static void put(struct at_buf *out, const struct at_json *doc, uint32_t node, const char *without,
	struct place place);

static void put_object(struct at_buf *out, const struct at_json *doc, uint32_t node,
	const char *without, struct place place)
{
	struct place inner = { place.layout, place.depth + 1 };
	struct at_json_keys keys;
	bool more = false;

	at_json_keys_of(&keys, doc, node);
	at_json_keys_last(&keys);
	if (keys.count)
		qsort(keys.key, keys.count, sizeof(*keys.key), by_text);
	at_buf_putc(out, '{');
	for (size_t i = 0; i < keys.count; i++) {
		struct at_json_text name = keys.key[i].text;

		if (without
			&& at_json_text_equal(
				name, (struct at_json_text){ without, strlen(without), false }))
			continue;
		if (more)
			at_buf_puts(out, place.layout->comma);
		more = true;
		put_line(out, inner);
		put_string(out, name);
		at_buf_puts(out, place.layout->colon);
		put(out, doc, keys.key[i].node, NULL, inner);
	}
	if (more)
		put_line(out, place);
	at_buf_putc(out, '}');
	at_json_keys_free(&keys);
}

static void put_array(
	struct at_buf *out, const struct at_json *doc, uint32_t node, struct place place)
{
	struct place inner = { place.layout, place.depth + 1 };
	bool more = false;

	at_buf_putc(out, '[');
	at_json_each(doc, i, node) {
		if (more)
			at_buf_puts(out, place.layout->comma);
		more = true;
		put_line(out, inner);
		put(out, doc, i, NULL, inner);
	}
	if (more)
		put_line(out, place);
	at_buf_putc(out, ']');
}

/* Nesting is bounded by the reader. */
static void put(struct at_buf *out, const struct at_json *doc, uint32_t node, const char *without,
	struct place place)
{
	struct at_bytes raw;

	if (at_json_is(doc, node, AT_JSON_OBJECT)) {
		put_object(out, doc, node, without, place);
	} else if (at_json_is(doc, node, AT_JSON_ARRAY)) {
		put_array(out, doc, node, place);
	} else if (at_json_is(doc, node, AT_JSON_STRING)) {
		put_string(out, at_json_string_text(doc, node));
	} else if (node == AT_JSON_NONE) {
		at_buf_puts(out, "null");
	} else {
		raw = at_json_raw(doc, node);
		if (at_bytes_equal_text(raw, "-0"))
			raw = at_bytes_of("0");
		at_buf_put(out, raw.data, raw.len);
	}
}

void at_canonical_put(
	struct at_buf *out, const struct at_json *doc, uint32_t node, enum at_canonical form)
{
	put(out, doc, node, NULL, (struct place){ &layouts[form], 0 });
}

void at_canonical_put_without(struct at_buf *out, const struct at_json *doc, uint32_t object,
	const char *key, enum at_canonical form)
{
	put(out, doc, object, key, (struct place){ &layouts[form], 0 });
}

struct at_digest at_canonical_digest(
	const struct at_json *doc, uint32_t node, enum at_canonical form)
{
	struct at_buf text = { 0 };
	struct at_digest digest;

	at_canonical_put(&text, doc, node, form);
	digest = at_digest_of(at_buf_bytes(&text));
	at_buf_free(&text);
	return digest;
}
