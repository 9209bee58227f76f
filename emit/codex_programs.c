/* The two programs of a codex team: found where the gate is, copied, and pinned. (WP-3, WP-5) */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/mem.h"
#include "emit/artefact.h"
#include "emit/assets.h"
#include "emit/claude_gate.h"
#include "emit/codex.h"

const struct at_codex_program at_codex_programs[AT_CODEX_PROGRAMS] = {
	{ "agentteams-role-gate", AT_CODEX_BIN "agentteams-role-gate",
		"asked by codex's hook before each call: agents may only read" },
	{ "agentteams-readfs-mcp", AT_CODEX_BIN "agentteams-readfs-mcp",
		"serves the project's files to agents, for reading alone" },
};

const char *at_codex_installed(
	const struct at_project *project, const char *name, struct at_arena *arena)
{
	const char *const *places = at_claude_gate_places(project);

	for (; *places; places++) {
		const char *slash = strrchr(*places, '/');
		const char *path =
			at_arena_printf(arena, "%.*s/%s", (int)(slash - *places), *places, name);
		struct stat st;

		if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0)
			return path;
	}
	return NULL;
}

/* A place is the operator's own and may be a link of a package manager: the target is read. */
static bool read_installed(struct at_file *out, const char *path, struct at_error *err)
{
	char physical[PATH_MAX];
	int root;
	bool ok;

	if (!realpath(path, physical))
		return at_fail(err, AT_ENOENT, "%s cannot be resolved", path);
	root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return at_fail(err, AT_EIO, "/ cannot be opened");
	ok = at_file_read(out, root, physical + 1, AT_FILE_CAP, 0, err);
	close(root);
	return ok;
}

static void say_missing(struct at_notices *notices, const struct at_codex_program *program)
{
	at_notice(notices, "codex-program-missing",
		"%s is not installed here (it belongs beside agentteams-gate): %s is not emitted, "
		"and " AT_CODEX_RUNNER
		" will refuse to start until it is and --update has run again.",
		program->name, program->path);
}

static void say_edited(struct at_notices *notices, const struct at_project *project,
	const struct at_codex_program *program, struct at_bytes wanted)
{
	struct at_file old;

	if (at_artefact_look(&old, project, program->path, wanted) == AT_ARTEFACT_EDITED)
		at_notice(notices, "codex-program-edited",
			"%s is not the program that is installed here, and no record of a run knows "
			"it. --update replaces it; --undo gives it back.",
			program->path);
	at_file_free(&old);
}

static bool plan_one(struct at_plan *plan, struct at_notices *notices,
	const struct at_project *project, const struct at_codex_program *program,
	struct at_error *err)
{
	const char *from = at_codex_installed(project, program->name, plan->arena);
	struct at_file file;
	bool done;

	if (!from) {
		say_missing(notices, program);
		if (at_file_type(project->fd, program->path) != AT_FILE_ABSENT)
			at_plan_keep(plan, program->path,
				"is there, and the program is not installed here to compare it with");
		return true;
	}
	if (!read_installed(&file, from, err))
		return false;
	say_edited(notices, project, program, at_buf_bytes(&file.bytes));
	done = at_plan_add(plan, project->fd, AT_IN_PROJECT, program->path,
		at_buf_bytes(&file.bytes), 0755, AT_PLAN_WRITE, program->reason, err);
	at_file_free(&file);
	return done;
}

bool at_codex_plan_programs(struct at_plan *plan, struct at_notices *notices,
	const struct at_project *project, struct at_error *err)
{
	if (!at_plan_add(plan, project->fd, AT_IN_PROJECT, ".agentteams/README.md",
		    at_asset_agentteams_readme, 0, AT_PLAN_STUB,
		    "keeps the programs' ground in place so that it can be protected", err))
		return false;
	for (size_t i = 0; i < AT_CODEX_PROGRAMS; i++)
		if (!plan_one(plan, notices, project, &at_codex_programs[i], err))
			return false;
	return true;
}
