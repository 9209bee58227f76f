#include "core/settings_parts.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/mem.h"

/* Events the measured client lists itself when it meets another name, and FileChanged,
 * which its list was cut before. */
static const struct {
	const char *name;
	bool has_tool; /* the matcher is compared with a tool's name */
	bool can_block;
} events[] = {
	{ "PreToolUse", true, true }, { "PostToolUse", true, false },
	{ "PostToolUseFailure", true, false }, { "PostToolBatch", false, false },
	{ "Notification", false, false }, { "UserPromptSubmit", false, false },
	{ "UserPromptExpansion", false, false }, { "SessionStart", false, false },
	{ "SessionEnd", false, false }, { "Stop", false, false }, { "StopFailure", false, false },
	{ "SubagentStart", false, false }, { "SubagentStop", false, false },
	{ "PreCompact", false, false }, { "PostCompact", false, false },
	{ "PreModelSwitch", false, false }, { "PostModelSwitch", false, false },
	{ "PermissionRequest", true, true }, { "PermissionDenied", true, false },
	{ "Setup", false, false }, { "TeammateIdle", false, false },
	{ "TaskCreated", false, false }, { "TaskCompleted", false, false },
	{ "Elicitation", false, false }, { "ElicitationResult", false, false },
	{ "ConfigChange", false, false }, { "WorktreeCreate", false, false },
	{ "WorktreeRemove", false, false }, { "InstructionsLoaded", false, false },
	{ "CwdChanged", false, false }, { "FileChanged", false, false },
};

/* What other harnesses call the same. */
static const struct {
	const char *name, *event;
} aliases[] = {
	{ "beforeTool", "PreToolUse" }, { "preTool", "PreToolUse" },
	{ "pre_tool_use", "PreToolUse" }, { "afterTool", "PostToolUse" },
	{ "postTool", "PostToolUse" }, { "post_tool_use", "PostToolUse" },
	{ "onStart", "SessionStart" }, { "onStop", "Stop" },
};

static int find_event(const char *name, size_t len)
{
	for (size_t i = 0; i < AT_LEN(events); i++)
		if (at_bytes_equal_text((struct at_bytes){ name, len }, events[i].name))
			return (int)i;
	return -1;
}

bool at_settings_is_event(const char *name, size_t len)
{
	return find_event(name, len) >= 0;
}

static const char *meant(const char *name)
{
	for (size_t i = 0; i < AT_LEN(aliases); i++)
		if (strcasecmp(aliases[i].name, name) == 0)
			return aliases[i].event;
	for (size_t i = 0; i < AT_LEN(events); i++)
		if (strcasecmp(events[i].name, name) == 0)
			return events[i].name;
	return NULL;
}

/* Version 2.1.85 dropped the whole file over such a key; the measured one drops the entry
 * alone. Either way the hook never runs, so this fails without being a cause. */
static void say_unknown_event(struct at_settings *s, uint32_t node, struct at_bytes key)
{
	const char *name = at_settings_quote(s, key), *event = meant(name);
	bool is_tool = at_settings_is_tool(key.data, key.len);

	at_settings_say(s, AT_SF_EVENT_UNKNOWN, node, NULL,
		"%s is %s: what is below it never runs, and older versions of the client drop the "
		"whole file over it.%s%s%s%s", name,
		is_tool ? "a tool, and an event is expected here" : "no hook event",
		event ? " Probably meant: " : "", event ? event : "",
		is_tool ? " The tool goes into the matcher: \"PreToolUse\": [{\"matcher\": " : "",
		is_tool ? at_arena_printf(s->arena, "\"%s\", …}].", name) : "");
}

/* The shape. A wrong one drops the whole file; seen for an entry without a command below
 * PreToolUse, for a matcher that is an object in version 2.1.85, and taken to be so for
 * the others. */
static void check_entry_shape(struct at_settings *s, uint32_t entry)
{
	uint32_t type = at_json_member(s->doc, entry, "type");
	uint32_t command = at_json_member(s->doc, entry, "command");
	uint32_t timeout = at_json_member(s->doc, entry, "timeout");
	uint32_t args = at_json_member(s->doc, entry, "args");

	if (!at_json_is(s->doc, entry, AT_JSON_OBJECT)) {
		at_settings_drop(s, AT_SF_HOOK_SHAPE, entry, NULL,
			"A hook is an object and this is %s.", at_settings_kind(s, entry));
		return;
	}
	if (type == AT_JSON_NONE)
		at_settings_drop(s, AT_SF_HOOK_TYPE_MISSING, entry, NULL,
			"The entry has no \"type\": this hook never runs.");
	else if (!at_json_is(s->doc, type, AT_JSON_STRING))
		at_settings_drop(s, AT_SF_HOOK_SHAPE, type, NULL,
			"\"type\" must be a string and is %s.", at_settings_kind(s, type));
	else if (at_json_string_is(s->doc, type, "command") && command == AT_JSON_NONE)
		at_settings_drop(s, AT_SF_HOOK_COMMAND_MISSING, entry, NULL,
			"The entry has no \"command\".");
	if (command != AT_JSON_NONE && !at_json_is(s->doc, command, AT_JSON_STRING))
		at_settings_drop(s, AT_SF_HOOK_SHAPE, command, NULL,
			"\"command\" must be a string and is %s.", at_settings_kind(s, command));
	if (timeout != AT_JSON_NONE && !at_json_is(s->doc, timeout, AT_JSON_NUMBER))
		at_settings_drop(s, AT_SF_HOOK_SHAPE, timeout, NULL,
			"\"timeout\" must be a number of seconds and is %s.",
			at_settings_kind(s, timeout));
	if (args != AT_JSON_NONE && !at_json_is(s->doc, args, AT_JSON_ARRAY))
		at_settings_drop(s, AT_SF_HOOK_SHAPE, args, NULL,
			"\"args\" must be an array and is %s.", at_settings_kind(s, args));
}

static void check_group_shape(struct at_settings *s, uint32_t group)
{
	uint32_t matcher = at_json_member(s->doc, group, "matcher");
	uint32_t hooks = at_json_member(s->doc, group, "hooks");

	if (!at_json_is(s->doc, group, AT_JSON_OBJECT)) {
		at_settings_drop(s, AT_SF_HOOK_SHAPE, group, NULL,
			"A group of hooks is an object and this is %s.",
			at_settings_kind(s, group));
		return;
	}
	if (matcher != AT_JSON_NONE && !at_json_is(s->doc, matcher, AT_JSON_STRING))
		at_settings_drop(s, AT_SF_HOOK_SHAPE, matcher, NULL,
			"A matcher must be a string and is %s.", at_settings_kind(s, matcher));
	if (hooks == AT_JSON_NONE) {
		at_settings_drop(s, AT_SF_HOOK_SHAPE, group, NULL,
			"The group has no list \"hooks\": an entry must be one level deeper.");
		return;
	}
	if (!at_json_is(s->doc, hooks, AT_JSON_ARRAY)) {
		at_settings_drop(s, AT_SF_HOOK_SHAPE, hooks, NULL,
			"\"hooks\" must be an array and is %s.", at_settings_kind(s, hooks));
		return;
	}
	at_json_each(s->doc, i, hooks)
		check_entry_shape(s, i);
}

void at_settings_hooks_shape(struct at_settings *s)
{
	uint32_t hooks = at_json_at(s->doc, "hooks");

	if (!at_json_is(s->doc, hooks, AT_JSON_OBJECT))
		return;
	at_json_each(s->doc, event, hooks) {
		struct at_bytes key = at_json_key(s->doc, event, s->arena);

		if (at_settings_is_dead(s, event) || find_event(key.data, key.len) < 0)
			continue;
		if (!at_json_is(s->doc, event, AT_JSON_ARRAY)) {
			at_settings_drop(s, AT_SF_HOOK_SHAPE, event, NULL,
				"hooks.%s must be an array of groups and is %s.", key.data,
				at_settings_kind(s, event));
			continue;
		}
		at_json_each(s->doc, group, event)
			check_group_shape(s, group);
	}
}

/* One name of a matcher, blanks and anchors taken off. */
struct part {
	const char *at;
	size_t len;
};

static struct part trim(const char *from, const char *to)
{
	while (from < to && (isspace((unsigned char)*from) || *from == '^'))
		from++;
	while (to > from && (isspace((unsigned char)to[-1]) || to[-1] == '$'))
		to--;
	return (struct part){ from, (size_t)(to - from) };
}

static bool is_name(struct part p)
{
	for (size_t i = 0; i < p.len; i++)
		if (!isalnum((unsigned char)p.at[i]) && p.at[i] != '_' && p.at[i] != '-')
			return false;
	return p.len > 0;
}

/* Exact names in lists by "|" or ","; anything else is a regular expression, which is not
 * judged here but where a tool is written with arguments: that matches nothing, silently.
 * Case counts. */
static void check_matcher(struct at_settings *s, uint32_t matcher, const char *pointer)
{
	const char *text = at_settings_text(s, matcher);
	const char *shown = at_settings_quote(s, at_bytes_of(text));
	const char *bracket = strchr(text, '('), *nearly = NULL;
	size_t known = 0, names = 0;

	if (!*text || strcmp(text, "*") == 0)
		return;
	if (bracket && bracket > text && isalpha((unsigned char)bracket[-1])) {
		at_settings_say(s, AT_SF_MATCHER_DEAD, matcher, pointer,
			"`%s`: a matcher is compared with the tool's name alone, arguments make it "
			"match nothing, so the hook never runs.",
			shown);
		return;
	}
	for (const char *from = text, *to;; from = to + 1) {
		struct part p;

		to = from + strcspn(from, "|,");
		p = trim(from, to);
		if (!is_name(p))
			return; /* a regular expression, or nothing between two bars */
		names++;
		known += at_settings_is_tool(p.at, p.len);
		if (!nearly)
			nearly = at_settings_tool_nearly(p.at, p.len);
		if (!*to)
			break;
	}
	if (known > 0)
		return;
	if (nearly)
		at_settings_say(s, AT_SF_MATCHER_DEAD, matcher, pointer,
			"`%s`: matchers go by case, the tool is called %s; the hook never runs.",
			shown, nearly);
	else
		at_settings_say(s, AT_SF_MATCHER_UNKNOWN, matcher, pointer,
			"`%s`: %s known here has %s name; a plain word is no prefix either.", shown,
			"no tool", names == 1 ? "that" : "such a");
}

static void check_timeout(struct at_settings *s, const struct at_settings_hook *hook)
{
	uint32_t timeout = at_json_member(s->doc, hook->node, "timeout");
	struct at_bytes raw;

	if (!hook->can_block)
		return;
	if (timeout == AT_JSON_NONE) {
		at_settings_say(s, AT_SF_HOOK_TIMEOUT, hook->node, hook->pointer,
			"No timeout is set: a hook that runs out of time lets the call pass, and "
			"how long that takes is up to the client's version.");
		return;
	}
	raw = at_json_raw(s->doc, timeout);
	if (raw.len > 0 && (raw.data[0] == '-' || raw.data[0] == '0' || (raw.len == 1 &&
			raw.data[0] == '1')))
		at_settings_say(s, AT_SF_HOOK_TIMEOUT_SHORT, hook->node, hook->pointer,
			"The timeout is one second or less: on a busy machine the hook is cut off "
			"and the call passes.");
}

static void check_entry(struct at_settings *s, const struct at_settings_hook *hook)
{
	uint32_t type = at_json_member(s->doc, hook->node, "type");
	static const char *const types[] = { "command", "prompt", "agent", "http", "mcp_tool" };
	bool is_known = false;

	if (!at_json_is(s->doc, hook->node, AT_JSON_OBJECT))
		return;
	if (at_json_is(s->doc, type, AT_JSON_STRING)) {
		for (size_t i = 0; i < AT_LEN(types); i++)
			is_known = is_known || at_json_string_is(s->doc, type, types[i]);
		if (!is_known)
			at_settings_say(s, AT_SF_HOOK_TYPE_UNKNOWN, hook->node, hook->pointer,
				"The type of this hook is none that is known: it may never run.");
	}
	check_timeout(s, hook);
	if (at_json_is(s->doc, at_json_member(s->doc, hook->node, "command"), AT_JSON_STRING))
		at_settings_command(s, hook);
}

static void check_group(struct at_settings *s, uint32_t group, const char *pointer, int event)
{
	uint32_t matcher = at_json_member(s->doc, group, "matcher");
	uint32_t hooks = at_json_member(s->doc, group, "hooks");
	uint32_t index = 0;

	if (events[event].has_tool && at_json_is(s->doc, matcher, AT_JSON_STRING))
		check_matcher(s, matcher, at_arena_printf(s->arena, "%s/matcher", pointer));
	if (!at_json_is(s->doc, hooks, AT_JSON_ARRAY))
		return;
	if (s->doc->nodes[hooks].count == 0)
		at_settings_say(s, AT_SF_HOOK_EMPTY, group, pointer, "This group holds no hook.");
	at_json_each(s->doc, i, hooks) {
		struct at_settings_hook hook = { i,
			at_arena_printf(s->arena, "%s/hooks/%u", pointer, index++),
			events[event].name, events[event].can_block };

		check_entry(s, &hook);
	}
}

static void check_event(struct at_settings *s, uint32_t node, int event)
{
	uint32_t index = 0;

	if (!at_json_is(s->doc, node, AT_JSON_ARRAY))
		return;
	if (strcmp(events[event].name, "PostToolUse") == 0 && s->doc->nodes[node].count > 0)
		at_settings_say(s, AT_SF_POST_HOOK, node, NULL,
			"PostToolUse hooks run when the tool has done its work: they can report, "
			"not stop.");
	at_json_each(s->doc, group, node)
		check_group(s, group, at_arena_printf(s->arena, "/hooks/%s/%u", events[event].name,
			index++), event);
}

void at_settings_hooks(struct at_settings *s)
{
	uint32_t hooks = at_json_at(s->doc, "hooks");
	uint32_t off = at_json_at(s->doc, "disableAllHooks");
	uint32_t guards = at_json_at(s->doc, "hooks.PreToolUse");

	if (at_json_is(s->doc, off, AT_JSON_TRUE))
		at_settings_say(s, AT_SF_HOOKS_OFF, off, NULL,
			"disableAllHooks is true: no hook of any settings file below this one "
			"runs.");
	if (guards == AT_JSON_NONE || s->doc->nodes[guards].count == 0)
		at_settings_say(s, AT_SF_HOOK_ABSENT, AT_JSON_NONE, NULL,
			"No PreToolUse hook here: nothing looks at a call before it runs.");
	if (!at_json_is(s->doc, hooks, AT_JSON_OBJECT))
		return;
	at_json_each(s->doc, node, hooks) {
		struct at_bytes key = at_json_key(s->doc, node, s->arena);
		int event = find_event(key.data, key.len);

		if (at_settings_is_dead(s, node))
			continue;
		if (event < 0)
			say_unknown_event(s, node, key);
		else
			check_event(s, node, event);
	}
}
