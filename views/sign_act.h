/* sign_act.h - the operator's act of signing: whose key, and then sign, verify, append.
 *
 * The screen and --sign-grant do the same here. The private key is opened once everything else was
 * looked at, and is gone again before anything is written. (KEY-2, KEY-4, WIRE-16, WIRE-17)
 */
#ifndef AT_SIGN_ACT_H
#define AT_SIGN_ACT_H

#include "keys/grant_issue.h"
#include "keys/keystore.h"
#include "views/session.h"

struct at_operator_key {
	struct at_arena *arena;
	struct at_custody_place place; /* where no key may lie: this project and its write roots */
	struct at_keystore store;
};

/* Where this operator's keys are. The session must outlive it; release it always. */
bool at_operator_key_open(struct at_operator_key *out, struct at_session *session,
	struct at_error *err);
void at_operator_key_close(struct at_operator_key *key);

/* May a key be used here at all: no agent session, no --readonly, and no key value in the
 * environment, where every child could read it? The refusal names the variable, never its value. */
bool at_sign_is_allowed(const struct at_session *session, struct at_error *err);

/* Will signing ask for a passphrase, on the terminal itself? */
bool at_sign_asks(struct at_session *session, const struct at_grant_draft *draft);

/* Opens the key of `key_id` (the file that AGENTTEAMS_DECISION_ED25519_KEYFILE names, else the one
 * of that name in the store), signs, verifies against the team's directory and appends. What was
 * done is appended to `said`. Fails with nothing written. */
bool at_sign_grant(struct at_buf *said, struct at_session *session, struct at_grant_draft *draft,
	struct at_error *err);

#endif
