/* The filter of system calls, tried in bwrap by the kernel. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harden/fixture.h"

#define AS_OUTSIDE NULL

/* LAU-9. What an act comes to under the filter, and under that of --nested. */
static const struct {
	const char *act, *strict, *nested;
} rows[] = {
	{ "clone_user", "EPERM", AS_OUTSIDE },
	{ "clone_all", "EPERM", AS_OUTSIDE },
	{ "fork", "0", "0" },
	{ "clone3", "ENOSYS", AS_OUTSIDE },
	{ "unshare_user", "EPERM", AS_OUTSIDE },
	{ "unshare_mount", "EPERM", AS_OUTSIDE },
	{ "setns", "EPERM", AS_OUTSIDE },
	{ "chroot", "EPERM", AS_OUTSIDE },
	{ "mount", "EPERM", "EPERM" },
	{ "umount2", "EPERM", "EPERM" },
	{ "pivot_root", "EPERM", "EPERM" },
	{ "move_mount", "EPERM", "EPERM" },
	{ "open_tree", "EPERM", "EPERM" },
	{ "open_tree_attr", "EPERM", "EPERM" },
	{ "fsopen", "EPERM", "EPERM" },
	{ "fsconfig", "EPERM", "EPERM" },
	{ "fsmount", "EPERM", "EPERM" },
	{ "fspick", "EPERM", "EPERM" },
	{ "mount_setattr", "EPERM", "EPERM" },
	{ "ptrace", "EPERM", "EPERM" },
	{ "process_vm_readv", "EPERM", "EPERM" },
	{ "process_vm_writev", "EPERM", "EPERM" },
	{ "kcmp", "EPERM", "EPERM" },
	{ "pidfd_getfd", "EPERM", "EPERM" },
	{ "io_uring_setup", "EPERM", "EPERM" },
	{ "io_uring_enter", "EPERM", "EPERM" },
	{ "io_uring_register", "EPERM", "EPERM" },
	{ "bpf", "EPERM", "EPERM" },
	{ "perf_event_open", "EPERM", "EPERM" },
	{ "userfaultfd", "EPERM", "EPERM" },
	{ "keyctl", "EPERM", "EPERM" },
	{ "add_key", "EPERM", "EPERM" },
	{ "request_key", "EPERM", "EPERM" },
	{ "kexec_load", "EPERM", "EPERM" },
	{ "kexec_file_load", "EPERM", "EPERM" },
	{ "init_module", "EPERM", "EPERM" },
	{ "finit_module", "EPERM", "EPERM" },
	{ "delete_module", "EPERM", "EPERM" },
	{ "reboot", "EPERM", "EPERM" },
	{ "swapon", "EPERM", "EPERM" },
	{ "swapoff", "EPERM", "EPERM" },
	{ "acct", "EPERM", "EPERM" },
	{ "quotactl", "EPERM", "EPERM" },
	{ "quotactl_fd", "EPERM", "EPERM" },
	{ "settimeofday", "EPERM", "EPERM" },
	{ "clock_settime", "EPERM", "EPERM" },
	{ "adjtimex", "EPERM", "EPERM" },
	{ "clock_adjtime", "EPERM", "EPERM" },
	{ "syslog", "EPERM", "EPERM" },
	{ "vhangup", "EPERM", "EPERM" },
	{ "open_by_handle_at", "EPERM", "EPERM" },
	{ "personality_set", "EPERM", "EPERM" },
	{ "personality_32", "EPERM", "EPERM" },
	{ "personality_top", "EPERM", "EPERM" },
	{ "personality_ask", "0", "0" },
	{ "personality_none", "0", "0" },
	{ "tiocsti", "EPERM", "EPERM" },
	{ "tiocsti_high", "EPERM", "EPERM" },
	{ "tioclinux", "EPERM", "EPERM" },
	{ "tioclinux_high", "EPERM", "EPERM" },
	{ "tiocgwinsz", "EBADF", "EBADF" },
	{ "unix", "0", "0" },
	{ "inet", "0", "0" },
	{ "inet6", AS_OUTSIDE, AS_OUTSIDE },
	{ "netlink", "0", "0" },
	{ "unix_high", "0", "0" },
	{ "vsock", "EPERM", "EPERM" },
	{ "vsock_high", "EPERM", "EPERM" },
	{ "families", "EPERM", "EPERM" },
	{ "pair_families", "EPERM", "EPERM" },
	{ "pair", "0", "0" },
#if defined(__x86_64__)
	{ "iopl", "EPERM", "EPERM" },
	{ "ioperm", "EPERM", "EPERM" },
	{ "modify_ldt", "EPERM", "EPERM" },
	{ "x32", "SIGSYS", "SIGSYS" },
	{ "i386", "SIGSYS", "SIGSYS" },
#endif
};

static char *run_acts(enum who who, const char *before)
{
	char script[4096];
	size_t used = (size_t)snprintf(script, sizeof(script), "%s $P", before);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		used += (size_t)snprintf(script + used, sizeof(script) - used, " %s", rows[i].act);
	return at_strdup(harden_out(who, 0, script));
}

/* bwrap started by root keeps every capability, so that nothing but the filter refuses. */
static void try_all(enum who who, const char *before, bool is_nested)
{
	char *outside = run_acts(who, ""), *inside = run_acts(who, before);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *want = is_nested ? rows[i].nested : rows[i].strict;
		char control[32], got[32];

		snprintf(control, sizeof(control), "%s", harden_result(outside, rows[i].act));
		snprintf(got, sizeof(got), "%s", harden_result(inside, rows[i].act));
		if (!want)
			want = control;
		if (strcmp(got, want) != 0)
			fail_msg("%s: %s, not %s (outside: %s)", rows[i].act, got, want, control);
		/* A refusal is worth something where the act comes to something else outside. */
		if (who == CALLER && geteuid() == 0 && strcmp(control, want) == 0
			&& strcmp(want, "EPERM") == 0)
			print_message("%s: refused outside too: %s\n", rows[i].act, control);
	}
	free(outside);
	free(inside);
}

static void lau_9_each_call_as_caller(void **state)
{
	harden_need_bwrap(CALLER);
	harden_need_layer("seccomp");
	try_all(CALLER, "$H start -- bwrap --bind / / --dev-bind /dev /dev --seccomp 8", false);
}

static void lau_9_each_call_as_plain_user(void **state)
{
	harden_need_bwrap(PLAIN);
	harden_need_layer("seccomp");
	try_all(PLAIN, "$H start -- $V --seccomp 8", false);
}

/* LAU-12: namespaces can be made, mounts cannot. */
static void lau_12_nested(void **state)
{
	const char *out;

	harden_need_bwrap(PLAIN);
	harden_need_layer("seccomp");
	try_all(CALLER, "$H start --nested -- bwrap --bind / / --dev-bind /dev /dev --seccomp 8",
		true);
	out = harden_out(PLAIN, 0, "$H start --nested -- $V --seccomp 8 $P browser");
	assert_string_equal(harden_result(out, "browser"), "0");
	out = harden_out(PLAIN, 0, "$H start -- $V --seccomp 8 $P browser");
	assert_string_equal(harden_result(out, "browser"), "EPERM");
}

/* F13: bwrap's own first process is held by the filter, so that what is written into it is. */
static void lau_9_first_process_is_filtered(void **state)
{
	const char *out;

	harden_need_bwrap(PLAIN);
	harden_need_layer("seccomp");
	out = harden_out(PLAIN, 0, "$V $P first_memory first_filtered");
	assert_string_equal(harden_result(out, "first_memory"), "0");
	assert_string_equal(harden_result(out, "first_filtered"), "ENODATA");
	out = harden_out(PLAIN, 0, "$H start -- $V --seccomp 8 $P first_filtered");
	assert_string_equal(harden_result(out, "first_filtered"), "0");
}

int test_filter(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lau_9_each_call_as_caller),
		cmocka_unit_test(lau_9_each_call_as_plain_user),
		cmocka_unit_test(lau_12_nested),
		cmocka_unit_test(lau_9_first_process_is_filtered),
	};

	return cmocka_run_group_tests(tests, harden_setup, harden_teardown);
}
