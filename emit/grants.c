#include "emit/grants.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/mem.h"
#include "keys/grants.h"
#include "keys/team_keys.h"

#define ROOT_CAP 64u /* granted places a team; each is a line of its settings */

struct granted {
	const char *path, *id;
};

struct widening {
	const struct at_manifest *manifest;
	struct at_notices *notices; /* where the visits speak; kept only for a good ledger */
	struct at_arena *arena;
	struct granted found[ROOT_CAP];
	size_t count, more;
};

static const char *text_of(struct at_arena *arena, struct at_bytes cell)
{
	return at_arena_strndup(arena, cell.data, cell.len);
}

static bool is_there(const struct widening *w, const char *path)
{
	for (size_t i = 0; i < w->count; i++)
		if (strcmp(w->found[i].path, path) == 0)
			return true;
	for (size_t i = 0; i < w->manifest->root_count; i++)
		if (w->manifest->roots[i].source != AT_ROOT_GRANT
			&& strcmp(w->manifest->roots[i].path, path) == 0)
			return true;
	return false;
}

static bool visit(void *context, const struct at_ledger_row *row,
	const struct at_grant_verdict *verdict, struct at_error *err)
{
	struct widening *w = context;
	const char *id = text_of(w->arena, row->cells[AT_GRANT_ID]), *path;

	(void)err;
	if (!verdict->widens) {
		at_notice(w->notices, "grant-skipped", "NOTE: skipping invalid capability grant "
			"'%s': %s.", id, verdict->fault.message);
		return true;
	}
	path = text_of(w->arena, verdict->target);
	if (is_there(w, path))
		return true;
	if (w->count == ROOT_CAP)
		w->more++;
	else
		w->found[w->count++] = (struct granted){ path, id };
	return true;
}

/* The brief's own roots stay as they are, the granted ones of an earlier call go. */
static void put_roots(struct at_manifest *manifest, const struct widening *w)
{
	struct at_root *roots;
	size_t own = 0;

	while (own < manifest->root_count && manifest->roots[own].source != AT_ROOT_GRANT)
		own++;
	manifest->root_count = own;
	if (w->count == 0)
		return;
	roots = at_arena_alloc(manifest->arena, (own + w->count) * sizeof(*roots));
	memcpy(roots, manifest->roots, own * sizeof(*roots));
	for (size_t i = 0; i < w->count; i++)
		roots[own + i] = (struct at_root){
			.path = at_arena_strdup(manifest->arena, w->found[i].path),
			.source = AT_ROOT_GRANT,
			.grant = at_arena_strdup(manifest->arena, w->found[i].id),
		};
	manifest->roots = roots;
	manifest->root_count += w->count;
}

static void take_notices(struct at_notices *to, const struct at_notices *from)
{
	for (size_t i = 0; i < from->count; i++)
		at_notice(to, from->items[i].id, "%s", from->items[i].text);
}

static void tell(struct at_notices *notices, const struct at_grants *grants,
	const struct widening *w)
{
	if (*grants->warning)
		at_notice(notices, "project-roster", "%s", grants->warning);
	if (grants->ledger.verdict != AT_LEDGER_GOOD) {
		at_notice(notices, "grants-unreadable",
			"WARNING: capability-grant ledger unreadable, no grants applied: %s",
			grants->ledger.fault.message);
		return;
	}
	take_notices(notices, w->notices);
	for (size_t i = 0; i < w->count; i++)
		at_notice(notices, "grant-applied",
			"Applied capability grant %s to sandbox allowWrite: %s. It stays in force "
			"until the next --update and merge.", w->found[i].id, w->found[i].path);
	if (w->more)
		at_notice(notices, "grants-too-many",
			"WARNING: %zu more grants widen this team; %u are applied at most.", w->more,
			ROOT_CAP);
}

/* HMAC rows are not asked: by that scheme nothing widens, and no key of theirs is read here. */
static bool walk(struct at_grants *out, struct widening *w, const struct at_project *project,
	struct at_error *err)
{
	struct at_team_place place = { project->fd, project->team_dir };
	int team = at_file_open_dir(project->fd, project->team_dir, NULL);
	struct at_grants_site site = {
		.ledger_root = project->fd,
		.team_dir = team,
		.ledger_root_path = project->path,
		.team_dir_path = project->team_dir,
		.keys = { at_team_key_find, &place },
		.now = at_time_now(),
		.writer = w->manifest->request->team_id,
	};
	bool done = at_grants_walk(out, &site, AT_GRANT_FULL, visit, w, err);

	if (team >= 0)
		close(team);
	return done;
}

void at_grants_widen(struct at_manifest *manifest, struct at_notices *notices,
	const struct at_project *project)
{
	struct at_notices said;
	struct widening w = { .manifest = manifest, .notices = &said };
	struct at_grants grants;
	struct at_error err;

	/* A head without its ledger is a ledger that was taken away. */
	if (manifest->framework == AT_CLAUDE && manifest->boundary_is_emitted
		&& (at_file_type(project->fd, AT_GRANTS_PATH) != AT_FILE_ABSENT
			|| at_file_type(project->fd, AT_GRANTS_PATH ".head") != AT_FILE_ABSENT)) {
		at_notices_init(&said);
		w.arena = said.arena;
		if (!walk(&grants, &w, project, &err)) {
			grants = (struct at_grants){ .ledger = { .verdict = AT_LEDGER_MALFORMED,
							     .fault = err } };
		}
		tell(notices, &grants, &w);
		if (grants.ledger.verdict != AT_LEDGER_GOOD)
			w.count = 0;
		put_roots(manifest, &w);
		at_notices_free(&said);
		return;
	}
	put_roots(manifest, &w);
}
