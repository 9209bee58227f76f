#include "views/proposal_act.h"

#include <string.h>
#include <unistd.h>

#include "runner/serve/client.h"
#include "runner/serve/staged.h"
#include "views/runner_site.h"

#define PATIENCE_S 60u

static const enum at_request_kind kinds[] = {
	[AT_PROPOSAL_APPLY] = AT_ASK_APPLY_STAGED,
	[AT_PROPOSAL_REJECT] = AT_ASK_REJECT_STAGED,
	[AT_PROPOSAL_UNDO] = AT_ASK_UNDO_APPLIED,
};

/* Is the record still the one that was on the screen? */
static bool is_still(const struct at_session *session, const struct at_proposal_act *act,
	struct at_error *err)
{
	int dir = at_staged_open_dir(session->project.fd, false, err);
	struct at_staged record;
	bool same;

	if (dir < 0)
		return false;
	same = at_staged_read(&record, dir, act->sid, err);
	if (same && strcmp(record.content_sha256, act->content_sha256) != 0)
		same = at_fail(err, AT_ESTALE, "it is not the proposal that was on the screen");
	at_staged_free(&record);
	close(dir);
	return same;
}

static bool read_result(struct at_buf *said, const struct at_proposal_act *act,
	struct at_bytes text, struct at_error *err)
{
	static const char *const done_words[] = { "applied; u takes it back", "rejected", "undone" };
	struct at_client_result result;
	bool ok;

	if (!at_client_result_read(&result, text, err))
		return false;
	ok = result.ok;
	if (ok)
		at_buf_puts(said, done_words[act->verb]);
	else
		at_fail(err, AT_EREFUSED, "%s", result.error);
	at_client_result_free(&result);
	return ok;
}

bool at_proposal_do(struct at_buf *said, struct at_session *session,
	const struct at_proposal_act *act, struct at_error *err)
{
	struct at_request_words words = { .kind = kinds[act->verb],
		.sid = *act->sid && act->verb != AT_PROPOSAL_UNDO ? act->sid : NULL,
		.reason = act->verb == AT_PROPOSAL_REJECT && act->reason && *act->reason
			? act->reason : NULL };
	struct at_buf result = { 0 };
	bool done;

	if (!at_session_may_use_keys(session, err)
		|| (act->verb == AT_PROPOSAL_APPLY && !is_still(session, act, err)))
		return false;
	done = at_runner_site_ask(&result, session, &words, AT_ASK_OPERATOR, PATIENCE_S, err)
		&& read_result(said, act, at_buf_bytes(&result), err);
	at_buf_free(&result);
	return done;
}
