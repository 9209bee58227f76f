/* git_index.h - what does git track? Answered from the bytes of an index alone.
 *
 * No git is run and no configuration is read, so nothing that a project planted there (a
 * core.fsmonitor, say) can run. Versions 2 to 4, names of 20 and of 32 bytes for objects. A
 * split index, whose entries are in another file, is not looked into. (GATE-5, RUN-3)
 */
#ifndef AT_GIT_INDEX_H
#define AT_GIT_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "core/bytes.h"

/* True when the index holds a regular file of this name, from the top of the work tree. Bytes
 * that are no whole index hold nothing. */
bool at_git_index_has(struct at_bytes index, const char *name);

/* What the index says of one path: numbers as git cut them to 32 bits. */
struct at_git_entry {
	const char *path; /* borrowed until the next one */
	size_t len;
	uint32_t changed, changed_ns, modified, modified_ns; /* since the epoch */
	uint32_t inode, mode, size;
	unsigned stage;          /* 0 but in a conflict */
	const unsigned char *id; /* 20 bytes, borrowed from the index */
};

/* Tells every entry in the index's order; `id` is of 20 bytes alone. False when the bytes are no
 * whole index, or one that has entries elsewhere: then what was told is not all there is. */
bool at_git_index_each(struct at_bytes index,
	void (*told)(void *user, const struct at_git_entry *entry), void *user);

#endif
