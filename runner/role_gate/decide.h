/* decide.h - may this call of a tool go ahead, by who asks for it.
 *
 * A codex session's own agent may do what its sandbox lets it; whoever it spawned may read
 * through the file server and nothing else. Reads the hook's input strictly: what cannot be
 * understood is denied. It knows no files and no environment. (WP-3; reference-later 5.2)
 */
#ifndef AT_ROLE_GATE_DECIDE_H
#define AT_ROLE_GATE_DECIDE_H

#include <stdbool.h>

#include "core/bytes.h"

#define AT_ROLE_GATE_CAP ((size_t)4 << 20) /* bytes of input */
#define AT_ROLE_GATE_SERVER "mcp__agentteams_readfs__"

/* NULL to allow, else why not: a constant, without a word of the input. `confined` is the value
 * of AGENTTEAMS_CODEX_CONFINED, or NULL. */
const char *at_role_gate_decide(struct at_bytes input, const char *confined);

#endif
