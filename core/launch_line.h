/* launch_line.h - the command that starts an agent inside the launcher.
 *
 * Builds text from a manifest for the operator to run; nothing of ours starts it. What the
 * line names is looked at by core/launch_check. (WIRE-15)
 */
#ifndef AT_LAUNCH_LINE_H
#define AT_LAUNCH_LINE_H

#include "core/bytes.h"
#include "core/decide.h"

#define AT_LAUNCHER "sandbox/confine-run.sh"

/* A path that the line names, in the order of the line. */
struct at_launch_path {
	const char *option; /* "--writable" */
	const char *path;   /* as the brief spells it, relative to the project; borrowed */
};

struct at_launch_paths {
	struct at_launch_path *items; /* released by free() */
	size_t count, cap;
};

/* The paths: the first root is the scratch, further ones are --writable; for claude the
 * project itself is the scratch. */
void at_launch_paths_of(struct at_launch_paths *out, const struct at_manifest *manifest);

/* Appends the line, quoted for a POSIX shell, to be run in the project's directory. Egress
 * stays the launcher's default, deny. Roots are written as they are spelled: validate them
 * first (core/write_root). Fails with AT_EREFUSED, appending nothing, on a control character
 * in a path: the launcher refuses it too, and a line with it would not be one. */
bool at_launch_line(struct at_buf *out, const struct at_manifest *manifest, struct at_error *err);

/* The agent's own command at the end of the line, as an operator would type it. A constant. */
const char *at_launch_command(enum at_framework_id framework);

/* What each egress mode means for reaching the model; NULL past the last. */
struct at_launch_egress {
	const char *mode, *means;
};
const struct at_launch_egress *at_launch_egress(size_t i);
/* The same in one paragraph. A constant. */
const char *at_launch_egress_note(void);

/* A path of the brief as a word of the shell: below "$HOME", below `base` (a quoted variable of
 * the script) where it is relative, quoted where it has to be. No control characters, please. */
void at_launch_path(struct at_buf *out, const char *base, const char *path);

/* How a line of `line` that is wrapped in `width` bytes goes on: the piece that begins at
 * `*from`, appended with what a shell needs to read the pieces as one line again; `*from` moves
 * on. False at the end. `*quoted` begins false. Width 0: the whole rest. */
bool at_launch_wrap(struct at_buf *out, const char *line, size_t *from, bool *quoted, int width);

#endif
