#include "emit/claude.h"

#include "emit/assets.h"
#include "emit/control_files.h"
#include "emit/frameworks.h"
#include "emit/launcher.h"
#include "emit/notices.h"

const struct at_framework at_framework_claude = {
	.id = AT_CLAUDE,
	.agent_ext = ".md",
	.plan = at_claude_plan,
	.check_wiring = at_claude_check_wiring,
	.effective = at_claude_effective,
	.hooks = at_claude_hooks,
	.ask_client = at_claude_ask_client,
	.optional = at_claude_optional,
	.managed_example = at_claude_managed_example,
	.parse_agent = at_claude_parse_agent,
	.render_agent = at_claude_render_agent,
};

static bool plan_example(struct at_plan *plan, const struct at_manifest *manifest,
	const struct at_project *project, struct at_error *err)
{
	struct at_buf text = { 0 };
	bool done;

	at_claude_settings(&text, manifest, project);
	done = at_plan_add(plan, project->fd, AT_IN_PROJECT,
		at_claude_in_config(project, AT_CLAUDE_EXAMPLE, plan->arena), at_buf_bytes(&text),
		0, AT_PLAN_WRITE, "what to merge into the live settings; inert until then", err);
	at_buf_free(&text);
	return done;
}

/* EMIT-4: denyWrite names the directory, so it has to be there. */
static bool plan_ground(struct at_plan *plan, const struct at_manifest *manifest,
	const struct at_project *project, struct at_error *err)
{
	if (!at_claude_has_write_policy(manifest))
		return true;
	return at_plan_add(plan, project->fd, AT_IN_PROJECT, ".agentteams/README.md",
		at_asset_agentteams_readme, 0, AT_PLAN_STUB,
		"keeps the runner's ground in place so that it can be protected", err);
}

static bool plan_all(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project,
	const struct at_live *live, const struct at_build_log *log, struct at_error *err)
{
	return at_claude_plan_hook(plan, manifest, project, live, log, err) &&
		plan_example(plan, manifest, project, err) &&
		at_control_files_plan(plan, notices, manifest, project, log, err) &&
		plan_ground(plan, manifest, project, err) &&
		at_launcher_plan(plan, notices, manifest, project, err) &&
		at_build_log_plan(plan, notices, log, manifest, project,
			at_framework_claude.agent_ext, err);
}

bool at_claude_plan(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project, struct at_error *err)
{
	struct at_build_log log;
	struct at_live live;
	bool done;

	if (!at_build_log_read(&log, project, err))
		return false;
	at_live_read(&live, project, AT_LIVE_SETTINGS);
	done = plan_all(plan, notices, manifest, project, &live, &log, err);
	if (done)
		at_notices_claude(notices, manifest, project, &live);
	at_live_free(&live);
	at_build_log_free(&log);
	return done;
}
