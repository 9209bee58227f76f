/* armour.h - the text form of a key file: BEGIN line, base64, END line.
 *
 * Stricter than RFC 7468 asks: one block and nothing around it but empty lines, no headers, full
 * padding, no bits that are dropped. A key file is short and ours to judge; what stands around a
 * block could be a second key that another program reads in place of the first. LF and CRLF both
 * end a line, as openssl has it. Decoding takes the same steps for every byte, so that time says
 * nothing of a key. Knows no key and no file, and allocates nothing.
 */
#ifndef AT_KEYS_ARMOUR_H
#define AT_KEYS_ARMOUR_H

#include <stddef.h>

#include "core/bytes.h"

#define AT_ARMOUR_LINE 64u /* digits a line as written; at most 76 are read */

/* One block found in a text. All borrowed from it. */
struct at_armour {
	struct at_bytes label; /* "PRIVATE KEY"; "" while no BEGIN line was found */
	struct at_bytes body; /* the base64 with its line ends */
	size_t size; /* bytes that decoding gives */
};

/* Finds the block and checks all but the last bits of it. NULL when it is sound, else a clause
 * that says what is wrong ("it is cut short"), static; the label is set where it was reached. */
const char *at_armour_find(struct at_armour *out, struct at_bytes text);

/* Puts `armour->size` bytes to `out`. NULL, or a clause as above. */
const char *at_armour_decode(unsigned char *out, const struct at_armour *armour);

/* Size of what at_armour_write() gives for `len` bytes, no NUL. */
size_t at_armour_size(const char *label, size_t len);
void at_armour_write(char *out, const char *label, const unsigned char *bytes, size_t len);

#endif
