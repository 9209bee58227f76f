/* direct_grant.h - the operator's signed word that one agent's changes may be written without a look
 * at each: bound to scopes, gates, tools and the server's bytes, for days, up to a number.
 *
 * Records, the message that is signed, what holds against the brief as it is now, and how often each
 * was used. It opens no key and no file; callers hand both in. (DIR-1; reference-ledgers 3.13)
 */
#ifndef AT_PROPOSAL_DIRECT_GRANT_H
#define AT_PROPOSAL_DIRECT_GRANT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/bytes.h"
#include "core/digest.h"
#include "core/error.h"
#include "keys/isotime.h"
#include "keys/ledger.h"
#include "keys/secret.h"
#include "runner/proposals/policy.h"

#define AT_DIRECT_TAG "agentteams-mcp-direct-grant-v1"
#define AT_DIRECT_SERVER "agentteams_runner"
#define AT_DIRECT_ACTIVE 3u     /* more than that are none */
#define AT_DIRECT_DAYS_MOST 30u /* 7 where nobody says */
#define AT_DIRECT_WRITES_MOST 500u /* 50 where nobody says */
#define AT_DIRECT_RECORDS 64u   /* in one file */

struct at_direct_gate {
	const char *name;
	char sha256[AT_DIGEST_HEX];
};

/* The 13 signed fields; texts are in the arena of the list. */
struct at_direct_grant {
	const char *grant_id; /* 16 lower-case digits */
	const char *agent, *server, *map_version, *approval;
	struct at_strings tools, write_scopes;
	const struct at_direct_gate *gates; /* by name */
	size_t gate_count;
	const char *server_sha256;
	const char *issued, *expires; /* as signed */
	long long max_writes;
	const char *key_id;
	const char *signature; /* 128 digits */
	bool is_active;
	struct at_error why; /* not active: the problem */
	size_t used; /* apply-direct rows, see at_direct_grants_count() */
};

struct at_direct_grants {
	struct at_arena *arena; /* owns it */
	struct at_direct_grant *items;
	size_t count, active;
	struct at_strings problems; /* one sentence each, `grant 'id': …` */
};

/* Appends the bytes that are signed. */
void at_direct_message(struct at_buf *out, const struct at_direct_grant *grant);

/* What a grant has to be bound to: of the brief as it is and the server as it is installed. */
struct at_direct_live {
	const struct at_policy *policy;
	const char *server_sha256; /* 64 digits */
	struct at_keys keys;       /* ~/.config/agentteams/verify-keys, in custody */
	struct at_time now;
};

/* Reads the file and judges every record in the order of 3.13; `text.data` NULL: no file. A record
 * that does not hold is kept with its problem. Fails where the file itself is no list of objects or
 * beyond its caps; nothing is used then. Release with at_direct_grants_free(). */
bool at_direct_grants_read(struct at_direct_grants *out, struct at_bytes text,
	const struct at_direct_live *live, struct at_error *err);
void at_direct_grants_free(struct at_direct_grants *grants);

/* The active grant of an agent, or NULL. */
struct at_direct_grant *at_direct_grant_of(const struct at_direct_grants *grants,
	const char *agent);

/* A row of the ledger: an apply-direct counts for the grant it names. For
 * at_proposal_ledger_open(); `context` is the list. */
bool at_direct_grants_count(void *context, const struct at_json *row, size_t number,
	struct at_error *err);
/* The ledger does not verify: no grant is used, and one problem says so. */
void at_direct_grants_drop(struct at_direct_grants *grants, const char *why);

/* May this grant write once more, now? "… has used its N writes; stage further writes". */
bool at_direct_grant_may(const struct at_direct_grant *grant, struct at_time now,
	struct at_error *err);

/* What the operator asks for. */
struct at_direct_wish {
	const char *agent, *key_id;
	unsigned days, max_writes; /* 1 to 30, 1 to 500: 0 is refused, never a default */
};

/* A grant for the agent as the policy is now, unsigned; texts in `arena`. Fails with AT_EINVALID or
 * AT_EREFUSED where such a grant could not hold. */
bool at_direct_grant_make(struct at_direct_grant *out, const struct at_direct_wish *wish,
	const struct at_direct_live *live, struct at_arena *arena, struct at_error *err);
bool at_direct_grant_sign(struct at_direct_grant *grant, const struct at_secret *seed,
	struct at_arena *arena, struct at_error *err);

/* The new text of the file: without the agent's old records, and with `grant` (NULL: a revocation).
 * Other records are kept as they stand. Appended. */
bool at_direct_grants_print(struct at_buf *out, struct at_bytes old, const char *agent,
	const struct at_direct_grant *grant, struct at_error *err);

#endif
