/* journal.h - the entries below journal/ in the state directory.
 *
 * Internal to core/. One directory an act, named by time and number: `old-N` and
 * `new-N` hold the bytes of step N (0600), and one record tells the steps. The record's
 * file name is the state of the act, so that a state changes by one rename:
 *
 *	intent    temps and folders may lie about; no file was touched
 *	prepared  everything is staged: from here on the act is finished, not dropped
 *	rollback  somebody wrote in between: what was traded is traded back
 *	done      applied; can be undone
 *	undone    applied and taken back
 *	abandoned taken back but for files that somebody else wrote; kept for its bytes
 */
#ifndef AT_JOURNAL_H
#define AT_JOURNAL_H

#include "core/act.h"

enum at_entry_state {
	AT_ENTRY_EMPTY, /* no record: nothing was staged */
	AT_ENTRY_INTENT,
	AT_ENTRY_PREPARED,
	AT_ENTRY_ROLLBACK,
	AT_ENTRY_DONE,
	AT_ENTRY_UNDONE,
	AT_ENTRY_ABANDONED,
};

#define AT_JOURNAL_KEEP 50 /* entries; older ones go */

struct at_entry {
	char id[40];
	unsigned long number;
	enum at_entry_state state;
};

struct at_entries {
	struct at_entry *items; /* oldest first */
	size_t count, cap;
};

/* True with no entries when there is no journal. */
bool at_journal_list(struct at_entries *out, int state_fd, struct at_error *err);
void at_entries_free(struct at_entries *entries);
bool at_entry_is_half_done(const struct at_entry *entry);

/* Makes the entry of a new act with all its bytes and its record as intent. On failure
 * nothing is left. */
bool at_journal_begin(struct at_act *act, struct at_error *err);

/* Reads an entry back into an empty act. */
bool at_journal_load(struct at_act *act, const struct at_entry *entry, struct at_error *err);

/* Bytes of a side of step `index`, checked against their digest, into the act's arena. */
bool at_journal_bytes(struct at_act *act, size_t index, bool old, struct at_error *err);

bool at_journal_mark(const struct at_act *act, enum at_entry_state from, enum at_entry_state to,
	struct at_error *err);
bool at_journal_mark_other(int journal, const char *id, enum at_entry_state from,
	enum at_entry_state to);
void at_journal_drop(int journal, const char *id);
void at_journal_prune(int state_fd);

/* record.c: an act as text, and back. The last line is the digest of those before it. */
void at_record_write(struct at_buf *out, const struct at_act *act);
bool at_record_read(struct at_act *act, struct at_bytes text, struct at_error *err);

#endif
