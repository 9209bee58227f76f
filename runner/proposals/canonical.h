/* canonical.h - canonical JSON of values that are built here.
 *
 * core/json_canonical.h spells documents that were read; this builds an object member by member in
 * the same spelling, NUL and all, for ledger rows and records. It knows no format.
 * (reference-ledgers 3.10, 3.13, 5)
 */
#ifndef AT_PROPOSAL_CANONICAL_H
#define AT_PROPOSAL_CANONICAL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/json_canonical.h"

/* An object in the making; all zero is an empty one. A key that is set again has the new value. */
struct at_canonical_object {
	struct at_canonical_member *members;
	size_t count, cap;
};

/* Keys are of our own: plain ASCII, borrowed, valid as long as the object. Text is copied and may
 * hold NUL; bytes that are no UTF-8 become U+FFFD. */
void at_canonical_set_text(
	struct at_canonical_object *object, const char *key, struct at_bytes text);
void at_canonical_set_number(struct at_canonical_object *object, const char *key, long long value);
void at_canonical_set_bool(struct at_canonical_object *object, const char *key, bool value);
void at_canonical_set_null(struct at_canonical_object *object, const char *key);
/* A value that is canonical already, in the form the object will be put in: an inner object, a
 * list. Copied. */
void at_canonical_set_raw(
	struct at_canonical_object *object, const char *key, struct at_bytes value);
void at_canonical_unset(struct at_canonical_object *object, const char *key);

/* Appends the object, SPACED or COMPACT. */
void at_canonical_object_put(
	struct at_buf *out, const struct at_canonical_object *object, enum at_canonical form);
void at_canonical_object_free(struct at_canonical_object *object); /* leaves it empty, usable */

/* Appends a list of texts. */
void at_canonical_put_texts(
	struct at_buf *out, const char *const *texts, size_t count, enum at_canonical form);

#endif
