/* team_import.h - another harness's team, read and planned as this one's.
 *
 * Finds the team, refuses what may not be carried over, parses every agent and adds it to a
 * plan in the words of the target. Boundary, control files and record are at_emit_plan()'s,
 * after it. It asks nobody and writes nothing. (IOP-1 to IOP-3, EMIT-18)
 */
#ifndef AT_TEAM_IMPORT_H
#define AT_TEAM_IMPORT_H

#include "emit/framework.h"

/* A team where it lies. `project` is of the place that holds it, not of the target. */
struct at_team_source {
	struct at_project project; /* path, descriptor, team dir; the rest is not set */
	char path[PATH_MAX];
	enum at_framework_id format;
	bool is_recorded; /* its build log is there */
	bool is_governed; /* and says orchestrator-only */
};

/* `place`: a team directory, or a project with one team beside the target's own. Opens it: to
 * be closed also after a failure. A link in the way, and a record that cannot be read, are
 * refused: what cannot be told is taken for the worst. (IOP-2) */
bool at_team_source_open(struct at_team_source *out, const char *place,
	const struct at_project *target, enum at_framework_id framework, struct at_error *err);
void at_team_source_close(struct at_team_source *source);

struct at_import {
	const char *place; /* as it was given */
	const char *brief; /* the path of the brief, for the command that is named; or NULL */
	bool is_interop, overwrite;
};

/* IOP-1, IOP-2, WP-1: may this team be carried to the target? AT_EREFUSED, one cause at a time;
 * convert's names the command of interop. `with_switch`: agents are to be narrowed. */
bool at_team_policy_check(bool *with_switch, const struct at_team_source *source,
	const struct at_manifest *manifest, const struct at_project *project,
	const struct at_import *import, struct at_notices *notices, struct at_error *err);

/* WP-2: one agent in canonical words under the switch: read, search and todo of what it has,
 * and a section that says so. An orchestrator keeps its tools. Texts are in `arena`. */
void at_team_policy_apply(struct at_agent *agent, struct at_arena *arena);

struct at_imported {
	enum at_framework_id format;
	char team[PATH_MAX]; /* where the agents came from */
	size_t agents, replaced, kept;
};

/* Adds every agent to the plan. An agent that differs from what is there is AT_KEPT without
 * `overwrite`. All or nothing: an agent that does not parse is an error with its path. */
bool at_team_import_plan(struct at_imported *out, struct at_plan *plan,
	struct at_notices *notices, const struct at_manifest *manifest,
	const struct at_project *project, const struct at_import *import, struct at_error *err);

#endif
