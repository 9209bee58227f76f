#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/digest.h"
#include "core/proof.h"

#define NOW 1791331200 /* 2026-10-07 */
#define DAY 86400

static void fill(struct at_proof *proof)
{
	static struct at_proof_mechanism in_force[] = { { "NoNewPrivs", "1" },
		{ "namespaces of its own", "user mnt pid" } };
	static const struct at_proof_case cases[] = {
		{ "W1", "write outside", "create a file", "inside", "", "refused: EROFS",
			AT_NEED_MUST, AT_HOLDS, 0 },
		{ "L3", "links", "write by a hard link", "outside", "made before", "works",
			AT_NEED_OPEN, AT_RESIDUAL, 0 },
		{ "X3", "network", "reach one by \"SCTP\"", "outside", "takes SCTP", "absent",
			AT_NEED_OPTIONAL, AT_SKIPPED, 1 },
	};
	const struct at_proof_run plain = { 1000, false, 2300, in_force, AT_LEN(in_force) };
	const struct at_proof_run harden = { 1000, true, 2400, NULL, 0 };

	at_proof_init(proof);
	proof->time = NOW;
	for (int i = 0; i < AT_PROOF_FACT_COUNT; i++)
		at_proof_set_fact(
			proof, (enum at_proof_fact)i, at_proof_fact_label((enum at_proof_fact)i));
	at_proof_add_run(proof, &plain);
	at_proof_add_run(proof, &harden);
	for (size_t i = 0; i < AT_LEN(cases); i++)
		at_proof_add_case(proof, &cases[i]);
}

static void assert_same(const struct at_proof *a, const struct at_proof *b)
{
	struct at_buf one = { 0 }, other = { 0 };

	at_proof_write(a, &one);
	at_proof_write(b, &other);
	assert_string_equal(at_buf_text(&one), at_buf_text(&other));
	at_buf_free(&one);
	at_buf_free(&other);
}

/* WIRE-13: what is stored comes back as it was, every text and number. */
static void wire_13_a_proof_comes_back(void **state)
{
	struct at_proof proof, again;
	struct at_buf text = { 0 };
	struct at_error err;

	fill(&proof);
	at_proof_write(&proof, &text);
	assert_true(at_proof_read(&again, at_buf_bytes(&text), &err));
	assert_int_equal(again.time, NOW);
	assert_int_equal(again.case_count, 3);
	assert_int_equal(again.run_count, 2);
	assert_string_equal(again.runs[0].mechanisms[1].value, "user mnt pid");
	assert_string_equal(again.cases[2].what, "reach one by \"SCTP\"");
	assert_int_equal(again.cases[2].run, 1);
	assert_same(&proof, &again);
	at_proof_free(&again);
	at_proof_free(&proof);
	at_buf_free(&text);
}

static bool reads(const char *data, size_t len)
{
	struct at_proof proof;
	struct at_error err = { 0 };
	bool ok = at_proof_read(&proof, (struct at_bytes){ data, len }, &err);

	if (!ok) {
		assert_int_equal(proof.case_count, 0);
		assert_true(*err.message);
	}
	at_proof_free(&proof);
	return ok;
}

/* WIRE-13: a file that was cut anywhere, or in which any byte is another one, is no proof. */
static void wire_13_a_changed_file_is_no_proof(void **state)
{
	struct at_proof proof;
	struct at_buf text = { 0 };

	fill(&proof);
	at_proof_write(&proof, &text);
	assert_true(reads(text.data, text.len));
	for (size_t len = 0; len + 2 < text.len; len++)
		assert_row(len, !reads(text.data, len));
	for (size_t i = 0; i + 2 < text.len; i++) {
		char was = text.data[i];

		text.data[i] = was == 'x' ? 'y' : 'x';
		assert_row(i, !reads(text.data, text.len));
		text.data[i] = was;
	}
	at_proof_free(&proof);
	at_buf_free(&text);
}

/* Puts `with` in the place of the first `what` and gives the text a digest that fits, as one
 * who writes the file by hand would. */
static bool reads_with(const char *what, const char *with)
{
	struct at_proof proof;
	struct at_buf text = { 0 }, made = { 0 };
	struct at_digest digest;
	char hex[AT_DIGEST_HEX];
	const char *start, *found;
	bool ok;

	fill(&proof);
	at_proof_write(&proof, &text);
	start = strstr(text.data, "\"proof\": ") + strlen("\"proof\": ");
	found = strstr(start, what);
	assert_non_null(found);
	at_buf_put(&made, start, (size_t)(found - start));
	at_buf_puts(&made, with);
	at_buf_puts(&made, found + strlen(what));
	made.len -= strlen("\n}\n");
	digest = at_digest_of(at_buf_bytes(&made));
	at_digest_hex(hex, &digest);
	text.len = 0;
	at_buf_printf(
		&text, "{\"sha256\": \"%s\", \"proof\": %.*s}", hex, (int)made.len, made.data);
	ok = reads(text.data, text.len);
	at_proof_free(&proof);
	at_buf_free(&text);
	at_buf_free(&made);
	return ok;
}

/* WIRE-13: well-formed is not enough: members, types, words, lengths and sums are checked. */
static void wire_13_a_hostile_file_is_no_proof(void **state)
{
	static char huge[2 * AT_PROOF_TEXT];
	static const struct {
		const char *what, *with;
	} rows[] = {
		{ "launcher-proof/1", "launcher-proof/2" },
		{ "\"time\": 1791331200", "\"time\": -1" },
		{ "\"time\": 1791331200", "\"time\": 1.5" },
		{ "\"time\": 1791331200", "\"time\": \"1791331200\"" },
		{ "\"time\": 1791331200", "\"time\": 99999999999999999999" },
		{ "2026-10-07", "2027-10-07" },
		{ "\"the kernel\"", "null" },
		{ "\"the kernel\"", "{}" },
		{ "\"the kernel\"", "\"the\\u0007kernel\"" },
		{ "\"the kernel\"", "\"the kernel\", \"more\": 1" },
		{ "\"HOLDS\"", "\"HOLD\"" },
		{ "\"HOLDS\"", "\"RESIDUAL\"" }, /* the totals are others then */
		{ "\"must\"", "\"may\"" },
		{ "\"run\": 0", "\"run\": 7" },
		{ "\"run\": 1", "\"run\": 0" },
		{ "\"id\": \"W1\"", "\"id\": \"\"" },
		{ "\"caller\": 1000", "\"caller\": 4294967296" },
		{ "\"mode\": \"default\"", "\"mode\": \"both\"" },
		{ "\"mechanisms\": [", "\"mechanisms\": [1, " },
		{ "\"runs\": [", "\"runs\": [[]," },
		{ "\"cases\": [", "\"cases\": {\"a\": [" },
		{ "refused: EROFS", huge },
	};

	memset(huge, 'a', sizeof(huge) - 1);
	assert_true(reads_with("refused: EROFS", "refused: EPERM"));
	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i, !reads_with(rows[i].what, rows[i].with));
	assert_false(reads("null", 4));
	assert_false(reads("[]", 2));
	assert_false(reads("{\"sha256\": 1, \"proof\": {}}", 27));
	assert_false(reads("{\"sha256\": \"\", \"proof\": {}}", 28));
}

/* WIRE-13: host, kernel, launcher, bwrap and helper each make it stale, and 30 days do. */
static void wire_13_what_makes_it_stale(void **state)
{
	static const struct {
		int fact; /* that is another one, or -1 */
		int64_t after;
		const char *why; /* NULL: it still counts */
	} rows[] = {
		{ -1, 0, NULL },
		{ -1, 30 * DAY, NULL },
		{ -1, 30 * DAY + 1, "it is older than 30 days" },
		{ -1, -2 * DAY, "its date is in the future" },
		{ AT_PROOF_HOST, 0, "the host is another one" },
		{ AT_PROOF_HOST_ID, 0, "the machine is another one" },
		{ AT_PROOF_KERNEL, 0, "the kernel is another one" },
		{ AT_PROOF_MACHINE, 0, "the architecture is another one" },
		{ AT_PROOF_LAUNCHER, 0, "the launcher is another one" },
		{ AT_PROOF_BWRAP, 0, "bwrap is another one" },
		{ AT_PROOF_BWRAP_VERSION, 0, "bwrap's version is another one" },
		{ AT_PROOF_HARDEN, 0, "agentteams-harden is another one" },
		{ AT_PROOF_BATTERY, 0, "the list of cases is another one" },
		{ AT_PROOF_DISTRO, 0, NULL },
		{ AT_PROOF_LAUNCHER_FROM, 0, NULL },
		{ AT_PROOF_BWRAP_PATH, 0, NULL },
		{ AT_PROOF_KERNEL, 31 * DAY,
			"the kernel is another one; it is older than 30 days" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const char *now[AT_PROOF_FACT_COUNT];
		struct at_proof proof;
		char why[200];
		bool stale;

		fill(&proof);
		memcpy(now, proof.facts, sizeof(now));
		if (rows[i].fact >= 0)
			now[rows[i].fact] = "another";
		stale = at_proof_is_stale(&proof, now, NOW + rows[i].after, why, sizeof(why));
		assert_row(i, stale == (rows[i].why != NULL));
		assert_string_equal(why, rows[i].why ? rows[i].why : "");
		at_proof_free(&proof);
	}
}

/* WIRE-13: several changes are all named; what was not looked at is none. */
static void wire_13_stale_names_every_change(void **state)
{
	const char *now[AT_PROOF_FACT_COUNT] = { NULL };
	struct at_proof proof;
	char why[200], little[16];

	fill(&proof);
	assert_false(at_proof_is_stale(&proof, now, NOW, why, sizeof(why)));
	now[AT_PROOF_KERNEL] = now[AT_PROOF_LAUNCHER] = now[AT_PROOF_BWRAP] = "";
	assert_true(at_proof_is_stale(&proof, now, NOW, why, sizeof(why)));
	assert_string_equal(why, "the kernel, the launcher and bwrap are others");
	assert_true(at_proof_is_stale(&proof, now, NOW, little, sizeof(little)));
	assert_int_equal(strlen(little), sizeof(little) - 1);
	at_proof_free(&proof);
}

/* LAU-8: without a run in the harden mode the helper is nothing a proof depends on. */
static void lau_8_an_unused_helper_does_not_count(void **state)
{
	const char *now[AT_PROOF_FACT_COUNT] = { NULL };
	struct at_proof proof;
	char why[200];

	fill(&proof);
	proof.runs[1].harden = false;
	now[AT_PROOF_HARDEN] = "another";
	assert_false(at_proof_is_stale(&proof, now, NOW, why, sizeof(why)));
	at_proof_free(&proof);
}

/* LAU-8: a failure is a leak of anything that counts, or a case that must hold and was not
 * seen to. */
static void lau_8_what_is_a_failure(void **state)
{
	for (int need = 0; need < AT_NEED_COUNT; need++) {
		for (int word = 0; word < AT_CASE_COUNT; word++) {
			const struct at_proof_run run = { 0 };
			const struct at_proof_case one = { .id = "A", .need = need, .word = word };
			bool failed =
				word == AT_LEAKS || (need == AT_NEED_MUST && word != AT_HOLDS);
			struct at_proof proof;

			at_proof_init(&proof);
			at_proof_add_run(&proof, &run);
			at_proof_add_case(&proof, &one);
			assert_row(need * 10 + word, at_proof_failures(&proof) == failed);
			at_proof_free(&proof);
		}
	}
}

int test_proof(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_13_a_proof_comes_back),
		cmocka_unit_test(wire_13_a_changed_file_is_no_proof),
		cmocka_unit_test(wire_13_a_hostile_file_is_no_proof),
		cmocka_unit_test(wire_13_what_makes_it_stale),
		cmocka_unit_test(wire_13_stale_names_every_change),
		cmocka_unit_test(lau_8_an_unused_helper_does_not_count),
		cmocka_unit_test(lau_8_what_is_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
