#include "views/gatelog_find.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "emit/scopes.h"
#include "runner/gate/log_place.h"

#define VARIABLE "AGENTTEAMS_GATE_LOG"

const char at_gatelog_unset[] = "No log is set: calls leave no record.";
const char at_gatelog_advice[] =
	"To keep one, set " VARIABLE " in `env` of a settings file to an absolute path outside the "
	"project and every git work tree, in a directory that exists. Put the path into denyWrite "
	"and under an Edit deny, so that no agent rewrites it.";
const char at_gatelog_ceiling[] = "A call that was not put to the gate leaves no line.";
const char at_gatelog_format[] = "A line holds no time and no session.";

static bool take(struct at_gatelog_place *out, struct at_bytes path)
{
	if (path.len >= sizeof(out->path) || memchr(path.data, '\0', path.len))
		return false;
	memcpy(out->path, path.data, path.len);
	out->path[path.len] = '\0';
	return true;
}

/* True when a file of the settings says what the variable is. */
static bool find_in_settings(struct at_gatelog_place *out, const struct at_session *session)
{
	struct at_scopes own = { 0 };
	const struct at_scopes *scopes = at_scopes_of(&own, &session->project, false);
	struct at_arena *arena = at_arena_new();
	bool found = false;

	for (size_t i = 0; i < scopes->count && !found; i++) {
		const struct at_scope_file *file = &scopes->files[i];
		const struct at_json *doc = &file->live.doc;
		uint32_t node;

		if (!file->loads)
			continue;
		node = at_json_member(doc, at_json_member(doc, AT_JSON_ROOT, "env"), VARIABLE);
		found = at_json_is(doc, node, AT_JSON_STRING);
		if (!found)
			continue;
		snprintf(out->origin, sizeof(out->origin), "`env` of %s (%s)", file->name,
			at_scope_name(file->scope));
		if (!take(out, at_json_string(doc, node, arena)))
			out->fault = "it is no plain absolute path";
	}
	at_arena_free(arena);
	at_scopes_free(&own);
	return found;
}

static bool find_in_environment(struct at_gatelog_place *out, const struct at_session *session)
{
	static const char name[] = VARIABLE "=";

	for (char *const *v = session->host.environment; v && *v; v++) {
		if (strncmp(*v, name, sizeof(name) - 1) != 0)
			continue;
		snprintf(out->origin, sizeof(out->origin), "the environment of this console");
		if (!take(out, at_bytes_of(*v + sizeof(name) - 1)))
			out->fault = "it is no plain absolute path";
		return true;
	}
	return false;
}

void at_gatelog_find(struct at_gatelog_place *out, const struct at_session *session)
{
	memset(out, 0, sizeof(*out));
	if ((session->manifest.framework != AT_CLAUDE || !find_in_settings(out, session))
		&& !find_in_environment(out, session))
		return;
	out->is_set = *out->path || out->fault; /* empty turns it off */
	if (out->is_set && !out->fault)
		out->fault = gate_log_place_fault(out->path, session->path);
}
