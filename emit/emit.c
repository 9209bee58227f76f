#include "emit/framework.h"

#include <string.h>

#include "core/file.h"
#include "core/mem.h"
#include "core/path.h"
#include "core/write_policy.h"
#include "emit/grants.h"
#include "emit/notices.h"

/* Where a team directory stands becomes part of rules, a shell command and mount paths:
 * what any of them would read as something else is refused. */
static bool check_team_dir(const struct at_project *project, struct at_error *err)
{
	const char *dir = project->team_dir;
	char plain[PATH_MAX];
	enum at_file_type type;

	for (const char *p = dir; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == 127 ||
			strchr("\"'$`\\;&|<>*?[]{}()!#~:", *p)) {
			at_fail(err, AT_EREFUSED, "the team directory `%s` holds a character that "
				"rules or the shell would read", dir);
			at_error_hint(err, "Choose an --output of plain letters.");
			return false;
		}
	if (!at_path_normalise(plain, dir) || strcmp(plain, dir) != 0 || *dir == '/' ||
		strcmp(dir, ".") == 0 || strncmp(dir, "..", 2) == 0) {
		at_fail(err, AT_EREFUSED, "the team directory `%s` is not a directory below the "
			"project", dir);
		at_error_hint(err, "Name it relative to the project, without `..`.");
		return false;
	}
	type = at_file_type(project->fd, dir);
	if (type != AT_FILE_ABSENT && type != AT_FILE_DIRECTORY) {
		at_fail(err, AT_EUNSAFE,
			"the team directory `%s` is a symbolic link, leads through "
			"one, or is no directory: such a boundary could be swapped",
			dir);
		at_error_path(err, dir);
		at_error_hint(err, "Put a real directory there.");
		return false;
	}
	return true;
}

static bool refuse_fatal(const struct at_advisory *fatal, struct at_error *err)
{
	at_fail(err, AT_EREFUSED, "%s", fatal->message);
	at_error_name(err, fatal->code);
	at_error_hint(err, "%s", fatal->action);
	return false;
}

/* WP-1: what is asked for and cannot hold is refused, what holds with a limit says so. */
static bool resolve_policy(struct at_manifest *manifest, struct at_notices *notices,
	const struct at_project *project, struct at_error *err)
{
	enum at_write_policy policy;

	if (!at_write_policy_resolve(&policy, manifest,
		    at_goose_switch_is_allowed(project->host->environment), err))
		return false;
	manifest->write_policy = policy;
	if (policy == AT_POLICY_ELSEWHERE)
		at_notice(notices, "write-policy-elsewhere",
			"write_policy is for other frameworks alone: this team is rendered without it.");
	if (policy == AT_POLICY_UNENFORCED)
		at_notice(notices, "write-policy-unenforced",
			"UNENFORCED: under goose nothing keeps an agent from writing for itself; "
			AT_GOOSE_SWITCH_ENV " lets this run go on.");
	if (policy == AT_POLICY_ON && manifest->framework == AT_CODEX)
		at_notice(notices, "write-policy-codex",
			"write_policy holds for codex only where it is started through "
			".codex/confined-run.example.sh; that launch cannot be seen from here.");
	return true;
}

bool at_emit_plan(struct at_plan *plan, struct at_notices *notices, struct at_manifest *manifest,
	const struct at_project *project, struct at_error *err)
{
	const struct at_framework *framework = at_frameworks[manifest->framework];
	const struct at_advisory *fatal = at_manifest_fatal(manifest);

	if (fatal)
		return refuse_fatal(fatal, err);
	if (!check_team_dir(project, err) || !resolve_policy(manifest, notices, project, err))
		return false;
	at_grants_widen(manifest, notices, project);
	if (!at_roots_resolve(manifest, notices, project, err))
		return false;
	if (!framework->plan(plan, notices, manifest, project, err))
		return false;
	at_notices_disk(notices, project);
	return true;
}
