/* claude_gate.h - the gate's program on this host: where it is, and what pins it.
 *
 * Places are fixed: neither PATH nor HOME, which a session may set, is searched. A pin is what the
 * hook script carries of the program. It starts nothing. (GATE-5, GATE-9)
 */
#ifndef AT_CLAUDE_GATE_H
#define AT_CLAUDE_GATE_H

#include <limits.h>
#include <stdbool.h>

#include "core/bytes.h"
#include "core/digest.h"
#include "emit/framework.h"

struct at_arena;

struct at_gate_pin {
	char program[PATH_MAX]; /* physical; "" when there is none */
	char sha256[AT_DIGEST_HEX]; /* "" with it */
	bool custody; /* neither it nor a directory above it is ours to change: the hook looks that
	               * this stays so. False for a per-user install, and for root */
};

/* The places where the program may be, ended by NULL, and the first one where an executable file
 * is, or NULL. */
const char *const *at_claude_gate_places(const struct at_project *project);
const char *at_claude_gate_program(const struct at_project *project);

/* False when there is no program, or it cannot be read: `out` is then empty. The digest is kept
 * for as long as the file is the same. */
bool at_gate_pin(struct at_gate_pin *out, const struct at_project *project);

/* The integrity manifest that a closed hook expects, below the project, or "". GATE-5 says
 * "missing where expected"; we read it so: expected is what the project's git index tracks, below
 * the team directory or below the project, and a manifest of any gate that is pinned inside the
 * project, where a session may be able to write. It is decided at --update, on whose bytes the
 * operator looks, and not on a call. Any failure to read an index means: not expected.
 * `pin` may be empty. */
const char *at_gate_manifest(const struct at_project *project, const struct at_gate_pin *pin,
	struct at_arena *arena);

/* The digest a script pins, or "". */
void at_gate_pinned(char out[AT_DIGEST_HEX], struct at_bytes script);

#endif
