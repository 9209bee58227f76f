/* sign_act.h - the operator's act of signing a grant: whose key, and then sign, verify, append.
 *
 * The screen and --sign-grant do the same here. The private key is opened once everything else was
 * looked at, and is gone again before anything is written. (KEY-2, KEY-4, WIRE-16, WIRE-17)
 */
#ifndef AT_SIGN_ACT_H
#define AT_SIGN_ACT_H

#include "keys/grant_issue.h"
#include "views/session.h"

/* May a key be used here at all: no agent session, no --readonly, and no key value in the
 * environment, where every child could read it? The refusal names the variable, never its value. */
bool at_sign_is_allowed(const struct at_session *session, struct at_error *err);

/* Opens the key of the draft's key_id, signs, verifies against the team's directory and appends.
 * What was done is appended to `said`. Fails with nothing written. */
bool at_sign_grant(struct at_buf *said, struct at_session *session, struct at_grant_draft *draft,
	struct at_error *err);

#endif
