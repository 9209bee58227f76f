#include "runner/runs/program.h"

#include <stdlib.h>
#include <string.h>

#include "core/bytes.h"
#include "core/path.h"
#include "core/tool.h"

/* As 3.9 lists them; PATH and TMPDIR are made. */
static const char *const passed_on[] = { "HOME", "LANG", "LC_ALL", "LC_CTYPE", "USER", "LOGNAME",
	"TERM", "ELAN_HOME" };

const char *at_program_search_path(
	struct at_arena *arena, const char *search_path, const char *project)
{
	struct at_buf kept = { 0 };
	const char *text;

	for (const char *p = search_path; p && *p;) {
		size_t len = strcspn(p, ":");
		char *part = at_arena_strndup(arena, p, len), real[PATH_MAX];

		if (*part == '/' && realpath(part, real) && !at_path_is_inside(real, project)) {
			if (kept.len)
				at_buf_putc(&kept, ':');
			at_buf_puts(&kept, part);
		}
		p += len + (p[len] == ':');
	}
	text = at_arena_strdup(arena, at_buf_text(&kept));
	at_buf_free(&kept);
	return text;
}

bool at_program_find(char out[PATH_MAX], const char *name, const char *search_path,
	const char *project, struct at_error *err)
{
	char real[PATH_MAX];

	if (*name == '/' ? !at_tool_is_program(name) || !realpath(name, real)
			 : *name && !strchr(name, '/')
				&& (!*search_path || !at_tool_search(out, name, search_path)
					|| !realpath(out, real)))
		return at_fail(
			err, AT_EREFUSED, "`%s` is no program on the runner's PATH; refused", name);
	if (!*name || (*name != '/' && strchr(name, '/')))
		return at_fail(err, AT_EREFUSED,
			"`%s` is a path relative to the project; name a program on PATH", name);
	if (*name == '/') {
		if (strlen(name) >= PATH_MAX)
			return at_fail(err, AT_ELIMIT, "the program's path is too long");
		strcpy(out, name);
	}
	if (at_path_is_inside(real, project))
		return at_fail(err, AT_EREFUSED,
			"`%s` is inside the project (`%s`), where an agent can write; refused",
			name, real);
	return true;
}

const char *at_program_env_value(const char *const *env, const char *name)
{
	size_t len = strlen(name);

	for (; env && *env; env++)
		if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
			return *env + len + 1;
	return NULL;
}

const char *const *at_program_env(
	struct at_arena *arena, char *const *environment, const char *search_path, const char *tmp)
{
	const char **env = at_arena_alloc(arena, (AT_LEN(passed_on) + 3) * sizeof(*env));
	size_t n = 0;

	for (size_t i = 0; i < AT_LEN(passed_on); i++) {
		const char *value =
			at_program_env_value((const char *const *)environment, passed_on[i]);

		if (value)
			env[n++] = at_arena_printf(arena, "%s=%s", passed_on[i], value);
	}
	env[n++] = at_arena_printf(arena, "PATH=%s", search_path);
	if (tmp)
		env[n++] = at_arena_printf(arena, "TMPDIR=%s", tmp);
	return env;
}
