#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/fault.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
/* A FIFO must not be waited for, a terminal must not become ours. */
#define FILE_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC)

static bool is_below(const char *path)
{
	if (*path == '/' || *path == '\0')
		return false;
	while (*path) {
		size_t len = strcspn(path, "/");

		if (len == 2 && path[0] == '.' && path[1] == '.')
			return false;
		path += len;
		path += strspn(path, "/");
	}
	return true;
}

static int open_by_kernel(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned)flags,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

/* O_DIRECTORY says ENOTDIR of a link; a link is told apart so that both ways agree. */
static void name_the_link(int dir, const char *part)
{
	struct stat st;
	int saved = errno;

	if (saved == ENOTDIR && fstatat(dir, part, &st, AT_SYMLINK_NOFOLLOW) == 0
		&& S_ISLNK(st.st_mode))
		saved = ELOOP;
	errno = saved;
}

/* The same answer as open_by_kernel(), component by component. */
static int open_by_walk(int root, const char *path, int flags)
{
	int dir = root;

	for (;;) {
		char part[NAME_MAX + 1];
		size_t len = strcspn(path, "/");
		const char *rest = path + len + strspn(path + len, "/");
		int next, saved;

		if (len > NAME_MAX) {
			next = -1;
			errno = ENAMETOOLONG;
		} else {
			memcpy(part, path, len);
			part[len] = '\0';
			next = openat(dir, part,
				*rest ? O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC : flags);
			if (next < 0)
				name_the_link(dir, part);
		}
		saved = errno;
		if (dir != root)
			close(dir);
		errno = saved;
		if (next < 0 || !*rest)
			return next;
		dir = next;
		path = rest;
	}
}

/* `path` has passed is_below(). A kernel before 5.6 or a filter that does not know
 * openat2 leaves the walk. */
static int open_below(int root, const char *path, int flags)
{
	int fd, tries = 8;

	if (at_fault_lacks(AT_LACKS_OPENAT2))
		return open_by_walk(root, path, flags);
	do {
		fd = open_by_kernel(root, path, flags);
	} while (fd < 0 && (errno == EAGAIN || errno == EINTR) && --tries > 0);
	if (fd < 0 && (errno == ENOSYS || errno == EPERM || errno == E2BIG || errno == EAGAIN))
		return open_by_walk(root, path, flags);
	if (fd < 0)
		name_the_link(root, path);
	return fd;
}

static bool fail_shape(struct at_error *err, const char *path)
{
	at_fail(err, AT_EUNSAFE, "`%s` is not a path below its directory", path);
	at_error_path(err, path);
	at_error_hint(err, "Name it relative, without `..`.");
	return false;
}

static bool fail_open(struct at_error *err, int sys, const char *path)
{
	switch (sys) {
	case ELOOP:
		at_fail(err, AT_EUNSAFE, "`%s` is or leads through a symbolic link", path);
		at_error_name(err, "unsafe-link");
		at_error_hint(err, "Replace the link by what it leads to, or name that place.");
		break;
	case ENOTDIR:
		at_fail(err, AT_EUNSAFE, "`%s` leads through something that is no directory", path);
		at_error_name(err, "unsafe-special");
		break;
	case ENXIO:
	case ENODEV:
		at_fail(err, AT_EUNSAFE, "`%s` is not a regular file", path);
		at_error_name(err, "unsafe-special");
		break;
	default:
		at_fail_sys(err, sys, "cannot open `%s`", path);
		break;
	}
	at_error_path(err, path);
	return false;
}

int at_file_open_dir(int root, const char *path, struct at_error *err)
{
	const char *below = path;
	int top = root, fd, saved;

	if (*path == '/') {
		below += strspn(path, "/");
		top = open("/", DIR_FLAGS);
		if (top < 0) {
			fail_open(err, errno, "/");
			return -1;
		}
		if (!*below)
			return top;
	}
	if (!is_below(below)) {
		fail_shape(err, path);
		fd = -1;
	} else {
		fd = open_below(top, below, DIR_FLAGS);
		saved = errno;
		if (fd < 0)
			fail_open(err, saved, path);
	}
	if (top != root)
		close(top);
	return fd;
}

int at_file_open_parent(int root, const char *path, const char **name, struct at_error *err)
{
	const char *slash = strrchr(path, '/');
	char parent[PATH_MAX];
	size_t len = slash ? (size_t)(slash - path) : 0;

	*name = slash ? slash + 1 : path;
	if (!is_below(path) || **name == '\0' || strcmp(*name, ".") == 0) {
		fail_shape(err, path);
		return -1;
	}
	if (len >= sizeof(parent)) {
		fail_open(err, ENAMETOOLONG, path);
		return -1;
	}
	memcpy(parent, path, len);
	parent[len] = '\0';
	return at_file_open_dir(root, len ? parent : ".", err);
}

static bool fail_large(struct at_error *err, const char *path, size_t cap)
{
	at_fail(err, AT_ELIMIT, "`%s` is larger than %zu bytes", path, cap);
	at_error_path(err, path);
	return false;
}

/* Up to the cap and one byte more: a file that grows meanwhile is found out too. */
static bool read_all(struct at_buf *out, int fd, const char *path, size_t expect, size_t cap,
	struct at_error *err)
{
	at_buf_reserve(out, expect + 1);
	while (out->len <= cap) {
		size_t room;
		ssize_t got;

		if (out->cap - out->len < 2)
			at_buf_reserve(out, out->cap / 2);
		room = out->cap - out->len - 1;
		if (room > cap + 1 - out->len)
			room = cap + 1 - out->len;
		got = read(fd, out->data + out->len, room);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			at_fail_sys(err, errno, "cannot read `%s`", path);
			at_error_path(err, path);
			return false;
		}
		if (got == 0) {
			out->data[out->len] = '\0';
			return true;
		}
		out->len += (size_t)got;
	}
	return fail_large(err, path, cap);
}

static bool fail_kind(struct at_error *err, const char *path, mode_t mode)
{
	at_fail(err, AT_EUNSAFE, "`%s` is %s, not a regular file", path,
		S_ISDIR(mode) ? "a directory" : "a special file");
	at_error_path(err, path);
	at_error_name(err, "unsafe-special");
	at_error_hint(err, "Move it away; nothing was read from it.");
	return false;
}

static bool read_descriptor(struct at_file *out, int fd, const char *path, size_t cap,
	unsigned flags, struct at_error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return fail_open(err, errno, path);
	if (!S_ISREG(st.st_mode))
		return fail_kind(err, path, st.st_mode);
	out->stamp = at_file_stamp(&st);
	if ((flags & AT_FILE_SINGLE_LINK) && st.st_nlink != 1) {
		at_fail(err, AT_EUNSAFE, "`%s` has %ju names (hard links)", path,
			(uintmax_t)st.st_nlink);
		at_error_path(err, path);
		at_error_name(err, "unsafe-hard-link");
		at_error_hint(err, "Replacing it would split them: make it a file of its own.");
		return false;
	}
	if ((uintmax_t)st.st_size > cap)
		return fail_large(err, path, cap);
	if (!read_all(&out->bytes, fd, path, (size_t)st.st_size, cap, err))
		return false;
	out->exists = true;
	if (!(flags & AT_FILE_NO_DIGEST))
		out->digest = at_digest_of(at_buf_bytes(&out->bytes));
	out->mode = st.st_mode & 07777;
	out->owner = st.st_uid;
	out->group = st.st_gid;
	out->device = st.st_dev;
	out->inode = st.st_ino;
	out->links = st.st_nlink;
	return true;
}

bool at_file_read(struct at_file *out, int root, const char *path, size_t cap, unsigned flags,
	struct at_error *err)
{
	bool ok;
	int fd;

	*out = (struct at_file){ 0 };
	if (!is_below(path))
		return fail_shape(err, path);
	fd = open_below(root, path, FILE_FLAGS);
	if (fd < 0 && errno == ENOENT && (flags & AT_FILE_MAY_BE_ABSENT))
		return true;
	if (fd < 0)
		return fail_open(err, errno, path);
	ok = read_descriptor(out, fd, path, cap, flags, err);
	close(fd);
	if (!ok)
		at_file_free(out);
	return ok;
}

void at_file_free(struct at_file *file)
{
	at_buf_free(&file->bytes);
	*file = (struct at_file){ 0 };
}

static enum at_file_type type_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return AT_FILE_REGULAR;
	case S_IFDIR:
		return AT_FILE_DIRECTORY;
	case S_IFLNK:
		return AT_FILE_LINK;
	default:
		return AT_FILE_SPECIAL;
	}
}

enum at_file_type at_file_type(int root, const char *path)
{
	struct at_error err;
	enum at_file_type type;
	struct stat st;
	const char *name;
	int dir = at_file_open_parent(root, path, &name, &err);

	if (dir < 0)
		return err.sys == ENOENT ? AT_FILE_ABSENT : AT_FILE_BLOCKED;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		type = type_of(st.st_mode);
	else
		type = errno == ENOENT ? AT_FILE_ABSENT : AT_FILE_BLOCKED;
	close(dir);
	return type;
}
