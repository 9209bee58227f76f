/* key_acts.h - what the console does with keys at a confirmed act: make, install, move.
 *
 * The same as --new-key, --install-key and --migrate-keys, without their reports. Each refuses in an
 * agent session and under --readonly. (KEY-1, WIRE-17)
 */
#ifndef AT_KEY_ACTS_H
#define AT_KEY_ACTS_H

#include "core/error.h"
#include "views/session.h"

/* A key without a passphrase; `said`: what was made, appended. */
bool at_key_act_new(struct at_buf *said, struct at_session *session, const char *name,
	struct at_error *err);
/* The public half of `name` into this team's store; --undo takes it back. */
bool at_key_act_install(struct at_buf *said, struct at_session *session, const char *name,
	struct at_error *err);
/* Old key files into the store; none is overwritten or deleted. */
bool at_key_act_migrate(struct at_buf *said, struct at_session *session, struct at_error *err);

#endif
