/* goose_profile.c - .goose/sandbox.sb. Of the rules that match, the last one decides: the order
 * of reference-later 2.7 is what makes it hold. */
#include "emit/goose.h"

#include <stdlib.h>
#include <string.h>

#include "core/control_plane.h"
#include "core/mem.h"
#include "core/write_policy.h"
#include "core/path.h"
#include "emit/reads.h"

enum whose { OWN, SIBLING, PLAIN };

/* In which order the rows of the plane stand in the rule; NULL: every role. A row that is marked
 * for the profile and named by no step is one that was forgotten: a test looks for it. */
static const struct step {
	enum whose whose;
	int team; /* of a sibling; else the row's own */
	const char *role;
} steps[] = {
	{ OWN, -1, "switch" },
	{ PLAIN, AT_CLAUDE, "gate hook" },
	{ OWN, -1, "key store" },
	{ PLAIN, AT_GOOSE, NULL },
	{ OWN, -1, "roster" },
	{ PLAIN, AT_CLAUDE, "config dir" },
	{ SIBLING, AT_COPILOT_VSCODE, NULL },
	{ SIBLING, AT_CODEX, NULL },
	{ PLAIN, AT_CODEX, NULL },
	{ PLAIN, -1, NULL },
};

static bool is_of(const struct step *step, const struct at_plane_row *row)
{
	bool is_team = row->use & AT_PLANE_TEAM;

	if (step->role && strcmp(step->role, row->role) != 0)
		return false;
	switch (step->whose) {
	case OWN:
		return (row->use & AT_PLANE_SEATBELT) && is_team;
	case SIBLING:
		return (row->use & AT_PLANE_SEATBELT_SIBLING) && is_team;
	default:
		return (row->use & AT_PLANE_SEATBELT) && !is_team && row->only == step->team;
	}
}

static bool has(const struct at_text_list *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i], text) == 0)
			return true;
	return false;
}

/* Who may move a directory moves what is in it, whatever is denied below. */
static void lock_ancestors(struct at_goose_plane *out, const char *path, struct at_arena *arena)
{
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		const char *above = at_arena_strndup(arena, path, (size_t)(slash - path));

		if (!has(&out->locked, above))
			at_text_list_add(&out->locked, above);
	}
}

static void add(struct at_goose_plane *out, const struct at_plane_row *row, const char *team_dir,
	bool locks, struct at_arena *arena)
{
	char path[PATH_MAX];
	const char *copy = at_arena_strdup(arena,
		at_plane_path(path, sizeof(path), row, team_dir));

	at_text_list_add(&out->shut, copy);
	if (locks && !(row->use & AT_PLANE_NO_ANCESTOR))
		lock_ancestors(out, copy, arena);
}

void at_goose_plane(struct at_goose_plane *out, const struct at_manifest *manifest,
	const struct at_project *project, struct at_arena *arena)
{
	/* .github is everybody's: it is locked only where a team makes it worth it. */
	bool copilot = at_team_is_present(project, AT_COPILOT_VSCODE);

	*out = (struct at_goose_plane){ 0 };
	for (size_t s = 0; s < AT_LEN(steps); s++) {
		const struct step *step = &steps[s];
		const char *dir = step->whose == SIBLING
			? at_team_dir((enum at_framework_id)step->team) : project->team_dir;

		for (size_t i = 0; i < at_control_plane_count; i++)
			if (is_of(step, &at_control_plane[i]))
				add(out, &at_control_plane[i], dir,
					step->team != AT_COPILOT_VSCODE || copilot, arena);
	}
	for (size_t i = 0; manifest->write_policy >= AT_POLICY_ON && i < at_control_plane_count; i++)
		if (at_control_plane[i].use & AT_PLANE_WRITE_POLICY)
			add(out, &at_control_plane[i], project->team_dir, true, arena);
	at_text_list_sort(&out->locked);
}

void at_goose_plane_free(struct at_goose_plane *plane)
{
	at_text_list_free(&plane->shut);
	at_text_list_free(&plane->locked);
}

const char *at_goose_proxy(const struct at_manifest *manifest, struct at_arena *arena)
{
	const char *proxy = manifest->request->goose_egress_proxy;

	if (!*proxy)
		return NULL;
	return strchr(proxy, ':') ? proxy : at_arena_printf(arena, "%s:*", proxy);
}

/* --- the text ------------------------------------------------------------------------ */

static bool refuse(const char *path, const char *why, struct at_error *err)
{
	at_fail(err, AT_EREFUSED, "the Seatbelt profile cannot hold the path '%s': %s", path, why);
	at_error_name(err, "seatbelt-path");
	at_error_path(err, AT_GOOSE_PROFILE);
	at_error_hint(err, "Name another path in the brief. Nothing was left out: a path that is "
			   "missing there would be open.");
	return false;
}

static bool check_path(const char *path, struct at_error *err)
{
	if (!*path)
		return refuse(path, "it is empty", err);
	for (const char *c = path; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127 || *c == '"' || *c == '\\')
			return refuse(path, "a quote, a backslash or a control character", err);
	if (path[strspn(path, "/")] == '\0')
		return refuse(path, "it is the whole file system", err);
	for (const char *part = path; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
		if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
			return refuse(path, "there is a `..` in it", err);
	if (path[0] == '~' && path[1] && path[1] != '/')
		return refuse(path, "another user's home", err);
	return true;
}

static void put_below(struct at_buf *out, const char *kind, const char *param, const char *rest)
{
	if (*rest)
		at_buf_printf(out, "\n  (%s (string-append (param \"%s\") \"/%s\"))", kind, param,
			rest);
	else
		at_buf_printf(out, "\n  (%s (param \"%s\"))", kind, param);
}

/* On macOS these three are links: the kernel compares the place that they lead to. */
static bool is_below_private(const char *path)
{
	static const char *const links[] = { "/tmp", "/var", "/etc" };

	for (size_t i = 0; i < AT_LEN(links); i++)
		if (at_path_is_inside(path, links[i]))
			return true;
	return false;
}

static bool put_path(struct at_buf *out, const char *kind, const char *path, struct at_error *err)
{
	bool is_home = path[0] == '~';
	char plain[PATH_MAX];

	if (!check_path(path, err))
		return false;
	if (is_home)
		path += path[1] ? 2 : 1;
	if (!at_path_normalise(plain, path))
		return refuse(path, "it is too long", err);
	if (strcmp(plain, ".") == 0)
		plain[0] = '\0';
	if (is_home)
		put_below(out, kind, "HOME_DIR", plain);
	else if (plain[0] != '/')
		put_below(out, kind, "WORKSPACE_ROOT", plain);
	else
		at_buf_printf(out, "\n  (%s \"%s\")", kind, plain);
	if (!is_home && plain[0] == '/' && is_below_private(plain))
		at_buf_printf(out, "\n  (%s \"/private%s\")", kind, plain);
	return true;
}

static bool put_rule(struct at_buf *out, const char *head, const char *kind,
	const struct at_text_list *paths, struct at_error *err)
{
	if (paths->count == 0)
		return true;
	at_buf_printf(out, "(%s", head);
	for (size_t i = 0; i < paths->count; i++)
		if (!put_path(out, kind, paths->items[i], err))
			return false;
	at_buf_puts(out, ")\n");
	return true;
}

static void put_head(struct at_buf *out, const struct at_manifest *manifest)
{
	at_buf_printf(out,
		"(version 1)\n"
		"; sandbox.sb - what goose may do on macOS, for privilege_profile `%s`.\n"
		"; Written by atconsole --update: edits here are undone by it, and reported.\n"
		"; " AT_GOOSE_UNVERIFIED ".\n"
		";\n"
		"; It confines nobody by being here. In the project, outside any agent:\n"
		";\n"
		";   sandbox-exec -f " AT_GOOSE_PROFILE " -D WORKSPACE_ROOT=\"$(pwd -P)\" \\\n"
		";     -D HOME_DIR=\"$(cd && pwd -P)\" goose session\n"
		";\n"
		"; Both have to be physical paths, as above: what leads through a link matches\n"
		"; nothing. Of the rules that match, the last one decides. goose keeps sessions and\n"
		"; logs in the home, which stays closed: XDG_DATA_HOME and XDG_STATE_HOME lead it\n"
		"; elsewhere.\n"
		"(allow default)\n", at_profile_name(manifest->request->profile));
}

static bool put_roots(struct at_buf *out, const struct at_manifest *manifest, struct at_error *err)
{
	struct at_text_list roots = { 0 };
	bool done;

	for (size_t i = 0; i < manifest->root_count; i++)
		at_text_list_add(&roots, manifest->roots[i].path);
	if (roots.count == 0)
		at_text_list_add(&roots, "."); /* never no root: goose could not work at all */
	at_buf_puts(out, "\n; Writing: the write roots, temporary files, nothing else.\n"
			 "(deny file-write*)\n");
	done = put_rule(out, "allow file-write*", "subpath", &roots, err);
	at_buf_puts(out,
		"(allow file-write*\n"
		"  (subpath \"/private/tmp\")\n"
		"  (subpath \"/private/var/folders\")\n"
		"  (literal \"/dev/null\")\n"
		"  (literal \"/dev/stdout\")\n"
		"  (literal \"/dev/stderr\"))\n");
	at_text_list_free(&roots);
	return done;
}

static bool put_plane(struct at_buf *out, const struct at_manifest *manifest,
	const struct at_project *project, struct at_arena *arena, struct at_error *err)
{
	struct at_goose_plane plane;
	bool done;

	at_goose_plane(&plane, manifest, project, arena);
	at_buf_puts(out, "\n; What decides an agent's reach stays as it is, in a root too.\n");
	done = put_rule(out, "deny file-write*", "subpath", &plane.shut, err);
	at_buf_puts(out, "; And the directories above are not moved away, nor made.\n");
	done = done && put_rule(out, "deny file-write-unlink file-write-create", "literal",
		&plane.locked, err);
	at_goose_plane_free(&plane);
	return done;
}

static void put_network(struct at_buf *out, const struct at_manifest *manifest,
	struct at_arena *arena)
{
	const char *proxy = at_goose_proxy(manifest, arena);

	at_buf_printf(out, "\n; Network: %s.\n(deny network*)\n", proxy
			? "the one loopback proxy of the brief, which decides what is reached"
			: "none. " AT_GOOSE_NO_MODEL);
	if (proxy)
		at_buf_printf(out, "(allow network-outbound (remote ip \"%s\"))\n", proxy);
}

static bool put_reads(struct at_buf *out, const struct at_manifest *manifest,
	const struct at_project *project, struct at_arena *arena, struct at_error *err)
{
	const char *state = at_reads_state(manifest, project, arena);
	struct at_text_list keys = { 0 }, more = { 0 };
	bool done;

	at_reads_of_keys(&keys, project, arena);
	at_buf_puts(out, "\n; Reading: signing keys never");
	at_reads_exclusive(&more, manifest);
	if (state)
		at_text_list_add(&more, state);
	at_buf_puts(out, more.count ? "; under `exclusive` no credentials either.\n" : ".\n");
	done = put_rule(out, "deny file-read*", "subpath", &keys, err) &&
		put_rule(out, "deny file-read*", "subpath", &more, err);
	at_text_list_free(&keys);
	at_text_list_free(&more);
	return done;
}

bool at_goose_profile(struct at_buf *out, const struct at_manifest *manifest,
	const struct at_project *project, struct at_error *err)
{
	struct at_arena *arena = at_arena_new();
	bool done;

	put_head(out, manifest);
	done = put_roots(out, manifest, err) && put_plane(out, manifest, project, arena, err);
	if (done) {
		put_network(out, manifest, arena);
		done = put_reads(out, manifest, project, arena, err);
	}
	at_arena_free(arena);
	return done;
}
