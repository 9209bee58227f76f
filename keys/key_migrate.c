#include "keys/key_migrate.h"

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
#include "keys/keystore_impl.h"
#include "keys/pem.h"

static bool has_ending(const char *file, const char *ending)
{
	size_t len = strlen(file), end = strlen(ending);

	return len > end && strcmp(file + len - end, ending) == 0;
}

static bool is_public(const char *file)
{
	return has_ending(file, ".pub.pem");
}

/* Is it the half of a key that its name says? */
static bool check_contents(int from, const struct at_moved_keys *keys, const char *file,
	const struct at_keystore *store, struct at_error *err)
{
	char path[PATH_MAX];
	enum at_key_form form;
	struct at_public_key key;
	struct at_file half;
	bool done;

	if (!is_public(file))
		return snprintf(path, sizeof(path), "%s/%s", keys->from, file) < (int)sizeof(path)
			&& at_key_public_of(&key, &form, path, store->place, err)
			&& (form == AT_KEY_PLAIN
				|| at_fail(err, AT_EINVALID,
					"`%s` is a sealed key: name it .sealed", path));
	if (!at_file_read(&half, from, file, AT_PEM_CAP, AT_FILE_SINGLE_LINK, err))
		return false;
	done = at_pem_read_public(&key, at_buf_bytes(&half.bytes), file, err);
	at_file_free(&half);
	return done;
}

/* Its place: the file's own, and for a private half that of a sealed key of its name. */
static bool check_target(const struct at_keystore *store, const char *file, struct at_error *err)
{
	char name[NAME_MAX + 1], other[NAME_MAX + 16];
	const char *const names[] = { file, other };
	struct stat st;

	snprintf(name, sizeof(name), "%.*s",
		(int)(strlen(file) - strlen(is_public(file) ? ".pub.pem" : ".pem")), file);
	if (!at_key_name_check(name, err))
		return false;
	snprintf(other, sizeof(other), "%s.sealed", name);
	for (size_t i = 0; i < (is_public(file) ? 1u : 2u) && store->fd >= 0; i++) {
		if (fstatat(store->fd, names[i], &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
			continue;
		at_fail(err, AT_EEXIST, "there is already `%s/%s`", store->path, names[i]);
		at_error_name(err, "key-exists");
		at_error_hint(err, "Rename one of the two.");
		return false;
	}
	return true;
}

static bool move(int from, const char *file, struct at_keystore *store, struct at_error *err)
{
	if (!at_keystore_create(store, err))
		return false;
	if (!at_disk_move_to(from, file, store->fd, file))
		return at_fail_sys(err, errno, "cannot move `%s` to `%s`", file, store->path);
	at_disk_sync(store->fd);
	at_disk_sync(from);
	return true;
}

static int compare(const void *a, const void *b)
{
	return strcmp(
		((const struct at_moved_key *)a)->file, ((const struct at_moved_key *)b)->file);
}

/* Names first: a directory that is written while it is read may tell a name twice. */
static bool list(struct at_moved_keys *out, struct at_arena *arena, int from, struct at_error *err)
{
	int fd = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct at_moved_key *items = NULL;

	if (!dir) {
		at_fail_sys(err, errno, "cannot read `%s`", out->from);
		if (fd >= 0)
			close(fd);
		return false;
	}
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		if (!has_ending(entry->d_name, ".pem"))
			continue;
		items = at_grow(items, &out->cap, out->count, sizeof(*items));
		items[out->count++] =
			(struct at_moved_key){ .file = at_arena_strdup(arena, entry->d_name) };
	}
	closedir(dir);
	if (out->count) {
		qsort(items, out->count, sizeof(*items), compare);
		out->items = at_arena_alloc(arena, out->count * sizeof(*items));
		memcpy(out->items, items, out->count * sizeof(*items));
	}
	free(items);
	return true;
}

bool at_keys_migrate(struct at_moved_keys *out, struct at_arena *arena, struct at_keystore *store,
	bool look_only, struct at_error *err)
{
	struct at_error why = { 0 };
	int from;
	bool done;

	*out = (struct at_moved_keys){ 0 };
	snprintf(out->from, sizeof(out->from), "%s", store->path);
	*strrchr(out->from, '/') = '\0';
	from = at_custody_open_dir(out->from, store->place, &why);
	if (from < 0 && why.code == AT_ENOENT)
		return true;
	if (from < 0) {
		if (err)
			*err = why;
		return false;
	}
	done = list(out, arena, from, err);
	for (size_t i = 0; i < out->count; i++) {
		struct at_moved_key *key = &out->items[i];

		key->is_moved = check_target(store, key->file, &key->why)
			&& check_contents(from, out, key->file, store, &key->why)
			&& (look_only || move(from, key->file, store, &key->why));
		out->staying += !key->is_moved;
	}
	close(from);
	return done;
}
