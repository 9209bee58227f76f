#include "core/launch_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/file.h"
#include "core/json_read.h"
#include "core/json_write.h"
#include "core/mem.h"
#include "core/path.h"

#define SETTINGS_CAP ((size_t)16 << 20)

const char *at_launch_starts(void)
{
	return "Nothing of this program starts it: run it yourself, in the project's directory.";
}

/* The launcher takes what exists and creates nothing: a start would be refused. */
static const char *missing(struct at_launch *l, const struct at_launch_path *named,
	const struct at_launch_place *place)
{
	char path[PATH_MAX];
	struct stat st;
	bool is_hidden = strcmp(named->option, "--exclude") == 0;
	bool must_be_dir = !is_hidden && strcmp(named->option, "--protect") != 0;

	if (!at_path_absolute(path, named->path, place->project, place->home))
		return at_arena_printf(l->arena, "%s %s: no path that can be looked at",
			named->option, named->path);
	if (stat(path, &st) == 0) {
		if (!must_be_dir || S_ISDIR(st.st_mode))
			return NULL;
		return at_arena_printf(
			l->arena, "%s %s: a directory is wanted there", named->option, named->path);
	}
	if (is_hidden && strpbrk(named->path, "*?["))
		return at_arena_printf(l->arena,
			"%s %s: the launcher knows no patterns, name the path in the brief",
			named->option, named->path);
	return at_arena_printf(l->arena, "%s %s: create it first, the launcher refuses without",
		named->option, named->path);
}

static void look_at_paths(struct at_launch *l, const struct at_launch_place *place)
{
	l->missing = at_arena_alloc(l->arena, (l->paths.count + 1) * sizeof(*l->missing));
	for (size_t i = 0; i < l->paths.count; i++) {
		l->missing[i] = missing(l, &l->paths.items[i], place);
		l->missing_count += l->missing[i] != NULL;
	}
}

enum said { SAYS_NOTHING, SAYS_OFF, SAYS_ON };

static enum said claude_says(int root, const char *path)
{
	enum said said = SAYS_NOTHING;
	struct at_file file;
	struct at_json doc;
	uint32_t value;

	if (!at_file_read(&file, root, path, SETTINGS_CAP,
		    AT_FILE_MAY_BE_ABSENT | AT_FILE_NO_DIGEST, NULL))
		return SAYS_NOTHING;
	if (file.exists
		&& at_json_read(&doc, at_buf_bytes(&file.bytes), &at_json_settings_limits,
			AT_JSON_ALLOW_BOM | AT_JSON_ALLOW_DUPLICATES, NULL)) {
		value = at_json_at(&doc, "sandbox.enabled");
		if (at_json_is(&doc, value, AT_JSON_TRUE))
			said = SAYS_ON;
		else if (at_json_is(&doc, value, AT_JSON_FALSE))
			said = SAYS_OFF;
		at_json_free(&doc);
	}
	at_file_free(&file);
	return said;
}

/* The stronger of the two files decides, as for the client. */
static const char *claude_sandbox(int root)
{
	static const char *const files[] = { ".claude/settings.local.json",
		".claude/settings.json" };

	for (size_t i = 0; i < AT_LEN(files); i++) {
		enum said said = claude_says(root, files[i]);

		if (said != SAYS_NOTHING)
			return said == SAYS_ON ? files[i] : NULL;
	}
	return NULL;
}

/* sandbox_mode = "…" on a line of its own, as the launcher looks for it. */
static const char *codex_sandbox(int root)
{
	static const char path[] = ".codex/config.toml";
	const char *found = NULL;
	struct at_file file;

	if (!at_file_read(&file, root, path, SETTINGS_CAP,
		    AT_FILE_MAY_BE_ABSENT | AT_FILE_NO_DIGEST, NULL))
		return NULL;
	for (const char *p = at_buf_text(&file.bytes); *p;) {
		const char *line = p + strspn(p, " \t");
		size_t len = strcspn(line, "\n");

		if (strncmp(line, "sandbox_mode", strlen("sandbox_mode")) == 0
			&& !memmem(line, len, "danger-full-access", strlen("danger-full-access")))
			found = path;
		p = line + len;
		p += *p == '\n';
	}
	at_file_free(&file);
	return found;
}

/* LAU-12. */
static void look_at_boundaries(
	struct at_launch *l, enum at_framework_id framework, const struct at_launch_place *place)
{
	const char *file =
		framework == AT_CODEX ? codex_sandbox(place->root) : claude_sandbox(place->root);

	l->own_sandbox = file;
	if (framework == AT_CODEX)
		l->boundaries = at_arena_printf(l->arena,
			"Two boundaries do not nest: the line switches codex's own sandbox "
			"off%s%s%s.",
			file ? ", which " : "", file ? file : "", file ? " sets" : "");
	else if (framework == AT_CLAUDE && file)
		l->boundaries = at_arena_printf(l->arena,
			"Two boundaries do not nest: choose one. %s switches claude's own "
			"sandbox on, "
			"which cannot start inside the launcher: set sandbox.enabled to false "
			"there to "
			"use this line, or start claude without it. --allow-nested leaves it a "
			"chance, "
			"and is weaker.",
			file);
	else if (framework == AT_CLAUDE)
		l->boundaries =
			"Two boundaries do not nest: claude's own sandbox is off in this tree. "
			"Leave "
			"it off while you use this line, or give --allow-nested, which is weaker.";
	else if (file)
		l->boundaries = at_arena_printf(l->arena,
			"Two boundaries do not nest: choose one. %s switches claude's own "
			"sandbox on: "
			"a claude started inside the launcher fails unless --allow-nested is "
			"given, "
			"which is weaker.",
			file);
	else
		l->boundaries =
			"Two boundaries do not nest: leave a sandbox of the agent's own off "
			"while you use this line.";
}

static void look_at_launcher(struct at_launch *l, const struct at_launch_place *place)
{
	bool is_there = at_file_type(place->root, AT_LAUNCHER) == AT_FILE_REGULAR;

	l->launcher = !is_there     ? AT_LAUNCHER_ABSENT
		: place->is_genuine ? AT_LAUNCHER_GENUINE
				    : AT_LAUNCHER_UNCHECKED;
	switch (l->launcher) {
	case AT_LAUNCHER_GENUINE:
		l->launcher_text =
			"launcher present and genuine; whether your agent runs inside it "
			"cannot be seen from here";
		break;
	case AT_LAUNCHER_UNCHECKED:
		l->launcher_text = "launcher present, and not known to be ours; whether your agent "
				   "runs inside it cannot be seen from here";
		break;
	case AT_LAUNCHER_ABSENT:
		l->launcher_text =
			"there is no " AT_LAUNCHER " in this project: the line cannot run "
			"yet";
		break;
	}
}

void at_launch_look(struct at_launch *out, const struct at_manifest *manifest,
	const struct at_launch_place *place)
{
	struct at_buf line = { 0 };

	*out = (struct at_launch){ .arena = at_arena_new(), .line = "" };
	out->run_in = at_arena_strdup(out->arena, place->project);
	out->command = at_launch_command(manifest->framework);
	if (!at_mechanism_is_launcher(at_mechanism_of(AT_CODEX, manifest->platform))) {
		at_fail(&out->why, AT_EREFUSED, "the launcher has no sandbox on %s",
			at_platform_name(manifest->platform));
		at_error_hint(&out->why, "Linux and macOS have one.");
	} else if (at_launch_line(&line, manifest, &out->why)) {
		out->line = at_arena_strdup(out->arena, at_buf_text(&line));
	}
	at_buf_free(&line);
	at_launch_paths_of(&out->paths, manifest);
	look_at_paths(out, place);
	look_at_boundaries(out, manifest->framework, place);
	look_at_launcher(out, place);
}

void at_launch_free(struct at_launch *launch)
{
	free(launch->paths.items);
	if (launch->arena)
		at_arena_free(launch->arena);
	*launch = (struct at_launch){ 0 };
}

void at_launch_print(const struct at_launch *l, struct at_buf *out)
{
	at_buf_printf(out, "%s\n\n%s\n", l->line, l->launcher_text);
	for (size_t i = 0; i < l->paths.count; i++)
		if (l->missing[i])
			at_buf_printf(out, "NOT READY: %s\n", l->missing[i]);
	for (size_t i = 0; at_launch_egress(i); i++)
		at_buf_printf(out, "--egress %s: %s\n", at_launch_egress(i)->mode,
			at_launch_egress(i)->means);
	at_buf_printf(out, "%s\n%s\n", l->boundaries, at_launch_starts());
}

void at_launch_to_json(const struct at_launch *l, struct at_json_value *out)
{
	static const char *const states[] = { "absent", "unchecked", "genuine" };
	struct at_json_value *list;

	at_json_add_text(out, "line", *l->line ? l->line : NULL);
	at_json_add_text(out, "why_none", *l->line ? NULL : l->why.message);
	at_json_add_text(out, "run_in", l->run_in);
	at_json_add_text(out, "command", l->command);
	at_json_add_text(out, "launcher", states[l->launcher]);
	at_json_add_text(out, "launcher_text", l->launcher_text);
	at_json_add_text(out, "started_by", at_launch_starts());
	list = at_json_add_array(out, "paths");
	for (size_t i = 0; i < l->paths.count; i++) {
		struct at_json_value *one = at_json_add_object(list, NULL);

		at_json_add_text(one, "option", l->paths.items[i].option);
		at_json_add_text(one, "path", l->paths.items[i].path);
		at_json_add_bool(one, "ready", !l->missing[i]);
		at_json_add_text(one, "note", l->missing[i]);
	}
	list = at_json_add_array(out, "egress");
	for (size_t i = 0; at_launch_egress(i); i++) {
		struct at_json_value *one = at_json_add_object(list, NULL);

		at_json_add_text(one, "mode", at_launch_egress(i)->mode);
		at_json_add_text(one, "means", at_launch_egress(i)->means);
	}
	at_json_add_text(out, "own_sandbox", l->own_sandbox);
	at_json_add_text(out, "two_boundaries", l->boundaries);
}
