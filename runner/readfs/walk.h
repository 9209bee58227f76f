/* walk.h - every file below a directory, as far as the caps go.
 *
 * Names in order, links not followed, what is on the deny list passed over and counted. It opens
 * directories alone; the caller looks at the rest. (WP-5, MCP-2)
 */
#ifndef AT_READFS_WALK_H
#define AT_READFS_WALK_H

#include "runner/readfs/place.h"

#define AT_READFS_DEPTH 64 /* directories inside each other */
#define AT_READFS_ENTRIES 200000u /* looked at in one call */

struct at_readfs_walk {
	unsigned entries; /* looked at */
	unsigned denied; /* passed over */
	bool is_cut; /* a cap ended it */
	/* Told of each entry, whose `path` is below the root; false ends the walk. */
	bool (*visit)(void *user, const struct at_readfs_node *node);
	void *user;
};

/* Names of a directory, sorted, without "." and "..": count of them, *names and each to be
 * released by free(). At most `cap`, and *is_cut says that there were more. `fd` is closed. */
size_t at_readfs_names(char ***names, int fd, size_t cap, bool *is_cut);

/* Walks below `top`, a directory. Those that cannot be read are passed over. */
void at_readfs_walk(struct at_readfs_walk *walk, const struct at_readfs_node *top);

/* "DIR/NAME", or NAME for "."; false when it does not fit. */
bool at_readfs_join(char out[PATH_MAX], const char *dir, const char *name);

#endif
