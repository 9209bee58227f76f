#include "views/integrity_ground.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "core/path.h"
#include "emit/claude_gate.h"

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The directory that this program is in; "" where that is not told. */
static void find_self(char out[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", out, PATH_MAX - 1);

	out[len > 0 ? len : 0] = '\0';
	if (strrchr(out, '/'))
		*strrchr(out, '/') = '\0';
}

/* Where the other programs of the installation are that this one runs from. */
static bool find_installation(char out[PATH_MAX], const char *self)
{
	char path[PATH_MAX], bin[PATH_MAX];
	const char *last = strrchr(self, '/');

	if (at_path_physical(bin, AT_BINDIR) && strcmp(bin, self) == 0 && is_dir(AT_LIBEXEC))
		return at_path_physical(out, AT_LIBEXEC);
	if (!last || strcmp(last, "/bin") != 0
		|| (size_t)snprintf(path, sizeof(path), "%.*s/libexec/agentteams",
			(int)(last - self), self) >= sizeof(path))
		return false;
	return is_dir(path) && at_path_physical(out, path);
}

/* In a build tree, below the directory of this program's own. */
static void find_beside(char out[PATH_MAX], const char *self, const char *name,
	const struct at_project *project)
{
	static const char *const places[] = { "gate", "selftest", "harden", "" };
	const char *program = strcmp(name, "agentteams-gate") == 0
		? at_claude_gate_program(project) : NULL;
	char path[2 * PATH_MAX];

	*out = '\0';
	for (size_t i = 0; i < AT_LEN(places); i++) {
		snprintf(path, sizeof(path), "%s/../runner/%s/%s", self, places[i], name);
		if (*self && is_file(path) && at_path_physical(out, path))
			return;
	}
	*out = '\0';
	if (program && !at_path_physical(out, program))
		*out = '\0';
}

void at_integrity_site_make(struct at_integrity_site *out, const struct at_session *session,
	const struct at_collected *collected)
{
	char self[PATH_MAX], dir[PATH_MAX];
	bool is_installed;

	memset(out, 0, sizeof(*out));
	find_self(self);
	if (session->no_programs)
		*self = '\0';
	is_installed = find_installation(dir, self);
	out->ground = (struct at_integrity_ground){
		.project = &session->project,
		.manifest = &session->manifest,
		.plan = collected->is_planned ? &collected->plan : NULL,
		.plan_error = &collected->plan_error,
		.programs = out->programs,
	};
	for (size_t i = 0; i < at_build_pin_count && i < AT_BUILD_PROGRAMS; i++) {
		if (!is_installed)
			find_beside(out->paths[i], self, at_build_pins[i].name, &session->project);
		else if ((size_t)snprintf(out->paths[i], PATH_MAX, "%s/%s", dir,
				 at_build_pins[i].name) >= PATH_MAX)
			*out->paths[i] = '\0';
		out->programs[out->ground.program_count++] = (struct at_integrity_program){
			at_build_pins[i].name, out->paths[i], at_build_pins[i].sha256, is_installed
		};
	}
}
