/* agentteams-probe as the driver starts it: outside for the controls, and in the launcher. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/selftest/case.h"
#include "selftest/probe_run.h"
#include "support/support.h"

/* A battery is asked for within three seconds; a loaded machine gets ten times that. */
enum { SECONDS = 30 };

static bool ends_well(const struct probe_run *r)
{
	size_t len = strlen(r->out);

	return r->status == 0 && len >= 4 && strcmp(r->out + len - 4, "end\n") == 0;
}

static void lau_8_outside_every_outside_control_is_tried(void **state)
{
	static const char *const words[] = { "@agentteams-probe", "@facts", "outside", NULL };
	struct probe_run r;

	probe_run_over_fixtures(&r, words);
	if (!ends_well(&r))
		fail_msg("status %d:\n%s", r.status, r.out);
	assert_true(r.seconds < SECONDS);
	for (size_t i = 0; i < at_case_count; i++) {
		const struct at_case *c = &at_cases[i];
		const char *result = probe_result(&r, c->id, "attempt");

		if (!result != !(c->way == AT_BY_PROBE && c->controls & AT_CONTROL_OUTSIDE))
			fail_msg("%s: %s", c->id, result ? result : "no line");
		assert_row(i, !result || strcmp(result, "broken") != 0);
		assert_row(i, !probe_result(&r, c->id, "control"));
	}
	/* What the tree alone is enough for. */
	assert_string_equal(probe_result(&r, "W2", "attempt"), "worked");
	assert_string_equal(probe_result(&r, "L1", "attempt"), "worked");
	assert_string_equal(probe_result(&r, "R1", "attempt"), "worked");
	assert_string_equal(probe_result(&r, "V1", "attempt"), "worked");
	assert_true(test_exists(r.root, "home/.local/bin/at-Z2"));
	probe_run_end(&r);
}

/* The driver compares what it hears with the secrets it made. */
static void lau_8_what_was_read_is_told_in_hexadecimal(void **state)
{
	static const char *const words[] = { "@agentteams-probe", "@facts", "outside", "R1", NULL };
	struct probe_run r;

	probe_run_over_fixtures(&r, words);
	assert_string_equal(
		r.out, "R1\tattempt\tworked\tgot:4e4f4e4345 id_ed25519, known_hosts\nend\n");
	probe_run_end(&r);
}

static void lau_8_facts_that_are_none_are_refused(void **state)
{
	static const struct {
		const char *text, *facts, *where, *id;
	} rows[] = {
		{ "", "@gone", "inside", NULL },
		{ "", "@bad", "inside", NULL },
		{ "scratch /var/tmp\n", "@bad", "inside", NULL },
		{ "scratch\t/a\nhome\t/b\nsibling\t/c\n", "@bad", "inside", NULL },
		{ "scratch\trelative\nhome\t/b\nsibling\t/c\noutside\t/d\n", "@bad", "inside",
			NULL },
		{ "scratch\t/a\nhome\t/b\nsibling\t/c\noutside\t/d\n\tx\n", "@bad", "inside",
			NULL },
		{ "scratch\t/a\033[2J\nhome\t/b\nsibling\t/c\noutside\t/d\n", "@bad", "inside",
			NULL },
		{ "\177ELF\1\1\1", "@bad", "inside", NULL },
		{ "", "@facts", "elsewhere", NULL },
		{ "", "@facts", "inside", "W0" },
	};
	static const char *const none[] = { "true", NULL };
	struct probe_run r;

	probe_run_over_fixtures(&r, none);
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const char *words[] = { "@agentteams-probe", rows[i].facts, rows[i].where,
			rows[i].id, NULL };

		test_write(r.root, "bad", rows[i].text);
		probe_run_again(&r, words);
		assert_row(i, r.status == 2);
		assert_row(i, strncmp(r.out, "agentteams-probe: ", 18) == 0);
		assert_row(i, !strstr(r.out, "\tattempt\t") && !strchr(r.out, '\033'));
	}
	probe_run_end(&r);
}

static bool can_confine(struct probe_run *r)
{
	static const char *const words[] = { "bwrap", "--unshare-all", "--disable-userns",
		"--unshare-user", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true",
		NULL };

	probe_run_over_fixtures(r, words);
	return r->status == 0;
}

/* The whole battery in the launcher's default wrap, without what the driver adds. */
static void lau_8_inside_every_case_is_tried_and_what_must_hold_does(void **state)
{
	static const char *const words[] = { "sh", "@confine-run.sh", "--scratch", "@scratch", "--",
		"@agentteams-probe", "@facts", "inside", NULL };
	struct probe_run r;

	if (!can_confine(&r)) {
		probe_run_end(&r);
		skip_because("bwrap makes no sandbox here");
	}
	probe_run_again(&r, words);
	if (!ends_well(&r))
		fail_msg("status %d:\n%s", r.status, r.out);
	assert_true(r.seconds < SECONDS);
	for (size_t i = 0; i < at_case_count; i++) {
		const struct at_case *c = &at_cases[i];
		const char *attempt = probe_result(&r, c->id, "attempt");
		const char *control = probe_result(&r, c->id, "control");
		bool worked = attempt && strcmp(attempt, "worked") == 0;

		if (c->way != AT_BY_PROBE) {
			assert_row(i, !attempt && !control);
			continue;
		}
		if (!attempt || strcmp(attempt, "broken") == 0)
			fail_msg("%s: %s", c->id, attempt ? attempt : "no line");
		if (c->controls & AT_CONTROL_INSIDE && (!control || strcmp(control, "worked") != 0))
			fail_msg("%s, control: %s", c->id, control ? control : "no line");
		if (c->must_work && !worked && strcmp(attempt, "absent") != 0)
			fail_msg("%s is broken:\n%s", c->id, r.out);
		if (!c->must_work && c->policy[AT_MODE_DEFAULT] != AT_CASE_OPEN && worked)
			fail_msg("%s leaks:\n%s", c->id, r.out);
	}
	assert_false(test_exists(r.root, "home/at-W1"));
	assert_false(test_exists(r.root, "outside/at-W3"));
	probe_run_end(&r);
}

int test_probe(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lau_8_outside_every_outside_control_is_tried),
		cmocka_unit_test(lau_8_what_was_read_is_told_in_hexadecimal),
		cmocka_unit_test(lau_8_facts_that_are_none_are_refused),
		cmocka_unit_test(lau_8_inside_every_case_is_tried_and_what_must_hold_does),
	};

	return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
