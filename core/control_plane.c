#include "core/control_plane.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"

static const char *const team_dirs[AT_FRAMEWORK_COUNT] = {
	[AT_CLAUDE] = ".claude/agents",
	[AT_GOOSE] = ".goose/recipes",
	[AT_CODEX] = ".codex/agents",
	[AT_COPILOT_VSCODE] = ".github/agents",
	[AT_COPILOT_CLI] = ".github/agents",
	[AT_AGENTS_MD] = ".agents",
};

const char *at_team_dir(enum at_framework_id framework)
{
	return team_dirs[framework];
}

#define NEEDED AT_PLANE_LAUNCHER_NEEDED
#define SWITCHED AT_PLANE_LAUNCHER_SWITCHED
#define PRESENT AT_PLANE_LAUNCHER_PRESENT
#define DENY AT_PLANE_DENY_WRITE
#define EDIT AT_PLANE_EDIT_DENY
#define EDIT_SIBLING AT_PLANE_EDIT_DENY_SIBLING
#define SEATBELT AT_PLANE_SEATBELT
#define SEATBELT_SIBLING AT_PLANE_SEATBELT_SIBLING
#define REFUSE AT_PLANE_REFUSE
#define TEAM AT_PLANE_TEAM
#define TREE AT_PLANE_TREE
#define ROSTER (TEAM | SWITCHED | EDIT | EDIT_SIBLING | SEATBELT | SEATBELT_SIBLING | REFUSE)
#define GIT (PRESENT | AT_PLANE_LAUNCHER_GIT | REFUSE)

const struct at_plane_row at_control_plane[] = {
	{ AT_SWITCH, "switch", TEAM | NEEDED | DENY | EDIT | EDIT_SIBLING | SEATBELT |
		SEATBELT_SIBLING | REFUSE, -1 },
	{ ".claude/hooks/constitutional-gate.sh", "gate hook", NEEDED | DENY | SEATBELT | REFUSE,
		AT_CLAUDE },
	{ ".claude/hooks/constitutional-gate.py", "gate hook", NEEDED | DENY | SEATBELT | REFUSE,
		AT_CLAUDE },
	{ AT_KEY_STORE, "key store", TEAM | TREE | NEEDED | DENY | EDIT | EDIT_SIBLING | SEATBELT |
		SEATBELT_SIBLING | REFUSE, -1 },
	{ ".claude", "config dir", TREE | AT_PLANE_LAUNCHER_PROTECT | DENY | SEATBELT | REFUSE,
		AT_CLAUDE },
	{ "references/security-approvers.txt", "roster", ROSTER, -1 },
	{ "references/authorized-managers.txt", "roster", ROSTER, -1 },
	{ "references/management-authority.json", "roster", ROSTER, -1 },
	{ AT_TEAM_MARKER, "team marker", TEAM | PRESENT | EDIT_SIBLING | SEATBELT_SIBLING | REFUSE,
		-1 },
	{ "references/security-approvers.txt", "project roster",
		PRESENT | EDIT | SEATBELT | AT_PLANE_NO_ANCESTOR | REFUSE, -1 },
	{ ".claude/settings.json", "live settings", EDIT | REFUSE, AT_CLAUDE },
	{ ".claude/settings.local.json", "live settings", EDIT | REFUSE, AT_CLAUDE },
	{ ".claude/settings.hooks.example.json", "operator example", PRESENT | EDIT | REFUSE,
		AT_CLAUDE },
	{ ".goose/confined-run.example.sh", "operator example", PRESENT | EDIT | REFUSE, AT_GOOSE },
	{ ".codex/confined-run.example.sh", "operator example", PRESENT | EDIT | REFUSE, AT_CODEX },
	{ ".claude/hooks", "hooks", TREE | EDIT | REFUSE, AT_CLAUDE },
	{ ".goose/sandbox.sb", "after siblings", PRESENT | EDIT | SEATBELT | REFUSE, AT_GOOSE },
	{ ".codex/config.toml", "after siblings", PRESENT | EDIT | SEATBELT | REFUSE, AT_CODEX },
	{ ".codex/hooks.json", "codex config", PRESENT | SEATBELT | REFUSE, AT_CODEX },
	{ "sandbox", "launcher", TREE | PRESENT | REFUSE, -1 },
	{ ".agentteams", "runner's ground", TREE | PRESENT | REFUSE | AT_PLANE_WRITE_POLICY |
		AT_PLANE_GRANTED_EDIT | AT_PLANE_GRANTED_READ, -1 },
	{ ".claude/agents", "agent files", TREE | REFUSE | AT_PLANE_GRANTED_EDIT, AT_CLAUDE },
	{ ".goose/recipes", "agent files", TREE | REFUSE | AT_PLANE_WRITE_POLICY, AT_GOOSE },
	{ ".agentteams-queue", "queue", TREE | REFUSE | AT_PLANE_GRANTED_READ, -1 },
	{ ".git/hooks", "code that runs later", TREE | GIT, -1 },
	{ ".git/config", "code that runs later", GIT, -1 },
	{ ".git/config.worktree", "code that runs later", GIT, -1 },
	{ ".git/info", "code that runs later", TREE | GIT, -1 },
	{ ".codex", "other harness", TREE | REFUSE, AT_CODEX },
	{ ".github/agents", "other harness", TREE | REFUSE, AT_COPILOT_VSCODE },
	{ ".goose", "other harness", TREE | REFUSE, AT_GOOSE },
};
const size_t at_control_plane_count = AT_LEN(at_control_plane);

const struct at_sibling at_siblings[3] = {
	{ ".codex", AT_CODEX },
	{ ".github/agents", AT_COPILOT_VSCODE }, /* never .github: workflows stay writable */
	{ ".goose", AT_GOOSE },
};

const enum at_framework_id at_sibling_edit_order[3] = { AT_COPILOT_VSCODE, AT_CODEX, AT_GOOSE };

const char *const at_prompt_roots[] = {
	".github/copilot-instructions.md", ".github/instructions/", ".github/prompts/",
	".github/agents/", "AGENTS.md", "AGENTS.override.md", ".goosehints", ".codex/",
	".goose/recipes/", "CLAUDE.md", "CLAUDE.local.md", ".mcp.json", ".agentteams/",
};
const size_t at_prompt_root_count = AT_LEN(at_prompt_roots);

const char *at_plane_path(char *out, size_t size, const struct at_plane_row *row,
	const char *team_dir)
{
	if (row->use & AT_PLANE_TEAM)
		snprintf(out, size, "%s/%s", team_dir, row->path);
	else
		snprintf(out, size, "%s", row->path);
	return out;
}

static bool covers(const struct at_plane_row *row, const char *own, const char *path)
{
	size_t len = strlen(own);

	if (strncmp(path, own, len) != 0)
		return false;
	return path[len] == '\0' || ((row->use & AT_PLANE_TREE) && path[len] == '/');
}

static bool team_row_covers(const struct at_plane_row *row, const char *path)
{
	char own[PATH_MAX];

	for (size_t f = 0; f < AT_FRAMEWORK_COUNT; f++) {
		/* agents-md has no boundary of its own (CEIL-10) */
		if (f == AT_AGENTS_MD || (row->only >= 0 && row->only != (int)f))
			continue;
		if (covers(row, at_plane_path(own, sizeof(own), row, team_dirs[f]), path))
			return true;
	}
	return false;
}

bool at_plane_covers(const char *path, unsigned uses)
{
	for (size_t i = 0; i < at_control_plane_count; i++) {
		const struct at_plane_row *row = &at_control_plane[i];

		if (!(row->use & uses))
			continue;
		if (row->use & AT_PLANE_TEAM ? team_row_covers(row, path)
					     : covers(row, row->path, path))
			return true;
	}
	return false;
}
