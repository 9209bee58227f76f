/* decision_sign.h - a new decision: from its spec to the row in the ledger.
 *
 * Reads the spec, makes the row and the bytes to be signed, signs, verifies against the team as
 * the gate will, and only then appends. It asks nobody: who shows the bytes and gets the word is
 * views/. The seed is the caller's and is looked at once. (KEY-9, KEY-11; reference-ledgers 1.10)
 */
#ifndef AT_KEYS_DECISION_SIGN_H
#define AT_KEYS_DECISION_SIGN_H

#include "keys/clearance.h"
#include "keys/isotime.h"

#define AT_DECISION_SPEC_CAP ((size_t)1 << 20) /* bytes */

/* What a spec may hold; texts in the arena, "" where it says nothing. */
enum at_spec_field {
	AT_SPEC_ACTION,
	AT_SPEC_VERDICT,
	AT_SPEC_CONDITIONS,
	AT_SPEC_VERIFIED,
	AT_SPEC_EVIDENCE,
	AT_SPEC_AUTHOR,
	AT_SPEC_DERIVES,
	AT_SPEC_KEY_ID,
	AT_SPEC_EXTENSION, /* the first of AT_EXT_COUNT */
	AT_SPEC_COUNT = AT_SPEC_EXTENSION + AT_EXT_COUNT,
};

struct at_decision_spec {
	struct at_bytes field[AT_SPEC_COUNT];
};

/* A JSON object with `action_reviewed`, `verdict` (PASS, CONDITIONAL PASS, HALT, HALT-RETRACTED),
 * `author`, `key_id`, and any of the other columns; flags may be true or false. Fails with
 * AT_EPARSE, or AT_EINVALID, field set: an unknown key, a wrong type, `|`, an invisible or control
 * character in what is signed, a retraction without evidence. */
bool at_decision_spec_read(struct at_decision_spec *out, struct at_arena *arena,
	struct at_bytes text, struct at_error *err);

/* SHA-256 of what was looked at: spec, team and key. The date is not in it, so that it can be named
 * in a second run. */
struct at_digest at_decision_review(const struct at_decision_spec *spec, const char *team_path);

struct at_decision_signed {
	size_t row; /* it is, or would be */
	struct at_time time;
	const char *payload; /* the bytes signed, in the arena */
	const char *date;
	const char *prev_digest;
	struct at_ledger_appended appended;
};

/* What would be signed now; changes nothing. Fails where the ledger does not take a row. */
bool at_decision_preview(struct at_decision_signed *out, struct at_arena *arena,
	const struct at_clearance_ground *ground, const struct at_decision_spec *spec,
	struct at_time now, struct at_error *err);

/* Signs what `shown` showed and appends it, with the ledger locked from its verification to the
 * head. AT_ESTALE where the ledger changed since and other bytes would be signed. AT_EREFUSED, and
 * nothing written: the team's key of that name is another, the author is not on the roster, a
 * lineage does not resolve, or the ledger lacks the columns. Every fault the gate would find is
 * found here. */
bool at_decision_sign(struct at_decision_signed *out, struct at_arena *arena,
	const struct at_clearance_ground *ground, const struct at_decision_spec *spec,
	const struct at_decision_signed *shown, const struct at_secret *seed, struct at_error *err);

/* Decisions as keys/ledger knows them. */
extern const struct at_ledger_kind at_decision_ledger;

#endif
