/* Deciding about what is staged. (STG-1; reference-ledgers 3.7) */
#include <stdio.h>
#include <string.h>

#include "runner/serve/runner_impl.h"

#define LIST_CAP ((size_t)1900 << 10) /* of a result file of 2 MiB */

/* `staged_review: "operator"`: the queue may look and may not decide. */
static bool may_decide(const struct at_runner *runner, const struct at_job *job,
	struct at_error *err)
{
	if (!runner->operator_decides || job->asker == AT_ASKER_OPERATOR)
		return true;
	at_fail(err, AT_EREFUSED, "the brief leaves this decision to the operator "
		"(staged_review); refused on the queue");
	at_error_name(err, "staged-operator");
	at_error_hint(err, "The operator decides in the console, or runs the same command outside "
		"any agent session.");
	return false;
}

/* A link that was planted since must not take the approved bytes to another file. */
static bool leads_where_it_did(
	const struct at_job *job, const struct at_staged *staged, struct at_error *err)
{
	if (strcmp(job->check.path, staged->path) == 0)
		return true;
	at_fail(err, AT_EREFUSED, "%s leads to %s now; it was staged for itself; refused",
		staged->path, job->check.path);
	at_error_name(err, "path-moved");
	return false;
}

/* All checks again, on the file as it is now. */
static bool check_again(struct at_runner *runner, struct at_job *job,
	const struct at_staged *staged, struct at_error *err)
{
	const struct at_check_ask ask = {
		.mode = AT_CHECK_STAGED,
		.channel = AT_CHANNEL_ORCHESTRATOR,
		.agent = staged->agent,
		.doc = &staged->doc,
		.node = staged->artifact,
		.now = at_time_now(),
	};
	struct at_check_ground ground = runner->checks;

	ground.dispatches = NULL; /* whose it is stands in the record */
	return at_check_run(&job->check, &ask, &ground, job->arena, err)
		&& leads_where_it_did(job, staged, err)
		&& at_runner_gates(runner, job, job->check.artifact.content.text, err);
}

static bool apply(struct at_runner *runner, struct at_job *job, const struct at_staged *staged,
	struct at_error *err)
{
	const struct at_write_call call = { .action = "apply-staged", .sid = staged->sid };

	return at_staged_verify(staged, runner->site.key, at_time_now(), err)
		&& check_again(runner, job, staged, err)
		&& at_runner_write(runner, job, &call, err);
}

static void put_applied(struct at_job *job, const char *sid)
{
	const struct at_check *c = &job->check;

	at_canonical_set_text(&job->result, "agent", at_bytes_of(c->agent));
	at_canonical_set_text(&job->result, "path", at_bytes_of(c->path));
	at_canonical_set_text(&job->result, "sid", at_bytes_of(sid));
	at_put_base(&job->result, "base_sha256", c->base_is_absent, &c->base);
	if (c->artifact.kind == AT_DELETE_PROPOSAL)
		at_canonical_set_null(&job->result, "new_sha256");
	else
		at_put_base(&job->result, "new_sha256", false, &c->result);
	at_canonical_set_raw(&job->result, "gates", at_buf_bytes(&job->gates));
	at_canonical_set_bool(&job->result, "written", true);
}

void at_job_apply_staged(struct at_runner *runner, struct at_job *job)
{
	struct at_staged staged = { 0 };
	struct at_error err;

	if (!may_decide(runner, job, &err)
		|| !at_staged_read(&staged, runner->staged, job->asked.sid, &err)
		|| !apply(runner, job, &staged, &err)) {
		at_job_refuse(job, &err);
	} else {
		put_applied(job, staged.sid);
		/* One that cannot go is found again at the next start. */
		at_staged_remove(runner->staged, staged.sid, &err);
	}
	/* The check's texts are of the record. */
	at_check_free(&job->check);
	at_staged_free(&staged);
}

static bool drop(struct at_runner *runner, const struct at_staged *staged, const char *action,
	const char *by, const char *reason, struct at_error *err)
{
	struct at_canonical_object row = { 0 };
	bool ok;

	at_row_begin(&row, action, staged->is_malformed ? "?" : staged->agent);
	at_canonical_set_text(
		&row, "path", at_bytes_of(staged->is_malformed ? "?" : staged->path));
	at_canonical_set_text(&row, "sid", at_bytes_of(staged->sid));
	if (by)
		at_canonical_set_text(&row, "by", at_bytes_of(by));
	if (reason)
		at_canonical_set_text(&row, "reason", at_artifact_kept(at_bytes_of(reason)));
	ok = at_runner_record(runner, &row, err)
		&& at_staged_remove(runner->staged, staged->sid, err);
	at_canonical_object_free(&row);
	return ok;
}

void at_job_reject_staged(struct at_runner *runner, struct at_job *job)
{
	struct at_staged staged = { 0 };
	struct at_error err;

	if (!may_decide(runner, job, &err)
		|| !at_staged_read(&staged, runner->staged, job->asked.sid, &err)
		|| !drop(runner, &staged, "reject-staged", at_asker_name(job->asker),
			job->asked.reason, &err)) {
		at_job_refuse(job, &err);
	} else {
		at_canonical_set_text(&job->result, "sid", at_bytes_of(staged.sid));
		at_canonical_set_text(&job->result, "agent",
			at_bytes_of(staged.is_malformed ? "?" : staged.agent));
		at_canonical_set_text(&job->result, "path",
			at_bytes_of(staged.is_malformed ? "?" : staged.path));
		at_canonical_set_bool(&job->result, "rejected", true);
	}
	at_staged_free(&staged);
}

/* One line, or the end of one whose time is over. */
static bool list_one(struct at_runner *runner, struct at_buf *out, const char *sid, size_t *left,
	struct at_error *err)
{
	struct at_staged staged;
	bool ok = true;

	/* Gone since the names were read: not there. */
	if (!at_staged_read_head(&staged, runner->staged, sid, err)) {
		at_staged_free(&staged);
		return true;
	}
	if (!staged.is_malformed && at_staged_is_over(&staged, at_time_now())) {
		ok = drop(runner, &staged, "expire-staged", NULL, NULL, err);
	} else if (out->len < LIST_CAP) {
		if (out->len > 1)
			at_buf_puts(out, ", ");
		at_staged_put_line(out, &staged);
	} else {
		(*left)++;
	}
	at_staged_free(&staged);
	return ok;
}

void at_job_list_staged(struct at_runner *runner, struct at_job *job)
{
	struct at_staged_names names;
	struct at_buf list = { 0 };
	struct at_error err;
	size_t left = 0;
	bool ok = at_staged_names(&names, runner->staged, &err);

	at_buf_putc(&list, '[');
	for (size_t i = 0; ok && i < names.count; i++)
		ok = list_one(runner, &list, names.items[i].sid, &left, &err);
	at_buf_putc(&list, ']');
	at_staged_names_free(&names);
	if (ok) {
		at_canonical_set_raw(&job->result, "staged", at_buf_bytes(&list));
		if (left)
			at_canonical_set_number(&job->result, "left_off", (long long)left);
	} else {
		at_job_refuse(job, &err);
	}
	at_buf_free(&list);
}

static void put_record(struct at_job *job, const struct at_staged *staged)
{
	static const char *const keys[] = { "agent", "artifact", "bytes", "content_sha256",
		"expires", "gates", "kind", "mac", "path", "sid" };

	for (size_t i = 0; i < AT_LEN(keys); i++) {
		uint32_t node = at_json_member(&staged->doc, AT_JSON_ROOT, keys[i]);
		struct at_buf value = { 0 };

		if (node == AT_JSON_NONE)
			continue;
		at_canonical_put(&value, &staged->doc, node, AT_CANONICAL_SPACED);
		at_canonical_set_raw(&job->result, keys[i], at_buf_bytes(&value));
		at_buf_free(&value);
	}
}

void at_job_show_staged(struct at_runner *runner, struct at_job *job)
{
	struct at_staged staged;
	struct at_error err;

	if (!at_staged_read(&staged, runner->staged, job->asked.sid, &err)) {
		at_job_refuse(job, &err);
	} else if (staged.is_malformed) {
		at_fail(&err, AT_EREFUSED, "staged record %s is malformed", staged.sid);
		at_error_name(&err, "staged-malformed");
		at_job_refuse(job, &err);
	} else {
		put_record(job, &staged);
	}
	at_staged_free(&staged);
}
