#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "runner/selftest/verdict.h"

#define SEEN_COUNT (AT_SEEN_BROKEN + 1)
#define SIGHT_COUNT (AT_HOST_TOUCHED + 1)
#define POLICY_COUNT (AT_CASE_OPTIONAL + 1)

/* One point of the whole space. */
struct point {
	int policy, controls, attempt, control, outside, host;
	bool secret, no_fixture, must_work;
};

/* The rules of the notes, 7.1, as sentences, the first that fits. Written apart from the code
 * under test: a list of what must not be said. */
static enum at_case_word wanted(const struct point *p)
{
	bool must = p->policy == AT_CASE_MUST;
	bool outside = (p->controls & AT_CONTROL_OUTSIDE) != 0;
	bool inside = (p->controls & AT_CONTROL_INSIDE) != 0;

	/* What is open stays so, whatever came out. */
	if (p->policy == AT_CASE_OPEN)
		return AT_RESIDUAL;
	if (p->must_work)
		return p->attempt == AT_SEEN_WORKED ? AT_HOLDS : AT_INCONCLUSIVE;
	/* A secret, or a trace on the host, says it whatever the probe does. */
	if (p->secret || p->host == AT_HOST_TOUCHED)
		return AT_LEAKS;
	if (p->attempt == AT_SEEN_WORKED && p->host != AT_HOST_UNTOUCHED)
		return AT_LEAKS;
	if (p->no_fixture)
		return must ? AT_INCONCLUSIVE : AT_SKIPPED;
	if (p->attempt == AT_SEEN_NOTHING || p->attempt == AT_SEEN_BROKEN)
		return AT_INCONCLUSIVE;
	/* Refused where it is refused anyway is no merit of the sandbox. */
	if (outside && (p->outside == AT_SEEN_REFUSED || p->outside == AT_SEEN_ABSENT))
		return must ? AT_INCONCLUSIVE : AT_SKIPPED;
	if (outside && p->outside != AT_SEEN_WORKED)
		return AT_INCONCLUSIVE;
	if (inside && p->control != AT_SEEN_WORKED)
		return AT_INCONCLUSIVE;
	/* What nobody saw to be there was not hidden. */
	if (p->attempt == AT_SEEN_ABSENT && !outside)
		return must ? AT_INCONCLUSIVE : AT_SKIPPED;
	return AT_HOLDS;
}

static void judge(struct at_verdict *out, const struct point *p)
{
	struct at_case one = { .id = "A",
		.controls = (unsigned)p->controls,
		.policy = { (enum at_case_policy)p->policy, AT_CASE_OPEN },
		.must_work = p->must_work };
	struct at_evidence_of_case e = { .attempt = { (enum at_seen)p->attempt, "EROFS" },
		.control = { (enum at_seen)p->control, "" },
		.outside = { (enum at_seen)p->outside, "" },
		.host = (enum at_host_sight)p->host,
		.secret_seen = p->secret,
		.no_fixture = p->no_fixture ? "no such thing" : NULL };

	at_verdict_of(out, &one, AT_MODE_DEFAULT, &e);
}

#define ALL_POINTS                                                                                 \
	(POLICY_COUNT * 4 * SEEN_COUNT * SEEN_COUNT * SEEN_COUNT * SIGHT_COUNT * 8)

/* The digits of `row`, each in its own base. */
static struct point point_of(size_t row)
{
	static const int bases[] = { POLICY_COUNT, 4, SEEN_COUNT, SEEN_COUNT, SEEN_COUNT,
		SIGHT_COUNT, 2, 2, 2 };
	int digits[AT_LEN(bases)];

	for (size_t i = 0; i < AT_LEN(bases); i++) {
		digits[i] = (int)(row % (size_t)bases[i]);
		row /= (size_t)bases[i];
	}
	return (struct point){ digits[0], digits[1], digits[2], digits[3], digits[4], digits[5],
		digits[6], digits[7], digits[8] };
}

/* LAU-8, WIRE-10: every combination of policy, controls, what was seen and what the host shows. */
static void lau_8_every_combination(void **state)
{
	size_t holds = 0;

	for (size_t row = 0; row < ALL_POINTS; row++) {
		struct point p = point_of(row);
		struct at_verdict verdict;

		judge(&verdict, &p);
		assert_row(row, verdict.word == wanted(&p));
		assert_row(row, *verdict.evidence != '\0');
		holds += verdict.word == AT_HOLDS;
	}
	assert_true(holds > 100);
}

/* LAU-8: what is asked for is what the mode asks for. */
static void lau_8_the_mode_decides(void **state)
{
	const struct at_case one = { .id = "A", .policy = { AT_CASE_OPEN, AT_CASE_MUST } };
	const struct at_evidence_of_case e = { .attempt = { AT_SEEN_WORKED, "" } };
	struct at_verdict verdict;

	at_verdict_of(&verdict, &one, AT_MODE_DEFAULT, &e);
	assert_int_equal(verdict.word, AT_RESIDUAL);
	at_verdict_of(&verdict, &one, AT_MODE_HARDEN, &e);
	assert_int_equal(verdict.word, AT_LEAKS);
}

/* LAU-8: the clause says what was seen. */
static void lau_8_the_evidence_says_it(void **state)
{
	static const struct {
		struct point point;
		const char *evidence;
	} rows[] = {
		{ { AT_CASE_MUST, 0, AT_SEEN_REFUSED, 0, 0, AT_HOST_UNTOUCHED, 0, 0, 0 },
			"refused: EROFS; the host is untouched" },
		{ { AT_CASE_MUST, 0, AT_SEEN_WORKED, 0, 0, AT_HOST_UNTOUCHED, 0, 0, 0 },
			"worked on a copy inside; the host is untouched" },
		{ { AT_CASE_MUST, 0, AT_SEEN_WORKED, 0, 0, 0, 0, 0, 0 }, "it worked: EROFS" },
		{ { AT_CASE_MUST, 0, AT_SEEN_REFUSED, 0, 0, 0, 1, 0, 0 },
			"a secret of the fixture was got hold of inside: EROFS" },
		{ { AT_CASE_MUST, AT_CONTROL_OUTSIDE, AT_SEEN_REFUSED, 0, AT_SEEN_REFUSED, 0, 0, 0,
			  0 },
			"this host refuses it without a sandbox as well: refused" },
		{ { AT_CASE_MUST, AT_CONTROL_INSIDE, AT_SEEN_REFUSED, AT_SEEN_REFUSED, 0, 0, 0, 0,
			  0 },
			"the control inside: refused" },
		{ { AT_CASE_OPTIONAL, 0, AT_SEEN_REFUSED, 0, 0, 0, 0, 1, 0 },
			"no fixture: no such thing" },
		{ { AT_CASE_OPEN, 0, AT_SEEN_REFUSED, 0, 0, 0, 0, 0, 0 },
			"refused this time: EROFS" },
		{ { AT_CASE_MUST, 0, AT_SEEN_REFUSED, 0, 0, 0, 0, 0, 1 },
			"daily work is broken, refused: EROFS" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		struct at_verdict verdict;

		judge(&verdict, &rows[i].point);
		assert_string_equal(verdict.evidence, rows[i].evidence);
	}
}

int test_verdict(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lau_8_every_combination),
		cmocka_unit_test(lau_8_the_mode_decides),
		cmocka_unit_test(lau_8_the_evidence_says_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
