/* A run's private directory: made, and taken away with whatever a command left in it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/disk.h"
#include "core/file.h"
#include "runner/runs/confine_impl.h"

#define TRIES 10000
#define NAME 64

const char *at_confine_make_tmp(struct at_confine *c, struct at_arena *arena, struct at_error *err)
{
	char name[NAME];

	for (int i = 0; i < TRIES; i++) {
		snprintf(name, sizeof(name), "run-%ld-%lu", (long)getpid(), c->count++);
		if (at_disk_mkdir(c->dir, name, 0700))
			return at_arena_printf(arena, "%s/%s", c->setup.private_dir, name);
		if (errno != EEXIST)
			break;
	}
	at_fail_sys(err, errno, "cannot make a temporary directory in `%s`", c->setup.private_dir);
	return NULL;
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Opens a directory even where its owner may not read it; follows no link. */
static int open_any(int at, const char *name)
{
	struct stat st;

	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode))
		return -1;
	if ((st.st_mode & 0700) != 0700 && fchmodat(at, name, 0700, 0) != 0)
		return -1;
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Empties `dir`: files go at once, directories are moved up into `top` with a new name, where
 * their turn comes. So no depth of theirs is ever followed. */
static bool empty_into(int top, int dir, unsigned long *number)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *d;
	char name[NAME];
	bool ok = true;

	if (!stream) {
		if (copy >= 0)
			close(copy);
		return false;
	}
	while ((d = readdir(stream))) {
		int sub;

		if (is_dots(d->d_name) || unlinkat(dir, d->d_name, 0) == 0
			|| unlinkat(dir, d->d_name, AT_REMOVEDIR) == 0)
			continue;
		sub = open_any(dir, d->d_name); /* to move it, it has to be writable */
		if (sub >= 0)
			close(sub);
		snprintf(name, sizeof(name), "%lu.gone", (*number)++);
		ok &= sub >= 0 && at_disk_move_to(dir, d->d_name, top, name);
	}
	closedir(stream);
	return ok;
}

/* One round over what stands in `top`; *was_empty when nothing did. */
static bool remove_round(int top, unsigned long *number, bool *was_empty)
{
	int copy = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *d;
	bool ok = true;

	*was_empty = true;
	if (!stream) {
		if (copy >= 0)
			close(copy);
		return false;
	}
	while (ok && (d = readdir(stream))) {
		int sub;

		if (is_dots(d->d_name))
			continue;
		*was_empty = false;
		if (unlinkat(top, d->d_name, 0) == 0 || unlinkat(top, d->d_name, AT_REMOVEDIR) == 0)
			continue;
		sub = open_any(top, d->d_name);
		ok = sub >= 0 && empty_into(top, sub, number)
			&& unlinkat(top, d->d_name, AT_REMOVEDIR) == 0;
		if (sub >= 0)
			close(sub);
	}
	closedir(stream);
	return ok;
}

bool at_confine_remove_tmp(struct at_confine *c, const char *tmp)
{
	const char *name = strrchr(tmp, '/') + 1;
	unsigned long number = 0;
	bool is_empty = false, ok;
	int top = open_any(c->dir, name);

	ok = top >= 0;
	while (ok && !is_empty)
		ok = remove_round(top, &number, &is_empty);
	if (top >= 0)
		close(top);
	return ok && unlinkat(c->dir, name, AT_REMOVEDIR) == 0;
}
