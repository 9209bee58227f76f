/* What was emitted for a team, what its hook pins, what records know besides. (INT-2, GATE-5) */
#include <stdio.h>
#include <string.h>

#include "core/control_plane.h"
#include "core/mem.h"
#include "core/path.h"
#include "emit/artefact.h"
#include "emit/build_log.h"
#include "emit/claude.h"
#include "emit/claude_gate.h"
#include "emit/integrity_impl.h"

#define UPDATE "atconsole --update writes this version's."
#define LOOK "Read what differs; atconsole --update puts back what is emitted."

static bool ends_with(const char *path, const char *tail)
{
	size_t len = strlen(path), of = strlen(tail);

	return len >= of && strcmp(path + len - of, tail) == 0;
}

static void list_change(struct at_integrity *in, size_t i)
{
	const struct at_change *change = &in->ground.plan->changes[i];
	struct at_integrity_item *item;

	if (change->place != AT_IN_PROJECT)
		return;
	item = at_integrity_add(in, AT_PART_ARTEFACTS, at_arena_strdup(in->arena, change->path),
		change->kind == AT_KEPT && !change->bytes.len ? AT_HOW_DONE : AT_HOW_ARTEFACT);
	item->change = i;
	if (item->how == AT_HOW_DONE)
		at_integrity_tell(item, AT_STILL_KEPT, AT_OKAY,
			at_arena_strdup(in->arena, change->reason), "");
}

/* GATE-5: the program that the hook's script pins against the one that is there. */
static void list_hook(struct at_integrity *in)
{
	const struct at_project *project = in->ground.project;
	const char *script = at_claude_in_config(project, AT_CLAUDE_HOOK, in->arena);
	struct at_integrity_item *item;
	struct at_gate_pin pin;
	struct at_file file;
	bool is_there;

	if (in->ground.manifest->framework != AT_CLAUDE
		|| !at_file_read(&file, project->fd, script, AT_FILE_CAP,
			AT_FILE_NO_DIGEST, NULL))
		return;
	item = at_integrity_add(in, AT_PART_ARTEFACTS,
		at_arena_printf(in->arena, "the program that %s pins", script), AT_HOW_DONE);
	at_gate_pinned(item->expected, at_buf_bytes(&file.bytes));
	at_file_free(&file);
	is_there = at_gate_pin(&pin, project);
	memcpy(item->got, pin.sha256, sizeof(item->got));
	if (!*item->expected)
		at_integrity_tell(item, AT_STILL_UNKNOWN, is_there ? AT_WARN : AT_NOTE,
			"The hook pins no program: none was there when it was written.",
			is_there ? "Run atconsole --update: it pins the one that is there now."
				 : "");
	else if (!is_there)
		at_integrity_tell(item, AT_STILL_MISSING, AT_FAIL,
			"The hook pins a program, and none can be read on this host.",
			"Install agentteams-gate again.");
	else if (strcmp(item->expected, item->got) != 0)
		at_integrity_tell(item, AT_STILL_EDITED, AT_FAIL,
			"The gate's program is not the one that its hook pins.",
			"Run atconsole --update after an upgrade; without one, find out who "
			"replaced it.");
	else
		at_integrity_tell(item, AT_STILL_SAME, AT_OKAY,
			pin.custody ? "The gate's program is the one that its hook pins."
				    : "The gate's program is the one that its hook pins; on a "
				      "call its custody is not checked.", "");
}

void at_integrity_list_artefacts(struct at_integrity *in)
{
	const struct at_project *project = in->ground.project;
	const char *marker = at_arena_printf(in->arena, "%s/" AT_TEAM_MARKER, project->team_dir);

	if (at_file_type(project->fd, marker) == AT_FILE_ABSENT) {
		const char *dir = at_arena_strdup(in->arena, project->team_dir);

		at_integrity_tell(at_integrity_add(in, AT_PART_ARTEFACTS, dir, AT_HOW_DONE),
			AT_STILL_UNKNOWN, AT_NOTE, "No team was emitted here: nothing is expected.",
			"");
		return;
	}
	if (!in->ground.plan) {
		at_integrity_tell(at_integrity_add(in, AT_PART_ARTEFACTS, marker, AT_HOW_DONE),
			AT_STILL_UNREADABLE, AT_FAIL,
			at_arena_printf(in->arena, "What should be here is not known: %s",
				in->ground.plan_error->message),
			at_arena_strdup(in->arena, in->ground.plan_error->hint));
		return;
	}
	for (size_t i = 0; i < in->ground.plan->count; i++)
		list_change(in, i);
	list_hook(in);
}

/* Bytes that a run wrote for another brief are told as older: their record knows them. */
static const struct {
	enum at_integrity_state state;
	enum at_level level;
	const char *text, *remedy;
} artefacts[] = {
	[AT_ARTEFACT_SAME] = { AT_STILL_SAME, AT_OKAY, "It is what this version emits.", "" },
	[AT_ARTEFACT_MISSING] = { AT_STILL_MISSING, AT_FAIL, "It is emitted and is not there.",
		UPDATE },
	[AT_ARTEFACT_OLDER] = { AT_STILL_OLDER, AT_WARN,
		"A run wrote it, of an older release or for another brief.", UPDATE },
	[AT_ARTEFACT_EDITED] = { AT_STILL_EDITED, AT_FAIL,
		"No run on record wrote these bytes: it was edited, or is not ours.", LOOK },
	[AT_ARTEFACT_UNFIT] = { AT_STILL_UNREADABLE, AT_FAIL,
		"It is a link, a special file, or cannot be read: it could be swapped.",
		"Look at what it is and move it away." },
};

/* Does the team's record know of a run that wrote it? One that cannot be read leaves it open. */
static bool was_written(const struct at_project *project, const char *path)
{
	struct at_build_log log;
	bool was;

	if (!at_build_log_read(&log, project, NULL))
		return true;
	was = log.file.exists
		&& at_build_log_find(&log, at_build_log_key(project, path, log.arena))
			!= AT_JSON_NONE;
	at_build_log_free(&log);
	return was;
}

void at_integrity_check_artefact(struct at_integrity *in, struct at_integrity_item *item)
{
	const struct at_change *change = &in->ground.plan->changes[item->change];
	struct at_digest wanted = at_digest_of(change->bytes);
	struct at_file file;
	enum at_artefact_state state =
		at_artefact_look(&file, in->ground.project, change->path, change->bytes);

	at_digest_hex(item->expected, &wanted);
	if (file.exists)
		at_digest_hex(item->got, &file.digest);
	in->hashed += file.bytes.len;
	at_file_free(&file);
	at_integrity_tell(item, artefacts[state].state, artefacts[state].level,
		artefacts[state].text, artefacts[state].remedy);
	if (change->kind == AT_KEPT
		&& (state == AT_ARTEFACT_OLDER || state == AT_ARTEFACT_EDITED))
		at_integrity_tell(item, AT_STILL_KEPT, AT_OKAY,
			"It is for its owner to fill in: what is in it stays.", "");
	else if (state == AT_ARTEFACT_MISSING && !was_written(in->ground.project, change->path))
		at_integrity_tell(item, AT_STILL_MISSING, AT_WARN,
			"This version emits it, and no run on record has written it yet.", UPDATE);
	else if (state == AT_ARTEFACT_SAME && change->kind == AT_REPLACE)
		at_integrity_tell(item, AT_STILL_SAME, AT_WARN,
			"Its bytes are what this version emits, its mode is not.", UPDATE);
	else if (state == AT_ARTEFACT_EDITED && ends_with(change->path, AT_TEAM_MARKER))
		at_integrity_tell(item, AT_STILL_OLDER, AT_WARN,
			"The record is behind, or was edited: the next run adds to it.", UPDATE);
}

/* --- records -------------------------------------------------------------------------- */

static bool is_planned(const struct at_integrity *in, const char *path)
{
	const struct at_plan *plan = in->ground.plan;

	for (size_t i = 0; plan && i < plan->count; i++)
		if (strcmp(plan->changes[i].path, path) == 0)
			return true;
	return false;
}

static void list_record(struct at_integrity *in, const struct at_build_log *log, uint32_t node,
	const char *team_dir)
{
	struct at_bytes key = at_json_key(&log->doc, node, log->arena), hex = { 0 };
	const char *joined = at_arena_printf(in->arena, "%s/%s", team_dir, key.data);
	char path[PATH_MAX] = "";
	bool fits = at_path_normalise(path, joined) && *path != '/' && strncmp(path, "..", 2) != 0
		&& strlen(key.data) == key.len;
	struct at_integrity_item *item;

	if (fits && is_planned(in, path))
		return;
	item = at_integrity_add(in, AT_PART_RECORDS,
		fits ? at_arena_strdup(in->arena, path) : joined, AT_HOW_RECORD);
	if (at_json_is(&log->doc, node, AT_JSON_STRING))
		hex = at_json_string(&log->doc, node, log->arena);
	if (fits && hex.len >= AT_BUILD_LOG_HEX - 1 && hex.len < AT_DIGEST_HEX) {
		memcpy(item->expected, hex.data, hex.len);
		return;
	}
	item->how = AT_HOW_DONE;
	at_integrity_tell(item, AT_STILL_UNREADABLE, AT_FAIL,
		fits ? "The record has something that is no digest."
		     : "The record names a place outside the project.",
		"Restore the record from your version control.");
}

static void list_team(struct at_integrity *in, const char *team_dir)
{
	struct at_project team = *in->ground.project;
	struct at_build_log log;
	struct at_error err;

	team.team_dir = team_dir;
	if (!at_build_log_read(&log, &team, &err)) {
		at_integrity_tell(
			at_integrity_add(in, AT_PART_RECORDS,
				at_arena_printf(in->arena, "%s/" AT_TEAM_MARKER, team_dir),
				AT_HOW_DONE),
			AT_STILL_UNREADABLE, AT_FAIL, at_arena_strdup(in->arena, err.message),
			at_arena_strdup(in->arena, err.hint));
		return;
	}
	if (log.file.exists && log.hashes != AT_JSON_NONE)
		at_json_each(&log.doc, node, log.hashes)
			list_record(in, &log, node, team_dir);
	at_build_log_free(&log);
}

void at_integrity_list_records(struct at_integrity *in)
{
	const char *own = in->ground.project->team_dir, *dir;
	int framework = in->team - 1;

	if (framework < 0) {
		list_team(in, own);
		return;
	}
	dir = at_team_dir((enum at_framework_id)framework);
	if (strcmp(dir, own) == 0)
		return;
	for (int k = 0; k < framework; k++)
		if (strcmp(dir, at_team_dir((enum at_framework_id)k)) == 0)
			return; /* two of them share one */
	list_team(in, dir);
}

void at_integrity_check_record(struct at_integrity *in, struct at_integrity_item *item)
{
	enum at_integrity_state state = at_integrity_hold(
		in, item, in->ground.project->fd, item->path, AT_FILE_CAP);

	if (state == AT_STILL_SAME)
		at_integrity_tell(item, state, AT_OKAY, "It is as a run recorded it.", "");
	else if (state == AT_STILL_EDITED)
		at_integrity_tell(item, state, AT_WARN,
			"It was edited since a run recorded it first. Agent files are the team's "
			"to edit: see that you know of it.", "");
	else if (state == AT_STILL_MISSING)
		at_integrity_tell(item, state, AT_FAIL, "A run recorded it and it is not there.",
			"Restore it, or take it out of the record.");
	else
		at_integrity_tell(item, state, AT_FAIL, item->text,
			"Look at what it is and move it away.");
}
