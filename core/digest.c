#include "core/digest.h"

#include <sodium.h>
#include <string.h>

struct at_digest at_digest_of(struct at_bytes bytes)
{
	struct at_digest digest;

	crypto_hash_sha256(digest.byte, (const unsigned char *)bytes.data, bytes.len);
	return digest;
}

struct at_digest at_digest_keyed(struct at_bytes key, struct at_bytes bytes)
{
	crypto_auth_hmacsha256_state state;
	struct at_digest digest;

	crypto_auth_hmacsha256_init(&state, (const unsigned char *)key.data, key.len);
	crypto_auth_hmacsha256_update(&state, (const unsigned char *)bytes.data, bytes.len);
	crypto_auth_hmacsha256_final(&state, digest.byte);
	sodium_memzero(&state, sizeof(state));
	return digest;
}

bool at_digest_equal(const struct at_digest *a, const struct at_digest *b)
{
	return memcmp(a->byte, b->byte, sizeof(a->byte)) == 0;
}

void at_digest_hex(char out[AT_DIGEST_HEX], const struct at_digest *digest)
{
	sodium_bin2hex(out, AT_DIGEST_HEX, digest->byte, sizeof(digest->byte));
}

bool at_digest_from_hex(struct at_digest *out, const char *hex)
{
	size_t len;

	return strlen(hex) == 64
		&& sodium_hex2bin(out->byte, sizeof(out->byte), hex, 64, NULL, &len, NULL) == 0
		&& len == sizeof(out->byte);
}
