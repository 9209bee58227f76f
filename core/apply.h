/* apply.h - the one way this program replaces files, and the way back.
 *
 * Applying writes everything new beside its place first, then a journal in the state
 * directory, then exchanges file by file and looks at what came out. Killed at any
 * instant, the files are old or new, and the journal finishes or undoes. It knows
 * nothing of what the files mean. (WIRE-2, STG-3)
 */
#ifndef AT_APPLY_H
#define AT_APPLY_H

#include "core/plan.h"
#include "core/state.h"

struct at_applied {
	char id[40];            /* name of the journal entry; "" when nothing had to be written */
	char backup[PATH_MAX];  /* directory of the old files, 0700, or "" */
	char undone[24];        /* of an undo: the act that was taken back */
	size_t written;
	bool window; /* the kernel could not exchange: a short window was open (a ceiling) */
};

/* Applies every change of the plan or none: preflight of all digests, then the writes.
 * `root` is a descriptor of the project; the state directory is created when needed.
 * `what` names the act for the journal ("update", "merge"). A plan with nothing pending
 * writes nothing at all. A half-done entry found first is finished or refused as
 * at_journal_recover() says. Fails with AT_ESTALE if a file is no longer what the plan
 * saw, AT_EUNSAFE on a link or special file; the files are then as they were. */
bool at_plan_apply(const struct at_plan *plan, int root, struct at_state *state,
	const char *what, struct at_applied *out, struct at_error *err);

/* Undoes the newest applied entry (of `what`, or of any act when NULL): every file gets its
 * old bytes and mode back, files the act made are removed, through the same journal.
 * AT_ENOENT when there is none; AT_ESTALE, with nothing changed, when a file was changed
 * since. An undone entry is not undone twice. An undo that was cut short is finished, and
 * no other act is taken back with it. */
bool at_journal_undo(int root, struct at_state *state, const char *what, struct at_applied *out,
	struct at_error *err);

struct at_journal_state {
	bool half_done;   /* an act was cut short */
	char id[40];      /* the half-done entry, or the newest undoable one, or "" */
	char what[24];
	size_t files;
};

/* Looks, writes nothing. */
bool at_journal_look(const struct at_state *state, struct at_journal_state *out,
	struct at_error *err);

/* Finishes a half-done entry where every file is still old or new; AT_ESTALE, nothing
 * changed, where one is neither. True when there is nothing to recover. `ended` (may be NULL)
 * tells what was: an act of a run that was waited for and ended by itself is none. */
bool at_journal_recover(int root, struct at_state *state, struct at_journal_state *ended,
	struct at_error *err);

#endif
