/* sight.h - settings files that were read and parsed, kept while they stay as they are.
 *
 * One project is looked at again and again: at every plan, check and change of view. A file is
 * read anew only when core/file says that it is another by now, so nobody sees an old state; who
 * still holds the old one keeps it until it lets go. It knows no names of files and judges
 * nothing.
 */
#ifndef AT_SIGHT_H
#define AT_SIGHT_H

#include "emit/live.h"

struct at_kept {
	unsigned holders;
	char *key;
	struct at_live live; /* whose own file and document these are */
};

struct at_sight {
	struct at_kept **items;
	size_t count, cap;
};

/* True when `key` was kept and `path` below `root` is still that file: `out` shows it then, to be
 * released by at_live_free(). `sight` may be NULL: nothing is kept. */
bool at_sight_find(struct at_sight *sight, struct at_live *out, const char *key, int root,
	const char *path);
/* Takes over the file and document of `live`, which was read for `key`; `live` shows them on. */
void at_sight_keep(struct at_sight *sight, struct at_live *live, const char *key);
void at_sight_free(struct at_sight *sight); /* leaves it empty and usable */

/* For emit/live alone. */
void at_kept_release(struct at_kept *kept);
void at_live_free_own(struct at_live *live);

#endif
