#include "emit/notices.h"

#include <errno.h>
#include <string.h>

#include <sys/stat.h>

#include "core/control_plane.h"
#include "core/mem.h"
#include "core/path.h"
#include "emit/claude.h"
#include "emit/stale.h"

struct noticing {
	struct at_notices *to;
	const struct at_manifest *manifest;
	const struct at_project *project;
	const struct at_live *live;
	struct at_arena *arena; /* of the notices: texts live as long as they do */
};

bool at_notice_place(char out[PATH_MAX], const char *entry, const struct at_project *project)
{
	size_t len = strlen(entry);
	char plain[PATH_MAX];

	if (len >= sizeof(plain))
		return false;
	if (len > 3 && strcmp(entry + len - 3, "/**") == 0)
		len -= 3;
	memcpy(plain, entry, len);
	plain[len] = '\0';
	return at_path_absolute(out, plain, project->path, project->host->home);
}

/* EMIT-4: older clients fail every command on such an entry. */
static void say_stale(const struct noticing *in, const struct at_text_list *entries)
{
	char place[PATH_MAX];
	struct stat st;

	for (size_t i = 0; i < entries->count; i++)
		if (at_notice_place(place, entries->items[i], in->project) &&
			lstat(place, &st) != 0 && (errno == ENOENT || errno == ENOTDIR))
			at_notice(in->to, "stale-deny-entry",
				"The live denyWrite names '%s', which does not exist: older "
				"clients then fail every command (Can't mkdir …). Remove it from "
				AT_LIVE_SETTINGS "; another time, before deleting the team.",
				entries->items[i]);
}

/* There already, or made by this very run where the harness looks for it. */
static bool will_be_present(const struct noticing *in, const struct at_sibling *sibling)
{
	const char *usual = at_team_dir(sibling->framework);

	return at_team_is_present(in->project, sibling->framework) ||
		(strcmp(at_team_dir(in->manifest->framework), usual) == 0 &&
			strcmp(in->project->team_dir, usual) == 0);
}

/* EMIT-3, EMIT-4: a team that came after the merge is not protected yet. */
static void say_lacking(const struct noticing *in, const struct at_text_list *entries)
{
	struct at_text_list lacking = { 0 };
	struct at_set places = { 0 };
	struct at_buf text = { 0 };
	char place[PATH_MAX];

	for (size_t i = 0; i < entries->count; i++)
		if (at_notice_place(place, entries->items[i], in->project))
			at_set_add(&places, place);
	for (size_t i = 0; i < AT_LEN(at_siblings); i++)
		if (will_be_present(in, &at_siblings[i]) &&
			at_notice_place(place, at_siblings[i].dir, in->project) &&
			!at_set_has(&places, place))
			at_text_list_add(&lacking, at_siblings[i].dir);
	at_text_list_print(&text, &lacking);
	if (lacking.count > 0)
		at_notice(in->to, "sibling-lacking",
			"The live denyWrite lacks %s: another team stands there. Emit claude's "
			"team again and merge its example (atconsole --update, --merge).",
			at_buf_text(&text));
	at_buf_free(&text);
	at_text_list_free(&lacking);
	at_set_free(&places);
}

static void say_deny_entries(const struct noticing *in)
{
	struct at_text_list entries = { 0 };

	if (!at_live_is_true(in->live, "sandbox.enabled"))
		return;
	at_text_list_of_json(&entries, &in->live->doc, "sandbox.filesystem.denyWrite", in->arena);
	say_stale(in, &entries);
	say_lacking(in, &entries);
	at_text_list_free(&entries);
}

static void say_state(const struct noticing *in)
{
	bool is_unix = in->manifest->platform == AT_LINUX || in->manifest->platform == AT_DARWIN;
	bool enabled = at_live_is_true(in->live, "sandbox.enabled");

	if (enabled && is_unix && !at_live_is_true(in->live, "sandbox.failIfUnavailable"))
		at_notice(in->to, "fails-open",
			AT_LIVE_SETTINGS " FAILS OPEN: without its dependencies the client runs "
			"unconfined. Add \"failIfUnavailable\": true to its sandbox block.");
	if (!enabled && in->manifest->boundary_is_emitted)
		at_notice(in->to, "runs-unconfined",
			"The team runs UNCONFINED: no enabled sandbox block is in "
			AT_LIVE_SETTINGS ". Merge the example (atconsole --merge).");
}

static void say_excluded(const struct noticing *in)
{
	struct at_text_list entries = { 0 };

	if (in->live->is_object)
		at_text_list_of_json(
			&entries, &in->live->doc, "sandbox.excludedCommands", in->arena);
	if (entries.count > 0)
		at_notice(in->to, "excluded-commands",
			"HIGH: " AT_LIVE_SETTINGS " lists excludedCommands: such a command runs "
			"outside the sandbox, and with LD_PRELOAD or its own arguments runs "
			"anything. Remove the list.");
	at_text_list_free(&entries);
}

/* KEY-13: one line each. */
static void say_stale_widenings(const struct noticing *in)
{
	struct at_text_list stale = { 0 };

	if (in->manifest->boundary_is_emitted && in->live->is_object)
		at_stale_of_manifest(
			&stale, &in->live->doc, in->manifest, in->project, in->arena);
	for (size_t i = 0; i < stale.count; i++)
		at_notice(in->to, "stale-widening",
			"STALE WIDENING: " AT_LIVE_SETTINGS " still opens '%s', which no root of "
			"the brief and no valid grant explains. atconsole --merge offers to take "
			"it out.", stale.items[i]);
	at_text_list_free(&stale);
}

static void say_legacy_keys(const struct noticing *in)
{
	struct at_text_list keys = { 0 };
	struct at_buf text = { 0 };

	if (!in->manifest->boundary_is_emitted)
		return;
	at_claude_legacy_keys(&keys, in->project, in->arena);
	at_text_list_print(&text, &keys);
	if (keys.count > 0)
		at_notice(in->to, "legacy-keys",
			"Key files stand outside the keys directory: %s. Move them to "
			"~/.config/agentteams/keys with --migrate.", at_buf_text(&text));
	at_buf_free(&text);
	at_text_list_free(&keys);
}

/* EMIT-2: harness and agents look at the default place, the boundary at another. */
static void say_mismatch(const struct noticing *in)
{
	struct at_project usual = *in->project;
	struct at_text_list was = { 0 }, now = { 0 };

	usual.team_dir = at_team_dir(in->manifest->framework);
	if (!in->manifest->boundary_is_emitted ||
		strcmp(usual.team_dir, in->project->team_dir) == 0)
		return;
	at_claude_deny_write(&was, in->manifest, &usual, in->arena);
	at_claude_deny_write(&now, in->manifest, in->project, in->arena);
	for (size_t i = 0; i < was.count && i < now.count; i++)
		if (strcmp(was.items[i], now.items[i]) != 0)
			at_notice(in->to, "deny-path-mismatch",
				"With this --output %s -> %s: the default place is not protected.",
				was.items[i], now.items[i]);
	if (!*at_claude_config_dir(in->project, in->arena))
		at_notice(in->to, "deny-path-mismatch",
			"With this --output .claude is not protected: the team stands at the "
			"project's top and has no directory of its own above it.");
	at_text_list_free(&was);
	at_text_list_free(&now);
}

/* EMIT-2 of a team behind the launcher, which knows where teams stand and no other place. */
static void say_launcher_mismatch(const struct noticing *in)
{
	char was[PATH_MAX], now[PATH_MAX];
	const char *usual = at_team_dir(in->manifest->framework);

	if (!in->manifest->boundary_is_emitted || strcmp(usual, in->project->team_dir) == 0)
		return;
	for (size_t i = 0; i < at_control_plane_count; i++) {
		const struct at_plane_row *row = &at_control_plane[i];

		if (!(row->use & AT_PLANE_TEAM) || !(row->use & (AT_PLANE_LAUNCHER_NEEDED |
							     AT_PLANE_LAUNCHER_SWITCHED)))
			continue;
		at_notice(in->to, "deny-path-mismatch",
			"With this --output %s -> %s: the launcher looks at the default place, the "
			"new one is not protected by it.",
			at_plane_path(was, sizeof(was), row, usual),
			at_plane_path(now, sizeof(now), row, in->project->team_dir));
	}
}

/* EMIT-13: a claude sandbox, asked for or merged, and another team that reads files which the
 * first may write. */
static void say_advice(const struct noticing *in)
{
	bool is_claude = in->manifest->framework == AT_CLAUDE, other = !is_claude;
	bool is_on = is_claude ? in->manifest->boundary_is_emitted
			       : at_live_is_true(in->live, "sandbox.enabled");

	for (size_t f = AT_CLAUDE + 1; f < AT_FRAMEWORK_COUNT; f++)
		other |= at_team_is_present(in->project, (enum at_framework_id)f);
	if (is_on && other && !in->manifest->request->protect_prompt_roots)
		at_notice(in->to, "prompt-root-advice",
			"Another team shares this project: files that it reads as instructions "
			"stay writable. Consider protect_prompt_roots in the brief.");
}

/* The rules that only prompt roots explain; a sibling's own are emitted anyway. */
static void say_relaxation(const struct noticing *in)
{
	bool is_kept = in->manifest->boundary_is_emitted &&
		in->manifest->request->protect_prompt_roots;
	uint32_t deny = at_json_at(&in->live->doc, "permissions.deny");
	struct at_text_list rules = { 0 }, lost = { 0 };
	struct at_set wanted = { 0 };
	struct at_buf text = { 0 };

	if (is_kept || !in->live->is_object || !at_json_is(&in->live->doc, deny, AT_JSON_ARRAY))
		return;
	at_claude_prompt_rules(&rules, in->project, in->arena);
	for (size_t i = 0; i < rules.count; i++)
		at_set_add(&wanted, rules.items[i]);
	/* The live list may be long: each entry is looked up, none is stored. */
	at_json_each(&in->live->doc, i, deny) {
		struct at_bytes raw = at_json_raw(&in->live->doc, i);
		const char *rule;

		if (!in->live->doc.nodes[i].escaped
			&& (raw.len < 6 || memcmp(raw.data + 1, "Edit(", 5) != 0))
			continue; /* every such rule begins so */
		rule = at_json_string(&in->live->doc, i, in->arena).data;
		if (at_set_has(&wanted, rule))
			at_text_list_add(&lost, rule);
	}
	at_text_list_print(&text, &lost);
	if (lost.count > 0)
		at_notice(in->to, "sandbox-relaxation",
			"SANDBOX RELAXATION: prompt-root protection removed: %s.",
			at_buf_text(&text));
	at_buf_free(&text);
	at_text_list_free(&rules);
	at_text_list_free(&lost);
	at_set_free(&wanted);
}

void at_notices_claude(struct at_notices *notices, const struct at_manifest *manifest,
	const struct at_project *project, const struct at_live *live)
{
	const struct noticing in = { notices, manifest, project, live, notices->arena };

	say_deny_entries(&in);
	say_state(&in);
	say_excluded(&in);
	say_stale_widenings(&in);
	say_legacy_keys(&in);
	say_mismatch(&in);
	say_advice(&in);
	say_relaxation(&in);
}

void at_notices_other(struct at_notices *notices, const struct at_manifest *manifest,
	const struct at_project *project)
{
	struct at_live live;
	const struct noticing in = { notices, manifest, project, &live, notices->arena };

	at_live_read(&live, project, AT_LIVE_SETTINGS);
	say_deny_entries(&in);
	say_excluded(&in);
	say_legacy_keys(&in);
	say_launcher_mismatch(&in);
	say_advice(&in);
	at_live_free(&live);
}
