/* The one moment at which files change: two names trade places, step by step. */
#include "core/act.h"

#include <errno.h>
#include <string.h>

#include "core/disk.h"
#include "core/journal.h"

/* Where no exchange exists, what is there is read once more and renamed over. What is
 * written between the two is lost: the window that at_applied names. */
static bool rename_over(struct at_act *act, const struct at_step *step, bool back,
	struct at_error *err)
{
	struct at_found there = at_act_found(act, step, step->name);

	act->window = true;
	if (!(back ? there.is_new : there.is_old))
		return at_fail_stale(err, step->path);
	if (at_disk_rename(at_act_dir(act, step), step->temp, step->name))
		return true;
	return at_fail_step(err, errno, "replace", step);
}

/* Trades what the step's two names hold, whichever of them holds nothing. */
static bool trade(struct at_act *act, const struct at_step *step, bool back,
	struct at_error *err)
{
	const struct at_side *there = back ? &step->new : &step->old;
	const struct at_side *coming = back ? &step->old : &step->new;
	int dir = at_act_dir(act, step);
	bool ok;

	if (there->exists && coming->exists) {
		ok = at_disk_exchange(dir, step->temp, step->name);
		if (!ok && errno == ENOTSUP)
			return rename_over(act, step, back, err);
	} else if (coming->exists) {
		ok = at_disk_move(dir, step->temp, step->name);
	} else {
		ok = at_disk_move(dir, step->name, step->temp);
	}
	if (ok)
		return true;
	if (errno == EEXIST || errno == ENOENT)
		return at_fail_stale(err, step->path);
	return at_fail_step(err, errno, coming->exists ? "put in place" : "remove", step);
}

static bool carry_out(struct at_act *act, const struct at_step *step, struct at_error *err)
{
	struct at_found there, out;

	if (at_act_dir(act, step) < 0 && !step->new.exists)
		return true;
	if (!at_act_dir_still_there(act, step, err))
		return false;
	there = at_act_found(act, step, step->name);
	if (!there.is_old && !there.is_new)
		return at_fail_stale(err, step->path);
	/* New already: an earlier run was cut short after this step. */
	if (there.is_old && !trade(act, step, false, err))
		return false;
	/* Somebody may have written between the look and the trade: their bytes came out. */
	out = at_act_found(act, step, step->temp);
	if (out.exists && !out.is_old && !out.is_new)
		return at_fail_stale(err, step->path);
	return true;
}

static bool sync_all(const struct at_act *act, struct at_error *err)
{
	for (size_t i = 0; i < act->held_count; i++)
		if (act->held[i].fd >= 0 && !at_disk_sync(act->held[i].fd))
			return at_fail_sys(err, errno, "cannot write `%s`", act->held[i].path);
	return true;
}

static bool put_back(struct at_act *act, size_t index, struct at_error *err)
{
	const struct at_step *step = &act->steps[index];
	struct at_found there = at_act_found(act, step, step->name);
	struct at_found temp = at_act_found(act, step, step->temp);

	if (!there.is_new)
		return true; /* still old, or somebody else's, and theirs to keep */
	if (step->old.exists && temp.exists && temp.is_new)
		return true; /* not traded: somebody wrote these very bytes */
	if (!step->old.exists && temp.exists)
		at_disk_remove(at_act_dir(act, step), step->temp); /* a second name of the new file */
	if (step->old.exists && !temp.exists) {
		if (!at_journal_bytes(act, index, true, err)
			|| !at_stage_temp(act, step, true, err))
			return false;
	}
	return trade(act, step, true, err);
}

/* With what the error says now, and what is left to do. */
static bool fail_half_done(struct at_error *err, const struct at_act *act)
{
	at_error_name(err, "half-done");
	at_error_hint(err, "The files are half way back. Their old bytes are in %s/journal/%s; "
		"mend the cause, then run again: the journal goes on.", act->state_path, act->id);
	return false;
}

static bool is_all_old(const struct at_act *act)
{
	for (size_t i = 0; i < act->count; i++)
		if (!at_act_found(act, &act->steps[i], act->steps[i].name).is_old)
			return false;
	return true;
}

bool at_roll_back(struct at_act *act, struct at_error *err)
{
	struct at_error why;
	size_t strangers = 0;

	for (size_t i = act->count; i-- > 0;) {
		if (!put_back(act, i, &why)) {
			if (err)
				*err = why;
			return fail_half_done(err, act);
		}
	}
	if (!sync_all(act, err))
		return fail_half_done(err, act);
	if (!at_unstage(act, &strangers))
		return true; /* every file is back; the next run sweeps */
	at_remove_folders(act, &act->made);
	if (strangers == 0 && is_all_old(act))
		at_journal_drop(act->journal, act->id);
	else
		at_journal_mark(act, AT_ENTRY_ROLLBACK, AT_ENTRY_ABANDONED, NULL);
	return true;
}

bool at_commit(struct at_act *act, struct at_error *err)
{
	bool ok = true;

	for (size_t i = 0; ok && i < act->count; i++)
		ok = carry_out(act, &act->steps[i], err);
	ok = ok && sync_all(act, err);
	if (ok)
		return true;
	/* A kill from here on is answered by going on back, not forward. */
	if (!at_journal_mark(act, AT_ENTRY_PREPARED, AT_ENTRY_ROLLBACK, NULL))
		return fail_half_done(err, act);
	at_roll_back(act, err);
	return false;
}
