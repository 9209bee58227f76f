#include "emit/launcher_team.h"

#include "core/launch_line.h"
#include "core/pipeline.h"
#include "emit/artefact.h"
#include "emit/control_files.h"
#include "emit/launcher.h"

/* Of each framework, what its team will have and this version does not write. */
static const char *const lacking[AT_FRAMEWORK_COUNT] = {
	[AT_CLAUDE] = "",
	[AT_GOOSE] = "recipes",
	[AT_CODEX] = "agent files",
	[AT_COPILOT_VSCODE] = "agent files",
	[AT_COPILOT_CLI] = "agent files",
	[AT_AGENTS_MD] = "agent files. Nothing protects .agents",
};

const char *at_launcher_team_lacks(enum at_framework_id framework)
{
	return lacking[framework];
}

void at_launcher_team_say_partly(struct at_notices *notices, const struct at_manifest *manifest)
{
	at_notice(notices, "framework-partly-emitted",
		"This version emits for %s %s only; not yet: %s.",
		at_framework_name(manifest->framework),
		at_launcher_is_emitted(manifest)
			? "control files, record, launcher and what goes with it"
			: "control files and record",
		lacking[manifest->framework]);
}

static bool plan_all(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project,
	const struct at_build_log *log, at_team_own *own, struct at_error *err)
{
	return at_control_files_plan(plan, notices, manifest, project, log, err) &&
		at_launcher_plan(plan, notices, manifest, project, err) &&
		(!own || own(plan, notices, manifest, project, err)) &&
		at_build_log_plan(plan, notices, log, manifest, project,
			at_frameworks[manifest->framework]->agent_ext, err);
}

bool at_launcher_team_plan_with(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project, at_team_own *own,
	struct at_error *err)
{
	struct at_build_log log;
	bool done;

	if (!at_build_log_read(&log, project, err))
		return false;
	done = plan_all(plan, notices, manifest, project, &log, own, err);
	at_build_log_free(&log);
	if (done)
		at_launcher_team_say_partly(notices, manifest);
	return done;
}

bool at_launcher_team_plan(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project, struct at_error *err)
{
	return at_launcher_team_plan_with(plan, notices, manifest, project, NULL, err);
}

bool at_launcher_team_check(struct at_wiring *report, const struct at_manifest *manifest,
	const struct at_project *project, const struct at_plan *plan, struct at_error *err)
{
	enum at_mechanism mechanism = at_mechanism_of(manifest->framework, manifest->platform);
	const char *name = at_framework_name(manifest->framework);
	bool genuine;

	(void)err;
	at_artefacts_check(report, plan);
	if (!manifest->confinement_is_requested) {
		at_wiring_add(report, "no-boundary-requested", AT_NOTE, "", "",
			"No boundary was asked for: there is nothing to wire.");
		return true;
	}
	if (!at_is_sandbox_capable(manifest->framework, manifest->platform)) {
		at_wiring_add(report, "not-enforceable-here", AT_NOTE, "",
			"Confine the agent from outside, or run it on Linux or macOS.",
			"NOT ENFORCEABLE HERE: nothing confines %s on %s.", name,
			at_platform_name(manifest->platform));
		return true;
	}
	genuine = at_launcher_check(report, manifest, project);
	if (!at_mechanism_is_launcher(mechanism))
		return true; /* whoever emits the other mechanism looks at it */
	report->is_configured = genuine;
	if (genuine)
		at_wiring_add(report, "launcher-enforceable", AT_NOTE, AT_LAUNCHER,
			"Start the agent through it; the advisory has the line.",
			"ENFORCEABLE (must still be wrapped): whether your agent runs inside the "
			"launcher cannot be seen from here.");
	return true;
}
