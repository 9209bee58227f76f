/* mode_report.c - the modes that only tell. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/ceilings.h"
#include "runner/selftest/report.h"
#include "views/collect.h"
#include "views/modes.h"
#include "views/out.h"
#include "views/proof_rows.h"
#include "views/view_wiring.h"

static void print(struct at_buf *text)
{
	at_out_text(text);
	at_buf_free(text);
}

/* Whatever names a mechanism says what that mechanism does not do. */
static void put_ceilings(const struct at_session *session, const struct at_collected *c,
	struct at_buf *text)
{
	at_buf_printf(text,
		"mechanism: %s, %s; ceilings: ", at_mechanism_name(c->pipeline.mechanism),
		at_mechanism_state_name(c->pipeline.state));
	at_ceilings_ids(text, (int)c->pipeline.mechanism, (int)session->manifest.framework);
	at_buf_puts(text, " (atconsole --ceilings)\n");
}

/* What was found when the launcher was last tried here; for its own teams alone. (WIRE-13) */
static void put_proof(const struct at_collected *c, struct at_buf *text)
{
	const struct at_proof_state *s = &c->proof;

	if (c->evidence.mechanism != AT_LAUNCHER_LINUX)
		return;
	at_buf_printf(text, "proof: %s", at_mechanism_state_name(s->state));
	if (s->exists) {
		at_buf_printf(text, ", %s: ", s->date);
		at_proof_print_totals(&s->proof, SIZE_MAX, text);
	}
	at_buf_printf(text, "%s%s\n", *s->why ? "; " : "", s->why);
}

int at_mode_status(struct at_session *session)
{
	struct at_collected c;
	struct at_buf text = { 0 };
	struct at_json_value *json;

	at_collect_probed(&c, session);
	if (session->options->json) {
		json = at_json_object();
		at_pipeline_to_json(&c.pipeline, json);
		at_proof_rows_json(&c, json);
		at_ceilings_to_json(
			json, (int)c.pipeline.mechanism, (int)session->manifest.framework);
		at_teams_to_json(&c.teams, json);
		at_out_json(json);
	} else {
		at_pipeline_print(&c.pipeline, &text);
		put_ceilings(session, &c, &text);
		put_proof(&c, &text);
		at_teams_print(&c.teams, &text);
		if (!session->request_ok)
			at_buf_printf(&text, "brief: %s\n", session->request_error.message);
		else if (!c.is_planned)
			at_buf_printf(&text, "emit: %s\n", c.plan_error.message);
		print(&text);
	}
	at_collected_free(&c);
	return 0;
}

/* WIRE-7. */
static void try_host(struct at_session *session)
{
	struct at_host_place place = at_host_place_here(&session->host, true);

	if (session->options->no_probes)
		return;
	at_host_look(&session->host_seen, &place);
	session->host_is_known = true;
}

int at_mode_check_wiring(struct at_session *session)
{
	const struct at_framework *framework = at_frameworks[session->manifest.framework];
	struct at_collected c;
	struct at_buf text = { 0 };
	struct at_json_value *json;
	int status = 1;

	try_host(session);
	at_collect_probed(&c, session);
	if (!c.is_checked) {
		status =
			at_out_error(session->request_ok ? &c.plan_error : &session->request_error);
		at_collected_free(&c);
		return status;
	}
	if (session->options->ask_client && framework->ask_client)
		framework->ask_client(&c.wiring, &session->project);
	status = at_wiring_worst(&c.wiring) == AT_FAIL ? 1 : 0;
	if (session->options->json) {
		json = at_json_object();
		at_wiring_to_json(&c.wiring, json);
		at_wiring_report_json(session, &c, json);
		at_pipeline_to_json(&c.pipeline, at_json_add_object(json, "pipeline"));
		at_ceilings_to_json(
			json, (int)c.pipeline.mechanism, (int)session->manifest.framework);
		at_out_json(json);
	} else {
		at_wiring_report_print(session, &c, &text);
		at_buf_puts(&text, "Findings\n");
		at_wiring_print(&c.wiring, &text);
		at_buf_printf(&text, "%s\n", c.pipeline.sentence);
		put_ceilings(session, &c, &text);
		print(&text);
		at_out_notices(&c.notices);
	}
	at_collected_free(&c);
	return status;
}

int at_mode_effective(struct at_session *session)
{
	const struct at_framework *framework = at_frameworks[session->manifest.framework];
	struct at_effective effective;
	struct at_buf text = { 0 };
	struct at_json_value *json;
	struct at_error err;

	if (!framework->effective) {
		at_fail(&err, AT_EREFUSED, "this version does not know the settings files of %s",
			at_framework_name(session->manifest.framework));
		return at_out_error(&err);
	}
	at_effective_init(&effective);
	framework->effective(&effective, &session->project);
	if (session->options->json) {
		json = at_json_object();
		at_effective_to_json(&effective, json);
		at_out_json(json);
	} else {
		at_effective_print(&effective, &text);
		print(&text);
	}
	at_effective_free(&effective);
	return 0;
}

int at_mode_managed_example(const struct at_options *options)
{
	const char *example = at_frameworks[AT_CLAUDE]->managed_example;

	(void)options;
	at_out_note(
		"this example is inert: nothing of ours writes it. It would hold for every session "
		"on this host, as /etc/claude-code/managed-settings.json, root's and mode 0644");
	fputs(example, stdout);
	return 0;
}

int at_mode_manifest(struct at_session *session)
{
	struct at_buf text = { 0 };
	struct at_json_value *json;
	struct at_error err;

	if (!at_session_need_request(session, &err))
		return at_out_error(&err);
	if (session->options->json) {
		json = at_json_object();
		at_manifest_to_json(&session->manifest, json);
		at_out_json(json);
	} else {
		at_manifest_print(&session->manifest, &text);
		print(&text);
	}
	return 0;
}

int at_mode_schema(const struct at_options *options)
{
	struct at_json_value *json = at_json_object();
	struct at_error err;

	if (strcmp(options->schema, "brief") == 0) {
		at_request_schema(json);
	} else if (strcmp(options->schema, "manifest") == 0) {
		at_manifest_schema(json);
	} else {
		at_json_value_free(json);
		at_fail(&err, AT_EUSAGE, "there is no schema of %s", options->schema);
		at_error_hint(&err, "brief and manifest have one.");
		return at_out_error(&err);
	}
	at_out_json(json);
	return 0;
}

int at_mode_ceilings(const struct at_options *options)
{
	struct at_buf text = { 0 };
	struct at_json_value *json;

	if (options->json) {
		json = at_json_object();
		at_ceilings_to_json(json, -1, -1);
		at_out_json(json);
	} else {
		at_ceilings_print(&text, -1, -1);
		print(&text);
	}
	return 0;
}
