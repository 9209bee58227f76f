#include "runner/serve/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/disk.h"
#include "runner/serve/runner_impl.h"

#define AGED_EVERY_S 30

void at_runner_beat(struct at_runner *runner)
{
	int64_t now = at_steady_ms() / 1000;
	char text[32];
	int len;

	if (runner->beat_s && now - runner->beat_s < AT_RUNNER_BEAT_S)
		return;
	runner->beat_s = now ? now : 1;
	len = snprintf(text, sizeof(text), "%lld", (long long)(at_clock_ms() / 1000));
	/* A heart that cannot beat is seen as what it is: no runner. */
	unlinkat(runner->ground, ".runner.heartbeat.tmp", 0);
	if (at_disk_put(runner->ground, ".runner.heartbeat.tmp",
		    (struct at_bytes){ text, (size_t)len }, 0600))
		at_disk_rename(runner->ground, ".runner.heartbeat.tmp", "runner.heartbeat");
}

void at_runner_said(struct at_buf *out, struct at_runner *runner)
{
	at_buf_put(out, at_buf_text(&runner->said), runner->said.len);
	at_buf_free(&runner->said);
	at_queue_odd(out, runner->queue);
}

size_t at_runner_fds(const struct at_runner *runner, int out[AT_RUNNER_FDS])
{
	size_t count = 0;

	if (at_wake_fd(runner->wake) < 0)
		return 0;
	out[count++] = at_wake_fd(runner->wake);
	if (runner->socket >= 0)
		out[count++] = runner->socket;
	return count;
}

void at_runner_wait(struct at_runner *runner, int ms)
{
	int patience = at_queue_patience(runner->queue);

	if (patience >= 0 && patience < ms)
		ms = patience;
	if (ms > AT_RUNNER_BEAT_S * 1000)
		ms = AT_RUNNER_BEAT_S * 1000;
	at_wake_wait(runner->wake, &runner->socket, runner->socket >= 0, ms);
	at_runner_beat(runner);
}

/* What happened while its result was made, for the operator. */
static void say(struct at_runner *runner, const struct at_job *job, const char *id)
{
	at_buf_printf(&runner->said, "%s %s: %s%s\n", id,
		job->is_known ? at_request_kind_name(job->asked.kind) : "?",
		job->refused ? "refused: " : "served", job->refused ? job->err.message : "");
}

static bool finish(struct at_runner *runner, struct at_job *job, struct at_error *err)
{
	struct at_buf text = { 0 };
	bool ok;

	at_job_answer(&text, job, job->claim.id);
	ok = at_queue_answer(
		runner->queue, job->claim.id, at_buf_bytes(&text), job->claim.fault != NULL, err);
	say(runner, job, job->claim.id);
	at_buf_free(&text);
	at_job_free(job);
	return ok;
}

static void take(struct at_job *job, enum at_asker asker)
{
	struct at_error err;

	job->asker = asker;
	job->arena = at_arena_new();
	job->begun_ms = at_steady_ms();
	if (job->claim.fault) {
		at_fail(&err, AT_EREFUSED, "%s", job->claim.fault);
		at_error_name(&err, "request-unreadable");
		at_job_refuse(job, &err);
	} else if (!at_request_take(&job->asked, &job->is_known, &job->claim.doc, asker,
			   job->arena, &err)) {
		at_job_refuse(job, &err);
	}
}

/* Requests that share one write of the ledger. */
struct group {
	struct at_job *jobs;
	size_t count;
};

static size_t collect_rows(struct group *group, struct at_canonical_object **rows)
{
	size_t count = 0;

	for (size_t i = 0; i < group->count; i++) {
		struct at_job *job = &group->jobs[i];

		if (job->refused)
			at_job_refusal_row(job);
		if (job->has_row)
			rows[count++] = &job->row;
	}
	return count;
}

static void note_rows(struct at_runner *runner, struct at_canonical_object *const *rows,
	size_t count)
{
	struct at_buf text = { 0 };

	for (size_t i = 0; i < count; i++) {
		text.len = 0;
		at_canonical_object_put(&text, rows[i], AT_CANONICAL_SPACED);
		at_history_note(&runner->history, at_buf_bytes(&text));
	}
	at_buf_free(&text);
}

static bool keep_records(struct at_runner *runner, struct group *group, struct at_error *err)
{
	struct at_staged_text *items = calloc(group->count, sizeof(*items));
	size_t count = 0;
	bool ok;

	for (size_t i = 0; items && i < group->count; i++) {
		const struct at_job *job = &group->jobs[i];

		if (!job->refused)
			items[count++] = (struct at_staged_text){ job->sid,
				at_buf_bytes(&job->record) };
	}
	ok = items && at_staged_put(runner->staged, items, count, err);
	free(items);
	return ok;
}

/* Everybody who was to be staged gets the same refusal. */
static void refuse_group(struct group *group, const struct at_error *err)
{
	for (size_t i = 0; i < group->count; i++)
		if (!group->jobs[i].refused)
			at_job_refuse(&group->jobs[i], err);
}

/* The records were not kept: rows take back those that say so. */
static void take_back_staged(struct at_runner *runner, struct group *group,
	const struct at_error *why)
{
	struct at_error err;

	for (size_t i = 0; i < group->count && !runner->is_broken; i++) {
		struct at_job *job = &group->jobs[i];
		struct at_canonical_object row = { 0 };

		if (job->refused)
			continue;
		at_row_begin(&row, "stage-proposal-refused", job->check.agent);
		at_canonical_set_text(&row, "sid", at_bytes_of(job->sid));
		at_canonical_set_text(
			&row, "reason", at_artifact_kept(at_bytes_of(why->message)));
		at_runner_record(runner, &row, &err);
		at_canonical_object_free(&row);
	}
	refuse_group(group, why);
}

/* Counters, rows, records, results: in this order, each on the disk before the next. */
static bool commit(struct at_runner *runner, struct group *group, struct at_error *err)
{
	struct at_canonical_object *rows[AT_RUNNER_GROUP];
	size_t count = collect_rows(group, rows);
	struct at_error why;

	if (!group->count)
		return true;
	if (!at_dispatches_sync(runner->dispatches, &why)
		|| (count && !at_proposal_ledger_append(
				     runner->ledger, rows, count, at_time_now(), &why))) {
		runner->is_broken = true;
		runner->broken = why;
		refuse_group(group, &why);
	} else {
		note_rows(runner, rows, count);
		if (!keep_records(runner, group, &why))
			take_back_staged(runner, group, &why);
	}
	for (size_t i = 0; i < group->count; i++) {
		if (!group->jobs[i].refused)
			at_job_staged(&group->jobs[i]);
		if (!finish(runner, &group->jobs[i], err))
			runner->is_broken = true, runner->broken = *err;
	}
	group->count = 0;
	return !runner->is_broken;
}

/* Into the group, or after it. */
static bool serve_one(struct at_runner *runner, struct group *group, struct at_error *err)
{
	struct at_job *job = &group->jobs[group->count];
	size_t most = runner->setup.ungrouped ? 1 : AT_RUNNER_GROUP;

	if (!job->refused && at_request_groups(job->asked.kind) && at_job_prepare(runner, job)) {
		group->count++;
		return group->count < most || commit(runner, group, err);
	}
	if (!commit(runner, group, err)) {
		at_job_free(job); /* stays claimed: told at the next start */
		return false;
	}
	if (!job->refused)
		at_job_serve(runner, job);
	return finish(runner, job, err) && !runner->is_broken;
}

static bool look_at_pins(struct at_runner *runner, struct at_error *err)
{
	return at_runner_pins_hold(runner, err) && at_queue_is_still(runner->queue, err);
}

static void sweep(struct at_runner *runner)
{
	int64_t now = at_steady_ms() / 1000;
	bool aged = !runner->aged_s || now - runner->aged_s >= AGED_EVERY_S;

	if (aged)
		runner->aged_s = now ? now : 1;
	at_queue_sweep(runner->queue, at_clock_ms(), aged);
}

static bool turn(struct at_runner *runner, struct group *group, size_t most, size_t *served,
	struct at_error *err)
{
	while (!most || *served < most) {
		struct at_job *job = &group->jobs[group->count];

		*job = (struct at_job){ 0 };
		if (!at_queue_next(&job->claim, runner->queue, at_clock_ms(), err)) {
			if (err->code)
				return false;
			break;
		}
		/* A claim made under a policy that is no more is not served. */
		if (!at_runner_pins_hold(runner, err)) {
			at_queued_free(&job->claim);
			return false;
		}
		take(job, job->claim.channel == AT_CHANNEL_MCP ? AT_ASKER_MCP
							       : AT_ASKER_ORCHESTRATOR);
		++*served;
		if (!serve_one(runner, group, err))
			return false;
		at_runner_beat(runner);
	}
	return true;
}

bool at_runner_turn(struct at_runner *runner, size_t most, size_t *served, struct at_error *err)
{
	struct group group = { .count = 0 };
	struct at_error late;
	size_t asked = 0;
	bool ok;

	*served = 0;
	*err = (struct at_error){ 0 };
	if (!look_at_pins(runner, err))
		return false;
	sweep(runner);
	group.jobs = at_alloc((AT_RUNNER_GROUP + 1) * sizeof(*group.jobs));
	ok = at_socket_serve(runner, &asked, err) && turn(runner, &group, most, served, err);
	/* What is prepared has its counters used already: it is ended either way. */
	if (!runner->is_broken && !commit(runner, &group, &late) && ok)
		ok = false;
	free(group.jobs);
	*served += asked;
	if (runner->is_broken)
		*err = runner->broken;
	return ok && !runner->is_broken;
}

bool at_runner_serve(struct at_runner *runner, bool once, const volatile sig_atomic_t *stop,
	size_t *served, struct at_error *err)
{
	*served = 0;
	for (;;) {
		size_t now;

		if (!at_runner_turn(runner, 0, &now, err)) {
			*served += now;
			return false;
		}
		*served += now;
		if (once || *stop)
			return true;
		at_runner_wait(runner, AT_RUNNER_BEAT_S * 1000);
		if (*stop)
			return true;
	}
}

bool at_runner_ask(struct at_runner *runner, struct at_bytes request, struct at_buf *result,
	struct at_error *err)
{
	struct at_job job = { .asker = AT_ASKER_OPERATOR, .arena = at_arena_new(),
		.begun_ms = at_steady_ms() };
	struct at_error why;
	char id[AT_QUEUE_ID];

	if (!look_at_pins(runner, err)) {
		at_job_free(&job);
		return false;
	}
	at_queue_new_id(id);
	if (at_asked_read(&job.asked, &job.own_doc, &job.is_known, request, AT_ASKER_OPERATOR,
		    job.arena, &why))
		at_job_serve(runner, &job);
	else
		at_job_refuse(&job, &why);
	at_job_answer(result, &job, id);
	say(runner, &job, id);
	at_job_free(&job);
	if (runner->is_broken)
		*err = runner->broken;
	return !runner->is_broken;
}

void at_runner_look(struct at_runner_sight *out, int root)
{
	struct at_file beat;
	int lock;

	*out = (struct at_runner_sight){ .age = -1 };
	lock = openat(root, AT_RUNNER_LOCK, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	out->has_lock_file = lock >= 0;
	if (lock >= 0) {
		/* A shared lock shuts nobody out for longer than this. */
		out->is_locked = flock(lock, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
		close(lock);
	}
	if (at_file_read(&beat, root, AT_RUNNER_HEARTBEAT, 64,
		    AT_FILE_MAY_BE_ABSENT | AT_FILE_NO_DIGEST, NULL)
		&& beat.exists) {
		long long then = strtoll(at_buf_text(&beat.bytes), NULL, 10);

		out->has_beat = true;
		out->age = at_clock_ms() / 1000 - then;
		out->is_fresh = out->age < AT_RUNNER_STALE_S && out->age > -AT_RUNNER_STALE_S;
	}
	at_file_free(&beat);
}
