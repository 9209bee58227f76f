#include "emit/control_files.h"

#include <stdio.h>
#include <string.h>

#include "core/control_plane.h"
#include "core/json_read.h"
#include "core/json_write.h"
#include "core/mem.h"
#include "emit/assets.h"
#include "keys/decision.h"

#define MANAGERS "references/authorized-managers.txt"
#define AUTHORITY "references/management-authority.json"
#define APPROVERS "references/security-approvers.txt"

struct control {
	struct at_plan *plan;
	struct at_notices *notices;
	const struct at_manifest *manifest;
	const struct at_project *project;
	const struct at_build_log *log;
};

static const char *in_team(const struct control *in, const char *name)
{
	return at_arena_printf(in->plan->arena, "%s/%s", in->project->team_dir, name);
}

/* What the switch that is there says: 0, 1, or -1 when that cannot be told. */
static int switch_of(const struct at_file *file)
{
	struct at_json doc;
	uint32_t value;
	int says = -1;

	if (!at_json_read(&doc, at_buf_bytes(&file->bytes), &at_json_settings_limits, 0, NULL))
		return -1;
	value = at_json_member(&doc, AT_JSON_ROOT, "enforce_decision_signing");
	if (at_json_is(&doc, value, AT_JSON_TRUE))
		says = 1;
	if (at_json_is(&doc, value, AT_JSON_FALSE))
		says = 0;
	at_json_free(&doc);
	return says;
}

static void render_switch(struct at_buf *out, bool on)
{
	struct at_json_value *root = at_json_object();

	at_json_add_bool(root, "enforce_decision_signing", on);
	at_json_add_text(root, "note",
		"When true, a security decision that authorises something counts only with a "
		"signature. Set enforce_decision_signing in the brief and run atconsole "
		"--update; edits here are undone by it.");
	at_json_print(out, root, AT_JSON_PRETTY);
	at_json_value_free(root);
}

/* "3 existing unsigned authorising rows", or that they were not counted: a log that the gate cannot
 * read clears nothing either way. */
static const char *unsigned_rows(const struct control *in)
{
	struct at_arena *arena = at_arena_new();
	struct at_decisions decisions;
	struct at_table table;
	const char *text;

	if (at_table_load(&table, arena, in->project->fd, in_team(in, AT_DECISIONS), NULL) &&
		at_decisions_read(&decisions, arena, &table, NULL))
		text = at_arena_printf(in->notices->arena,
			"%zu existing unsigned authorising row(s)",
			at_decisions_unsigned(&decisions));
	else
		text = "existing unsigned authorising rows (not counted: the log cannot be read)";
	at_arena_free(arena);
	return text;
}

static void say_switch(const struct control *in, int was)
{
	if (!in->manifest->request->enforce_decision_signing)
		at_notice(in->notices, "switch-off",
			"SIGNING NOT ENFORCED: the brief sets enforce_decision_signing to false; "
			"%s count on their author's name alone.", unsigned_rows(in));
	else if (was != 1)
		at_notice(in->notices, "switch-on",
			"SIGNING ENFORCED: %s no longer clear anything. To opt out set "
			"enforce_decision_signing to false in the brief.", unsigned_rows(in));
}

/* REQ-8. A switch that says the same in other words is left to whoever wrote it. */
static bool plan_switch(const struct control *in, struct at_error *err)
{
	const char *path = in_team(in, AT_SWITCH);
	bool on = in->manifest->request->enforce_decision_signing, done = true;
	struct at_buf text = { 0 };
	struct at_file old;
	int was;

	if (!at_file_read(&old, in->project->fd, path, AT_FILE_CAP, AT_FILE_MAY_BE_ABSENT, err))
		return false;
	was = old.exists ? switch_of(&old) : -1;
	render_switch(&text, on);
	if (was == on && !at_bytes_equal(at_buf_bytes(&text), at_buf_bytes(&old.bytes)))
		at_plan_keep(in->plan, path, "says the same already");
	else
		done = at_plan_add(in->plan, in->project->fd, AT_IN_PROJECT, path,
			at_buf_bytes(&text), 0, AT_PLAN_WRITE,
			on ? "switch: decisions count only when signed"
			   : "switch: unsigned decisions count, as the brief asks", err);
	say_switch(in, was);
	at_file_free(&old);
	at_buf_free(&text);
	return done;
}

static bool plan_sentinel(const struct control *in, struct at_error *err)
{
	return at_plan_add(in->plan, in->project->fd, AT_IN_PROJECT,
		in_team(in, AT_KEY_STORE "/README.md"), at_asset_verify_keys_readme, 0,
		AT_PLAN_WRITE, "keeps the key store in place so that it can be protected", err);
}

static bool plan_stub(const struct control *in, const char *name, struct at_bytes stub,
	struct at_error *err)
{
	const char *path = in_team(in, name);

	if (!at_plan_add(in->plan, in->project->fd, AT_IN_PROJECT, path, stub, 0, AT_PLAN_STUB,
		    "roster: a stub where there was none, so that it can be protected", err))
		return false;
	if (in->plan->changes[in->plan->count - 1].kind == AT_CREATE)
		at_notice(in->notices, "stub-created", "Roster stub created: %s names nobody.",
			path);
	return true;
}

/* A filled roster replaces our stub and what we wrote before, never what a person wrote. */
static bool plan_filled(const struct control *in, const char *name, struct at_bytes stub,
	struct at_bytes text, struct at_error *err)
{
	const char *path = in_team(in, name);
	struct at_file old;
	bool ours;

	if (!at_file_read(&old, in->project->fd, path, AT_FILE_CAP, AT_FILE_MAY_BE_ABSENT, err))
		return false;
	ours = !old.exists || at_bytes_equal(at_buf_bytes(&old.bytes), stub) ||
		at_bytes_equal(at_buf_bytes(&old.bytes), text) ||
		at_build_log_knows(in->log, in->project, path, at_buf_bytes(&old.bytes));
	at_file_free(&old);
	if (!ours) {
		at_plan_keep(in->plan, path, "written by hand: what the brief names is not in it");
		return true;
	}
	return at_plan_add(in->plan, in->project->fd, AT_IN_PROJECT, path, text, 0, AT_PLAN_WRITE,
		"roster: as the brief names", err);
}

static void render_managers(struct at_buf *out, const struct at_request *request)
{
	at_buf_puts(out, "# Team ids that may manage this team, from the brief "
			 "(authorized_managers).\n");
	for (size_t i = 0; i < request->authorized_managers.count; i++)
		at_buf_printf(out, "%s\n", request->authorized_managers.items[i]);
}

static void render_authority(struct at_buf *out, const struct at_request *request)
{
	struct at_json_value *root = at_json_object(), *list;

	at_json_add_bool(root, "is_management_repo", request->is_management_repo);
	list = at_json_add_array(root, "authorized_managers");
	for (size_t i = 0; i < request->authorized_managers.count; i++)
		at_json_add_text(list, NULL, request->authorized_managers.items[i]);
	at_json_add_text(
		root, "note", "From the brief. Change it there and run atconsole --update.");
	at_json_print(out, root, AT_JSON_PRETTY);
	at_json_value_free(root);
}

static bool plan_filled_rosters(const struct control *in, struct at_error *err)
{
	const struct at_request *request = in->manifest->request;
	struct at_buf managers = { 0 }, authority = { 0 };
	bool done = true;

	render_managers(&managers, request);
	render_authority(&authority, request);
	if (request->authorized_managers.count > 0)
		done = plan_filled(in, MANAGERS, at_asset_authorized_managers,
			at_buf_bytes(&managers), err);
	else if (at_rosters_are_emitted(in->manifest))
		done = plan_stub(in, MANAGERS, at_asset_authorized_managers, err);
	done = done && plan_filled(in, AUTHORITY, at_asset_management_authority,
		at_buf_bytes(&authority), err);
	at_buf_free(&managers);
	at_buf_free(&authority);
	return done;
}

/* A manager's id is one line of a roster: what would be a comment or two lines is none. */
static bool check_managers(const struct at_request *request, struct at_error *err)
{
	for (size_t i = 0; i < request->authorized_managers.count; i++) {
		const char *name = request->authorized_managers.items[i];

		if (*name && *name != '#' && !strpbrk(name, "\r\n\v\f"))
			continue;
		at_fail(err, AT_EINVALID, "`authorized_managers[%zu]` is no team id: it is empty, "
			"begins with # or breaks the line", i);
		at_error_hint(err, "Name one team id.");
		return false;
	}
	return true;
}

static bool plan_rosters(const struct control *in, struct at_error *err)
{
	const struct at_request *request = in->manifest->request;
	bool stubs = at_rosters_are_emitted(in->manifest);

	if (stubs && !plan_stub(in, APPROVERS, at_asset_security_approvers, err))
		return false;
	if (request->authorized_managers.count > 0 || request->is_management_repo)
		return check_managers(request, err) && plan_filled_rosters(in, err);
	return !stubs || (plan_stub(in, MANAGERS, at_asset_authorized_managers, err) &&
		plan_stub(in, AUTHORITY, at_asset_management_authority, err));
}

bool at_rosters_are_emitted(const struct at_manifest *manifest)
{
	switch (manifest->framework) {
	case AT_CLAUDE:
	case AT_GOOSE:
		return manifest->boundary_is_emitted;
	case AT_CODEX:
	case AT_COPILOT_VSCODE:
	case AT_COPILOT_CLI:
		return true; /* with the switch, which is always emitted */
	default:
		return false;
	}
}

bool at_control_files_plan(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project,
	const struct at_build_log *log, struct at_error *err)
{
	const struct control in = { plan, notices, manifest, project, log };

	return plan_switch(&in, err) && plan_sentinel(&in, err) && plan_rosters(&in, err);
}
