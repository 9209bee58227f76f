#include "core/settings_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/path.h"

static bool refuse(struct at_error *err, const char *id, const char *target, const char *why)
{
	at_fail(err, AT_EUNSAFE, "%s is a link to %s, which %s: it is not written", AT_SETTINGS,
		target, why);
	at_error_name(err, id);
	at_error_path(err, AT_SETTINGS);
	at_error_hint(err, "Put a plain file in its place, or merge there by hand.");
	return false;
}

/* The link's target, as a path below the project. */
static bool follow(struct at_settings_file *live, const char *project, struct at_error *err)
{
	char link[PATH_MAX], target[PATH_MAX];

	if (snprintf(link, sizeof(link), "%s/%s", project, AT_SETTINGS) >= (int)sizeof(link))
		return at_fail(err, AT_ELIMIT, "the project's path is too long");
	if (!realpath(link, target)) {
		at_fail_sys(err, errno, "%s is a link that leads nowhere", AT_SETTINGS);
		at_error_path(err, AT_SETTINGS);
		at_error_hint(err, "Remove the link or make its target.");
		return false;
	}
	if (!at_path_is_inside(target, project) || strcmp(target, project) == 0)
		return refuse(err, "settings-link-outside", target, "lies outside the project");
	snprintf(live->path, sizeof(live->path), "%s", target + strlen(project) + 1);
	live->is_link = true;
	return true;
}

bool at_settings_file_read(struct at_settings_file *out, int root, const char *project, struct at_error *err)
{
	memset(out, 0, sizeof(*out));
	snprintf(out->path, sizeof(out->path), "%s", AT_SETTINGS);
	if (at_file_type(root, AT_SETTINGS) == AT_FILE_LINK && !follow(out, project, err))
		return false;
	if (!at_file_read(&out->file, root, out->path, AT_SETTINGS_CAP, AT_FILE_MAY_BE_ABSENT, err))
		return false;
	if (out->is_link && out->file.exists && out->file.owner != geteuid()) {
		char target[PATH_MAX];

		snprintf(target, sizeof(target), "%s", out->path);
		at_settings_file_free(out);
		return refuse(err, "settings-link-owner", target, "belongs to another user");
	}
	return true;
}

void at_settings_file_free(struct at_settings_file *live)
{
	at_file_free(&live->file);
}
