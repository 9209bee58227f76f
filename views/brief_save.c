#include "views/brief_save.h"

#include <string.h>

#include "core/mem.h"

bool at_brief_is_ours(const struct at_session *session, struct at_error *err)
{
	if (*session->brief_place)
		return true;
	at_fail(err, AT_EREFUSED, "the brief %s is outside this project: it is shown, not changed",
		session->brief_path);
	at_error_path(err, session->brief_path);
	at_error_hint(err, "Open the project that holds it, or edit the file by hand.");
	return false;
}

bool at_brief_may_save(const struct at_session *session, struct at_error *err)
{
	if (session->options->readonly)
		return at_fail(err, AT_EDENIED, "--readonly was given: nothing is written");
	if (session->host.agent_marker) {
		at_fail(err, AT_EDENIED,
			"%s is set: this is an agent session, and the brief is the operator's to write",
			session->host.agent_marker);
		at_error_hint(err, "Run it in a terminal of your own.");
		return false;
	}
	return at_brief_is_ours(session, err) && at_emit_probe(&session->project, err);
}

/* What is on disk now must be what the operator saw. */
static bool is_still(const struct at_session *session, const struct at_change *change,
	struct at_error *err)
{
	const struct at_file *file = &session->brief;

	if (change->kind == AT_CREATE
			? !file->exists
			: file->exists && at_digest_equal(&change->old, &file->digest))
		return true;
	at_fail(err, AT_ESTALE, "%s changed since it was read: nothing is written", change->path);
	at_error_path(err, change->path);
	at_error_hint(err, "Look at it as it is now, and save once more.");
	return false;
}

static bool is_brief(const struct at_session *session, struct at_bytes bytes, struct at_error *err)
{
	struct at_arena *arena = at_arena_new();
	struct at_request request;
	bool ok = at_request_read(&request, bytes, at_session_name(session), arena, err);

	if (!ok)
		at_error_path(err, session->brief_path);
	at_arena_free(arena);
	return ok;
}

bool at_brief_save(struct at_session *session, struct at_bytes bytes, struct at_applied *out,
	struct at_error *err)
{
	struct at_plan plan;
	bool ok;

	memset(out, 0, sizeof(*out));
	if (!at_brief_may_save(session, err) || !is_brief(session, bytes, err))
		return false;
	at_plan_init(&plan);
	ok = at_plan_add(&plan, session->project.fd, AT_IN_PROJECT, session->brief_place, bytes,
		     0644, AT_PLAN_WRITE, "the brief", err)
		&& is_still(session, &plan.changes[0], err)
		&& at_plan_apply(&plan, session->project.fd, &session->state, "brief", out, err);
	at_plan_free(&plan);
	return ok;
}
