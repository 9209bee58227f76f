/* git_index.h - does git track a file? Answered from the bytes of an index alone.
 *
 * No git is run and no configuration is read, so nothing that a project planted there (a
 * core.fsmonitor, say) can run. Versions 2 to 4, names of 20 and of 32 bytes for objects. A
 * split index, whose entries are in another file, is not looked into. (GATE-5)
 */
#ifndef AT_GIT_INDEX_H
#define AT_GIT_INDEX_H

#include <stdbool.h>

#include "core/bytes.h"

/* True when the index holds a regular file of this name, from the top of the work tree. Bytes
 * that are no whole index hold nothing. */
bool at_git_index_has(struct at_bytes index, const char *name);

#endif
