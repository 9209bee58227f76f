/* sealed.h - a private key under a passphrase, in an armoured file of our own.
 *
 * Such a key stands as NAME.sealed where another has NAME.pem. Knows bytes, no files and no
 * terminal. The form, version 1, is one block `AGENTTEAMS SEALED ED25519 KEY` of keys/armour.h
 * around 136 bytes, numbers big-endian:
 *
 *	at  size
 *	 0     8  "ATSEAL", 0, version 1
 *	 8     4  Argon2id: passes, 1 to 16
 *	12     4  Argon2id: memory in KiB, 8192 to 1048576
 *	16    16  Argon2id: salt
 *	32    32  public half
 *	64    24  nonce
 *	88    48  crypto_secretbox (XSalsa20-Poly1305) of the seed
 *
 * Its key is keyed BLAKE2b-256 of bytes 0 to 87 under Argon2id(passphrase, salt), so every byte of
 * the header is bound: a changed one opens nothing. The public half can be read without the
 * passphrase, and is only known to be right once the key was opened. (KEY-1, KEY-2)
 */
#ifndef AT_KEYS_SEALED_H
#define AT_KEYS_SEALED_H

#include <stdbool.h>

#include "core/bytes.h"
#include "core/error.h"
#include "keys/ed25519.h"
#include "keys/secret.h"

struct at_seal_cost {
	unsigned passes, kib;
};

/* libsodium's "moderate": 256 MiB and under a second. */
extern const struct at_seal_cost at_seal_cost_default;

/* Appends the file's text. Fails with AT_EINVALID for an empty passphrase or a cost outside the
 * form, AT_ELIMIT where the memory is not to be had. */
bool at_seal(struct at_buf *text, const struct at_secret *seed, const struct at_secret *passphrase,
	const struct at_seal_cost *cost, struct at_error *err);

/* Is it such a file, whole or not? */
bool at_sealed_is(struct at_bytes text);

/* The public half as the header has it. `name` is for messages. AT_EINVALID for another form. */
bool at_sealed_public(
	struct at_public_key *out, struct at_bytes text, const char *name, struct at_error *err);

/* Opens it. A wrong passphrase is AT_EREFUSED, and so is a changed header: they cannot be told
 * apart; a cost above the form's is refused before any memory is taken. */
bool at_unseal(struct at_secret *seed, struct at_bytes text, const struct at_secret *passphrase,
	const char *name, struct at_error *err);

#endif
