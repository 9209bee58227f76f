/* What is open, whose keys are held, and how the program is called. */
#include "support/support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harden/fixture.h"
#include "runner/harden/descriptors.h"

/* F5: what was open is not, but for what was asked for. */
static void lau_9_descriptors_are_closed(void **state)
{
	static const struct {
		const char *start, *open;
	} list[] = {
		{ "env", "0 1 2 5 6 7 9" },
		{ "$H close --", "0 1 2" },
		{ "$H start --", "0 1 2 8 9" },
		{ "$H start --keep 7 --", "0 1 2 7 8 9" },
		{ "$H start --keep 7 --keep 5 --keep 9 --nested --", "0 1 2 5 7 8 9" },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		char script[512];

		snprintf(script, sizeof(script),
			"exec 3<&- 4<&- 5</etc/passwd 6</ 7</etc/group 8<&- 9</dev/null\n"
			"%s sh -c 'for f in 0 1 2 3 4 5 6 7 8 9; do"
			" [ ! -e /proc/$$/fd/$f ] || printf \"$f \"; done'",
			list[i].start);
		if (strncmp(harden_out(CALLER, 0, script), list[i].open, strlen(list[i].open)))
			fail_msg("%s: open are %s", list[i].start, harden_out(CALLER, 0, script));
		assert_row(i, strlen(harden_out(CALLER, 0, script)) == strlen(list[i].open) + 1);
	}
}

/* bash passes on what dash cannot name. */
static void lau_9_descriptors_of_two_digits_are_closed(void **state)
{
	const char *count = "sh -c 'set -- /proc/self/fd/*; echo $#'";
	char script[512];
	int with, without;

	if (access("/bin/bash", X_OK) != 0)
		skip_because("there is no bash");
	snprintf(script, sizeof(script),
		"bash -c 'exec 13</ 20</ 200</; exec \"$@\"' - %s", count);
	without = atoi(harden_out(CALLER, 0, script));
	snprintf(script, sizeof(script),
		"bash -c 'exec 13</ 20</ 200</; exec \"$@\"' - $H close -- %s", count);
	with = atoi(harden_out(CALLER, 0, script));
	assert_int_equal(without - with, 3);
}

static void lau_9_descriptors_without_close_range(void **state)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		const int keep[] = { 40 };
		struct at_error err;
		bool is_right;

		for (int fd = 3; fd < 60; fd++)
			dup2(STDIN_FILENO, fd);
		is_right = at_descriptors_close_listed(keep, 1, &err);
		for (int fd = 0; fd < 60; fd++)
			is_right &= (fcntl(fd, F_GETFD) >= 0) == (fd <= 2 || fd == 40);
		_exit(!is_right);
	}
	assert_true(waitpid(child, &status, 0) == child);
	assert_int_equal(status, 0);
}

/* F8: a key of the caller's session is found by the child of the caller, and not past start. */
static void lau_9_keyring_is_fresh(void **state)
{
	const char *out;

	harden_need_layer("keyring");
	/* The outer start gives a session keyring that nothing else shares. */
	out = harden_out(PLAIN, 0,
		"exec $H start -- sh -c '$P key_add:canary key_find:canary;"
		" $H start -- $P key_find:canary | sed s/canary/inside/'");
	assert_string_equal(harden_result(out, "key_add:canary"), "0");
	assert_string_equal(harden_result(out, "key_find:canary"), "0");
	assert_string_equal(harden_result(out, "key_find:inside"), "ENOKEY");
}

/* The filter's program cannot be changed between this and bwrap. */
static void lau_9_filter_is_sealed(void **state)
{
	harden_need_layer("seccomp");
	harden_out(CALLER, 0, "$H start -- sh -c 'test -s /proc/self/fd/8 && ! echo >&8'");
}

static void lau_9_starts_with_an_empty_environment(void **state)
{
	assert_string_equal(harden_out(PLAIN, 0, "exec env -i $H start -- /usr/bin/env"), "");
	harden_out(PLAIN, 7, "exec env -i $H start -- sh -c 'exit 7'");
	harden_out(PLAIN, 143, "exec $H start -- sh -c 'kill -TERM $$'");
}

/* Bad usage is 2 and nothing is run; a command that cannot be started is as in a shell. */
static void lau_9_usage(void **state)
{
	static const struct {
		int status;
		const char *words;
	} list[] = {
		{ 0, "--help" },
		{ 0, "--version" },
		{ 2, "" },
		{ 2, "begin" },
		{ 2, "layers --all" },
		{ 2, "layers --json more" },
		{ 2, "report more" },
		{ 2, "close" },
		{ 2, "close --" },
		{ 2, "close touch $D/ran" },
		{ 2, "start" },
		{ 2, "start --" },
		{ 2, "start touch $D/ran" },
		{ 2, "start --nest -- touch $D/ran" },
		{ 2, "start --keep -- touch $D/ran" },
		{ 2, "start --keep" },
		{ 2, "start --keep -1 -- touch $D/ran" },
		{ 2, "start --keep 3x -- touch $D/ran" },
		{ 2, "start --keep 99999999999 -- touch $D/ran" },
		{ 2, "start --keep 8 -- touch $D/ran" },
		{ 2, "inside" },
		{ 2, "inside $D" },
		{ 2, "inside $D --" },
		{ 2, "inside $D touch $D/ran" },
		{ 2, "inside '' -- touch $D/ran" },
		{ 2, "inside / -- touch $D/ran" },
		{ 2, "inside /./ -- touch $D/ran" },
		{ 2, "inside $D/.. -- touch $D/../ran" },
		{ 2, "inside . -- touch $D/ran" },
		{ 2, "inside $D/gone -- touch $D/ran" },
		{ 2, "inside $D/link -- touch $D/ran" },
		{ 2, "inside $D/link/below -- touch $D/ran" },
		{ 2, "inside $D/probe -- touch $D/ran" },
		{ 127, "close -- $D/gone" },
		{ 127, "start -- gone-from-path" },
		{ 126, "close -- $D" },
		{ 126, "close -- $D/confine-run.off" },
		{ 127, "inside $D -- gone-from-path" },
		{ 5, "inside $D -- sh -c 'exit 5'" },
	};

	harden_need_layer("landlock");
	harden_out(CALLER, 0, "mkdir -p real/below; ln -sfn real link; : >confine-run.off");
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		char script[256];

		snprintf(script, sizeof(script), "$H %s", list[i].words);
		harden_out(CALLER, list[i].status, script);
		if (list[i].status && list[i].status != 5)
			assert_row(i, strstr(harden_err(), "agentteams-harden: "));
		assert_row(i, !test_exists(harden_dir(), "ran"));
	}
}

/* What it quotes cannot move the cursor. */
static void lau_9_messages_are_plain(void **state)
{
	harden_out(CALLER, 127, "$H close -- \"$(printf 'x\\033[2J\\tend')\"");
	assert_non_null(strstr(harden_err(), "'x?[2J?end'"));
	assert_null(strchr(harden_err(), '\033'));
}

/* The same layers on the line and in JSON, and what Landlock was asked for. */
static void lau_9_layers(void **state)
{
	static const char *const names[] = { "seccomp", "keyring", "landlock" };
	char line[64];
	const char *json;

	snprintf(line, sizeof(line), "%s", harden_out(PLAIN, 0, "$H layers"));
	assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
	json = harden_out(PLAIN, 0, "$H layers --json");
	for (size_t i = 0; i < 3; i++) {
		char want[64];

		snprintf(want, sizeof(want), "\"%s\":{\"available\":%s", names[i],
			strstr(line, names[i]) ? "true" : "false");
		assert_row(i, strstr(json, want));
		/* A layer that is missing is named on standard error. */
		assert_row(i, !strstr(harden_err(), names[i]) == !!strstr(line, names[i]));
	}
	assert_non_null(strstr(json, "\"asked\":[\"execute\",\"write_file\","));
}

/* A layer is tried, not looked up: under a filter that is stricter they are gone. */
static void lau_9_layers_are_tried(void **state)
{
	harden_need_bwrap(PLAIN);
	harden_need_layer("seccomp keyring landlock");
	assert_string_equal(harden_out(PLAIN, 0, "$H start -- $V --seccomp 8 $H layers"),
		"landlock\n");
	assert_non_null(strstr(harden_err(), "keyring: Operation not permitted"));
}

int test_start(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lau_9_descriptors_are_closed),
		cmocka_unit_test(lau_9_descriptors_of_two_digits_are_closed),
		cmocka_unit_test(lau_9_descriptors_without_close_range),
		cmocka_unit_test(lau_9_keyring_is_fresh),
		cmocka_unit_test(lau_9_filter_is_sealed),
		cmocka_unit_test(lau_9_starts_with_an_empty_environment),
		cmocka_unit_test(lau_9_usage),
		cmocka_unit_test(lau_9_messages_are_plain),
		cmocka_unit_test(lau_9_layers),
		cmocka_unit_test(lau_9_layers_are_tried),
	};

	return cmocka_run_group_tests(tests, harden_setup, harden_teardown);
}
