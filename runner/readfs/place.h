/* place.h - opening what is below the root, and nothing else.
 *
 * A path is checked as it was asked for, opened without side effects, and checked again as the
 * kernel says where it led; what is read afterwards is that very object. A link may lead about
 * inside the root, never out of it. Knows no protocol. (WP-5, MCP-2)
 */
#ifndef AT_READFS_PLACE_H
#define AT_READFS_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "core/bytes.h"
#include "core/error.h"

struct at_readfs_root {
	int fd; /* of the directory */
	char path[PATH_MAX]; /* physical */
};

/* Opens `path`, a directory that is not `/`. */
bool at_readfs_root_open(struct at_readfs_root *out, const char *path, struct at_error *err);
void at_readfs_root_close(struct at_readfs_root *root);

/* The root of the program at `program` (a physical path): what stands before its
 * `/.agentteams/bin/NAME`. False when it stands elsewhere. */
bool at_readfs_root_of(char out[PATH_MAX], const char *program);

struct at_readfs_node {
	int fd; /* O_PATH: nothing was read, a FIFO not waited for, a device not woken */
	struct stat st; /* of it */
	char path[PATH_MAX]; /* below the root, resolved; "." for the root itself */
};

/* Finds `asked`: relative, or absolute below the root; "" is the root. Errors: AT_EINVALID for a
 * path that cannot be meant, AT_EUNSAFE for one that leads out, AT_EREFUSED for one on the deny
 * list, AT_ENOENT, AT_EIO. They never tell where a link leads. */
bool at_readfs_find(struct at_readfs_node *out, const struct at_readfs_root *root,
	struct at_bytes asked, struct at_error *err);
void at_readfs_node_close(struct at_readfs_node *node);

/* One name in a directory, links not followed: a node without a path. False when it is gone. */
bool at_readfs_look(struct at_readfs_node *out, int dir, const char *name);

/* A descriptor to read the node from: of a regular file, or of a directory when `flags` holds
 * O_DIRECTORY. The same object, whatever became of its name. -1 with errno, EINVAL for another
 * kind. */
int at_readfs_open(const struct at_readfs_node *node, int flags);

#endif
