/* digest.h - SHA-256, the one digest of this program.
 *
 * The only file of core/ that knows libsodium. Hashing runs at some 250 MB/s: large
 * files are hashed in a job, not while somebody waits for a key.
 */
#ifndef AT_DIGEST_H
#define AT_DIGEST_H

#include <stdbool.h>

#include "core/bytes.h"

#define AT_DIGEST_HEX 65 /* 64 lower-case digits and a NUL */

struct at_digest {
	unsigned char byte[32];
};

struct at_digest at_digest_of(struct at_bytes bytes);
bool at_digest_equal(const struct at_digest *a, const struct at_digest *b);
/* HMAC-SHA256 of `bytes`; the key may have any length. */
struct at_digest at_digest_keyed(struct at_bytes key, struct at_bytes bytes);
void at_digest_hex(char out[AT_DIGEST_HEX], const struct at_digest *digest);

/* Accepts exactly 64 hexadecimal digits, either case. */
bool at_digest_from_hex(struct at_digest *out, const char *hex);

#endif
