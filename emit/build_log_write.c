#include "emit/build_log.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/json_edit.h"
#include "core/json_write.h"
#include "core/mem.h"
#include "core/write_policy.h"
#include "emit/texts.h"

/* Members of an older record that stay whatever they say. */
static const char *const kept_members[] = { "schema_version", "project_name", "framework" };

struct entry {
	const char *key; /* as seen from the team directory */
	const char *path;
	char hex[AT_BUILD_LOG_HEX];
	bool is_planned; /* else an agent file seen for the first time */
};

struct record {
	const struct at_build_log *log;
	const struct at_manifest *manifest;
	const char *directory; /* the project's, names it where the brief does not */
	struct entry *entries;
	size_t count, cap;
};

static void add_entry(struct record *in, const char *key, const char *path, struct at_bytes bytes)
{
	struct entry *entry;

	in->entries = at_grow(in->entries, &in->cap, in->count, sizeof(*in->entries));
	entry = &in->entries[in->count++];
	*entry = (struct entry){ .key = key, .path = path, .is_planned = path != NULL };
	at_build_log_digest(entry->hex, bytes);
}

static void add_planned(struct record *in, const struct at_plan *plan,
	const struct at_project *project)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct at_change *change = &plan->changes[i];

		if (change->place != AT_IN_PROJECT || change->kind == AT_KEPT ||
			change->kind == AT_REMOVE)
			continue;
		add_entry(in, at_build_log_key(project, change->path, plan->arena), change->path,
			change->bytes);
	}
}

static bool ends_in(const char *name, const char *ext)
{
	size_t len = strlen(name), tail = strlen(ext);

	return len > tail && name[0] != '.' && strcmp(name + len - tail, ext) == 0;
}

/* An agent file is hashed once, when it is first seen: what it is later compared with must
 * not follow it. */
static void add_new_agents(struct record *in, struct at_notices *notices, int team,
	const struct at_text_list *names)
{
	for (size_t i = 0; i < names->count; i++) {
		struct at_error why;
		struct at_file file;

		if (!at_file_read(&file, team, names->items[i], AT_FILE_CAP, 0, &why)) {
			at_notice(notices, "agent-not-recorded",
				"The agent file %s is not in the record: %s.", names->items[i],
				why.message);
			continue;
		}
		add_entry(in, names->items[i], NULL, at_buf_bytes(&file.bytes));
		at_file_free(&file);
	}
}

static bool add_agents(struct record *in, struct at_plan *plan, struct at_notices *notices,
	const struct at_project *project, const char *ext, struct at_error *err)
{
	struct at_text_list names = { 0 };
	struct dirent *entry;
	DIR *dir;
	int team;

	if (at_file_type(project->fd, project->team_dir) == AT_FILE_ABSENT)
		return true;
	team = at_file_open_dir(project->fd, project->team_dir, err);
	if (team < 0)
		return false;
	dir = fdopendir(team);
	while (dir && (entry = readdir(dir)))
		if (ends_in(entry->d_name, ext) &&
			at_build_log_find(in->log, entry->d_name) == AT_JSON_NONE)
			at_text_list_add(&names, at_arena_strdup(plan->arena, entry->d_name));
	at_text_list_sort(&names);
	add_new_agents(in, notices, team, &names);
	at_text_list_free(&names);
	if (dir)
		closedir(dir);
	else
		close(team);
	return true;
}

/* What this run says about itself. No times: a second run changes nothing. */
static struct at_json_value *own_members(const struct record *in)
{
	const struct at_manifest *manifest = in->manifest;
	const struct at_request *request = manifest->request;
	struct at_json_value *root = at_json_object(), *list, *tool;

	at_json_add_text(root, "schema_version", "1.2");
	at_json_add_text(root, "project_name",
		*request->project_name ? request->project_name : in->directory);
	at_json_add_text(root, "framework", at_framework_name(manifest->framework));
	at_json_add_text(root, "privilege_profile", at_profile_name(request->profile));
	at_json_add_bool(root, "privilege_profile_explicit", request->profile_is_explicit);
	if (manifest->write_policy >= AT_POLICY_ON)
		at_json_add_text(root, "write_policy", request->write_policy);
	list = at_json_add_array(root, "host_features");
	for (size_t i = 0; i < manifest->features.count; i++)
		at_json_add_text(list, NULL, manifest->features.items[i]);
	list = at_json_add_array(root, "advisories");
	for (size_t i = 0; i < manifest->advisory_count; i++)
		at_json_add_text(at_json_add_object(list, NULL), "code",
			manifest->advisories[i].code);
	tool = at_json_add_object(root, "tool");
	at_json_add_text(tool, "name", "atconsole");
	at_json_add_text(tool, "version", AT_VERSION);
	return root;
}

static struct at_json_value *put_hashes(struct at_json_value *root, const char *key,
	const struct record *in)
{
	struct at_json_value *hashes = at_json_add_object(root, key);

	for (size_t i = 0; i < in->count; i++)
		at_json_add_text(hashes, in->entries[i].key, in->entries[i].hex);
	return hashes;
}

static void put_written(struct at_json_value *root, const struct record *in)
{
	struct at_json_value *list = at_json_add_array(root, "files_written");

	for (size_t i = 0; i < in->count; i++)
		if (in->entries[i].is_planned)
			at_json_add_text(list, NULL, in->entries[i].path);
}

static void print_new(struct at_buf *out, const struct record *in)
{
	struct at_json_value *root = own_members(in);

	put_written(root, in);
	put_hashes(root, "file_hashes", in);
	at_json_print(out, root, AT_JSON_PRETTY);
	at_json_value_free(root);
}

static bool is_kept(struct at_bytes key)
{
	for (size_t i = 0; i < AT_LEN(kept_members); i++)
		if (at_bytes_equal_text(key, kept_members[i]))
			return true;
	return false;
}

static void edit_member(struct at_json_edit *edit, const struct at_json *log,
	const struct at_json *own, uint32_t member, struct at_arena *arena)
{
	struct at_bytes key = at_json_key(own, member, arena);
	uint32_t there = at_json_member(log, AT_JSON_ROOT, key.data);

	if (there == AT_JSON_NONE)
		at_json_edit_add_member(edit, AT_JSON_ROOT, key.data, at_json_raw(own, member));
	else if (!is_kept(key) && !at_json_equal(log, there, own, member))
		at_json_edit_replace(edit, there, at_json_raw(own, member));
}

static bool edit_members(struct at_json_edit *edit, const struct record *in, struct at_error *err)
{
	const struct at_json *log = &in->log->doc;
	struct at_json_value *value = own_members(in);
	uint32_t policy = at_json_member(log, AT_JSON_ROOT, "write_policy");
	struct at_buf text = { 0 };
	struct at_json own;
	bool done;

	at_json_print(&text, value, AT_JSON_COMPACT);
	at_json_value_free(value);
	done = at_json_read(&own, at_buf_bytes(&text), &at_json_settings_limits, 0, err);
	if (done) {
		at_json_each(&own, i, AT_JSON_ROOT)
			edit_member(edit, log, &own, i, in->log->arena);
		if (policy != AT_JSON_NONE && in->manifest->write_policy < AT_POLICY_ON)
			at_json_edit_remove(edit, policy);
		at_json_free(&own);
	}
	at_buf_free(&text);
	return done;
}

static void add_value(struct at_json_edit *edit, const char *key, struct at_json_value *root,
	struct at_json_value *value)
{
	struct at_buf text = { 0 };

	at_json_print(&text, value, AT_JSON_COMPACT);
	at_json_edit_add_member(edit, AT_JSON_ROOT, key, at_buf_bytes(&text));
	at_buf_free(&text);
	at_json_value_free(root);
}

static void edit_hashes(struct at_json_edit *edit, const struct record *in)
{
	const struct at_build_log *log = in->log;

	if (log->hashes == AT_JSON_NONE) {
		struct at_json_value *root = at_json_object();

		add_value(edit, "file_hashes", root, put_hashes(root, "file_hashes", in));
		return;
	}
	for (size_t i = 0; i < in->count; i++) {
		const struct entry *entry = &in->entries[i];
		uint32_t there = at_build_log_find(log, entry->key);
		char quoted[AT_BUILD_LOG_HEX + 2];

		quoted[0] = quoted[AT_BUILD_LOG_HEX] = '"';
		memcpy(quoted + 1, entry->hex, AT_BUILD_LOG_HEX - 1);
		quoted[AT_BUILD_LOG_HEX + 1] = '\0';
		if (there == AT_JSON_NONE)
			at_json_edit_add_member(edit, log->hashes, entry->key,
				at_bytes_of(quoted));
		else if (!at_bytes_equal_text(at_json_raw(&log->doc, there), quoted))
			at_json_edit_replace(edit, there, at_bytes_of(quoted));
	}
}

static void edit_written(struct at_json_edit *edit, const struct record *in)
{
	uint32_t array = at_json_member(&in->log->doc, AT_JSON_ROOT, "files_written");
	struct at_text_list list = { 0 };
	struct at_set there = { 0 };

	if (!at_json_is(&in->log->doc, array, AT_JSON_ARRAY))
		return;
	at_text_list_of_json(&list, &in->log->doc, "files_written", in->log->arena);
	for (size_t i = 0; i < list.count; i++)
		at_set_add(&there, list.items[i]);
	for (size_t i = 0; i < in->count; i++) {
		struct at_buf text = { 0 };

		if (!in->entries[i].is_planned || at_set_has(&there, in->entries[i].path))
			continue;
		at_json_quote(&text, at_bytes_of(in->entries[i].path));
		at_json_edit_append(edit, array, at_buf_bytes(&text));
		at_buf_free(&text);
	}
	at_text_list_free(&list);
	at_set_free(&there);
}

static bool edit_old(struct at_buf *out, const struct record *in, struct at_error *err)
{
	struct at_json_edit *edit = at_json_edit_new(&in->log->doc);
	bool done = edit_members(edit, in, err);

	if (done) {
		edit_hashes(edit, in);
		edit_written(edit, in);
		done = at_json_edit_apply(edit, out, err);
	}
	at_json_edit_free(edit);
	return done;
}

bool at_build_log_plan(struct at_plan *plan, struct at_notices *notices,
	const struct at_build_log *log, const struct at_manifest *manifest,
	const struct at_project *project, const char *agent_ext, struct at_error *err)
{
	struct record in = {
		.log = log,
		.manifest = manifest,
		.directory = strrchr(project->path, '/') + 1,
	};
	struct at_buf text = { 0 };
	bool done = true;

	add_planned(&in, plan, project);
	if (!add_agents(&in, plan, notices, project, agent_ext, err))
		done = false;
	else if (log->file.exists)
		done = edit_old(&text, &in, err);
	else
		print_new(&text, &in);
	done = done && at_plan_add(plan, project->fd, AT_IN_PROJECT, log->path,
		at_buf_bytes(&text), 0, AT_PLAN_WRITE, "marker of the team and record of this run",
		err);
	at_buf_free(&text);
	free(in.entries);
	return done;
}
