/* grant.h - one row of the capability grants: its columns, its payload, its signature.
 *
 * A grant lets a holder team write or read below a path of its issuer. The table of the ledger, the
 * bytes that are signed by either scheme, and the shape a target may have. Whether a row holds is
 * keys/grant_check. (KEY-3, KEY-4, KEY-5, KEY-7; reference-ledgers 1.2, 1.3, 1.7)
 */
#ifndef AT_KEYS_GRANT_H
#define AT_KEYS_GRANT_H

#include "keys/ledger.h"

#define AT_GRANTS_PATH "references/capability-grants.log.csv" /* below the workspace root */
#define AT_GRANT_TAG "agentteams-grant-v1"
#define AT_GRANT_HMAC_KEY_ENV "AGENTTEAMS_GRANT_SIGNING_KEY" /* its bytes; empty is unset */

enum at_grant_column {
	AT_GRANT_TIMESTAMP,
	AT_GRANT_ID,
	AT_GRANT_ISSUER,
	AT_GRANT_HOLDER,
	AT_GRANT_TARGET,
	AT_GRANT_OPS,
	AT_GRANT_EXPIRES,
	AT_GRANT_MAX_USES,
	AT_GRANT_USES,
	AT_GRANT_APPROVER,
	AT_GRANT_TICKET,
	AT_GRANT_REASON,
	AT_GRANT_ISSUER_ROOT,
	AT_GRANT_PREV,
	AT_GRANT_SIGNATURE,
	AT_GRANT_SCHEME,
	AT_GRANT_KEY_ID,
	AT_GRANT_COLUMNS
};

extern const struct at_ledger_kind at_grant_kind;

enum at_grant_scheme {
	AT_GRANT_HMAC, /* an empty scheme is HMAC */
	AT_GRANT_ED25519,
	AT_GRANT_UNKNOWN,
};

enum at_grant_scheme at_grant_scheme(const struct at_bytes *cells);
/* Is `op` one of the operations of a cell: split at `;`, stripped, compared exactly? */
bool at_grant_has_op(struct at_bytes ops, const char *op);
/* The first operation that is neither `read` nor `write`; empty when all are known. */
struct at_bytes at_grant_odd_op(struct at_bytes ops);
/* The holder, stripped, is `team`, case and all. */
bool at_grant_is_for(const struct at_bytes *cells, const char *team);

/* What is signed, by the scheme the row names: the payload, with the tag before it for Ed25519. */
void at_grant_message(struct at_buf *out, const struct at_bytes *cells);

/* The signature's text for `message`, appended. */
void at_grant_hmac(struct at_buf *out, struct at_bytes key, struct at_bytes message);

/* May `target`, stripped, be widened to? Refused are nothing, the file system's root and the whole
 * workspace in any spelling, `~`, `$`, wildcards, `..`, control and hiding characters. AT_EINVALID
 * with the message. (KEY-7; reference-ledgers 1.7, 5 row 4) */
bool at_grant_target_check(struct at_bytes target, struct at_error *err);

/* issuer_root, stripped and not empty, is absolute, and an absolute target leads, links followed, to
 * it or below it. A relative target is not asked. (reference-ledgers 1.9) */
bool at_grant_anchor_check(struct at_bytes issuer_root, struct at_bytes target,
	struct at_error *err);

/* A text as Python's repr() shows it, quotes included; cut at `cap` bytes. Appended. */
void at_grant_repr(struct at_buf *out, struct at_bytes text, size_t cap);

/* Texts of the reference. */
extern const char at_grant_no_roster[];  /* no roster, or a stub */
extern const char at_grant_no_key[];     /* the HMAC key is not set */
void at_grant_fail_roster(struct at_error *err, struct at_bytes approver);
void at_grant_fail_hmac_write(struct at_error *err, struct at_bytes grant_id); /* 1b, KEY-5 */
/* The line printed at every issue: the counter is not consumed. (KEY-7) */
void at_grant_uses_note(struct at_buf *out, struct at_bytes grant_id, int64_t max_uses);
/* What an operator is told where a grant is signed and listed. (KEY-8) */
extern const char at_grant_latency_note[];

#endif
