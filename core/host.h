/* host.h - facts of the machine and the session this program runs in.
 *
 * Read once at the start and handed down, so that every decision can be tested with
 * other facts. It never changes anything and never looks at key values.
 */
#ifndef AT_HOST_H
#define AT_HOST_H

#include <limits.h>
#include <stdbool.h>

#include "core/error.h"

enum at_platform { AT_LINUX, AT_DARWIN, AT_WINDOWS, AT_OTHER };

const char *at_platform_name(enum at_platform platform); /* linux darwin windows other */
bool at_platform_parse(enum at_platform *out, const char *name); /* also macos, win32 */

struct at_host {
	enum at_platform platform;
	char home[PATH_MAX];           /* physical home of the operator, no trailing slash */
	char xdg_state_home[PATH_MAX]; /* "" when unset or relative */
	const char *agent_marker;      /* WIRE-17: name of the variable that marks an agent session, or NULL */
	const char *search_path;       /* PATH, or NULL: not to be looked at. Borrowed */
	char *const *environment;      /* all variables, or NULL: the same. Only names are looked at */
};

/* Platform from the build, home from HOME else the password database; markers are
 * CLAUDECODE, AI_AGENT, AGENTTEAMS_CODEX_CONFINED, set and not empty. */
bool at_host_read(struct at_host *out, struct at_error *err);

#endif
