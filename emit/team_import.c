#include "emit/team_import.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/mem.h"
#include "emit/agent.h"
#include "emit/texts.h"

#define AGENTS_CAP 20000

/* Not an agent, though it lies among them: the Python tool's list of what is to be done. */
#define SETUP_NOTE "SETUP-REQUIRED"

struct importing {
	struct at_imported *out;
	struct at_plan *plan;
	struct at_notices *notices;
	const struct at_project *project;
	const struct at_import *import;
	const struct at_team_source *source;
	enum at_framework_id to;
	bool with_switch;
	int team; /* descriptor of the source's team dir */
};

static bool ends_in(const char *name, const char *ext)
{
	size_t len = strlen(name), tail = strlen(ext);

	return len > tail && name[0] != '.' && strcmp(name + len - tail, ext) == 0;
}

static bool list_agents(struct at_text_list *out, const struct importing *in, struct at_error *err)
{
	const char *ext = at_frameworks[in->source->format]->agent_ext;
	int again = dup(in->team);
	DIR *dir = again < 0 ? NULL : fdopendir(again);
	struct dirent *entry;

	if (!dir) {
		if (again >= 0)
			close(again);
		return at_fail(err, AT_EIO, "cannot list %s", in->source->project.team_dir);
	}
	while ((entry = readdir(dir)))
		if (ends_in(entry->d_name, ext) &&
			strncmp(entry->d_name, SETUP_NOTE ".", strlen(SETUP_NOTE) + 1) != 0)
			at_text_list_add(out, at_arena_strdup(in->plan->arena, entry->d_name));
	closedir(dir);
	at_text_list_sort(out);
	if (out->count == 0)
		return at_fail(err, AT_ENOENT, "%s holds no agent file (*%s)",
			in->source->project.team_dir, ext);
	return out->count <= AGENTS_CAP || at_fail(err, AT_ELIMIT,
		"%s holds more than %d agent files", in->source->project.team_dir, AGENTS_CAP);
}

static void say_undeclared(const struct importing *in, const struct at_agent *agent)
{
	if (!agent->has_tools && in->to == AT_CLAUDE)
		at_notice(in->notices, "import-no-tools",
			"The agent %s declares no tools: claude gives it every tool. Add `tools:` "
			"to its file.", agent->slug);
}

/* As the target has it. Under the switch tools are weighed in canonical words. */
static bool translate(struct at_agent *out, const struct importing *in,
	const struct at_agent *agent, struct at_arena *arena, struct at_error *err)
{
	enum at_framework_id from = in->source->format;
	struct at_agent between;

	if (!in->with_switch)
		return at_agent_convert(out, agent, from, in->to, arena, err);
	if (!at_agent_convert(&between, agent, from, AT_AGENTS_MD, arena, err))
		return false;
	at_team_policy_apply(&between, arena);
	return at_agent_convert(out, &between, AT_AGENTS_MD, in->to, arena, err);
}

static bool plan_agent(const struct importing *in, const struct at_agent *agent,
	struct at_error *err)
{
	struct at_arena *arena = in->plan->arena;
	const char *path = at_arena_printf(arena, "%s/%s%s", in->project->team_dir, agent->slug,
		at_frameworks[in->to]->agent_ext);
	const char *from = at_framework_name(in->source->format);
	struct at_buf text = { 0 };
	struct at_change *change;
	bool done;

	at_frameworks[in->to]->render_agent(&text, agent);
	done = at_plan_add(in->plan, in->project->fd, AT_IN_PROJECT, path, at_buf_bytes(&text), 0,
		AT_PLAN_WRITE, at_arena_printf(arena, "agent, from %s", from), err);
	at_buf_free(&text);
	if (!done)
		return false;
	change = &in->plan->changes[in->plan->count - 1];
	in->out->agents++;
	if (change->kind != AT_REPLACE)
		return true;
	if (in->import->overwrite) {
		in->out->replaced++;
		return true;
	}
	change->kind = AT_KEPT;
	change->old_mode = 0;
	change->reason = "another agent of this name is there; --overwrite replaces it";
	in->out->kept++;
	return true;
}

static bool import_agent(const struct importing *in, const char *name, struct at_error *err)
{
	enum at_framework_id format = in->source->format;
	size_t tail = strlen(at_frameworks[format]->agent_ext);
	struct at_arena *arena = at_arena_new();
	struct at_agent agent, translated;
	struct at_file file = { 0 };
	bool done;

	done = at_file_read(&file, in->team, name, AT_FILE_CAP, AT_FILE_NO_DIGEST, err) &&
		at_frameworks[format]->parse_agent(
			&agent, at_buf_bytes(&file.bytes), arena, err);
	if (done) {
		agent.slug = at_arena_strndup(arena, name, strlen(name) - tail);
		done = translate(&translated, in, &agent, arena, err);
	}
	if (done) {
		say_undeclared(in, &translated);
		done = plan_agent(in, &translated, err);
	} else if (err) {
		char path[sizeof(err->path)];

		snprintf(path, sizeof(path), "%s/%s", in->source->project.team_dir, name);
		at_error_path(err, path);
	}
	at_file_free(&file);
	at_arena_free(arena);
	return done;
}

static bool import_agents(struct importing *in, struct at_error *err)
{
	struct at_text_list names = { 0 };
	bool done;

	in->team = at_file_open_dir(in->source->project.fd, in->source->project.team_dir, err);
	if (in->team < 0)
		return false;
	done = list_agents(&names, in, err);
	for (size_t i = 0; done && i < names.count; i++)
		done = import_agent(in, names.items[i], err);
	at_text_list_free(&names);
	close(in->team);
	return done;
}

bool at_team_import_plan(struct at_imported *out, struct at_plan *plan,
	struct at_notices *notices, const struct at_manifest *manifest,
	const struct at_project *project, const struct at_import *import, struct at_error *err)
{
	struct at_team_source source;
	struct importing in = {
		.out = out,
		.plan = plan,
		.notices = notices,
		.project = project,
		.import = import,
		.source = &source,
		.to = manifest->framework,
	};
	bool done;

	*out = (struct at_imported){ 0 };
	done = at_team_source_open(&source, import->place, project, in.to, err) &&
		at_team_policy_check(
			&in.with_switch, &source, manifest, project, import, notices, err);
	if (done) {
		out->format = source.format;
		snprintf(out->team, sizeof(out->team), "%.2000s/%.2000s", source.path,
			source.project.team_dir);
		done = import_agents(&in, err);
	}
	at_team_source_close(&source);
	return done;
}
