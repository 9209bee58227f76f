/* launcher_team.h - what goose, codex, copilot and agents-md teams have in common.
 *
 * Their boundary is the launcher, which the operator starts: a plan of control files, record
 * and launcher, and a check that never says more than that the launcher is genuine. Agent
 * files and what is special to a harness are not here. (EMIT-9, WIRE-5, WIRE-15)
 */
#ifndef AT_LAUNCHER_TEAM_H
#define AT_LAUNCHER_TEAM_H

#include "emit/framework.h"

/* The `plan` and `check_wiring` of a struct at_framework. */
bool at_launcher_team_plan(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project, struct at_error *err);
/* The same with what is the harness's own: added behind the launcher, before the record. */
typedef bool at_team_own(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project, struct at_error *err);
bool at_launcher_team_plan_with(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project, at_team_own *own,
	struct at_error *err);

/* Of a team with another mechanism than the launcher it says nothing but what is so of the files
 * that every team has. */
bool at_launcher_team_check(struct at_wiring *report, const struct at_manifest *manifest,
	const struct at_project *project, const struct at_plan *plan, struct at_error *err);

/* Says what this version does not write for the framework yet. */
void at_launcher_team_say_partly(struct at_notices *notices, const struct at_manifest *manifest);
/* What a team of this framework will have and is not emitted yet; "" for nothing. */
const char *at_launcher_team_lacks(enum at_framework_id framework);

#endif
