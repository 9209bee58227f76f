/* mode_fleet.c - --fleet: the update of many projects, each by itself. (IOP-3) */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/apply.h"
#include "core/mem.h"
#include "core/path.h"
#include "views/collect.h"
#include "views/modes.h"
#include "views/out.h"

#define LIST_CAP ((size_t)4 << 20)

struct fleet {
	const struct at_options *options;
	struct at_json_value *json; /* the array of results, or NULL */
	char directory[PATH_MAX];   /* of the list: what its lines are relative to */
	struct at_file list;
	size_t projects, failed;
};

static bool read_list(struct fleet *in, struct at_error *err)
{
	const char *path = in->options->fleet, *slash = strrchr(path, '/');
	char *parent = slash ? at_strdup(path) : at_strdup(".");
	bool found;
	int dir;

	if (slash)
		parent[slash - path + (slash == path)] = '\0';
	found = realpath(parent, in->directory) != NULL;
	free(parent);
	if (!found) {
		at_fail_sys(err, errno, "cannot read the list %s", path);
		at_error_path(err, path);
		return false;
	}
	dir = at_file_open_dir(-1, in->directory, err);
	if (dir < 0)
		return false;
	found = at_file_read(&in->list, dir, slash ? slash + 1 : path, LIST_CAP, 0, err);
	close(dir);
	return found;
}

/* What one update came to. */
struct result {
	size_t pending, written;
	struct at_session *session;
};

static bool update(struct result *out, struct at_error *err)
{
	struct at_session *session = out->session;
	bool dry = session->options->dry_run, done;
	struct at_applied applied = { 0 };
	struct at_collected c;

	if (!dry && (!at_session_may_convert(session, err) ||
			    !at_session_recover(session, false, err)))
		return false;
	at_collect_plan(&c, session);
	done = c.is_planned;
	if (!done)
		*err = c.plan_error;
	out->pending = at_plan_pending(&c.plan);
	if (done && !dry)
		done = at_plan_apply(&c.plan, session->project.fd, &session->state, "update",
			&applied, err);
	out->written = applied.written;
	if (done)
		at_out_notices(&c.notices);
	at_collected_free(&c);
	return done;
}

static void report_json(const struct fleet *in, const char *project, const struct result *result,
	const struct at_error *fault)
{
	struct at_json_value *one = at_json_add_object(in->json, NULL), *list;

	at_json_add_text(one, "project", project);
	at_json_add_bool(one, "ok", !fault);
	at_json_add_number(one, "pending", (long long)result->pending);
	at_json_add_number(one, "written", (long long)result->written);
	if (fault) {
		at_json_add_text(one, "error", fault->message);
		return;
	}
	list = at_json_add_array(one, "advisories");
	for (size_t i = 0; i < result->session->manifest.advisory_count; i++)
		at_json_add_text(list, NULL, result->session->manifest.advisories[i].code);
}

static void report(const struct fleet *in, const char *project, const struct result *result,
	const struct at_error *fault)
{
	struct at_buf text = { 0 };

	if (in->json) {
		report_json(in, project, result, fault);
		return;
	}
	if (fault)
		at_buf_printf(&text, "FAILED  %s: %s\n", project, fault->message);
	else if (in->options->dry_run)
		at_buf_printf(&text, "ok      %s: %zu to write; nothing was written\n", project,
			result->pending);
	else
		at_buf_printf(&text, "ok      %s: %zu written\n", project, result->written);
	at_out_text(&text);
	at_buf_free(&text);
	if (!fault)
		at_out_advisories(&result->session->manifest);
}

static void update_one(struct fleet *in, const char *project)
{
	struct at_options options = *in->options;
	struct at_session session;
	struct result result = { .session = &session };
	struct at_error err;
	bool done;

	options.project = project;
	done = at_session_open(&session, &options, &err) && update(&result, &err);
	report(in, project, &result, done ? NULL : &err);
	at_session_close(&session);
	in->projects++;
	in->failed += !done;
}

static void fail_line(struct fleet *in, const char *line, const char *why)
{
	const struct result nothing = { 0 };
	struct at_error err;

	at_fail(&err, AT_EINVALID, "%s", why);
	report(in, line, &nothing, &err);
	in->projects++;
	in->failed++;
}

static void take_line(struct fleet *in, const char *from, size_t len)
{
	char line[PATH_MAX], path[PATH_MAX];

	snprintf(line, sizeof(line), "%.*s", (int)(len < PATH_MAX ? len : PATH_MAX), from);
	if (len >= sizeof(line))
		fail_line(in, line, "the line is too long for a path");
	else if (!at_path_absolute(path, line, in->directory, getenv("HOME")))
		fail_line(in, line, "the line is no path");
	else
		update_one(in, path);
}

static bool update_all(struct fleet *in, struct at_error *err)
{
	struct at_bytes text = at_buf_bytes(&in->list.bytes);

	if (text.len && memchr(text.data, '\0', text.len))
		return at_fail(err, AT_EINVALID, "the list %s holds a NUL", in->options->fleet);
	for (size_t at = 0; at < text.len;) {
		const char *from = text.data + at, *end = memchr(from, '\n', text.len - at);
		size_t len = end ? (size_t)(end - from) : text.len - at;

		at += len + 1;
		len -= len && from[len - 1] == '\r';
		if (len > 0 && *from != '#')
			take_line(in, from, len);
	}
	return in->projects > 0 || at_fail(err, AT_EINVALID, "the list %s names no project",
		in->options->fleet);
}

/* WIRE-17, before the first project: an agent's session writes to none. */
static bool may_start(const struct at_options *options, struct at_error *err)
{
	struct at_host host;

	if (options->dry_run)
		return true;
	if (!at_host_read(&host, err))
		return false;
	if (!host.agent_marker)
		return true;
	at_fail(err, AT_EDENIED,
		"%s is set: this is an agent session, and a fleet is the operator's to update",
		host.agent_marker);
	at_error_hint(err, "Run it in a terminal of your own.");
	return false;
}

int at_mode_fleet(const struct at_options *options)
{
	struct fleet in = { .options = options };
	struct at_json_value *root = options->json ? at_json_object() : NULL;
	struct at_error err;
	bool done;

	if (root)
		in.json = at_json_add_array(root, "projects");
	done = may_start(options, &err) && read_list(&in, &err) && update_all(&in, &err);
	if (root) {
		at_json_add_number(root, "failed", (long long)in.failed);
		if (done)
			at_out_json(root);
		else
			at_json_value_free(root);
	} else if (done) {
		printf("%zu projects, %zu failed\n", in.projects, in.failed);
	}
	at_file_free(&in.list);
	return !done ? at_out_error(&err) : in.failed ? 1 : 0;
}
