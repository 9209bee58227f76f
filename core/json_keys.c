#include "core/json_keys.h"

#include <stdlib.h>

#include "core/mem.h"

struct at_json_text at_json_key_text(const struct at_json *doc, uint32_t node)
{
	const struct at_json_node *n = &doc->nodes[node];

	return (struct at_json_text){ doc->text.data + n->key_start + 1,
		n->key_end - n->key_start - 2, n->key_escaped };
}

struct at_json_text at_json_string_text(const struct at_json *doc, uint32_t node)
{
	const struct at_json_node *n = &doc->nodes[node];

	return (struct at_json_text){ doc->text.data + n->start + 1, n->end - n->start - 2,
		n->escaped };
}

bool at_json_key_equal(const struct at_json_key *a, const struct at_json_key *b)
{
	return a->hash == b->hash && at_json_text_equal(a->text, b->text);
}

static int compare(const void *left, const void *right)
{
	const struct at_json_key *a = left, *b = right;
	int order;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	order = at_json_text_compare(a->text, b->text);
	return order ? order : (a->node > b->node) - (a->node < b->node);
}

void at_json_keys_of(struct at_json_keys *out, const struct at_json *doc, uint32_t object)
{
	size_t count = doc->nodes[object].count;

	out->key = count <= AT_JSON_FEW ? out->few : at_resize(NULL, count, sizeof(*out->key));
	out->count = 0;
	at_json_each(doc, i, object) {
		struct at_json_text text = at_json_key_text(doc, i);

		out->key[out->count++] = (struct at_json_key){ at_json_text_hash(text), text, i };
	}
	qsort(out->key, out->count, sizeof(*out->key), compare);
}

void at_json_keys_last(struct at_json_keys *keys)
{
	size_t kept = 0;

	for (size_t i = 0; i < keys->count; i++)
		if (i + 1 == keys->count || !at_json_key_equal(&keys->key[i], &keys->key[i + 1]))
			keys->key[kept++] = keys->key[i];
	keys->count = kept;
}

void at_json_keys_free(struct at_json_keys *keys)
{
	if (keys->key != keys->few)
		free(keys->key);
}

static void mark(struct at_json *doc, uint32_t node, uint32_t *first)
{
	doc->nodes[node].duplicate = true;
	doc->duplicates++;
	if (node < *first)
		*first = node;
}

/* Most objects have a handful of members: looking at each pair beats hashing them. */
static uint32_t mark_few(struct at_json *doc, uint32_t object)
{
	struct at_json_text seen[AT_JSON_FEW];
	uint32_t first = AT_JSON_NONE;
	size_t count = 0;

	at_json_each(doc, i, object) {
		seen[count] = at_json_key_text(doc, i);
		for (size_t j = 0; j < count; j++) {
			if (at_json_text_equal(seen[j], seen[count])) {
				mark(doc, i, &first);
				break;
			}
		}
		count++;
	}
	return first;
}

uint32_t at_json_mark_duplicates(struct at_json *doc, uint32_t object)
{
	uint32_t first = AT_JSON_NONE;
	struct at_json_keys keys;

	if (doc->nodes[object].count <= AT_JSON_FEW)
		return mark_few(doc, object);
	at_json_keys_of(&keys, doc, object);
	for (size_t i = 1; i < keys.count; i++)
		if (at_json_key_equal(&keys.key[i - 1], &keys.key[i]))
			mark(doc, keys.key[i].node, &first);
	at_json_keys_free(&keys);
	return first;
}
