/* collect.h - the evidence of one project, gathered once for every report and screen.
 *
 * Only views collect: core judges, emit and core fill. What could not be looked at stays
 * unknown; nothing is written. (architecture: evidence flows up)
 */
#ifndef AT_COLLECT_H
#define AT_COLLECT_H

#include "core/pipeline.h"
#include "emit/effective.h"
#include "emit/hooks.h"
#include "views/proof_state.h"
#include "views/session.h"
#include "views/teams.h"

struct at_collected {
	struct at_plan plan;
	struct at_notices notices;
	struct at_wiring wiring;
	bool is_planned; /* else plan_error says why there is no plan */
	struct at_error plan_error;
	bool is_checked; /* the wiring was looked at */
	bool has_settings; /* the framework is wired in settings files; else by the launcher */
	struct at_hook_list hooks;     /* empty where the plan alone was made */
	struct at_effective effective; /* the same */
	struct at_proof_state proof;   /* of the launcher, where it is the team's mechanism */
	struct at_evidence evidence;
	struct at_pipeline pipeline;
	struct at_teams teams; /* all that live here; empty where the plan alone was made */
	size_t unread; /* advisories that the operator has not marked as read */
};

/* Plans, checks the wiring and judges. Never fails: what is refused is evidence too. Runs
 * nothing: hooks count as session->hooks says. */
void at_collect(struct at_collected *out, struct at_session *session);
/* The same, once the hooks were run: ours, and others with --run-hooks; none with
 * --no-probes. Takes as long as they do. */
void at_collect_probed(struct at_collected *out, struct at_session *session);
/* As at_collect(), and the other teams of the project are not looked at. */
void at_collect_alone(struct at_collected *out, struct at_session *session);
/* Plans alone, for a mode that needs no more: nothing is checked, nothing judged. */
void at_collect_plan(struct at_collected *out, struct at_session *session);

/* After a plan: the gate's own hook alone, run unless --no-probes, for a mode that needs no more. */
void at_collect_gate(struct at_collected *out, struct at_session *session);

/* Why the gate's hook may not be merged, or NULL once it was run and found good. (WIRE-10) */
const char *at_collected_gate_fault(const struct at_collected *collected,
	const struct at_session *session);

void at_collected_free(struct at_collected *collected);

#endif
