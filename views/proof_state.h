/* proof_state.h - the stored proof of the launcher, and whether it still counts here.
 *
 * Reads it, looks at host and tools as they are now, and judges. It runs nothing but what
 * reading files takes. (WIRE-13)
 */
#ifndef AT_PROOF_STATE_H
#define AT_PROOF_STATE_H

#include "core/file.h"
#include "runner/selftest/tools.h"
#include "views/session.h"

/* The launcher to be tested: the project's own where it has one, else the one this program
 * ships. */
struct at_launcher_text {
	struct at_file file; /* owns the project's */
	struct at_bytes bytes;
	const char *from; /* one clause */
	bool is_ours; /* byte for byte the one that is shipped */
};
/* Fails when the project's cannot be read as a plain file. */
bool at_launcher_text_read(
	struct at_launcher_text *out, const struct at_session *session, struct at_error *err);
void at_launcher_text_free(struct at_launcher_text *text);

struct at_proof_state {
	bool exists; /* a proof is stored and was read; is_refused: one is there and was not */
	bool is_refused;
	struct at_error error;
	struct at_proof proof;
	enum at_mechanism_state state; /* UNVERIFIED, STALE, VERIFIED_HERE */
	size_t failures; /* of the cases that must hold */
	char why[400]; /* of STALE and UNVERIFIED, or "" */
	char date[16];
};
void at_proof_state_read(struct at_proof_state *out, const struct at_session *session);
void at_proof_state_free(struct at_proof_state *state);

/* What the truth line may say of it: only for a team whose mechanism is the launcher here. */
void at_proof_state_evidence(const struct at_proof_state *state, struct at_evidence *evidence);

#endif
