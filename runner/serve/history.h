/* history.h - what the ledger says that the runner has to know when it starts and when it undoes.
 *
 * Fed with every row, at the start from the file and then as they are written. Keeps the last
 * writes that can be taken back and the rows whose act may not have followed. (STG-4)
 */
#ifndef AT_SERVE_HISTORY_H
#define AT_SERVE_HISTORY_H

#include <limits.h>
#include <stdbool.h>

#include "core/digest.h"
#include "core/error.h"
#include "core/json_read.h"
#include "runner/proposals/dispatch.h"

#define AT_HISTORY_KEPT 50u /* as many as the journal keeps */
#define AT_HISTORY_STAGED 256u /* as many as one group of the runner has */

/* One write as its row has it; "absent" is a digest that is not there. */
struct at_written {
	char action[40], agent[AT_AGENT], sid[33]; /* sid "" where it was not staged */
	char *path;
	bool base_is_absent, new_is_absent;
	struct at_digest base, new;
};

struct at_history {
	struct at_written stack[AT_HISTORY_KEPT]; /* the newest last */
	unsigned count;
	bool last_is_write; /* the very last row is the top of the stack's, or its undoing */
	bool last_is_undo;
	struct at_written undone; /* what that row undid */
	char staged[AT_HISTORY_STAGED][33]; /* of the stage-proposal rows that end the ledger */
	size_t staged_count;
	char settled[33]; /* the last row decided this staged record; "" */
	char settled_action[40];
};

/* For at_proposal_ledger_open(); `context` is the history. Never fails. */
bool at_history_row(void *context, const struct at_json *row, size_t number,
	struct at_error *err);
/* The same of text in SPACED form. */
void at_history_note(struct at_history *history, struct at_bytes row);
void at_history_free(struct at_history *history);

#endif
