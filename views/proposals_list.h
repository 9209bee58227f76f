/* proposals_list.h - what waits for review, ordered by risk, of any number.
 *
 * Names come at once; records are read in slices between keys, and once all are read the heaviest
 * stands first. Nothing is verified here that only the runner's key can verify: a record is what
 * stands in the runner's own directory. It decides nothing and writes nothing. (STG-1, UI-6)
 */
#ifndef AT_PROPOSALS_LIST_H
#define AT_PROPOSALS_LIST_H

#include "core/json_write.h"
#include "runner/review/risk.h"
#include "runner/serve/staged.h"
#include "views/session.h"

enum at_review_state {
	AT_PROPOSAL_UNREAD,
	AT_PROPOSAL_CLEAN,   /* the file is what the agent saw */
	AT_PROPOSAL_STALE,   /* it is another one now: cannot be applied */
	AT_PROPOSAL_OVER,    /* its time is up */
	AT_PROPOSAL_REFUSED, /* malformed, or its place is no regular file */
};
const char *at_review_state_name(enum at_review_state state); /* "clean", … */

struct at_proposal {
	char sid[AT_STAGED_ID];
	int64_t staged_ns;
	enum at_review_state state;
	const char *agent, *path, *kind; /* "" while unread; untrusted */
	const char *why;                 /* the reasons in a line; "" for none */
	long long bytes;
	unsigned weight;
	int64_t left_s; /* until it is over, when it is known */
};

struct at_proposals_list {
	const struct at_session *session;
	struct at_arena *arena;
	struct at_proposal *items;
	size_t count, read;
	struct at_error fault; /* the directory cannot be read: why; code AT_OK otherwise */
};

/* Names, oldest first. No directory: an empty list. */
void at_proposals_open(struct at_proposals_list *list, const struct at_session *session);
void at_proposals_close(struct at_proposals_list *list);

/* Reads at most `most` more; true while there is more to read. After the last one the list is
 * sorted: by weight, then by age. */
bool at_proposals_work(struct at_proposals_list *list, size_t most);
/* Is the directory still what was listed? By names alone. */
bool at_proposals_are_still(const struct at_proposals_list *list);

/* One in full, with both sides of its change. */
struct at_proposal_shown {
	struct at_staged record;
	struct at_file old; /* what is there now */
	struct at_bytes new; /* data NULL for a delete */
	struct at_risk_report risk;
};
bool at_proposal_show(struct at_proposal_shown *out, const struct at_session *session,
	const char *sid, struct at_error *err);
void at_proposal_shown_free(struct at_proposal_shown *shown);

/* Agent, path, rationale, gates, reasons, state: for a pane. Appended. */
void at_proposal_detail(struct at_buf *out, const struct at_proposal *item,
	const struct at_proposal_shown *shown);

#endif
