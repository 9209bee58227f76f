/* operator_key.h - the operator's own keys, as a session finds and opens them.
 *
 * Screens and modes that sign go through here: where the store is, where no key may lie, and the
 * one key of an id, opened for one signature. (KEY-1, KEY-2)
 */
#ifndef AT_OPERATOR_KEY_H
#define AT_OPERATOR_KEY_H

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

/* Opens the private half of `key_id`: the file that AGENTTEAMS_DECISION_ED25519_KEYFILE names, else
 * the key of that name in the store. A passphrase is asked for on the terminal itself. Release with
 * at_key_close(). */
bool at_operator_key_load(struct at_key_pair *out, struct at_session *session,
	struct at_bytes key_id, struct at_error *err);
/* Will that ask for a passphrase? */
bool at_operator_key_asks(struct at_session *session, struct at_bytes key_id);

#endif
