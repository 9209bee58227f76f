/* goose_wiring.c - what holds a goose team: the launcher on Linux, the profile on macOS. */
#include "emit/goose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/file.h"
#include "core/mem.h"
#include "core/write_policy.h"
#include "core/path.h"
#include "emit/launcher_team.h"
#include "emit/reads.h"
#include "emit/seatbelt.h"

#define UPDATE "Run atconsole --update."
#define NOWHERE "/agentteams-no-such-place" /* of no root */

struct looking {
	struct at_wiring *report;
	const struct at_manifest *manifest;
	const struct at_project *project;
	const struct at_seatbelt *profile;
	struct at_seatbelt_param params[3];
	struct at_arena *arena;
	bool holds;
};

/* --- questions to the profile -------------------------------------------------------------- */

static enum at_seatbelt_answer ask(const struct looking *in, const char *op, const char *path)
{
	struct at_seatbelt_question q = { .op = op, .path = path, .params = in->params };

	return at_seatbelt_ask(in->profile, &q);
}

static enum at_seatbelt_answer ask_network(const struct looking *in, const char *host,
	unsigned port)
{
	struct at_seatbelt_question q = { .op = "network-outbound", .host = host, .port = port,
		.params = in->params };

	return at_seatbelt_ask(in->profile, &q);
}

static void fail(struct looking *in, const char *id, const char *text)
{
	in->holds = false;
	at_wiring_add(in->report, id, AT_FAIL, AT_GOOSE_PROFILE, UPDATE, "WARNING: %s", text);
}

/* "a, b and 12 more": what is wrong with many paths is one finding. */
static void fail_paths(struct looking *in, const char *id, const char *text,
	const struct at_text_list *paths)
{
	const size_t most = 4;
	struct at_buf all = { 0 };

	if (paths->count == 0)
		return;
	at_buf_printf(&all, "%s: ", text);
	for (size_t i = 0; i < paths->count && i < most; i++)
		at_buf_printf(&all, "%s%s", i ? ", " : "", paths->items[i]);
	if (paths->count > most)
		at_buf_printf(&all, " and %zu more", paths->count - most);
	at_buf_puts(&all, ".");
	fail(in, id, at_buf_text(&all));
	at_buf_free(&all);
}

/* One list for each of the two bad answers. */
struct bad {
	struct at_text_list wrong, untold;
};

static void note(struct bad *bad, enum at_seatbelt_answer got, enum at_seatbelt_answer want,
	const char *path)
{
	if (got == AT_SEATBELT_CANNOT_TELL)
		at_text_list_add(&bad->untold, path);
	else if (got != want)
		at_text_list_add(&bad->wrong, path);
}

static void tell(struct looking *in, struct bad *bad, const char *id, const char *text)
{
	fail_paths(in, id, text, &bad->wrong);
	fail_paths(in, "seatbelt-cannot-tell",
		"the profile holds rules that this program does not know, so it is not known what "
		"it does with", &bad->untold);
	at_text_list_free(&bad->wrong);
	at_text_list_free(&bad->untold);
	*bad = (struct bad){ { 0 }, { 0 } };
}

/* A path of the brief as the kernel will see it; what cannot be resolved is asked as it is. */
static const char *place(const struct looking *in, const char *path)
{
	char absolute[PATH_MAX];

	return at_path_absolute(absolute, path, in->project->path, in->project->host->home)
		? at_arena_strdup(in->arena, absolute) : path;
}

static void ask_outside(struct looking *in)
{
	enum at_seatbelt_answer got = ask(in, "file-write*", NOWHERE);

	if (got == AT_SEATBELT_ALLOWED)
		fail(in, "seatbelt-writes-open", "the profile lacks (deny file-write*): goose "
			"writes wherever its user may.");
	else if (got == AT_SEATBELT_CANNOT_TELL)
		fail(in, "seatbelt-cannot-tell", "the profile holds rules that this program does "
			"not know: whether it denies writing cannot be told.");
}

static void ask_roots(struct looking *in)
{
	struct bad bad = { { 0 }, { 0 } };

	for (size_t i = 0; i < in->manifest->root_count; i++) {
		const char *root = in->manifest->roots[i].path;
		const char *inside = at_arena_printf(in->arena, "%s/agentteams-probe",
			place(in, root));

		note(&bad, ask(in, "file-write-data", inside), AT_SEATBELT_ALLOWED, root);
	}
	tell(in, &bad, "seatbelt-root-missing", "the profile does not open the write roots");
}

static void ask_plane(struct looking *in)
{
	static const char *const moves[] = { "file-write-unlink", "file-write-create" };
	struct bad bad = { { 0 }, { 0 } };
	struct at_goose_plane plane;

	at_goose_plane(&plane, in->manifest, in->project, in->arena);
	for (size_t i = 0; i < plane.shut.count; i++)
		note(&bad, ask(in, "file-write*", place(in, plane.shut.items[i])),
			AT_SEATBELT_DENIED, plane.shut.items[i]);
	tell(in, &bad, "seatbelt-reopened",
		"the profile lets goose write what decides its own reach");
	for (size_t i = 0; i < plane.locked.count; i++)
		for (size_t k = 0; k < AT_LEN(moves); k++)
			if (ask(in, moves[k], place(in, plane.locked.items[i])) ==
				AT_SEATBELT_ALLOWED) {
				at_text_list_add(&bad.wrong, plane.locked.items[i]);
				break;
			}
	tell(in, &bad, "seatbelt-ancestor-open", "the profile lets goose move or make the "
		"directories above what it may not write");
	at_goose_plane_free(&plane);
}

static void ask_reads(struct looking *in)
{
	struct at_text_list paths = { 0 };
	struct bad bad = { { 0 }, { 0 } };

	at_reads_of_keys(&paths, in->project, in->arena);
	at_reads_exclusive(&paths, in->manifest);
	for (size_t i = 0; i < paths.count; i++)
		note(&bad, ask(in, "file-read*", place(in, paths.items[i])), AT_SEATBELT_DENIED,
			paths.items[i]);
	tell(in, &bad, "seatbelt-reads-open", "the profile lets goose read");
	at_text_list_free(&paths);
}

/* The one port that may be open; 0: none, or all of this machine's. */
static unsigned proxy_port(const char *proxy)
{
	const char *colon = strchr(proxy, ':');

	return colon ? (unsigned)atoi(colon + 1) : 0;
}

static void ask_net(struct looking *in)
{
	const char *proxy = in->manifest->request->goose_egress_proxy;
	unsigned port = proxy_port(proxy), other = port == 9 ? 10 : 9;

	if (ask_network(in, "elsewhere", 443) != AT_SEATBELT_DENIED)
		fail(in, "seatbelt-network-open", "the profile lacks (deny network*), or opens "
			"the network again: goose reaches any host.");
	else if ((!*proxy || port) && ask_network(in, "localhost", other) != AT_SEATBELT_DENIED)
		fail(in, "seatbelt-loopback-open", "the profile opens this machine's own services, "
			"which goose_egress_proxy does not name.");
	else if (*proxy && ask_network(in, "localhost", port ? port : 1) != AT_SEATBELT_ALLOWED)
		fail(in, "seatbelt-proxy-missing", "the profile does not open the proxy that "
			"goose_egress_proxy names: goose cannot reach its model.");
}

static void ask_all(struct looking *in)
{
	ask_outside(in);
	ask_roots(in);
	ask_plane(in);
	ask_net(in);
	ask_reads(in);
}

static void look_at_profile(struct looking *in, struct at_error *err)
{
	struct at_seatbelt profile;
	struct at_file file;

	if (!at_file_read(&file, in->project->fd, AT_GOOSE_PROFILE, AT_SEATBELT_SIZE_MAX,
		    AT_FILE_MAY_BE_ABSENT | AT_FILE_NO_DIGEST, err)) {
		fail(in, "seatbelt-unfit", "the profile is no regular file that can be read: it "
			"could be swapped.");
		return;
	}
	if (!file.exists)
		fail(in, "seatbelt-missing", "confinement was requested and the profile was not "
			"emitted: sandbox-exec has nothing to apply.");
	else if (!at_seatbelt_read(&profile, at_buf_bytes(&file.bytes), err))
		at_wiring_add(in->report, "seatbelt-unreadable", AT_FAIL, AT_GOOSE_PROFILE, UPDATE,
			"WARNING: line %u: %s.", err->line, err->message)->line = err->line;
	else {
		in->profile = &profile;
		in->holds = true;
		ask_all(in);
		in->profile = NULL;
		at_seatbelt_free(&profile);
	}
	at_file_free(&file);
}

/* --- goose's own switch --------------------------------------------------------------------- */

static bool is_on(const char *value, size_t len)
{
	static const char *const words[] = { "1", "true", "yes", "on" };

	if (len >= 2 && (value[0] == '"' || value[0] == '\'') && value[len - 1] == value[0]) {
		value++;
		len -= 2;
	}
	for (size_t i = 0; i < AT_LEN(words); i++)
		if (strlen(words[i]) == len && strncasecmp(words[i], value, len) == 0)
			return true;
	return false;
}

/* A line `GOOSE_SANDBOX: VALUE` that stands at its beginning; the last one says. */
static bool says_on(const char *text)
{
	static const char key[] = "GOOSE_SANDBOX:";
	bool on = false;

	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n"), from = sizeof(key) - 1, end;

		if (strncmp(line, key, from) == 0) {
			from += strspn(line + from, " \t");
			for (end = from; end < len && line[end] != '#'; end++)
				;
			while (end > from && strchr(" \t\r", line[end - 1]))
				end--;
			on = is_on(line + from, end - from);
		}
		line += len + (line[len] == '\n');
	}
	return on;
}

/* Through links too: people keep such files in another place. */
static bool config_says_on(const struct at_project *project)
{
	char path[2 * PATH_MAX], physical[PATH_MAX];
	struct at_file file;
	bool on = false;
	int root;

	snprintf(path, sizeof(path), "%s/" AT_GOOSE_CONFIG, project->host->home);
	if (!realpath(path, physical))
		return false;
	root = at_file_open_dir(-1, "/", NULL);
	if (root >= 0 && at_file_read(&file, root, physical + 1, AT_FILE_CAP, AT_FILE_NO_DIGEST,
				 NULL)) {
		on = says_on(at_buf_text(&file.bytes));
		at_file_free(&file);
	}
	if (root >= 0)
		close(root);
	return on;
}

static void look_at_switch(struct looking *in)
{
	if (!config_says_on(in->project)) {
		in->holds = false;
		at_wiring_add(in->report, "goose-sandbox-off", AT_FAIL, "~/" AT_GOOSE_CONFIG,
			"Start goose with the line at the head of " AT_GOOSE_PROFILE ", and put "
			"what " AT_GOOSE_EXAMPLE " shows into goose's own settings.",
			"WARNING: GOOSE_SANDBOX is not on: goose does not confine itself. Whether "
			"you start it by sandbox-exec cannot be seen from here.");
		return;
	}
	at_wiring_add(in->report, "goose-sandbox-build", AT_WARN, "~/" AT_GOOSE_CONFIG,
		"Start goose with the line at the head of " AT_GOOSE_PROFILE ".",
		"GOOSE_SANDBOX is on, and whether your build heeds it cannot be seen from here: "
		"those that dropped it run unconfined and say nothing.");
}

static void look_on_macos(struct at_wiring *report, const struct at_manifest *manifest,
	const struct at_project *project, struct at_error *err)
{
	struct looking in = { .report = report, .manifest = manifest, .project = project,
		.params = { { "WORKSPACE_ROOT", project->path },
			{ "HOME_DIR", project->host->home }, { NULL, NULL } },
		.arena = at_arena_new() };

	look_at_profile(&in, err);
	if (in.holds)
		at_wiring_add(report, "seatbelt-denies", AT_OKAY, AT_GOOSE_PROFILE, "",
			"OK: the profile is present, and denies what it should as far as this "
			"program reads it.");
	look_at_switch(&in);
	report->is_configured = in.holds;
	at_wiring_add(report, "seatbelt-unverified", AT_NOTE, AT_GOOSE_PROFILE, "",
		AT_GOOSE_UNVERIFIED ".");
	if (!*manifest->request->goose_egress_proxy)
		at_wiring_add(report, "goose-no-egress", AT_NOTE, AT_GOOSE_PROFILE,
			"Name a filtering proxy on this machine, localhost:PORT, if it shall.",
			"The profile denies all network: " AT_GOOSE_NO_MODEL ".");
	at_arena_free(in.arena);
}

/* --- what may run of the project itself ------------------------------------------------------ */

static bool is_in_project(const struct at_project *project, const char *path)
{
	char physical[PATH_MAX];

	return at_path_is_inside(path, project->path)
		|| (at_path_physical(physical, path) && at_path_is_inside(physical, project->path));
}

/* The directory above `bin/python3`, of a virtual environment; NULL where it is none. */
static const char *environment_of(const char *python, struct at_arena *arena)
{
	const char *bin = strrchr(python, '/'), *top;
	char *dir;

	dir = at_arena_strndup(arena, python, (size_t)(bin - python));
	top = strrchr(dir, '/');
	if (!top || top == dir)
		return NULL;
	dir[top - dir] = '\0';
	return access(at_arena_printf(arena, "%s/pyvenv.cfg", dir), F_OK) == 0 ? dir : NULL;
}

static const char *find_python(const struct at_project *project, struct at_arena *arena)
{
	const char *at = project->host->search_path;

	while (at && *at) {
		size_t len = strcspn(at, ":");
		char place[PATH_MAX];
		const char *path = at_arena_printf(arena, "%.*s/python3", (int)len, len ? at : ".");

		if (at_path_absolute(place, path, project->path, project->host->home) &&
			access(place, X_OK) == 0)
			return at_arena_strdup(arena, place);
		at += len + (at[len] == ':');
	}
	return NULL;
}

static void look_at_python(struct at_wiring *report, const struct at_manifest *manifest,
	const struct at_project *project, struct at_arena *arena)
{
	const char *python = find_python(project, arena), *top;
	bool policy = manifest->write_policy >= AT_POLICY_ON;

	if (!python)
		return;
	top = environment_of(python, arena);
	if (!is_in_project(project, python) && !(top && is_in_project(project, top)))
		return;
	at_wiring_add(report, "python-in-project", policy ? AT_FAIL : AT_WARN, python,
		"Leave the environment, or take its directory out of PATH, before goose or "
		"anything of this program is started.",
		"The first python3 of PATH is inside the project: a session can write what runs "
		"outside of every boundary.");
}

/* Where a session can write: the one that counts is in .agentteams/bin. */
static void look_at_leftovers(struct at_wiring *report, const struct at_project *project,
	struct at_arena *arena)
{
	static const char *const dirs[] = { ".goose", ".goose/bin", ".goose/mcp", ".goose/recipes",
		".goose/recipes/bin" };
	static const char *const names[] = { "goose-readfs-mcp.py", "agentteams-readfs-mcp" };

	for (size_t d = 0; d < AT_LEN(dirs); d++)
		for (size_t n = 0; n < AT_LEN(names); n++) {
			const char *path = at_arena_printf(arena, "%s/%s", dirs[d], names[n]);

			if (at_file_type(project->fd, path) == AT_FILE_ABSENT)
				continue;
			at_wiring_add(report, "read-server-leftover", AT_WARN, path,
				"Delete it, and look at what ~/" AT_GOOSE_CONFIG " starts.",
				"A copy of the read-only file server stands where a session can "
				"write it: whoever still starts it runs what a session wrote.");
		}
}

bool at_goose_check_wiring(struct at_wiring *report, const struct at_manifest *manifest,
	const struct at_project *project, const struct at_plan *plan, struct at_error *err)
{
	struct at_arena *arena;
	struct at_error why;

	if (!at_launcher_team_check(report, manifest, project, plan, err))
		return false;
	if (at_goose_has_profile(manifest))
		look_on_macos(report, manifest, project, &why);
	if (!manifest->boundary_is_emitted)
		return true;
	arena = at_arena_new();
	look_at_python(report, manifest, project, arena);
	look_at_leftovers(report, project, arena);
	at_arena_free(arena);
	return true;
}
