#include "emit/artefact.h"

#include <string.h>

#include "core/control_plane.h"
#include "core/launch_line.h"
#include "core/mem.h"
#include "emit/build_log.h"
#include "emit/codex.h"

const char *at_artefact_state_name(enum at_artefact_state state)
{
	static const char *const names[] = {
		[AT_ARTEFACT_SAME] = "same",
		[AT_ARTEFACT_MISSING] = "missing",
		[AT_ARTEFACT_OLDER] = "older release",
		[AT_ARTEFACT_EDITED] = "edited",
		[AT_ARTEFACT_UNFIT] = "unfit",
	};

	return names[state];
}

/* A file that several teams share was written by whichever run came last. */
static bool is_recorded(const struct at_project *project, const char *team_dir, const char *path,
	struct at_bytes bytes)
{
	struct at_project team = *project;
	struct at_build_log log;
	bool known;

	team.team_dir = team_dir;
	if (!at_build_log_read(&log, &team, NULL))
		return false;
	known = log.file.exists && at_build_log_knows(&log, &team, path, bytes);
	at_build_log_free(&log);
	return known;
}

static bool any_team_recorded(const struct at_project *project, const char *path,
	struct at_bytes bytes)
{
	if (is_recorded(project, project->team_dir, path, bytes))
		return true;
	for (size_t f = 0; f < AT_FRAMEWORK_COUNT; f++)
		if (is_recorded(project, at_team_dir((enum at_framework_id)f), path, bytes))
			return true;
	return false;
}

enum at_artefact_state at_artefact_look(struct at_file *file, const struct at_project *project,
	const char *path, struct at_bytes wanted)
{
	*file = (struct at_file){ 0 };
	if (!at_file_read(file, project->fd, path, AT_FILE_CAP, AT_FILE_MAY_BE_ABSENT, NULL))
		return AT_ARTEFACT_UNFIT;
	if (!file->exists)
		return AT_ARTEFACT_MISSING;
	if (at_bytes_equal(at_buf_bytes(&file->bytes), wanted))
		return AT_ARTEFACT_SAME;
	return any_team_recorded(project, path, at_buf_bytes(&file->bytes)) ? AT_ARTEFACT_OLDER
									      : AT_ARTEFACT_EDITED;
}

/* The record alone may lag behind: a new agent file is enough. */
static void check_one(struct at_wiring *report, const struct at_change *change)
{
	size_t len = strlen(change->path), tail = strlen(AT_TEAM_MARKER);
	bool is_record = len > tail && strcmp(change->path + len - tail, AT_TEAM_MARKER) == 0;

	if (change->kind == AT_CREATE)
		at_wiring_add(report, "artefact-missing", AT_FAIL, change->path,
			"Run atconsole --update.", "An emitted file is missing.");
	else if (change->kind == AT_REPLACE)
		at_wiring_add(report, is_record ? "record-behind" : "artefact-differs",
			is_record ? AT_WARN : AT_FAIL, change->path, "Run atconsole --update.",
			"An emitted file was edited, is older, or was made for another request.");
}

static bool has_findings_of_its_own(const char *path)
{
	static const char *const paths[] = { AT_LAUNCHER, AT_CODEX_RUNNER, AT_CODEX_HOOKS,
		AT_CODEX_BIN "agentteams-role-gate", AT_CODEX_BIN "agentteams-readfs-mcp" };

	for (size_t i = 0; i < AT_LEN(paths); i++)
		if (strcmp(path, paths[i]) == 0)
			return true;
	return false;
}

void at_artefacts_check(struct at_wiring *report, const struct at_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		if (!has_findings_of_its_own(plan->changes[i].path))
			check_one(report, &plan->changes[i]);
}
