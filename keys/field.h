/* field.h - the text of one signed field: what is stripped from it, what may not stand in it.
 *
 * Ledgers of the Python tool sign their fields stripped and joined by `|`, with nothing escaped: a
 * value that holds the delimiter can be moved into its neighbour without a key, and one that holds
 * an invisible character does not show what was signed. Both are refused here and everywhere.
 * (reference-ledgers 1.3, 1.10, 5)
 */
#ifndef AT_KEYS_FIELD_H
#define AT_KEYS_FIELD_H

#include <stdbool.h>

#include "core/bytes.h"

/* Takes off both ends what Python's str.strip() does, Unicode's spaces included. Borrowed. */
struct at_bytes at_field_strip(struct at_bytes value);
bool at_field_is_blank(struct at_bytes value); /* nothing is left of it */

enum at_field_fault {
	AT_FIELD_FINE,
	AT_FIELD_DELIMITER, /* `|` */
	AT_FIELD_CONTROL,   /* C0, DEL, C1 */
	AT_FIELD_SPOOF,     /* a character that hides or turns the text around it */
	AT_FIELD_ENCODING,  /* no UTF-8 */
};

/* The first fault in `value`, in the order of its bytes. */
enum at_field_fault at_field_check(struct at_bytes value);
const char *at_field_fault_text(enum at_field_fault fault); /* "holds …", one clause */

/* Appends the values, each stripped, with one `|` between two. */
void at_field_join(struct at_buf *out, const struct at_bytes *values, size_t count);

/* Lower-case hexadecimal of `len` bytes, appended; and back: exactly 2 * len digits, either
 * case, else false. */
void at_hex_put(struct at_buf *out, const unsigned char *bytes, size_t len);
bool at_hex_get(unsigned char *out, size_t len, struct at_bytes text);

#endif
