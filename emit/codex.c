#include "emit/codex.h"

#include <string.h>

#include "core/file.h"
#include "core/write_policy.h"
#include "emit/build_log.h"
#include "emit/control_files.h"
#include "emit/agent.h"
#include "emit/frameworks.h"
#include "emit/launcher.h"
#include "emit/launcher_team.h"

bool at_codex_has_gate(const struct at_manifest *manifest)
{
	return manifest->boundary_is_emitted && manifest->write_policy >= AT_POLICY_ON;
}

const struct at_change *at_codex_change(const struct at_plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->count; i++)
		if (strcmp(plan->changes[i].path, path) == 0)
			return &plan->changes[i];
	return NULL;
}

/* A plan removes nothing: what an earlier policy left is told. */
static void say_left(struct at_notices *notices, const struct at_project *project)
{
	struct at_file old;

	if (at_file_read(
		    &old, project->fd, AT_CODEX_HOOKS, AT_FILE_CAP, AT_FILE_MAY_BE_ABSENT, NULL)
		&& old.exists && at_codex_hooks_are_ours(at_buf_bytes(&old.bytes)))
		at_notice(notices, "codex-hooks-left",
			AT_CODEX_HOOKS
			" still starts the role gate, and the brief has no write policy "
			"for codex any more: take it away, or every call is judged by a program that "
			"nothing pins.");
	at_file_free(&old);
}

static bool plan_own(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project, struct at_error *err)
{
	if (!at_codex_has_gate(manifest))
		say_left(notices, project);
	if (!at_launcher_is_emitted(manifest))
		return true;
	if (at_codex_has_gate(manifest)
		&& (!at_codex_plan_programs(plan, notices, project, err)
			|| !at_codex_plan_hooks(plan, notices, project, err)))
		return false;
	return at_codex_plan_runner(plan, notices, manifest, project, err);
}

static bool plan_all(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project,
	const struct at_build_log *log, struct at_error *err)
{
	return at_control_files_plan(plan, notices, manifest, project, log, err)
		&& at_launcher_plan(plan, notices, manifest, project, err)
		&& plan_own(plan, notices, manifest, project, err)
		&& at_build_log_plan(
			plan, notices, log, manifest, project, at_framework_codex.agent_ext, err);
}

bool at_codex_plan(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project, struct at_error *err)
{
	struct at_build_log log;
	bool done;

	if (!at_build_log_read(&log, project, err))
		return false;
	done = plan_all(plan, notices, manifest, project, &log, err);
	at_build_log_free(&log);
	if (done)
		at_launcher_team_say_partly(notices, manifest);
	return done;
}

/* Its agents are not emitted yet. */
const struct at_framework at_framework_codex = {
	.id = AT_CODEX,
	.agent_ext = ".toml",
	.plan = at_codex_plan,
	.check_wiring = at_codex_check,
	.parse_agent = at_codex_parse_agent,
	.render_agent = at_codex_render_agent,
};
