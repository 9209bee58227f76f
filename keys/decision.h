/* decision.h - the rows of a team's security decisions: what they say, what is signed, whether
 * it holds.
 *
 * Reads the legacy header, the current one and the 20 columns that --sign-decision makes, which
 * the Python tool's own gate refuses. It knows payloads, signatures and the chain; who may clear
 * what is keys/clearance. (KEY-9; reference-ledgers 2.2, 2.3)
 *
 * What is signed: `date|action|verdict|conditions_verified|author|prev_digest`, then
 * `derives_from=`, `sig_scheme=` and `key_id=` where they are not empty. That leaves scope and
 * effects unsigned, so that a scope could be taken away without a key. Our own rows add `scope=`
 * and the `effect_…=` that are not empty, in that order; a row without them is byte for byte what the Python tool signs. A
 * row whose scope or effects stand outside its signature authorises nothing. The chain is over the
 * payload without our addition, so the Python tool reads a ledger with our rows in it.
 * (reference-ledgers 5, row 12)
 */
#ifndef AT_KEYS_DECISION_H
#define AT_KEYS_DECISION_H

#include "core/bytes.h"
#include "core/digest.h"
#include "core/error.h"
#include "keys/ed25519.h"
#include "keys/ledger.h"
#include "keys/table.h"

struct at_arena;

#define AT_DECISIONS "references/security-decisions.log.csv" /* below a team dir */

enum at_verdict {
	AT_VERDICT_OTHER,
	AT_VERDICT_PASS,
	AT_VERDICT_CONDITIONAL,
	AT_VERDICT_HALT,
	AT_VERDICT_RETRACTED,
	AT_VERDICT_USED,
};
bool at_verdict_authorises(enum at_verdict verdict);

enum at_consumed {
	AT_CONSUMED_NO,
	AT_CONSUMED_YES,
	AT_CONSUMED_UNCLEAR, /* a word that is neither */
};

/* Columns that only our own signatures cover. */
enum at_extension {
	AT_EXT_SCOPE,
	AT_EXT_CLASS,
	AT_EXT_GRANTS,
	AT_EXT_TARGETS,
	AT_EXT_RELAXES,
	AT_EXT_DESTRUCTIVE,
	AT_EXT_CROSS_REPO,
	AT_EXT_BULK,
	AT_EXT_COUNT,
};
extern const char *const at_extension_names[AT_EXT_COUNT];

/* Texts are stripped, in the arena of the ledger. */
struct at_decision {
	struct at_bytes date, action, verdict, conditions_verified, author, prev_digest;
	struct at_bytes derives_from, scheme, key_id, signature;
	struct at_bytes evidence; /* or, where that is empty, the conditions */
	struct at_bytes extension[AT_EXT_COUNT];
	enum at_verdict kind;
	enum at_consumed consumed;
	size_t number; /* of the row, from 1 */
	size_t line;
	bool is_torn;
	const char *
		ambiguous; /* "`date` holds `|`, …": why its payload may be read in two ways, or NULL */
};

struct at_decisions {
	struct at_table table;
	struct at_decision *rows;
	size_t count;
	bool has_signature, has_chain, has_lineage; /* columns */
	const struct at_decision **by_action; /* sorted, rows of one action in their order */
	const char **lineage; /* beside by_action, at the first of an action: what is known of it */
};

/* Makes rows of a table. Fails with AT_EPARSE, id decisions-malformed, for a header of no known
 * form or with padded names. A table that is absent has no rows. */
bool at_decisions_read(struct at_decisions *out, struct at_arena *arena,
	const struct at_table *table, struct at_error *err);
/* The same of the file below the team dir `root`. */
bool at_decisions_load(
	struct at_decisions *out, struct at_arena *arena, int root, struct at_error *err);

/* Appends what the Python tool signs and chains, or what we sign: the same with the extension. */
void at_decision_payload(struct at_buf *out, const struct at_decision *row);
void at_decision_payload_extended(struct at_buf *out, const struct at_decision *row);
bool at_decision_is_extended(const struct at_decision *row); /* scope or an effect is set */
struct at_digest at_decision_digest(const struct at_decision *row); /* the next one's prev_digest */

/* Every row names the digest of the one before. A torn row is none yet. Holds where there is no
 * such column. AT_EREFUSED, id decisions-chain. */
bool at_decisions_check_chain(const struct at_decisions *decisions, struct at_error *err);

struct at_decision_keys {
	struct at_bytes hmac; /* the value of AGENTTEAMS_DECISION_SIGNING_KEY; empty: unset */
	struct at_keys verify; /* the team's: references/authorized-verify-keys/ID.pub.pem */
};

enum at_seal {
	AT_SEAL_HMAC,
	AT_SEAL_ED25519,
	AT_SEAL_NONE, /* no signature */
	AT_SEAL_WRONG, /* does not verify */
	AT_SEAL_NO_KEY, /* HMAC, and its key is not set */
	AT_SEAL_NO_VERIFY_KEY, /* Ed25519, and the team has no such key */
	AT_SEAL_SCHEME, /* an unknown sig_scheme */
	AT_SEAL_TAG, /* could be read as a grant */
	AT_SEAL_OUTSIDE, /* verifies, and scope or effects are not covered */
	AT_SEAL_COUNT,
};
bool at_seal_holds(enum at_seal seal);
const char *at_seal_name(enum at_seal seal); /* "hmac", "ed25519", "unsigned", … */

/* An ed25519 row is verified with the team's key alone, any other with the HMAC key alone. `why`
 * (may be NULL) gets the error of a key that was not found. */
enum at_seal at_decision_seal(
	const struct at_decision *row, const struct at_decision_keys *keys, struct at_error *why);

/* A row's action covers `action`: equal but for case, or longer by a suffix that begins with one
 * of `- _ . :` and narrows nothing. */
bool at_action_matches(struct at_bytes reviewed, struct at_bytes action);
/* A HALT for `action`. A row that can be read in two ways is one if it can be read as one. */
bool at_decision_halts(const struct at_decision *row, struct at_bytes action);

/* The actions that `action`, or one with a suffix to it, derives from, through any number of rows, each once, in `arena`. Fails
 * with AT_EREFUSED on a circle and on a name that no row has. */
struct at_action_list {
	struct at_bytes *items; /* lower case */
	size_t count, cap;
};
bool at_decisions_ancestors(struct at_action_list *out, struct at_arena *arena,
	const struct at_decisions *decisions, struct at_bytes action, struct at_error *err);

/* Whether the lineage of that action can be followed, each action looked at once. */
bool at_decisions_lineage(const struct at_decisions *decisions, struct at_arena *arena,
	struct at_bytes action, struct at_error *err);
/* Makes the index anew; after `rows` were changed. */
void at_decisions_index(struct at_decisions *decisions, struct at_arena *arena);

/* REQ-8: rows that clear something now and do not once signatures are asked for: they authorise,
 * are whole, unsigned and not spent. */
size_t at_decisions_unsigned(const struct at_decisions *decisions);

#endif
