#include "emit/agent.h"
#include "emit/frameworks.h"
#include "emit/launcher_team.h"

/* Control files, record and launcher; its agents and what is its own are not emitted yet. */
const struct at_framework at_framework_agents_md = {
	.id = AT_AGENTS_MD,
	.agent_ext = ".md",
	.plan = at_launcher_team_plan,
	.check_wiring = at_launcher_team_check,
	.parse_agent = at_agents_md_parse_agent,
	.render_agent = at_agents_md_render_agent,
};
