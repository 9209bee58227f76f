#include "runner/proposals/operator_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/disk.h"
#include "core/path.h"
#include "keys/ledger.h"
#include "keys/pem.h"
#include "runner/proposals/ledger_impl.h"
#include "runner/proposals/site.h"

bool at_operator_path(char out[PATH_MAX], const char *home, const char *dir, const char *project,
	struct at_error *err)
{
	char name[NAME_MAX + 1];

	if (!at_operator_file_name(name, project)
		|| (size_t)snprintf(out, PATH_MAX, "%s/%s/%s", home, dir, name) >= PATH_MAX)
		return at_fail(err, AT_ELIMIT, "the project's name is too long for a file of it");
	return true;
}

static bool refuse(struct at_error *err, const char *id, const char *path, const char *what)
{
	at_fail(err, AT_EUNSAFE, "`%s` %s", path, what);
	at_error_path(err, path);
	at_error_name(err, id);
	return false;
}

static const char *split(char above[PATH_MAX], const char *path)
{
	const char *slash = strrchr(path, '/');

	snprintf(above, PATH_MAX, "%.*s", (int)(slash - path), path);
	return slash + 1;
}

static bool check(const struct stat *st, const char *path, size_t cap, struct at_error *err)
{
	if (!S_ISREG(st->st_mode))
		return refuse(err, "custody-kind", path, "is a link or no regular file");
	if (st->st_uid != geteuid())
		return refuse(err, "custody-owner", path, "belongs to another user");
	if (st->st_nlink != 1)
		return refuse(err, "custody-hard-link", path,
			"has a second name (a hard link), which may be open to others");
	if (st->st_mode & (S_IWGRP | S_IWOTH)) {
		char word[PATH_MAX + 8];

		refuse(err, "custody-mode", path, "can be written by others");
		at_error_hint(err, "chmod go-w %s", at_path_shell_quote(word, sizeof(word), path));
		return false;
	}
	if ((size_t)st->st_size <= cap)
		return true;
	at_fail(err, AT_ELIMIT, "`%s` is larger than %zu bytes", path, cap);
	at_error_path(err, path);
	at_error_name(err, "custody-size");
	return false;
}

/* Looked at before it is opened, and again when it is. -1, with *absent or an error. */
static int open_file(
	int dir, const char *name, const char *path, size_t cap, bool *absent, struct at_error *err)
{
	struct stat before, st;
	int fd;

	*absent = false;
	if (fstatat(dir, name, &before, AT_SYMLINK_NOFOLLOW) < 0) {
		*absent = errno == ENOENT;
		if (!*absent)
			at_fail_sys(err, errno, "cannot look at `%s`", path);
		return -1;
	}
	if (!check(&before, path, cap, err))
		return -1;
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0) {
		at_fail_sys(err, errno, "cannot open `%s`", path);
		return -1;
	}
	if (fstat(fd, &st) == 0 && st.st_ino == before.st_ino && st.st_dev == before.st_dev
		&& check(&st, path, cap, err))
		return fd;
	if (st.st_ino != before.st_ino)
		at_fail(err, AT_ESTALE, "`%s` was replaced while it was opened", path);
	close(fd);
	return -1;
}

static bool read_all(struct at_buf *out, int fd, const char *path, size_t cap, struct at_error *err)
{
	char piece[8192];
	ssize_t got;

	while ((got = read(fd, piece, sizeof(piece))) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return at_fail_sys(err, errno, "cannot read `%s`", path);
		at_buf_put(out, piece, (size_t)got);
		if (out->len > cap)
			return at_fail(err, AT_ESTALE, "`%s` grew while it was read", path);
	}
	return true;
}

bool at_operator_file_read(struct at_operator_file *out, const char *path, size_t cap,
	const struct at_custody_place *place, struct at_error *err)
{
	struct at_error own = { 0 };
	char above[PATH_MAX];
	const char *name = split(above, path);
	bool absent, done;
	int dir, fd;

	*out = (struct at_operator_file){ .exists = false };
	dir = at_custody_open_dir(above, place, &own);
	if (dir < 0) {
		if (err)
			*err = own;
		return own.code == AT_ENOENT;
	}
	fd = open_file(dir, name, path, cap, &absent, err);
	close(dir);
	if (fd < 0)
		return absent;
	done = read_all(&out->bytes, fd, path, cap, err);
	close(fd);
	if (!done) {
		at_operator_file_free(out);
		return false;
	}
	at_buf_reserve(&out->bytes, 1); /* an empty file has bytes, none of them */
	out->exists = true;
	out->digest = at_digest_of(at_buf_bytes(&out->bytes));
	return true;
}

void at_operator_file_free(struct at_operator_file *file)
{
	at_buf_free(&file->bytes);
	*file = (struct at_operator_file){ .exists = false };
}

bool at_operator_file_is_still(const struct at_operator_file *file, const char *path, size_t cap,
	const struct at_custody_place *place)
{
	struct at_operator_file now;
	bool is_still = at_operator_file_read(&now, path, cap, place, NULL)
		&& now.exists == file->exists
		&& (!now.exists || at_digest_equal(&now.digest, &file->digest));

	at_operator_file_free(&now);
	return is_still;
}

/* Makes what is missing of `path`, each directory 0700. */
static bool make_directories(const char *path, struct at_error *err)
{
	char so_far[PATH_MAX];

	for (const char *p = strchr(path + 1, '/');; p = strchr(p + 1, '/')) {
		size_t len = p ? (size_t)(p - path) : strlen(path);

		snprintf(so_far, sizeof(so_far), "%.*s", (int)len, path);
		if (access(so_far, F_OK) < 0 && !at_disk_mkdir(AT_FDCWD, so_far, 0700)
			&& errno != EEXIST)
			return at_fail_sys(err, errno, "cannot make `%s`", so_far);
		if (!p)
			return true;
	}
}

bool at_operator_file_write(const char *path, struct at_bytes bytes,
	const struct at_custody_place *place, struct at_error *err)
{
	struct at_operator_file old;
	char above[PATH_MAX];
	const char *name = split(above, path);
	bool stands = false;
	int dir;

	/* What is there must be a file that may be replaced: a link stays. */
	if (!at_operator_file_read(&old, path, AT_MCP_GRANTS_CAP, place, err))
		return false;
	at_operator_file_free(&old);
	if (!make_directories(above, err))
		return false;
	dir = at_custody_open_dir(above, place, err);
	if (dir < 0)
		return false;
	if (!at_ground_replace(dir, name, bytes, &stands) && !stands) {
		at_fail_sys(err, errno, "cannot write `%s`", path);
		at_error_path(err, path);
	}
	close(dir);
	return stands;
}

static bool key_path(char out[PATH_MAX], const struct at_verify_keys *keys, const char *key_id,
	struct at_error *err)
{
	if (!at_key_id_is_sound(at_bytes_of(key_id)) || *key_id == '.')
		return at_fail(err, AT_EINVALID, "`%.80s` can be no key id", key_id);
	return snprintf(out, PATH_MAX, "%s/" AT_VERIFY_KEYS_DIR "/%s.pub.pem", keys->home, key_id)
		< PATH_MAX
		|| at_fail(err, AT_ELIMIT, "the path of the key `%s` is too long", key_id);
}

/* *exists tells apart what is absent from what may not be used. */
static bool load_key(const struct at_verify_keys *keys, struct at_public_key *out,
	const char *key_id, bool *exists, struct at_error *err)
{
	struct at_operator_file file;
	char path[PATH_MAX];
	bool done;

	*exists = true;
	if (!key_path(path, keys, key_id, err)
		|| !at_operator_file_read(&file, path, AT_PEM_CAP, keys->place, err))
		return false;
	*exists = file.exists;
	done = file.exists && at_pem_read_public(out, at_buf_bytes(&file.bytes), path, err);
	if (!file.exists)
		at_fail(err, AT_ENOENT, "there is no ~/" AT_VERIFY_KEYS_DIR "/%s.pub.pem", key_id);
	at_operator_file_free(&file);
	return done;
}

bool at_verify_keys_find(
	void *context, struct at_public_key *out, const char *key_id, struct at_error *err)
{
	bool exists;

	return load_key(context, out, key_id, &exists, err);
}

bool at_verify_keys_install(const struct at_verify_keys *keys, const char *key_id,
	const struct at_public_key *key, struct at_error *err)
{
	struct at_public_key there;
	struct at_buf pem = { 0 };
	char path[PATH_MAX];
	bool exists, done;

	if (load_key(keys, &there, key_id, &exists, err)) {
		if (at_public_key_equal(&there, key))
			return true;
		at_fail(err, AT_EEXIST, "the key id `%s` holds another key", key_id);
		at_error_hint(
			err, "Take another id: grants that the old key signed name this one.");
		return false;
	}
	if (exists || !key_path(path, keys, key_id, err))
		return false;
	at_pem_write_public(&pem, key);
	done = at_operator_file_write(path, at_buf_bytes(&pem), keys->place, err);
	at_buf_free(&pem);
	return done;
}
