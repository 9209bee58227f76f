/* json_text.h - what stands between the quotes of a JSON string.
 *
 * UTF-8 by the letter, escapes, and comparing and hashing text without copying it.
 * For the JSON modules. It knows nothing of documents.
 */
#ifndef AT_JSON_TEXT_H
#define AT_JSON_TEXT_H

#include <stdint.h>

#include "core/utf8.h"

/* Text between the quotes, as it stands. */
struct at_json_text {
	const char *data;
	size_t len;
	bool escaped; /* it holds a backslash */
};

/* Reads the four digits of a \u escape; false where they are not hexadecimal. */
bool at_json_hex4(uint32_t *out, const char *p, const char *end);

/* Takes one character off checked text: an escape counts as what it means, a pair of
 * surrogate escapes as one character, a lone one as itself. */
uint32_t at_json_text_next(const char **p, const char *end);

/* Resolves escapes into `out`, which has room for `text.len` bytes; a lone surrogate
 * becomes U+FFFD. Returns the length. */
size_t at_json_text_plain(char *out, struct at_json_text text);

/* By the characters meant, whatever their spelling; a lone surrogate equals itself
 * alone. The order is by code point. */
bool at_json_text_equal(struct at_json_text a, struct at_json_text b);
int at_json_text_compare(struct at_json_text a, struct at_json_text b);
uint64_t at_json_text_hash(struct at_json_text text);

/* A string literal of plain text, quotes included: bytes that are no UTF-8 become U+FFFD,
 * and with `ascii` whatever is not printable ASCII becomes \uXXXX, as Python has it. */
void at_json_text_quote(struct at_buf *out, struct at_bytes plain, bool ascii);

/* One step of a hash. */
uint64_t at_json_mix(uint64_t hash, uint64_t word);

#endif
