/* json_canonical.h - one spelling for equal JSON, so that it can be signed and hashed.
 *
 * Keys sorted by code point at every level, of equal keys the last, strings escaped as Python's
 * json.dumps() does with its defaults (lone surrogates as they are), integers plain. Three layouts
 * of the same: two are signed, the third is a file for people. It reads no file and knows no
 * format; the gate's log and the ledger of proposals both sign by it.
 * (reference-ledgers 3.10, 3.13, 5)
 */
#ifndef AT_JSON_CANONICAL_H
#define AT_JSON_CANONICAL_H

#include <stdint.h>

#include "core/bytes.h"
#include "core/digest.h"
#include "core/json_read.h"

enum at_canonical {
	AT_CANONICAL_SPACED, /* `", "` and `": "`: proposal ledger, staged MAC, gate hash */
	AT_CANONICAL_COMPACT, /* `","` and `":"`: a direct grant, review, gate argv, gate log */
	AT_CANONICAL_PRETTY, /* two spaces a level; no newline at the end */
};

/* What stands between two members, and between a key and its value. */
const char *at_canonical_comma(enum at_canonical form);
const char *at_canonical_colon(enum at_canonical form);

/* Appends the value of a node; AT_JSON_NONE is null. Nesting is bounded by the reader. Numbers keep
 * their spelling but for `-0`, which is 0: what is signed holds integers alone, and Python would
 * spell a float anew. */
void at_canonical_put(
	struct at_buf *out, const struct at_json *doc, uint32_t node, enum at_canonical form);
/* The same of an object without the member `key`. */
void at_canonical_put_without(struct at_buf *out, const struct at_json *doc, uint32_t object,
	const char *key, enum at_canonical form);

/* SHA-256 of the value in one form. */
struct at_digest at_canonical_digest(
	const struct at_json *doc, uint32_t node, enum at_canonical form);

#endif
