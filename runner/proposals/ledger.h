/* ledger.h - .agentteams/proposal-ledger.jsonl and its head: what was proposed, decided, written.
 *
 * One JSON object a line, each signed by HMAC with the operator's key and naming the SHA-256 of the
 * line before; a signed head counts them. Verified in one pass and constant memory. It knows no
 * action: a row is whatever object the caller built. (RUN-1, STG-1; reference-ledgers 3.10)
 *
 * Order of an append: rows by one write and fdatasync, then the head by temp and rename. So killed
 * at any step the ledger is what it was, or holds rows that the head does not count yet, each
 * signed: at_proposal_ledger_repair() tells that from a cut or a forged ledger, and mends it. The
 * head is there, counting none, before the first row is: a ledger without one was tampered with.
 */
#ifndef AT_PROPOSAL_LEDGER_H
#define AT_PROPOSAL_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/digest.h"
#include "core/error.h"
#include "core/json_read.h"
#include "keys/isotime.h"
#include "runner/proposals/canonical.h"
#include "runner/proposals/site.h"

#define AT_PROPOSAL_ROW_CAP ((size_t)16 << 20) /* bytes of one line */
#define AT_PROPOSAL_PROBLEMS 100u              /* kept; all are counted */

enum at_proposal_head {
	AT_PROPOSAL_HEAD_NONE, /* no head, no rows */
	AT_PROPOSAL_HEAD_GOOD,
	AT_PROPOSAL_HEAD_BEHIND, /* a problem that the repair step mends: rows after those it counts
	                          * are signed and chained */
	AT_PROPOSAL_HEAD_BAD,    /* a problem that nothing mends */
};

struct at_proposal_state {
	size_t rows;           /* complete lines */
	size_t anchored;       /* that the head counts */
	size_t torn;           /* bytes of a torn last line; 0 for none. No problem, told */
	size_t good;           /* bytes before it */
	bool lacks_end;        /* the last row is whole but for its line end */
	bool torn_head;        /* a temp of a head that a killed run left */
	struct at_digest last; /* of the last line; unset without rows */
	enum at_proposal_head head;
	size_t problem_count;
	struct at_buf problems; /* the first AT_PROPOSAL_PROBLEMS, a line each, texts of 3.10 */
};

/* One row while it is visited, borrowed. Only rows whose signature holds are visited; what they
 * said counts once the walk came back without a problem. False ends the walk with its error. */
typedef bool at_proposal_visit(void *context, const struct at_json *row, size_t number,
	struct at_error *err);

/* Reads all of it. What is wrong with the ledger is in `out`; fails where a file cannot be read (a
 * link, no regular file, I/O) or a visit failed. `visit` may be NULL. Release with
 * at_proposal_state_free(), also after a failure. Takes no lock: an append that is under way may
 * show as AT_PROPOSAL_HEAD_BEHIND. */
bool at_proposal_ledger_verify(struct at_proposal_state *out, const struct at_proposal_site *site,
	at_proposal_visit *visit, void *context, struct at_error *err);
void at_proposal_state_free(struct at_proposal_state *state);

/* What the repair step did, for the operator. */
struct at_proposal_repair {
	size_t rows;     /* now */
	size_t counted;  /* rows that the head did not count and does now */
	size_t torn;     /* bytes set aside in `proposal-ledger.jsonl.torn` */
	struct at_buf said; /* one sentence a line; "nothing to repair" when nothing was */
};

/* Mends what a run that was cut short left: a torn last line, a head that is behind. Under the
 * lock. Fails, nothing changed, with AT_EREFUSED (proposal-ledger-problems) where the ledger has a
 * problem that no cut-off run explains. */
bool at_proposal_ledger_repair(struct at_proposal_repair *out, const struct at_proposal_site *site,
	struct at_error *err);
void at_proposal_repair_free(struct at_proposal_repair *repair);

/* A ledger that is written to: by the runner for its life, by a direct mode for one row. */
struct at_proposal_ledger;

/* Verifies, with `visit` for each row, and makes .agentteams (0700) and an empty head where there is
 * nothing yet. Fails with AT_EREFUSED and the id proposal-ledger-problems, or
 * proposal-ledger-behind where the repair step would mend it (the hint names it). `site` must
 * outlive it. */
bool at_proposal_ledger_open(struct at_proposal_ledger **out, const struct at_proposal_site *site,
	at_proposal_visit *visit, void *context, struct at_error *err);
void at_proposal_ledger_close(struct at_proposal_ledger *ledger); /* NULL is fine */

size_t at_proposal_ledger_rows(const struct at_proposal_ledger *ledger);

/* Appends one row, or several that share one write, one fdatasync and one head: they are on the
 * disk when it returns. `time`, `prev` and `mac` are set here; the objects are SPACED ones and are
 * left with `time` and `prev` of their row. Torn bytes are set aside first. Under the lock; fails
 * with AT_ESTALE (proposal-ledger-changed) where the files are no longer what this handle left.
 * On failure the rows are as they were, but where `err` says that they stand without a head
 * (proposal-ledger-behind): the handle refuses from then on. */
bool at_proposal_ledger_append(struct at_proposal_ledger *ledger,
	struct at_canonical_object *const *rows, size_t count, struct at_time now,
	struct at_error *err);

/* Are ledger and head still what this handle left? False on any doubt: the tamper test around a
 * command. (3.9) */
bool at_proposal_ledger_is_still(const struct at_proposal_ledger *ledger);

/* Notes count and last row in the state directory, outside the project: verify then tells a ledger
 * and a head that were both rolled back to an older copy, which the reference cannot. Nothing is
 * done without a state directory. */
bool at_proposal_ledger_anchor(const struct at_proposal_ledger *ledger, struct at_error *err);

#endif
