/* unwritten.h - what was decided and not written when a session was cut short.
 *
 * A text in the project's state directory, for the operator to read at the next start; nothing
 * is chosen from it, because a file is no consent (REQ-4, UI-6).
 */
#ifndef AT_UNWRITTEN_H
#define AT_UNWRITTEN_H

#include "views/session.h"

/* Keeps the text in place of an earlier one; no bytes: there is nothing to tell any more. Writes
 * nothing where that is so already, nor with --readonly. Fails as at_plan_apply() does. */
bool at_unwritten_keep(struct at_session *session, struct at_bytes text, struct at_error *err);

/* The text, empty when there is none or it cannot be read. Freed by the caller. */
struct at_buf at_unwritten_text(const struct at_session *session);

#endif
