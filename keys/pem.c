#include "keys/pem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "keys/armour.h"

enum {
	SEQUENCE = 0x30,
	INTEGER = 0x02,
	OID = 0x06,
	OCTETS = 0x04,
	BITS = 0x03,
	ATTRIBUTES = 0xa0,
	PUBLIC_HALF = 0x81,
	PUBLIC_HALF_OLD = 0xa1
};

#define PRIVATE_LABEL "PRIVATE KEY"
#define PUBLIC_LABEL "PUBLIC KEY"

static const unsigned char ed25519_oid[] = { 0x2b, 0x65, 0x70 };
static const unsigned char spki_head[] = { 0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70,
	0x03, 0x21, 0x00 };
static const unsigned char pkcs8_head[] = { 0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03,
	0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20 };

/* Blocks that are a key of another kind, or none, by their label. */
static const struct {
	const char *label, *what;
} labels[] = {
	{ "ENCRYPTED PRIVATE KEY",
		"it is encrypted in openssl's form; decrypt it with openssl pkey, "
		"or make a sealed one with --new-key" },
	{ "RSA PRIVATE KEY", "it is an RSA key" },
	{ "RSA PUBLIC KEY", "it is an RSA key" },
	{ "EC PRIVATE KEY", "it is an EC key" },
	{ "EC PARAMETERS", "it is an EC key" },
	{ "DSA PRIVATE KEY", "it is a DSA key" },
	{ "OPENSSH PRIVATE KEY", "it is in OpenSSH's own form" },
	{ "AGENTTEAMS SEALED ED25519 KEY", "it is a sealed key; name it .sealed" },
	{ "CERTIFICATE", "it is a certificate" },
	{ PRIVATE_LABEL, "it is a private key: keep it where it belongs" },
	{ PUBLIC_LABEL, "it is a public key" },
};

static const struct {
	unsigned char oid[9];
	size_t len;
	const char *what;
} algorithms[] = {
	{ { 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01 }, 9, "it is an RSA key" },
	{ { 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a }, 9, "it is an RSA-PSS key" },
	{ { 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01 }, 7, "it is an EC key" },
	{ { 0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x01 }, 7, "it is a DSA key" },
	{ { 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x03, 0x01 }, 9, "it is a DH key" },
	{ { 0x2b, 0x65, 0x6e }, 3, "it is an X25519 key" },
	{ { 0x2b, 0x65, 0x6f }, 3, "it is an X448 key" },
	{ { 0x2b, 0x65, 0x71 }, 3, "it is an Ed448 key" },
};

static const char broken[] = "its contents are no such key";

/* One value of DER off the front of `rest`. False for another tag, a length that is not in its
 * shortest form, or one that reaches past the end. */
static bool take(struct at_bytes *out, struct at_bytes *rest, unsigned tag)
{
	const unsigned char *p = (const unsigned char *)rest->data;
	size_t head = 2, len;

	if (rest->len < 2 || p[0] != tag)
		return false;
	len = p[1];
	if (len == 0x81 && rest->len >= 3 && p[2] >= 0x80) {
		len = p[2];
		head = 3;
	} else if (len == 0x82 && rest->len >= 4 && p[2]) {
		len = (size_t)p[2] << 8 | p[3];
		head = 4;
	} else if (len >= 0x80) {
		return false;
	}
	if (len > rest->len - head)
		return false;
	*out = (struct at_bytes){ rest->data + head, len };
	rest->data += head + len;
	rest->len -= head + len;
	return true;
}

static bool is(struct at_bytes bytes, const void *data, size_t len)
{
	return bytes.len == len && memcmp(bytes.data, data, len) == 0;
}

/* AlgorithmIdentifier: Ed25519 has no parameters. */
static const char *take_algorithm(struct at_bytes *rest)
{
	struct at_bytes algorithm, oid;

	if (!take(&algorithm, rest, SEQUENCE) || !take(&oid, &algorithm, OID))
		return broken;
	for (size_t i = 0; i < AT_LEN(algorithms); i++) {
		if (is(oid, algorithms[i].oid, algorithms[i].len))
			return algorithms[i].what;
	}
	if (!is(oid, ed25519_oid, sizeof(ed25519_oid)))
		return "it is a key of an algorithm unknown here";
	return algorithm.len ? broken : NULL;
}

/* OneAsymmetricKey. `half`: the public half in it, or nothing. */
static const char *read_pkcs8(const char **seed, struct at_bytes *half, struct at_bytes der)
{
	struct at_bytes whole, version, outer, inner, ignored;
	bool is_second;
	const char *fault;

	if (!take(&whole, &der, SEQUENCE) || der.len || !take(&version, &whole, INTEGER)
		|| version.len != 1 || (unsigned char)*version.data > 1)
		return broken;
	is_second = *version.data == 1;
	fault = take_algorithm(&whole);
	if (fault)
		return fault;
	if (!take(&outer, &whole, OCTETS) || !take(&inner, &outer, OCTETS) || outer.len
		|| inner.len != AT_SEED_BYTES)
		return broken;
	*seed = inner.data;
	if (take(&ignored, &whole, ATTRIBUTES))
		return "it carries attributes beside the key";
	if (!whole.len)
		return NULL;
	/* [1] is implicit in RFC 5958; older writers put the whole BIT STRING in it. */
	if (!is_second
		|| (!take(half, &whole, PUBLIC_HALF)
			&& !(take(&inner, &whole, PUBLIC_HALF_OLD) && take(half, &inner, BITS)
				&& !inner.len))
		|| whole.len || half->len != 33 || *half->data != 0)
		return broken;
	half->data++;
	half->len--;
	return NULL;
}

static const char *label_fault(struct at_bytes label, const char *wanted)
{
	if (at_bytes_equal_text(label, wanted))
		return NULL;
	for (size_t i = 0; i < AT_LEN(labels); i++) {
		if (at_bytes_equal_text(label, labels[i].label))
			return labels[i].what;
	}
	return "its block is of another kind";
}

/* A label of another kind says more than what is wrong with the block. */
static const char *find_block(struct at_armour *out, struct at_bytes text, const char *wanted)
{
	const char *fault = at_armour_find(out, text);
	const char *label = out->label.len ? label_fault(out->label, wanted) : NULL;

	if (text.len > AT_PEM_CAP)
		return "it is larger than 65536 bytes";
	return label ? label : fault;
}

static bool refuse(struct at_error *err, const char *half, const char *name, const char *why)
{
	at_fail(err, AT_EINVALID, "not an Ed25519 %s key: %s (%s)", half, name, why);
	at_error_path(err, name);
	at_error_name(err, "key-form");
	return false;
}

/* False with *fault NULL: the error is filled. */
static bool read_seed(struct at_secret *seed, const struct at_secret *der, const char **fault,
	struct at_error *err)
{
	struct at_public_key key;
	struct at_bytes half = { 0 };
	const char *bytes;

	*fault = read_pkcs8(&bytes, &half, at_secret_bytes(der));
	if (*fault || !at_secret_new(seed, AT_SEED_BYTES, err))
		return false;
	at_secret_copy(seed->bytes, bytes, AT_SEED_BYTES);
	if (half.len && !at_ed25519_public(&key, seed, err)) {
		at_secret_free(seed);
		return false;
	}
	if (!half.len || memcmp(key.byte, half.data, sizeof(key.byte)) == 0)
		return true;
	*fault = "the public half in it belongs to another key";
	at_secret_free(seed);
	return false;
}

bool at_pem_read_private(struct at_secret *seed, const struct at_secret *text, const char *name,
	struct at_error *err)
{
	struct at_armour armour;
	struct at_secret der;
	const char *fault = find_block(&armour, at_secret_bytes(text), PRIVATE_LABEL);
	bool done = false;

	*seed = (struct at_secret){ 0 };
	if (fault)
		return refuse(err, "private", name, fault);
	if (!at_secret_new(&der, armour.size, err))
		return false;
	fault = at_armour_decode(der.bytes, &armour);
	if (!fault)
		done = read_seed(seed, &der, &fault, err);
	at_secret_free(&der);
	return done || (fault && refuse(err, "private", name, fault));
}

bool at_pem_write_private(
	struct at_secret *text, const struct at_secret *seed, struct at_error *err)
{
	struct at_secret der;

	if (seed->len != AT_SEED_BYTES)
		return at_fail(err, AT_EINVALID, "a key of %zu bytes in place of 32", seed->len);
	if (!at_secret_new(&der, sizeof(pkcs8_head) + AT_SEED_BYTES, err))
		return false;
	memcpy(der.bytes, pkcs8_head, sizeof(pkcs8_head));
	at_secret_copy(
		der.bytes + sizeof(pkcs8_head), (const char *)seed->bytes, AT_SEED_BYTES);
	if (at_secret_new(text, at_armour_size(PRIVATE_LABEL, der.len), err))
		at_armour_write((char *)text->bytes, PRIVATE_LABEL, der.bytes, der.len);
	at_secret_free(&der);
	return text->bytes != NULL;
}

static const char *read_spki(struct at_public_key *out, struct at_bytes der)
{
	struct at_bytes whole, key;
	const char *fault;

	if (!take(&whole, &der, SEQUENCE) || der.len)
		return broken;
	fault = take_algorithm(&whole);
	if (fault)
		return fault;
	if (!take(&key, &whole, BITS) || whole.len || key.len != 33 || *key.data != 0)
		return broken;
	memcpy(out->byte, key.data + 1, sizeof(out->byte));
	return at_public_key_is_sound(out) ? NULL : "no signature can be right with it";
}

bool at_pem_read_public(
	struct at_public_key *out, struct at_bytes text, const char *name, struct at_error *err)
{
	struct at_armour armour;
	const char *fault = find_block(&armour, text, PUBLIC_LABEL);
	unsigned char *der;

	if (fault)
		return refuse(err, "public", name, fault);
	der = at_alloc(armour.size);
	fault = at_armour_decode(der, &armour);
	if (!fault)
		fault = read_spki(out, (struct at_bytes){ (const char *)der, armour.size });
	free(der);
	return !fault || refuse(err, "public", name, fault);
}

static void put_spki(unsigned char out[AT_SPKI_BYTES], const struct at_public_key *key)
{
	memcpy(out, spki_head, sizeof(spki_head));
	memcpy(out + sizeof(spki_head), key->byte, sizeof(key->byte));
}

void at_pem_write_public(struct at_buf *out, const struct at_public_key *key)
{
	size_t size = at_armour_size(PUBLIC_LABEL, AT_SPKI_BYTES);
	unsigned char der[AT_SPKI_BYTES];
	char *text = at_alloc(size);

	put_spki(der, key);
	at_armour_write(text, PUBLIC_LABEL, der, sizeof(der));
	at_buf_put(out, text, size);
	free(text);
}

struct at_digest at_key_fingerprint(const struct at_public_key *key)
{
	unsigned char der[AT_SPKI_BYTES];

	put_spki(der, key);
	return at_digest_of((struct at_bytes){ (const char *)der, sizeof(der) });
}

void at_fingerprint_short(char out[AT_FINGERPRINT_SHORT], const struct at_digest *fingerprint)
{
	char hex[AT_DIGEST_HEX];

	at_digest_hex(hex, fingerprint);
	snprintf(out, AT_FINGERPRINT_SHORT, "%.4s %.4s %.4s %.4s", hex, hex + 4, hex + 8, hex + 12);
}
