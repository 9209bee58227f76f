/* ledger_impl.h - what reading and appending share. Internal to runner/proposals/ledger*.c and
 * dispatch*.c. */
#ifndef AT_PROPOSAL_LEDGER_IMPL_H
#define AT_PROPOSAL_LEDGER_IMPL_H

#include <sys/stat.h>

#include "runner/proposals/ledger.h"

#define AT_LEDGER_NAME "proposal-ledger.jsonl" /* in AT_GROUND */
#define AT_LEDGER_HEAD_NAME "proposal-ledger.head"
#define AT_LEDGER_TORN_NAME "proposal-ledger.jsonl.torn"
#define AT_LEDGER_ANCHOR_NAME "proposal-ledger.anchor" /* in the state directory */
#define AT_DISPATCHES_NAME "dispatches.jsonl"

/* A signed line {count, last}: the head, and the anchor. */
struct at_signed_count {
	bool exists, is_good;
	size_t count;
	char last[AT_DIGEST_HEX]; /* "" when none is counted */
};

/* Reads one below `dir`. Fails on a link, a special file, I/O. */
bool at_signed_count_read(struct at_signed_count *out, int dir, const char *name,
	struct at_bytes key, struct at_error *err);
void at_signed_count_put(struct at_buf *out, size_t count, const char *last, struct at_bytes key);

/* Does the MAC of a signed object hold? `text` is what it was read from; `work` is used and kept
 * for the next call. */
bool at_is_signed(const struct at_json *doc, struct at_bytes key, struct at_buf *work);

/* Appends the object with its `mac`, which it must not have, as one line with its end. */
void at_sign_line(struct at_buf *out, struct at_canonical_object *object, struct at_bytes key);

/* Reads the rows of an open ledger; `anchor` is of the state directory. `dir` is AT_GROUND's. */
bool at_proposal_scan(struct at_proposal_state *out, const struct at_proposal_site *site, int dir,
	int fd, at_proposal_visit *visit, void *context, struct at_error *err);

/* A regular file of ours in `dir`, no link: -1 with errno ENOENT and no error when absent. */
int at_ground_open(int dir, const char *name, int flags, struct stat *st, struct at_error *err);
/* AT_GROUND: -1 with errno ENOENT and no error when absent. */
int at_ground_dir(int root, struct at_error *err);
/* Writes `name` whole, over what is there, 0600, by temp and rename. False with errno;
 * *is_new when it is in place all the same and only its outliving a loss of power is in doubt. */
bool at_ground_replace(int dir, const char *name, struct at_bytes bytes, bool *is_new);

/* Has the file another identity, size or time than `then`? */
bool at_ground_is_still(int dir, const char *name, bool existed, const struct stat *then);

#endif
