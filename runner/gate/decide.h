/* decide.h - one call, one judgement: the rules for a command, the scanner for content.
 *
 * Neither reads input nor prints. (GATE-2 to GATE-4)
 */
#ifndef AT_GATE_DECIDE_H
#define AT_GATE_DECIDE_H

#include "runner/gate/gate.h"
#include "runner/gate/input.h"
#include "runner/gate/place.h"
#include "runner/gate/scan.h"

struct gate_judgement {
	struct gate_verdict verdict;
	struct scan_result found; /* of content; empty for a command */
};

/* Never fails. */
void gate_judge_call(struct gate_judgement *out, const struct gate_call *call,
	const struct gate_context *context, const struct gate_place *place);

#endif
