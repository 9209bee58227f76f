#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "runner/selftest/probe_text.h"

static const char *const secrets[] = { "abcdefghijklmnopqrstuvwx", NULL };
#define HEX "6162636465666768696a6b6c6d6e6f707172737475767778"

static const struct at_probe_said *said_of(const struct at_probe_text *text, const char *id)
{
	return &text->cases[at_case_find(id) - at_cases];
}

/* LAU-8: attempt and control of a case, in any order; a last line without its end is none. */
static void lau_8_reads_what_the_probe_says(void **state)
{
	static const char lines[] = "W1\tcontrol\tworked\t\n"
				    "W1\tattempt\trefused\tEROFS\n"
				    "R1\tattempt\tworked\tgot:" HEX " known_hosts\n"
				    "R2\tattempt\tabsent\t.aws\nend\n";
	struct at_probe_text text;
	struct at_error err;

	assert_true(at_probe_text_read(&text, at_bytes_of(lines), secrets, &err));
	assert_true(text.ended);
	assert_int_equal(text.told, 3);
	assert_int_equal(said_of(&text, "W1")->attempt.seen, AT_SEEN_REFUSED);
	assert_string_equal(said_of(&text, "W1")->attempt.detail, "EROFS");
	assert_int_equal(said_of(&text, "W1")->control.seen, AT_SEEN_WORKED);
	assert_true(said_of(&text, "R1")->secret_seen);
	assert_string_equal(said_of(&text, "R1")->attempt.detail, "known_hosts");
	assert_false(said_of(&text, "R2")->secret_seen);
	assert_int_equal(said_of(&text, "W2")->attempt.seen, AT_SEEN_NOTHING);
	at_probe_text_free(&text);

	assert_true(at_probe_text_read(
		&text, at_bytes_of("W1\tattempt\trefused\tx\nW2\tattempt\twor"), secrets, &err));
	assert_false(text.ended);
	assert_int_equal(text.told, 1);
	at_probe_text_free(&text);
}

/* LAU-8: what the probe cannot have written makes the text worthless: the sandbox may be
 * speaking. */
static void lau_8_refuses_other_lines(void **state)
{
	static char huge[4096];
	static const char *const rows[] = {
		"\n",
		"W1\n",
		"W1\tattempt\trefused\n",
		"W1\tattempt\trefused\tx\ty\n",
		"XX\tattempt\trefused\tx\n",
		"W1\tguess\trefused\tx\n",
		"W1\tattempt\tmaybe\tx\n",
		"W1\tattempt\trefused\t\033[2J\n",
		"W1\tattempt\trefused\t\377\n",
		"W1\tattempt\trefused\tx\nW1\tattempt\tworked\tx\n",
		"end\nW1\tattempt\trefused\tx\n",
		huge,
	};

	snprintf(huge, sizeof(huge), "W1\tattempt\trefused\t%02500d\n", 0);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_probe_text text;
		struct at_error err = { 0 };

		assert_row(i, !at_probe_text_read(&text, at_bytes_of(rows[i]), secrets, &err));
		assert_row(i, err.line > 0);
		at_probe_text_free(&text);
	}
}

/* LAU-8: a secret counts wherever in the bytes it is, and only in what was got hold of. */
static void lau_8_a_secret_is_a_leak(void **state)
{
	static const struct {
		const char *detail;
		bool seen;
	} rows[] = {
		{ "got:" HEX, true },
		{ "got:0a" HEX "0a file", true },
		{ "got:61", false },
		{ "got:", false },
		{ "got:zz" HEX, false },
		{ HEX, false },
		{ "abcdefghijklmnopqrstuvwx", false },
		{ "got:6" HEX, false },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_probe_text text;
		struct at_error err;
		char line[200];

		snprintf(line, sizeof(line), "R1\tattempt\trefused\t%s\n", rows[i].detail);
		assert_row(i, at_probe_text_read(&text, at_bytes_of(line), secrets, &err));
		assert_row(i, said_of(&text, "R1")->secret_seen == rows[i].seen);
		at_probe_text_free(&text);
	}
}

int test_probe_text(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lau_8_reads_what_the_probe_says),
		cmocka_unit_test(lau_8_refuses_other_lines),
		cmocka_unit_test(lau_8_a_secret_is_a_leak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
