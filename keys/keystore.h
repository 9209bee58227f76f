/* keystore.h - the operator's own keys, in ~/.config/agentteams/keys.
 *
 * The directory is 0700. A key is NAME.pem (PKCS#8) or NAME.sealed (under a passphrase), 0600, and
 * its public half NAME.pub.pem beside it. Files come whole or not at all and nothing is ever
 * overwritten or deleted; keys/custody.h says what may be opened. It asks nobody: a passphrase
 * comes from the caller. (KEY-1, KEY-2)
 */
#ifndef AT_KEYS_KEYSTORE_H
#define AT_KEYS_KEYSTORE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"
#include "keys/custody.h"
#include "keys/ed25519.h"
#include "keys/secret.h"

struct at_arena;
struct at_seal_cost;

#define AT_KEYS_DIR ".config/agentteams/keys" /* below the home */
#define AT_KEY_NAME_MOST 64u

/* Letters, digits, `.` `_` `-`, no dot in front, at most 64: what names a key and is a key_id.
 * Fails with AT_EUSAGE. */
bool at_key_name_check(const char *name, struct at_error *err);

/* The same for a new key: it may not end in `.pub`, `.pem` or `.sealed` either. */
bool at_key_name_check_new(const char *name, struct at_error *err);

struct at_keystore {
	char path[PATH_MAX]; /* absolute; it may not exist */
	int fd; /* of it, or -1 while it does not exist */
	const struct at_custody_place *place; /* borrowed */
};

/* Looks, creates nothing. `home`: absolute and physical. Fails where a directory on the way, or
 * the store itself, can be written by others or the store can be read by them, or lies in the
 * project or a write root. Release with at_keystore_close(), also after a failure. */
bool at_keystore_open(struct at_keystore *out, const char *home,
	const struct at_custody_place *place, struct at_error *err);
/* Makes it where it does not exist, each new directory 0700. */
bool at_keystore_create(struct at_keystore *store, struct at_error *err);
void at_keystore_close(struct at_keystore *store);

/* AT_EEXIST when a file of a key of this name, any of the three, is there. */
bool at_keystore_is_free(const struct at_keystore *store, const char *name, struct at_error *err);

/* A new key; with `passphrase` (may be NULL) a sealed one of `cost`. The store is made when needed.
 * Killed at any instant it leaves no key or a whole one, perhaps without its public half. */
bool at_keystore_new(struct at_public_key *out, struct at_keystore *store, const char *name,
	const struct at_secret *passphrase, const struct at_seal_cost *cost, struct at_error *err);

enum at_key_form {
	AT_KEY_PUBLIC, /* the public half alone */
	AT_KEY_PLAIN,
	AT_KEY_SEALED,
};

enum at_key_half { AT_HALF_ABSENT, AT_HALF_FITS, AT_HALF_OTHER, AT_HALF_BROKEN };

struct at_key_entry {
	const char *name;
	enum at_key_form form;
	bool is_known; /* `key` is set: from the private half, a sealed header, or the public one */
	struct at_public_key key;
	enum at_key_half half;
	bool is_sound; /* it could be signed with, given the passphrase */
	struct at_error fault; /* why not */
};

struct at_key_list {
	struct at_key_entry *items; /* by name; in the arena */
	size_t count, cap;
	const char **strays; /* other names in the directory, those of a run cut short too */
	size_t stray_count, stray_cap;
};

/* What is in the store; nothing where it does not exist. Plain keys are opened for it, one after
 * the other, in secret memory; a key that may not be opened is listed with the reason. */
bool at_keystore_list(struct at_key_list *out, struct at_arena *arena,
	const struct at_keystore *store, struct at_error *err);
const char *at_key_form_word(enum at_key_form form); /* "plain", "sealed", "public half alone" */
const char *at_key_half_word(enum at_key_half half); /* "absent", "fits", "of another key", … */

/* Asks for the passphrase of the key file `path`. False with its error. */
typedef bool at_ask_passphrase(
	void *context, struct at_secret *out, const char *path, struct at_error *err);

struct at_key_pair {
	struct at_secret seed;
	struct at_public_key key;
};

/* Where the private half of `name` is: a name in the store, or an absolute path where it holds a
 * `/` (AGENTTEAMS_DECISION_ED25519_KEYFILE). AT_ENOENT where the store has none. */
bool at_keystore_find(char out[PATH_MAX], const struct at_keystore *store, const char *name,
	struct at_error *err);

/* Opens the key file `path`; `ask` (may be NULL: AT_EREFUSED) is called where it is sealed.
 * Release with at_key_close(). */
bool at_key_load(struct at_key_pair *out, const char *path, const struct at_custody_place *place,
	at_ask_passphrase *ask, void *context, struct at_error *err);
void at_key_close(struct at_key_pair *key);

/* The public half, with no passphrase: of the private file, of a sealed one's header, else of
 * NAME.pub.pem. What a sealed header says is AT_ECONFLICT when NAME.pub.pem says another. */
bool at_keystore_public(struct at_public_key *out, const struct at_keystore *store,
	const char *name, struct at_error *err);

#endif
