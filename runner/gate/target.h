/* target.h - what a file name that a command changes weighs.
 *
 * Root, home, keys, the control plane: whoever deletes or writes them, the weight is the same.
 * Lexical alone: it reads nothing, follows no link, and knows no program. (EMIT-2, GATE-2)
 */
#ifndef GATE_TARGET_H
#define GATE_TARGET_H

#include "runner/gate/gate.h"

enum target_weight {
	TARGET_NOTHING, /* /dev/null, /dev/stderr and their like */
	TARGET_PLAIN,
	TARGET_PERSIST, /* start-up files of shells and desktops, crontabs, services */
	TARGET_SYSTEM,
	TARGET_DEVICE,
	TARGET_GIT, /* .git, or the whole of the work place */
	TARGET_CONTROL, /* what guards the session */
	TARGET_KEYS, /* key material and the system's accounts */
	TARGET_HOME,
	TARGET_ROOT,
};

/* Of `path` as a program would get it; a leading '~' counts as home. */
enum target_weight target_weigh(const char *path, const struct gate_context *context);

#endif
