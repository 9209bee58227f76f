#include "core/settings_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char outside_id[] = "settings-link-outside";
static const char owner_id[] = "settings-link-owner";

static bool refuse(struct at_error *err, const char *id, const char *target, const char *why)
{
	at_fail(err, AT_EUNSAFE, "%s is a link to %s, which %s: it is not written", AT_SETTINGS,
		target, why);
	at_error_name(err, id);
	at_error_path(err, target);
	at_error_hint(err, "Put a plain file in its place, or merge there by hand.");
	return false;
}

bool at_settings_file_may_ask(const struct at_error *err)
{
	return strcmp(err->id, outside_id) == 0 || strcmp(err->id, owner_id) == 0;
}

/* Says where a new version goes. */
static bool follow(struct at_settings_file *live, const struct at_link *link, const char *project,
	const char *agreed, struct at_error *err)
{
	char absolute[PATH_MAX];
	bool is_agreed;

	if (link->inside)
		snprintf(absolute, sizeof(absolute), "%.2000s/%.2000s", project, link->target);
	else
		snprintf(absolute, sizeof(absolute), "%s", link->target);
	is_agreed = agreed && strcmp(agreed, absolute) == 0;
	if (link->type == AT_FILE_ABSENT) {
		at_fail(err, AT_ENOENT, "%s is a link that leads nowhere", AT_SETTINGS);
		at_error_path(err, AT_SETTINGS);
		at_error_hint(err, "Remove the link or make its target.");
		return false;
	}
	if (link->way_open)
		return refuse(err, "settings-link-open", absolute,
			"another user can put a file in place of");
	if (!link->inside && !is_agreed)
		return refuse(err, outside_id, absolute, "lies outside the project");
	if (link->owner != geteuid() && !is_agreed)
		return refuse(err, owner_id, absolute, "belongs to another user");
	live->is_link = true;
	live->place = link->inside ? AT_IN_PROJECT : AT_ON_HOST;
	snprintf(live->path, sizeof(live->path), "%s", link->inside ? link->target : absolute + 1);
	return true;
}

/* Where the file is, and `top`, the directory that `path` is below; top != root is to be closed. */
static bool locate(struct at_settings_file *out, int *top, int root, const char *project,
	const char *agreed, struct at_error *err)
{
	struct at_link link;

	memset(out, 0, sizeof(*out));
	snprintf(out->path, sizeof(out->path), "%s", AT_SETTINGS);
	if (!at_file_link(&link, root, project, AT_SETTINGS, err)
		|| (link.is_link && !follow(out, &link, project, agreed, err)))
		return false;
	*top = out->place == AT_ON_HOST ? open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : root;
	return true;
}

bool at_settings_file_read(struct at_settings_file *out, int root, const char *project,
	const char *agreed, struct at_error *err)
{
	bool ok;
	int top;

	if (!locate(out, &top, root, project, agreed, err))
		return false;
	ok = at_file_read(&out->file, top, out->path, AT_SETTINGS_CAP,
		AT_FILE_MAY_BE_ABSENT | AT_FILE_NO_DIGEST, err);
	if (top != root && top >= 0)
		close(top);
	return ok;
}

bool at_settings_file_is_still(struct at_settings_file *live, int root, const char *project,
	const char *agreed)
{
	struct at_settings_file now;
	struct at_error err;
	bool still;
	int top;

	if (!locate(&now, &top, root, project, agreed, &err))
		return false;
	still = now.place == live->place && now.is_link == live->is_link
		&& strcmp(now.path, live->path) == 0
		&& at_file_is_still(&live->file, top, live->path);
	if (top != root && top >= 0)
		close(top);
	return still;
}

void at_settings_file_free(struct at_settings_file *live)
{
	at_file_free(&live->file);
}
