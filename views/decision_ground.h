/* decision_ground.h - a session's team as the clearance gate stands on it, and where keys are from.
 *
 * HMAC keys are values of the environment, as the Python tool has them, and only for verifying;
 * the team's verify keys are files below its references/. No value of a key is ever repeated. (KEY-9, KEY-12, WIRE-16)
 */
#ifndef AT_DECISION_GROUND_H
#define AT_DECISION_GROUND_H

#include "keys/clearance.h"
#include "views/session.h"

/* Opens the team dir; one that is not there is no failure, nothing is cleared then. Released by
 * at_decision_ground_close(), also after a failure. Borrows from the session. */
bool at_decision_ground_open(
	struct at_clearance_ground *out, struct at_session *session, struct at_error *err);
void at_decision_ground_close(struct at_clearance_ground *ground);

/* KEY-12: what a destructive verb of ours asks before it acts. With `acts` what clears it is spent
 * then and there. Notes go to standard error. AT_EREFUSED with the rule that decided: exit 1. */
bool at_session_is_cleared(struct at_session *session, const char *action, bool relaxes, bool acts,
	struct at_error *err);

/* WIRE-16: AT_EDENIED, naming the variable and never its value, where the environment holds the
 * value of a signing key. The path of a key file is none. */
bool at_environment_has_no_key(const struct at_session *session, struct at_error *err);

#endif
