/* pem.h - Ed25519 keys as the PEM files that openssl and the Python tool share.
 *
 * Private: PKCS#8 version 1 is written (`BEGIN PRIVATE KEY`); version 2, with the public half in
 * it, is read too and must fit. Public: SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`). One block a
 * file, see keys/armour.h. Anything else is refused by its name ("an RSA key", "an encrypted
 * key"), never with a byte of it. Private bytes stand in secret memory alone. Knows no files.
 * (KEY-1, KEY-2; RFC 8410, RFC 5958)
 */
#ifndef AT_KEYS_PEM_H
#define AT_KEYS_PEM_H

#include <stdbool.h>

#include "core/bytes.h"
#include "core/digest.h"
#include "core/error.h"
#include "keys/ed25519.h"
#include "keys/secret.h"

#define AT_PEM_CAP ((size_t)65536) /* bytes of a file that may hold a key */
#define AT_SPKI_BYTES 44u

/* The private half of `text`; `name` is the file as the message names it: "not an Ed25519 private
 * key: op.key (…)". Fails with AT_EINVALID, AT_ELIMIT without locked memory. Release with
 * at_secret_free(). */
bool at_pem_read_private(struct at_secret *seed, const struct at_secret *text, const char *name,
	struct at_error *err);
/* The file's text, in secret memory, to be written with mode 0600. */
bool at_pem_write_private(
	struct at_secret *text, const struct at_secret *seed, struct at_error *err);

/* Fails with AT_EINVALID, also for 32 bytes with which no signature can be right. */
bool at_pem_read_public(
	struct at_public_key *out, struct at_bytes text, const char *name, struct at_error *err);
void at_pem_write_public(struct at_buf *out, const struct at_public_key *key);

/* SHA-256 of the key's SubjectPublicKeyInfo: what
 * `openssl pkey -pubin -in KEY -outform DER | sha256sum` prints. */
struct at_digest at_key_fingerprint(const struct at_public_key *key);

/* "0123 4567 89ab cdef": the first 16 digits, for people to compare. */
#define AT_FINGERPRINT_SHORT 20
void at_fingerprint_short(char out[AT_FINGERPRINT_SHORT], const struct at_digest *fingerprint);

#endif
