/* The directory of staged records: its names, and putting and taking files. */
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
#include "core/mem.h"
#include "runner/proposals/canonical.h"
#include "runner/serve/staged.h"

#define FEW 8u /* records of a group that are synced one by one */

int at_staged_open_dir(int root, bool make, struct at_error *err)
{
	int ground, dir;

	if (!make)
		return at_file_open_dir(root, AT_STAGED, err);
	if (!at_disk_mkdir(root, AT_GROUND, 0700) && errno != EEXIST) {
		at_fail_sys(err, errno, "cannot make `" AT_GROUND "`");
		return -1;
	}
	ground = at_file_open_dir(root, AT_GROUND, err);
	if (ground < 0)
		return -1;
	dir = -1;
	if (!at_disk_mkdir(ground, "staged", 0700) && errno != EEXIST)
		at_fail_sys(err, errno, "cannot make `" AT_STAGED "`");
	else
		dir = at_file_open_dir(root, AT_STAGED, err);
	close(ground);
	return dir;
}

static int by_age(const void *a, const void *b)
{
	const struct at_staged_name *x = a, *y = b;

	if (x->staged_ns != y->staged_ns)
		return x->staged_ns < y->staged_ns ? -1 : 1;
	return strcmp(x->sid, y->sid);
}

bool at_staged_names(struct at_staged_names *out, int dir, struct at_error *err)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *found;
	struct stat st;
	size_t cap = 0;

	*out = (struct at_staged_names){ 0 };
	if (!stream) {
		at_fail_sys(err, errno, "cannot read `" AT_STAGED "`");
		if (fd >= 0)
			close(fd);
		return false;
	}
	while ((found = readdir(stream))) {
		struct at_staged_name *item;

		if (strlen(found->d_name) != 37 || strcmp(found->d_name + 32, ".json") != 0
			|| !at_is_lower_hex((struct at_bytes){ found->d_name, 32 }, 32)
			|| fstatat(dir, found->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		out->items = at_grow(out->items, &cap, out->count, sizeof(*out->items));
		item = &out->items[out->count++];
		*item = (struct at_staged_name){
			.staged_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
			.size = st.st_size,
		};
		memcpy(item->sid, found->d_name, 32);
	}
	closedir(stream);
	if (out->count > 1)
		qsort(out->items, out->count, sizeof(*out->items), by_age);
	return true;
}

void at_staged_names_free(struct at_staged_names *names)
{
	free(names->items);
	*names = (struct at_staged_names){ 0 };
}

static void name_of(char name[48], const char *sid, bool temp)
{
	snprintf(name, 48, temp ? ".%s.tmp" : "%s.json", sid);
}

static bool put_temps(int dir, const struct at_staged_text *items, size_t count)
{
	char name[48];

	/* A few wait for themselves; many wait together, but then for everything else that the
	 * file system has to write, too. */
	for (size_t i = 0; count <= FEW && i < count; i++) {
		name_of(name, items[i].sid, true);
		if (!at_disk_create(
			    dir, name, items[i].text, 0600, AT_NO_OWNER, AT_NO_GROUP))
			return false;
	}
	if (count <= FEW)
		return true;
	for (size_t i = 0; i < count; i++) {
		name_of(name, items[i].sid, true);
		if (!at_disk_put(dir, name, items[i].text, 0600))
			return false;
	}
	return at_disk_sync_all(dir);
}

static bool name_all(int dir, const struct at_staged_text *items, size_t count)
{
	char temp[48], name[48];

	for (size_t i = 0; i < count; i++) {
		name_of(temp, items[i].sid, true);
		name_of(name, items[i].sid, false);
		if (!at_disk_move(dir, temp, name))
			return false;
	}
	return at_disk_sync(dir);
}

bool at_staged_put(int dir, const struct at_staged_text *items, size_t count,
	struct at_error *err)
{
	char name[48];
	int sys;

	if (!count || (put_temps(dir, items, count) && name_all(dir, items, count)))
		return true;
	sys = errno;
	for (size_t i = 0; i < count; i++) {
		name_of(name, items[i].sid, true);
		unlinkat(dir, name, 0);
		name_of(name, items[i].sid, false);
		unlinkat(dir, name, 0);
	}
	return at_fail_sys(err, sys, "cannot keep what was staged in `" AT_STAGED "`");
}

bool at_staged_remove(int dir, const char *sid, struct at_error *err)
{
	char name[48];

	name_of(name, sid, false);
	if (at_disk_remove(dir, name) || errno == ENOENT)
		return true;
	return at_fail_sys(err, errno, "cannot remove `" AT_STAGED "/%s`", name);
}

void at_staged_put_line(struct at_buf *out, const struct at_staged *s)
{
	struct at_canonical_object line = { 0 };
	struct at_buf gates = { 0 };

	at_canonical_set_text(&line, "sid", at_bytes_of(s->sid));
	if (s->is_malformed) {
		at_canonical_set_bool(&line, "malformed", true);
	} else {
		at_canonical_put(&gates, &s->doc, s->gates, AT_CANONICAL_SPACED);
		at_canonical_set_text(&line, "agent", at_bytes_of(s->agent));
		at_canonical_set_text(&line, "kind", at_bytes_of(s->kind));
		at_canonical_set_text(&line, "path", at_bytes_of(s->path));
		at_canonical_set_number(&line, "bytes", s->bytes);
		at_canonical_set_text(&line, "expires", at_bytes_of(s->expires_text));
		at_canonical_set_raw(&line, "gates", at_buf_bytes(&gates));
	}
	at_canonical_object_put(out, &line, AT_CANONICAL_SPACED);
	at_canonical_object_free(&line);
	at_buf_free(&gates);
}
