/* How the runner changes a file of the project: the row first, then the plan. (STG-3, STG-4) */
#include <stdio.h>
#include <string.h>

#include "core/apply.h"
#include "runner/serve/runner_impl.h"

void at_row_begin(struct at_canonical_object *row, const char *action, const char *agent)
{
	at_canonical_set_text(row, "action", at_bytes_of(action));
	at_canonical_set_text(row, "agent", at_bytes_of(*agent ? agent : "?"));
}

void at_put_base(struct at_canonical_object *object, const char *key, bool is_absent,
	const struct at_digest *digest)
{
	char hex[AT_DIGEST_HEX] = "absent";

	if (!is_absent)
		at_digest_hex(hex, digest);
	at_canonical_set_text(object, key, at_bytes_of(hex));
}

void at_row_base(struct at_canonical_object *row, const struct at_check *check)
{
	at_canonical_set_text(row, "path", at_bytes_of(check->path));
	at_put_base(row, "base", check->base_is_absent, &check->base);
	at_canonical_set_text(row, "rationale", at_artifact_kept(check->artifact.why.text));
}

bool at_runner_record(struct at_runner *runner, struct at_canonical_object *row,
	struct at_error *err)
{
	struct at_buf text = { 0 };

	if (!at_proposal_ledger_append(runner->ledger, &row, 1, at_time_now(), err)) {
		runner->is_broken = true;
		runner->broken = *err;
		return false;
	}
	at_canonical_object_put(&text, row, AT_CANONICAL_SPACED);
	at_history_note(&runner->history, at_buf_bytes(&text));
	at_buf_free(&text);
	return true;
}

static bool is_delete(const struct at_check *check)
{
	return check->artifact.kind == AT_DELETE_PROPOSAL;
}

/* What is planned must start from the base that was checked. */
static bool plan_write(struct at_plan *plan, const struct at_runner *runner,
	const struct at_check *check, struct at_error *err)
{
	const struct at_change *change;
	bool ok = is_delete(check)
		? at_plan_remove(plan, runner->setup.root, check->path, "a proposal", err)
		: at_plan_add(plan, runner->setup.root, AT_IN_PROJECT, check->path,
			  check->artifact.content.text, 0, AT_PLAN_WRITE, "a proposal", err);

	if (!ok)
		return false;
	change = &plan->changes[0];
	if (change->kind == AT_CREATE ? check->base_is_absent
				      : !check->base_is_absent
					&& at_digest_equal(&change->old, &check->base))
		return true;
	at_fail(err, AT_EREFUSED, "%s changed since the agent read it (stale base); re-dispatch "
		"with the current file", check->path);
	at_error_name(err, "check-stale");
	return false;
}

static void put_row(struct at_canonical_object *row, const struct at_job *job,
	const struct at_write_call *call)
{
	const struct at_check *check = &job->check;

	at_row_begin(row, call->action, check->agent);
	at_row_base(row, check);
	at_canonical_set_text(row, "by", at_bytes_of(at_asker_name(job->asker)));
	if (call->sid)
		at_canonical_set_text(row, "sid", at_bytes_of(call->sid));
	if (is_delete(check))
		return;
	at_put_base(row, "new", false, &check->result);
	at_canonical_set_number(row, "bytes", (long long)check->artifact.content.text.len);
	at_canonical_set_raw(row, "gates", at_buf_bytes(&job->gates));
	if (call->grant)
		at_canonical_set_text(row, "grant", at_bytes_of(call->grant));
}

/* The write did not come: a row says so, and names the path that the row before it is about. */
static void take_back(struct at_runner *runner, const char *action, const char *agent,
	const char *path, const char *reason)
{
	struct at_canonical_object row = { 0 };
	struct at_error err;
	char name[64];

	snprintf(name, sizeof(name), "%s-refused", action);
	at_row_begin(&row, name, agent);
	at_canonical_set_text(&row, "path", at_bytes_of(path));
	at_canonical_set_text(&row, "reason", at_artifact_kept(at_bytes_of(reason)));
	at_runner_record(runner, &row, &err);
	at_canonical_object_free(&row);
}

static bool count_use(struct at_runner *runner, const struct at_job *job, struct at_error *err)
{
	return at_dispatch_use(runner->dispatches, job->check.artifact.dispatch.text,
		       job->check.agent, at_time_now(), err)
		&& at_dispatches_sync(runner->dispatches, err);
}

static bool is_plan_done(struct at_runner *runner, struct at_plan *plan, struct at_job *job,
	const struct at_write_call *call, struct at_error *err)
{
	struct at_canonical_object row = { 0 };
	struct at_applied applied;
	bool ok;

	put_row(&row, job, call);
	ok = at_runner_record(runner, &row, err);
	at_canonical_object_free(&row);
	if (!ok)
		return false;
	job->has_row = true; /* a refusal needs none of its own */
	if (at_plan_apply(plan, runner->setup.root, runner->setup.state, AT_PROPOSAL_ACT, &applied,
		    err))
		return true;
	take_back(runner, call->action, job->check.agent, job->check.path, err->message);
	return false;
}

bool at_runner_write(struct at_runner *runner, struct at_job *job,
	const struct at_write_call *call, struct at_error *err)
{
	struct at_plan plan;
	bool ok;

	if (!at_check_again(&job->check, &runner->checks, err))
		return false;
	at_plan_init(&plan);
	ok = plan_write(&plan, runner, &job->check, err)
		&& (call->sid || count_use(runner, job, err))
		&& is_plan_done(runner, &plan, job, call, err);
	at_plan_free(&plan);
	return ok;
}

/* Is the file what a row says it became, or was? */
static bool is_side(const struct at_file *file, bool is_absent, const struct at_digest *digest)
{
	return file->exists ? !is_absent && at_digest_equal(&file->digest, digest) : is_absent;
}

/* What there is to take back, still as it was written, and where an agent may write today. */
static bool may_undo(const struct at_runner *runner, const struct at_written *last,
	struct at_error *err)
{
	struct at_file file;
	char path[PATH_MAX];
	bool same;

	if (!at_check_destination(path, at_bytes_of(last->path), &runner->checks, last->agent, err))
		return false;
	if (!at_file_read(&file, runner->setup.root, last->path, AT_FILE_CAP,
		    AT_FILE_MAY_BE_ABSENT, err))
		return false;
	same = is_side(&file, last->new_is_absent, &last->new);
	at_file_free(&file);
	if (same)
		return true;
	at_fail(err, AT_ESTALE, "%s was changed since it was applied; nothing is undone",
		last->path);
	at_error_name(err, "undo-stale");
	return false;
}

static bool undo(struct at_runner *runner, struct at_job *job, const struct at_written *last,
	struct at_error *err)
{
	struct at_canonical_object row = { 0 };
	struct at_applied applied;
	char *path;
	bool ok;

	at_row_begin(&row, "undo-applied", last->agent);
	at_canonical_set_text(&row, "path", at_bytes_of(last->path));
	at_canonical_set_text(&row, "undoes", at_bytes_of(last->action));
	at_put_base(&row, "base", last->new_is_absent, &last->new);
	at_put_base(&row, "new", last->base_is_absent, &last->base);
	at_canonical_set_text(&row, "by", at_bytes_of(at_asker_name(job->asker)));
	path = at_arena_strdup(job->arena, last->path);
	at_canonical_set_text(&job->result, "agent", at_bytes_of(last->agent));
	at_canonical_set_text(&job->result, "path", at_bytes_of(path));
	at_canonical_set_text(&job->result, "undoes", at_bytes_of(last->action));
	at_put_base(&job->result, "new_sha256", last->base_is_absent, &last->base);
	snprintf(job->check.agent, sizeof(job->check.agent), "%s", last->agent);
	ok = at_runner_record(runner, &row, err); /* `last` is no more */
	at_canonical_object_free(&row);
	if (!ok)
		return false;
	job->has_row = true;
	if (at_journal_undo(
		    runner->setup.root, runner->setup.state, AT_PROPOSAL_ACT, &applied, err))
		return true;
	take_back(runner, "undo-applied", job->check.agent, path, err->message);
	return false;
}

void at_job_undo(struct at_runner *runner, struct at_job *job)
{
	const struct at_history *history = &runner->history;
	const struct at_written *last = history->count ? &history->stack[history->count - 1] : NULL;
	struct at_error err;

	if (!last) {
		at_fail(&err, AT_EREFUSED, "there is no applied proposal to take back");
		at_error_name(&err, "undo-none");
		at_job_refuse(job, &err);
	} else if (!may_undo(runner, last, &err) || !undo(runner, job, last, &err)) {
		at_job_refuse(job, &err);
	}
}

/* The last row is a write's: did the write come? */
static bool reconcile_write(struct at_runner *runner, struct at_error *err)
{
	const struct at_history *h = &runner->history;
	const struct at_written *w = h->last_is_undo ? &h->undone : &h->stack[h->count - 1];
	char action[40], agent[AT_AGENT], path[PATH_MAX];
	struct at_file file;
	bool was_done;

	if (!at_file_read(&file, runner->setup.root, w->path, AT_FILE_CAP, AT_FILE_MAY_BE_ABSENT,
		    err))
		return true; /* no longer a file to compare: nothing can be said of it */
	was_done = h->last_is_undo ? !is_side(&file, w->new_is_absent, &w->new)
				   : !is_side(&file, w->base_is_absent, &w->base);
	at_file_free(&file);
	if (was_done)
		return true;
	snprintf(action, sizeof(action), "%s", h->last_is_undo ? "undo-applied" : w->action);
	snprintf(agent, sizeof(agent), "%s", w->agent);
	snprintf(path, sizeof(path), "%s", w->path);
	take_back(runner, action, agent, path, "the runner ended before the file was written");
	at_buf_printf(&runner->said, "%s of %s never came: the runner ended before it; the ledger "
		"says so now\n", action, path);
	if (runner->is_broken)
		*err = runner->broken;
	return !runner->is_broken;
}

/* Records that a group's rows speak of and that were not kept. */
static bool reconcile_staged(struct at_runner *runner, struct at_error *err)
{
	char sids[AT_HISTORY_STAGED][AT_STAGED_ID];
	size_t count = runner->history.staged_count;

	memcpy(sids, runner->history.staged, sizeof(sids));
	for (size_t i = 0; i < count; i++) {
		struct at_canonical_object row = { 0 };
		struct at_staged staged;
		bool is_there = at_staged_read_head(&staged, runner->staged, sids[i], err)
			&& !staged.is_malformed;

		at_staged_free(&staged);
		if (is_there)
			continue;
		at_row_begin(&row, "stage-proposal-refused", "?");
		at_canonical_set_text(&row, "sid", at_bytes_of(sids[i]));
		at_canonical_set_text(&row, "reason",
			at_bytes_of("the runner ended before the record was kept"));
		at_runner_record(runner, &row, err);
		at_canonical_object_free(&row);
		if (runner->is_broken)
			return false;
	}
	return true;
}

bool at_runner_reconcile(struct at_runner *runner, struct at_error *err)
{
	struct at_journal_state ended;
	char settled[AT_STAGED_ID];

	if (!at_journal_recover(runner->setup.root, runner->setup.state, &ended, err))
		return false;
	snprintf(settled, sizeof(settled), "%s", runner->history.settled);
	if (runner->history.last_is_write) {
		size_t rows = at_proposal_ledger_rows(runner->ledger);

		if (!reconcile_write(runner, err))
			return false;
		if (rows != at_proposal_ledger_rows(runner->ledger))
			*settled = '\0'; /* not applied after all: it stays staged */
	}
	if (*settled && !at_staged_remove(runner->staged, settled, err))
		return false;
	return reconcile_staged(runner, err);
}
