/* mode_hostcheck.c - --host-check: what this machine has for each mechanism. */
#include "core/host_check.h"
#include "views/modes.h"
#include "views/out.h"

/* Where nobody asked for a team yet, none has a mechanism of its own. */
static enum at_mechanism own_of(const struct at_session *session)
{
	if (!session->request_ok && !session->options->framework)
		return AT_NO_MECHANISM;
	return at_mechanism_of(session->manifest.framework, session->host.platform);
}

int at_mode_host_check(struct at_session *session)
{
	struct at_host_place place =
		at_host_place_here(&session->host, !session->options->no_probes);
	enum at_mechanism own = own_of(session);
	struct at_host_report report;
	struct at_host_seen seen;
	struct at_buf text = { 0 };
	struct at_json_value *json;
	bool passes;

	if (session->host.agent_marker)
		at_out_note(
			"%s is set: this is seen from inside an agent session, where less may be "
			"allowed than outside",
			session->host.agent_marker);
	at_host_look(&seen, &place);
	at_host_judge(&report, &seen);
	passes = at_host_passes(&report, own);
	if (session->options->json) {
		json = at_json_object();
		at_host_to_json(&report, own, json);
		at_out_json(json);
	} else {
		at_host_print(&report, own, &text);
		at_out_text(&text);
		at_buf_free(&text);
	}
	at_host_report_free(&report);
	return passes ? 0 : 1;
}
