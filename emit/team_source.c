#include "emit/team_import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/control_plane.h"
#include "core/path.h"
#include "emit/build_log.h"

/* Whose team directory `path` is, by its end. *base: the length of what holds it. */
static bool is_team_dir(enum at_framework_id *out, size_t *base, const char *path)
{
	size_t len = strlen(path);

	for (int id = 0; id < AT_FRAMEWORK_COUNT; id++) {
		const char *dir = at_team_dir((enum at_framework_id)id);
		size_t tail = strlen(dir);

		if (len <= tail || path[len - tail - 1] != '/' ||
			strcmp(path + len - tail, dir) != 0)
			continue;
		*base = len - tail - 1;
		*out = (enum at_framework_id)id;
		return true;
	}
	return false;
}

static bool open_base(struct at_team_source *out, const char *path, struct at_error *err)
{
	if (!realpath(*path ? path : "/", out->path)) {
		at_fail_sys(err, errno, "cannot open the team in %s", path);
		at_error_path(err, path);
		return false;
	}
	out->project.path = out->path;
	out->project.fd = at_file_open_dir(-1, out->path, err);
	return out->project.fd >= 0;
}

/* The one team here that is not the target's own. */
static bool find_team(struct at_team_source *out, const char *place,
	const struct at_project *target, struct at_error *err)
{
	bool here = strcmp(out->path, target->path) == 0;
	const char *found = NULL;

	for (int id = 0; id < AT_FRAMEWORK_COUNT; id++) {
		const char *dir = at_team_dir((enum at_framework_id)id);

		if ((found && strcmp(dir, found) == 0) || (here && strcmp(dir, target->team_dir) == 0)
			|| at_file_type(out->project.fd, dir) != AT_FILE_DIRECTORY)
			continue;
		if (found) {
			at_fail(err, AT_EUSAGE, "%s holds several teams, in %s and in %s", place,
				found, dir);
			at_error_hint(err, "Name the team directory itself.");
			return false;
		}
		found = dir;
		out->format = (enum at_framework_id)id;
	}
	if (found)
		return true;
	at_fail(err, AT_ENOENT, "%s holds no team of another harness", place);
	at_error_hint(err, "Name a team directory, or a project that has one.");
	return false;
}

static bool read_record(struct at_team_source *out, struct at_error *err)
{
	struct at_build_log log;
	uint32_t policy;
	bool fine;

	if (!at_build_log_read(&log, &out->project, err)) {
		at_error_hint(err, "Whether a write policy binds this team cannot be told, so it "
			"is not carried over. Restore the record.");
		return false;
	}
	out->is_recorded = log.file.exists;
	policy = out->is_recorded ? at_json_member(&log.doc, AT_JSON_ROOT, "write_policy")
				  : AT_JSON_NONE;
	fine = policy == AT_JSON_NONE || at_json_is(&log.doc, policy, AT_JSON_STRING) ||
		at_json_is(&log.doc, policy, AT_JSON_NULL);
	out->is_governed = fine && at_json_is(&log.doc, policy, AT_JSON_STRING) &&
		!at_json_string_is(&log.doc, policy, "");
	if (!fine)
		at_fail(err, AT_EINVALID, "%s: `write_policy` is no text; the team is not carried "
			"over, since what binds it cannot be told", log.path);
	at_build_log_free(&log);
	return fine;
}

static bool check_other(const struct at_team_source *source, const struct at_project *target,
	struct at_error *err)
{
	if (strcmp(source->path, target->path) != 0 ||
		strcmp(source->project.team_dir, target->team_dir) != 0)
		return true;
	at_fail(err, AT_EUSAGE, "%s is the team directory of --framework itself", target->team_dir);
	at_error_hint(err, "Choose another --framework, or name another team.");
	return false;
}

static bool check_directory(const struct at_team_source *source, struct at_error *err)
{
	const char *dir = source->project.team_dir;
	enum at_file_type type = at_file_type(source->project.fd, dir);

	if (type == AT_FILE_DIRECTORY)
		return true;
	if (type == AT_FILE_ABSENT)
		at_fail(err, AT_ENOENT, "there is no %s in %s", dir, source->path);
	else
		at_fail(err, AT_EUNSAFE, "the team directory %s is a symbolic link, leads through "
			"one, or is no directory", dir);
	at_error_path(err, dir);
	return false;
}

bool at_team_source_open(struct at_team_source *out, const char *place,
	const struct at_project *target, enum at_framework_id framework, struct at_error *err)
{
	char here[PATH_MAX], path[PATH_MAX];
	size_t base;

	*out = (struct at_team_source){ .project = { .fd = -1 } };
	if (!getcwd(here, sizeof(here)))
		return at_fail_sys(err, errno, "cannot tell the current directory");
	if (!*place || !at_path_absolute(path, place, here, target->host->home))
		return at_fail(err, AT_EUSAGE, "'%s' is no path of a team", place);
	if (is_team_dir(&out->format, &base, path)) {
		path[base] = '\0';
		if (!open_base(out, path, err))
			return false;
	} else if (!open_base(out, path, err) || !find_team(out, place, target, err)) {
		return false;
	}
	out->project.team_dir = at_team_dir(out->format);
	/* Both copilots share a directory: whose it is the target decides. */
	if (out->format == AT_COPILOT_VSCODE && framework == AT_COPILOT_CLI)
		out->format = AT_COPILOT_CLI;
	return check_other(out, target, err) && check_directory(out, err) && read_record(out, err);
}

void at_team_source_close(struct at_team_source *source)
{
	if (source->project.fd >= 0)
		close(source->project.fd);
	source->project.fd = -1;
}
