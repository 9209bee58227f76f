#include "emit/goose.h"

#include "core/mem.h"
#include "core/pipeline.h"
#include "emit/agent.h"
#include "emit/frameworks.h"
#include "emit/launcher_team.h"

bool at_goose_has_profile(const struct at_manifest *manifest)
{
	return manifest->boundary_is_emitted && manifest->platform == AT_DARWIN;
}

bool at_goose_has_runner(const struct at_manifest *manifest)
{
	return manifest->boundary_is_emitted && manifest->platform == AT_LINUX;
}

static bool add(struct at_plan *plan, const struct at_project *project, const char *path,
	const struct at_buf *text, mode_t mode, const char *reason, struct at_error *err)
{
	return at_plan_add(plan, project->fd, AT_IN_PROJECT, path, at_buf_bytes(text), mode,
		AT_PLAN_WRITE, reason, err);
}

/* EMIT-11. */
static bool plan_macos(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project, struct at_error *err)
{
	struct at_buf profile = { 0 }, example = { 0 };
	bool done = at_goose_profile(&profile, manifest, project, err);

	at_goose_example(&example, manifest);
	done = done && add(plan, project, AT_GOOSE_PROFILE, &profile, 0,
			"Seatbelt profile of the team, to be given to sandbox-exec; UNVERIFIED",
			err) &&
		add(plan, project, AT_GOOSE_EXAMPLE, &example, 0,
			"what of goose's own settings belongs to it; inert", err);
	at_buf_free(&profile);
	at_buf_free(&example);
	if (!done)
		return false;
	at_notice(notices, "seatbelt-unverified", AT_GOOSE_PROFILE " is " AT_GOOSE_UNVERIFIED ".");
	if (!*manifest->request->goose_egress_proxy)
		at_notice(notices, "goose-no-egress",
			AT_GOOSE_PROFILE " denies all network: " AT_GOOSE_NO_MODEL ".");
	return true;
}

/* EMIT-20. */
static bool plan_linux(struct at_plan *plan, const struct at_manifest *manifest,
	const struct at_project *project, struct at_error *err)
{
	struct at_buf text = { 0 };
	bool done = at_goose_runner(&text, manifest, err) &&
		add(plan, project, AT_GOOSE_RUNNER, &text, 0755,
			"example of a complete start in the launcher; inert until you run it",
			err);

	at_buf_free(&text);
	return done;
}

static bool plan_own(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project, struct at_error *err)
{
	if (at_goose_has_profile(manifest))
		return plan_macos(plan, notices, manifest, project, err);
	if (at_goose_has_runner(manifest))
		return plan_linux(plan, manifest, project, err);
	return true;
}

static bool plan(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project, struct at_error *err)
{
	return at_launcher_team_plan_with(plan, notices, manifest, project, plan_own, err);
}

/* Recipes are not emitted yet. */
const struct at_framework at_framework_goose = {
	.id = AT_GOOSE,
	.agent_ext = ".yaml",
	.plan = plan,
	.check_wiring = at_goose_check_wiring,
	.parse_agent = at_goose_parse_agent,
	.render_agent = at_goose_render_agent,
};
