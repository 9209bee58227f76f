/* state.h - the directory where base, journal and backups live, outside the project.
 *
 * $XDG_STATE_HOME/agentteams/<name>-<first 12 hex of the physical path's SHA-256>/, mode
 * 0700, where no agent session can reach it. Looking creates nothing. (WIRE-2)
 */
#ifndef AT_STATE_H
#define AT_STATE_H

#include <limits.h>

#include "core/error.h"

struct at_state {
	char path[PATH_MAX]; /* absolute; it may not exist */
	int fd;              /* a descriptor of it, or -1 while it does not exist */
};

/* Finds the directory of the project whose physical path is `project`, opens it if it
 * is there. `home` and `xdg_state_home` as the environment has them (the latter may be
 * NULL; a relative one is ignored, as the XDG specification asks). Fails when it
 * exists and is a link, not ours, or open to others. */
bool at_state_find(struct at_state *out, const char *project, const char *home,
	const char *xdg_state_home, struct at_error *err);

/* Makes it (0700, parents too) if it does not exist yet. */
bool at_state_create(struct at_state *state, struct at_error *err);
void at_state_close(struct at_state *state);

/* "~/.local/state/agentteams", or the absolute directory above it when XDG_STATE_HOME
 * leads elsewhere: what `exclusive` masks. In `out`. (WIRE-2) */
void at_state_mask_path(char out[PATH_MAX], const char *home, const char *xdg_state_home);

#endif
