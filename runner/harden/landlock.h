/* landlock.h - the second wall, which mounts and namespaces cannot move.
 *
 * Reading and running stay open everywhere, writing is left below the directories that were
 * given, /tmp, /dev/shm, the standard devices and /proc. Each right is asked for where this
 * kernel's ABI knows it. Standard streams that can be written may be opened again by name
 * (/dev/stderr). TCP is not touched, so that the command can listen. It decides no path of its
 * own beyond its table. (LAU-9, F3, F13)
 *
 * Below /proc everything may be written that the mode allows, since the process's own files
 * there (oom_score_adj, comm, uid_map) have no other name and the sandbox's /proc shows no
 * other processes. For a caller whom the machine's own files in /proc belong to, root, it is
 * the own directory of this process alone: /proc/sys is among the rest (F2).
 */
#ifndef AT_LANDLOCK_H
#define AT_LANDLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

#define AT_LANDLOCK_ABI_MIN 2 /* the first that lets a file be renamed to another directory */

struct at_landlock_right {
	const char *name;
	uint64_t bit;
	int abi;        /* the first that knows it */
	unsigned where; /* of the places in landlock.c */
};
extern const struct at_landlock_right at_landlock_rights[], at_landlock_scopes[];
extern const size_t at_landlock_right_count, at_landlock_scope_count;

struct at_landlock_kernel {
	int abi;    /* 0: none, and `sys` says why */
	int errata; /* bits of the faults that are mended, 0 when the kernel does not say */
	int sys;
};
struct at_landlock_kernel at_landlock_ask(void);

/* Restricts this process and all it will start; sets no_new_privs. `roots` are absolute paths
 * of directories without a symbolic link on the way. On failure nothing is restricted. */
bool at_landlock_apply(const char *const *roots, size_t count, struct at_error *err);

/* Takes from this process, a child made for it, all writing, and sees whether it is refused:
 * 0, or the errno that says why not. */
int at_landlock_try(void);

/* How many rulesets hold this process: found by a child that stacks more until the kernel's
 * limit of 16 is reached. -1 when it cannot be told. */
int at_landlock_depth(void);

#endif
