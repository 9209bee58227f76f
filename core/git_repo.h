/* git_repo.h - where a repository is, what it ignores, and what it calls a content.
 *
 * With core/diff.c the only user of libgit2. It reads: no index is refreshed, nothing is written,
 * and neither hooks, filters of the configuration nor core.fsmonitor are run, for libgit2 starts
 * no program here. (RUN-3)
 */
#ifndef AT_GIT_REPO_H
#define AT_GIT_REPO_H

#include <stdbool.h>

#include "core/bytes.h"
#include "core/error.h"

struct at_git;

/* The repository whose work tree holds `dir` (physical). Fails with AT_ENOENT when there is none,
 * or a bare one. Freed with at_git_free(). */
bool at_git_open(struct at_git **out, const char *dir, struct at_error *err);
void at_git_free(struct at_git *git); /* NULL is fine */

/* Absolute, without a slash at the end; borrowed. The common directory is another than the git
 * directory in a linked work tree: hooks and config are there. */
const char *at_git_top(const struct at_git *git);
const char *at_git_dir(const struct at_git *git);
const char *at_git_common_dir(const struct at_git *git);

/* Would git leave out this untracked path, by any of its ignore files? `path` is below the top;
 * a directory's ends in '/'. False where that cannot be told. */
bool at_git_is_ignored(struct at_git *git, const char *path);

/* Is this the content that git calls `id` (20 bytes)? Bytes as they are, no filter. */
bool at_git_is_blob(struct at_bytes content, const unsigned char id[20]);

#endif
