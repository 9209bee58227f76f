#include "core/apply.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/act.h"
#include "core/journal.h"

/* The files of the journal itself are not for plans. */
static bool is_reserved(const struct at_change *change)
{
	return change->place == AT_IN_STATE
		&& (strcmp(change->path, "lock") == 0 || strcmp(change->path, "journal") == 0
			|| strncmp(change->path, "journal/", 8) == 0);
}

static bool is_as_planned(const struct at_change *change, const struct at_step *step)
{
	if (change->kind == AT_CREATE)
		return !step->old.exists;
	return step->old.exists && at_digest_equal(&step->old.digest, &change->old);
}

static void want(struct at_step *step, const struct at_change *change)
{
	if (change->kind == AT_REMOVE) {
		step->new = (struct at_side){ .exists = false };
		return;
	}
	step->new_bytes = change->bytes;
	step->new = (struct at_side){
		.exists = true,
		.digest = at_digest_of(change->bytes),
		.mode = at_change_mode(change, step->old.mode),
		.owner = step->old.exists ? step->old.owner : (uid_t)-1,
		.group = step->old.exists ? step->old.group : (gid_t)-1,
	};
}

/* Every file is looked at before the first is touched. */
static bool preflight(struct at_act *act, const struct at_plan *plan, struct at_error *err)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct at_change *change = &plan->changes[i];
		struct at_step *step;

		if (!at_change_is_pending(change))
			continue;
		if (is_reserved(change)
			|| (change->kind == AT_REMOVE && change->place != AT_IN_PROJECT))
			return at_fail(err, AT_EINVALID, "`%s` cannot be planned like this",
				change->path);
		if (!at_act_look_at(act, change->place, change->path, &step, err))
			return false;
		if (!is_as_planned(change, step))
			return at_fail_stale(err, change->path);
		want(step, change);
	}
	return true;
}

void at_act_discard(struct at_act *act)
{
	if (!at_unstage(act, NULL))
		return; /* the next run sweeps */
	at_remove_folders(act, &act->made);
	at_journal_drop(act->journal, act->id);
}

/* What is left when every file is in place. Cut short here or failing, the act stands
 * and the next run ends it. */
void at_act_finish(struct at_act *act)
{
	size_t strangers = 0;

	if (!at_unstage(act, &strangers))
		return;
	at_remove_folders(act, &act->unmade);
	if (*act->undoes
		&& !at_journal_mark_other(
			act->journal, act->undoes, AT_ENTRY_DONE, AT_ENTRY_UNDONE))
		return;
	at_journal_mark(act, AT_ENTRY_PREPARED, AT_ENTRY_DONE, NULL);
}

static void report(const struct at_act *act, struct at_applied *out)
{
	snprintf(out->id, sizeof(out->id), "%s", act->id);
	snprintf(out->backup, sizeof(out->backup), "%s/journal/%s", act->state_path, act->id);
	out->written = act->count;
	out->window = act->window;
}

bool at_act_carry_out(struct at_act *act, struct at_applied *out, struct at_error *err)
{
	if (!at_journal_begin(act, err))
		return false;
	if (!at_stage(act, err)
		|| !at_journal_mark(act, AT_ENTRY_INTENT, AT_ENTRY_PREPARED, err)) {
		at_act_discard(act);
		return false;
	}
	if (!at_commit(act, err))
		return false;
	at_act_finish(act);
	report(act, out);
	return true;
}

static bool is_act_name(const char *what)
{
	size_t len = strspn(what, "abcdefghijklmnopqrstuvwxyz-");

	return len > 0 && what[len] == '\0' && len < sizeof(((struct at_act *)0)->what);
}

static bool apply_locked(const struct at_plan *plan, int root, const struct at_state *state,
	const char *what, struct at_applied *out, struct at_error *err)
{
	struct at_act act;
	bool ok;

	at_act_init(&act, root, state);
	snprintf(act.what, sizeof(act.what), "%s", what);
	ok = preflight(&act, plan, err) && at_act_carry_out(&act, out, err);
	at_act_free(&act);
	return ok;
}

bool at_plan_apply(const struct at_plan *plan, int root, struct at_state *state,
	const char *what, struct at_applied *out, struct at_error *err)
{
	int lock;
	bool ok;

	*out = (struct at_applied){ 0 };
	if (at_plan_pending(plan) == 0)
		return true;
	if (!is_act_name(what))
		return at_fail(err, AT_EINVALID, "`%s` cannot name an act", what);
	if (!at_state_create(state, err))
		return false;
	lock = at_lock_take(state, err);
	if (lock < 0)
		return false;
	ok = at_recover_locked(root, state, err)
		&& apply_locked(plan, root, state, what, out, err);
	if (ok)
		at_journal_prune(state->fd);
	close(lock);
	return ok;
}
