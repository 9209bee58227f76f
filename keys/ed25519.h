/* ed25519.h - signatures of RFC 8032 by libsodium.
 *
 * Knows bytes and keys, no files and no forms. The private half is the 32 bytes of the seed, in
 * secret memory. (KEY-1, KEY-2)
 */
#ifndef AT_KEYS_ED25519_H
#define AT_KEYS_ED25519_H

#include <stdbool.h>

#include "core/bytes.h"
#include "core/error.h"
#include "keys/secret.h"

#define AT_SEED_BYTES 32u

struct at_public_key {
	unsigned char byte[32];
};

struct at_signature {
	unsigned char byte[64];
};

bool at_public_key_equal(const struct at_public_key *a, const struct at_public_key *b);
/* A point in its one form and of full order: with any other no signature is accepted. */
bool at_public_key_is_sound(const struct at_public_key *key);

/* A new seed from the kernel's randomness; release with at_secret_free(). */
bool at_ed25519_make(struct at_secret *seed, struct at_error *err);
bool at_ed25519_public(struct at_public_key *out, const struct at_secret *seed,
	struct at_error *err);
bool at_ed25519_sign(struct at_signature *out, const struct at_secret *seed,
	struct at_bytes message, struct at_error *err);
/* False also for keys of small order and for forms that are not canonical. */
bool at_ed25519_verify(const struct at_public_key *key, struct at_bytes message,
	const struct at_signature *signature);

/* `len` bytes of the kernel's randomness. */
void at_random_bytes(unsigned char *out, size_t len);

#endif
