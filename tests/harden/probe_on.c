/* Acts on files, sockets, keys and processes, and the attack F3; see probe.h. */
#include "harden/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static int result_of(int got)
{
	return got < 0 ? errno : 0;
}

static int do_append(const char *path)
{
	int fd = open(path, O_WRONLY | O_APPEND);

	return fd < 0 ? errno : result_of((int)write(fd, "x", 1));
}
static int do_open_write(const char *path)
{
	return result_of(open(path, O_WRONLY));
}
static int do_open_truncate(const char *path)
{
	return result_of(open(path, O_WRONLY | O_TRUNC));
}
static int do_read(const char *path)
{
	char byte;
	int fd = open(path, O_RDONLY);

	return fd < 0 ? errno : result_of((int)read(fd, &byte, 1));
}
static int do_truncate(const char *path)
{
	return result_of(truncate(path, 0));
}
static int do_create(const char *path)
{
	return result_of(open(path, O_WRONLY | O_CREAT | O_EXCL, 0600));
}
static int do_mkdir(const char *path)
{
	return result_of(mkdir(path, 0700));
}
static int do_rmdir(const char *path)
{
	return result_of(rmdir(path));
}
static int do_unlink(const char *path)
{
	return result_of(unlink(path));
}
static int do_symlink(const char *path)
{
	return result_of(symlink("/", path));
}
static int do_fifo(const char *path)
{
	return result_of(mkfifo(path, 0600));
}
static int do_whiteout(const char *path) /* the one device that takes no capability */
{
	return result_of(mknod(path, S_IFCHR | 0600, 0));
}
static int do_tmpfile(const char *path)
{
	return result_of(open(path, O_TMPFILE | O_WRONLY, 0600));
}

static struct sockaddr_un address(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	return to;
}
static int do_bind(const char *path)
{
	struct sockaddr_un at = address(path);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	return fd < 0 ? errno : result_of(bind(fd, (struct sockaddr *)&at, sizeof(at)));
}
static socklen_t abstract(struct sockaddr_un *to, const char *name)
{
	memset(to, 0, sizeof(*to));
	to->sun_family = AF_UNIX;
	snprintf(to->sun_path + 1, sizeof(to->sun_path) - 1, "%s", name);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
}
static int do_connect_abstract(const char *name)
{
	struct sockaddr_un to;
	socklen_t len = abstract(&to, name);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	return fd < 0 ? errno : result_of(connect(fd, (struct sockaddr *)&to, len));
}
static int do_hold_abstract(const char *name) /* for three seconds */
{
	struct sockaddr_un at;
	socklen_t len = abstract(&at, name);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, len) < 0 || listen(fd, 99) < 0)
		return errno;
	sleep(3);
	return 0;
}

/* "FROM:TO" */
static void halves(const char *word, char *from, const char **to, size_t size)
{
	const char *colon = strchr(word, ':');

	*to = colon ? colon + 1 : "";
	snprintf(from, size, "%.*s", colon ? (int)(colon - word) : 0, word);
}
static int do_rename(const char *word)
{
	char from[512];
	const char *to;

	halves(word, from, &to, sizeof(from));
	return result_of(rename(from, to));
}
static int do_link(const char *word)
{
	char from[512];
	const char *to;

	halves(word, from, &to, sizeof(from));
	return result_of(link(from, to));
}

static int do_signal(const char *pid)
{
	return result_of(kill(atoi(pid), 0));
}
static int do_core(const char *word)
{
	struct rlimit core;

	(void)word;
	getrlimit(RLIMIT_CORE, &core);
	return core.rlim_cur || core.rlim_max ? EFBIG : 0;
}
static int do_tcgets(const char *path)
{
	char settings[256];
	int fd = open(path, O_RDWR | O_NOCTTY);

	return fd < 0 ? errno : result_of(ioctl(fd, 0x5401 /* TCGETS */, settings));
}
static int do_pty(const char *word)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY);
	const char *name;

	(void)word;
	if (fd < 0 || grantpt(fd) < 0 || unlockpt(fd) < 0 || !(name = ptsname(fd)))
		return errno;
	return do_tcgets(name);
}
static int do_oom_score(const char *word)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY);

	(void)word;
	return fd < 0 ? errno : result_of((int)write(fd, "1000", 4));
}

/* Adds a key to the session keyring this process has, or looks for it there. */
static int do_key_add(const char *name)
{
	return result_of((int)syscall(SYS_add_key, "user", name, "x", 1,
		KEY_SPEC_SESSION_KEYRING));
}
static int do_key_find(const char *name)
{
	return result_of((int)syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user",
		name, 0));
}

/* Writes over one byte of PID 1 what stands there. */
static int do_first_memory(const char *word)
{
	unsigned long address;
	char line[256], byte;
	FILE *maps;
	int fd = open("/proc/1/mem", O_RDWR);

	(void)word;
	if (fd < 0)
		return errno;
	maps = fopen("/proc/1/maps", "r");
	if (!maps || !fgets(line, sizeof(line), maps))
		return errno ? errno : ENODATA;
	address = strtoul(line, NULL, 16);
	if (pread(fd, &byte, 1, (off_t)address) != 1 || pwrite(fd, &byte, 1, (off_t)address) != 1)
		return errno;
	return 0;
}
static int do_first_filtered(const char *word) /* F13: PID 1 carries the filter */
{
	char line[256];
	FILE *status = fopen("/proc/1/status", "r");

	(void)word;
	while (status && fgets(line, sizeof(line), status)) {
		if (strncmp(line, "Seccomp:", 8) == 0)
			return strchr(line, '2') ? 0 : ENODATA;
	}
	return ENOENT;
}

static void write_own(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd >= 0) {
		if (write(fd, text, strlen(text)) < 0)
			fprintf(stderr, "%s: %s\n", path, strerror(errno));
		close(fd);
	}
}

/* F3. The read-only mount on DIR/.claude is one of this namespace's own; in a namespace whose
 * old tree is let go of it is none, and the name below it can be moved through a descriptor. */
static int do_attack(const char *dir)
{
	int at = open(dir, O_RDONLY | O_DIRECTORY);
	char users[64], groups[64];
	int sys;

	if (at < 0)
		return errno;
	if (renameat(at, ".claude", at, "moved") == 0)
		return EALREADY; /* there was nothing to get round */
	snprintf(users, sizeof(users), "0 %u 1", (unsigned)geteuid());
	snprintf(groups, sizeof(groups), "0 %u 1", (unsigned)getegid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0) {
		sys = errno;
		fprintf(stderr, "unshare\n");
		return sys;
	}
	write_own("/proc/self/setgroups", "deny");
	write_own("/proc/self/uid_map", users);
	write_own("/proc/self/gid_map", groups);
	if (mount("none", "/tmp", "tmpfs", 0, NULL) < 0) {
		sys = errno;
		fprintf(stderr, "mount\n");
		return sys;
	}
	if (mkdir("/tmp/old", 0700) < 0 || syscall(SYS_pivot_root, "/tmp", "/tmp/old") < 0
		|| chdir("/") < 0 || umount2("/old", MNT_DETACH) < 0)
		return errno;
	if (renameat(at, ".claude", at, "moved") < 0 || mkdirat(at, ".claude", 0700) < 0)
		return errno;
	return 0;
}

/* What the sandbox of a browser does: a namespace of its own, and then no file to see. */
static int do_browser(const char *word)
{
	(void)word;
	if (unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET) < 0)
		return errno;
	return result_of(chroot("/proc/self/fdinfo"));
}

#define ROW(name) { #name, do_##name }
const struct harden_act_on harden_acts_on[] = {
	ROW(append), ROW(open_write), ROW(open_truncate), ROW(read), ROW(truncate), ROW(create),
	ROW(mkdir), ROW(rmdir), ROW(unlink), ROW(symlink), ROW(fifo), ROW(whiteout),
	ROW(tmpfile), ROW(bind), ROW(connect_abstract),
	ROW(hold_abstract), ROW(rename), ROW(link), ROW(signal),
	ROW(core), ROW(tcgets), ROW(pty), ROW(oom_score), ROW(key_add), ROW(key_find),
	ROW(first_memory), ROW(first_filtered), ROW(attack), ROW(browser),
	{ NULL, NULL },
};
