/* scope.h - does a path lie where a policy speaks of?
 *
 * Text against text, case-folded on every system: a file system that ignores case must not open a
 * way around. Paths are below the project and canonical. It looks at no file.
 * (reference-ledgers 3.8, 3.11)
 */
#ifndef AT_PROPOSAL_SCOPE_H
#define AT_PROPOSAL_SCOPE_H

#include <stdbool.h>
#include <stddef.h>

/* Equal but for case. */
bool at_scope_is_same(const char *a, const char *b);

/* A write scope: a file, a directory with its `/`, or a pattern (`*`, `?`, `[`) matched segment by
 * segment. */
bool at_scope_covers(const char *scope, const char *path);
/* Is the scope one file, so that no gate is needed to bound it? */
bool at_scope_is_file(const char *scope);
bool at_scope_is_pattern(const char *scope);

/* NULL when the scope may stand in a policy, else why not, as a clause. Unsafe patterns match
 * nothing either. */
const char *at_scope_fault(const char *scope);

/* A glob over the whole path: `*` crosses `/`. Of proposal_gates, writes and protected_paths. */
bool at_glob_covers(const char *glob, const char *path);

/* The first of `globs` that protects `path`: one without wildcards also covers what lies below it.
 * NULL for none. */
const char *at_scope_protected(const char *const *globs, size_t count, const char *path);

/* The row of the control plane that `path` is or lies in, folded; NULL for none. (core/
 * control_plane.h, AT_PLANE_REFUSE, and all of .git) */
const char *at_scope_plane(const char *path);

#endif
