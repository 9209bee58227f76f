/* grant_issue.h - making a grant, step by step, so that a screen can stop at each.
 *
 * Prepare makes the row and the exact bytes that are signed, and reads no key. Sign takes the key.
 * Verify holds the finished row against the team's directory, as every later reader does. Append
 * writes it, if the ledger still is what was reviewed. A dry run stops before the append.
 * (KEY-4, KEY-5, KEY-8; reference-ledgers 1.7, 1.10)
 */
#ifndef AT_KEYS_GRANT_ISSUE_H
#define AT_KEYS_GRANT_ISSUE_H

#include "keys/grant_spec.h"
#include "keys/grants.h"

struct at_grant_draft {
	struct at_grant_spec spec;
	enum at_grant_scheme scheme;
	struct at_bytes cells[AT_GRANT_COLUMNS]; /* in the arena */
	struct at_bytes message;   /* the exact bytes that are signed */
	struct at_digest review;   /* of kind, spec, team dir, key id and ledger root */
	struct at_ledger_head head; /* what will stand beside; signed with the row (Ed25519) */
	bool is_signed;
	char warning[640]; /* as in struct at_grants */
};

/* Checks the spec, the roster and the ledger; makes id, timestamp and payload. `scheme` is ED25519
 * (spec.key_id is needed) or HMAC (refused for `write`, first of all). All in `arena`. */
bool at_grant_prepare(struct at_grant_draft *out, struct at_arena *arena,
	const struct at_grant_spec *spec, enum at_grant_scheme scheme,
	const struct at_grants_site *site, struct at_error *err);

/* Signs row and head by the seed; nothing of it stays. */
bool at_grant_sign(struct at_grant_draft *draft, struct at_arena *arena,
	const struct at_secret *seed, struct at_error *err);
/* Signs the row by HMAC. AT_EREFUSED without a key. */
bool at_grant_seal(struct at_grant_draft *draft, struct at_arena *arena, struct at_bytes key,
	struct at_error *err);

/* The finished row as a reader will see it. False, with its message, when it would not hold; the
 * verdict is filled either way. */
bool at_grant_verify(struct at_grant_verdict *out, const struct at_grant_draft *draft,
	const struct at_grants_site *site, struct at_error *err);

/* Verifies again, then appends. AT_ESTALE when the ledger grew since: prepare anew. */
bool at_grant_append(struct at_ledger_appended *out, const struct at_grant_draft *draft,
	const struct at_grants_site *site, struct at_error *err);

/* "Issued capability grant …" and the lines after it. Appended. */
void at_grant_issued(struct at_buf *out, const struct at_grant_draft *draft,
	const struct at_ledger_appended *appended, const struct at_grants_site *site);

#endif
