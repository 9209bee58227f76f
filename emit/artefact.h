/* artefact.h - what became of a file that was emitted: the same, an older release, edited.
 *
 * Compares a file with the bytes that this version emits and, where they differ, asks the
 * records of the teams in the project whether it was ever written by a run. It judges
 * nothing and writes nothing. (INT-2)
 */
#ifndef AT_ARTEFACT_H
#define AT_ARTEFACT_H

#include "core/file.h"
#include "emit/framework.h"

enum at_artefact_state {
	AT_ARTEFACT_SAME,
	AT_ARTEFACT_MISSING,
	AT_ARTEFACT_OLDER,  /* a record knows these bytes: a run wrote them, not this version */
	AT_ARTEFACT_EDITED, /* no record does: edited, or not ours */
	AT_ARTEFACT_UNFIT,  /* a link, a special file, or not to be read */
};
const char *at_artefact_state_name(enum at_artefact_state state); /* "older release" */

/* The state of `path` below the project. Fills `file` unless it is missing or unfit; free
 * it always. */
enum at_artefact_state at_artefact_look(struct at_file *file, const struct at_project *project,
	const char *path, struct at_bytes wanted);

/* A finding for each planned file that is missing or differs; not for the launcher and codex's own
 * files, which have findings of their own. */
void at_artefacts_check(struct at_wiring *report, const struct at_plan *plan);

#endif
