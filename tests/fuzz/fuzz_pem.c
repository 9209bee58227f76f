/* Any bytes as a key file: refused with a reason that quotes none of them, or read, and then the
 * one form that is written for it reads as the same key. (KEY-1, KEY-2) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keys/armour.h"
#include "keys/pem.h"
#include "keys/sealed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "violated: %s (line %d)\n", #truth, __LINE__); \
			abort(); \
		} \
	} while (0)

static void private_half(const struct at_secret *text)
{
	struct at_error err = { 0 };
	struct at_secret seed, again, written;

	if (!at_pem_read_private(&seed, text, "k", &err)) {
		CHECK(!seed.bytes && err.code == AT_EINVALID && err.sys == 0);
		CHECK(strncmp(err.message, "not an Ed25519 private key: k (", 31) == 0);
		return;
	}
	CHECK(at_pem_write_private(&written, &seed, &err));
	CHECK(at_pem_read_private(&again, &written, "k", &err));
	CHECK(seed.len == AT_SEED_BYTES && memcmp(seed.bytes, again.bytes, AT_SEED_BYTES) == 0);
	at_secret_free(&written);
	at_secret_free(&again);
	at_secret_free(&seed);
}

static void public_half(struct at_bytes text)
{
	struct at_public_key key, again;
	struct at_buf written = { 0 };
	struct at_error err = { 0 };

	if (!at_pem_read_public(&key, text, "k", &err)) {
		CHECK(err.code == AT_EINVALID && err.message[0]);
		return;
	}
	at_pem_write_public(&written, &key);
	CHECK(at_pem_read_public(&again, at_buf_bytes(&written), "k", &err));
	CHECK(at_public_key_equal(&key, &again));
	at_buf_free(&written);
}

/* What decodes is encoded to the digits that stood there. */
static void armour(struct at_bytes text)
{
	struct at_armour found;
	unsigned char *bytes;
	size_t size, k = 0;
	char *written;

	if (at_armour_find(&found, text))
		return;
	bytes = malloc(found.size + 1);
	if (!at_armour_decode(bytes, &found)) {
		size = at_armour_size("X", found.size);
		written = malloc(size);
		at_armour_write(written, "X", bytes, found.size);
		for (size_t i = strlen("-----BEGIN X-----\n"); k < found.body.len; k++) {
			if (found.body.data[k] == '\n' || found.body.data[k] == '\r')
				continue;
			i += written[i] == '\n';
			CHECK(written[i++] == found.body.data[k]);
		}
		free(written);
	}
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct at_bytes text = { (const char *)data, size };
	struct at_public_key key;
	struct at_error err = { 0 };
	struct at_secret secret;

	CHECK(at_secret_new(&secret, size, &err));
	memcpy(secret.bytes, data, size);
	private_half(&secret);
	at_secret_free(&secret);
	public_half(text);
	armour(text);
	at_sealed_public(&key, text, "k", &err);
	return 0;
}
