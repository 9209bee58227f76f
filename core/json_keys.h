/* json_keys.h - the keys of one object, sorted so that equal ones stand together.
 *
 * For the reader, which looks for duplicates, and for comparing. Sorted by hash, then
 * by text: hostile keys with equal hashes cost no more than others.
 */
#ifndef AT_JSON_KEYS_H
#define AT_JSON_KEYS_H

#include "core/json_read.h"
#include "core/json_text.h"

struct at_json_key {
	uint64_t hash;
	struct at_json_text text;
	uint32_t node;
};

#define AT_JSON_FEW 16 /* up to here keys are kept without allocating */

struct at_json_keys {
	struct at_json_key *key; /* `few`, or from the heap */
	size_t count;
	struct at_json_key few[AT_JSON_FEW];
};

struct at_json_text at_json_key_text(const struct at_json *doc, uint32_t node);
struct at_json_text at_json_string_text(const struct at_json *doc, uint32_t node);

/* All members; equal keys in the order of the text. */
void at_json_keys_of(struct at_json_keys *out, const struct at_json *doc, uint32_t object);

/* Leaves the last of each run of equal keys. */
void at_json_keys_last(struct at_json_keys *keys);
void at_json_keys_free(struct at_json_keys *keys);

bool at_json_key_equal(const struct at_json_key *a, const struct at_json_key *b);

/* Sets `duplicate` in the nodes concerned and counts them in the document. Returns the
 * first such member, or AT_JSON_NONE. */
uint32_t at_json_mark_duplicates(struct at_json *doc, uint32_t object);

#endif
