/* launch_line.h - the command that starts an agent inside the launcher.
 *
 * Builds text from a manifest for the operator to run; nothing of ours starts it.
 * (WIRE-15)
 */
#ifndef AT_LAUNCH_LINE_H
#define AT_LAUNCH_LINE_H

#include "core/bytes.h"
#include "core/decide.h"

#define AT_LAUNCHER "sandbox/confine-run.sh"

/* Appends the line, quoted for a POSIX shell, to be run in the project's directory. The
 * first root is the scratch, further ones are --writable; for claude the project itself is
 * the scratch. Egress stays the launcher's default, deny. Roots are written as they
 * are spelled: validate them first (core/write_root). */
void at_launch_line(struct at_buf *out, const struct at_manifest *manifest);

/* What each egress mode means for reaching the model. A constant. */
const char *at_launch_egress_note(void);

#endif
