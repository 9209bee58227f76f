/* notices.h - what an operator should know besides the plan.
 *
 * Looks at the live settings, the neighbours and the plan; adds one line a fact. Live
 * values are never repeated but for entries of sandbox and permissions. (EMIT-15)
 */
#ifndef AT_NOTICES_H
#define AT_NOTICES_H

#include "emit/framework.h"
#include "emit/live.h"

/* Every notice of a run for claude; `live` is the project's settings.json. */
void at_notices_claude(struct at_notices *notices, const struct at_manifest *manifest,
	const struct at_project *project, const struct at_live *live);

/* Those of a run for any other framework: what a claude team that stands beside it has live may
 * be out of date with it. Nothing here is about what the other harness itself reads. */
void at_notices_other(struct at_notices *notices, const struct at_manifest *manifest,
	const struct at_project *project);

/* Facts of the tree that hold for any framework: planted markers, codex keys. */
void at_notices_disk(struct at_notices *notices, const struct at_project *project);

/* A sandbox path as the client reads it: ~ expanded, below the project unless absolute,
 * a trailing slash-star-star dropped. False when it names no place. */
bool at_notice_place(char out[PATH_MAX], const char *entry, const struct at_project *project);

#endif
