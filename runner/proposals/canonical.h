/* canonical.h - one spelling for equal JSON, so that it can be signed and hashed.
 *
 * Keys sorted by code point at every level, of equal keys the last, strings escaped as Python's
 * json.dumps() does with its defaults (lone surrogates as they are), integers plain. Three layouts
 * of the same: two are signed, the third is a file for people. A value comes from a document that
 * was read, or is built member by member. It reads no file and knows no format.
 * (reference-ledgers 3.10, 3.13, 5)
 */
#ifndef AT_PROPOSAL_CANONICAL_H
#define AT_PROPOSAL_CANONICAL_H

#include <stddef.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/digest.h"
#include "core/json_read.h"

enum at_canonical {
	AT_CANONICAL_SPACED,  /* `", "` and `": "`: proposal ledger, staged MAC, gate hash */
	AT_CANONICAL_COMPACT, /* `","` and `":"`: body of a direct grant, review, gate argv */
	AT_CANONICAL_PRETTY,  /* two spaces a level; no newline at the end */
};

/* Appends the value of a node. Numbers keep their spelling but for `-0`, which is 0: what is signed
 * here holds integers alone, and Python would spell a float anew. */
void at_canonical_put(struct at_buf *out, const struct at_json *doc, uint32_t node,
	enum at_canonical form);
/* The same of an object without the member `key`. */
void at_canonical_put_without(struct at_buf *out, const struct at_json *doc, uint32_t object,
	const char *key, enum at_canonical form);

/* SHA-256 of the value in one form. */
struct at_digest at_canonical_digest(const struct at_json *doc, uint32_t node,
	enum at_canonical form);

/* An object in the making; all zero is an empty one. A key that is set again has the new value. */
struct at_canonical_object {
	struct at_canonical_member *members;
	size_t count, cap;
};

/* Keys are of our own: plain ASCII, borrowed, valid as long as the object. Text is copied and may
 * hold NUL; bytes that are no UTF-8 become U+FFFD. */
void at_canonical_set_text(struct at_canonical_object *object, const char *key,
	struct at_bytes text);
void at_canonical_set_number(struct at_canonical_object *object, const char *key, long long value);
void at_canonical_set_bool(struct at_canonical_object *object, const char *key, bool value);
void at_canonical_set_null(struct at_canonical_object *object, const char *key);
/* A value that is canonical already, in the form the object will be put in: an inner object, a
 * list. Copied. */
void at_canonical_set_raw(struct at_canonical_object *object, const char *key,
	struct at_bytes value);
void at_canonical_unset(struct at_canonical_object *object, const char *key);

/* Appends the object, SPACED or COMPACT. */
void at_canonical_object_put(struct at_buf *out, const struct at_canonical_object *object,
	enum at_canonical form);
void at_canonical_object_free(struct at_canonical_object *object); /* leaves it empty, usable */

/* Appends a list of texts. */
void at_canonical_put_texts(struct at_buf *out, const char *const *texts, size_t count,
	enum at_canonical form);

#endif
