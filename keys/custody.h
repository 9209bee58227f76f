/* custody.h - is a private key's file where nobody else can read or replace it?
 *
 * The file: regular, one name, ours, no permission for group or others, at most 64 KiB. Every
 * directory above it: no link, ours or root's, writable by nobody else; a sticky one of root's,
 * like /tmp, passes, since nobody can replace there what is another's. And it lies neither in the
 * project nor in a write root, by path or by another mount of the same directory: an agent would
 * reach it there. Each check is made on what was opened, nothing is waited for, and the text goes
 * straight into secret memory. Knows no form of keys. (KEY-1, KEY-2; reference-ledgers 3.12)
 */
#ifndef AT_KEYS_CUSTODY_H
#define AT_KEYS_CUSTODY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"
#include "keys/secret.h"

#define AT_CUSTODY_CAP ((size_t)65536)

/* Where no key may lie: the project and its write roots, absolute and physical. Borrowed. One that
 * does not exist is compared as text. */
struct at_custody_place {
	const char *const *agents;
	size_t agent_count;
};

/* Reads the key file at the absolute `path` whole. Fails with AT_EUNSAFE, its id one of
 * custody-link, custody-kind, custody-hard-link, custody-owner, custody-mode, custody-directory,
 * custody-place, or AT_ELIMIT (custody-size), AT_ENOENT; the hint is the command that mends it.
 * Release `text` with at_secret_free(); it is empty after a failure. */
bool at_custody_read(struct at_secret *text, const char *path, const struct at_custody_place *place,
	struct at_error *err);

/* The same looks, no byte read. */
bool at_custody_check(const char *path, const struct at_custody_place *place, struct at_error *err);

/* A descriptor of the directory `path` after the looks at all above it and at itself, -1 on
 * failure. AT_ENOENT where it does not exist. */
int at_custody_open_dir(const char *path, const struct at_custody_place *place,
	struct at_error *err);

#endif
