#include "keys/keystore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/disk.h"
#include "core/file.h"
#include "core/mem.h"
#include "core/path.h"
#include "keys/field.h"
#include "keys/keystore_impl.h"
#include "keys/pem.h"
#include "keys/sealed.h"

#define LOCK_TRIES 200 /* of 10 ms */

bool at_key_name_check(const char *name, struct at_error *err)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789._-";
	size_t len = strlen(name);

	if (len && len <= AT_KEY_NAME_MOST && *name != '.' && strspn(name, allowed) == len)
		return true;
	at_fail(err, AT_EUSAGE, "`%.80s` cannot name a key", name);
	at_error_name(err, "key-name");
	at_error_hint(err, "Use letters, digits, `.`, `_` and `-`, at most 64, no dot in front.");
	return false;
}

bool at_key_name_check_new(const char *name, struct at_error *err)
{
	static const char *const endings[] = { ".pub", ".pem", ".sealed" };
	size_t len = strlen(name);

	if (!at_key_name_check(name, err))
		return false;
	for (size_t i = 0; i < AT_LEN(endings); i++) {
		size_t end = strlen(endings[i]);

		if (len < end || strcmp(name + len - end, endings[i]) != 0)
			continue;
		at_fail(err, AT_EUSAGE, "`%s` cannot name a key: files of the store end so", name);
		at_error_name(err, "key-name");
		at_error_hint(err, "Leave the ending out.");
		return false;
	}
	return true;
}

bool at_key_path(
	char out[PATH_MAX], const struct at_keystore *store, const char *name, const char *ending)
{
	return snprintf(out, PATH_MAX, "%s/%s%s", store->path, name, ending) < PATH_MAX;
}

static bool check_mode(const struct at_keystore *store, struct at_error *err)
{
	char word[PATH_MAX];
	struct stat st;

	if (fstat(store->fd, &st) < 0)
		return at_fail_sys(err, errno, "cannot look at `%s`", store->path);
	if (st.st_uid == geteuid() && !(st.st_mode & (S_IRWXG | S_IRWXO)))
		return true;
	if (st.st_uid != geteuid()) {
		at_fail(err, AT_EUNSAFE, "the key store `%s` belongs to another user", store->path);
	} else {
		at_fail(err, AT_EUNSAFE,
			"the key store `%s` is open to others: its mode is %04o, not "
			"0700",
			store->path, (unsigned)st.st_mode & 07777);
		at_error_hint(
			err, "chmod 700 %s", at_path_shell_quote(word, sizeof(word), store->path));
	}
	at_error_path(err, store->path);
	at_error_name(err, "custody-directory");
	return false;
}

static bool open_store(struct at_keystore *store, struct at_error *err)
{
	struct at_error why = { 0 };

	store->fd = at_custody_open_dir(store->path, store->place, &why);
	if (store->fd < 0 && why.code == AT_ENOENT)
		return true;
	if (store->fd < 0 && err)
		*err = why;
	return store->fd >= 0 && check_mode(store, err);
}

bool at_keystore_open(struct at_keystore *out, const char *home,
	const struct at_custody_place *place, struct at_error *err)
{
	*out = (struct at_keystore){ .fd = -1, .place = place };
	if (snprintf(out->path, sizeof(out->path), "%s/" AT_KEYS_DIR, home)
		>= (int)sizeof(out->path))
		return at_fail(err, AT_ELIMIT, "the path of the key store is too long");
	return open_store(out, err);
}

void at_keystore_close(struct at_keystore *store)
{
	if (store->fd >= 0)
		close(store->fd);
	store->fd = -1;
}

/* Each directory is looked at before the next is made in it. */
bool at_keystore_create(struct at_keystore *store, struct at_error *err)
{
	size_t home = strlen(store->path) - (sizeof(AT_KEYS_DIR) - 1);

	if (store->fd >= 0)
		return true;
	for (const char *at = store->path + home; at;) {
		const char *next = strchr(at, '/');
		char above[PATH_MAX], name[NAME_MAX];
		int dir;
		bool made;

		snprintf(above, sizeof(above), "%.*s", (int)(at - store->path), store->path);
		snprintf(name, sizeof(name), "%.*s", next ? (int)(next - at) : (int)strlen(at), at);
		dir = at_custody_open_dir(above, store->place, err);
		if (dir < 0)
			return false;
		made = at_disk_mkdir(dir, name, 0700) || errno == EEXIST;
		if (!made)
			at_fail_sys(err, errno, "cannot make `%s%s`", above, name);
		else
			at_disk_sync(dir);
		close(dir);
		if (!made)
			return false;
		at = next ? next + 1 : NULL;
	}
	if (!open_store(store, err))
		return false;
	return store->fd >= 0
		|| at_fail(err, AT_ESTALE, "`%s` was taken away while it was made", store->path);
}

const char *const at_key_endings[AT_KEY_ENDINGS] = { ".pub.pem", ".pem", ".sealed" };

bool at_keystore_is_free(const struct at_keystore *store, const char *name, struct at_error *err)
{
	for (size_t i = 0; i < AT_KEY_ENDINGS && store->fd >= 0; i++) {
		char path[PATH_MAX];
		struct stat st;

		if (!at_key_path(path, store, name, at_key_endings[i]))
			return at_fail(err, AT_ELIMIT, "the path of the key is too long");
		if (fstatat(store->fd, strrchr(path, '/') + 1, &st, AT_SYMLINK_NOFOLLOW) < 0
			&& errno == ENOENT)
			continue;
		at_fail(err, AT_EEXIST, "there is already `%s`", path);
		at_error_path(err, path);
		at_error_name(err, "key-exists");
		at_error_hint(err, "Choose another name: no key is overwritten.");
		return false;
	}
	return true;
}

/* Released by closing. Whoever holds it is gone or busy for an instant: a wait of two seconds. */
static int take_lock(const struct at_keystore *store, struct at_error *err)
{
	const struct timespec pause = { 0, 10000000 };
	int fd = openat(store->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; fd >= 0 && i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return fd;
		if (errno != EWOULDBLOCK && errno != EINTR)
			break;
		nanosleep(&pause, NULL);
	}
	at_fail_sys(err, errno, "cannot lock the key store `%s`", store->path);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The whole file or nothing under `name`, which must be free. */
static bool publish(const struct at_keystore *store, const char *name, struct at_bytes text,
	mode_t mode, struct at_error *err)
{
	char temp[sizeof(AT_KEY_TEMP) + 17];
	unsigned char random[8];
	struct at_buf hex = { 0 };
	int sys = 0;

	at_random_bytes(random, sizeof(random));
	at_hex_put(&hex, random, sizeof(random));
	snprintf(temp, sizeof(temp), AT_KEY_TEMP "%.16s", at_buf_text(&hex));
	at_buf_free(&hex);
	if (!at_disk_create(store->fd, temp, text, mode, AT_NO_OWNER, AT_NO_GROUP)) {
		sys = errno;
	} else if (!at_disk_move(store->fd, temp, name)) {
		sys = errno;
		at_disk_remove(store->fd, temp);
	}
	if (!sys) {
		at_disk_sync(store->fd);
		return true;
	}
	at_fail_sys(err, sys, "cannot write `%s/%s`", store->path, name);
	at_error_path(err, store->path);
	return false;
}

/* The private half comes first: a run cut short between the two leaves a key that works. One that
 * fails there takes back what it made. */
static bool publish_both(const struct at_keystore *store, const char *name, const char *ending,
	struct at_bytes private, const struct at_public_key *key, struct at_error *err)
{
	char file[NAME_MAX], beside[NAME_MAX];
	struct at_buf public = { 0 };
	bool done;

	snprintf(file, sizeof(file), "%s%s", name, ending);
	snprintf(beside, sizeof(beside), "%s.pub.pem", name);
	if (!publish(store, file, private, 0600, err))
		return false;
	at_pem_write_public(&public, key);
	done = publish(store, beside, at_buf_bytes(&public), 0644, err);
	if (!done)
		at_disk_remove(store->fd, file);
	at_buf_free(&public);
	return done;
}

static bool make_locked(struct at_public_key *out, const struct at_keystore *store,
	const char *name, const struct at_secret *passphrase, const struct at_seal_cost *cost,
	struct at_error *err)
{
	struct at_buf sealed = { 0 };
	struct at_secret seed, text = { 0 };
	bool done;

	at_keystore_sweep(store);
	if (!at_keystore_is_free(store, name, err) || !at_ed25519_make(&seed, err))
		return false;
	done = at_ed25519_public(out, &seed, err)
		&& (passphrase ? at_seal(&sealed, &seed, passphrase, cost, err)
			       : at_pem_write_private(&text, &seed, err))
		&& publish_both(store, name, passphrase ? ".sealed" : ".pem",
			passphrase ? at_buf_bytes(&sealed) : at_secret_bytes(&text), out, err);
	at_secret_free(&text);
	at_secret_free(&seed);
	at_buf_free(&sealed);
	return done;
}

bool at_keystore_new(struct at_public_key *out, struct at_keystore *store, const char *name,
	const struct at_secret *passphrase, const struct at_seal_cost *cost, struct at_error *err)
{
	bool done;
	int lock;

	if (!at_key_name_check_new(name, err) || !at_keystore_create(store, err))
		return false;
	lock = take_lock(store, err);
	if (lock < 0)
		return false;
	done = make_locked(out, store, name, passphrase, cost, err);
	close(lock);
	return done;
}

bool at_keystore_find(
	char out[PATH_MAX], const struct at_keystore *store, const char *name, struct at_error *err)
{
	struct stat st;

	if (strchr(name, '/'))
		return snprintf(out, PATH_MAX, "%s", name) < PATH_MAX
			|| at_fail(err, AT_ELIMIT, "the path of the key is too long");
	if (!at_key_name_check(name, err))
		return false;
	for (size_t i = 1; i < AT_KEY_ENDINGS && store->fd >= 0; i++) {
		if (at_key_path(out, store, name, at_key_endings[i])
			&& fstatat(store->fd, strrchr(out, '/') + 1, &st, AT_SYMLINK_NOFOLLOW) == 0)
			return true;
	}
	at_fail(err, AT_ENOENT, "there is no private key `%s` in `%s`", name, store->path);
	at_error_path(err, store->path);
	at_error_hint(err, "atconsole --keys lists the keys; --new-key makes one.");
	return false;
}

static bool unseal(struct at_secret *seed, const struct at_secret *text, const char *path,
	at_ask_passphrase *ask, void *context, struct at_error *err)
{
	struct at_secret passphrase = { 0 };
	bool done;

	if (!ask) {
		at_fail(err, AT_EREFUSED,
			"`%s` is sealed, and nobody can be asked for its passphrase", path);
		at_error_path(err, path);
		at_error_hint(err, "Run it in a terminal.");
		return false;
	}
	done = ask(context, &passphrase, path, err)
		&& at_unseal(seed, at_secret_bytes(text), &passphrase, path, err);
	at_secret_free(&passphrase);
	return done;
}

bool at_key_load(struct at_key_pair *out, const char *path, const struct at_custody_place *place,
	at_ask_passphrase *ask, void *context, struct at_error *err)
{
	struct at_secret text;
	bool done;

	*out = (struct at_key_pair){ 0 };
	if (!at_custody_read(&text, path, place, err))
		return false;
	done = (at_sealed_is(at_secret_bytes(&text))
			       ? unseal(&out->seed, &text, path, ask, context, err)
			       : at_pem_read_private(&out->seed, &text, path, err))
		&& at_ed25519_public(&out->key, &out->seed, err);
	at_secret_free(&text);
	if (!done)
		at_secret_free(&out->seed);
	return done;
}

void at_key_close(struct at_key_pair *key)
{
	at_secret_free(&key->seed);
}
