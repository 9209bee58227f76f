#include "core/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"

static const char *fault_of_one(const char *path, bool is_dir, uid_t owner)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return is_dir ? "its directory cannot be looked at" : "it cannot be looked at";
	if (st.st_uid != owner)
		return is_dir ? "its directory does not belong to root"
			      : "it does not belong to root";
	if ((st.st_mode & S_IWOTH) || ((st.st_mode & S_IWGRP) && st.st_gid != 0))
		return is_dir ? "others than root can write its directory"
			      : "others than root can write it";
	return NULL;
}

const char *at_tool_fault(const char *path, uid_t owner)
{
	char physical[PATH_MAX], dir[PATH_MAX];
	const char *fault = fault_of_one(path, false, owner);
	const char *paths[2] = { path, physical };

	if (path[0] != '/')
		return "it is found relative to where the session happens to be";
	if (!realpath(path, physical))
		return "it cannot be looked at";
	for (size_t i = 0; !fault && i < AT_LEN(paths); i++) {
		snprintf(dir, sizeof(dir), "%s", paths[i]);
		*strrchr(dir, '/') = '\0';
		fault = fault_of_one(*dir ? dir : "/", true, owner);
	}
	return fault;
}

bool at_tool_is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool at_tool_search(char out[PATH_MAX], const char *name, const char *search_path)
{
	for (const char *p = search_path;; p++) {
		size_t len = strcspn(p, ":");

		if (snprintf(out, PATH_MAX, "%.*s%s%s", (int)len, p, len ? "/" : "./", name)
				< PATH_MAX
			&& at_tool_is_program(out))
			return true;
		p += len;
		if (!*p)
			break;
	}
	out[0] = '\0';
	return false;
}
