/* What an act that was cut short left behind: dropped, finished or taken back. */
#include "core/apply.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/act.h"
#include "core/disk.h"
#include "core/file.h"
#include "core/journal.h"

static bool fail_between(struct at_error *err, const struct at_act *act, size_t index)
{
	const char *path = act->steps[index].path;

	at_fail(err, AT_ESTALE, "an earlier `%s` was cut short and `%s` was changed since: it has "
		"neither its old nor its new bytes; nothing was changed", act->what, path);
	at_error_path(err, path);
	at_error_name(err, "half-done");
	at_error_hint(err, "Keep a copy of yours, copy %s/journal/%s/old-%zu there with mode "
		"%04o (or remove it, if there is none), then run again.", act->state_path,
		act->id, index, (unsigned)act->steps[index].old.mode);
	return false;
}

static bool fail_temp(struct at_error *err, const struct at_act *act, size_t index)
{
	const struct at_step *step = &act->steps[index];

	at_fail(err, AT_EUNSAFE, "`%s` beside `%s` does not hold what was written there",
		step->temp, step->path);
	at_error_path(err, step->path);
	at_error_name(err, "half-done");
	at_error_hint(err, "Look at what it is and move it away, then run again.");
	return false;
}

static bool check_files(const struct at_act *act, struct at_error *err)
{
	for (size_t i = 0; i < act->count; i++) {
		const struct at_step *step = &act->steps[i];
		struct at_found there = at_act_found(act, step, step->name);
		struct at_found temp = at_act_found(act, step, step->temp);

		if (!there.is_old && !there.is_new)
			return fail_between(err, act, i);
		if (there.is_old && temp.exists && !temp.is_new && !temp.is_old)
			return fail_temp(err, act, i);
	}
	return true;
}

/* A temp that got lost, or holds the old bytes because somebody copied them back to their
 * place, is made again from the journal. */
static bool stage_again(struct at_act *act, struct at_error *err)
{
	for (size_t i = 0; i < act->count; i++) {
		const struct at_step *step = &act->steps[i];
		struct at_found temp = at_act_found(act, step, step->temp);

		if (!at_act_found(act, step, step->name).is_old || temp.is_new)
			continue;
		if (temp.exists && !at_disk_remove(at_act_dir(act, step), step->temp))
			return at_fail_step(err, errno, "remove the temp of", step);
		if (!at_journal_bytes(act, i, false, err)
			|| !at_stage_temp(act, step, false, err))
			return false;
	}
	return true;
}

static bool finish(struct at_act *act, struct at_error *err)
{
	if (!at_stage_folders(act, err) || !check_files(act, err) || !stage_again(act, err)
		|| !at_commit(act, err))
		return false;
	at_act_finish(act);
	return true;
}

static void drop(struct at_act *act)
{
	at_act_hold_all(act, true, NULL);
	at_act_discard(act);
}

static bool recover_loaded(struct at_act *act, enum at_entry_state state, struct at_error *err)
{
	switch (state) {
	case AT_ENTRY_INTENT:
		drop(act);
		return true;
	case AT_ENTRY_PREPARED:
		return finish(act, err);
	case AT_ENTRY_ROLLBACK:
		return at_act_hold_all(act, true, err) && at_roll_back(act, err);
	default:
		return true;
	}
}

static bool recover_one(int root, const struct at_state *state, const struct at_entry *entry,
	struct at_error *err)
{
	struct at_act act;
	bool ok;

	at_act_init(&act, root, state);
	ok = at_journal_load(&act, entry, err) && recover_loaded(&act, entry->state, err);
	at_act_free(&act);
	return ok;
}

/* An entry without a record had nothing staged yet. */
static void sweep(const struct at_state *state, const struct at_entry *entry)
{
	int journal = at_file_open_dir(state->fd, "journal", NULL);

	if (journal < 0)
		return;
	at_journal_drop(journal, entry->id);
	close(journal);
}

bool at_recover_locked(int root, const struct at_state *state, struct at_error *err)
{
	struct at_entries entries;
	bool ok = at_journal_list(&entries, state->fd, err);

	for (size_t i = 0; ok && i < entries.count; i++) {
		const struct at_entry *entry = &entries.items[i];

		if (entry->state == AT_ENTRY_EMPTY)
			sweep(state, entry);
		else if (at_entry_is_half_done(entry))
			ok = recover_one(root, state, entry, err);
	}
	at_entries_free(&entries);
	return ok;
}

bool at_journal_recover(int root, struct at_state *state, struct at_journal_state *ended,
	struct at_error *err)
{
	struct at_journal_state now;
	int lock;
	bool ok;

	if (ended)
		*ended = (struct at_journal_state){ 0 };
	if (!at_journal_look(state, &now, err))
		return false;
	if (!now.half_done)
		return true;
	lock = at_lock_take(state, err);
	if (lock < 0)
		return false;
	ok = at_journal_look(state, &now, err) && at_recover_locked(root, state, err);
	close(lock);
	if (ok && ended && now.half_done)
		*ended = now;
	return ok;
}

/* Fills `out` from an entry; an undo, which cannot be undone, leaves it as it was. */
static bool describe(struct at_journal_state *out, const struct at_state *state,
	const struct at_entry *entry, struct at_error *err)
{
	struct at_act act;
	bool ok = true;

	at_act_init(&act, -1, state);
	if (entry->state != AT_ENTRY_EMPTY)
		ok = at_journal_load(&act, entry, err);
	if (ok && (out->half_done || *act.undoes == '\0')) {
		snprintf(out->id, sizeof(out->id), "%s", entry->id);
		snprintf(out->what, sizeof(out->what), "%s", act.what);
		out->files = act.count;
	}
	at_act_free(&act);
	return ok;
}

static bool look_once(const struct at_state *state, struct at_journal_state *out,
	struct at_error *err)
{
	struct at_entries entries;
	bool ok = true;

	*out = (struct at_journal_state){ 0 };
	if (!at_journal_list(&entries, state->fd, err))
		return false;
	for (size_t i = entries.count; ok && i-- > 0 && !out->half_done;) {
		out->half_done = at_entry_is_half_done(&entries.items[i]);
		if (out->half_done)
			ok = describe(out, state, &entries.items[i], err);
	}
	for (size_t i = entries.count; ok && i-- > 0 && *out->id == '\0';)
		if (entries.items[i].state == AT_ENTRY_DONE)
			ok = describe(out, state, &entries.items[i], err);
	at_entries_free(&entries);
	return ok;
}

bool at_journal_look(const struct at_state *state, struct at_journal_state *out,
	struct at_error *err)
{
	struct at_error why;
	int tries = 8;

	/* Looking takes no lock: a run that writes meanwhile renames its record, or prunes. */
	while (!look_once(state, out, &why)) {
		if (why.sys == ENOENT && --tries > 0)
			continue;
		if (err)
			*err = why;
		return false;
	}
	return true;
}
