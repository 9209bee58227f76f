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
#include "keys/sealed.h"

static DIR *read_names(const struct at_keystore *store)
{
	int fd = openat(store->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

static bool is_temp(const char *name)
{
	size_t head = sizeof(AT_KEY_TEMP) - 1;

	return strncmp(name, AT_KEY_TEMP, head) == 0 && strlen(name) == head + 16
		&& strspn(name + head, "0123456789abcdef") == 16;
}

void at_keystore_sweep(const struct at_keystore *store)
{
	DIR *dir = read_names(store);

	for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
		struct stat st;

		if (is_temp(entry->d_name)
			&& fstatat(store->fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0
			&& S_ISREG(st.st_mode) && st.st_uid == geteuid())
			at_disk_remove(store->fd, entry->d_name);
	}
	if (dir)
		closedir(dir);
}

static int compare_entries(const void *a, const void *b)
{
	return strcmp(
		((const struct at_key_entry *)a)->name, ((const struct at_key_entry *)b)->name);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The key's name, in the arena, or NULL for a file that is none of a key. */
static const char *name_of(struct at_arena *arena, const char *file)
{
	size_t len = strlen(file);

	for (size_t i = 0; i < AT_KEY_ENDINGS; i++) {
		size_t end = strlen(at_key_endings[i]);
		const char *name;

		if (len <= end || strcmp(file + len - end, at_key_endings[i]) != 0)
			continue;
		name = at_arena_strndup(arena, file, len - end);
		return at_key_name_check(name, NULL) ? name : NULL;
	}
	return NULL;
}

static void *grow(struct at_arena *arena, void *old, size_t *cap, size_t count, size_t size)
{
	void *new;

	if (count < *cap)
		return old;
	*cap = *cap ? *cap * 2 : 16;
	new = at_arena_alloc(arena, *cap * size);
	if (count)
		memcpy(new, old, count * size);
	return new;
}

static void take_name(struct at_key_list *list, struct at_arena *arena, const char *file)
{
	const char *name = name_of(arena, file);

	if (name) {
		list->items =
			grow(arena, list->items, &list->cap, list->count, sizeof(*list->items));
		list->items[list->count++] = (struct at_key_entry){ .name = name };
	} else {
		list->strays = grow(arena, list->strays, &list->stray_cap, list->stray_count,
			sizeof(*list->strays));
		list->strays[list->stray_count++] = at_arena_strdup(arena, file);
	}
}

/* Two files of one key are one entry. */
static void merge_names(struct at_key_list *list)
{
	size_t kept = 0;

	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare_entries);
	for (size_t i = 0; i < list->count; i++) {
		if (!kept || strcmp(list->items[kept - 1].name, list->items[i].name) != 0)
			list->items[kept++] = list->items[i];
	}
	list->count = kept;
	if (list->stray_count)
		qsort(list->strays, list->stray_count, sizeof(*list->strays), compare_names);
}

bool at_key_public_of(struct at_public_key *out, enum at_key_form *form, const char *path,
	const struct at_custody_place *place, struct at_error *err)
{
	struct at_secret text, seed;
	bool done;

	if (!at_custody_read(&text, path, place, err))
		return false;
	if (at_sealed_is(at_secret_bytes(&text))) {
		*form = AT_KEY_SEALED;
		done = at_sealed_public(out, at_secret_bytes(&text), path, err);
	} else {
		*form = AT_KEY_PLAIN;
		done = at_pem_read_private(&seed, &text, path, err)
			&& at_ed25519_public(out, &seed, err);
		at_secret_free(&seed);
	}
	at_secret_free(&text);
	return done;
}

/* The public file beside a key. */
static enum at_key_half read_half(struct at_public_key *out, const struct at_keystore *store,
	const char *name, struct at_error *err)
{
	char file[NAME_MAX];
	struct at_file half;
	bool done;

	snprintf(file, sizeof(file), "%s.pub.pem", name);
	if (!at_file_read(&half, store->fd, file, AT_PEM_CAP, AT_FILE_MAY_BE_ABSENT, err))
		return AT_HALF_BROKEN;
	if (!half.exists)
		return AT_HALF_ABSENT;
	done = at_pem_read_public(out, at_buf_bytes(&half.bytes), file, err);
	at_file_free(&half);
	return done ? AT_HALF_FITS : AT_HALF_BROKEN;
}

static void look_at_private(struct at_key_entry *entry, const struct at_keystore *store)
{
	char path[PATH_MAX], other[PATH_MAX];

	if (!at_keystore_find(path, store, entry->name, &entry->fault))
		return; /* the public half alone */
	entry->form = strcmp(strrchr(path, '.'), ".sealed") == 0 ? AT_KEY_SEALED : AT_KEY_PLAIN;
	entry->is_known = entry->is_sound =
		at_key_public_of(&entry->key, &entry->form, path, store->place, &entry->fault);
	if (at_key_path(other, store, entry->name, ".sealed") && strcmp(path, other) != 0
		&& faccessat(store->fd, strrchr(other, '/') + 1, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		entry->is_sound = at_fail(&entry->fault, AT_ECONFLICT,
			"both `%s.pem` and `%s.sealed` are there: which one is meant?", entry->name,
			entry->name);
}

static void look_at(struct at_key_entry *entry, const struct at_keystore *store)
{
	struct at_error err = { 0 };
	struct at_public_key half;

	look_at_private(entry, store);
	entry->half = read_half(&half, store, entry->name, &err);
	if (entry->half != AT_HALF_FITS)
		return;
	if (!entry->is_known)
		entry->key = half;
	else if (!at_public_key_equal(&entry->key, &half))
		entry->half = AT_HALF_OTHER;
	entry->is_known = true;
}

bool at_keystore_list(struct at_key_list *out, struct at_arena *arena,
	const struct at_keystore *store, struct at_error *err)
{
	struct dirent *entry;
	DIR *dir;

	*out = (struct at_key_list){ 0 };
	if (store->fd < 0)
		return true;
	dir = read_names(store);
	if (!dir)
		return at_fail_sys(err, errno, "cannot read `%s`", store->path);
	while ((entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			take_name(out, arena, entry->d_name);
	}
	closedir(dir);
	merge_names(out);
	for (size_t i = 0; i < out->count; i++)
		look_at(&out->items[i], store);
	return true;
}

bool at_keystore_public(struct at_public_key *out, const struct at_keystore *store,
	const char *name, struct at_error *err)
{
	struct at_key_entry entry = { .name = name };

	if (!at_key_name_check(name, err))
		return false;
	if (store->fd >= 0)
		look_at(&entry, store);
	if (entry.is_known && entry.half != AT_HALF_OTHER && entry.half != AT_HALF_BROKEN
		&& (entry.is_sound || entry.form == AT_KEY_PUBLIC)) {
		*out = entry.key;
		return true;
	}
	if (entry.form == AT_KEY_PUBLIC && !entry.is_known && entry.half == AT_HALF_ABSENT) {
		at_fail(err, AT_ENOENT, "there is no key `%s` in `%s`", name, store->path);
		at_error_hint(err, "atconsole --keys lists the keys; --new-key makes one.");
	} else if (entry.form != AT_KEY_PUBLIC && !entry.is_sound) {
		if (err)
			*err = entry.fault;
	} else {
		at_fail(err, AT_ECONFLICT, "`%s/%s.pub.pem` is %s", store->path, name,
			entry.half == AT_HALF_OTHER ? "the public half of another key"
						    : "no Ed25519 public key");
		at_error_hint(err, "Look at it with --keys, and move it away.");
	}
	return false;
}

const char *at_key_form_word(enum at_key_form form)
{
	static const char *const words[] = {
		[AT_KEY_PUBLIC] = "public half alone",
		[AT_KEY_PLAIN] = "plain",
		[AT_KEY_SEALED] = "sealed",
	};

	return words[form];
}

const char *at_key_half_word(enum at_key_half half)
{
	static const char *const words[] = {
		[AT_HALF_ABSENT] = "absent",
		[AT_HALF_FITS] = "fits",
		[AT_HALF_OTHER] = "of another key",
		[AT_HALF_BROKEN] = "not readable",
	};

	return words[half];
}
