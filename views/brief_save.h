/* brief_save.h - writing the operator's brief.
 *
 * The exact bytes that were shown, through a plan, so that undo takes them back. A brief that
 * changed since it was read is never overwritten. The screen and the command line share it.
 * (REQ-12, REQ-14)
 */
#ifndef AT_BRIEF_SAVE_H
#define AT_BRIEF_SAVE_H

#include "core/apply.h"
#include "views/session.h"

/* Where the brief would be changed at all: AT_EREFUSED, saying why, for one outside the
 * project. */
bool at_brief_is_ours(const struct at_session *session, struct at_error *err);

/* May this process write the brief? AT_EDENIED in an agent session or a sandbox. */
bool at_brief_may_save(const struct at_session *session, struct at_error *err);

/* Writes it. Fails with AT_ESTALE, nothing written, when the file is not the one that the
 * session read, and where the bytes are no brief. The session is as before: the caller reads
 * again. */
bool at_brief_save(struct at_session *session, struct at_bytes bytes, struct at_applied *out,
	struct at_error *err);

#endif
