#include "emit/scopes.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "core/settings_check.h"
#include "emit/texts.h"

#define MANAGED_DIR "/etc/claude-code"
#define MANAGED_MAX 64 /* drop-in files that are looked at */

const char *at_scope_name(enum at_scope scope)
{
	static const char *const names[] = { "managed", "command line", "local", "project",
		"user" };

	return (size_t)scope < AT_LEN(names) ? names[scope] : "?";
}

static struct at_scope_file *add(struct at_scopes *scopes, enum at_scope scope, const char *name)
{
	struct at_scope_file *file;

	scopes->files =
		at_grow(scopes->files, &scopes->cap, scopes->count, sizeof(*scopes->files));
	file = &scopes->files[scopes->count++];
	*file = (struct at_scope_file){ .scope = scope, .name = name };
	at_wiring_init(&file->report);
	return file;
}

static void judge(const struct at_scopes *scopes, struct at_scope_file *file,
	const struct at_project *project)
{
	const struct at_settings_place place = {
		.name = file->name,
		.project = project->path,
		.project_fd = project->fd,
		.home = project->host->home,
		.load_only = scopes->load_only,
		.doc = file->live.doc.nodes ? &file->live.doc : NULL,
	};

	if (!file->live.is_read)
		return;
	at_settings_check(&file->report, at_buf_bytes(&file->live.file.bytes), &place);
	file->loads = file->report.file_is_loaded && file->live.is_object;
}

static void add_below(struct at_scopes *scopes, const struct at_project *project,
	enum at_scope scope, const char *path)
{
	struct at_scope_file *file = add(scopes, scope, path);

	at_live_read(&file->live, project, path);
	judge(scopes, file, project);
}

static void add_absolute(struct at_scopes *scopes, const struct at_project *project,
	enum at_scope scope, const char *path, const char *name)
{
	struct at_scope_file *file;

	if (access(path, F_OK) != 0)
		return;
	file = add(scopes, scope, at_arena_strdup(scopes->arena, name));
	at_live_read_absolute(&file->live, project, path);
	judge(scopes, file, project);
}

/* The last by name first: it beats the ones before it, and all beat the base file. */
static void add_managed(struct at_scopes *scopes, const struct at_project *project)
{
	const char *dir = project->managed_dir ? project->managed_dir : MANAGED_DIR;
	const char *parts = at_arena_printf(scopes->arena, "%s/managed-settings.d", dir);
	struct at_text_list names = { 0 };
	const char *path;
	DIR *stream = opendir(parts);
	struct dirent *entry;

	while (stream && names.count < MANAGED_MAX && (entry = readdir(stream)) != NULL) {
		size_t len = strlen(entry->d_name);

		if (entry->d_name[0] != '.' && len > 5
			&& strcmp(entry->d_name + len - 5, ".json") == 0)
			at_text_list_add(&names, at_arena_strdup(scopes->arena, entry->d_name));
	}
	if (stream)
		closedir(stream);
	at_text_list_sort(&names);
	while (names.count > 0) {
		path = at_arena_printf(scopes->arena, "%s/%s", parts, names.items[--names.count]);
		add_absolute(scopes, project, AT_SCOPE_MANAGED, path, path);
	}
	at_text_list_free(&names);
	path = at_arena_printf(scopes->arena, "%s/managed-settings.json", dir);
	add_absolute(scopes, project, AT_SCOPE_MANAGED, path, path);
}

void at_scopes_read(struct at_scopes *out, const struct at_project *project, bool judge)
{
	const char *home = project->host->home;

	*out = (struct at_scopes){ .arena = at_arena_new(), .load_only = !judge };
	add_managed(out, project);
	add_below(out, project, AT_SCOPE_LOCAL, AT_LIVE_LOCAL);
	add_below(out, project, AT_SCOPE_PROJECT, AT_LIVE_SETTINGS);
	/* A project that is the home itself has one file for both. */
	if (*home && strcmp(home, project->path) != 0)
		add_absolute(out, project, AT_SCOPE_USER,
			at_arena_printf(out->arena, "%s/" AT_LIVE_SETTINGS, home),
			AT_USER_SETTINGS);
}

const struct at_scopes *at_scopes_of(struct at_scopes *own, const struct at_project *project,
	bool judge)
{
	*own = (struct at_scopes){ 0 };
	if (project->scopes && !(judge && project->scopes->load_only))
		return project->scopes;
	at_scopes_read(own, project, judge);
	return own;
}

void at_scopes_free(struct at_scopes *scopes)
{
	for (size_t i = 0; i < scopes->count; i++) {
		at_live_free(&scopes->files[i].live);
		at_wiring_free(&scopes->files[i].report);
	}
	free(scopes->files);
	at_arena_free(scopes->arena);
	*scopes = (struct at_scopes){ 0 };
}

const struct at_scope_file *at_scopes_find(const struct at_scopes *scopes, enum at_scope scope)
{
	for (size_t i = 0; i < scopes->count; i++)
		if (scopes->files[i].scope == scope)
			return &scopes->files[i];
	return NULL;
}

const struct at_scope_file *at_scopes_winner(const struct at_scopes *scopes, const char *dotted)
{
	for (size_t i = 0; i < scopes->count; i++)
		if (scopes->files[i].loads &&
			at_json_at(&scopes->files[i].live.doc, dotted) != AT_JSON_NONE)
			return &scopes->files[i];
	return NULL;
}
