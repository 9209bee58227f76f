/* grants.h - every grant of a workspace, each with its verdict, and the verdict on the ledger.
 *
 * The ledger lies in the holder's workspace, the roster and the public keys in its team's
 * directory. Nothing is consumed and nothing written; what a HALT stops is not asked here: a grant
 * never overrides one. (KEY-3 to KEY-8, KEY-10; reference-ledgers 1.8, 1.9)
 */
#ifndef AT_KEYS_GRANTS_H
#define AT_KEYS_GRANTS_H

#include "keys/grant_check.h"

struct at_arena;
struct at_grant_spec;

/* Where and by what grants are judged. */
struct at_grants_site {
	int ledger_root;  /* descriptor of the workspace root: --output, --project or here */
	int team_dir;     /* descriptor of the directory --update writes; -1: none is there */
	const char *ledger_root_path, *team_dir_path; /* absolute, for messages and the review */
	struct at_bytes hmac_key; /* AT_GRANT_HMAC_KEY_ENV; empty: not set */
	struct at_keys keys;      /* of <team dir>/references/authorized-verify-keys/ */
	struct at_time now;
	const char *writer; /* judges and visits rows alone that let this team write; the chain is
	                       still over all. NULL: every row */
};

struct at_grants {
	struct at_ledger_state ledger; /* not GOOD: what the visits said is void */
	size_t valid, bad;
	size_t widening;   /* valid rows that widen */
	char warning[640]; /* a roster in the workspace root that is not read; or "" (KEY-6) */
};

/* One row: cells by enum at_grant_column, and its verdict; borrowed for the call. */
typedef bool at_grants_visit(void *context, const struct at_ledger_row *row,
	const struct at_grant_verdict *verdict, struct at_error *err);

/* Fails where a file cannot be read, the roster among them, or a visit failed. `visit` may be
 * NULL. Constant memory. */
bool at_grants_walk(struct at_grants *out, const struct at_grants_site *site,
	enum at_grant_mode mode, at_grants_visit *visit, void *context, struct at_error *err);

/* A page of them, each judged, but for chain and head. (see at_ledger_page) */
bool at_grants_page(const struct at_grants_site *site, struct at_ledger_mark from, size_t count,
	at_grants_visit *visit, void *context, struct at_error *err);

/* Fills out->warning alone. */
void at_grants_warn(struct at_grants *out, const struct at_grants_site *site);

/* The lines of --verify-grants: what goes to stdout, what to stderr, and the exit status. Names at
 * most `cap` problems, and says how many more there are. Appended. */
bool at_grants_report(struct at_buf *out, struct at_buf *problems, int *status,
	const struct at_grants_site *site, size_t cap, struct at_error *err);

/* A grant by HMAC that permits `write`, which no longer widens. */
struct at_grant_migration {
	const struct at_grant_spec *spec; /* what to sign, but for its key_id */
	const char *grant_id;
	const char *why_not; /* it would not hold for another reason: not to be signed; or NULL */
	bool is_done;        /* a valid Ed25519 row grants the same */
};

/* All of them, in the file's order, in `arena`. AT_EREFUSED where the ledger is not good. */
bool at_grants_migrations(struct at_grant_migration **out, size_t *count, struct at_arena *arena,
	const struct at_grants_site *site, struct at_error *err);

#endif
