/* proposal_act.h - what the operator decides about a staged proposal, asked of the runner.
 *
 * Over the socket of a runner that serves this project; where none does, the console opens one of its
 * own for the one act. What is applied is bound to what was on the screen. (STG-1, STG-4)
 */
#ifndef AT_PROPOSAL_ACT_H
#define AT_PROPOSAL_ACT_H

#include "views/acts.h"

/* Asks, and says what came of it in `said`. False with the runner's refusal. */
bool at_proposal_do(struct at_buf *said, struct at_session *session,
	const struct at_proposal_act *act, struct at_error *err);

#endif
