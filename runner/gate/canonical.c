#include "runner/gate/canonical.h"

#include <stdlib.h>

#include "core/json_keys.h"
#include "core/mem.h"

static int by_text(const void *a, const void *b)
{
	const struct at_json_key *one = a, *other = b;

	return at_json_text_compare(one->text, other->text);
}

static void put_string(struct at_buf *out, struct at_json_text text)
{
	char *plain = at_alloc(text.len);
	size_t len = at_json_text_plain(plain, text);

	at_json_text_quote(out, (struct at_bytes){ plain, len }, true);
	free(plain);
}

static void put_object(struct at_buf *out, const struct at_json *doc, uint32_t node)
{
	struct at_json_keys keys;

	at_json_keys_of(&keys, doc, node);
	at_json_keys_last(&keys);
	qsort(keys.key, keys.count, sizeof(*keys.key), by_text);
	at_buf_putc(out, '{');
	for (size_t i = 0; i < keys.count; i++) {
		if (i)
			at_buf_putc(out, ',');
		put_string(out, keys.key[i].text);
		at_buf_putc(out, ':');
		gate_canonical(out, doc, keys.key[i].node);
	}
	at_buf_putc(out, '}');
	at_json_keys_free(&keys);
}

static void put_array(struct at_buf *out, const struct at_json *doc, uint32_t node)
{
	bool more = false;

	at_buf_putc(out, '[');
	at_json_each(doc, i, node) {
		if (more)
			at_buf_putc(out, ',');
		more = true;
		gate_canonical(out, doc, i);
	}
	at_buf_putc(out, ']');
}

void gate_canonical(struct at_buf *out, const struct at_json *doc, uint32_t node)
{
	struct at_bytes raw;

	if (node == AT_JSON_NONE) {
		at_buf_puts(out, "null");
	} else if (at_json_is(doc, node, AT_JSON_OBJECT)) {
		put_object(out, doc, node);
	} else if (at_json_is(doc, node, AT_JSON_ARRAY)) {
		put_array(out, doc, node);
	} else if (at_json_is(doc, node, AT_JSON_STRING)) {
		put_string(out, at_json_string_text(doc, node));
	} else {
		raw = at_json_raw(doc, node);
		at_buf_put(out, raw.data, raw.len);
	}
}
