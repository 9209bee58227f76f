#include "emit/agent.h"
#include "emit/claude.h"
#include "emit/frameworks.h"
#include "emit/launcher_team.h"

/* Control files, record and launcher; agents are not emitted yet. The two share one team
 * directory. */
const struct at_framework at_framework_copilot_vscode = {
	.id = AT_COPILOT_VSCODE,
	.agent_ext = ".agent.md",
	.plan = at_launcher_team_plan,
	.check_wiring = at_launcher_team_check,
	.parse_agent = at_claude_parse_agent,
	.render_agent = at_copilot_render_agent,
};

const struct at_framework at_framework_copilot_cli = {
	.id = AT_COPILOT_CLI,
	.agent_ext = ".agent.md",
	.plan = at_launcher_team_plan,
	.check_wiring = at_launcher_team_check,
	.parse_agent = at_claude_parse_agent,
	.render_agent = at_copilot_render_agent,
};
