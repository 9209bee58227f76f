#include "emit/claude_wiring.h"

#include <string.h>

#include "core/control_plane.h"
#include "core/mem.h"
#include "core/path.h"
#include "core/settings_check.h"
#include "emit/assets.h"

/* The tools that the emitted matcher names. */
static const char *const gated_tools[] = { "Write", "Edit", "NotebookEdit", "MultiEdit", "Bash" };
#define ALL_TOOLS ((1u << AT_LEN(gated_tools)) - 1)

static unsigned tools_of(const char *matcher)
{
	unsigned tools = 0;

	if (strcmp(matcher, "") == 0 || strcmp(matcher, "*") == 0 || strcmp(matcher, ".*") == 0)
		return ALL_TOOLS;
	for (const char *p = matcher; *p;) {
		size_t len = strcspn(p, "|, ");

		for (size_t i = 0; i < AT_LEN(gated_tools); i++)
			if (strlen(gated_tools[i]) == len && strncmp(gated_tools[i], p, len) == 0)
				tools |= 1u << i;
		p += len;
		p += strspn(p, "|, ");
	}
	return tools;
}

/* The gated tools before which a live entry starts `file`, as bits. */
static unsigned wired_tools(const struct at_wiring_check *check, const char *file)
{
	const struct at_json *doc = &check->live->doc;
	uint32_t groups = at_json_at(doc, "hooks.PreToolUse");
	struct at_arena *arena = check->report->arena;
	unsigned tools = 0;

	if (!at_json_is(doc, groups, AT_JSON_ARRAY))
		return 0;
	at_json_each(doc, group, groups) {
		uint32_t matcher = at_json_member(doc, group, "matcher");

		if (!at_claude_group_starts(doc, group, file, arena))
			continue;
		tools |= at_json_is(doc, matcher, AT_JSON_STRING)
			? tools_of(at_json_string(doc, matcher, arena).data) : ALL_TOOLS;
	}
	return tools;
}

static bool fail_hook(const struct at_wiring_check *check, const char *id, const char *remedy,
	const char *text)
{
	at_wiring_add(check->report, id, AT_FAIL, AT_LIVE_SETTINGS "#/hooks/PreToolUse", remedy,
		"%s", text);
	return false;
}

/* An older gate beside the script works on its own; our stub needs script and program. */
static bool is_older_gate(const struct at_wiring_check *check, const char *stub)
{
	struct at_file file;
	bool older;

	if (!at_file_read(&file, check->project->fd, stub, AT_FILE_CAP, 0, NULL))
		return false;
	older = !at_bytes_equal(at_buf_bytes(&file.bytes), at_asset_gate_py);
	at_file_free(&file);
	return older;
}

static bool check_program(const struct at_wiring_check *check, const char *script)
{
	if (at_file_type(check->project->fd, script) != AT_FILE_REGULAR)
		return fail_hook(check, "hook-script-absent", "Run atconsole --update.",
			"The gate's hook script is not there, or not a regular file.");
	if (!at_claude_gate_program(check->project))
		return fail_hook(check, "hook-program-absent",
			"Install agentteams-gate, or take the hook entry out.",
			"not wired: the gate program is not on this host.");
	return true;
}

void at_claude_check_hook(const struct at_wiring_check *check)
{
	struct at_arena *arena = check->report->arena;
	const char *script = at_claude_in_config(check->project, AT_CLAUDE_HOOK, arena);
	const char *stub = at_claude_in_config(check->project, AT_CLAUDE_HOOK_STUB, arena);
	unsigned by_script = wired_tools(check, script), by_stub = wired_tools(check, stub);
	bool startable, older;

	if (!by_script && !by_stub) {
		fail_hook(check, "hook-not-wired",
			"Merge its entry once its program is on this host, and not before.",
			"No PreToolUse entry starts the gate.");
		return;
	}
	if ((by_script | by_stub) != ALL_TOOLS)
		fail_hook(check, "hook-matcher-narrow", "Take the matcher of the example.",
			"The gate is not started before every tool that writes or runs something.");
	older = !by_script && is_older_gate(check, stub);
	if (older)
		at_wiring_add(check->report, "hook-older-gate", AT_NOTE, stub,
			"Install agentteams-gate and run atconsole --update.",
			"The wired gate is an older one of another tool.");
	startable = older || check_program(check, script);
	check->report->hook_is_wired = startable && (by_script | by_stub) == ALL_TOOLS &&
		!check->hooks_are_off;
}

static const struct at_change *find_change(const struct at_plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->count; i++)
		if (strcmp(plan->changes[i].path, path) == 0)
			return &plan->changes[i];
	return NULL;
}

/* The record alone may lag behind: a new agent file is enough. */
static void check_artefacts(struct at_wiring *report, const struct at_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct at_change *change = &plan->changes[i];
		size_t len = strlen(change->path), tail = strlen(AT_TEAM_MARKER);
		bool is_record =
			len > tail && strcmp(change->path + len - tail, AT_TEAM_MARKER) == 0;

		if (change->kind == AT_CREATE)
			at_wiring_add(report, "artefact-missing", AT_FAIL, change->path,
				"Run atconsole --update.", "An emitted file is missing.");
		else if (change->kind == AT_REPLACE)
			at_wiring_add(report, is_record ? "record-behind" : "artefact-differs",
				is_record ? AT_WARN : AT_FAIL, change->path,
				"Run atconsole --update.",
				"An emitted file was edited, is older, or "
				"was made for another request.");
	}
}

static void check_example_file(struct at_wiring *report, const struct at_project *project,
	const char *path)
{
	struct at_live file;

	at_live_read(&file, project, path);
	if (file.exists && !file.is_object)
		at_wiring_add(report, "example-unreadable", AT_FAIL, path,
			"Run atconsole --update.", "The emitted example cannot be read: %s.",
			file.why.message);
	at_live_free(&file);
}

static void ask_settings(struct at_wiring *report, const struct at_live *file, const char *name,
	const struct at_project *project)
{
	const struct at_settings_place place = {
		.name = name,
		.project = project->path,
		.project_fd = project->fd,
		.home = project->host->home,
	};

	at_settings_check(report, at_buf_bytes(&file->file.bytes), &place);
}

static bool check_live_file(const struct at_wiring_check *check)
{
	const struct at_live *live = check->live;
	struct at_wiring *report = check->report;

	if (!live->exists) {
		at_wiring_add(report, "not-merged", AT_FAIL, AT_LIVE_SETTINGS,
			"Run atconsole --merge.",
			"Emitted, not wired: there is no live settings file.");
		return false;
	}
	if (!live->is_read) {
		at_wiring_add(report, "settings-unreadable", AT_FAIL, AT_LIVE_SETTINGS,
			"Make it a regular file that you can read.", "%s.", live->why.message);
		return false;
	}
	ask_settings(report, live, AT_LIVE_SETTINGS, check->project);
	return report->file_is_loaded && live->is_object;
}

/* Beats the project's file in scalars, adds to its lists. One that the client would drop
 * undoes nothing. */
static void check_local_file(struct at_wiring_check *check)
{
	struct at_wiring *report = check->report;
	bool loaded = report->file_is_loaded;
	struct at_live local;

	at_live_read(&local, check->project, AT_LIVE_LOCAL);
	if (local.exists && !local.is_read)
		at_wiring_add(report, "local-unreadable", AT_FAIL, AT_LIVE_LOCAL,
			"Make it a regular file that you can read.",
			"Whether it undoes the boundary cannot be told: %s.", local.why.message);
	if (local.is_read) {
		ask_settings(report, &local, AT_LIVE_LOCAL, check->project);
		if (report->file_is_loaded && local.is_object)
			at_claude_check_undone(check, &local, AT_LIVE_LOCAL, true);
	}
	report->file_is_loaded = loaded;
	at_live_free(&local);
}

/* Is `place`, a physical path, at or below one that the live list names? */
static bool is_listed(const struct at_wiring_check *check, const char *place, const char *dotted)
{
	const struct at_json *doc = &check->live->doc;
	uint32_t list = at_json_at(doc, dotted);
	const char *project = check->project->path, *home = check->project->host->home;
	char said[PATH_MAX], real[PATH_MAX];

	if (!at_json_is(doc, list, AT_JSON_ARRAY))
		return false;
	at_json_each(doc, i, list) {
		if (at_json_is(doc, i, AT_JSON_STRING)
			&& at_path_absolute(said, at_json_string(doc, i, check->report->arena).data,
				project, home)
			&& at_path_physical(real, said) && at_path_is_inside(place, real))
			return true;
	}
	return false;
}

/* Tools may write what is in the project, commands what allowWrite names. */
static bool is_open(const struct at_wiring_check *check, const struct at_link *link)
{
	char place[PATH_MAX];

	if (!at_path_absolute(place, link->target, check->project->path, check->project->host->home))
		return true;
	return (link->inside || is_listed(check, place, "sandbox.filesystem.allowWrite"))
		&& !is_listed(check, place, "sandbox.filesystem.denyWrite");
}

/* What is denied is `.claude`: a link out of it leads to a file that a session may write, and
 * with it the boundary of the next one. (WIRE-5) */
static void check_link(struct at_wiring_check *check, const char *name)
{
	struct at_wiring *report = check->report;
	struct at_link link;

	if (at_file_type(check->project->fd, name) != AT_FILE_LINK
		|| !at_file_link(&link, check->project->fd, check->project->path, name, NULL)
		|| !is_open(check, &link))
		return;
	at_wiring_add(report, "settings-link-open", AT_FAIL, name,
		"Put a plain file in its place, or deny writing the target to commands and tools.",
		"It is a link to %s, which no denyWrite covers: a session can rewrite its own boundary.",
		link.target);
	report->undone = true;
	if (!report->undone_by)
		report->undone_by = at_arena_strdup(report->arena, link.target);
}

static void check_all(struct at_wiring_check *check)
{
	struct at_wiring *report = check->report;

	if (!check_live_file(check))
		return;
	at_claude_check_block(check);
	at_claude_check_undone(check, check->live, AT_LIVE_SETTINGS, false);
	check_local_file(check);
	if (check->has_sandbox) {
		if (check->live->file.links > 1)
			at_wiring_add(report, "settings-hard-link", AT_FAIL, AT_LIVE_SETTINGS,
				"Make it a file of its own (copy it and rename the copy over it).",
				"The file has more names (hard links): who may write one of them "
				"rewrites the boundary.");
		check_link(check, AT_LIVE_SETTINGS);
		check_link(check, AT_LIVE_LOCAL);
	}
	at_claude_check_hook(check);
	if (check->has_sandbox && report->is_configured && !report->undone)
		at_wiring_add(report, "sandbox-merged", AT_OKAY, AT_LIVE_SETTINGS, "",
			"OK: sandbox confinement is merged and enabled.");
}

bool at_claude_check_wiring(struct at_wiring *report, const struct at_manifest *manifest,
	const struct at_project *project, const struct at_plan *plan, struct at_error *err)
{
	const char *path = at_claude_in_config(project, AT_CLAUDE_EXAMPLE, report->arena);
	const struct at_change *change = find_change(plan, path);
	struct at_wiring_check check = { .report = report, .project = project };
	struct at_json example;
	struct at_live live;

	if (!change)
		return at_fail(err, AT_ENOENT, "the plan holds no %s to compare with", path);
	if (!at_json_read(&example, change->bytes, &at_json_settings_limits, 0, err))
		return false;
	if (at_file_type(project->fd, ".claude") == AT_FILE_LINK)
		at_wiring_add(report, "claude-dir-is-link", AT_FAIL, ".claude",
			"Put a real directory there.",
			".claude is a symbolic link: a session can replace it.");
	check_artefacts(report, plan);
	check_example_file(report, project, path);
	at_live_read(&live, project, AT_LIVE_SETTINGS);
	check.example = &example;
	check.live = &live;
	check.has_sandbox = manifest->boundary_is_emitted;
	check_all(&check);
	at_live_free(&live);
	at_json_free(&example);
	return true;
}
