#include "emit/framework.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/path.h"
#include "core/state.h"
#include "core/write_root.h"
#include "emit/live.h"
#include "emit/notices.h"
#include "emit/stale.h"
#include "emit/texts.h"

struct resolving {
	struct at_manifest *manifest;
	struct at_notices *notices;
	struct at_root_place place;
	char state[PATH_MAX]; /* where this program keeps its own, as at_state_mask_path() */
	struct at_set baseline, accepted; /* in compare form */
};

static void add_form(struct at_set *set, const char *root, const struct at_root_place *place)
{
	char form[PATH_MAX];

	if (at_write_root_compare_form(form, root, place))
		at_set_add(set, form);
}

/* REQ-4: the live project file counts, and for claude alone; not what was a stale widening when
 * the team was last emitted (KEY-13). */
static void read_baseline(struct resolving *in, const struct at_project *project)
{
	struct at_text_list roots = { 0 };
	struct at_set explained;
	struct at_live live;
	bool is_known;

	if (in->manifest->framework != AT_CLAUDE)
		return;
	is_known = at_stale_explained_last(&explained, project, in->notices->arena);
	at_live_read(&live, project, AT_LIVE_SETTINGS);
	if (live.is_object)
		at_text_list_of_json(&roots, &live.doc, "sandbox.filesystem.allowWrite",
			in->notices->arena);
	for (size_t i = 0; i < roots.count; i++) {
		char place[PATH_MAX];

		if (!is_known || !at_write_root_is_external(roots.items[i], &in->place)
			|| (at_notice_place(place, roots.items[i], project)
				&& at_set_has(&explained, place)))
			add_form(&in->baseline, roots.items[i], &in->place);
	}
	at_text_list_free(&roots);
	at_set_free(&explained);
	at_live_free(&live);
}

static bool is_in(const struct at_set *set, const char *root, const struct at_root_place *place)
{
	char form[PATH_MAX];

	return at_write_root_compare_form(form, root, place) && at_set_has(set, form);
}

static bool is_project(const char *root, const struct at_root_place *place)
{
	char form[PATH_MAX];

	return at_write_root_compare_form(form, root, place) && strcmp(form, place->project) == 0;
}

/* ~/.something: such directories often hold settings of other programs. */
static bool is_hidden_home(const char *root, const struct at_root_place *place)
{
	char form[PATH_MAX];
	size_t home = strlen(place->home);

	return at_write_root_compare_form(form, root, place) &&
		at_path_is_inside(form, place->home) && form[home] == '/' && form[home + 1] == '.';
}

/* A message holds what fits and says how many more; all of it goes to the notices then, so
 * that nothing is hidden. */
static void say_all(struct at_error *err, struct at_notices *notices, const char *head,
	const char *id, const struct at_text_list *lines)
{
	struct at_buf text = { 0 };
	size_t shown = 0, room = sizeof(err->message) - 64;

	if (!err)
		return;
	at_buf_puts(&text, head);
	for (; shown < lines->count; shown++) {
		const char *line = lines->items[shown];

		if (text.len + strlen(line) + 2 > room)
			break;
		at_buf_printf(&text, "%s%s", shown ? "; " : " ", line);
	}
	if (shown < lines->count) {
		for (size_t i = 0; i < lines->count; i++)
			at_notice(notices, id, "%s", lines->items[i]);
		at_buf_printf(&text, "%s%zu more, all listed in the notices",
			shown ? "; and " : " ", lines->count - shown);
	}
	at_fail(err, AT_EREFUSED, "%s", at_buf_text(&text));
	at_error_name(err, id);
	at_buf_free(&text);
}

static bool lead_to(char out[PATH_MAX], const char *path, const struct at_root_place *place)
{
	char form[PATH_MAX];

	return at_write_root_compare_form(form, path, place) && at_path_physical(out, form);
}

/* Wherever XDG_STATE_HOME puts it: the journal there says what an undo writes. */
static bool is_over_state(const struct resolving *in, const char *root)
{
	char there[PATH_MAX], state[PATH_MAX];

	return lead_to(there, root, &in->place) && lead_to(state, in->state, &in->place) &&
		(at_path_is_inside(there, state) || at_path_is_inside(state, there));
}

static const char *ban_of(const struct resolving *in, const struct at_root *root, char *why,
	size_t size)
{
	if (at_write_root_ban(why, size, root->path, &in->place))
		return why;
	return is_over_state(in, root->path) ? "atconsole keeps its records and backups there"
					     : NULL;
}

/* REQ-3: the bans hold for every root, signed ones too. */
static bool check_bans(const struct resolving *in, struct at_error *err)
{
	struct at_text_list bad = { 0 };
	bool fine;

	for (size_t i = 0; i < in->manifest->root_count; i++) {
		const struct at_root *root = &in->manifest->roots[i];
		const char *ban;
		char why[256];

		if (root->source == AT_ROOT_DEFAULT && !in->manifest->boundary_is_emitted)
			continue;
		ban = ban_of(in, root, why, sizeof(why));
		if (ban)
			at_text_list_add(&bad, at_arena_printf(in->notices->arena, "'%s' (%s): %s",
					root->path, at_root_source_name(root->source), ban));
	}
	fine = bad.count == 0;
	if (!fine) {
		say_all(err, in->notices, "these may not be write roots:", "root-banned", &bad);
		at_error_hint(err, "Remove them from the brief, or name directories inside the "
				   "project.");
	}
	at_text_list_free(&bad);
	return fine;
}

static void announce(struct resolving *in, const struct at_root *root, bool known)
{
	if (known && root->external)
		at_notice(in->notices, "external-root-kept",
			"keeps external root '%s' (source: %s): the live settings have it already.",
			root->path, at_root_source_name(root->source));
	if (!known && !is_project(root->path, &in->place))
		at_notice(in->notices, "sandbox-widening",
			"SANDBOX WIDENING: allowWrite gains '%s' (source: %s%s%s%s%s). Review it "
			"before you merge.",
			root->path, at_root_source_name(root->source), root->grant ? " " : "",
			root->grant ? root->grant : "",
			root->external ? "; EXTERNAL" : "",
			is_hidden_home(root->path, &in->place) ? "; a hidden home dir" : "");
}

/* REQ-4: an external root needs the operator's word, given on this command line, or is
 * in force already. Grants are signed: that is the operator's word too. */
static bool classify(struct resolving *in, struct at_error *err)
{
	struct at_text_list open = { 0 };
	char quoted[2 * PATH_MAX];
	bool fine;

	for (size_t i = 0; i < in->manifest->root_count; i++) {
		struct at_root *root = &in->manifest->roots[i];
		bool known = is_in(&in->baseline, root->path, &in->place);

		root->external = at_write_root_is_external(root->path, &in->place);
		root->accepted = known || root->source == AT_ROOT_GRANT ||
			is_in(&in->accepted, root->path, &in->place);
		announce(in, root, known);
		if (root->external && !root->accepted)
			at_text_list_add(&open, at_arena_printf(in->notices->arena,
				"'%s' (source: %s): --accept-write-root %s", root->path,
				at_root_source_name(root->source),
				at_path_shell_quote(quoted, sizeof(quoted), root->path)));
	}
	fine = open.count == 0;
	if (!fine) {
		say_all(err, in->notices, "write roots outside the project that nobody accepted:",
			"root-not-accepted", &open);
		at_error_hint(err, "Give the flag for each that you want, or remove it from the "
				   "brief.");
	}
	at_text_list_free(&open);
	return fine;
}

bool at_roots_resolve(struct at_manifest *manifest, struct at_notices *notices,
	const struct at_project *project, struct at_error *err)
{
	struct resolving in = {
		.manifest = manifest,
		.notices = notices,
		.place = { project->path, project->host->home, manifest->platform },
	};
	const char *xdg = project->host->xdg_state_home;
	bool done;

	at_state_mask_path(in.state, project->host->home, *xdg ? xdg : NULL);
	if (!check_bans(&in, err))
		return false;
	if (!manifest->boundary_is_emitted)
		return true;
	read_baseline(&in, project);
	for (size_t i = 0; i < project->accepted_root_count; i++)
		add_form(&in.accepted, project->accepted_roots[i], &in.place);
	done = classify(&in, err);
	at_set_free(&in.baseline);
	at_set_free(&in.accepted);
	return done;
}
