#include "keys/custody.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/path.h"

#define SEEN_FLAGS (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
/* A FIFO must not be waited for, a terminal must not become ours. */
#define FILE_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC)

static bool refuse(struct at_error *err, const char *id, const char *path, const char *what)
{
	at_fail(err, strcmp(id, "custody-size") == 0 ? AT_ELIMIT : AT_EUNSAFE, "`%s` %s", path,
		what);
	at_error_path(err, path);
	at_error_name(err, id);
	return false;
}

static void hint_command(struct at_error *err, const char *command, const char *path)
{
	char word[PATH_MAX + 64];

	at_error_hint(err, "%s %s", command, at_path_shell_quote(word, sizeof(word), path));
}

static bool fail_open(struct at_error *err, int sys, const char *path, const char *kind)
{
	if (sys == ELOOP) {
		refuse(err, "custody-link", path,
			"is a symbolic link: a key is opened through none");
		at_error_hint(err, "Name the file it leads to, by its real path.");
		return false;
	}
	if (sys == ENOTDIR || sys == ENXIO || sys == ENODEV)
		return refuse(err, "custody-kind", path, kind);
	if (sys == ENOENT)
		at_fail(err, AT_ENOENT, "there is no `%s`", path);
	else
		at_fail_sys(err, sys, "cannot open `%s`", path);
	at_error_path(err, path);
	return false;
}

static bool is_of_agents(
	const char *path, const struct stat *st, const struct at_custody_place *place)
{
	for (size_t i = 0; i < place->agent_count; i++) {
		struct stat theirs;

		if (at_path_is_inside(path, place->agents[i])
			|| (stat(place->agents[i], &theirs) == 0 && theirs.st_dev == st->st_dev
				&& theirs.st_ino == st->st_ino))
			return true;
	}
	return false;
}

static bool check_dir(
	int fd, const char *path, const struct at_custody_place *place, struct at_error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return at_fail_sys(err, errno, "cannot look at `%s`", path);
	if (is_of_agents(path, &st, place)) {
		refuse(err, "custody-place", path,
			"is the project or a write root: no key may lie where an agent reaches");
		at_error_hint(err, "Move the key to ~/.config/agentteams/keys.");
		return false;
	}
	if (st.st_uid != 0 && st.st_uid != geteuid()) {
		refuse(err, "custody-directory", path,
			"belongs to another user, who can replace what is in it");
		at_error_hint(err, "Move the key to ~/.config/agentteams/keys.");
		return false;
	}
	if (!(st.st_mode & (S_IWGRP | S_IWOTH)) || ((st.st_mode & S_ISVTX) && st.st_uid == 0))
		return true;
	refuse(err, "custody-directory", path,
		"can be written by others, who can replace what is in it");
	hint_command(err, "chmod go-w", path);
	return false;
}

/* The directory below `dir` that `len` bytes of `part` name; `dir` is closed. */
static int step_into(int dir, const char *part, size_t len, const char *path, struct at_error *err)
{
	char name[NAME_MAX + 1];
	struct stat st;
	int next, sys = ENAMETOOLONG;

	if (len <= NAME_MAX) {
		memcpy(name, part, len);
		name[len] = '\0';
		next = openat(dir, name, SEEN_FLAGS);
		sys = errno;
		if (next < 0 && sys == ENOTDIR && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0
			&& S_ISLNK(st.st_mode))
			sys = ELOOP;
	} else {
		next = -1;
	}
	close(dir);
	if (next < 0)
		fail_open(err, sys, path, "is no directory");
	return next;
}

/* `path` normalised and absolute. */
static int walk(const char *path, const struct at_custody_place *place, struct at_error *err)
{
	char so_far[PATH_MAX] = "/";
	const char *rest = path + 1;
	int dir = open("/", SEEN_FLAGS);

	if (dir < 0) {
		fail_open(err, errno, "/", "is no directory");
		return -1;
	}
	while (check_dir(dir, so_far, place, err)) {
		size_t len = strcspn(rest, "/"), at = (size_t)(rest - path) + len;

		if (len == 0)
			return dir;
		memcpy(so_far, path, at);
		so_far[at] = '\0';
		dir = step_into(dir, rest, len, so_far, err);
		if (dir < 0)
			return -1;
		rest += len + (rest[len] == '/');
	}
	close(dir);
	return -1;
}

/* Dots and doubled slashes are no links, but the texts compared must not hold them. */
static bool shape(char out[PATH_MAX], const char *path, struct at_error *err)
{
	if (*path == '/' && at_path_normalise(out, path))
		return true;
	refuse(err, "custody-place", path, "is not an absolute path");
	at_error_hint(err, "Name the key file by its whole path.");
	return false;
}

int at_custody_open_dir(const char *path, const struct at_custody_place *place,
	struct at_error *err)
{
	char whole[PATH_MAX];
	int seen = shape(whole, path, err) ? walk(whole, place, err) : -1, dir;

	if (seen < 0)
		return -1;
	dir = openat(seen, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		fail_open(err, errno, path, "is no directory");
	close(seen);
	return dir;
}

static bool check_file(const struct stat *st, const char *path,
	const struct at_custody_place *place, struct at_error *err)
{
	char what[128];

	if (S_ISLNK(st->st_mode))
		return fail_open(err, ELOOP, path, "");
	if (!S_ISREG(st->st_mode))
		return refuse(err, "custody-kind", path,
			S_ISDIR(st->st_mode) ? "is a directory, not a key file"
					     : "is a special file, not a key file");
	if (is_of_agents(path, st, place))
		return refuse(err, "custody-place", path, "is a write root itself");
	if (st->st_uid != geteuid()) {
		refuse(err, "custody-owner", path, "belongs to another user");
		at_error_hint(err, "Sign as its owner, or make a key of your own (--new-key).");
		return false;
	}
	if (st->st_nlink != 1) {
		snprintf(what, sizeof(what),
			"has %ju names (hard links): a second one may be open "
			"to others",
			(uintmax_t)st->st_nlink);
		refuse(err, "custody-hard-link", path, what);
		at_error_hint(err, "Find the others with find -samefile, and remove them.");
		return false;
	}
	if (st->st_mode & (07777 & ~0700u)) {
		snprintf(what, sizeof(what), "is open to others: its mode is %04o, not 0600",
			(unsigned)st->st_mode & 07777);
		refuse(err, "custody-mode", path, what);
		hint_command(err, "chmod 600", path);
		return false;
	}
	return (uintmax_t)st->st_size <= AT_CUSTODY_CAP
		|| refuse(err, "custody-size", path,
			"is larger than a key file can be (65536 bytes)");
}

/* Looks before it opens, so that no device is touched, and again at what was opened. -1 on
 * failure; with `look_only` 0 in place of a descriptor. */
static int open_file(const char *path, bool look_only, struct stat *st,
	const struct at_custody_place *place, struct at_error *err)
{
	char whole[PATH_MAX], above[PATH_MAX];
	struct stat before;
	const char *name;
	int dir, fd = -1;

	if (!shape(whole, path, err))
		return -1;
	name = strrchr(whole, '/') + 1;
	snprintf(above, sizeof(above), "%.*s", (int)(name - whole - (name - whole > 1)), whole);
	dir = walk(above, place, err);
	if (dir < 0)
		return -1;
	if (fstatat(dir, name, &before, AT_SYMLINK_NOFOLLOW) < 0) {
		fail_open(err, errno, path, "");
	} else if (check_file(&before, path, place, err)) {
		fd = look_only ? 0 : openat(dir, name, FILE_FLAGS);
		if (fd < 0)
			fail_open(err, errno, path, "is a special file, not a key file");
	}
	close(dir);
	if (fd < 0 || look_only)
		return fd;
	if (fstat(fd, st) < 0 || st->st_dev != before.st_dev || st->st_ino != before.st_ino) {
		at_fail(err, AT_ESTALE, "`%s` was replaced while it was opened", path);
		at_error_path(err, path);
	} else if (check_file(st, path, place, err)) {
		return fd;
	}
	close(fd);
	return -1;
}

static bool read_text(struct at_secret *text, int fd, const char *path, struct at_error *err)
{
	size_t done = 0;
	ssize_t got = 1;

	while (got && done < text->len) {
		got = read(fd, text->bytes + done, text->len - done);
		if (got < 0 && errno != EINTR)
			return at_fail_sys(err, errno, "cannot read `%s`", path);
		if (got > 0)
			done += (size_t)got;
	}
	if (done == text->len) { /* room was made for one byte more than it had */
		at_fail(err, AT_ESTALE, "`%s` grew while it was read", path);
		return false;
	}
	text->len = done;
	return true;
}

bool at_custody_read(struct at_secret *text, const char *path, const struct at_custody_place *place,
	struct at_error *err)
{
	struct stat st;
	int fd = open_file(path, false, &st, place, err);
	bool done;

	*text = (struct at_secret){ 0 };
	if (fd < 0)
		return false;
	done = at_secret_new(text, (size_t)st.st_size + 1, err);
	if (done && !read_text(text, fd, path, err)) {
		at_secret_free(text);
		done = false;
	}
	close(fd);
	return done;
}

bool at_custody_check(const char *path, const struct at_custody_place *place, struct at_error *err)
{
	struct stat st;

	return open_file(path, true, &st, place, err) >= 0;
}
