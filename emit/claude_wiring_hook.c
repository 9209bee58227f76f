#include "emit/claude_wiring.h"

#include <string.h>

#include "core/mem.h"
#include "emit/assets.h"
#include "emit/claude_gate.h"
#include "emit/hooks.h"

/* The tools that the emitted matcher names. */
static const char *const gated_tools[] = { "Write", "Edit", "NotebookEdit", "MultiEdit", "Bash" };
#define ALL_TOOLS ((1u << AT_LEN(gated_tools)) - 1)

static unsigned tools_of(const char *matcher)
{
	unsigned tools = 0;

	if (strcmp(matcher, "") == 0 || strcmp(matcher, "*") == 0 || strcmp(matcher, ".*") == 0)
		return ALL_TOOLS;
	for (const char *p = matcher; *p;) {
		size_t len = strcspn(p, "|, ");

		for (size_t i = 0; i < AT_LEN(gated_tools); i++)
			if (strlen(gated_tools[i]) == len && strncmp(gated_tools[i], p, len) == 0)
				tools |= 1u << i;
		p += len;
		p += strspn(p, "|, ");
	}
	return tools;
}

/* The gated tools before which a live entry starts `file`, as bits. */
static unsigned wired_tools(const struct at_wiring_check *check, const char *file)
{
	const struct at_json *doc = &check->live->doc;
	uint32_t groups = at_json_at(doc, "hooks.PreToolUse");
	struct at_arena *arena = check->report->arena;
	unsigned tools = 0;

	if (!at_json_is(doc, groups, AT_JSON_ARRAY))
		return 0;
	at_json_each(doc, group, groups) {
		uint32_t matcher = at_json_member(doc, group, "matcher");

		if (!at_claude_group_starts(doc, group, file, arena))
			continue;
		tools |= at_json_is(doc, matcher, AT_JSON_STRING)
			? tools_of(at_json_string(doc, matcher, arena).data) : ALL_TOOLS;
	}
	return tools;
}

static bool fail_hook(const struct at_wiring_check *check, const char *id, const char *remedy,
	const char *text)
{
	at_wiring_add(check->report, id, AT_FAIL, AT_LIVE_SETTINGS "#/hooks/PreToolUse", remedy,
		"%s", text);
	return false;
}

/* An older gate beside the script works on its own; our stub needs script and program. */
static bool is_older_gate(const struct at_wiring_check *check, const char *stub)
{
	struct at_file file;
	bool older;

	if (!at_file_read(&file, check->project->fd, stub, AT_FILE_CAP, 0, NULL))
		return false;
	older = !at_bytes_equal(at_buf_bytes(&file.bytes), at_asset_gate_py);
	at_file_free(&file);
	return older;
}

/* GATE-5: the digest that the script pins against the program that is there. */
static bool check_pin(const struct at_wiring_check *check, const char *script)
{
	char pinned[AT_DIGEST_HEX] = "";
	struct at_gate_pin pin;
	struct at_file file;

	if (at_file_read(&file, check->project->fd, script, AT_FILE_CAP, 0, NULL)) {
		at_gate_pinned(pinned, at_buf_bytes(&file.bytes));
		at_file_free(&file);
	}
	if (!at_gate_pin(&pin, check->project))
		return fail_hook(check, "hook-program-unreadable",
			"Give the program back its mode, or install it again.",
			"The gate's program cannot be read, so its digest is not known.");
	if (!*pinned)
		return fail_hook(check, "hook-program-not-pinned", "Run atconsole --update.",
			"The gate's hook script pins no program: it was written while none was "
			"installed, or by an older atconsole.");
	if (strcmp(pinned, pin.sha256) != 0)
		return fail_hook(check, "hook-program-changed",
			"Run atconsole --update after an upgrade; without one, find out who "
			"replaced it.",
			"The gate's program is not the one that its hook script pins.");
	if (!pin.custody)
		at_wiring_add(check->report, "hook-program-own", AT_NOTE, pin.program,
			"Install agentteams-gate system-wide, and run atconsole --update as "
			"yourself.",
			"The gate's program can be changed by who runs the session: its custody "
			"is not checked on a call.");
	return true;
}

static bool check_program(const struct at_wiring_check *check, const char *script)
{
	if (at_file_type(check->project->fd, script) != AT_FILE_REGULAR)
		return fail_hook(check, "hook-script-absent", "Run atconsole --update.",
			"The gate's hook script is not there, or not a regular file.");
	if (!at_claude_gate_program(check->project))
		return fail_hook(check, "hook-program-absent",
			"Install agentteams-gate, or take the hook entry out.",
			"not wired (program absent): the gate program is not on this host.");
	return check_pin(check, script);
}

static bool say_verdict(const struct at_wiring_check *check, const struct at_hook_found *hook,
	const struct at_hook_verdict *verdict)
{
	static const char *const ids[] = { "hook-stops", "hook-lets-through", "hook-opens",
		"hook-broken" };
	bool good = verdict->result == AT_HOOK_STOPS;

	at_wiring_add(check->report, ids[verdict->result], good ? AT_OKAY : AT_FAIL,
		AT_LIVE_SETTINGS "#/hooks/PreToolUse",
		good ? "" : "Mend the gate's program, or take the hook out until it works.",
		"%s: %s", hook->is_ours ? "The gate's hook" : "The hook that names the gate",
		verdict->text);
	return good;
}

/* WIRE-10: of the hooks that name the gate, one at least has to have been run and found
 * good. */
static bool check_verdicts(const struct at_wiring_check *check)
{
	struct at_hook_list list;
	size_t judged = 0, named = 0;
	bool good = false, ours = false;

	at_hook_list_init(&list);
	at_claude_hooks(&list, NULL, check->project, check->plan);
	for (size_t i = 0; i < list.count; i++) {
		const struct at_hook_found *hook = &list.items[i];
		const struct at_hook_verdict *verdict =
			at_hook_book_find(check->project->hooks, hook->command);

		if (strcmp(hook->origin, AT_LIVE_SETTINGS) != 0 || !hook->can_run ||
			!strstr(hook->command, "constitutional-gate."))
			continue;
		named++;
		ours |= hook->is_ours;
		judged += verdict != NULL;
		good |= verdict && say_verdict(check, hook, verdict);
	}
	at_hook_list_free(&list);
	if (named > 0 && judged == 0)
		at_wiring_add(check->report, "hook-not-judged", AT_WARN,
			AT_LIVE_SETTINGS "#/hooks/PreToolUse",
			ours ? "Run atconsole --check-wiring without --no-probes."
			     : "Merge the emitted hook, or have this one run with --run-hooks.",
			ours ? "The gate's hook was not run: whether it stops anything is not known."
			     : "The hook that names the gate is not the emitted one, so it was not run: "
			       "whether it stops anything is not known.");
	return good;
}

void at_claude_check_hook(const struct at_wiring_check *check)
{
	struct at_arena *arena = check->report->arena;
	const char *script = at_claude_in_config(check->project, AT_CLAUDE_HOOK, arena);
	const char *stub = at_claude_in_config(check->project, AT_CLAUDE_HOOK_STUB, arena);
	unsigned by_script = wired_tools(check, script), by_stub = wired_tools(check, stub);
	bool startable, older;

	if (!by_script && !by_stub) {
		fail_hook(check, "hook-not-wired",
			"Merge its entry once its program is on this host, and not before.",
			at_claude_gate_program(check->project)
				? "No PreToolUse entry starts the gate."
				: "not wired (program absent): no PreToolUse entry starts the gate, and the "
				  "gate program is not on this host.");
		return;
	}
	if ((by_script | by_stub) != ALL_TOOLS)
		fail_hook(check, "hook-matcher-narrow", "Take the matcher of the example.",
			"The gate is not started before every tool that writes or runs something.");
	older = !by_script && is_older_gate(check, stub);
	if (older)
		at_wiring_add(check->report, "hook-older-gate", AT_NOTE, stub,
			"Install agentteams-gate and run atconsole --update.",
			"The wired gate is an older one of another tool.");
	startable = older || check_program(check, script);
	check->report->hook_is_wired = startable && check_verdicts(check) &&
		(by_script | by_stub) == ALL_TOOLS && !check->hooks_are_off;
}
