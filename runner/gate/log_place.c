#include "runner/gate/log_place.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool is_clean(const char *path)
{
	if (*path != '/' || !path[1] || strlen(path) >= PATH_MAX)
		return false;
	while (*path == '/') {
		size_t len = strcspn(++path, "/");

		if (len == 0 || (len == 1 && *path == '.') || (len == 2 && !strncmp(path, "..", 2)))
			return false;
		path += len;
	}
	return true;
}

/* By identity, not by name: a project may be mounted in two places. */
static const char *fault_of_place(const char *path, const char *project)
{
	char part[PATH_MAX + 8];
	struct stat top = { 0 }, st;
	bool has_project = *project && stat(project, &top) == 0;

	for (size_t len = 0;; len++) {
		len += strcspn(path + len, "/");
		if (!path[len])
			return NULL;
		memcpy(part, path, len);
		memcpy(part + len, "/.", 3);
		if (has_project && stat(part, &st) == 0 && st.st_dev == top.st_dev
			&& st.st_ino == top.st_ino)
			return "its path is inside the project";
		memcpy(part + len, "/.git", 6);
		if (lstat(part, &st) == 0)
			return "its path is inside a git work tree";
	}
}

const char *gate_log_place_fault(const char *path, const char *project)
{
	return is_clean(path) ? fault_of_place(path, project) : "it is no plain absolute path";
}
