/* worktree_impl.h - a snapshot as worktree_take.c writes it and worktree.c reads it. */
#ifndef AT_WORKTREE_IMPL_H
#define AT_WORKTREE_IMPL_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "core/digest.h"
#include "core/mem.h"
#include "runner/runs/worktree.h"

enum at_worktree_how {
	AT_TREE_CLEAN, /* the index vouches for it: `id` is git's name of the content */
	AT_TREE_HASHED, /* `digest` is of the content, of a link where it leads */
	AT_TREE_TIMES, /* its times and number stand for its content */
	AT_TREE_PLACE, /* that it is there, no more: a FIFO changes with every use */
};

struct at_worktree_item {
	const char *path; /* below the top of the work tree; absolute outside of it */
	uint32_t len;
	mode_t mode;
	enum at_worktree_how how;
	bool is_settled; /* another content has other times */
	ino_t inode;
	off_t size;
	struct timespec changed, modified;
	union {
		unsigned char id[20];
		struct at_digest digest;
	};
};

struct at_worktree {
	struct at_arena *arena;
	const char *top, *project; /* physical; the project is the top or below it */
	struct at_worktree_item *items; /* in no order, each path once */
	size_t count, cap;
};

/* Names and what stands for each: a number. */
struct at_name {
	const char *path; /* borrowed */
	uint32_t len, hash, value;
};
struct at_names {
	struct at_name *slots;
	size_t count, size; /* size: a power of two, or 0 */
};
uint32_t at_names_hash(const char *path, size_t len);
void at_names_put(struct at_names *names, const char *path, size_t len, uint32_t value);
/* NULL when it is not there. */
const struct at_name *at_names_get(const struct at_names *names, const char *path, size_t len);
void at_names_free(struct at_names *names);

#define AT_TREE_READ_CAP ((size_t)64 << 20) /* a larger file is known by its times */

#endif
