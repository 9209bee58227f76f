#include "core/file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/path.h"

static bool fail_link(struct at_error *err, const char *path, const char *what)
{
	at_fail(err, AT_EUNSAFE, "`%s` %s", path, what);
	at_error_path(err, path);
	at_error_name(err, "unsafe-link");
	at_error_hint(err, "Replace the link by the file it should lead to.");
	return false;
}

/* A sticky directory lets nobody rename what is another's. */
static bool others_can_write(const char *dir)
{
	struct stat st;

	if (lstat(dir, &st) < 0)
		return false;
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return true;
	return (st.st_mode & (S_IWGRP | S_IWOTH)) && !(st.st_mode & S_ISVTX);
}

static bool is_way_open(const char *target)
{
	char dir[PATH_MAX];

	snprintf(dir, sizeof(dir), "%s", target);
	for (char *slash = strrchr(dir, '/'); slash && slash != dir; slash = strrchr(dir, '/')) {
		*slash = '\0';
		if (others_can_write(dir))
			return true;
	}
	return others_can_write("/");
}

static enum at_file_type type_of(const struct stat *st)
{
	if (S_ISREG(st->st_mode))
		return AT_FILE_REGULAR;
	return S_ISDIR(st->st_mode) ? AT_FILE_DIRECTORY : AT_FILE_SPECIAL;
}

static void describe(struct at_link *out, const char *project, const char *target)
{
	size_t len = strcmp(project, "/") == 0 ? 0 : strlen(project);
	struct stat st;

	out->is_link = true;
	out->inside = at_path_is_inside(target, project) && target[len] == '/'
		&& target[len + 1];
	snprintf(out->target, sizeof(out->target), "%s", target + (out->inside ? len + 1 : 0));
	out->way_open = is_way_open(target);
	if (lstat(target, &st) == 0) {
		out->type = type_of(&st);
		out->owner = st.st_uid;
	}
}

bool at_file_link(struct at_link *out, int root, const char *project, const char *path,
	struct at_error *err)
{
	char full[PATH_MAX], target[PATH_MAX];
	enum at_file_type type = at_file_type(root, path);

	memset(out, 0, sizeof(*out));
	if (type == AT_FILE_BLOCKED)
		return fail_link(err, path, "leads through a link or something that is no "
			"directory");
	if (type != AT_FILE_LINK)
		return true;
	if (snprintf(full, sizeof(full), "%s/%s", project, path) >= (int)sizeof(full)
		|| !at_path_physical(target, full))
		return fail_link(err, path, "is a link that leads nowhere");
	describe(out, project, target);
	return true;
}
