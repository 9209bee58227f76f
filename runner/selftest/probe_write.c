/* Group W: writes outside the workspace. The targets are writable by mode and by owner. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "runner/selftest/probe.h"
#include "runner/selftest/probe_table.h"

void try_W1(struct trial *t)
{
	try_create(t, below(AT_FACT_HOME, "at-W1"));
}

void control_W1(struct trial *t)
{
	try_create(t, below(AT_FACT_SCRATCH, "at-W1"));
}

void try_W2(struct trial *t)
{
	try_append(t, below(AT_FACT_HOME, ".bashrc"));
	try_append(t, below(AT_FACT_HOME, ".profile"));
	try_append(t, below(AT_FACT_HOME, ".zshrc"));
}

/* A private /tmp takes the file and nobody ever sees it: only the device tells them apart. The
 * driver looks on the host as well. */
static void create_in_shared(struct trial *t, const char *dir, const char *device)
{
	char path[64];
	struct stat st;
	bool ok;

	snprintf(path, sizeof(path), "%s/at-W3", dir);
	ok = create_file(path);
	if (!t->inside) {
		tried(t, dir, ok);
		unlink(path);
		return;
	}
	if (ok && (stat(dir, &st) != 0 || (long)st.st_dev != fact_number(device)))
		refused(t, "a private one", 0);
	else
		tried(t, dir, ok);
}

void try_W3(struct trial *t)
{
	try_create(t, below(AT_FACT_OUTSIDE, "at-W3"));
	create_in_shared(t, "/tmp", AT_FACT_TMP_DEV);
	create_in_shared(t, "/dev/shm", AT_FACT_SHM_DEV);
}

void control_W3(struct trial *t)
{
	try_create(t, "/tmp/at-W3-own");
}

void try_W4(struct trial *t)
{
	char path[1100];

	if (chdir(fact(AT_FACT_SCRATCH)) != 0) {
		broken(t, "the workspace cannot be entered");
		return;
	}
	tried(t, "..", create_file("../at-W4"));
	tried(t, "/proc/self/cwd", create_file("/proc/self/cwd/../at-W4-cwd"));
	snprintf(path, sizeof(path), "/proc/self/root%s/at-W4-root", fact(AT_FACT_OUTSIDE));
	tried(t, "/proc/self/root", create_file(path));
}

void control_W4(struct trial *t)
{
	tried(t, ".", chdir(fact(AT_FACT_SCRATCH)) == 0 && create_file("./src/../at-W4"));
}

static bool link_unnamed(const char *dir, const char *name)
{
	char source[64];
	int fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
	bool ok;

	snprintf(source, sizeof(source), "/proc/self/fd/%d", fd);
	ok = fd >= 0 && linkat(AT_FDCWD, source, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
	if (fd >= 0)
		close(fd);
	return ok;
}

void try_W5(struct trial *t)
{
	int dir = open(fact(AT_FACT_SCRATCH), O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = openat(dir, "../at-W5", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	tried(t, "openat", fd >= 0 && write_and_close(fd));
	tried(t, "O_TMPFILE",
		link_unnamed(fact(AT_FACT_OUTSIDE), below(AT_FACT_OUTSIDE, "at-W5-unnamed")));
}

void control_W5(struct trial *t)
{
	tried(t, "O_TMPFILE", link_unnamed(fact(AT_FACT_SCRATCH), below(AT_FACT_SCRATCH, "at-W5")));
}

void try_W6(struct trial *t)
{
	const char *path = below(AT_FACT_OUTSIDE, "w6");
	struct stat st;
	int fd;

	tried(t, "truncate", truncate(path, 12) == 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	tried(t, "ftruncate", fd >= 0 && ftruncate(fd, 8) == 0);
	/* By the words of POSIX undefined, by Linux done. */
	fd = open(path, O_RDONLY | O_TRUNC | O_CLOEXEC);
	tried(t, "O_TRUNC", fd >= 0 && fstat(fd, &st) == 0 && st.st_size == 0);
}

static void change_metadata(struct trial *t, const char *path)
{
	tried(t, "chmod", chmod(path, 0604) == 0);
	tried(t, "chown", chown(path, geteuid(), getegid()) == 0);
	tried(t, "utimensat", utimensat(AT_FDCWD, path, NULL, 0) == 0);
	tried(t, "setxattr", setxattr(path, "user.at", "1", 1, 0) == 0);
}

void try_W7(struct trial *t)
{
	change_metadata(t, below(AT_FACT_OUTSIDE, "w7"));
}

void control_W7(struct trial *t)
{
	const char *own = below(AT_FACT_SCRATCH, "at-W7");

	create_file(own);
	change_metadata(t, own);
}

static bool exchange_twice(const char *one, const char *other)
{
	return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) == 0
		&& renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) == 0;
}

void try_W8(struct trial *t)
{
	const char *own = below(AT_FACT_SCRATCH, "w8-own"), *theirs = below(AT_FACT_OUTSIDE, "w8");

	try_rename(t, own, below(AT_FACT_OUTSIDE, "at-W8"));
	try_rename(t, theirs, below(AT_FACT_SCRATCH, "at-W8-in"));
	tried(t, "exchange", exchange_twice(own, theirs));
	tried(t, "unlink", unlink(theirs) == 0);
}

void control_W8(struct trial *t)
{
	const char *own = below(AT_FACT_SCRATCH, "w8-own"),
		   *two = below(AT_FACT_SCRATCH, "at-W8-two");

	tried(t, "all of them", create_file(two) && exchange_twice(own, two) && unlink(two) == 0);
}

static bool bind_socket(const char *dir, const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	/* By a relative name: the directory's may be longer than a socket's. */
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", name);
	return fd >= 0 && chdir(dir) == 0
		&& bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
}

void try_W9(struct trial *t)
{
	tried(t, "mkfifo", mkfifo(below(AT_FACT_OUTSIDE, "at-W9-pipe"), 0644) == 0);
	tried(t, "mknod", mknod(below(AT_FACT_OUTSIDE, "at-W9-node"), S_IFREG | 0644, 0) == 0);
	tried(t, "bind", bind_socket(fact(AT_FACT_OUTSIDE), "at-W9-socket"));
}

void control_W9(struct trial *t)
{
	tried(t, "all of them",
		mkfifo(below(AT_FACT_SCRATCH, "at-W9-pipe"), 0644) == 0
			&& mknod(below(AT_FACT_SCRATCH, "at-W9-node"), S_IFREG | 0644, 0) == 0
			&& bind_socket(fact(AT_FACT_SCRATCH), "at-W9-socket"));
}

static bool write_by_mapping(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	int flags = PROT_READ | PROT_WRITE;
	char *map;

	/* Where it may only be read, the mapping may still be made writable afterwards. */
	if (fd < 0) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		flags = PROT_READ;
	}
	map = fd < 0 ? MAP_FAILED : mmap(NULL, 8, flags, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED || mprotect(map, 8, PROT_READ | PROT_WRITE) != 0)
		return false;
	map[0] = 'A';
	return msync(map, 8, MS_SYNC) == 0;
}

static bool copy_over(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CLOEXEC);

	if (in < 0)
		return false;
	if (out < 0)
		out = open(to, O_RDONLY | O_CLOEXEC);
	return out >= 0 && copy_file_range(in, NULL, out, NULL, 8, 0) == 8;
}

void try_W10(struct trial *t)
{
	const char *theirs = below(AT_FACT_OUTSIDE, "w10");

	tried(t, "mmap", write_by_mapping(theirs));
	tried(t, "copy_file_range", copy_over(below(AT_FACT_SCRATCH, "w10-own"), theirs));
}

void control_W10(struct trial *t)
{
	const char *own = below(AT_FACT_SCRATCH, "at-W10");

	tried(t, "both",
		create_file(own) && write_by_mapping(own)
			&& copy_over(below(AT_FACT_SCRATCH, "w10-own"), own));
}
