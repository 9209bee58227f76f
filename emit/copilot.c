#include "emit/frameworks.h"

/* Known so far as their team can be told; nothing is emitted for them yet. They share one
 * team directory. */
const struct at_framework at_framework_copilot_vscode = {
	.id = AT_COPILOT_VSCODE,
	.agent_ext = ".agent.md",
};

const struct at_framework at_framework_copilot_cli = {
	.id = AT_COPILOT_CLI,
	.agent_ext = ".agent.md",
};
