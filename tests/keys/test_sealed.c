/* Keys under a passphrase. */
#include <string.h>

#include "keys/openssl.h"
#include "keys/sealed.h"
#include "support/support.h"

static const struct at_seal_cost cheap = { 1, 8192 };

struct sealed {
	struct at_secret seed, passphrase;
	struct at_public_key key;
	struct at_buf text;
};

static void sealed_begin(struct sealed *s)
{
	struct at_error err = { 0 };

	*s = (struct sealed){ 0 };
	secret_of(&s->passphrase, at_bytes_of("correct horse"));
	assert_true(at_ed25519_make(&s->seed, &err));
	assert_true(at_ed25519_public(&s->key, &s->seed, &err));
	if (!at_seal(&s->text, &s->seed, &s->passphrase, &cheap, &err))
		fail_msg("%s", err.message);
}

static void sealed_end(struct sealed *s)
{
	at_secret_free(&s->seed);
	at_secret_free(&s->passphrase);
	at_buf_free(&s->text);
}

static bool opens(
	const struct sealed *s, struct at_bytes text, const char *passphrase, struct at_error *err)
{
	struct at_secret word, seed;
	bool done;

	secret_of(&word, at_bytes_of(passphrase));
	done = at_unseal(&seed, text, &word, "op.sealed", err);
	if (done)
		assert_memory_equal(seed.bytes, s->seed.bytes, AT_SEED_BYTES);
	else
		assert_null(seed.bytes);
	at_secret_free(&seed);
	at_secret_free(&word);
	return done;
}

static void key_1_sealed_opens_with_its_passphrase(void **state)
{
	struct at_error err = { 0 };
	struct at_public_key key;
	struct sealed s;

	(void)state;
	sealed_begin(&s);
	assert_true(opens(&s, at_buf_bytes(&s.text), "correct horse", &err));
	assert_false(opens(&s, at_buf_bytes(&s.text), "correct horsf", &err));
	assert_int_equal(err.code, AT_EREFUSED);
	assert_string_equal(err.message,
		"not a sealed key that can be opened: op.sealed (a wrong "
		"passphrase, or a file that was changed)");
	assert_false(opens(&s, at_buf_bytes(&s.text), "", &err));
	assert_true(at_sealed_public(&key, at_buf_bytes(&s.text), "op.sealed", &err));
	assert_true(at_public_key_equal(&key, &s.key));
	sealed_end(&s);
}

static void key_1_sealed_refuses_to_protect_nothing(void **state)
{
	static const struct at_seal_cost costs[] = { { 0, 8192 }, { 17, 8192 }, { 1, 8191 },
		{ 1, 1048577 } };
	struct at_error err = { 0 };
	struct at_buf text = { 0 };
	struct at_secret empty;
	struct sealed s;

	(void)state;
	sealed_begin(&s);
	secret_of(&empty, at_bytes_of(""));
	assert_false(at_seal(&text, &s.seed, &empty, &cheap, &err));
	for (size_t i = 0; i < AT_LEN(costs); i++)
		assert_row(i, !at_seal(&text, &s.seed, &s.passphrase, &costs[i], &err));
	assert_int_equal(text.len, 0);
	at_secret_free(&empty);
	sealed_end(&s);
}

/* The first line of base64 holds magic, cost and salt: 48 bytes. */
static void poke(char *text, size_t offset, unsigned char value)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *group = strchr(text, '\n') + 1 + offset / 3 * 4;
	unsigned bits = 0, shift = 16 - 8 * (unsigned)(offset % 3);

	for (int i = 0; i < 4; i++)
		bits = bits << 6 | (unsigned)(strchr(digits, group[i]) - digits);
	bits = (bits & ~(0xffu << shift)) | (unsigned)value << shift;
	for (int i = 3; i >= 0; i--, bits >>= 6)
		group[i] = digits[bits & 63];
}

static void key_1_sealed_header_is_bound(void **state)
{
	static const struct {
		size_t at;
		unsigned char value;
		const char *why;
	} rows[] = {
		{ 0, 'B', "it does not begin as such a file does" },
		{ 7, 2, "it is of a version unknown here" },
		{ 11, 0, "outside the form" },
		{ 11, 17, "outside the form" },
		{ 8, 1, "outside the form" },
		{ 12, 0xff, "outside the form" }, /* terabytes: refused before any is taken */
		{ 12, 1, "outside the form" },
		{ 14, 0, "outside the form" },
		{ 11, 2, "a wrong passphrase, or a file that was changed" },
		{ 15, 1, "a wrong passphrase, or a file that was changed" },
		{ 14, 0x21, "a wrong passphrase, or a file that was changed" },
		{ 16, 0, "a wrong passphrase, or a file that was changed" },
		{ 40, 0, "a wrong passphrase, or a file that was changed" },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_error err = { 0 };
		struct sealed s;

		sealed_begin(&s);
		poke(s.text.data, rows[i].at, rows[i].value);
		if (opens(&s, at_buf_bytes(&s.text), "correct horse", &err))
			fail_msg("row %zu: opened", i);
		if (!strstr(err.message, rows[i].why))
			fail_msg("row %zu: %s", i, err.message);
		sealed_end(&s);
	}
}

static void key_1_sealed_cut_or_extended(void **state)
{
	struct at_error err = { 0 };
	struct sealed s;

	(void)state;
	sealed_begin(&s);
	for (size_t i = 0; i + 1 < s.text.len; i++)
		assert_row(
			i, !opens(&s, (struct at_bytes){ s.text.data, i }, "correct horse", &err));
	at_buf_puts(&s.text, "x");
	assert_false(opens(&s, at_buf_bytes(&s.text), "correct horse", &err));
	sealed_end(&s);
	sealed_begin(&s);
	assert_false(opens(&s,
		at_bytes_of("-----BEGIN PRIVATE KEY-----\nAAAA\n"
			    "-----END PRIVATE KEY-----\n"),
		"x", &err));
	assert_non_null(strstr(err.message, "its block is of another kind"));
	sealed_end(&s);
}

int test_sealed(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_1_sealed_opens_with_its_passphrase),
		cmocka_unit_test(key_1_sealed_refuses_to_protect_nothing),
		cmocka_unit_test(key_1_sealed_header_is_bound),
		cmocka_unit_test(key_1_sealed_cut_or_extended),
	};

	return cmocka_run_group_tests_name("sealed", tests, NULL, NULL);
}
