/* sights.h - which case a change on the host belongs to.
 *
 * The probe leaves files named after its cases; the rest is told by where it is. A change that
 * belongs to none is told of as well. (LAU-8; notes 7.1: the host decides for writes)
 */
#ifndef AT_SIGHTS_H
#define AT_SIGHTS_H

#include "runner/selftest/snapshot.h"
#include "runner/selftest/verdict.h"

/* One of the directories of a fixture. */
enum at_sight_place { AT_SIGHT_SCRATCH, AT_SIGHT_OUTSIDE };

struct at_sights {
	struct at_evidence_of_case *cases; /* at_case_count of them: host and trace are filled */
	char other[AT_SEEN_DETAIL]; /* a change that belongs to no case, or "" */
};

/* Takes what is different below a directory of that kind. In the workspace only what is
 * protected counts. */
void at_sights_add(struct at_sights *sights, enum at_sight_place place,
	const struct at_snapshot *before, const struct at_snapshot *after);

/* For cases that may reach a copy of the host's directory at most: "worked" with nothing to be
 * seen on the host is no leak of theirs. After all at_sights_add(). */
void at_sights_end(struct at_sights *sights);

#endif
