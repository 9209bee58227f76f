/* Ed25519 keys as PEM: ours, openssl's, and what is no such key. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "keys/openssl.h"
#include "keys/pem.h"
#include "support/support.h"

/* The seed 00..1f of the derived vectors. */
#define BODY "MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"
#define BEGIN "-----BEGIN PRIVATE KEY-----\n"
#define END "-----END PRIVATE KEY-----\n"
#define PUBLIC_BODY "MCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg="
#define PUBLIC "-----BEGIN PUBLIC KEY-----\n" PUBLIC_BODY "\n-----END PUBLIC KEY-----\n"
/* Version 2: with the public half, implicit as RFC 5958 has it. */
#define V2_HEAD "MFECAQEwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"
#define V2_TAIL "gSEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg="

static bool read_private(struct at_secret *seed, const char *text, size_t len, const char *name,
	struct at_error *err)
{
	struct at_secret secret;
	bool done;

	secret_of(&secret, (struct at_bytes){ text, len });
	done = at_pem_read_private(seed, &secret, name, err);
	at_secret_free(&secret);
	return done;
}

static const struct {
	const char *text, *why; /* NULL: it is read */
} private_rows[] = {
	{ BEGIN BODY "\n" END, NULL },
	{ "-----BEGIN PRIVATE KEY-----\r\n" BODY "\r\n-----END PRIVATE KEY-----\r\n", NULL },
	{ BEGIN BODY "\n-----END PRIVATE KEY-----", NULL },
	{ "\n\n" BEGIN BODY "\n" END "\n\r\n", NULL },
	{ BEGIN "MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkK\nCwwNDg8QERITFBUWFxgZGhscHR4f\n" END, NULL },
	{ BEGIN V2_HEAD "\n" V2_TAIL "\n" END, NULL },
	{ BEGIN V2_HEAD "\ngSEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbk=\n" END,
		"the public half in it belongs to another key" },
	{ "", "it holds no PEM block" },
	{ "bm90IGEga2V5IGF0IGFsbA==", "it holds no PEM block" },
	{ "op's key\n" BEGIN BODY "\n" END, "it has text before its BEGIN line" },
	{ " " BEGIN BODY "\n" END, "it has text before its BEGIN line" },
	{ "\xef\xbb\xbf" BEGIN BODY "\n" END, "it has text before its BEGIN line" },
	{ BEGIN BODY "\n" END "x\n", "it has text after its END line" },
	{ BEGIN BODY "\n" END BEGIN BODY "\n" END, "it holds more than one block" },
	{ BEGIN BODY "\n" END PUBLIC, "it holds more than one block" },
	{ BEGIN BODY "\n" BEGIN BODY "\n" END, "a second block begins inside its first" },
	{ BEGIN BODY "\n", "it is cut short: there is no END line" },
	{ BEGIN BODY, "it is cut short: there is no END line" },
	{ BEGIN BODY "\n-----END PRI", "its END line does not match its BEGIN line" },
	{ BEGIN BODY "\n-----END PUBLIC KEY-----\n", "its END line does not match its BEGIN line" },
	{ BEGIN END, "its block is empty" },
	{ BEGIN "\n" BODY "\n" END, "it has an empty line in its block" },
	{ BEGIN "Proc-Type: 4,ENCRYPTED\n\n" BODY "\n" END, "its block has header lines" },
	{ BEGIN BODY "=\n" END, "its base64 is not padded as it has to be" },
	{ BEGIN "MC4CAQA\n" END, "its base64 is not padded as it has to be" },
	{ BEGIN "MC4CAQAwBQYDK2VwBCIEIA==\nAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n" END,
		"its base64 goes on after the padding" },
	{ BEGIN " " BODY "\n" END, "its base64 is not padded as it has to be" },
	{ BEGIN "MC4CAQAwBQYDK2VwBCIEI*ABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n" END,
		"its base64 holds a character that has no place there" },
	{ BEGIN "MC4CAQAwBQYDK2VwBCIEI\rABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n" END,
		"its base64 holds a character that has no place there" },
	{ BEGIN "AB==\n" END, "its base64 is not in its one right form" },
	{ BEGIN "MC0CAQAwBQYDK2VwBCEEHwABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4=\n" END,
		"its contents are no such key" }, /* 31 bytes */
	{ BEGIN "MC4CAQIwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n" END,
		"its contents are no such key" }, /* version 3 */
	{ BEGIN "MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fAA==\n" END,
		"its contents are no such key" },
	{ BEGIN "MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fAAAA\n" END,
		"its contents are no such key" }, /* bytes after the SEQUENCE */
	{ BEGIN "MC4CAQAwBQYDK2VuBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n" END,
		"it is an X25519 key" },
	{ BEGIN "MC4CAQAwBQYDK2V2BCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n" END,
		"it is a key of an algorithm unknown here" },
	{ PUBLIC, "it is a public key" },
	{ "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n",
		"it is an RSA key" },
	{ "-----BEGIN EC PRIVATE KEY-----\nAAAA\n", "it is an EC key" },
	{ "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
		"it is in OpenSSH's own form" },
	{ "-----BEGIN X-----\nAAAA\n-----END X-----\n", "its block is of another kind" },
};

/* A refusal names the file, never a byte of the key, and no errno of something before it. */
static void key_1_private_forms(void **state)
{
	unsigned char want[32];
	char message[256];

	(void)state;
	for (unsigned i = 0; i < 32; i++)
		want[i] = (unsigned char)i;
	for (size_t i = 0; i < AT_LEN(private_rows); i++) {
		const char *text = private_rows[i].text;
		struct at_error err = { 0 };
		struct at_secret seed;
		bool done;

		errno = EACCES;
		done = read_private(&seed, text, strlen(text), "op.key", &err);
		if (done != !private_rows[i].why)
			fail_msg("row %zu: %s", i, done ? "read" : err.message);
		if (done) {
			assert_memory_equal(seed.bytes, want, sizeof(want));
			at_secret_free(&seed);
			continue;
		}
		snprintf(message, sizeof(message), "not an Ed25519 private key: op.key (%s)",
			private_rows[i].why);
		if (strncmp(err.message, message, strlen(message)) && !strstr(err.message, message))
			fail_msg("row %zu: %s", i, err.message);
		assert_row(i, err.code == AT_EINVALID && err.sys == 0 && !seed.bytes);
		assert_row(i, !strstr(err.message, "AAEC") && !strstr(err.message, "MC4C"));
	}
}

/* Cut at any byte, or with any byte changed: read as the same key or refused. */
static void key_1_any_byte_changed(void **state)
{
	static const char whole[] = BEGIN BODY "\n" END;
	char text[sizeof(whole)];
	size_t kept = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(whole) - 1; i++) {
		struct at_error err = { 0 };
		struct at_secret seed;
		bool done = read_private(&seed, whole, i, "k", &err);

		assert_row(i, done == (i == sizeof(whole) - 2)); /* without the last line end */
		at_secret_free(&seed);
		memcpy(text, whole, sizeof(whole));
		text[i] ^= 0x80;
		assert_row(i, !read_private(&seed, text, sizeof(whole) - 1, "k", &err));
		text[i] = '\0';
		kept += read_private(&seed, text, sizeof(whole) - 1, "k", &err);
		at_secret_free(&seed);
	}
	assert_int_equal(kept, 0);
}

static void key_1_case_85(void **state)
{
	static const char text[] = "bm90IGEga2V5IGF0IGFsbA=="; /* "not a key at all" */
	struct at_error err = { 0 };
	struct at_secret seed;

	(void)state;
	errno = 0;
	assert_false(read_private(&seed, text, strlen(text), "op.key", &err));
	assert_non_null(strstr(err.message, "not an Ed25519 private key: op.key"));
	assert_null(strstr(err.message, "Success"));
}

static void key_1_public_forms(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ PUBLIC, NULL },
		{ "-----BEGIN PUBLIC KEY-----\r\n" PUBLIC_BODY "\r\n-----END PUBLIC KEY-----\r\n",
			NULL },
		{ BEGIN BODY "\n" END, "it is a private key: keep it where it belongs" },
		{ "-----BEGIN PUBLIC KEY-----\n"
			"MCowBQYDK2VuAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg="
		  "\n-----END PUBLIC KEY-----\n",
			"it is an X25519 key" },
		{ "-----BEGIN PUBLIC KEY-----\n"
			"MCowBQYDK2VwAyEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
		  "\n-----END PUBLIC KEY-----\n",
			"no signature can be right with it" },
		{ "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEB"
		  "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=\n-----END PUBLIC KEY-----\n",
			"its contents are no such key" },
		{ "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
			"it is a certificate" },
		{ "# op\n" PUBLIC, "it has text before its BEGIN line" },
		{ PUBLIC PUBLIC, "it holds more than one block" },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_public_key key;
		struct at_error err = { 0 };
		bool done = at_pem_read_public(&key, at_bytes_of(rows[i].text), "op.pub.pem", &err);

		if (done != !rows[i].why || (!done && !strstr(err.message, rows[i].why)))
			fail_msg("row %zu: %s", i, done ? "read" : err.message);
	}
}

/* The derived vectors: seed, public half, SPKI, text. */
static void key_1_vector(void **state)
{
	struct at_error err = { 0 };
	struct at_public_key key;
	struct at_secret seed, text;
	struct at_buf public = { 0 };

	(void)state;
	assert_true(
		read_private(&seed, BEGIN BODY "\n" END, strlen(BEGIN BODY "\n" END), "k", &err));
	assert_true(at_ed25519_public(&key, &seed, &err));
	at_pem_write_public(&public, &key);
	assert_string_equal(at_buf_text(&public), PUBLIC);
	assert_true(at_pem_write_private(&text, &seed, &err));
	assert_true(at_bytes_equal_text(at_secret_bytes(&text), BEGIN BODY "\n" END));
	at_secret_free(&text);
	at_secret_free(&seed);
	at_buf_free(&public);
}

struct pair {
	char *dir;
	struct at_secret seed;
	struct at_public_key key;
};

/* A key of ours, as op.pem and op.pub.pem in a directory. */
static void pair_begin(struct pair *pair)
{
	struct at_error err = { 0 };
	struct at_secret text;
	struct at_buf public = { 0 };

	pair->dir = test_tree_new();
	assert_true(at_ed25519_make(&pair->seed, &err));
	assert_true(at_ed25519_public(&pair->key, &pair->seed, &err));
	assert_true(at_pem_write_private(&text, &pair->seed, &err));
	at_pem_write_public(&public, &pair->key);
	test_write_bytes(pair->dir, "op.pem", text.bytes, text.len);
	test_write_bytes(pair->dir, "op.pub.pem", public.data, public.len);
	test_write(pair->dir, "message", "agentteams-grant-v1|some|thing");
	at_secret_free(&text);
	at_buf_free(&public);
}

static void pair_end(struct pair *pair)
{
	at_secret_free(&pair->seed);
	test_tree_remove(pair->dir);
}

static void key_1_openssl_reads_ours(void **state)
{
	struct at_signature signature;
	struct at_buf message, said;
	struct at_error err = { 0 };
	struct at_digest fingerprint;
	char hex[AT_DIGEST_HEX];
	struct pair pair;

	(void)state;
	if (!have_openssl())
		skip_because("openssl is not installed");
	pair_begin(&pair);
	assert_true(run_shell(pair.dir,
		"openssl pkey -in op.pem -pubout -out its.pem && "
		"cmp its.pem op.pub.pem && openssl pkey -in op.pem -out again.pem && "
		"cmp again.pem op.pem"));
	message = test_read(pair.dir, "message");
	assert_true(at_ed25519_sign(&signature, &pair.seed, at_buf_bytes(&message), &err));
	test_write_bytes(pair.dir, "signature", signature.byte, sizeof(signature.byte));
	assert_true(run_shell(pair.dir,
		"openssl pkeyutl -verify -pubin -inkey op.pub.pem -rawin "
		"-in message -sigfile signature"));
	assert_true(run_shell(pair.dir,
		"openssl pkey -pubin -in op.pub.pem -outform DER | "
		"sha256sum | cut -d' ' -f1 | tr -d '\\n' > sum"));
	fingerprint = at_key_fingerprint(&pair.key);
	at_digest_hex(hex, &fingerprint);
	said = test_read(pair.dir, "sum");
	assert_string_equal(at_buf_text(&said), hex);
	at_buf_free(&said);
	at_buf_free(&message);
	pair_end(&pair);
}

static void key_1_we_read_openssl_s(void **state)
{
	struct at_buf text, public, message, signature;
	struct at_error err = { 0 };
	struct at_public_key key, its;
	struct at_signature said;
	struct at_secret seed;
	struct pair pair;

	(void)state;
	if (!have_openssl())
		skip_because("openssl is not installed");
	pair_begin(&pair);
	assert_true(run_shell(pair.dir,
		"openssl genpkey -algorithm ed25519 -out a.pem && "
		"openssl pkey -in a.pem -pubout -out a.pub.pem && "
		"openssl pkeyutl -sign -inkey a.pem -rawin -in message -out a.sig"));
	text = test_read(pair.dir, "a.pem");
	public = test_read(pair.dir, "a.pub.pem");
	message = test_read(pair.dir, "message");
	signature = test_read(pair.dir, "a.sig");
	assert_true(read_private(&seed, text.data, text.len, "a.pem", &err));
	assert_true(at_ed25519_public(&key, &seed, &err));
	assert_true(at_pem_read_public(&its, at_buf_bytes(&public), "a.pub.pem", &err));
	assert_true(at_public_key_equal(&key, &its));
	assert_int_equal(signature.len, sizeof(said.byte));
	memcpy(said.byte, signature.data, sizeof(said.byte));
	assert_true(at_ed25519_verify(&key, at_buf_bytes(&message), &said));
	at_secret_free(&seed);
	at_buf_free(&text);
	at_buf_free(&public);
	at_buf_free(&message);
	at_buf_free(&signature);
	pair_end(&pair);
}

/* Every other kind that openssl makes is named. */
static void key_1_other_algorithms_are_named(void **state)
{
	static const struct {
		const char *make, *why;
	} rows[] = {
		{ "-algorithm RSA -pkeyopt rsa_keygen_bits:2048", "it is an RSA key" },
		{ "-algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048", "it is an RSA-PSS key" },
		{ "-algorithm EC -pkeyopt ec_paramgen_curve:P-256", "it is an EC key" },
		{ "-algorithm X25519", "it is an X25519 key" },
		{ "-algorithm X448", "it is an X448 key" },
		{ "-algorithm ED448", "it is an Ed448 key" },
		{ "-algorithm ed25519 -aes256 -pass pass:secret",
			"it is encrypted in openssl's form" },
	};
	char *dir = test_tree_new();

	(void)state;
	if (!have_openssl()) {
		test_tree_remove(dir);
		skip_because("openssl is not installed");
	}
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_error err = { 0 };
		struct at_public_key key;
		struct at_secret seed;
		struct at_buf text;

		assert_row(i,
			run_shell(dir,
				"openssl genpkey %s -out k.pem && openssl pkey -in k.pem "
				"-passin pass:secret -pubout -out k.pub.pem",
				rows[i].make));
		text = test_read(dir, "k.pem");
		if (read_private(&seed, text.data, text.len, "k.pem", &err)
			|| !strstr(err.message, rows[i].why))
			fail_msg("row %zu: %s", i, err.message);
		at_buf_free(&text);
		text = test_read(dir, "k.pub.pem");
		if (i + 1 < AT_LEN(rows)
			&& (at_pem_read_public(&key, at_buf_bytes(&text), "k", &err)
				|| !strstr(err.message, rows[i].why)))
			fail_msg("row %zu, public: %s", i, err.message);
		at_buf_free(&text);
	}
	test_tree_remove(dir);
}

int test_pem(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_1_private_forms),
		cmocka_unit_test(key_1_any_byte_changed),
		cmocka_unit_test(key_1_case_85),
		cmocka_unit_test(key_1_public_forms),
		cmocka_unit_test(key_1_vector),
		cmocka_unit_test(key_1_openssl_reads_ours),
		cmocka_unit_test(key_1_we_read_openssl_s),
		cmocka_unit_test(key_1_other_algorithms_are_named),
	};

	return cmocka_run_group_tests_name("pem", tests, NULL, NULL);
}
