/* tool.h - a program as PATH would find it, and who could have put another in its place.
 *
 * Looks at names, owners and modes alone; it runs nothing and knows no program by name.
 * (WIRE-7, WIRE-9)
 */
#ifndef AT_TOOL_H
#define AT_TOOL_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* As execvp() searches: an empty part of `search_path` is the current directory. False, with
 * "" in `out`, when there is none. */
bool at_tool_search(char out[PATH_MAX], const char *name, const char *search_path);

bool at_tool_is_program(const char *path); /* a regular file that may be started */

/* Why somebody else than `owner` (0 but in tests) could change what is started, as a clause;
 * NULL when nobody can: the file, its directory, and the directory where a link leads. */
const char *at_tool_fault(const char *path, uid_t owner);

#endif
