/* canonical.h - one spelling for equal JSON, so that it can be signed.
 *
 * Compact, keys sorted by code point, of equal keys the last, strings as Python escapes them,
 * numbers as they are spelled. (section 11)
 */
#ifndef AT_GATE_CANONICAL_H
#define AT_GATE_CANONICAL_H

#include <stdint.h>

#include "core/bytes.h"

struct at_json;

/* Appends the value; AT_JSON_NONE is null. Nesting is bounded by the reader. */
void gate_canonical(struct at_buf *out, const struct at_json *doc, uint32_t node);

#endif
