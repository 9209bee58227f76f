#include "views/key_place.h"

#include <string.h>

#include "core/json_write.h"
#include "core/key_names.h"
#include "core/mem.h"
#include "core/path.h"
#include "core/safetext.h"

static bool is_project(const struct at_session *session)
{
	if (session->options->project || session->options->description || session->brief.exists)
		return true;
	for (int id = 0; id < AT_FRAMEWORK_COUNT; id++) {
		if (at_team_is_present(&session->project, (enum at_framework_id)id))
			return true;
	}
	return false;
}

struct at_custody_place at_key_place(struct at_session *session)
{
	const struct at_manifest *manifest = &session->manifest;
	struct at_custody_place place = { 0 };
	const char **agents;

	if (!is_project(session))
		return place;
	agents = at_arena_alloc(session->arena, (manifest->root_count + 1) * sizeof(*agents));
	agents[place.agent_count++] = session->path;
	for (size_t i = 0; i < manifest->root_count; i++) {
		char whole[PATH_MAX], real[PATH_MAX];

		if (at_path_absolute(
			    whole, manifest->roots[i].path, session->path, session->host.home)
			&& at_path_physical(real, whole))
			agents[place.agent_count++] = at_arena_strdup(session->arena, real);
	}
	place.agents = agents;
	return place;
}

/* The next variable that is one, from *i on; false at the end. */
static bool next_variable(
	const struct at_session *session, size_t *i, struct at_bytes *name, bool *signs)
{
	char *const *environment = session->host.environment;

	while (environment && environment[*i]) {
		const char *variable = environment[(*i)++];

		*name = (struct at_bytes){ variable, strcspn(variable, "=") };
		*signs = at_name_is_signing_key(*name);
		if (*signs || at_name_is_key_like(*name))
			return true;
	}
	return false;
}

void at_key_variables_print(const struct at_session *session, struct at_buf *out)
{
	struct at_bytes name;
	bool signs;

	for (size_t i = 0; next_variable(session, &i, &name, &signs);) {
		at_safe_text(out, name, false);
		at_buf_printf(out,
			" is set where this program runs and %s: whatever is started from "
			"there inherits it. Unset it%s.\n",
			signs ? "names a signing key" : "looks like a key or a password",
			signs ? "; a key belongs in a file" : " where agents are started");
	}
}

void at_key_variables_to_json(const struct at_session *session, struct at_json_value *array)
{
	struct at_bytes name;
	bool signs;

	for (size_t i = 0; next_variable(session, &i, &name, &signs);) {
		struct at_json_value *one = at_json_add_object(array, NULL);

		at_json_add_bytes(one, "name", name);
		at_json_add_bool(one, "signs", signs);
	}
}
