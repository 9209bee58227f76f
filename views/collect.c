#include "views/collect.h"

#include <string.h>

#include "core/host_check.h"
#include "core/settings_file.h"
#include "core/write_policy.h"
#include "views/acknowledged.h"

/* What the decision alone says. */
static void decision_evidence(struct at_evidence *e, const struct at_session *session)
{
	const struct at_manifest *manifest = &session->manifest;

	e->brief_exists = session->brief.exists;
	e->brief_ok = session->request_ok;
	e->fatal = at_manifest_fatal(manifest) != NULL;
	e->overridden = manifest->unenforced_is_allowed;
	e->cooperative_without_token = !manifest->confinement_is_requested;
	e->mechanism = at_mechanism_of(manifest->framework, manifest->platform);
	/* Until a proof says more. */
	e->state = AT_STATE_UNVERIFIED;
}

static void wiring_evidence(struct at_evidence *e, const struct at_session *session,
	const struct at_wiring *wiring)
{
	const struct at_framework *framework = at_frameworks[session->manifest.framework];

	/* Settings that another framework's client reads say nothing about this team. */
	e->live_file_exists = framework->effective &&
		at_file_type(session->project.fd, AT_SETTINGS) != AT_FILE_ABSENT;
	e->file_is_loaded = wiring->file_is_loaded;
	e->is_configured = wiring->is_configured;
	e->is_undone = wiring->undone;
	e->undone_by = wiring->undone_by;
	if (!framework->hooks)
		e->gate = AT_GATE_NONE;
	else if (!wiring->hook_is_wired)
		e->gate = AT_GATE_NOT_WIRED;
	else
		e->gate = session->manifest.gate_fails_closed ? AT_GATE_CLOSED : AT_GATE_OPEN;
	if (!e->is_configured)
		e->state = AT_STATE_NOT_WIRED;
}

/* What was tried, as far as it was; else what reading alone tells, above all of WSL1. */
static void check_host(struct at_collected *out, const struct at_session *session)
{
	struct at_host_place place = at_host_place_here(&session->host, false);
	struct at_host_report report;
	struct at_host_seen seen;

	if (!session->host_is_known && !place.search_path)
		return;
	if (session->host_is_known)
		seen = session->host_seen;
	else
		at_host_look(&seen, &place);
	at_host_judge(&report, &seen);
	at_host_find(&report, out->evidence.mechanism, &out->wiring);
	at_host_report_free(&report);
}

static void check(struct at_collected *out, struct at_session *session,
	const struct at_project *project)
{
	const struct at_framework *framework = at_frameworks[session->manifest.framework];

	out->is_checked = framework->check_wiring(
		&out->wiring, &session->manifest, project, &out->plan, &out->plan_error);
	if (!out->is_checked)
		return;
	wiring_evidence(&out->evidence, session, &out->wiring);
	check_host(out, session);
}

void at_collect_plan(struct at_collected *out, struct at_session *session)
{
	memset(out, 0, sizeof(*out));
	at_plan_init(&out->plan);
	at_notices_init(&out->notices);
	at_wiring_init(&out->wiring);
	at_hook_list_init(&out->hooks);
	at_effective_init(&out->effective);
	out->has_settings = at_frameworks[session->manifest.framework]->effective != NULL;
	decision_evidence(&out->evidence, session);
	if (at_session_need_request(session, &out->plan_error)) {
		out->is_planned = at_emit_plan(&out->plan, &out->notices, &session->manifest,
			&session->project, &out->plan_error);
	}
	out->evidence.goose_write_policy_override =
		session->manifest.write_policy == AT_POLICY_UNENFORCED;
	out->evidence.artefacts_ok = out->is_planned && at_plan_pending(&out->plan) == 0;
}

static void collect_hooks(struct at_collected *out, struct at_session *session,
	const struct at_project *project, bool run)
{
	const struct at_framework *framework = at_frameworks[session->manifest.framework];

	if (!out->is_planned || !framework->hooks)
		return;
	framework->hooks(&out->hooks, &session->manifest, project, &out->plan);
	at_hook_book_refresh(&session->hooks, &out->hooks, true);
	if (!run || session->options->no_probes)
		return;
	at_hook_book_free(&session->hooks);
	at_hook_list_run(&session->hooks, &out->hooks, &session->project,
		session->options->run_hooks);
}

void at_collect_gate(struct at_collected *out, struct at_session *session)
{
	out->hooks.gate_only = true;
	collect_hooks(out, session, &session->project, true);
}

/* Hooks, wiring and effective view speak of one state of the files: they are read once. */
static void look(struct at_collected *out, struct at_session *session, bool run)
{
	const struct at_framework *framework = at_frameworks[session->manifest.framework];
	struct at_project project = session->project;
	struct at_scopes scopes = { 0 };

	if (framework->effective) { /* the one harness that reads settings files of ours */
		at_scopes_read(&scopes, &project, true);
		project.scopes = &scopes;
	}
	collect_hooks(out, session, &project, run);
	check(out, session, &project);
	if (out->is_checked && framework->effective)
		framework->effective(&out->effective, &project);
	at_scopes_free(&scopes);
}

/* WIRE-13: of the team's own mechanism, never another's. */
static void look_at_proof(struct at_collected *out, const struct at_session *session)
{
	if (out->evidence.mechanism != AT_LAUNCHER_LINUX)
		return;
	at_proof_state_read(&out->proof, session);
	at_proof_state_evidence(&out->proof, &out->evidence);
}

static void collect(struct at_collected *out, struct at_session *session, bool run)
{
	at_collect_plan(out, session);
	/* Where nothing can be had, that is the answer, and no fault of what is there. */
	if (out->is_planned || (session->request_ok && at_manifest_fatal(&session->manifest)))
		look(out, session, run);
	look_at_proof(out, session);
	at_pipeline_judge(&out->pipeline, &out->evidence);
	out->unread = at_unacknowledged(session);
}

void at_collect(struct at_collected *out, struct at_session *session)
{
	collect(out, session, false);
}

void at_collect_probed(struct at_collected *out, struct at_session *session)
{
	collect(out, session, true);
}

const char *at_collected_gate_fault(const struct at_collected *collected,
	const struct at_session *session)
{
	const struct at_hook_list *list = &collected->hooks;
	const struct at_hook_verdict *verdict;

	if (!list->gate)
		return "no gate is known for it";
	if (list->gate_fault)
		return list->gate_fault;
	verdict = at_hook_book_find(&session->hooks, list->gate);
	if (verdict)
		return verdict->result == AT_HOOK_STOPS ? NULL : verdict->text;
	return session->hooks_are_running
		? "its hook is being run just now"
		: "its hook was not run: whether it stops anything is not known";
}

void at_collected_free(struct at_collected *collected)
{
	at_plan_free(&collected->plan);
	at_notices_free(&collected->notices);
	at_wiring_free(&collected->wiring);
	at_hook_list_free(&collected->hooks);
	at_effective_free(&collected->effective);
	at_proof_state_free(&collected->proof);
}
