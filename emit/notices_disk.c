#include "emit/notices.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/control_plane.h"
#include "core/mem.h"

#define CODEX_CONFIG ".codex/config.toml"

/* Keys of codex that loosen or run something. A key or a table of that name, at its line's
 * start, is enough: it is a hint to look, not a reader of TOML. */
static const char *const codex_keys[] = {
	"sandbox_mode", "sandbox_workspace_write", "approval_policy", "default_permissions",
	"shell_environment_policy", "notify", "hooks", "profile", "profiles", "projects",
	"model_providers", "mcp_servers",
};

static bool has_agents(const struct at_project *project, enum at_framework_id framework,
	const char *ext)
{
	int fd = at_file_open_dir(project->fd, at_team_dir(framework), NULL);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name), tail = strlen(ext);

		found = len > tail && strcmp(entry->d_name + len - tail, ext) == 0;
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	return found;
}

/* A marker alone makes launcher and emitters believe in a team. */
static void say_planted(struct at_notices *notices, const struct at_project *project)
{
	for (size_t f = 0; f < AT_FRAMEWORK_COUNT; f++) {
		char path[PATH_MAX];

		if (f == AT_COPILOT_CLI || !at_team_is_present(project, f))
			continue;
		snprintf(path, sizeof(path), "%s/" AT_SWITCH, at_team_dir(f));
		if (at_file_type(project->fd, path) == AT_FILE_REGULAR ||
			has_agents(project, f, at_frameworks[f]->agent_ext))
			continue;
		at_notice(notices, "planted-marker",
			"%s/" AT_TEAM_MARKER " marks a team that has neither switch nor agent "
			"files: if no generator made it, somebody planted it. Delete it.",
			at_team_dir(f));
	}
}

static bool line_names(const char *line, size_t len, const char *key)
{
	size_t skip = strspn(line, " \t[\"'"), size = strlen(key);

	if (skip + size > len || strncmp(line + skip, key, size) != 0)
		return false;
	return strchr(" \t=.]\"'", line[skip + size]) != NULL;
}

static void say_codex_keys(struct at_notices *notices, const char *text)
{
	for (size_t i = 0; i < AT_LEN(codex_keys); i++) {
		for (const char *line = text; *line;) {
			size_t len = strcspn(line, "\n");

			if (line_names(line, len, codex_keys[i])) {
				at_notice(notices, "codex-keys",
					CODEX_CONFIG " sets %s, which decides what codex may do or "
					"starts: check that you wrote it.", codex_keys[i]);
				break;
			}
			line += len + (line[len] == '\n');
		}
	}
}

static void say_codex(struct at_notices *notices, const struct at_project *project)
{
	enum at_file_type type = at_file_type(project->fd, CODEX_CONFIG);
	struct at_file file;

	if (type == AT_FILE_LINK)
		at_notice(notices, "codex-keys",
			CODEX_CONFIG
			" is a symbolic link: what codex reads can be changed where it "
			"leads.");
	if (type != AT_FILE_REGULAR ||
		!at_file_read(&file, project->fd, CODEX_CONFIG, AT_FILE_CAP, 0, NULL))
		return;
	say_codex_keys(notices, at_buf_text(&file.bytes));
	at_file_free(&file);
}

void at_notices_disk(struct at_notices *notices, const struct at_project *project)
{
	say_planted(notices, project);
	say_codex(notices, project);
}
