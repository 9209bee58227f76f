#include "emit/frameworks.h"
#include "emit/launcher_team.h"

/* Control files, record and launcher; its agents and what is its own are not emitted yet. */
const struct at_framework at_framework_codex = {
	.id = AT_CODEX,
	.agent_ext = ".toml",
	.plan = at_launcher_team_plan,
	.check_wiring = at_launcher_team_check,
};
