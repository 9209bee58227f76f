/* place.h - where a session works, for the gate: project, directory, the scripts in it.
 *
 * Paths from the harness are hints for reading. Nothing here decides what is run, and nothing
 * outside the project is opened. (GATE-9)
 */
#ifndef AT_GATE_PLACE_H
#define AT_GATE_PLACE_H

#include <limits.h>

#include "runner/gate/gate.h"

struct gate_call;

#define GATE_SCRIPT_CAP ((size_t)64 << 10)

struct gate_place {
	char project[PATH_MAX], cwd[PATH_MAX]; /* physical, or "" */
	int root; /* of the project, or -1: opened when first asked for */
};

/* `project` as the variable says, or NULL. Fills the context's paths and reader, which borrow
 * `out`. */
void gate_place_init(struct gate_place *out, struct gate_context *context, const char *project,
	const char *cwd, const char *home);

/* May the file quote an injection phrase? By its physical path: its directory must be there. */
bool gate_place_may_quote(const struct gate_place *place, const char *path);

#endif
