/* Requests, one function a kind. */
#include <stdio.h>
#include <string.h>

#include "runner/serve/runner_impl.h"

void at_job_refuse(struct at_job *job, const struct at_error *err)
{
	job->err = *err;
	job->refused = true;
	at_canonical_object_free(&job->result);
}

static bool check(struct at_runner *runner, struct at_job *job, enum at_check_mode mode,
	struct at_error *err)
{
	const struct at_check_ask ask = {
		.mode = mode,
		.channel = job->asker == AT_ASKER_MCP ? AT_CHANNEL_MCP : AT_CHANNEL_ORCHESTRATOR,
		.via_agent = *job->asked.via_agent ? job->asked.via_agent : NULL,
		.doc = job->asked.doc,
		.node = job->asked.artifact,
		.now = at_time_now(),
	};

	return at_check_run(&job->check, &ask, &runner->checks, job->arena, err)
		&& at_runner_gates(runner, job, job->check.artifact.content.text, err);
}

/* agent, path, base, new, gates, written. (3.8) */
static void put_result(struct at_job *job, bool written)
{
	const struct at_check *c = &job->check;

	at_canonical_set_text(&job->result, "agent", at_bytes_of(c->agent));
	at_canonical_set_text(&job->result, "path", at_bytes_of(c->path));
	at_put_base(&job->result, "base_sha256", c->base_is_absent, &c->base);
	if (c->artifact.kind == AT_DELETE_PROPOSAL)
		at_canonical_set_null(&job->result, "new_sha256");
	else
		at_put_base(&job->result, "new_sha256", false, &c->result);
	at_canonical_set_raw(&job->result, "gates", at_buf_bytes(&job->gates));
	at_canonical_set_bool(&job->result, "written", written);
}

static void apply_proposal(struct at_runner *runner, struct at_job *job)
{
	struct at_write_call call = { .action = "apply-proposal" };
	struct at_error err;
	bool ok = check(runner, job, AT_CHECK_APPLY, &err);

	if (job->check.artifact.kind == AT_DELETE_PROPOSAL)
		call.action = "delete-proposal";
	if (ok && !job->asked.dry_run)
		ok = at_runner_write(runner, job, &call, &err);
	if (ok)
		put_result(job, !job->asked.dry_run);
	else
		at_job_refuse(job, &err);
}

static struct at_direct_grant *grant_of(const struct at_runner *runner, const struct at_job *job)
{
	uint32_t kind = at_json_member(job->asked.doc, job->asked.artifact, "kind");

	if (!at_json_is(job->asked.doc, kind, AT_JSON_STRING)
		|| !at_json_string_is(job->asked.doc, kind, "change-proposal"))
		return NULL;
	return at_direct_grant_of(&runner->direct, job->asked.via_agent);
}

/* A direct write asks for a narrow nonce before anything counts; every refusal of a nonce reads the
 * same on this channel. */
static bool is_narrow(struct at_runner *runner, const struct at_job *job, struct at_error *err)
{
	uint32_t node = at_json_member(job->asked.doc, job->asked.artifact, "dispatch");
	struct at_dispatch dispatch;

	if (at_json_is(job->asked.doc, node, AT_JSON_STRING)
		&& at_dispatch_find(&dispatch, runner->dispatches,
			at_json_string(job->asked.doc, node, job->arena))
		&& at_dispatch_is_narrow(&dispatch, at_time_now()))
		return true;
	at_fail(err, AT_EREFUSED, "dispatch nonce refused on this channel");
	at_error_name(err, "dispatch-wide");
	return false;
}

static void apply_direct(struct at_runner *runner, struct at_job *job,
	struct at_direct_grant *grant)
{
	struct at_write_call call = { .action = "apply-direct", .grant = grant->grant_id };
	struct at_error err;

	if (!is_narrow(runner, job, &err) || !at_direct_grant_may(grant, at_time_now(), &err)
		|| !check(runner, job, AT_CHECK_DIRECT, &err)
		|| !at_runner_write(runner, job, &call, &err)) {
		at_dispatch_hide(&err);
		at_job_refuse(job, &err);
		return;
	}
	grant->used++;
	put_result(job, true);
}

static bool count_use(struct at_runner *runner, struct at_job *job, struct at_error *err)
{
	if (at_dispatch_use(runner->dispatches, job->check.artifact.dispatch.text,
		    job->check.agent, at_time_now(), err))
		return true;
	at_dispatch_hide(err);
	return false;
}

static void put_stage_row(struct at_job *job)
{
	const struct at_check *c = &job->check;

	at_row_begin(&job->row, "stage-proposal", c->agent);
	at_row_base(&job->row, c);
	at_canonical_set_text(&job->row, "sid", at_bytes_of(job->sid));
	at_canonical_set_text(
		&job->row, "kind", at_bytes_of(at_artifact_kind_name(c->artifact.kind)));
	at_canonical_set_number(&job->row, "bytes", (long long)c->artifact.content.text.len);
	at_canonical_set_raw(&job->row, "gates", at_buf_bytes(&job->gates));
	if (c->artifact.kind == AT_DELETE_PROPOSAL)
		at_canonical_set_null(&job->row, "new");
	else
		at_put_base(&job->row, "new", false, &c->result);
	job->has_row = true;
}

bool at_job_prepare(struct at_runner *runner, struct at_job *job)
{
	struct at_error err;

	if (grant_of(runner, job))
		return false;
	if (!check(runner, job, AT_CHECK_STAGE, &err) || !count_use(runner, job, &err)) {
		at_job_refuse(job, &err);
		return true;
	}
	at_staged_make(&job->record, job->sid, job->expires, &job->check,
		at_buf_bytes(&job->gates), runner->site.key, at_time_now());
	put_stage_row(job);
	return true;
}

void at_job_staged(struct at_job *job)
{
	const struct at_check *c = &job->check;

	put_result(job, false);
	at_canonical_set_text(&job->result, "sid", at_bytes_of(job->sid));
	at_canonical_set_text(
		&job->result, "kind", at_bytes_of(at_artifact_kind_name(c->artifact.kind)));
	at_canonical_set_number(&job->result, "bytes", (long long)c->artifact.content.text.len);
	at_canonical_set_text(&job->result, "expires", at_bytes_of(job->expires));
	at_canonical_set_bool(&job->result, "staged", true);
}

static void stage_or_direct(struct at_runner *runner, struct at_job *job)
{
	struct at_direct_grant *grant = grant_of(runner, job);

	if (grant)
		apply_direct(runner, job, grant);
}

static void issue_dispatch(struct at_runner *runner, struct at_job *job)
{
	const struct at_dispatch_limits *limits =
		at_direct_grant_of(&runner->direct, job->asked.agent) ? &at_dispatch_narrow
								      : &at_dispatch_uniform;
	char nonce[AT_NONCE];
	struct at_error err;

	if (at_dispatch_issue(nonce, runner->dispatches, runner->ledger, job->asked.agent, limits,
		    at_time_now(), &err)) {
		/* Whatever was the last row is not any more. */
		at_history_note(&runner->history, at_bytes_of("{\"action\": \"issue-dispatch\"}"));
		at_canonical_set_text(&job->result, "nonce", at_bytes_of(nonce));
		return;
	}
	if (strcmp(err.id, "agent-slug") != 0) {
		runner->is_broken = true;
		runner->broken = err;
	}
	at_job_refuse(job, &err);
}

static void verify_ledger(struct at_runner *runner, struct at_job *job)
{
	struct at_proposal_state state;
	struct at_buf list = { 0 };
	const char **lines;
	struct at_error err;
	size_t count = 0;
	char *rest, *line;

	if (!at_proposal_ledger_verify(&state, &runner->site, NULL, NULL, &err)) {
		at_job_refuse(job, &err);
	} else {
		lines = at_arena_alloc(job->arena, (AT_PROPOSAL_PROBLEMS + 1) * sizeof(*lines));
		rest = at_arena_strdup(job->arena, at_buf_text(&state.problems));
		while ((line = strsep(&rest, "\n")) && count < AT_PROPOSAL_PROBLEMS)
			if (*line)
				lines[count++] = line;
		at_canonical_put_texts(&list, lines, count, AT_CANONICAL_SPACED);
		at_canonical_set_raw(&job->result, "problems", at_buf_bytes(&list));
		at_canonical_set_number(&job->result, "rows", (long long)state.rows);
	}
	at_proposal_state_free(&state);
	at_buf_free(&list);
}

/* What a refusal is called in the ledger; NULL: it leaves no row. */
static const struct {
	void (*serve)(struct at_runner *runner, struct at_job *job);
	bool is_ledgered;
} acts[AT_ASK_COUNT] = {
	[AT_ASK_ISSUE_DISPATCH] = { issue_dispatch, false },
	[AT_ASK_APPLY_PROPOSAL] = { apply_proposal, true },
	[AT_ASK_RUN_REQUEST] = { at_runner_run, true },
	[AT_ASK_VERIFY_LEDGER] = { verify_ledger, false },
	[AT_ASK_STAGE_PROPOSAL] = { stage_or_direct, true },
	[AT_ASK_APPLY_STAGED] = { at_job_apply_staged, true },
	[AT_ASK_REJECT_STAGED] = { at_job_reject_staged, false },
	[AT_ASK_LIST_STAGED] = { at_job_list_staged, false },
	[AT_ASK_SHOW_STAGED] = { at_job_show_staged, false },
	[AT_ASK_UNDO_APPLIED] = { at_job_undo, true },
};

/* The row of a refusal, in job->row; false where none is due. */
static bool put_refusal(struct at_job *job)
{
	char action[64];

	if (!job->refused || job->has_row || !job->is_known || job->asked.dry_run
		|| !acts[job->asked.kind].is_ledgered || strncmp(job->err.id, "request-", 8) == 0)
		return false;
	snprintf(action, sizeof(action), "%s-refused", at_request_kind_name(job->asked.kind));
	at_canonical_object_free(&job->row);
	at_row_begin(&job->row, action, job->check.agent);
	at_canonical_set_text(
		&job->row, "reason", at_artifact_kept(at_bytes_of(job->err.message)));
	return true;
}

void at_job_refusal_row(struct at_job *job)
{
	job->has_row = put_refusal(job);
}

void at_job_serve(struct at_runner *runner, struct at_job *job)
{
	struct at_error err;

	acts[job->asked.kind].serve(runner, job);
	if (put_refusal(job) && !runner->is_broken)
		at_runner_record(runner, &job->row, &err);
}
