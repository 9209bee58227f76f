/* mode_launch.c - --launch-line: the command that starts an agent inside the launcher. */
#include "views/collect.h"
#include "views/launch_rows.h"
#include "views/modes.h"
#include "views/out.h"

/* Roots that emission would refuse are in no line. */
static bool check_roots(struct at_session *session, struct at_error *err)
{
	struct at_notices notices;
	bool fine;

	if (!at_session_need_request(session, err))
		return false;
	at_notices_init(&notices);
	fine = at_roots_resolve(&session->manifest, &notices, &session->project, err);
	at_notices_free(&notices);
	return fine;
}

int at_mode_launch_line(struct at_session *session)
{
	struct at_collected collected;
	struct at_launch launch;
	struct at_buf text = { 0 };
	struct at_json_value *json;
	struct at_error err;
	int status = 0;

	if (!check_roots(session, &err))
		return at_out_error(&err);
	at_collect(&collected, session);
	at_launch_rows_look(&launch, session, &collected);
	if (session->options->json) {
		json = at_json_object();
		at_json_add_text(json, "framework", at_framework_name(session->manifest.framework));
		at_launch_to_json(&launch, json);
		at_out_json(json);
		status = *launch.line ? 0 : 1;
	} else if (*launch.line) {
		at_launch_print(&launch, &text);
		at_out_text(&text);
		at_buf_free(&text);
	} else {
		status = at_out_error(&launch.why);
	}
	at_launch_free(&launch);
	at_collected_free(&collected);
	return status;
}
