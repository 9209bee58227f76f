#include "runner/selftest/snapshot.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"

#define DEEP 24
#define MOST 20000

static void add(struct at_snapshot *out, const char *path, const struct stat *st)
{
	out->items = at_grow(out->items, &out->cap, out->count, sizeof(*out->items));
	out->items[out->count++] = (struct at_sight){ .path = at_strdup(path),
		.change = (unsigned long long)st->st_ctim.tv_sec * 1000000000u
			+ (unsigned long long)st->st_ctim.tv_nsec,
		.size = S_ISDIR(st->st_mode) ? 0 : (unsigned long long)st->st_size,
		.inode = st->st_ino,
		.mode = st->st_mode,
		.owner = st->st_uid };
}

static void walk(struct at_snapshot *out, int dir, const char *path, unsigned depth)
{
	char below[PATH_MAX];
	struct dirent *entry;
	struct stat st;
	DIR *list = fdopendir(dir);

	if (!list) {
		close(dir);
		return;
	}
	while ((entry = readdir(list)) && out->count < MOST) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0
			|| snprintf(below, sizeof(below), "%s%s%s", path, *path ? "/" : "",
				   entry->d_name)
				>= (int)sizeof(below)
			|| fstatat(dirfd(list), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		add(out, below, &st);
		if (!S_ISDIR(st.st_mode) || depth == DEEP)
			continue;
		dir = openat(dirfd(list), entry->d_name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (dir >= 0)
			walk(out, dir, below, depth + 1);
	}
	closedir(list);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct at_sight *)a)->path, ((const struct at_sight *)b)->path);
}

void at_snapshot_take(struct at_snapshot *out, const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	*out = (struct at_snapshot){ 0 };
	if (fd < 0)
		return;
	walk(out, fd, "", 0);
	if (out->count)
		qsort(out->items, out->count, sizeof(*out->items), by_path);
}

void at_snapshot_free(struct at_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->count; i++)
		free(snapshot->items[i].path);
	free(snapshot->items);
	*snapshot = (struct at_snapshot){ 0 };
}

static bool is_same(const struct at_sight *a, const struct at_sight *b)
{
	return a->change == b->change && a->size == b->size && a->inode == b->inode
		&& a->mode == b->mode && a->owner == b->owner;
}

void at_snapshot_compare(const struct at_snapshot *before, const struct at_snapshot *after,
	void (*told)(void *user, const char *path, const char *how), void *user)
{
	size_t b = 0, a = 0;

	while (b < before->count || a < after->count) {
		int order = b == before->count ? 1
			: a == after->count    ? -1
					       : by_path(&before->items[b], &after->items[a]);

		if (order < 0)
			told(user, before->items[b++].path, "gone");
		else if (order > 0)
			told(user, after->items[a++].path, "new");
		else if (!is_same(&before->items[b++], &after->items[a++]))
			told(user, after->items[a - 1].path, "changed");
	}
}
