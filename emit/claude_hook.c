#include "emit/claude.h"

#include <string.h>

#include "core/mem.h"
#include "core/path.h"
#include "emit/assets.h"
#include "emit/claude_gate.h"

#define SENTINEL "\nAGENTTEAMS_GATE_FAIL_CLOSED="

static void put_places(struct at_buf *out, const struct at_project *project)
{
	const char *const *places = at_claude_gate_places(project);
	char quoted[2 * PATH_MAX];

	for (size_t i = 0; places[i]; i++) {
		bool seen = false;

		for (size_t k = 0; k < i; k++)
			seen |= strcmp(places[k], places[i]) == 0;
		if (!seen)
			at_buf_printf(out, "%s%s", i ? " " : "",
				at_path_shell_quote(quoted, sizeof(quoted), places[i]));
	}
}

static void put_word(struct at_buf *out, const char *word)
{
	char quoted[2 * PATH_MAX];

	at_buf_puts(out, at_path_shell_quote(quoted, sizeof(quoted), word));
}

/* What the asset leaves open stands between two signs. */
static void put_open(struct at_buf *out, struct at_bytes name, const struct at_project *project,
	const struct at_gate_pin *pin, const char *manifest)
{
	if (at_bytes_equal_text(name, "@GATE_PROGRAM@"))
		put_word(out, pin->program);
	else if (at_bytes_equal_text(name, "@GATE_SHA256@"))
		at_buf_puts(out, pin->sha256);
	else if (at_bytes_equal_text(name, "@GATE_CHECKED@"))
		at_buf_puts(out, pin->custody ? "custody" : "none");
	else if (at_bytes_equal_text(name, "@GATE_MANIFEST@"))
		put_word(out, manifest);
	else
		put_places(out, project);
}

static void render_hook(struct at_buf *out, const struct at_project *project,
	const struct at_gate_pin *pin, const char *manifest, bool closed)
{
	const char *text = at_asset_gate_sh.data, *end = text + at_asset_gate_sh.len;
	const char *sentinel = strstr(text, SENTINEL) + strlen(SENTINEL), *open;

	at_buf_put(out, text, (size_t)(sentinel - text));
	at_buf_putc(out, closed ? '1' : '0');
	text = sentinel + 1;
	while ((open = strstr(text, "@GATE_"))) {
		const char *close = strchr(open + 1, '@') + 1;

		at_buf_put(out, text, (size_t)(open - text));
		put_open(out, (struct at_bytes){ open, (size_t)(close - open) }, project, pin,
			manifest);
		text = close;
	}
	at_buf_put(out, text, (size_t)(end - text));
}

/* The sentinel of the script that is there: 0, 1, or -1 when it has none. */
static int sentinel_of(const struct at_file *file)
{
	const char *text = at_buf_text(&file->bytes);
	const char *at = file->exists ? strstr(text, SENTINEL) : NULL;

	if (!at)
		return -1;
	at += strlen(SENTINEL);
	if ((at[0] != '0' && at[0] != '1') || at[1] != '\n')
		return -1;
	return at[0] - '0';
}

bool at_claude_group_starts(const struct at_json *doc, uint32_t group, const char *file,
	struct at_arena *arena)
{
	uint32_t hooks = at_json_member(doc, group, "hooks");

	if (!at_json_is(doc, hooks, AT_JSON_ARRAY))
		return false;
	at_json_each(doc, i, hooks) {
		uint32_t command = at_json_member(doc, i, "command");

		if (at_json_is(doc, command, AT_JSON_STRING) &&
			strstr(at_json_string(doc, command, arena).data, file))
			return true;
	}
	return false;
}

/* Older wiring names the stub, which starts the script: that counts as well. */
static bool is_wired(const struct at_live *live, struct at_arena *arena)
{
	uint32_t groups =
		live->is_object ? at_json_at(&live->doc, "hooks.PreToolUse") : AT_JSON_NONE;

	if (!at_json_is(&live->doc, groups, AT_JSON_ARRAY))
		return false;
	at_json_each(&live->doc, group, groups)
		if (at_claude_group_starts(&live->doc, group, AT_CLAUDE_HOOK, arena) ||
			at_claude_group_starts(&live->doc, group, AT_CLAUDE_HOOK_STUB, arena))
			return true;
	return false;
}

/* EMIT-12: a defaulted profile never changes a wired hook; only an explicit one flips. */
static bool plan_script(struct at_plan *plan, const struct at_manifest *manifest,
	const struct at_project *project, const struct at_live *live, struct at_error *err)
{
	const char *path = at_claude_in_config(project, AT_CLAUDE_HOOK, plan->arena);
	bool closed = manifest->gate_fails_closed;
	const char *reason = "starts the gate before each tool call";
	char pinned[AT_DIGEST_HEX];
	struct at_buf text = { 0 };
	struct at_gate_pin pin;
	struct at_file old;
	bool done;
	int was;

	if (!at_file_read(&old, project->fd, path, AT_FILE_CAP, AT_FILE_MAY_BE_ABSENT, err))
		return false;
	was = sentinel_of(&old);
	at_gate_pinned(pinned, at_buf_bytes(&old.bytes));
	if (at_gate_pin(&pin, project) && *pinned && strcmp(pinned, pin.sha256) != 0)
		reason = "pins the gate's program anew: it is another one than at the last "
			 "--update";
	if (!manifest->request->profile_is_explicit && was >= 0 && was != closed &&
		is_wired(live, plan->arena)) {
		closed = was;
		reason =
			"starts the gate; wired already, so a defaulted profile keeps how it fails";
	}
	at_file_free(&old);
	render_hook(&text, project, &pin,
		closed ? at_gate_manifest(project, &pin, plan->arena) : "", closed);
	done = at_plan_add(plan, project->fd, AT_IN_PROJECT, path, at_buf_bytes(&text), 0755,
		AT_PLAN_WRITE, reason, err);
	at_buf_free(&text);
	return done;
}

/* An older gate may be wired and working: it goes only when a program can take over and
 * nobody edited it. */
static bool plan_stub(struct at_plan *plan, const struct at_project *project,
	const struct at_build_log *log, struct at_error *err)
{
	const char *path = at_claude_in_config(project, AT_CLAUDE_HOOK_STUB, plan->arena);
	const char *keep = NULL;
	struct at_file old;

	if (!at_file_read(&old, project->fd, path, AT_FILE_CAP, AT_FILE_MAY_BE_ABSENT, err))
		return false;
	if (old.exists && !at_bytes_equal(at_buf_bytes(&old.bytes), at_asset_gate_py)) {
		if (!at_build_log_knows(log, project, path, at_buf_bytes(&old.bytes)))
			keep = "an older gate that somebody edited, or that nothing records: not "
			       "ours to replace";
		else if (!at_claude_gate_program(project))
			keep = "an older gate; it stays until the program agentteams-gate is "
			       "installed here";
	}
	at_file_free(&old);
	if (keep) {
		at_plan_keep(plan, path, keep);
		return true;
	}
	return at_plan_add(plan, project->fd, AT_IN_PROJECT, path, at_asset_gate_py, 0755,
		AT_PLAN_WRITE, "hands older wiring over to the script beside it", err);
}

bool at_claude_plan_hook(struct at_plan *plan, const struct at_manifest *manifest,
	const struct at_project *project, const struct at_live *live,
	const struct at_build_log *log, struct at_error *err)
{
	return plan_script(plan, manifest, project, live, err) &&
		plan_stub(plan, project, log, err);
}
