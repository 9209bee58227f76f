#include <string.h>

#include "core/mem.h"
#include "core/path.h"
#include "runner/gate/scan.h"

/* The directories that the product writes its own rules to, below the root of a project. */
static const char *const owned[] = {
	".github/agents",
	".claude/agents",
	".github/copilot",
	".goose/recipes",
	".agents",
};

static bool is_below(const char *path, const char *root)
{
	return at_path_is_inside(path, root) && strcmp(path, root) != 0;
}

static bool is_plain(const char *path)
{
	char normal[PATH_MAX];

	return path && path[0] == '/' && at_path_normalise(normal, path)
		&& strcmp(normal, path) == 0;
}

bool scan_may_quote(const char *path, const char *project)
{
	const char *rest;

	if (!is_plain(path) || !is_plain(project) || !is_below(path, project))
		return false;
	rest = path + strlen(project);
	rest += *rest == '/';
	for (size_t i = 0; i < AT_LEN(owned); i++)
		if (is_below(rest, owned[i]))
			return true;
	return false;
}
