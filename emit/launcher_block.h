/* launcher_block.h - the control plane as the launcher's shell reads it.
 *
 * The launcher runs where nothing of ours is, so it carries its own copy of the table as a
 * block in emit/assets/confine-run.sh. This writes that block; a test compares. It knows
 * nothing of what the launcher does with a row. (LAU-3, LAU-4)
 */
#ifndef AT_LAUNCHER_BLOCK_H
#define AT_LAUNCHER_BLOCK_H

#include <stdbool.h>

#include "core/bytes.h"

/* Appends the block without the two lines around it. plane_rows: `mark` a team's marker,
 * `need` what has to be there with the marker above it, `if` what is protected where it is
 * there. git_rows are below a repository's .git, prompt_rows are the opt-in. */
void at_launcher_block(struct at_buf *out);

/* The bytes between the two lines in `launcher`; false when it has not exactly one block. */
bool at_launcher_block_find(struct at_bytes *out, struct at_bytes launcher);

#endif
