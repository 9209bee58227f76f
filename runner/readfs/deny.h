/* deny.h - which names below a project are never read for an agent.
 *
 * The one table of MCP-2: credentials, version control and the runner's own ground, by the
 * segments of a path. It knows text alone: whoever asks gives the path as it was asked for, and
 * again as it was resolved.
 */
#ifndef AT_READFS_DENY_H
#define AT_READFS_DENY_H

#include <stdbool.h>

/* True when any segment of `path` ('/'-separated) is on the list, whatever its case. What a file
 * system that folds case would take for such a name counts as one. (MCP-2) */
bool at_readfs_is_denied(const char *path);

#endif
