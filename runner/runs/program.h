/* program.h - which program a run starts, and what it finds around it.
 *
 * Of argv[0], PATH and the environment of whoever started the runner it makes a path and a list
 * of variables. Nothing that stands in the project decides either. It starts nothing.
 * (RUN-5; reference-ledgers 3.9)
 */
#ifndef AT_PROGRAM_H
#define AT_PROGRAM_H

#include <limits.h>

#include "core/error.h"
#include "core/mem.h"

/* The absolute entries of `search_path` (NULL: none) that do not lead into `project`, in their
 * order; "" when none is left. Owned by `arena`. */
const char *at_program_search_path(
	struct at_arena *arena, const char *search_path, const char *project);

/* argv[0] as a path: a name is looked for in `search_path` (as made above), an absolute path is
 * taken as it is, any other is AT_EREFUSED. So is one whose real path is inside `project`
 * (physical), or that is not there. `out` keeps the name it was found by: programs look at it. */
bool at_program_find(char out[PATH_MAX], const char *name, const char *search_path,
	const char *project, struct at_error *err);

/* The whole environment of a run, ended by NULL and owned by `arena`: HOME LANG LC_ALL LC_CTYPE
 * USER LOGNAME TERM ELAN_HOME as they stand in `environment`, PATH = `search_path`, TMPDIR =
 * `tmp`. Nothing else is passed on, whatever its name. */
const char *const *at_program_env(
	struct at_arena *arena, char *const *environment, const char *search_path, const char *tmp);

/* The value of a variable of such a list, borrowed; NULL when it is not there. */
const char *at_program_env_value(const char *const *env, const char *name);

#endif
