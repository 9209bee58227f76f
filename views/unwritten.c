#include "views/unwritten.h"

#include <string.h>

#include "core/apply.h"

#define NAME "unwritten"
#define CAP 65536

struct at_buf at_unwritten_text(const struct at_session *session)
{
	struct at_buf text = { 0 };
	struct at_file file;

	if (session->state.fd < 0
		|| !at_file_read(&file, session->state.fd, NAME, CAP, AT_FILE_MAY_BE_ABSENT, NULL))
		return text;
	at_buf_put(&text, at_buf_text(&file.bytes), file.bytes.len);
	at_file_free(&file);
	return text;
}

bool at_unwritten_keep(struct at_session *session, struct at_bytes text, struct at_error *err)
{
	struct at_buf kept = at_unwritten_text(session);
	bool is_same = at_bytes_equal(at_buf_bytes(&kept), text), ok;
	struct at_applied applied;
	struct at_plan plan;

	at_buf_free(&kept);
	if (is_same || session->options->readonly)
		return true;
	if (text.len > CAP)
		text.len = CAP;
	at_plan_init(&plan);
	ok = at_plan_add(&plan, session->state.fd, AT_IN_STATE, NAME, text, 0600, AT_PLAN_WRITE,
		     "decisions that were not written", err)
		&& at_plan_apply(&plan, session->project.fd, &session->state, "unwritten", &applied,
			err);
	at_plan_free(&plan);
	return ok;
}
