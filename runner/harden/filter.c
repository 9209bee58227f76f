#include "runner/harden/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runner/harden/harden.h"

/* Newer than libseccomp 2.5.4 and the headers of Debian 12; one number on every architecture. */
#define CALL_OPEN_TREE_ATTR 467
#define NO_EXEC 0x8u /* MFD_NOEXEC_SEAL: a machine may allow no other file in memory */

enum { ALWAYS, UNLESS_NESTED };

/* A number that this architecture does not have is negative and left out. */
static const struct refused {
	int call;
	int error;
	int when;
} refused[] = {
	/* ways into a namespace; libc falls back from clone3 to clone, whose flags can be seen */
	{ SCMP_SYS(clone3), ENOSYS, UNLESS_NESTED },
	{ SCMP_SYS(unshare), EPERM, UNLESS_NESTED },
	{ SCMP_SYS(setns), EPERM, UNLESS_NESTED },
	/* the sandbox of a browser leaves itself nothing to see by it; it moves no mount */
	{ SCMP_SYS(chroot), EPERM, UNLESS_NESTED },
	/* mounts: F3 takes one of these, whatever namespace it is in */
	{ SCMP_SYS(mount), EPERM, ALWAYS },
	{ SCMP_SYS(umount), EPERM, ALWAYS },
	{ SCMP_SYS(umount2), EPERM, ALWAYS },
	{ SCMP_SYS(pivot_root), EPERM, ALWAYS },
	{ SCMP_SYS(move_mount), EPERM, ALWAYS },
	{ SCMP_SYS(open_tree), EPERM, ALWAYS },
	{ CALL_OPEN_TREE_ATTR, EPERM, ALWAYS },
	{ SCMP_SYS(fsopen), EPERM, ALWAYS },
	{ SCMP_SYS(fsconfig), EPERM, ALWAYS },
	{ SCMP_SYS(fsmount), EPERM, ALWAYS },
	{ SCMP_SYS(fspick), EPERM, ALWAYS },
	{ SCMP_SYS(mount_setattr), EPERM, ALWAYS },
	/* other processes' memory and descriptors */
	{ SCMP_SYS(ptrace), EPERM, ALWAYS },
	{ SCMP_SYS(process_vm_readv), EPERM, ALWAYS },
	{ SCMP_SYS(process_vm_writev), EPERM, ALWAYS },
	{ SCMP_SYS(kcmp), EPERM, ALWAYS },
	{ SCMP_SYS(pidfd_getfd), EPERM, ALWAYS },
	/* what goes past the filter itself, and where the kernel's faults are found */
	{ SCMP_SYS(io_uring_setup), EPERM, ALWAYS },
	{ SCMP_SYS(io_uring_enter), EPERM, ALWAYS },
	{ SCMP_SYS(io_uring_register), EPERM, ALWAYS },
	{ SCMP_SYS(bpf), EPERM, ALWAYS },
	{ SCMP_SYS(perf_event_open), EPERM, ALWAYS },
	{ SCMP_SYS(userfaultfd), EPERM, ALWAYS },
	/* keyrings, which no namespace parts (F8) */
	{ SCMP_SYS(keyctl), EPERM, ALWAYS },
	{ SCMP_SYS(add_key), EPERM, ALWAYS },
	{ SCMP_SYS(request_key), EPERM, ALWAYS },
	/* the machine */
	{ SCMP_SYS(kexec_load), EPERM, ALWAYS },
	{ SCMP_SYS(kexec_file_load), EPERM, ALWAYS },
	{ SCMP_SYS(init_module), EPERM, ALWAYS },
	{ SCMP_SYS(finit_module), EPERM, ALWAYS },
	{ SCMP_SYS(delete_module), EPERM, ALWAYS },
	{ SCMP_SYS(reboot), EPERM, ALWAYS },
	{ SCMP_SYS(swapon), EPERM, ALWAYS },
	{ SCMP_SYS(swapoff), EPERM, ALWAYS },
	{ SCMP_SYS(acct), EPERM, ALWAYS },
	{ SCMP_SYS(quotactl), EPERM, ALWAYS },
	{ SCMP_SYS(quotactl_fd), EPERM, ALWAYS },
	{ SCMP_SYS(settimeofday), EPERM, ALWAYS },
	{ SCMP_SYS(stime), EPERM, ALWAYS },
	{ SCMP_SYS(clock_settime), EPERM, ALWAYS },
	{ SCMP_SYS(clock_settime64), EPERM, ALWAYS },
	{ SCMP_SYS(adjtimex), EPERM, ALWAYS },
	{ SCMP_SYS(clock_adjtime), EPERM, ALWAYS },
	{ SCMP_SYS(clock_adjtime64), EPERM, ALWAYS },
	{ SCMP_SYS(syslog), EPERM, ALWAYS },
	{ SCMP_SYS(vhangup), EPERM, ALWAYS },
	{ SCMP_SYS(iopl), EPERM, ALWAYS },
	{ SCMP_SYS(ioperm), EPERM, ALWAYS },
	{ SCMP_SYS(modify_ldt), EPERM, ALWAYS },
	/* files by number, past every mount */
	{ SCMP_SYS(open_by_handle_at), EPERM, ALWAYS },
};

/* Refused where the bits of `mask` in argument `arg` are `value`. The kernel reads 32 bits of
 * these arguments and libseccomp compares 64: with a mask, what stands above does not matter. */
#define LOW 0xffffffffu
#ifdef __s390__
#define CLONE_FLAGS 1
#else
#define CLONE_FLAGS 0
#endif
static const struct masked {
	int call;
	unsigned arg, mask, value;
	int when;
} masked[] = {
	{ SCMP_SYS(clone), CLONE_FLAGS, CLONE_NEWUSER, CLONE_NEWUSER, UNLESS_NESTED },
	{ SCMP_SYS(clone), CLONE_FLAGS, CLONE_NEWNS, CLONE_NEWNS, UNLESS_NESTED },
	{ SCMP_SYS(clone), CLONE_FLAGS, CLONE_NEWPID, CLONE_NEWPID, UNLESS_NESTED },
	{ SCMP_SYS(clone), CLONE_FLAGS, CLONE_NEWNET, CLONE_NEWNET, UNLESS_NESTED },
	{ SCMP_SYS(clone), CLONE_FLAGS, CLONE_NEWIPC, CLONE_NEWIPC, UNLESS_NESTED },
	{ SCMP_SYS(clone), CLONE_FLAGS, CLONE_NEWUTS, CLONE_NEWUTS, UNLESS_NESTED },
	{ SCMP_SYS(clone), CLONE_FLAGS, CLONE_NEWCGROUP, CLONE_NEWCGROUP, UNLESS_NESTED },
	/* input pushed into a terminal (F12) */
	{ SCMP_SYS(ioctl), 1, LOW, TIOCSTI, ALWAYS },
	{ SCMP_SYS(ioctl), 1, LOW, TIOCLINUX, ALWAYS },
};

/* Families a socket may be of (F7), all below 32; netlink answers what getifaddrs asks. */
static const unsigned families[] = { AF_UNIX, AF_INET, AF_INET6, AF_NETLINK };

static bool add_masked(scmp_filter_ctx filter, const struct masked *row, struct at_error *err)
{
	struct scmp_arg_cmp compare = SCMP_CMP(row->arg, SCMP_CMP_MASKED_EQ, row->mask, row->value);
	int failed;

	if (row->call < 0)
		return true;
	failed = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), row->call, 1, &compare);
	if (failed)
		return at_fail_sys(err, -failed, "no rule can be made for call %d", row->call);
	return true;
}

/* Compares can say what is refused and not what is left, so that an allow-list takes a rule
 * for each other number below 32, and one for each bit above. */
static bool add_families(scmp_filter_ctx filter, int call, struct at_error *err)
{
	for (unsigned family = 0; family < 32; family++) {
		struct masked row = { call, 0, LOW, family, ALWAYS };
		bool is_open = false;

		for (size_t i = 0; i < AT_LENGTH(families); i++)
			is_open = is_open || families[i] == family;
		if (!is_open && !add_masked(filter, &row, err))
			return false;
	}
	for (unsigned bit = 5; bit < 32; bit++) {
		struct masked row = { call, 0, 1u << bit, 1u << bit, ALWAYS };

		if (!add_masked(filter, &row, err))
			return false;
	}
	return true;
}

/* Open: 0, what every process has, and all ones, which asks. Any other number has somewhere a
 * bit that is set beside one that is not, when the last is taken to stand beside the first. */
static bool add_personality(scmp_filter_ctx filter, struct at_error *err)
{
	for (unsigned bit = 0; bit < 32; bit++) {
		unsigned set = 1u << bit, next = 1u << (bit + 1) % 32;
		struct masked row = { SCMP_SYS(personality), 0, set | next, set, ALWAYS };

		if (!add_masked(filter, &row, err))
			return false;
	}
	return true;
}

static bool set(scmp_filter_ctx filter, enum scmp_filter_attr name, uint32_t value,
	struct at_error *err)
{
	int failed = seccomp_attr_set(filter, name, value);

	return !failed || at_fail_sys(err, -failed, "libseccomp takes no attribute %d", (int)name);
}

static bool fill(scmp_filter_ctx filter, bool is_nested, struct at_error *err)
{
	/* A call by another table of numbers (i386, x32) would go past every rule here. An error
	 * would leave such a program running wild; a signal says what happened. */
	if (!set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS, err)
		|| !set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2, err))
		return false;
	for (size_t i = 0; i < AT_LENGTH(refused); i++) {
		const struct refused *row = &refused[i];
		int failed;

		if (row->call < 0 || (is_nested && row->when == UNLESS_NESTED))
			continue;
		failed = seccomp_rule_add(filter, SCMP_ACT_ERRNO((uint32_t)row->error), row->call,
			0);
		if (failed)
			return at_fail_sys(err, -failed, "no rule can be made for call %d",
				row->call);
	}
	for (size_t i = 0; i < AT_LENGTH(masked); i++) {
		if (is_nested && masked[i].when == UNLESS_NESTED)
			continue;
		if (!add_masked(filter, &masked[i], err))
			return false;
	}
	return add_families(filter, SCMP_SYS(socket), err)
		&& add_families(filter, SCMP_SYS(socketpair), err)
		&& add_personality(filter, err);
}

bool at_filter_open(int *out, bool is_nested, struct at_error *err)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	bool is_made = false;
	int fd = -1, failed;

	if (!filter)
		return at_fail(err, AT_EIO, "libseccomp makes no filter for this architecture");
	if (!fill(filter, is_nested, err))
		goto out;
	fd = memfd_create("agentteams-filter", MFD_CLOEXEC | MFD_ALLOW_SEALING | NO_EXEC);
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("agentteams-filter", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0) {
		at_fail_sys(err, errno, "no file in memory for the filter");
		goto out;
	}
	failed = seccomp_export_bpf(filter, fd);
	if (failed) {
		at_fail_sys(err, -failed, "the filter cannot be written");
		goto out;
	}
	if (lseek(fd, 0, SEEK_SET) < 0
		|| fcntl(fd, F_ADD_SEALS,
			   F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
		at_fail_sys(err, errno, "the filter cannot be sealed");
		goto out;
	}
	*out = fd;
	is_made = true;
out:
	if (!is_made && fd >= 0)
		close(fd);
	seccomp_release(filter);
	return is_made;
}

bool at_filter_load(bool is_nested, struct at_error *err)
{
	static struct sock_filter code[BPF_MAXINSNS];
	struct sock_fprog program = { 0, code };
	ssize_t got;
	int fd;

	if (!at_filter_open(&fd, is_nested, err))
		return false;
	got = read(fd, code, sizeof(code));
	close(fd);
	if (got <= 0 || (size_t)got % sizeof(code[0]) != 0)
		return at_fail(err, AT_EIO, "the filter cannot be read back");
	program.len = (unsigned short)((size_t)got / sizeof(code[0]));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return at_fail_sys(err, errno, "no_new_privs");
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return at_fail_sys(err, errno, "the kernel takes no filter of system calls");
	return true;
}
