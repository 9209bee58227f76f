/* dispatch.h - nonces: the orchestrator gives one to an agent with its task, and a proposal without
 * a live one is nobody's.
 *
 * .agentteams/dispatches.jsonl holds signed records and counters, never a nonce. Every act is made
 * under the lock .agentteams/dispatches.lock. It reads no artifact and runs nothing.
 * (RUN-6; reference-ledgers 3.4)
 */
#ifndef AT_PROPOSAL_DISPATCH_H
#define AT_PROPOSAL_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "core/bytes.h"
#include "core/digest.h"
#include "core/error.h"
#include "keys/isotime.h"
#include "runner/proposals/ledger.h"
#include "runner/proposals/site.h"

#define AT_NONCE 33 /* 32 lower-case digits and a NUL */
#define AT_AGENT 65 /* a slug and a NUL */

/* How long and how often a nonce holds. */
struct at_dispatch_limits {
	unsigned hours, uses, attempts;
};
extern const struct at_dispatch_limits at_dispatch_uniform; /* 24 h, 25 uses, 100 attempts */
extern const struct at_dispatch_limits at_dispatch_narrow;  /* 4 h, 10 uses, 40 attempts: an agent
                                                             * with a verified direct grant */

struct at_dispatch {
	char id[AT_DIGEST_HEX]; /* HMAC of "dispatch:" and the nonce */
	char agent[AT_AGENT];
	unsigned max_uses, uses, attempts; /* attempts end at 4 * max_uses */
	struct at_time expires;
};

/* The table, held by the runner for its life or by a mode for one act. Read again whenever the file
 * is not what this handle left. */
struct at_dispatches;

/* Reads what is there; records and counters whose MAC does not hold are none. `site` must outlive
 * it. Fails on a link, a special file or I/O. */
bool at_dispatches_open(struct at_dispatches **out, const struct at_proposal_site *site,
	struct at_error *err);
void at_dispatches_close(struct at_dispatches *dispatches); /* NULL is fine */

/* A new nonce for `agent`: ledger row first, then the file is written anew by temp and rename
 * without what has expired. AT_EINVALID for a malformed slug. */
bool at_dispatch_issue(char nonce[AT_NONCE], struct at_dispatches *dispatches,
	struct at_proposal_ledger *ledger, const char *agent,
	const struct at_dispatch_limits *limits, struct at_time now, struct at_error *err);

/* The record of a nonce. Counts nothing; false for a malformed or unknown nonce, whatever it
 * holds, and never an error. */
bool at_dispatch_find(struct at_dispatch *out, struct at_dispatches *dispatches,
	struct at_bytes nonce);

/* Is it as narrow as a direct write asks: at most 10 uses, at most 4 h and a minute to go? (3.13) */
bool at_dispatch_is_narrow(const struct at_dispatch *dispatch, struct at_time now);

/* An artifact arrived with this nonce (`data` NULL: with none). Counts the attempt when the nonce is
 * known and live, whatever follows, and tells whose it is. `claimed` (NULL: none) must be that
 * agent. Fails with AT_EREFUSED and one of the texts of 3.4, its id dispatch-malformed,
 * dispatch-unknown, dispatch-expired, dispatch-uses, dispatch-attempts, dispatch-agent. */
bool at_dispatch_attempt(struct at_dispatch *out, struct at_dispatches *dispatches,
	struct at_bytes nonce, const struct at_bytes *claimed, struct at_time now,
	struct at_error *err);

/* Counts a use, right before acting: every check passed. The nonce must still be `agent`'s and have
 * a use left (dispatch-changed, and as above). */
bool at_dispatch_use(struct at_dispatches *dispatches, struct at_bytes nonce, const char *agent,
	struct at_time now, struct at_error *err);

/* Counters are written at once, but are on the disk for certain only after this: once a group of
 * requests, before the first of them acts. */
bool at_dispatches_sync(struct at_dispatches *dispatches, struct at_error *err);

/* False on any doubt: the tamper test around a command. */
bool at_dispatches_are_still(const struct at_dispatches *dispatches);

/* On the MCP channel every refusal of this module reads the same: puts
 * "dispatch nonce refused on this channel" in place of an error with an id "dispatch-…"; others
 * stay. The id stays, for the ledger. */
void at_dispatch_hide(struct at_error *err);

#endif
