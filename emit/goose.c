#include "emit/frameworks.h"
#include "emit/launcher_team.h"

/* Control files, record and launcher; its agents and what is its own are not emitted yet. */
const struct at_framework at_framework_goose = {
	.id = AT_GOOSE,
	.agent_ext = ".yaml",
	.plan = at_launcher_team_plan,
	.check_wiring = at_launcher_team_check,
};
