/* secret.h - bytes that nobody else may see: locked, guarded, wiped.
 *
 * While one lives the process leaves no core and cannot be traced by its equals. A secret never
 * goes into an arena, an error, a log, argv or the environment. (KEY-2, SB24)
 */
#ifndef AT_KEYS_SECRET_H
#define AT_KEYS_SECRET_H

#include <stddef.h>

#include "core/bytes.h"
#include "core/error.h"

struct at_secret {
	unsigned char *bytes; /* NULL while there is none */
	size_t len;
};

/* Room for `len` bytes that is never swapped, all zero. Fails with AT_ELIMIT where the host gives
 * no locked memory: a secret is not read then. Release with at_secret_free(). */
bool at_secret_new(struct at_secret *out, size_t len, struct at_error *err);
/* Wipes it, and the stack below the caller; leaves it empty. */
void at_secret_free(struct at_secret *secret);

/* Copies byte by byte: no wide register is left with a whole key in it. */
void at_secret_copy(unsigned char *out, const char *bytes, size_t len);

/* Borrowed, for a call. */
struct at_bytes at_secret_bytes(const struct at_secret *secret);

#endif
