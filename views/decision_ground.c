#include "views/decision_ground.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/key_names.h"
#include "core/mem.h"
#include "keys/verify_store.h"
#include "views/out.h"

static bool find_team_key(
	void *context, struct at_public_key *out, const char *key_id, struct at_error *err)
{
	const struct at_session *session = context;

	return at_verify_key_load(out, session->project.fd, session->project.team_dir,
		at_bytes_of(key_id), err);
}

static struct at_bytes value_of(const char *name)
{
	const char *value = getenv(name);

	return at_bytes_of(value ? value : "");
}

bool at_decision_ground_open(
	struct at_clearance_ground *out, struct at_session *session, struct at_error *err)
{
	const struct at_project *project = &session->project;
	enum at_file_type type = at_file_type(project->fd, project->team_dir);

	*out = (struct at_clearance_ground){
		.team = -1,
		.team_path = project->team_dir,
		.keys = { value_of("AGENTTEAMS_DECISION_SIGNING_KEY"), { find_team_key, session } },
		.waiver_key = value_of("AGENTTEAMS_WAIVER_SIGNING_KEY"),
		.now = (int64_t)time(NULL),
	};
	if (type == AT_FILE_ABSENT)
		return true;
	out->team = at_file_open_dir(project->fd, project->team_dir, err);
	return out->team >= 0;
}

void at_decision_ground_close(struct at_clearance_ground *ground)
{
	if (ground->team >= 0)
		close(ground->team);
}

bool at_session_is_cleared(struct at_session *session, const char *action, bool relaxes, bool acts,
	struct at_error *err)
{
	const struct at_clearance_ask ask = { action, relaxes, acts };
	struct at_arena *arena = at_arena_new();
	struct at_clearance_ground ground;
	struct at_clearance said = { .note = "" };
	bool clear = at_decision_ground_open(&ground, session, err)
		&& at_clearance_ask(&said, arena, &ground, &ask, err);

	if (*said.note) {
		struct at_buf text = { 0 };

		at_buf_printf(&text, "%s\n", said.note);
		at_out_notes(&text);
		at_buf_free(&text);
	}
	at_decision_ground_close(&ground);
	at_arena_free(arena);
	return clear;
}

static bool ends_with(struct at_bytes name, const char *end)
{
	size_t len = strlen(end);

	return name.len >= len && memcmp(name.data + name.len - len, end, len) == 0;
}

bool at_environment_has_no_key(const struct at_session *session, struct at_error *err)
{
	for (char *const *at = session->host.environment; at && *at; at++) {
		const char *equals = strchr(*at, '=');
		struct at_bytes name = { *at, equals ? (size_t)(equals - *at) : 0 };

		if (!name.len || !equals[1] || !at_name_is_signing_key(name)
			|| ends_with(name, "KEYFILE") || ends_with(name, "KEY_FILE"))
			continue;
		at_fail(err, AT_EDENIED,
			"%.*s is set: the value of a key stands in the environment, "
			"where every program started from here reads it",
			(int)name.len, name.data);
		at_error_hint(err, "Unset it, and start again.");
		return false;
	}
	return true;
}
