/* Why a change is looked at twice, and what comes of accepting it in part. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/review/hunks.h"
#include "runner/review/risk.h"

static struct at_risk_report judge(const char *path, const char *old, const char *new,
	const char *rationale)
{
	struct at_risk_case what = { .path = path, .rationale = at_bytes_of(rationale) };
	struct at_risk_report report;

	if (old)
		what.old = at_bytes_of(old);
	if (new)
		what.new = at_bytes_of(new);
	at_risk_judge(&report, &what);
	return report;
}

/* STG-1, UI-7: the reason each change is shown for, heaviest first, at its line. */
static void stg_1_each_reason(void **state)
{
	static const struct {
		const char *path, *old, *new;
		int risk; /* the first reason; -1: none */
		size_t line;
	} rows[] = {
		{ "src/a.c", "int a;\n", "int b;\n", -1, 0 },
		{ "docs/x.md", NULL, "words\n", -1, 0 },
		{ "README.md", "a\n", NULL, -1, 0 },
		{ "Makefile", "a:\n", "b:\n", AT_RISK_RUNS, 0 },
		{ "sub/Makefile", NULL, "b:\n", AT_RISK_RUNS, 0 },
		{ "makefile", NULL, "b:\n", AT_RISK_RUNS, 0 },
		{ "Makefile.md", NULL, "b\n", -1, 0 },
		{ ".github/workflows/ci.yml", NULL, "on: push\n", AT_RISK_RUNS, 0 },
		{ "a/.github/workflows/ci.yml", NULL, "on: push\n", AT_RISK_RUNS, 0 },
		{ "workflows/ci.yml", NULL, "x\n", -1, 0 },
		{ "tool", NULL, "#!/bin/sh\n", AT_RISK_RUNS, 1 },
		{ "docker-compose.prod.yaml", NULL, "x\n", AT_RISK_RUNS, 0 },
		{ "x.config.ts", NULL, "x\n", AT_RISK_RUNS, 0 },
		{ "CLAUDE.md", NULL, "x\n", AT_RISK_TRUST, 0 },
		{ "sub/AGENTS.md", NULL, "x\n", AT_RISK_TRUST, 0 },
		{ ".claude/settings.json", NULL, "{}\n", AT_RISK_TRUST, 0 },
		{ "x.agent.md", NULL, "x\n", AT_RISK_TRUST, 0 },
		{ "src/k.c", "a\nb\n", "a\nkey = \"AKIAIOSFODNN7EXAMPLF\"\nb\n", AT_RISK_FINDING, 2 },
		{ "src/k.c", "key = \"AKIAIOSFODNN7EXAMPLF\"\n",
			"key = \"AKIAIOSFODNN7EXAMPLF\"\nb\n", -1, 0 },
		{ "src/h.c", "a\n", "a\nb\xe2\x80\xae" "c\n", AT_RISK_HIDDEN, 2 },
		{ "src/h.c", "a\n", "a\nb\x1b[2J\n", AT_RISK_HIDDEN, 2 },
		{ "src/h.c", "a\n", "a\nx\xe2\x80\x8by\n", AT_RISK_HIDDEN, 2 },
		{ "src/h.c", "a\n", "a\n\tb\n", -1, 0 },
		{ "src/h.c", "a\r\n", "a\r\nb\r\n", -1, 0 },
		{ "src/n.c", "a\n", "a\n\xff\n", AT_RISK_BINARY, 0 },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_risk_report r = judge(rows[i].path, rows[i].old, rows[i].new, "why");

		if ((r.count ? (int)r.reasons[0].risk : -1) != rows[i].risk
			|| (r.count && r.reasons[0].line != rows[i].line))
			fail_msg("row %zu: %zu reasons, the first %s line %zu", i, r.count,
				r.count ? at_risk_name(r.reasons[0].risk) : "none",
				r.count ? r.reasons[0].line : 0);
	}
}

static void stg_1_size_place_and_order(void **state)
{
	static const char *const usual[] = { "src", "docs" };
	struct at_buf many = { 0 }, line = { 0 }, text = { 0 };
	struct at_risk_case what = { .path = "src/a.c", .usual = usual, .usual_count = 2 };
	struct at_risk_report r;

	(void)state;
	for (int i = 0; i < 100; i++)
		at_buf_printf(&many, "line %d\n", i);
	r = judge("src/a.c", NULL, at_buf_text(&many), "tidy");
	assert_int_equal(r.reasons[0].risk, AT_RISK_SIZE);
	r = judge("src/a.c", NULL, at_buf_text(&many), "a hundred lines that the table needs");
	assert_int_equal(r.count, 0);
	at_buf_pad(&line, 'x', 501);
	r = judge("src/a.c", NULL, at_buf_text(&line), "w");
	assert_int_equal(r.reasons[0].risk, AT_RISK_LONG);
	what.new = at_bytes_of("x\n");
	at_risk_judge(&r, &what);
	assert_int_equal(r.count, 0);
	what.path = "srcs/a.c";
	at_risk_judge(&r, &what);
	assert_int_equal(r.reasons[0].risk, AT_RISK_PLACE);
	/* Heaviest first; a kind counts once; the text holds nothing that was found. */
	what.path = ".claude/hooks/x.sh";
	what.new = at_bytes_of("#!/bin/sh\nAKIAIOSFODNN7EXAMPLF\nAKIAIOSFODNN7EXAMPLG\n");
	at_risk_judge(&r, &what);
	assert_int_equal(r.reasons[0].risk, AT_RISK_TRUST);
	assert_int_equal(r.weight, at_risk_weight(AT_RISK_TRUST) + at_risk_weight(AT_RISK_FINDING)
			+ at_risk_weight(AT_RISK_RUNS) + at_risk_weight(AT_RISK_PLACE));
	at_risk_put(&text, &r);
	assert_null(strstr(at_buf_text(&text), "AKIA"));
	assert_non_null(strstr(at_buf_text(&text), "(line 2)"));
	at_buf_free(&many);
	at_buf_free(&line);
	at_buf_free(&text);
}

/* A reason never stands without a bound, whatever the text. */
static void stg_1_reasons_are_bounded(void **state)
{
	struct at_buf text = { 0 };
	struct at_risk_report r;

	(void)state;
	for (int i = 0; i < 5000; i++)
		at_buf_puts(&text, "\xe2\x80\x8b\n");
	r = judge("src/a.c", NULL, at_buf_text(&text), "w");
	assert_int_equal(r.count, AT_RISK_REASONS);
	assert_true(r.more > 4000);
	at_buf_free(&text);
}

static bool comes_to(struct at_hunks *hunks, const bool *accept, const char *want)
{
	struct at_buf out = { 0 };
	bool same;

	at_hunks_result(&out, hunks, accept);
	same = at_bytes_equal_text(at_buf_bytes(&out), want)
		|| (!out.len && !*want);
	at_buf_free(&out);
	return same;
}

/* STG-4: what a choice of parts comes to, line ends included. */
static void stg_4_parts(void **state)
{
	static const struct {
		const char *old, *new;
		size_t count;
		const char *first; /* with the first part alone */
	} rows[] = {
		{ "", "", 0, NULL },
		{ "a\n", "a\n", 0, NULL },
		{ "", "a\n", 1, "a\n" },
		{ "a\n", "", 1, "" },
		{ "a\nb\nc\n", "A\nb\nC\n", 2, "A\nb\nc\n" },
		{ "a\nb\nc\n", "x\na\nb\nc\ny\n", 2, "x\na\nb\nc\n" },
		{ "a\nb\nc\n", "b\n", 2, "b\nc\n" },
		{ "a\nb\n", "a\nb", 1, "a\nb" },
		{ "a\nb", "a\nb\n", 1, "a\nb\n" },
		{ "a\r\nb\r\n", "a\r\nB\r\n", 1, "a\r\nB\r\n" },
		{ "1\n2\n3\n4\n5\n6\n", "1\nx\n3\n4\ny\nz\n6\n", 2, "1\nx\n3\n4\n5\n6\n" },
	};

	(void)state;
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		bool all[8] = { true, true, true, true, true, true, true, true };
		bool none[8] = { false }, first[8] = { true };
		struct at_hunks hunks;
		struct at_error err;

		assert_row(i, at_hunks_make(&hunks, at_bytes_of(rows[i].old),
				at_bytes_of(rows[i].new), &err));
		if (hunks.count != rows[i].count)
			fail_msg("row %zu: %zu parts", i, hunks.count);
		assert_row(i, comes_to(&hunks, all, rows[i].new));
		assert_row(i, comes_to(&hunks, none, rows[i].old));
		if (rows[i].first)
			assert_row(i, comes_to(&hunks, first, rows[i].first));
		at_hunks_free(&hunks);
	}
}

/* The same of many texts made by chance: all is the new one, none the old one, and what was
 * accepted is not proposed again. */
static void stg_4_any_choice_is_exact(void **state)
{
	unsigned seed = 7;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct at_buf old = { 0 }, new = { 0 }, part = { 0 }, whole = { 0 };
		struct at_hunks hunks, rest;
		struct at_error err;
		bool *accept, *everything;
		size_t taken = 0;

		at_buf_puts(&old, "");
		at_buf_puts(&new, "");
		for (int i = 0; i < 40; i++) {
			seed = seed * 1103515245u + 12345u;
			if ((seed >> 16) % 5 != 0)
				at_buf_printf(&old, "l%d\n", i);
			if ((seed >> 20) % 5 != 0)
				at_buf_printf(&new, "%c%d\n", (seed >> 24) % 4 ? 'l' : 'n', i);
		}
		assert_true(at_hunks_make(&hunks, at_buf_bytes(&old), at_buf_bytes(&new), &err));
		accept = at_alloc(hunks.count + 1);
		for (size_t i = 0; i < hunks.count; i++) {
			seed = seed * 1103515245u + 12345u;
			accept[i] = (seed >> 16) & 1;
			taken += accept[i];
		}
		at_buf_puts(&part, "");
		at_hunks_result(&part, &hunks, accept);
		/* What is left is proposed again, and all of it leads to the same text. */
		assert_true(at_hunks_make(&rest, at_buf_bytes(&part), at_buf_bytes(&new), &err));
		assert_true(rest.count > 0 || taken == hunks.count);
		everything = at_alloc(rest.count + 1);
		memset(everything, 1, rest.count);
		at_buf_puts(&whole, "");
		at_hunks_result(&whole, &rest, everything);
		assert_true(at_bytes_equal(at_buf_bytes(&whole), at_buf_bytes(&new)));
		free(everything);
		at_buf_free(&whole);
		memset(accept, 1, hunks.count);
		part.len = 0;
		at_hunks_result(&part, &hunks, accept);
		assert_true(at_bytes_equal(at_buf_bytes(&part), at_buf_bytes(&new)));
		at_hunks_free(&rest);
		at_hunks_free(&hunks);
		free(accept);
		at_buf_free(&old);
		at_buf_free(&new);
		at_buf_free(&part);
	}
}

static void stg_4_no_text_has_no_parts(void **state)
{
	struct at_hunks hunks;
	struct at_error err;

	(void)state;
	assert_false(at_hunks_make(&hunks, (struct at_bytes){ "a\0b", 3 }, at_bytes_of("x"), &err));
	assert_int_equal(err.code, AT_EINVALID);
	at_hunks_free(&hunks);
}

int test_review(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(stg_1_each_reason),
		cmocka_unit_test(stg_1_size_place_and_order),
		cmocka_unit_test(stg_1_reasons_are_bounded),
		cmocka_unit_test(stg_4_parts),
		cmocka_unit_test(stg_4_any_choice_is_exact),
		cmocka_unit_test(stg_4_no_text_has_no_parts),
	};

	return cmocka_run_group_tests_name("review", tests, NULL, NULL);
}
