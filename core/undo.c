#include "core/apply.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/act.h"
#include "core/journal.h"
#include "core/mem.h"

/* An undo is not undone: a second undo goes one act further back. And what a self-test found is
 * no act of the operator's: taken back, an older proof would speak over a newer leak. */
static bool is_wanted(const struct at_act *act, const char *what)
{
	return *act->undoes == '\0'
		&& (what ? strcmp(act->what, what) == 0 : strcmp(act->what, "self-test") != 0);
}

static bool fail_none(struct at_error *err, const char *what)
{
	at_fail(err, AT_ENOENT, "there is nothing to undo%s%s", what ? " of " : "",
		what ? what : "");
	at_error_name(err, "nothing-to-undo");
	return false;
}

/* Leaves the newest wanted entry loaded in `act`. */
static bool find_newest(struct at_act *act, int root, const struct at_state *state,
	const char *what, struct at_error *err)
{
	struct at_entries entries;
	bool found = false;

	if (!at_journal_list(&entries, state->fd, err))
		return false;
	for (size_t i = entries.count; i-- > 0 && !found;) {
		if (entries.items[i].state != AT_ENTRY_DONE)
			continue;
		at_act_init(act, root, state);
		if (!at_journal_load(act, &entries.items[i], err)) {
			at_act_free(act);
			at_entries_free(&entries);
			return false;
		}
		found = is_wanted(act, what);
		if (!found)
			at_act_free(act);
	}
	at_entries_free(&entries);
	return found || fail_none(err, what);
}

static bool fail_changed(struct at_error *err, const struct at_act *done, const char *path)
{
	at_fail(err, AT_ESTALE, "`%s` was changed since: undoing `%s` would lose that; nothing was "
		"changed", path, done->what);
	at_error_path(err, path);
	at_error_name(err, "base-changed");
	at_error_hint(
		err, "The old files are in %s/journal/%s (old-N).", done->state_path, done->id);
	return false;
}

static bool is_as_left(const struct at_side *left, const struct at_side *now)
{
	return left->exists == now->exists
		&& (!left->exists || at_digest_equal(&left->digest, &now->digest));
}

/* What the act did is taken back; whose the file is and who may read it now, if somebody set
 * that since, stays. */
static void keep_what_was_set(struct at_side *back, const struct at_side *left,
	const struct at_side *now)
{
	if (!back->exists || !now->exists)
		return;
	if (now->mode != left->mode)
		back->mode = now->mode;
	if (now->owner != left->owner)
		back->owner = now->owner;
	if (now->group != left->group)
		back->group = now->group;
}

/* The same steps with their sides the other way round. */
static bool reverse(struct at_act *act, struct at_act *done, struct at_error *err)
{
	for (size_t i = 0; i < done->count; i++) {
		const struct at_step *was = &done->steps[i];
		struct at_step *step;

		if (!at_journal_bytes(done, i, true, err)
			|| !at_act_look_at(act, was->place, was->path, &step, err))
			return false;
		if (!is_as_left(&was->new, &step->old))
			return fail_changed(err, done, was->path);
		step->new = was->old;
		step->new_bytes = was->old_bytes;
		keep_what_was_set(&step->new, &was->new, &step->old);
	}
	for (size_t i = 0; i < done->made.count; i++)
		at_act_add_folder(act, &act->unmade, done->made.items[i].place,
			done->made.items[i].path);
	snprintf(act->what, sizeof(act->what), "undo");
	snprintf(act->undoes, sizeof(act->undoes), "%s", done->id);
	return true;
}

static bool undo_locked(int root, const struct at_state *state, const char *what,
	struct at_applied *out, struct at_error *err)
{
	struct at_act done, act;
	bool ok;

	if (!find_newest(&done, root, state, what, err))
		return false;
	at_act_init(&act, root, state);
	ok = reverse(&act, &done, err) && at_act_carry_out(&act, out, err);
	if (ok)
		snprintf(out->undone, sizeof(out->undone), "%s", done.what);
	at_act_free(&act);
	at_act_free(&done);
	return ok;
}

/* True with `out` filled when the half-done entry `was`, an undo, is done now and took back
 * what is wanted. */
static bool find_finished(const struct at_state *state, const struct at_journal_state *was,
	const char *what, struct at_applied *out)
{
	struct at_entries entries;
	struct at_act undo, done;
	bool found = false;

	if (!at_journal_list(&entries, state->fd, NULL))
		return false;
	at_act_init(&undo, -1, state);
	at_act_init(&done, -1, state);
	for (size_t i = entries.count; i-- > 0 && !found;) {
		const struct at_entry *entry = &entries.items[i];

		found = strcmp(entry->id, was->id) == 0 && entry->state == AT_ENTRY_DONE
			&& at_journal_load(&undo, entry, NULL);
	}
	for (size_t i = entries.count; i-- > 0 && found;)
		if (strcmp(entries.items[i].id, undo.undoes) == 0
			&& at_journal_load(&done, &entries.items[i], NULL))
			break;
	found = found && (!what || strcmp(done.what, what) == 0);
	if (found) {
		snprintf(out->id, sizeof(out->id), "%s", was->id);
		snprintf(out->undone, sizeof(out->undone), "%s", done.what);
		out->written = was->files;
	}
	at_act_free(&undo);
	at_act_free(&done);
	at_entries_free(&entries);
	return found;
}

bool at_journal_undo(int root, struct at_state *state, const char *what, struct at_applied *out,
	struct at_error *err)
{
	struct at_journal_state was;
	int lock;
	bool ok;

	*out = (struct at_applied){ 0 };
	if (state->fd < 0)
		return fail_none(err, what);
	lock = at_lock_take(state, err);
	if (lock < 0)
		return false;
	ok = at_journal_look(state, &was, err) && at_recover_locked(root, state, err);
	if (ok && !(was.half_done && strcmp(was.what, "undo") == 0
		&& find_finished(state, &was, what, out)))
		ok = undo_locked(root, state, what, out, err);
	close(lock);
	return ok;
}
