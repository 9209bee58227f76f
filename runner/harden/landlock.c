#include "runner/harden/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/harden/harden.h"

/* The kernel's own header is older here than the kernels this runs on. */
#define CREATE_VERSION 1u
#define CREATE_ERRATA 2u
#define RULE_PATH_BENEATH 1
#define DEPTH_MAX 16

struct ruleset_attr {
	uint64_t fs, net, scoped;
};
struct path_attr {
	uint64_t access;
	int32_t parent;
} __attribute__((packed));

/* Where a right is given. */
enum { READ = 1, TREE = 2, DEVICE = 4, PROC = 8 };

const struct at_landlock_right at_landlock_rights[] = {
	{ "execute", 1u << 0, 1, READ },
	{ "write_file", 1u << 1, 1, TREE | DEVICE | PROC },
	{ "read_file", 1u << 2, 1, READ },
	{ "read_dir", 1u << 3, 1, READ },
	{ "remove_dir", 1u << 4, 1, TREE },
	{ "remove_file", 1u << 5, 1, TREE },
	{ "make_char", 1u << 6, 1, 0 },
	{ "make_dir", 1u << 7, 1, TREE },
	{ "make_reg", 1u << 8, 1, TREE },
	{ "make_sock", 1u << 9, 1, TREE },
	{ "make_fifo", 1u << 10, 1, TREE },
	{ "make_block", 1u << 11, 1, 0 },
	{ "make_sym", 1u << 12, 1, TREE },
	{ "refer", 1u << 13, 2, TREE },
	{ "truncate", 1u << 14, 3, TREE | DEVICE | PROC },
	{ "ioctl_dev", 1u << 15, 5, DEVICE },
};
const size_t at_landlock_right_count = AT_LENGTH(at_landlock_rights);

const struct at_landlock_right at_landlock_scopes[] = {
	{ "abstract_unix_socket", 1u << 0, 6, 0 },
	{ "signal", 1u << 1, 6, 0 },
};
const size_t at_landlock_scope_count = AT_LENGTH(at_landlock_scopes);

/* What is not there is left out. */
static const struct place {
	const char *path;
	unsigned where;
} places[] = {
	{ "/", READ },
	{ "/tmp", TREE },
	{ "/dev/shm", TREE },
	{ "/dev/null", DEVICE },
	{ "/dev/zero", DEVICE },
	{ "/dev/full", DEVICE },
	{ "/dev/random", DEVICE },
	{ "/dev/urandom", DEVICE },
	{ "/dev/tty", DEVICE },
	{ "/dev/console", DEVICE }, /* bwrap's: the caller's terminal */
	{ "/dev/ptmx", DEVICE },
	{ "/dev/pts", DEVICE },
};

static int create(const struct ruleset_attr *attr, size_t size, unsigned flags)
{
	return (int)syscall(SYS_landlock_create_ruleset, attr, size, flags);
}

static bool restrict_by(int ruleset)
{
	return syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
}

struct at_landlock_kernel at_landlock_ask(void)
{
	struct at_landlock_kernel kernel = { 0 };

	kernel.abi = create(NULL, 0, CREATE_VERSION);
	if (kernel.abi < 0) {
		kernel.sys = errno;
		kernel.abi = 0;
		return kernel;
	}
	kernel.errata = create(NULL, 0, CREATE_ERRATA);
	if (kernel.errata < 0)
		kernel.errata = 0;
	return kernel;
}

static uint64_t bits(const struct at_landlock_right *rows, size_t count, int abi, unsigned where)
{
	uint64_t all = 0;

	for (size_t i = 0; i < count; i++) {
		if (rows[i].abi <= abi && (!where || (rows[i].where & where)))
			all |= rows[i].bit;
	}
	return all;
}

static bool allow(int ruleset, int fd, unsigned where, int abi, const char *path,
	struct at_error *err)
{
	struct path_attr attr = {
		.access = bits(at_landlock_rights, at_landlock_right_count, abi, where),
		.parent = fd,
	};

	if (syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &attr, 0) < 0)
		return at_fail_sys(err, errno, "no Landlock rule for '%s'", path);
	return true;
}

static bool allow_place(int ruleset, const char *path, unsigned where, int abi,
	struct at_error *err)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	bool is_allowed;

	if (fd < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return true;
		return at_fail_sys(err, errno, "'%s' cannot be opened", path);
	}
	is_allowed = allow(ruleset, fd, where, abi, path, err);
	close(fd);
	return is_allowed;
}

/* The paths are physical: a link on the way is one that was put there since. */
static int open_root(const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS,
	};
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd;
}

static bool allow_root(int ruleset, const char *path, int abi, struct at_error *err)
{
	int fd = open_root(path);
	bool is_allowed;

	if (fd < 0)
		return at_fail_sys(err, errno, "the writable directory '%s' cannot be opened",
			path);
	is_allowed = allow(ruleset, fd, TREE, abi, path, err);
	close(fd);
	return is_allowed;
}

static bool allow_proc(int ruleset, int abi, struct at_error *err)
{
	struct stat proc;
	bool is_owner = stat("/proc", &proc) == 0 && proc.st_uid == geteuid();

	return allow_place(ruleset, is_owner ? "/proc/self" : "/proc", PROC, abi, err);
}

/* What the caller gave to be written to may be opened again by its name in /dev; a pipe or a
 * socket needs no rule. */
static bool allow_streams(int ruleset, int abi, struct at_error *err)
{
	for (int fd = 0; fd <= 2; fd++) {
		int flags = fcntl(fd, F_GETFL);
		struct stat st;

		if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || (flags & O_PATH))
			continue;
		if (fstat(fd, &st) < 0 || !(S_ISREG(st.st_mode) || S_ISCHR(st.st_mode)))
			continue;
		/* A file in memory alone takes no rule and needs none. */
		if (!allow(ruleset, fd, DEVICE, abi, "a standard stream", err)
			&& err->sys != EBADFD)
			return false;
	}
	return true;
}

static bool fill(int ruleset, const char *const *roots, size_t count, int abi,
	struct at_error *err)
{
	for (size_t i = 0; i < AT_LENGTH(places); i++) {
		if (!allow_place(ruleset, places[i].path, places[i].where, abi, err))
			return false;
	}
	for (size_t i = 0; i < count; i++) {
		if (!allow_root(ruleset, roots[i], abi, err))
			return false;
	}
	return allow_proc(ruleset, abi, err) && allow_streams(ruleset, abi, err);
}

/* Without roots it is the trial: nothing can be written then. */
static bool apply(const char *const *roots, size_t count, struct at_error *err)
{
	struct at_landlock_kernel kernel = at_landlock_ask();
	struct ruleset_attr attr = { 0 };
	bool is_applied = false;
	int ruleset;

	if (!kernel.abi)
		return at_fail_sys(err, kernel.sys, "this kernel has no Landlock");
	if (kernel.abi < AT_LANDLOCK_ABI_MIN)
		return at_fail(err, AT_EIO, "this kernel's Landlock is too old: ABI %d, not %d",
			kernel.abi, AT_LANDLOCK_ABI_MIN);
	attr.fs = bits(at_landlock_rights, at_landlock_right_count, kernel.abi, 0);
	attr.scoped = bits(at_landlock_scopes, at_landlock_scope_count, kernel.abi, 0);
	ruleset = create(&attr, sizeof(attr), 0); /* zeros past what the ABI knows are taken */
	if (ruleset < 0)
		return at_fail_sys(err, errno, "no Landlock ruleset of ABI %d", kernel.abi);
	if (roots ? !fill(ruleset, roots, count, kernel.abi, err)
		  : !allow_place(ruleset, "/", READ, kernel.abi, err))
		goto out;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || !restrict_by(ruleset)) {
		at_fail_sys(err, errno, "Landlock cannot be put in force");
		goto out;
	}
	is_applied = true;
out:
	close(ruleset);
	return is_applied;
}

bool at_landlock_apply(const char *const *roots, size_t count, struct at_error *err)
{
	static const char *const none[1];

	return apply(roots ? roots : none, count, err);
}

static int open_null(void)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int sys = fd < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	return sys;
}

int at_landlock_try(void)
{
	struct at_error err;
	int sys = open_null();

	if (sys)
		return sys;
	if (!apply(NULL, 0, &err))
		return err.sys ? err.sys : ENOTSUP;
	return open_null() == EACCES ? 0 : ENOTSUP;
}

int at_landlock_depth(void)
{
	struct ruleset_attr attr = { .fs = 1u << 11 }; /* no process here makes a block device */
	pid_t child = fork();
	int status;

	if (child == 0) {
		int ruleset = create(&attr, sizeof(attr), 0), more = 0;

		if (ruleset < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
			_exit(DEPTH_MAX + 1);
		while (more <= DEPTH_MAX && restrict_by(ruleset))
			more++;
		_exit(errno == E2BIG && more <= DEPTH_MAX ? DEPTH_MAX - more : DEPTH_MAX + 1);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status)
		|| WEXITSTATUS(status) > DEPTH_MAX)
		return -1;
	return WEXITSTATUS(status);
}
