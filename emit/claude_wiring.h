/* claude_wiring.h - the parts of claude's wiring check.
 *
 * Compare says what of the emitted block is not in the live file, undone says what takes
 * it back, hook says whether the gate would really be started. (WIRE-5)
 */
#ifndef AT_CLAUDE_WIRING_H
#define AT_CLAUDE_WIRING_H

#include "emit/claude.h"

struct at_wiring_check {
	struct at_wiring *report;
	const struct at_project *project;
	const struct at_json *example; /* the wanted bytes, parsed */
	const struct at_live *live;
	bool has_sandbox; /* the example asks for one */
	bool hooks_are_off; /* some file switches all hooks off */
};

/* Adds what is missing, and sets report->is_configured. */
void at_claude_check_block(const struct at_wiring_check *check);

/* Adds what `file` (called `name`) takes back, and sets report->undone. A local file may
 * override; the project's own can only add. */
void at_claude_check_undone(struct at_wiring_check *check, const struct at_live *file,
	const char *name, bool is_local);

/* Adds what keeps the gate from being started, and sets report->hook_is_wired. */
void at_claude_check_hook(const struct at_wiring_check *check);

#endif
