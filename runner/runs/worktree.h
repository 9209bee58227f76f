/* worktree.h - the work tree before a command and after it, and what is different.
 *
 * Holds a line for every file git would show or track, with what tells its content: nothing but a
 * look where the index vouches for it, else a SHA-256. Files of the control directories and git's
 * own hooks and settings are held by their times, ignored or not. Files that git ignores are not
 * seen, unless they are `.gitignore` themselves. No git is started and nothing the repository's
 * configuration names is run. (RUN-3; reference-ledgers 3.9)
 */
#ifndef AT_WORKTREE_H
#define AT_WORKTREE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"

struct at_worktree; /* one state of it */

/* `project` is physical; the snapshot is of the whole work tree it is in. Fails when it is in
 * none, or in one that cannot be read whole: fail closed. Freed with at_worktree_free(). */
bool at_worktree_take(struct at_worktree **out, const char *project, struct at_error *err);
void at_worktree_free(struct at_worktree *tree);
size_t at_worktree_count(const struct at_worktree *tree);

struct at_worktree_list {
	char **items; /* below the project ("../x" outside of it), by byte value */
	size_t count, cap;
};
void at_worktree_list_free(struct at_worktree_list *list);

/* Paths are below the project. Ended by NULL each, NULL is empty. */
struct at_worktree_rules {
	const char *const *expected; /* files that were to be written */
	const char *const *own; /* of the runner itself: a file, or with '/' at its end all below */
	/* Where writing was allowed: the entry's, and only when a sandbox really ran. */
	const char *const *write;
	/* A protected path or the brief: never excused by `write`. NULL: none is. */
	bool (*is_protected)(void *user, const char *path);
	void *user;
};

/* The paths that are new, gone, or have another content, kind or mode than before, less what the
 * rules excuse: the undeclared writes. With empty rules: all that changed. A file that was only
 * touched is not changed; one in a control directory is. */
bool at_worktree_changes(struct at_worktree_list *out, const struct at_worktree *before,
	const struct at_worktree *after, const struct at_worktree_rules *rules,
	struct at_error *err);

#endif
