/* Calls by number; see probe.h. */
#include "harden/probe.h"

#include <errno.h>
#include <linux/keyctl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALL(...) (syscall(__VA_ARGS__) < 0 ? errno : 0)
#define ACT(name, ...)                                                                             \
	static int do_##name(void)                                                                 \
	{                                                                                          \
		return CALL(__VA_ARGS__);                                                          \
	}

#define NONE ((void *)0)
#define BAD ((void *)1)

/* A child made by clone with these flags, which ends at once. */
static int clone_with(unsigned long flags)
{
	long child = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);

	if (child == 0)
		_exit(0);
	if (child < 0)
		return errno;
	waitpid((pid_t)child, NULL, 0);
	return 0;
}

static int do_clone_user(void)
{
	return clone_with(CLONE_NEWUSER);
}
static int do_clone_all(void) /* for root: each takes a capability */
{
	int sys = 0;
	static const unsigned long flags[] = { CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET,
		CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP };

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		int one = clone_with(flags[i]);

		if (i > 0 && one != sys)
			return ERANGE; /* not all alike */
		sys = one;
	}
	return sys;
}
static int do_fork(void)
{
	return clone_with(0);
}
ACT(clone3, SYS_clone3, NONE, 0)
ACT(unshare_user, SYS_unshare, CLONE_NEWUSER)
ACT(unshare_mount, SYS_unshare, CLONE_NEWUSER | CLONE_NEWNS)
ACT(setns, SYS_setns, -1, 0)
ACT(chroot, SYS_chroot, NONE)
ACT(mount, SYS_mount, NONE, NONE, NONE, 0, NONE)
ACT(umount2, SYS_umount2, NONE, 0x10000)
ACT(pivot_root, SYS_pivot_root, NONE, NONE)
ACT(move_mount, SYS_move_mount, -1, "", -1, "", 0x10000)
ACT(open_tree, SYS_open_tree, -1, "", 0x10000000)
ACT(open_tree_attr, 467, -1, "", 0x10000000, NONE, 0)
ACT(fsopen, SYS_fsopen, NONE, 0x1000)
ACT(fsconfig, SYS_fsconfig, -1, 0xff, NONE, NONE, 0)
ACT(fsmount, SYS_fsmount, -1, 0x1000, 0)
ACT(fspick, SYS_fspick, -1, NONE, 0x1000)
ACT(mount_setattr, SYS_mount_setattr, -1, NONE, 0x10000, NONE, 0)
ACT(ptrace, SYS_ptrace, PTRACE_TRACEME, 0, 0, 0)
ACT(process_vm_readv, SYS_process_vm_readv, getpid(), NONE, 0, NONE, 0, 0)
ACT(process_vm_writev, SYS_process_vm_writev, getpid(), NONE, 0, NONE, 0, 0)
ACT(kcmp, SYS_kcmp, getpid(), getpid(), 99, 0, 0)
ACT(pidfd_getfd, SYS_pidfd_getfd, -1, 0, 0)
ACT(io_uring_setup, SYS_io_uring_setup, 0, NONE)
ACT(io_uring_enter, SYS_io_uring_enter, -1, 0, 0, 0, NONE, 0)
ACT(io_uring_register, SYS_io_uring_register, -1, 0, NONE, 0)
ACT(bpf, SYS_bpf, -1, NONE, 0)
ACT(perf_event_open, SYS_perf_event_open, NONE, 0, -1, -1, 0)
ACT(userfaultfd, SYS_userfaultfd, 1 | 0x40000000)
ACT(keyctl, SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_PROCESS_KEYRING, 1)
ACT(add_key, SYS_add_key, NONE, NONE, NONE, 0, 0)
ACT(request_key, SYS_request_key, NONE, NONE, NONE, 0)
ACT(kexec_load, SYS_kexec_load, 0, 0, NONE, 0xffffL)
ACT(kexec_file_load, SYS_kexec_file_load, -1, -1, 0, NONE, 0xffffL)
ACT(init_module, SYS_init_module, NONE, 0, NONE)
ACT(finit_module, SYS_finit_module, -1, NONE, 0x1000)
ACT(delete_module, SYS_delete_module, NONE, 0)
ACT(reboot, SYS_reboot, 0, 0, 0, NONE)
ACT(swapon, SYS_swapon, NONE, 0)
ACT(swapoff, SYS_swapoff, NONE)
ACT(acct, SYS_acct, "/nowhere/at/all")
ACT(quotactl, SYS_quotactl, -1, NONE, 0, NONE)
ACT(quotactl_fd, 443, -1, 0, 0, NONE)
ACT(settimeofday, SYS_settimeofday, BAD, NONE)
ACT(clock_settime, SYS_clock_settime, CLOCK_REALTIME, NONE)
ACT(adjtimex, SYS_adjtimex, NONE)
ACT(clock_adjtime, SYS_clock_adjtime, CLOCK_REALTIME, NONE)
ACT(syslog, SYS_syslog, 10, NONE, 0)
ACT(vhangup, SYS_vhangup)
ACT(open_by_handle_at, SYS_open_by_handle_at, -1, NONE, 0)
ACT(personality_set, SYS_personality, 0x0040000)
ACT(personality_32, SYS_personality, 8)
ACT(personality_top, SYS_personality, 0x80000000u)
ACT(personality_ask, SYS_personality, 0xffffffffu)
ACT(personality_none, SYS_personality, 0)
ACT(tiocsti, SYS_ioctl, -1, TIOCSTI, "")
ACT(tiocsti_high, SYS_ioctl, -1, 0x4200000000ul | TIOCSTI, "")
ACT(tioclinux, SYS_ioctl, -1, TIOCLINUX, "")
ACT(tioclinux_high, SYS_ioctl, -1, 0x100000000ul | TIOCLINUX, "")
ACT(tiocgwinsz, SYS_ioctl, -1, TIOCGWINSZ, "")
ACT(unix, SYS_socket, AF_UNIX, SOCK_STREAM, 0)
ACT(inet, SYS_socket, AF_INET, SOCK_STREAM, 0)
ACT(inet6, SYS_socket, AF_INET6, SOCK_STREAM, 0)
ACT(netlink, SYS_socket, AF_NETLINK, SOCK_RAW, 0)
ACT(unix_high, SYS_socket, 0x700000000ul | AF_UNIX, SOCK_STREAM, 0)
ACT(vsock, SYS_socket, AF_VSOCK, 99, 0)
ACT(vsock_high, SYS_socket, 0x700000000ul | AF_VSOCK, 99, 0)
#if defined(__x86_64__)
ACT(iopl, SYS_iopl, 0)
ACT(ioperm, SYS_ioperm, 0xfffffffful, 1, 1)
ACT(modify_ldt, SYS_modify_ldt, 0, NONE, 0)
ACT(x32, 0x40000000 | SYS_getpid)

static int do_i386(void)
{
	long got;

	__asm__ volatile("int $0x80" : "=a"(got) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
	return got < 0 ? (int)-got : 0;
}
#endif

static int do_families(void) /* all but the four: alike */
{
	int sys = 0;

	for (int family = -2; family < 300; family++) {
		if (family == AF_UNIX || family == AF_INET || family == AF_INET6
			|| family == AF_NETLINK)
			continue;
		sys = CALL(SYS_socket, family, 99, 0);
		if (sys != EPERM)
			return sys;
	}
	return sys;
}

static int do_pair_families(void)
{
	int pair[2];

	for (int family = 0; family < 64; family++) {
		int sys;

		if (family == AF_UNIX || family == AF_INET || family == AF_INET6
			|| family == AF_NETLINK)
			continue;
		sys = CALL(SYS_socketpair, family, 99, 0, pair);
		if (sys != EPERM)
			return sys;
	}
	return EPERM;
}

static int do_pair(void)
{
	int pair[2];

	return CALL(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, pair);
}

#define ROW(name) { #name, do_##name }
static const struct harden_act acts[] = {
	ROW(clone_user), ROW(clone_all), ROW(fork), ROW(clone3), ROW(unshare_user),
	ROW(unshare_mount), ROW(setns), ROW(chroot), ROW(mount), ROW(umount2), ROW(pivot_root),
	ROW(move_mount), ROW(open_tree), ROW(open_tree_attr), ROW(fsopen), ROW(fsconfig),
	ROW(fsmount), ROW(fspick), ROW(mount_setattr), ROW(ptrace), ROW(process_vm_readv),
	ROW(process_vm_writev), ROW(kcmp), ROW(pidfd_getfd), ROW(io_uring_setup),
	ROW(io_uring_enter), ROW(io_uring_register), ROW(bpf), ROW(perf_event_open),
	ROW(userfaultfd), ROW(keyctl), ROW(add_key), ROW(request_key), ROW(kexec_load),
	ROW(kexec_file_load), ROW(init_module), ROW(finit_module), ROW(delete_module),
	ROW(reboot), ROW(swapon), ROW(swapoff), ROW(acct), ROW(quotactl), ROW(quotactl_fd),
	ROW(settimeofday), ROW(clock_settime), ROW(adjtimex), ROW(clock_adjtime), ROW(syslog),
	ROW(vhangup), ROW(open_by_handle_at), ROW(personality_set), ROW(personality_32),
	ROW(personality_top), ROW(personality_ask), ROW(personality_none), ROW(tiocsti),
	ROW(tiocsti_high), ROW(tioclinux), ROW(tioclinux_high), ROW(tiocgwinsz), ROW(unix),
	ROW(inet), ROW(inet6), ROW(netlink), ROW(unix_high), ROW(vsock), ROW(vsock_high),
	ROW(families), ROW(pair_families), ROW(pair),
#if defined(__x86_64__)
	ROW(iopl), ROW(ioperm), ROW(modify_ldt), ROW(x32), ROW(i386),
#endif
};

static int run(const char *word)
{
	const char *colon = strchr(word, ':');
	size_t len = colon ? (size_t)(colon - word) : strlen(word);

	for (size_t i = 0; !colon && i < sizeof(acts) / sizeof(acts[0]); i++) {
		if (strcmp(acts[i].name, word) == 0)
			return acts[i].run();
	}
	for (const struct harden_act_on *act = harden_acts_on; act->name; act++) {
		if (strncmp(act->name, word, len) == 0 && !act->name[len])
			return act->run(colon ? colon + 1 : "");
	}
	return -1;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	for (int i = 1; i < argc; i++) {
		const char *result = "unknown";
		pid_t child = fork();
		int status;

		if (child == 0) {
			int sys;

			setsid(); /* vhangup then finds no terminal */
			sys = run(argv[i]);
			_exit(sys < 0 || sys > 200 ? 255 : sys);
		}
		if (child < 0 || waitpid(child, &status, 0) < 0)
			return 3;
		if (WIFSIGNALED(status))
			result = WTERMSIG(status) == SIGSYS ? "SIGSYS" : "a signal";
		else if (WEXITSTATUS(status) == 0)
			result = "0";
		else if (WEXITSTATUS(status) != 255)
			result = strerrorname_np(WEXITSTATUS(status));
		printf("%s\t%s\n", argv[i], result ? result : "?");
	}
	return 0;
}
