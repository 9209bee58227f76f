#include "keys/sealed.h"

#include <sodium.h>
#include <string.h>

#include "keys/armour.h"

#define LABEL "AGENTTEAMS SEALED ED25519 KEY"
#define VERSION 1

enum {
	PASSES_AT = 8,
	KIB_AT = 12,
	SALT_AT = 16,
	PUBLIC_AT = 32,
	NONCE_AT = 64,
	BOX_AT = 88,
	SIZE = 136,
	PASSES_MOST = 16,
	KIB_LEAST = 8192,
	KIB_MOST = 1048576,
};

_Static_assert(SALT_AT + crypto_pwhash_SALTBYTES == PUBLIC_AT, "salt");
_Static_assert(NONCE_AT + crypto_secretbox_NONCEBYTES == BOX_AT, "nonce");
_Static_assert(BOX_AT + crypto_secretbox_MACBYTES + AT_SEED_BYTES == SIZE, "box");

static const unsigned char magic[8] = { 'A', 'T', 'S', 'E', 'A', 'L', 0, VERSION };

const struct at_seal_cost at_seal_cost_default = { 3, 262144 };

static void put_number(unsigned char *out, unsigned value)
{
	for (int i = 3; i >= 0; i--, value >>= 8)
		out[i] = (unsigned char)value;
}

static unsigned number_at(const unsigned char *in)
{
	return (unsigned)in[0] << 24 | (unsigned)in[1] << 16 | (unsigned)in[2] << 8 | in[3];
}

static bool is_in_form(const struct at_seal_cost *cost)
{
	return cost->passes >= 1 && cost->passes <= PASSES_MOST && cost->kib >= KIB_LEAST
		&& cost->kib <= KIB_MOST;
}

/* The box's key, from passphrase and header. */
static bool derive(struct at_secret *out, const unsigned char *form,
	const struct at_secret *passphrase, const struct at_seal_cost *cost, struct at_error *err)
{
	struct at_secret slow;
	int failed;

	if (!at_secret_new(&slow, crypto_generichash_KEYBYTES, err))
		return false;
	failed = crypto_pwhash(slow.bytes, slow.len, (const char *)passphrase->bytes,
		passphrase->len, form + SALT_AT, cost->passes, (size_t)cost->kib * 1024,
		crypto_pwhash_ALG_ARGON2ID13);
	if (failed) {
		at_fail(err, AT_ELIMIT, "%u MiB of memory for the passphrase are not to be had",
			cost->kib / 1024);
		at_error_hint(err, "Close something, and try again.");
	} else if (at_secret_new(out, crypto_secretbox_KEYBYTES, err)) {
		crypto_generichash(out->bytes, out->len, form, BOX_AT, slow.bytes, slow.len);
	}
	at_secret_free(&slow);
	return out->bytes != NULL;
}

bool at_seal(struct at_buf *text, const struct at_secret *seed, const struct at_secret *passphrase,
	const struct at_seal_cost *cost, struct at_error *err)
{
	unsigned char form[SIZE];
	struct at_public_key key;
	struct at_secret box_key = { 0 };
	size_t size = at_armour_size(LABEL, SIZE);

	if (passphrase->len == 0)
		return at_fail(err, AT_EINVALID, "an empty passphrase protects nothing");
	if (!is_in_form(cost))
		return at_fail(err, AT_EINVALID, "%u passes over %u KiB are outside the form",
			cost->passes, cost->kib);
	if (!at_ed25519_public(&key, seed, err))
		return false;
	memcpy(form, magic, sizeof(magic));
	put_number(form + PASSES_AT, cost->passes);
	put_number(form + KIB_AT, cost->kib);
	randombytes_buf(form + SALT_AT, crypto_pwhash_SALTBYTES);
	memcpy(form + PUBLIC_AT, key.byte, sizeof(key.byte));
	randombytes_buf(form + NONCE_AT, crypto_secretbox_NONCEBYTES);
	if (!derive(&box_key, form, passphrase, cost, err))
		return false;
	crypto_secretbox_easy(
		form + BOX_AT, seed->bytes, seed->len, form + NONCE_AT, box_key.bytes);
	at_secret_free(&box_key);
	at_buf_reserve(text, size);
	at_armour_write(text->data + text->len, LABEL, form, SIZE);
	text->len += size;
	text->data[text->len] = '\0';
	return true;
}

static bool refuse(struct at_error *err, enum at_code code, const char *name, const char *why)
{
	at_fail(err, code, "not a sealed key that can be opened: %s (%s)", name, why);
	at_error_path(err, name);
	at_error_name(err, "key-form");
	return false;
}

static const char *read_form(
	unsigned char form[SIZE], struct at_seal_cost *cost, struct at_bytes text)
{
	struct at_armour armour;
	const char *fault = at_armour_find(&armour, text);

	if (armour.label.len && !at_bytes_equal_text(armour.label, LABEL))
		return "its block is of another kind";
	if (fault)
		return fault;
	if (armour.size != SIZE)
		return "it has another length";
	fault = at_armour_decode(form, &armour);
	if (fault)
		return fault;
	if (memcmp(form, magic, sizeof(magic) - 1) != 0)
		return "it does not begin as such a file does";
	if (form[sizeof(magic) - 1] != VERSION)
		return "it is of a version unknown here";
	*cost = (struct at_seal_cost){ number_at(form + PASSES_AT), number_at(form + KIB_AT) };
	if (!is_in_form(cost))
		return "the cost it names for its passphrase is outside the form";
	return NULL;
}

bool at_sealed_is(struct at_bytes text)
{
	struct at_armour armour;

	at_armour_find(&armour, text);
	return at_bytes_equal_text(armour.label, LABEL);
}

bool at_sealed_public(
	struct at_public_key *out, struct at_bytes text, const char *name, struct at_error *err)
{
	unsigned char form[SIZE];
	struct at_seal_cost cost;
	const char *fault = read_form(form, &cost, text);

	if (fault)
		return refuse(err, AT_EINVALID, name, fault);
	memcpy(out->byte, form + PUBLIC_AT, sizeof(out->byte));
	return true;
}

/* The header is bound to the box; the half is compared all the same. */
static bool open_box(struct at_secret *seed, const unsigned char *form,
	const struct at_secret *box_key, const char *name, struct at_error *err)
{
	struct at_public_key key;

	if (!at_secret_new(seed, AT_SEED_BYTES, err))
		return false;
	if (crypto_secretbox_open_easy(
		    seed->bytes, form + BOX_AT, SIZE - BOX_AT, form + NONCE_AT, box_key->bytes)
		!= 0) {
		at_secret_free(seed);
		refuse(err, AT_EREFUSED, name, "a wrong passphrase, or a file that was changed");
		at_error_name(err, "key-passphrase");
		return false;
	}
	if (at_ed25519_public(&key, seed, err)
		&& memcmp(key.byte, form + PUBLIC_AT, sizeof(key.byte)) == 0)
		return true;
	at_secret_free(seed);
	return refuse(err, AT_EINVALID, name, "its public half belongs to another key");
}

bool at_unseal(struct at_secret *seed, struct at_bytes text, const struct at_secret *passphrase,
	const char *name, struct at_error *err)
{
	unsigned char form[SIZE];
	struct at_seal_cost cost;
	struct at_secret box_key = { 0 };
	const char *fault = read_form(form, &cost, text);
	bool done;

	*seed = (struct at_secret){ 0 };
	if (fault)
		return refuse(err, AT_EINVALID, name, fault);
	if (!derive(&box_key, form, passphrase, &cost, err))
		return false;
	done = open_box(seed, form, &box_key, name, err);
	at_secret_free(&box_key);
	return done;
}
