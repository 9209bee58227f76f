/* claude_hook_list.c - the hooks that claude would start before a call, from every scope. */
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "core/mem.h"
#include "emit/claude.h"
#include "emit/claude_gate.h"
#include "emit/hooks.h"
#include "emit/scopes.h"

/* Only the emitted command with the emitted script behind it is ours: a settings file may name
 * the script and do something else besides. */
static const char *gate_fault(const struct at_project *project, const struct at_plan *plan)
{
	const char *script = at_claude_in_config(project, AT_CLAUDE_HOOK, plan->arena);
	bool is_same = false;

	for (size_t i = 0; i < plan->count; i++)
		is_same |= plan->changes[i].kind == AT_SAME &&
			strcmp(plan->changes[i].path, script) == 0;
	if (!at_claude_gate_program(project))
		return "the gate program is not on this host, and a hook without it stops or opens "
		       "every call";
	if (!is_same)
		return "its script is not there, was edited, or pins another program, as it does after "
		       "an upgrade: run atconsole --update first";
	return NULL;
}

/* The program's identity; "" while there is none. */
static const char *identity(const struct at_project *project, struct at_arena *arena)
{
	const char *path = at_claude_gate_program(project);
	struct stat st;

	if (!path || stat(path, &st) != 0)
		return "";
	return at_arena_printf(arena, "%s %ju %ju %jd %jd.%09ld", path, (uintmax_t)st.st_dev,
		(uintmax_t)st.st_ino, (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec,
		st.st_mtim.tv_nsec);
}

static const char *text_at(const struct at_json *doc, uint32_t node, const char *key,
	struct at_arena *arena)
{
	uint32_t value = at_json_member(doc, node, key);

	return at_json_is(doc, value, AT_JSON_STRING) ? at_json_string(doc, value, arena).data : "";
}

static void add_group(struct at_hook_list *out, const struct at_scope_file *file, uint32_t group)
{
	const struct at_json *doc = &file->live.doc;
	uint32_t hooks = at_json_member(doc, group, "hooks");

	if (!at_json_is(doc, hooks, AT_JSON_ARRAY))
		return;
	at_json_each(doc, i, hooks) {
		struct at_hook_found hook = {
			.event = "PreToolUse",
			.matcher = text_at(doc, group, "matcher", out->arena),
			.command = text_at(doc, i, "command", out->arena),
			.origin = file->name,
		};

		hook.can_run = *hook.command &&
			strcmp(text_at(doc, i, "type", out->arena), "command") == 0 &&
			at_json_member(doc, i, "args") == AT_JSON_NONE;
		hook.is_ours = hook.can_run && !out->gate_fault &&
			strcmp(hook.command, out->gate) == 0;
		at_hook_list_add(out, &hook);
	}
}

void at_claude_hooks(struct at_hook_list *out, const struct at_manifest *manifest,
	const struct at_project *project, const struct at_plan *plan)
{
	struct at_hook_found ours = { .event = "PreToolUse", .matcher = "", .origin = "",
		.can_run = true, .is_ours = true };
	struct at_scopes own = { 0 };
	const struct at_scopes *scopes = &own;
	bool is_listed = false;

	(void)manifest;
	out->gate = at_claude_hook_command(project, out->arena);
	out->gate_fault = gate_fault(project, plan);
	out->gate_is = identity(project, out->arena);
	if (!out->gate_only)
		scopes = at_scopes_of(&own, project, false);
	for (size_t f = 0; f < scopes->count; f++) {
		const struct at_json *doc = &scopes->files[f].live.doc;
		uint32_t groups =
			scopes->files[f].loads ? at_json_at(doc, "hooks.PreToolUse") : AT_JSON_NONE;

		if (at_json_is(doc, groups, AT_JSON_ARRAY))
			at_json_each(doc, group, groups)
				add_group(out, &scopes->files[f], group);
	}
	at_scopes_free(&own);
	for (size_t i = 0; i < out->count; i++)
		is_listed |= out->items[i].is_ours;
	ours.command = out->gate;
	if (!is_listed && !out->gate_fault)
		at_hook_list_add(out, &ours);
}
