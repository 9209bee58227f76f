#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/host.h"

static char *saved_home;

static int set_up(void **state)
{
	const char *home = getenv("HOME");

	if (home && !saved_home)
		saved_home = at_strdup(home);
	unsetenv("CLAUDECODE");
	unsetenv("AI_AGENT");
	unsetenv("AGENTTEAMS_CODEX_CONFINED");
	unsetenv("XDG_STATE_HOME");
	return 0;
}

static int tear_down(void **state)
{
	set_up(NULL);
	if (saved_home)
		setenv("HOME", saved_home, 1);
	else
		unsetenv("HOME");
	free(saved_home);
	saved_home = NULL;
	return 0;
}

static void platform_names(void **state)
{
	static const struct { const char *name; bool ok; enum at_platform want; } rows[] = {
		{ "linux", true, AT_LINUX }, { "darwin", true, AT_DARWIN },
		{ "macos", true, AT_DARWIN }, { "windows", true, AT_WINDOWS },
		{ "win32", true, AT_WINDOWS }, { "other", true, AT_OTHER },
		{ "Linux", false, AT_OTHER }, { "", false, AT_OTHER }, { "linux ", false, AT_OTHER },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		enum at_platform got = AT_OTHER;

		assert_row(i, at_platform_parse(&got, rows[i].name) == rows[i].ok);
		assert_row(i, got == rows[i].want);
	}
	assert_string_equal(at_platform_name(AT_DARWIN), "darwin");
	assert_string_equal(at_platform_name(AT_WINDOWS), "windows");
}

/* WIRE-17: the marker is named; empty counts as unset. */
static void wire_17_names_the_agent_marker(void **state)
{
	static const struct { const char *name, *value, *want; } rows[] = {
		{ "CLAUDECODE", "1", "CLAUDECODE" }, { "CLAUDECODE", "", NULL },
		{ "AI_AGENT", "x", "AI_AGENT" }, { "AI_AGENT", "0", "AI_AGENT" },
		{ "AGENTTEAMS_CODEX_CONFINED", "1", "AGENTTEAMS_CODEX_CONFINED" },
		{ "CLAUDECODE_NOT", "1", NULL },
	};
	struct at_host host;
	struct at_error err;

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		setenv(rows[i].name, rows[i].value, 1);
		assert_row(i, at_host_read(&host, &err));
		assert_row(i, !host.agent_marker == !rows[i].want);
		assert_row(i, !rows[i].want || strcmp(host.agent_marker, rows[i].want) == 0);
		unsetenv(rows[i].name);
	}
}

static void home_is_physical_and_never_relative(void **state)
{
	char *tree = test_tree_new();
	struct at_host host;
	struct at_error err;

	test_write(tree, "real/x", "");
	assert_int_equal(symlink("real", test_path(tree, "home")), 0);
	setenv("HOME", test_path(tree, "home/"), 1);
	assert_true(at_host_read(&host, &err));
	assert_string_equal(host.home, test_path(tree, "real"));
	setenv("HOME", "relative", 1);
	assert_true(at_host_read(&host, &err));
	assert_int_equal(host.home[0], '/'); /* the password database says it */
	test_tree_remove(tree);
}

static void a_relative_state_home_counts_as_unset(void **state)
{
	static const struct { const char *in, *want; } rows[] = {
		{ "/var/state/", "/var/state" }, { "state", "" }, { "", "" }, { "~/state", "" },
	};
	struct at_host host;
	struct at_error err;

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		setenv("XDG_STATE_HOME", rows[i].in, 1);
		assert_row(i, at_host_read(&host, &err));
		assert_row(i, strcmp(host.xdg_state_home, rows[i].want) == 0);
	}
}

int test_host(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(platform_names),
		cmocka_unit_test(wire_17_names_the_agent_marker),
		cmocka_unit_test(home_is_physical_and_never_relative),
		cmocka_unit_test(a_relative_state_home_counts_as_unset),
	};

	return cmocka_run_group_tests_name("host", tests, set_up, tear_down);
}
