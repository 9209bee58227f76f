/* control_files.h - switch, key store sentinel and rosters of a team.
 *
 * The files that say who may decide what. They are written for any framework; what is
 * the operator's or another tool's own stays. With them goes one page to read, which
 * decides nothing. (EMIT-7, EMIT-8, EMIT-17, REQ-8)
 */
#ifndef AT_CONTROL_FILES_H
#define AT_CONTROL_FILES_H

#include "emit/build_log.h"
#include "emit/framework.h"

/* EMIT-8: which teams get roster stubs. */
bool at_rosters_are_emitted(const struct at_manifest *manifest);

/* Adds them all to the plan, and says what the switch does and what is new. */
bool at_control_files_plan(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project,
	const struct at_build_log *log, struct at_error *err);

#endif
