/* What can be said of a codex team's own files: that they are there and ours. (WIRE-5, INT-2) */
#include <unistd.h>

#include "core/mem.h"
#include "emit/artefact.h"
#include "emit/codex.h"
#include "emit/launcher.h"
#include "emit/launcher_team.h"

#define UPDATE "Run atconsole --update."
#define READ_IT "Read what was changed (the Emit view shows it), then run atconsole --update."

static const struct row {
	const char *path, *what;
	bool of_gate; /* emitted under the write policy alone */
	bool is_executable;
} rows[] = {
	{ AT_CODEX_RUNNER, "runner", false, true },
	{ AT_CODEX_HOOKS, "hook", true, false },
	{ AT_CODEX_BIN "agentteams-role-gate", "role gate", true, true },
	{ AT_CODEX_BIN "agentteams-readfs-mcp", "file server", true, true },
};

static const struct {
	const char *id, *remedy, *text;
} faults[] = {
	[AT_ARTEFACT_MISSING] = { "codex-missing", UPDATE, "is missing." },
	[AT_ARTEFACT_OLDER] = { "codex-older", UPDATE,
		"is of an older release, or of another request." },
	[AT_ARTEFACT_EDITED] = { "codex-edited", READ_IT,
		"was edited, or is not ours: what it does is not known." },
	[AT_ARTEFACT_UNFIT] = { "codex-unfit", "Look at what it is and move it away.",
		"is no regular file that can be read: it could be swapped." },
};

static bool fail_state(
	struct at_wiring *report, const struct row *row, enum at_artefact_state state)
{
	at_wiring_add(report, faults[state].id, AT_FAIL, row->path, faults[state].remedy,
		"The %s %s", row->what, faults[state].text);
	return false;
}

static bool check_file(struct at_wiring *report, const struct at_project *project,
	const struct row *row, struct at_bytes wanted)
{
	struct at_file file;
	enum at_artefact_state state = at_artefact_look(&file, project, row->path, wanted);
	nlink_t links = file.links;

	at_file_free(&file);
	if (state != AT_ARTEFACT_SAME)
		return fail_state(report, row, state);
	if (links > 1) {
		at_wiring_add(report, "codex-hard-link", AT_FAIL, row->path,
			"Make it a file of its own (copy it and rename the copy over it).",
			"The %s has more names (hard links): who may write one of them rewrites it.",
			row->what);
		return false;
	}
	if (row->is_executable && faccessat(project->fd, row->path, X_OK, 0) != 0) {
		at_wiring_add(report, "codex-not-executable", AT_FAIL, row->path, UPDATE,
			"The %s cannot be executed here.", row->what);
		return false;
	}
	at_wiring_add(report, "codex-genuine", AT_OKAY, row->path, "", "The %s is there and is %s.",
		row->what,
		row->of_gate ? "the one that the runner pins" : "the one that this version emits");
	return true;
}

/* A file that the plan lets stand, or does not know at all, is pinned by nobody. */
static bool check_row(struct at_wiring *report, const struct at_project *project,
	const struct at_plan *plan, const struct row *row)
{
	const struct at_change *change = at_codex_change(plan, row->path);

	if (change && change->kind != AT_KEPT)
		return check_file(report, project, row, change->bytes);
	if (row == &rows[1])
		at_wiring_add(report, "codex-hooks-foreign", AT_FAIL, row->path,
			"Move it away, then run atconsole --update.",
			"The hook file starts something else than the role gate: the runner refuses "
			"to start.");
	else
		at_wiring_add(report, "codex-program-missing", AT_FAIL, row->path,
			"Install it beside agentteams-gate, then run atconsole --update.",
			"The %s is not installed on this host: nothing pins it, and the runner "
			"refuses to start.",
			row->what);
	return false;
}

bool at_codex_check(struct at_wiring *report, const struct at_manifest *manifest,
	const struct at_project *project, const struct at_plan *plan, struct at_error *err)
{
	const bool gate = at_codex_has_gate(manifest);
	bool fine = true;

	if (!at_launcher_team_check(report, manifest, project, plan, err))
		return false;
	if (!at_launcher_is_emitted(manifest))
		return true;
	for (size_t i = 0; i < AT_LEN(rows); i++)
		if (!rows[i].of_gate || gate)
			fine &= check_row(report, project, plan, &rows[i]);
	report->is_configured &= fine;
	if (fine && gate)
		at_wiring_add(report, "codex-hook-unseen", AT_NOTE, AT_CODEX_HOOKS,
			"Start codex by " AT_CODEX_RUNNER ": it looks at all of this again.",
			"Present and pinned. Whether codex honours the hook cannot be seen from here: "
			"it can be started without, and drops a hook it does not trust unseen.");
	return true;
}
