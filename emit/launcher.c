#include "emit/launcher.h"

#include <unistd.h>

#include "core/launch_line.h"
#include "core/mem.h"
#include "emit/artefact.h"
#include "emit/assets.h"

#define UPDATE "Run atconsole --update."

const struct at_launcher_file at_launcher_files[4] = {
	{ AT_LAUNCHER, &at_asset_launcher, 0755, false,
		"launcher: confines the command that you start through it, and nothing else" },
	{ "sandbox/mac-escape-tests.sh", &at_asset_mac_tests, 0755, true,
		"tests the launcher on this Mac; to be run by you, outside any sandbox" },
	{ "sandbox/dedicated-uid-provisioning.example.sh", &at_asset_dedicated_uid, 0, true,
		"example of a user of its own for the agent; inert" },
	{ "sandbox/pf-per-tenant-anchor.example.conf", &at_asset_pf_anchor, 0, true,
		"example of packet filter rules for that user; inert" },
};

bool at_launcher_is_emitted(const struct at_manifest *manifest)
{
	return manifest->confinement_is_requested &&
		(manifest->platform == AT_LINUX || manifest->platform == AT_DARWIN);
}

bool at_launcher_file_is_emitted(const struct at_launcher_file *file,
	const struct at_manifest *manifest)
{
	return at_launcher_is_emitted(manifest) &&
		(!file->only_darwin || manifest->platform == AT_DARWIN);
}

/* What is told in the plan beside the file's purpose; an edit is told apart as well, since a
 * batch run shows the plan only once it was carried out. */
static const char *reason_of(const struct at_launcher_file *file, enum at_artefact_state state,
	struct at_plan *plan, struct at_notices *notices)
{
	switch (state) {
	case AT_ARTEFACT_OLDER:
		return at_arena_printf(plan->arena, "%s; an older release is there", file->reason);
	case AT_ARTEFACT_EDITED:
		at_notice(notices, "launcher-edited",
			"%s is not what this version emits, and no record of a run knows it: it "
			"was edited, or another tool made it. --update replaces it; --undo gives "
			"it back. Read it before anything is started through it.", file->path);
		return at_arena_printf(plan->arena, "%s; edited, or not ours", file->reason);
	default:
		return file->reason;
	}
}

static bool plan_file(struct at_plan *plan, struct at_notices *notices,
	const struct at_launcher_file *file, const struct at_project *project,
	struct at_error *err)
{
	struct at_file old;
	enum at_artefact_state state = at_artefact_look(&old, project, file->path, *file->bytes);

	at_file_free(&old);
	return at_plan_add(plan, project->fd, AT_IN_PROJECT, file->path, *file->bytes, file->mode,
		AT_PLAN_WRITE, reason_of(file, state, plan, notices), err);
}

bool at_launcher_plan(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project, struct at_error *err)
{
	for (size_t i = 0; i < AT_LEN(at_launcher_files); i++)
		if (at_launcher_file_is_emitted(&at_launcher_files[i], manifest) &&
			!plan_file(plan, notices, &at_launcher_files[i], project, err))
			return false;
	if (at_launcher_is_emitted(manifest) && manifest->platform == AT_DARWIN)
		at_notice(notices, "list-setuid",
			"List this Mac's set-id programs (find / -type f \\( -perm -4000 -o -perm "
			"-2000 \\) -print): the launcher keeps the agent from those that it "
			"knows, and its list is not complete.");
	return true;
}

static bool fail(struct at_wiring *report, const char *id, const char *remedy, const char *text)
{
	at_wiring_add(report, id, AT_FAIL, AT_LAUNCHER, remedy, "%s", text);
	return false;
}

static const struct { const char *id, *remedy, *text; } faults[] = {
	[AT_ARTEFACT_MISSING] = { "launcher-missing", UPDATE,
		"The launcher is missing: nothing can be started through it." },
	[AT_ARTEFACT_OLDER] = { "launcher-older", UPDATE,
		"The launcher is of an older release than this version emits." },
	[AT_ARTEFACT_EDITED] = { "launcher-edited",
		"Read what was changed (the Emit view shows it), then run atconsole --update.",
		"The launcher was edited, or is not ours: what it confines is not known." },
	[AT_ARTEFACT_UNFIT] = { "launcher-unfit", "Look at what it is and move it away.",
		"The launcher is no regular file that can be read: it could be swapped." },
};

bool at_launcher_check(struct at_wiring *report, const struct at_manifest *manifest,
	const struct at_project *project)
{
	enum at_artefact_state state;
	struct at_file file;
	nlink_t links;

	if (!at_launcher_is_emitted(manifest))
		return false;
	state = at_artefact_look(&file, project, AT_LAUNCHER, at_asset_launcher);
	links = file.links;
	at_file_free(&file);
	if (state != AT_ARTEFACT_SAME)
		return fail(report, faults[state].id, faults[state].remedy, faults[state].text);
	if (links > 1)
		return fail(report, "launcher-hard-link",
			"Make it a file of its own (copy it and rename the copy over it).",
			"The launcher has more names (hard links): who may write one of them "
			"rewrites it.");
	if (faccessat(project->fd, AT_LAUNCHER, X_OK, 0) != 0)
		return fail(report, "launcher-not-executable", UPDATE,
			"The launcher cannot be executed here.");
	at_wiring_add(report, "launcher-genuine", AT_OKAY, AT_LAUNCHER, "",
		"The launcher is there and is the one that this version emits.");
	return true;
}
