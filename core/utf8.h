/* utf8.h - UTF-8 by the letter of the standard.
 *
 * Overlong forms, surrogates, numbers above U+10FFFF and cut sequences are no UTF-8. It
 * knows no widths and no meanings, and needs no library: the small programs use it too.
 */
#ifndef AT_UTF8_H
#define AT_UTF8_H

#include <stdint.h>

#include "core/bytes.h"

#define AT_UTF8_REPLACEMENT 0xfffdu

/* Takes one character off `*p`, which is before `end`. False where no well-formed
 * sequence stands: `*code` is then U+FFFD and `*p` moves over as many bytes as one
 * replacement stands for. */
bool at_utf8_take(const char **p, const char *end, uint32_t *code);

/* Decodes the code point at offset `at`; returns its bytes, 0 at the end. An invalid byte
 * is one byte with -1 in `*code`. */
size_t at_utf8_next(struct at_bytes text, size_t at, int32_t *code);

/* The offset of the first invalid byte goes to `bad_offset`, which may be NULL. */
bool at_utf8_is_valid(struct at_bytes text, size_t *bad_offset);

/* Writes `code` as UTF-8 (a surrogate like any other number) and tells the length. */
unsigned at_utf8_encode(char out[4], uint32_t code);

#endif
