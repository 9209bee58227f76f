/* claude_wiring.h - the parts of claude's wiring check.
 *
 * Compare says what of the emitted block is not in the live file, undone says what takes
 * it back, hook says whether the gate would really be started, log whether its record would stay
 * what it wrote. (WIRE-5, GATE-10)
 */
#ifndef AT_CLAUDE_WIRING_H
#define AT_CLAUDE_WIRING_H

#include "emit/claude.h"
#include "emit/scopes.h"

#define AT_GATE_LOG "AGENTTEAMS_GATE_LOG"

struct at_wiring_check {
	struct at_wiring *report;
	const struct at_project *project;
	const struct at_plan *plan;
	const struct at_json *example; /* the wanted bytes, parsed */
	const struct at_scopes *scopes;
	const struct at_live *live; /* the project's own, of the scopes */
	bool has_sandbox;           /* the example asks for one */
	bool hooks_are_off;         /* some file switches all hooks off */
};

/* Adds what is missing, and sets report->is_configured. */
void at_claude_check_block(const struct at_wiring_check *check);

/* Adds what any file that the client loads takes back, and sets report->undone: of a single
 * value the strongest file's word counts, of lists everybody's. */
void at_claude_check_undone(struct at_wiring_check *check);

/* Adds what is wrong with a log that any file names for the gate: a session that can rewrite the
 * record of itself leaves none. (GATE-10) */
void at_claude_check_gate_log(const struct at_wiring_check *check);

/* Adds what keeps the gate from being started or from stopping anything, and sets
 * report->hook_is_wired: only once the hook was run and judged. */
void at_claude_check_hook(const struct at_wiring_check *check);

#endif
