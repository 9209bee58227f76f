/* grant_check.h - does one grant hold, and if not, at which check does it stop?
 *
 * The checks stand in one table, in the order of the reference; the first that fails gives the one
 * message, the rest are not reached. So a screen shows for every row what was asked and what was not.
 * It reads no files but for the links on the way to a target. (KEY-4 to KEY-7; reference-ledgers 1.8)
 */
#ifndef AT_KEYS_GRANT_CHECK_H
#define AT_KEYS_GRANT_CHECK_H

#include "keys/grant.h"
#include "keys/isotime.h"
#include "keys/roster.h"

enum at_grant_check {
	AT_GRANT_CHECK_FIELDS,    /* no field that has to be there is blank */
	AT_GRANT_CHECK_CLEAR,     /* no delimiter, control or hiding character in a signed field */
	AT_GRANT_CHECK_SCHEME,    /* `write` is signed by Ed25519 */
	AT_GRANT_CHECK_SIGNATURE,
	AT_GRANT_CHECK_DATE,      /* expires_at can be read */
	AT_GRANT_CHECK_EXPIRY,    /* and is to come */
	AT_GRANT_CHECK_NUMBERS,   /* max_uses and uses are integers */
	AT_GRANT_CHECK_USES,      /* uses are left */
	AT_GRANT_CHECK_APPROVER,  /* stands on the team's roster */
	AT_GRANT_CHECK_TARGET,    /* has a shape that may be widened to */
	AT_GRANT_CHECK_ANCHOR,    /* lies in issuer_root, where one is given */
	AT_GRANT_CHECKS
};

const char *at_grant_check_name(enum at_grant_check check); /* "signature", one or two words */
const char *at_grant_check_help(enum at_grant_check check); /* one clause: what is asked */

enum at_grant_result { AT_GRANT_NOT_REACHED, AT_GRANT_PASS, AT_GRANT_FAIL };

struct at_grant_verdict {
	bool is_valid;
	enum at_grant_check failed; /* AT_GRANT_CHECKS when valid */
	enum at_grant_result results[AT_GRANT_CHECKS];
	struct at_error fault; /* set when not valid; the message is the reference's */
	enum at_grant_scheme scheme;
	bool has_expiry;       /* the two below are set */
	struct at_time expires;
	int64_t days_left;     /* 0 on the last day, negative when over */
	bool writes;           /* its operations hold `write` */
	bool widens;           /* valid, writes, Ed25519 */
	bool is_absolute;      /* the target, else it is relative to the workspace */
	struct at_bytes target; /* stripped; borrowed from the row */
};

#define AT_GRANT_KEY_CACHE 16u

enum at_grant_mode {
	AT_GRANT_FULL,
	AT_GRANT_MIGRATION,  /* skips SCHEME: would this HMAC row hold but for that? (KEY-10) */
	AT_GRANT_AUTHENTIC,  /* SIGNATURE alone: before an append (5, row 9) */
};

/* What rows are held against. Zero it, set the first part; the rest is the checker's. */
struct at_grant_ground {
	enum at_grant_mode mode;
	struct at_bytes hmac_key; /* empty: not set */
	struct at_keys keys;
	const struct at_roster *roster; /* may be NULL in AUTHENTIC mode */
	struct at_time now;

	struct {
		char key_id[AT_KEY_ID_CAP + 1];
		bool found;
		struct at_public_key key;
		struct at_error why;
	} *cache; /* of AT_GRANT_KEY_CACHE, made at need */
	size_t cached, cache_turn;
};

/* `row` as the walk gives it. No allocation but on a key's first use and on failure. */
void at_grant_check(struct at_grant_verdict *out, struct at_grant_ground *ground,
	const struct at_ledger_row *row);
void at_grant_ground_free(struct at_grant_ground *ground); /* the cache */

#endif
