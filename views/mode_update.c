/* mode_update.c - --update and --check: one plan, written or compared. */
#include <stdio.h>

#include "core/apply.h"
#include "core/launch_line.h"
#include "emit/launcher.h"
#include "views/collect.h"
#include "views/modes.h"
#include "views/out.h"
#include "views/screen.h"

/* What was planned and, with `applied`, what was written. */
static void report(const struct at_session *session, const struct at_collected *c,
	const struct at_applied *applied, const char *refusal)
{
	size_t pending = at_plan_pending(&c->plan);
	struct at_buf text = { 0 };
	struct at_json_value *json;

	if (session->options->json) {
		json = at_json_object();
		at_plan_to_json(&c->plan, at_json_add_array(json, "plan"));
		at_out_notices_to_json(&c->notices, at_json_add_array(json, "notices"));
		at_json_add_number(json, "pending", (long long)pending);
		at_json_add_number(json, "written", applied ? (long long)applied->written : 0);
		if (refusal)
			at_json_add_text(json, "would_be_refused", refusal);
		at_out_json(json);
		return;
	}
	at_plan_print(&c->plan, &text);
	if (applied && applied->written)
		at_buf_printf(
			&text, "%zu written; atconsole --undo takes it back\n", applied->written);
	else if (pending == 0)
		at_buf_puts(&text, "nothing to do: everything emitted is as it should be\n");
	else
		at_buf_printf(&text, "%zu to write; nothing was written\n", pending);
	at_out_text(&text);
	at_buf_free(&text);
	at_out_advisories(&session->manifest);
	at_out_notices(&c->notices);
	if (refusal)
		fprintf(stderr, "a real run would be refused: it would exit 2\n");
}

/* In a terminal the run ends with an offer; only a y takes it. (UI-7: never in batch) */
static bool wants_merge_view(void)
{
	char answer[16];

	printf("Open the Merge view now? [y/N] ");
	fflush(stdout);
	return fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

static int update(struct at_session *session, struct at_collected *c)
{
	struct at_error err, refused;
	struct at_applied applied = { 0 };
	bool allowed;

	if (!c->is_planned)
		return at_out_error(&c->plan_error);
	allowed = at_emit_probe(&session->project, &refused);
	if (session->options->dry_run) {
		report(session, c, NULL, allowed ? NULL : refused.message);
		return 0;
	}
	if (!allowed)
		return at_out_error(&refused);
	if (!at_plan_apply(
		    &c->plan, session->project.fd, &session->state, "update", &applied, &err))
		return at_out_error(&err);
	report(session, c, &applied, NULL);
	if (c->evidence.is_configured || session->options->json)
		return 0;
	if (!c->has_settings) {
		if (at_launcher_is_emitted(&session->manifest))
			printf("next: start the agent through " AT_LAUNCHER
			       "; the advisory has the line\n");
		return 0;
	}
	printf("next: atconsole --merge shows what the live settings lack\n");
	return at_screen_is_possible(session->options) && wants_merge_view()
		? at_screen_run_at(session, 4) : 0;
}

int at_mode_update(struct at_session *session)
{
	struct at_collected c;
	struct at_error err;
	int status;

	if (!session->options->dry_run && !at_session_recover(session, false, &err))
		return at_out_error(&err);
	at_collect(&c, session);
	status = update(session, &c);
	at_collected_free(&c);
	return status;
}

int at_mode_check(struct at_session *session)
{
	struct at_collected c;
	int status = 1;

	at_collect(&c, session);
	if (!c.is_planned) {
		status = at_out_error(&c.plan_error);
	} else {
		report(session, &c, NULL, NULL);
		status = at_plan_pending(&c.plan) ? 1 : 0;
	}
	at_collected_free(&c);
	return status;
}
