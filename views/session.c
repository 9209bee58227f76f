#include "views/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/apply.h"
#include "core/control_plane.h"
#include "core/mem.h"
#include "core/path.h"
#include "views/out.h"

static void accept_root(struct at_session *s, const char *path)
{
	struct at_option_list *list = &s->accepted;

	list->items = at_resize(list->items, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = at_arena_strdup(s->arena, path);
	s->project.accepted_roots = list->items;
	s->project.accepted_root_count = list->count;
}

/* The hook names it by an absolute path, from wherever it is started. (GATE-5) */
static bool pick_gate(struct at_session *s, struct at_error *err)
{
	const char *given = s->options->gate_program;
	char here[PATH_MAX], path[PATH_MAX];

	if (!given)
		return true;
	if (*given != '/' && !getcwd(here, sizeof(here)))
		return at_fail_sys(err, errno, "cannot tell the current directory");
	if (!*given || !at_path_absolute(path, given, here, s->host.home))
		return at_fail(err, AT_EUSAGE, "--gate-program '%s' is no path", given);
	s->gate_places[0] = at_arena_strdup(s->arena, path);
	s->project.gate_places = s->gate_places;
	return true;
}

static bool open_project(struct at_session *s, struct at_error *err)
{
	const char *given = s->options->project ? s->options->project : ".";

	if (!realpath(given, s->path)) {
		at_fail_sys(err, errno, "cannot open the project %s", given);
		at_error_path(err, given);
		return false;
	}
	s->project.fd = at_file_open_dir(-1, s->path, err);
	s->project.path = s->path;
	s->project.host = &s->host;
	s->project.hooks = &s->hooks;
	s->project.sight = &s->sight;
	for (size_t i = 0; i < s->options->accept_write_roots.count; i++)
		accept_root(s, s->options->accept_write_roots.items[i]);
	return s->project.fd >= 0 && pick_gate(s, err);
}

static bool pick_framework(struct at_session *s, enum at_framework_id *out, struct at_error *err)
{
	size_t found = 0;
	bool claude = false;

	if (s->options->framework) {
		if (at_framework_parse(out, s->options->framework))
			return true;
		at_fail(err, AT_EUSAGE, "--framework %s is none of the six", s->options->framework);
		at_error_hint(err, "claude goose codex copilot-vscode copilot-cli agents-md");
		return false;
	}
	*out = AT_CLAUDE;
	for (int id = 0; id < AT_FRAMEWORK_COUNT; id++) {
		if (!at_team_is_present(&s->project, (enum at_framework_id)id))
			continue;
		claude |= id == AT_CLAUDE;
		/* Both copilots share a directory: the first speaks for it. */
		if (id == AT_COPILOT_CLI && *out == AT_COPILOT_VSCODE)
			continue;
		if (!claude || id == AT_CLAUDE)
			*out = (enum at_framework_id)id;
		found++;
	}
	if (found <= 1 || claude)
		return true;
	at_fail(err, AT_EUSAGE, "several teams live here and none is claude's: say which");
	at_error_hint(err, "Add --framework ID.");
	return false;
}

/* The team dir of --output, as a path below the project. */
static bool pick_team_dir(
	struct at_session *s, enum at_framework_id framework, struct at_error *err)
{
	char out[PATH_MAX], absolute[PATH_MAX];

	s->project.team_dir = at_team_dir(framework);
	if (!s->options->output)
		return true;
	if (!at_path_absolute(absolute, s->options->output, s->path, s->host.home)
		|| !at_path_normalise(out, absolute) || !at_path_is_inside(out, s->path)
		|| strcmp(out, s->path) == 0)
		return at_fail(
			err, AT_EUSAGE, "--output %s is not below the project", s->options->output);
	s->project.team_dir = at_arena_strdup(s->arena, out + strlen(s->path) + 1);
	if (!at_path_is_inside(s->project.team_dir, ".git"))
		return true;
	at_fail(err, AT_EUSAGE, "--output %s lies in .git, where nothing is emitted",
		s->options->output);
	at_error_hint(err, "Name a directory of the project's own.");
	return false;
}

/* Where a save would put it. `directory`: physical, the project or below it. */
static void place_brief(struct at_session *s, const char *directory, const char *name)
{
	const char *below = directory + strlen(s->path);
	int len;

	below += *below == '/';
	len = snprintf(
		s->brief_place, sizeof(s->brief_place), "%s%s%s", below, *below ? "/" : "", name);
	if (len < 0 || (size_t)len >= sizeof(s->brief_place))
		*s->brief_place = '\0';
}

/* A path of the operator's own: its directory may be anywhere, the file is still read
 * with every care. */
static bool read_brief_at(struct at_session *s, const char *path, struct at_error *err)
{
	char copy[PATH_MAX], directory[PATH_MAX];
	const char *name = path;
	char *slash;
	int dir;
	bool ok;

	snprintf(copy, sizeof(copy), "%s", path);
	slash = strrchr(copy, '/');
	if (slash) {
		*slash = '\0';
		name = slash + 1;
	}
	if (!realpath(!slash ? "." : *copy ? copy : "/", directory)) {
		at_fail_sys(err, errno, "cannot read the brief %s", path);
		at_error_path(err, path);
		return false;
	}
	if (at_path_is_inside(directory, s->path))
		place_brief(s, directory, name);
	dir = at_file_open_dir(-1, directory, err);
	if (dir < 0)
		return false;
	ok = at_file_read(&s->brief, dir, name, at_json_brief_limits.bytes, 0, err);
	close(dir);
	return ok;
}

static bool read_brief(struct at_session *s, struct at_error *err)
{
	static const char *const defaults[] = { "brief.json", ".agentteams/brief.json" };

	*s->brief_place = '\0';
	if (s->options->description) {
		snprintf(s->brief_path, sizeof(s->brief_path), "%s", s->options->description);
		return read_brief_at(s, s->brief_path, err);
	}
	for (size_t i = 0; i < AT_LEN(defaults); i++) {
		snprintf(s->brief_path, sizeof(s->brief_path), "%s", defaults[i]);
		place_brief(s, s->path, defaults[i]);
		if (!at_file_read(&s->brief, s->project.fd, defaults[i], at_json_brief_limits.bytes,
			    AT_FILE_MAY_BE_ABSENT, err))
			return false;
		if (s->brief.exists)
			return true;
	}
	snprintf(s->brief_path, sizeof(s->brief_path), "%s", defaults[0]);
	place_brief(s, s->path, defaults[0]);
	at_fail(err, AT_ENOENT, "there is no brief: neither brief.json nor .agentteams/brief.json");
	at_error_hint(err,
		"Write {\"privilege_profile\": \"confined\"} to brief.json, or name one with "
		"--description.");
	return false;
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : "project";
}

const char *at_session_name(const struct at_session *session)
{
	return last_component(session->path);
}

struct at_decide_options at_session_decide_options(const struct at_session *session,
	enum at_framework_id framework)
{
	const struct at_options *given = session->options;

	return (struct at_decide_options){
		.framework = framework,
		.platform = session->manifest.platform,
		.target_host_features = given->features,
		/* DEC-7: these warn and go on; the advisory stays in the record. */
		.allow_unenforced_confinement = given->allow_unenforced || given->convert_from
			|| given->interop_from || given->fleet,
		.allow_fallback_fail_open = given->allow_fail_open,
	};
}

static bool decide(struct at_session *s, enum at_framework_id framework, enum at_platform platform,
	struct at_error *err)
{
	struct at_decide_options options = at_session_decide_options(s, framework);

	options.platform = platform;
	if (read_brief(s, &s->request_error)) {
		s->request_ok = at_request_read(&s->request, at_buf_bytes(&s->brief.bytes),
			at_session_name(s), s->arena, &s->request_error);
		if (!s->request_ok)
			at_error_path(&s->request_error, s->brief_path);
	}
	if (!s->request_ok)
		at_request_default(&s->request, at_session_name(s), s->arena);
	return at_decide(&s->manifest, &s->request, &options, s->arena, err);
}

static bool pick_platform(const struct at_session *s, enum at_platform *out, struct at_error *err)
{
	const struct at_options *o = s->options;

	*out = s->host.platform;
	if (!o->platform)
		return true;
	if (!at_platform_parse(out, o->platform))
		return at_fail(err, AT_EUSAGE,
			"--platform %s is none of linux, darwin, windows, other", o->platform);
	/* DEC-8: a preview only. */
	if (o->check || o->manifest || o->dry_run)
		return true;
	at_fail(err, AT_EUSAGE,
		"--platform previews another host and needs a mode that writes nothing");
	at_error_hint(err, "Add --dry-run, or use --check or --manifest.");
	return false;
}

bool at_session_open(struct at_session *out, const struct at_options *options, struct at_error *err)
{
	enum at_framework_id framework;
	enum at_platform platform;

	memset(out, 0, sizeof(*out));
	out->arena = at_arena_new();
	out->options = options;
	out->settings = &at_settings_default;
	out->project.fd = -1;
	out->state.fd = -1;
	if (!at_host_read(&out->host, err) || !pick_platform(out, &platform, err)
		|| !open_project(out, err) || !pick_framework(out, &framework, err)
		|| !pick_team_dir(out, framework, err))
		return false;
	if (!at_state_find(&out->state, out->path, out->host.home,
		    *out->host.xdg_state_home ? out->host.xdg_state_home : NULL, err))
		return false;
	return decide(out, framework, platform, err);
}

bool at_session_reread(struct at_session *session, struct at_error *err)
{
	enum at_framework_id framework = session->manifest.framework;
	enum at_platform platform = session->manifest.platform;

	at_file_free(&session->brief);
	session->brief = (struct at_file){ 0 };
	session->request_ok = false;
	session->request_error = (struct at_error){ 0 };
	return decide(session, framework, platform, err);
}

bool at_session_choose_framework(struct at_session *session, enum at_framework_id framework,
	struct at_error *err)
{
	struct at_decide_options options = at_session_decide_options(session, framework);

	if (!at_decide(&session->manifest, &session->request, &options, session->arena, err))
		return false;
	if (!session->options->output)
		session->project.team_dir = at_team_dir(framework);
	return true;
}

bool at_session_accept_root(struct at_session *session, const char *path, struct at_error *err)
{
	if (session->host.agent_marker) {
		at_fail(err, AT_EDENIED,
			"%s is set: this is an agent session, and a write root is the operator's to accept",
			session->host.agent_marker);
		at_error_hint(err, "Run it in a terminal of your own.");
		return false;
	}
	accept_root(session, path);
	return true;
}

void at_session_close(struct at_session *session)
{
	at_file_free(&session->brief);
	at_hook_book_free(&session->hooks);
	at_sight_free(&session->sight);
	free(session->accepted.items);
	if (session->project.fd >= 0)
		close(session->project.fd);
	at_state_close(&session->state);
	at_arena_free(session->arena);
}

bool at_session_need_request(const struct at_session *session, struct at_error *err)
{
	if (!session->request_ok && err)
		*err = session->request_error;
	return session->request_ok;
}

bool at_session_is_off(const struct at_session *session, char *why, size_t size)
{
	if (session->options->readonly)
		snprintf(why, size, "--readonly: nothing is written");
	else if (session->host.agent_marker)
		snprintf(why, size, "%s is set: an agent session writes no live settings",
			session->host.agent_marker);
	else
		return false;
	return true;
}

static bool may(const struct at_session *session, const char *what, struct at_error *err)
{
	if (session->options->readonly)
		return at_fail(err, AT_EDENIED, "--readonly was given: nothing is written");
	if (session->host.agent_marker) {
		at_fail(err, AT_EDENIED, "%s is set: this is an agent session, and %s",
			session->host.agent_marker, what);
		at_error_hint(err, "Run it in a terminal of your own.");
		return false;
	}
	return at_emit_probe(&session->project, err);
}

bool at_session_may_write_live(const struct at_session *session, struct at_error *err)
{
	return may(session, "live settings are the operator's to write", err);
}

bool at_session_may_use_keys(const struct at_session *session, struct at_error *err)
{
	return may(session, "keys are the operator's to make, install and sign with", err);
}

bool at_session_may_convert(const struct at_session *session, struct at_error *err)
{
	return may(session, "teams are the operator's to convert", err);
}

bool at_session_recover(struct at_session *session, bool live, struct at_error *err)
{
	struct at_journal_state was;

	if (!at_journal_look(&session->state, &was, err))
		return false;
	if (!was.half_done)
		return true;
	if (!(live ? at_session_may_write_live(session, err)
		   : at_emit_probe(&session->project, err))
		|| !at_journal_recover(session->project.fd, &session->state, &was, err))
		return false;
	if (*was.what)
		at_out_note("an earlier %s was cut short; what it left half done was ended first",
			was.what);
	return true;
}
