#include "runner/readfs/place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/fault.h"
#include "core/path.h"
#include "runner/readfs/deny.h"

#define BIN "/.agentteams/bin/"

bool at_readfs_root_open(struct at_readfs_root *out, const char *path, struct at_error *err)
{
	if (!realpath(path, out->path))
		return at_fail_sys(err, errno, "the root `%s` cannot be resolved", path);
	if (strcmp(out->path, "/") == 0)
		return at_fail(err, AT_EINVALID, "`/` cannot be the root");
	out->fd = open(out->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (out->fd < 0)
		return at_fail_sys(err, errno, "the root `%s` cannot be opened", out->path);
	return true;
}

void at_readfs_root_close(struct at_readfs_root *root)
{
	close(root->fd);
	root->fd = -1;
}

bool at_readfs_root_of(char out[PATH_MAX], const char *program)
{
	const char *name = strrchr(program, '/');
	size_t tail = strlen(BIN), len;

	if (!name)
		return false;
	len = (size_t)(name + 1 - program);
	if (len <= tail || len - tail >= PATH_MAX || memcmp(name + 1 - tail, BIN, tail) != 0)
		return false;
	memcpy(out, program, len - tail);
	out[len - tail] = '\0';
	return true;
}

static bool climbs(const char *path)
{
	while (*path) {
		size_t len = strcspn(path, "/");

		if (len == 2 && path[0] == '.' && path[1] == '.')
			return true;
		path += len + (path[len] == '/');
	}
	return false;
}

/* The asked path below the root, as text. */
static bool take_path(char out[PATH_MAX], const struct at_readfs_root *root, struct at_bytes asked,
	struct at_error *err)
{
	char plain[PATH_MAX];
	const char *below = plain;
	size_t len = strlen(root->path);

	if (asked.len >= sizeof(plain))
		return at_fail(err, AT_EINVALID, "the path is too long");
	if (asked.len && memchr(asked.data, '\0', asked.len))
		return at_fail(err, AT_EINVALID, "the path holds a NUL");
	if (asked.len)
		memcpy(plain, asked.data, asked.len);
	plain[asked.len] = '\0';
	if (climbs(plain))
		return at_fail(
			err, AT_EUNSAFE, "`..` is not followed: name the path from the root");
	if (*plain == '/') {
		if (strncmp(plain, root->path, len) != 0 || (plain[len] && plain[len] != '/'))
			return at_fail(err, AT_EUNSAFE, "the path is outside the root");
		below = plain + len;
		below += strspn(below, "/");
	}
	if (!at_path_normalise(out, below))
		return at_fail(err, AT_EINVALID, "the path is too long");
	return true;
}

/* Component by component, where the kernel has no openat2: a link is refused then. */
static int open_by_walk(int root, const char *path)
{
	int dir = fcntl(root, F_DUPFD_CLOEXEC, 3);

	while (dir >= 0 && *path) {
		char part[NAME_MAX + 1];
		size_t len = strcspn(path, "/");
		const char *rest = path + len + strspn(path + len, "/");
		struct stat st;
		int next = -1, saved = ENAMETOOLONG;

		if (len <= NAME_MAX) {
			memcpy(part, path, len);
			part[len] = '\0';
			next = openat(dir, part,
				O_PATH | O_NOFOLLOW | O_CLOEXEC | (*rest ? O_DIRECTORY : 0));
			saved = errno;
			if (next >= 0 && fstat(next, &st) == 0 && S_ISLNK(st.st_mode)) {
				close(next);
				next = -1;
				saved = ELOOP;
			}
		}
		close(dir);
		errno = saved;
		dir = next;
		path = rest;
	}
	return dir;
}

static int open_beneath(int root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	int fd, tries = 8;

	if (at_fault_lacks(AT_LACKS_OPENAT2))
		return open_by_walk(root, path);
	do {
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	} while (fd < 0 && (errno == EAGAIN || errno == EINTR) && --tries > 0);
	if (fd < 0 && (errno == ENOSYS || errno == EPERM || errno == E2BIG || errno == EAGAIN))
		return open_by_walk(root, path);
	return fd;
}

/* Where the kernel says that it is now. */
static bool resolve(struct at_readfs_node *node, const struct at_readfs_root *root)
{
	char link[64], path[PATH_MAX];
	size_t len = strlen(root->path);
	ssize_t got;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", node->fd);
	got = readlink(link, path, sizeof(path));
	if (got <= 0 || (size_t)got >= sizeof(path))
		return false;
	path[got] = '\0';
	if (strncmp(path, root->path, len) != 0 || (path[len] && path[len] != '/'))
		return false;
	snprintf(node->path, sizeof(node->path), "%s", path[len] ? path + len + 1 : ".");
	return true;
}

static bool fail_open(struct at_error *err, int sys)
{
	switch (sys) {
	case EXDEV:
	case ELOOP:
		return at_fail(err, AT_EUNSAFE,
			"the path leads through a link that is not "
			"followed: out of the root, or in a circle");
	case ENOENT:
	case ENOTDIR:
	case ENAMETOOLONG:
		return at_fail(err, AT_ENOENT, "nothing is at this path");
	default:
		return at_fail_sys(err, sys, "the path cannot be opened");
	}
}

bool at_readfs_find(struct at_readfs_node *out, const struct at_readfs_root *root,
	struct at_bytes asked, struct at_error *err)
{
	static const char denied[] = "the path is on the list of what is never read: credentials, "
				     "version control and the runner's own files";
	char path[PATH_MAX];

	*out = (struct at_readfs_node){ .fd = -1 };
	if (!take_path(path, root, asked, err))
		return false;
	if (at_readfs_is_denied(path))
		return at_fail(err, AT_EREFUSED, "%s", denied);
	out->fd = open_beneath(root->fd, path);
	if (out->fd < 0)
		return fail_open(err, errno);
	if (fstat(out->fd, &out->st) != 0)
		at_fail_sys(err, errno, "the path cannot be looked at");
	else if (!resolve(out, root))
		at_fail(err, AT_EUNSAFE, "where the path leads cannot be told to be in the root");
	else if (at_readfs_is_denied(out->path))
		at_fail(err, AT_EREFUSED, "%s", denied);
	else
		return true;
	at_readfs_node_close(out);
	return false;
}

void at_readfs_node_close(struct at_readfs_node *node)
{
	if (node->fd >= 0)
		close(node->fd);
	node->fd = -1;
}

bool at_readfs_look(struct at_readfs_node *out, int dir, const char *name)
{
	*out = (struct at_readfs_node){ .fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC) };
	if (out->fd >= 0 && fstat(out->fd, &out->st) == 0)
		return true;
	at_readfs_node_close(out);
	return false;
}

int at_readfs_open(const struct at_readfs_node *node, int flags)
{
	char link[64];
	struct stat st;
	int fd;

	if (!(flags & O_DIRECTORY ? S_ISDIR(node->st.st_mode) : S_ISREG(node->st.st_mode))) {
		errno = EINVAL;
		return -1;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", node->fd);
	fd = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_dev == node->st.st_dev && st.st_ino == node->st.st_ino)
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}
