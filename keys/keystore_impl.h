/* keystore_impl.h - what the files of the key store share. Internal to keys/keystore*.c. */
#ifndef AT_KEYS_KEYSTORE_IMPL_H
#define AT_KEYS_KEYSTORE_IMPL_H

#include "keys/keystore.h"

#define AT_KEY_TEMP ".new-" /* and 16 hexadecimal digits: a file that is not whole yet */
#define AT_KEY_ENDINGS 3u
extern const char *const at_key_endings[AT_KEY_ENDINGS]; /* the longer before its own tail */

/* "STORE/NAMEending"; false when it does not fit. */
bool at_key_path(
	char out[PATH_MAX], const struct at_keystore *store, const char *name, const char *ending);

/* Removes what runs cut short left half-written; the lock is held. */
void at_keystore_sweep(const struct at_keystore *store);

/* The public half of the file `path`, no passphrase asked; and its form. */
bool at_key_public_of(struct at_public_key *out, enum at_key_form *form, const char *path,
	const struct at_custody_place *place, struct at_error *err);

#endif
