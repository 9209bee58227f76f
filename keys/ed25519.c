#include "keys/ed25519.h"

#include <sodium.h>

bool at_public_key_equal(const struct at_public_key *a, const struct at_public_key *b)
{
	return sodium_memcmp(a->byte, b->byte, sizeof(a->byte)) == 0;
}

bool at_public_key_is_sound(const struct at_public_key *key)
{
	return crypto_core_ed25519_is_valid_point(key->byte) == 1;
}

bool at_ed25519_make(struct at_secret *seed, struct at_error *err)
{
	if (!at_secret_new(seed, AT_SEED_BYTES, err))
		return false;
	randombytes_buf(seed->bytes, seed->len);
	return true;
}

/* The long form libsodium signs with: seed and public half. */
static bool expand(struct at_secret *out, struct at_public_key *key, const struct at_secret *seed,
	struct at_error *err)
{
	if (seed->len != AT_SEED_BYTES)
		return at_fail(err, AT_EINVALID, "a key of %zu bytes in place of 32", seed->len);
	if (!at_secret_new(out, crypto_sign_SECRETKEYBYTES, err))
		return false;
	crypto_sign_seed_keypair(key->byte, out->bytes, seed->bytes);
	return true;
}

bool at_ed25519_public(struct at_public_key *out, const struct at_secret *seed,
	struct at_error *err)
{
	struct at_secret full;

	if (!expand(&full, out, seed, err))
		return false;
	at_secret_free(&full);
	return true;
}

bool at_ed25519_sign(struct at_signature *out, const struct at_secret *seed,
	struct at_bytes message, struct at_error *err)
{
	struct at_public_key key;
	struct at_secret full;

	if (!expand(&full, &key, seed, err))
		return false;
	crypto_sign_detached(out->byte, NULL, (const unsigned char *)message.data, message.len,
		full.bytes);
	at_secret_free(&full);
	return true;
}

bool at_ed25519_verify(const struct at_public_key *key, struct at_bytes message,
	const struct at_signature *signature)
{
	return crypto_sign_verify_detached(signature->byte, (const unsigned char *)message.data,
		       message.len, key->byte) == 0;
}

void at_random_bytes(unsigned char *out, size_t len)
{
	randombytes_buf(out, len);
}
