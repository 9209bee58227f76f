#include "emit/claude_wiring.h"

#include <string.h>

#include "core/mem.h"
#include "core/path.h"
#include "emit/artefact.h"
#include "emit/claude_host.h"
#include "emit/launcher.h"

static const struct at_change *find_change(const struct at_plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->count; i++)
		if (strcmp(plan->changes[i].path, path) == 0)
			return &plan->changes[i];
	return NULL;
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

static void take(struct at_wiring *report, const struct at_finding *f, enum at_level level)
{
	struct at_finding *new =
		at_wiring_add(report, f->id, level, f->where, f->remedy, "%s", f->text);

	new->line = f->line;
	new->column = f->column;
}

/* Of files that are not the project's only what reaches into it is worth a line: that they
 * are dropped, what their hooks do, names of keys. Their faults are not this project's. */
static bool concerns_us(const struct at_finding *f)
{
	static const char *const starts[] = { "file-", "json-", "key-wrong-type", "hook-", "env-",
		"matcher-" };

	if (f->level < AT_WARN)
		return false;
	for (size_t i = 0; i < AT_LEN(starts); i++)
		if (strncmp(f->id, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

static void take_file(struct at_wiring *report, const struct at_scope_file *file)
{
	bool is_own = file->scope == AT_SCOPE_PROJECT || file->scope == AT_SCOPE_LOCAL;

	for (size_t i = 0; i < file->report.count; i++) {
		const struct at_finding *f = &file->report.findings[i];
		bool weighs_less = file->scope == AT_SCOPE_USER && f->level == AT_FAIL &&
			strcmp(f->id, "env-signing-key") != 0;

		if (is_own || concerns_us(f))
			take(report, f, weighs_less ? AT_WARN : f->level);
	}
}

static bool check_live_file(const struct at_wiring_check *check)
{
	const struct at_scope_file *file = at_scopes_find(check->scopes, AT_SCOPE_PROJECT);
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
	take_file(report, file);
	report->file_is_loaded = file->report.file_is_loaded;
	return file->loads;
}

/* One that the client would drop undoes nothing. */
static void check_other_files(const struct at_wiring_check *check)
{
	for (size_t i = 0; i < check->scopes->count; i++) {
		const struct at_scope_file *file = &check->scopes->files[i];
		bool is_local = file->scope == AT_SCOPE_LOCAL;

		if (file->scope == AT_SCOPE_PROJECT || !file->live.exists)
			continue;
		if (!file->live.is_read)
			at_wiring_add(check->report,
				is_local ? "local-unreadable" : "scope-unreadable",
				is_local ? AT_FAIL : AT_WARN, file->name,
				"Make it a regular file that you can read.",
				"Whether it undoes the boundary cannot be told: %s.",
				file->live.why.message);
		else
			take_file(check->report, file);
	}
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

	if (!at_path_absolute(
		    place, link->target, check->project->path, check->project->host->home))
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
	bool is_loaded = check_live_file(check);

	check_other_files(check);
	at_claude_host_check(report, check->project, check->scopes, check->has_sandbox);
	at_claude_check_gate_log(check);
	if (!is_loaded)
		return;
	at_claude_check_block(check);
	at_claude_check_undone(check);
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
	struct at_wiring_check check = { .report = report, .project = project, .plan = plan };
	struct at_json example;
	struct at_scopes own;

	if (!change)
		return at_fail(err, AT_ENOENT, "the plan holds no %s to compare with", path);
	if (!at_json_read(&example, change->bytes, &at_json_settings_limits, 0, err))
		return false;
	if (at_file_type(project->fd, ".claude") == AT_FILE_LINK)
		at_wiring_add(report, "claude-dir-is-link", AT_FAIL, ".claude",
			"Put a real directory there.",
			".claude is a symbolic link: a session can replace it.");
	at_artefacts_check(report, plan);
	at_launcher_check(report, manifest, project);
	check_example_file(report, project, path);
	check.example = &example;
	check.scopes = at_scopes_of(&own, project, true);
	check.live = &at_scopes_find(check.scopes, AT_SCOPE_PROJECT)->live;
	check.has_sandbox = manifest->boundary_is_emitted;
	check_all(&check);
	at_scopes_free(&own);
	at_json_free(&example);
	return true;
}
