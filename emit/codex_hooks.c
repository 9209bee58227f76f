/* .codex/hooks.json, and whose it is. (reference-later 5.1) */
#include "core/file.h"
#include "core/json_read.h"
#include "core/mem.h"
#include "emit/assets.h"
#include "emit/codex.h"

/* What starts the gate: ours, and the Python tool's. */
static const char *const commands[] = {
	"\"$AGENTTEAMS_ROOT/.agentteams/bin/agentteams-role-gate\" || exit 2",
	"\"$AGENTTEAMS_PYTHON\" -I -S \"$AGENTTEAMS_ROOT/.agentteams/bin/codex-role-gate.py\" "
	"|| exit 2",
};

static bool is_gate(const struct at_json *doc, uint32_t hook)
{
	uint32_t command = at_json_member(doc, hook, "command");

	if (!at_json_is(doc, command, AT_JSON_STRING))
		return false;
	for (size_t i = 0; i < AT_LEN(commands); i++)
		if (at_json_string_is(doc, command, commands[i]))
			return true;
	return false;
}

/* Of a group; false for a shape that is not known, which could start anything. */
static bool group_is_ours(const struct at_json *doc, uint32_t group, size_t *count)
{
	uint32_t hooks = at_json_member(doc, group, "hooks");

	if (!at_json_is(doc, hooks, AT_JSON_ARRAY))
		return false;
	at_json_each(doc, i, hooks) {
		if (!is_gate(doc, i))
			return false;
		++*count;
	}
	return true;
}

static bool document_is_ours(const struct at_json *doc)
{
	uint32_t events = at_json_member(doc, AT_JSON_ROOT, "hooks");
	size_t count = 0;

	if (!at_json_is(doc, events, AT_JSON_OBJECT) || doc->nodes[AT_JSON_ROOT].count != 1)
		return false;
	at_json_each(doc, event, events) {
		if (!at_json_is(doc, event, AT_JSON_ARRAY))
			return false;
		at_json_each(doc, group, event)
			if (!group_is_ours(doc, group, &count))
				return false;
	}
	return count > 0;
}

bool at_codex_hooks_are_ours(struct at_bytes text)
{
	struct at_json doc;
	bool ours;

	if (!at_json_read(&doc, text, &at_json_settings_limits, 0, NULL))
		return false;
	ours = document_is_ours(&doc);
	at_json_free(&doc);
	return ours;
}

bool at_codex_plan_hooks(struct at_plan *plan, struct at_notices *notices,
	const struct at_project *project, struct at_error *err)
{
	struct at_file old;
	bool ours = at_file_read(&old, project->fd, AT_CODEX_HOOKS, AT_FILE_CAP,
			    AT_FILE_MAY_BE_ABSENT, NULL)
		&& (!old.exists || at_codex_hooks_are_ours(at_buf_bytes(&old.bytes)));

	at_file_free(&old);
	if (ours)
		return at_plan_add(plan, project->fd, AT_IN_PROJECT, AT_CODEX_HOOKS,
			at_asset_codex_hooks, 0, AT_PLAN_WRITE,
			"has codex ask the role gate before each call", err);
	at_plan_keep(
		plan, AT_CODEX_HOOKS, "holds other hooks, or is no file that can be read: yours");
	at_notice(notices, "codex-hooks-kept",
		AT_CODEX_HOOKS
		" starts something else than the role gate, or is no regular file: it "
		"stays as it is, and " AT_CODEX_RUNNER
		" will refuse to start. Move it away and run "
		"--update again.");
	return true;
}
