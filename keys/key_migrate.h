/* key_migrate.h - keys that lie directly in ~/.config/agentteams go to keys/ below it.
 *
 * Where older tools put them every agent's sandbox masks single files by name; in keys/ they are
 * masked whole. A file is moved by a rename that replaces nothing, so none is lost, copied or
 * overwritten; what is no key, is open to others, or has its name taken stays, and is said.
 * (KEY-1, EMIT-5)
 */
#ifndef AT_KEYS_KEY_MIGRATE_H
#define AT_KEYS_KEY_MIGRATE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"
#include "keys/keystore.h"

struct at_moved_key {
	const char *file; /* its name */
	bool is_moved; /* or would be, with `look_only` */
	struct at_error why; /* when it stays */
};

struct at_moved_keys {
	char from[PATH_MAX];
	struct at_moved_key *items; /* by name; in the arena */
	size_t count, cap;
	size_t staying;
};

/* Every *.pem directly in the directory above the store; with `look_only` nothing is written. The
 * store is made when something goes there. Fails on what stops all of it; one file that stays is
 * no failure. */
bool at_keys_migrate(struct at_moved_keys *out, struct at_arena *arena, struct at_keystore *store,
	bool look_only, struct at_error *err);

#endif
