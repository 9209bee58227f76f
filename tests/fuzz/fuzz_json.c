/* Reads whatever comes; what is JSON is edited, and edits must be exact: every old byte
 * stands while something is added, and taking it out gives the old bytes back. (WIRE-3) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json_edit.h"
#include "core/json_style.h"
#include "core/json_text.h"
#include "core/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "violated: %s (line %d)\n", #truth, __LINE__); \
			abort(); \
		} \
	} while (0)

enum { ALL_FLAGS = AT_JSON_ALLOW_BOM | AT_JSON_ALLOW_DUPLICATES };

static const char *const values[] = { "\"new\"", "[1, {\"a\": []}]", "{\"k\":[[2],3]}" };

static struct at_json must_read(const struct at_buf *text)
{
	struct at_error err;
	struct at_json doc;

	if (!at_json_read(&doc, at_buf_bytes(text), &at_json_settings_limits, ALL_FLAGS, &err)) {
		fprintf(stderr, "%s\n", err.message);
		abort();
	}
	return doc;
}

static uint32_t child(const struct at_json *doc, uint32_t container, uint32_t index)
{
	uint32_t i = at_json_first(doc, container);

	while (index--)
		i = doc->nodes[i].next;
	return i;
}

static void add(
	struct at_json_edit *edit, const struct at_json *doc, uint32_t container, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct at_bytes value = at_bytes_of(values[(doc->text.len + i) % AT_LEN(values)]);
		char key[64];

		snprintf(key, sizeof(key), "a key \"nobody\" has %u", i);
		if (at_json_is(doc, container, AT_JSON_ARRAY))
			at_json_edit_append(edit, container, value);
		else
			at_json_edit_add_member(edit, container, key, value);
	}
}

/* The one case that is not given back: an empty container closed as the editor closes one
 * comes back with nothing inside. */
static bool is_the_exception(const struct at_json *doc, uint32_t container, struct at_bytes text)
{
	const struct at_json_node *n = &doc->nodes[container];
	size_t inside = n->end - n->start - 2, tail = doc->text.len - (n->end - 1);
	struct at_bytes indent = at_json_indent(doc, container);
	const char *space = doc->text.data + n->start + 1;
	struct at_json_style style;

	at_json_style_of(&style, doc);
	return n->count == 0 && inside == style.newline.len + indent.len &&
		memcmp(space, style.newline.data, style.newline.len) == 0 &&
		memcmp(space + style.newline.len, indent.data, indent.len) == 0 &&
		text.len == doc->text.len - inside &&
		memcmp(text.data, doc->text.data, n->start + 1) == 0 &&
		memcmp(text.data + n->start + 1, doc->text.data + n->end - 1, tail) == 0;
}

static void only_inserted(struct at_bytes old, struct at_bytes new)
{
	size_t prefix = 0, suffix = 0;

	while (prefix < old.len && old.data[prefix] == new.data[prefix])
		prefix++;
	while (suffix < old.len - prefix &&
		old.data[old.len - 1 - suffix] == new.data[new.len - 1 - suffix])
		suffix++;
	CHECK(prefix + suffix == old.len);
}

static void add_and_remove(const struct at_json *doc, uint32_t container, unsigned count)
{
	struct at_json_edit *edit = at_json_edit_new(doc);
	struct at_buf added = { 0 }, back = { 0 };
	uint32_t old = doc->nodes[container].count;
	struct at_json again;
	struct at_error err;

	add(edit, doc, container, count);
	if (!at_json_edit_apply(edit, &added, &err)) {
		at_json_edit_free(edit); /* too deep now, or the key was there */
		return;
	}
	at_json_edit_free(edit);
	only_inserted(doc->text, at_buf_bytes(&added));
	again = must_read(&added);
	CHECK(again.nodes[container].count == old + count);
	edit = at_json_edit_new(&again);
	for (unsigned i = 0; i < count; i++)
		at_json_edit_remove(edit, child(&again, container, old + i));
	CHECK(at_json_edit_apply(edit, &back, &err));
	CHECK(at_bytes_equal(doc->text, at_buf_bytes(&back)) ||
		is_the_exception(doc, container, at_buf_bytes(&back)));
	at_json_edit_free(edit);
	at_json_free(&again);
	at_buf_free(&added);
	at_buf_free(&back);
}

/* Children whose bit of `mask` is set go, `count` come: the others stand as they were. */
static void remove_some(
	const struct at_json *doc, uint32_t container, uint64_t mask, unsigned count)
{
	struct at_json_edit *edit = at_json_edit_new(doc);
	struct at_buf out = { 0 };
	uint32_t index = 0, kept = 0, j;
	struct at_json again;
	struct at_error err;

	at_json_each(doc, i, container) {
		if (mask >> (index++ % 64) & 1)
			at_json_edit_remove(edit, i);
		else
			kept++;
	}
	add(edit, doc, container, count);
	if (!at_json_edit_apply(edit, &out, &err)) {
		CHECK(count > 0);
		at_json_edit_free(edit);
		return;
	}
	again = must_read(&out);
	CHECK(again.nodes[container].count == kept + count);
	j = at_json_first(&again, container);
	index = 0;
	at_json_each(doc, i, container) {
		const struct at_json_node *a = &doc->nodes[i], *b = &again.nodes[j];

		if (mask >> (index++ % 64) & 1)
			continue;
		CHECK(at_bytes_equal(at_json_raw(doc, i), at_json_raw(&again, j)));
		CHECK(a->key_end - a->key_start == b->key_end - b->key_start);
		CHECK(memcmp(doc->text.data + a->key_start, again.text.data + b->key_start,
			      a->key_end - a->key_start) == 0);
		j = b->next;
	}
	at_json_edit_free(edit);
	at_json_free(&again);
	at_buf_free(&out);
}

static void replace_and_compare(const struct at_json *doc, uint32_t node)
{
	struct at_json_edit *edit = at_json_edit_new(doc);
	struct at_buf out = { 0 };
	struct at_json again;
	struct at_error err;

	at_json_edit_replace(edit, node, at_json_raw(doc, node));
	CHECK(at_json_edit_apply(edit, &out, &err));
	again = must_read(&out);
	CHECK(again.count == doc->count);
	CHECK(at_json_equal(doc, AT_JSON_ROOT, &again, AT_JSON_ROOT));
	CHECK(at_json_hash(doc, AT_JSON_ROOT) == at_json_hash(&again, AT_JSON_ROOT));
	at_json_edit_free(edit);
	at_json_free(&again);
	at_buf_free(&out);
}

static void look(const struct at_json *doc)
{
	struct at_arena *arena = at_arena_new();
	uint32_t step = doc->count / 64 + 1;

	for (uint32_t i = 0; i < doc->count; i += step) {
		struct at_bytes text = at_json_string(doc, i, arena);
		const char *p = text.data;
		uint32_t code;

		while (p < text.data + text.len)
			CHECK(at_utf8_take(&p, text.data + text.len, &code));
		at_json_pointer(doc, i, arena);
	}
	at_arena_free(arena);
}

static void edit_some(const struct at_json *doc, uint64_t seed)
{
	uint32_t step = doc->count / 6 + 1;

	for (uint32_t i = 0; i < doc->count; i += step) {
		replace_and_compare(doc, i);
		if (doc->nodes[i].kind < AT_JSON_ARRAY)
			continue;
		add_and_remove(doc, i, 1);
		add_and_remove(doc, i, 2);
		remove_some(doc, i, seed, 0);
		remove_some(doc, i, seed, 2);
		remove_some(doc, i, UINT64_MAX, 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct at_bytes text = { (const char *)data, size };
	struct at_error err;
	struct at_json doc;
	uint64_t seed = size;
	bool strict;

	for (size_t i = 0; i < size; i++)
		seed = at_json_mix(seed, data[i]);
	strict = at_json_read(&doc, text, &at_json_brief_limits, 0, &err);
	CHECK(strict || (err.line && err.column && err.id[0] && err.message[0]));
	if (strict)
		at_json_free(&doc);
	if (!at_json_read(&doc, text, &at_json_settings_limits, ALL_FLAGS, &err)) {
		CHECK(!strict);
		return 0;
	}
	CHECK(strict == (!doc.bom && !doc.duplicates));
	CHECK(at_json_equal(&doc, AT_JSON_ROOT, &doc, AT_JSON_ROOT));
	look(&doc);
	edit_some(&doc, seed);
	at_json_free(&doc);
	return 0;
}
