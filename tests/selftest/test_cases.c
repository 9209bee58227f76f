/* The table of the self-test: complete, unique, and honest about what is open. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "runner/selftest/case.h"
#include "support/support.h"

/* LAU-8: the battery of the notes, group by group, and the workflows. */
static void lau_8_every_case_of_the_battery_is_listed(void **state)
{
	static const struct {
		const char *prefix;
		int count;
	} groups[] = {
		{ "P", 12 },
		{ "W", 10 },
		{ "L", 8 },
		{ "CP", 14 },
		{ "R", 12 },
		{ "N", 16 },
		{ "T", 6 },
		{ "U", 8 },
		{ "X", 10 },
		{ "V", 4 },
		{ "KS", 9 },
		{ "Q", 5 },
		{ "Z", 4 },
		{ "Y", 7 },
	};
	size_t named = 0;

	for (size_t i = 0; i < AT_LEN(groups); i++) {
		for (int n = 1; n <= groups[i].count; n++, named++) {
			char id[16];

			snprintf(id, sizeof(id), "%s%d", groups[i].prefix, n);
			if (!at_case_find(id))
				fail_msg("no case %s", id);
		}
	}
	assert_int_equal(named, 12 + 113);
	assert_true(at_case_count >= named);
	assert_null(at_case_find("W0"));
}

static bool is_clause(const char *text)
{
	for (const char *c = text; *c; c++) {
		if (iscntrl((unsigned char)*c))
			return false;
	}
	return *text && text[strlen(text) - 1] != '.';
}

static void lau_8_an_id_names_one_case(void **state)
{
	for (size_t i = 0; i < at_case_count; i++) {
		assert_row(i, at_case_find(at_cases[i].id) == &at_cases[i]);
		assert_row(i, *at_cases[i].group && is_clause(at_cases[i].what));
	}
}

static void lau_8_what_is_not_held_says_why(void **state)
{
	for (size_t i = 0; i < at_case_count; i++) {
		const struct at_case *c = &at_cases[i];
		bool is_held = true;

		for (int mode = 0; mode < AT_MODE_COUNT; mode++)
			is_held = is_held && c->policy[mode] == AT_CASE_MUST;
		assert_row(i, is_held ? *c->why == '\0' : is_clause(c->why));
	}
}

/* A case that holds without hardening cannot be left open with it. */
static void lau_8_hardening_takes_nothing_back(void **state)
{
	for (size_t i = 0; i < at_case_count; i++) {
		const struct at_case *c = &at_cases[i];

		assert_row(i,
			c->policy[AT_MODE_HARDEN] != AT_CASE_OPEN
				|| c->policy[AT_MODE_DEFAULT] == AT_CASE_OPEN);
	}
}

/* A refusal without a control proves nothing; a workflow is its own. */
static void lau_8_every_refusal_has_a_control(void **state)
{
	for (size_t i = 0; i < at_case_count; i++) {
		const struct at_case *c = &at_cases[i];
		bool is_open = c->policy[AT_MODE_HARDEN] == AT_CASE_OPEN;

		assert_row(i,
			c->must_work ? c->controls == AT_CONTROL_NONE
				     : is_open || c->controls != AT_CONTROL_NONE);
		assert_row(i, !c->must_work || c->policy[AT_MODE_DEFAULT] == AT_CASE_MUST);
	}
}

int test_cases(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lau_8_every_case_of_the_battery_is_listed),
		cmocka_unit_test(lau_8_an_id_names_one_case),
		cmocka_unit_test(lau_8_what_is_not_held_says_why),
		cmocka_unit_test(lau_8_hardening_takes_nothing_back),
		cmocka_unit_test(lau_8_every_refusal_has_a_control),
	};

	return cmocka_run_group_tests_name("cases", tests, NULL, NULL);
}
