#include "core/effects.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/path.h"
#include "core/steering.h"

const char *at_effect_word(enum at_effect effect)
{
	static const char *const words[] = { "tightens", "neutral", "WIDENS", "RELAXES" };

	return words[effect];
}

const char *at_op_word(enum at_op op)
{
	return op == AT_ADDED ? "add" : op == AT_REMOVED ? "remove" : "change";
}

/* What a row asks of the change besides its path. */
enum test {
	ANY,
	TO_TRUE,
	NOT_TO_TRUE, /* to anything else, or gone */
	TO_FALSE,
	NOT_TO_FALSE,
	ROOT_COVERED, /* an existing root holds it already */
	ROOT_OUTSIDE,
	STALE_PATH, /* an entry whose path is gone */
	GATE,       /* a hook group that runs our gate */
	LOOSER_MODE,
	STEERING_NAME, /* an environment name that steers the client or its keys */
	LOOKS_ACTIVE,  /* a command, a list of paths, a boolean named like a switch */
};

static const char *const test_words[] = {
	[ANY] = "",
	[TO_TRUE] = "to true",
	[NOT_TO_TRUE] = "away from true",
	[TO_FALSE] = "to false",
	[NOT_TO_FALSE] = "away from false",
	[ROOT_COVERED] = "inside an existing root",
	[ROOT_OUTSIDE] = "outside the project",
	[STALE_PATH] = "its path is gone",
	[GATE] = "runs the gate",
	[LOOSER_MODE] = "toward bypassPermissions, acceptEdits, auto",
	[STEERING_NAME] = "steers the client, its endpoint, loader, proxy or keys",
	[LOOKS_ACTIVE] = "a command, a list of paths or a switch",
};

struct row {
	const char *pattern; /* '*' in a segment matches any text, "**" any rest */
	unsigned ops;
	enum test test;
	enum at_effect effect;
	const char *why;
};

#define ALL (AT_ADDED | AT_REMOVED | AT_CHANGED)
#define SET (AT_ADDED | AT_CHANGED)

static const char runs_outside[] = "a command the client runs outside the sandbox";
static const char display[] = "display or model choice";

static const struct row rows[] = {
	{ "sandbox", AT_ADDED, ANY, AT_TIGHTENS,
		"turns the sandbox on, with roots inside the project" },
	{ "sandbox", AT_REMOVED, ANY, AT_RELAXES, "takes the sandbox away" },
	{ "sandbox/enabled", SET, TO_TRUE, AT_TIGHTENS, "turns the sandbox on" },
	{ "sandbox/enabled", ALL, NOT_TO_TRUE, AT_RELAXES, "turns the sandbox off" },
	{ "sandbox/failIfUnavailable", SET, TO_TRUE, AT_TIGHTENS,
		"no session starts without a working sandbox" },
	{ "sandbox/failIfUnavailable", ALL, NOT_TO_TRUE, AT_RELAXES,
		"without its tools the session runs unconfined" },
	{ "sandbox/allowUnsandboxedCommands", SET, TO_FALSE, AT_TIGHTENS,
		"closes the escape hatch" },
	{ "sandbox/allowUnsandboxedCommands", ALL, NOT_TO_FALSE, AT_RELAXES,
		"a blocked command may be retried outside" },
	{ "sandbox/excludedCommands/[]", AT_ADDED, ANY, AT_WIDENS,
		"the command runs outside the sandbox" },
	{ "sandbox/excludedCommands/[]", AT_REMOVED, ANY, AT_TIGHTENS,
		"the command is confined again" },
	{ "sandbox/enableWeakerNestedSandbox", SET, TO_TRUE, AT_WIDENS, "a weaker sandbox" },
	{ "sandbox/enableWeakerNestedSandbox", ALL, NOT_TO_TRUE, AT_TIGHTENS,
		"the full sandbox again" },
	{ "sandbox/network/allow*/[]", AT_ADDED, ANY, AT_WIDENS, "opens the network" },
	{ "sandbox/network/allow*/[]", AT_REMOVED, ANY, AT_TIGHTENS, "closes it again" },
	{ "sandbox/network/allow*", SET, TO_TRUE, AT_WIDENS, "opens the network" },
	{ "sandbox/network/allow*", ALL, NOT_TO_TRUE, AT_TIGHTENS, "closes it again" },
	{ "sandbox/ignoreViolations/**", SET, ANY, AT_WIDENS, "violations pass unseen" },
	{ "sandbox/ignoreViolations/**", AT_REMOVED, ANY, AT_TIGHTENS,
		"violations are reported again" },
	{ "sandbox/filesystem/allow*/[]", AT_ADDED, ROOT_OUTSIDE, AT_WIDENS,
		"opens a place outside the project" },
	{ "sandbox/filesystem/allow*/[]", AT_ADDED, ROOT_COVERED, AT_NEUTRAL,
		"an existing root holds it already" },
	{ "sandbox/filesystem/allow*/[]", AT_ADDED, ANY, AT_WIDENS, "opens one more place" },
	{ "sandbox/filesystem/allow*/[]", AT_REMOVED, ANY, AT_TIGHTENS, "one open place fewer" },
	{ "sandbox/filesystem/deny*/[]", AT_ADDED, ANY, AT_TIGHTENS, "closes one more place" },
	{ "sandbox/filesystem/deny*/[]", AT_REMOVED, STALE_PATH, AT_NEUTRAL,
		"stale: nothing is at this path any more" },
	{ "sandbox/filesystem/deny*/[]", AT_REMOVED, ANY, AT_RELAXES, "opens what was closed" },
	{ "permissions/deny/[]", AT_ADDED, ANY, AT_TIGHTENS,
		"the built-in tools are refused this" },
	{ "permissions/deny/[]", AT_REMOVED, ANY, AT_RELAXES,
		"the built-in tools may do this again" },
	{ "permissions/allow/[]", AT_ADDED, ANY, AT_WIDENS, "no question is asked any more" },
	{ "permissions/allow/[]", AT_REMOVED, ANY, AT_TIGHTENS, "a question is asked again" },
	{ "permissions/additionalDirectories/[]", AT_ADDED, ANY, AT_WIDENS, "opens a directory" },
	{ "permissions/additionalDirectories/[]", AT_REMOVED, ANY, AT_TIGHTENS,
		"closes a directory" },
	{ "permissions/ask/[]", AT_ADDED, ANY, AT_TIGHTENS, "a question is asked" },
	{ "permissions/ask/[]", AT_REMOVED, ANY, AT_RELAXES, "no question is asked any more" },
	{ "permissions/defaultMode", SET, LOOSER_MODE, AT_WIDENS, "a mode that asks less" },
	{ "permissions/defaultMode", ALL, ANY, AT_TIGHTENS, "a mode that asks" },
	{ "permissions/disableBypassPermissionsMode", SET, ANY, AT_TIGHTENS,
		"no session may bypass the rules" },
	{ "permissions/disableBypassPermissionsMode", AT_REMOVED, ANY, AT_RELAXES,
		"a session may bypass the rules" },
	{ "hooks/PreToolUse/[]", AT_ADDED, GATE, AT_TIGHTENS, "the gate sees tool calls" },
	{ "hooks/PreToolUse/[]", AT_REMOVED, GATE, AT_RELAXES,
		"the gate no longer sees tool calls" },
	{ "hooks/*/[]", SET, ANY, AT_WIDENS, runs_outside },
	{ "hooks/*/[]", AT_REMOVED, ANY, AT_NEUTRAL, "a command fewer runs" },
	{ "disableAllHooks", SET, TO_TRUE, AT_RELAXES, "no hook runs" },
	{ "disableAllHooks", ALL, ANY, AT_TIGHTENS, "hooks run again" },
	{ "disableSandbox*", SET, TO_TRUE, AT_RELAXES, "turns the sandbox off" },
	{ "disableSandbox*", ALL, ANY, AT_TIGHTENS, "no longer turns the sandbox off" },
	{ "env/AGENTTEAMS_GATE_LOG", AT_CHANGED | AT_REMOVED, ANY, AT_RELAXES,
		"the gate's record goes elsewhere, or is no more" },
	{ "env/AGENTTEAMS_GATE_LOG_KEY", AT_CHANGED | AT_REMOVED, ANY, AT_RELAXES,
		"the gate's record no longer holds what the old key proves" },
	{ "env/*", SET, STEERING_NAME, AT_WIDENS,
		"steers the client, its endpoint, its loader or its keys" },
	{ "env/*", ALL, ANY, AT_NEUTRAL, "an environment variable" },
	{ "mcpServers/**", SET, ANY, AT_WIDENS, runs_outside },
	{ "enableAllProjectMcpServers", SET, ANY, AT_WIDENS, runs_outside },
	{ "enabledMcpjsonServers/[]", SET, ANY, AT_WIDENS, runs_outside },
	{ "statusLine/**", SET, ANY, AT_WIDENS, runs_outside },
	{ "*Helper", SET, ANY, AT_WIDENS, runs_outside },
	{ "$schema", ALL, ANY, AT_NEUTRAL, display },
	{ "model", ALL, ANY, AT_NEUTRAL, display },
	{ "theme", ALL, ANY, AT_NEUTRAL, display },
	{ "**", ALL, LOOKS_ACTIVE, AT_NEUTRAL, "unknown, read it" },
	{ "**", ALL, ANY, AT_NEUTRAL, "no protective meaning known" },
};

static bool segment_matches(const char *pattern, size_t pattern_len, const char *text, size_t len)
{
	const char *star = memchr(pattern, '*', pattern_len);
	size_t head, tail;

	if (!star)
		return pattern_len == len && memcmp(pattern, text, len) == 0;
	head = (size_t)(star - pattern);
	tail = pattern_len - head - 1;
	return len >= head + tail && memcmp(pattern, text, head) == 0
		&& memcmp(star + 1, text + len - tail, tail) == 0;
}

static bool path_matches(const char *pattern, const char *path)
{
	for (;;) {
		size_t p = strcspn(pattern, "/"), t = strcspn(path, "/");

		if (strcmp(pattern, "**") == 0)
			return true;
		if (!segment_matches(pattern, p, path, t))
			return false;
		pattern += p;
		path += t;
		if (!*pattern && !*path)
			return true;
		if (strcmp(pattern, "/**") == 0)
			return true; /* "x" itself is in "x and below" too */
		if (!*pattern || !*path)
			return false;
		pattern++;
		path++;
	}
}

static const char *text_of(struct at_effect_value value, struct at_arena *arena)
{
	if (!value.doc || !at_json_is(value.doc, value.node, AT_JSON_STRING))
		return NULL;
	return at_json_string(value.doc, value.node, arena).data;
}

static bool is_kind(struct at_effect_value value, enum at_json_kind kind)
{
	return value.doc && at_json_is(value.doc, value.node, kind);
}

/* `path` as an absolute physical place; false for what is no text or ~user. */
static bool place_of(char out[PATH_MAX], struct at_effect_value value,
	const struct at_root_place *place, struct at_arena *arena)
{
	char absolute[PATH_MAX];
	const char *text = text_of(value, arena);

	return text && at_path_absolute(absolute, text, place->project, place->home)
		&& at_path_physical(out, absolute);
}

static bool is_outside(struct at_effect_value value, const struct at_effect_context *context,
	struct at_arena *arena)
{
	const char *text = text_of(value, arena);

	return !text || at_write_root_is_external(text, &context->place);
}

static bool is_covered(struct at_effect_value value, const struct at_effect_context *context,
	struct at_arena *arena)
{
	const struct at_effect_value *roots = &context->live_roots;
	char wanted[PATH_MAX], root[PATH_MAX];

	if (!place_of(wanted, value, &context->place, arena))
		return false;
	/* Measured: without allowWrite the client lets the whole project be written. */
	if (!roots->doc || !at_json_is(roots->doc, roots->node, AT_JSON_ARRAY)
		|| roots->doc->nodes[roots->node].count == 0)
		return at_path_is_inside(wanted, context->place.project);
	at_json_each(roots->doc, i, roots->node) {
		struct at_effect_value one = { roots->doc, i };

		if (place_of(root, one, &context->place, arena) && at_path_is_inside(wanted, root))
			return true;
	}
	return false;
}

static bool is_stale(struct at_effect_value value, const struct at_effect_context *context,
	struct at_arena *arena)
{
	char absolute[PATH_MAX], real[PATH_MAX];
	const char *text = text_of(value, arena);

	/* realpath() as the question whether anything is there at all. */
	return text && at_path_absolute(absolute, text, context->place.project, context->place.home)
		&& !realpath(absolute, real);
}

bool at_effect_is_gate(const struct at_json *doc, uint32_t group)
{
	uint32_t hooks = at_json_member(doc, group, "hooks");

	if (!at_json_is(doc, hooks, AT_JSON_ARRAY))
		return false;
	at_json_each(doc, i, hooks) {
		uint32_t command = at_json_member(doc, i, "command");
		struct at_bytes raw;

		if (!at_json_is(doc, command, AT_JSON_STRING))
			continue;
		raw = at_json_raw(doc, command);
		if (memmem(raw.data, raw.len, "constitutional-gate.", 20))
			return true;
	}
	return false;
}

static bool is_looser_mode(struct at_effect_value value, struct at_arena *arena)
{
	const char *mode = text_of(value, arena);

	return !mode || strcmp(mode, "bypassPermissions") == 0 || strcmp(mode, "acceptEdits") == 0
		|| strcmp(mode, "auto") == 0;
}

static bool is_steering(const char *path)
{
	const char *name = strchr(path, '/');

	return !name || at_steering_of(at_bytes_of(name + 1));
}

static bool looks_active(const char *path, struct at_effect_value value)
{
	static const char *const words[] = {
		"command", "Command", "path", "Path", "Dir", "enable", "disable", "allow", "skip",
		"bypass", "trust",
	};

	if (!value.doc || value.node == AT_JSON_NONE || is_kind(value, AT_JSON_NULL))
		return false;
	for (size_t i = 0; i < AT_LEN(words); i++) {
		if (strstr(path, words[i]))
			return true;
	}
	return is_kind(value, AT_JSON_ARRAY) || is_kind(value, AT_JSON_OBJECT);
}

static bool holds(enum test test, const struct at_effect_change *change,
	const struct at_effect_context *context, struct at_arena *arena)
{
	/* What the change is about: what comes, or what goes. */
	struct at_effect_value value = change->op == AT_REMOVED ? change->before : change->after;

	switch (test) {
	case ANY:
		return true;
	case TO_TRUE:
		return is_kind(change->after, AT_JSON_TRUE);
	case NOT_TO_TRUE:
		return !is_kind(change->after, AT_JSON_TRUE);
	case TO_FALSE:
		return is_kind(change->after, AT_JSON_FALSE);
	case NOT_TO_FALSE:
		return !is_kind(change->after, AT_JSON_FALSE);
	case ROOT_COVERED:
		return is_covered(value, context, arena);
	case ROOT_OUTSIDE:
		return is_outside(value, context, arena);
	case STALE_PATH:
		return is_stale(value, context, arena);
	case GATE:
		return value.doc && at_effect_is_gate(value.doc, value.node);
	case LOOSER_MODE:
		return is_looser_mode(change->after, arena);
	case STEERING_NAME:
		return is_steering(change->path);
	case LOOKS_ACTIVE:
		return looks_active(change->path, value);
	}
	return false;
}

struct at_effect_verdict at_effect_judge(const struct at_effect_change *change,
	const struct at_effect_context *context)
{
	struct at_arena *arena = at_arena_new();
	struct at_effect_verdict verdict = { AT_NEUTRAL, "", false };

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct row *row = &rows[i];

		if (!(row->ops & change->op) || !path_matches(row->pattern, change->path)
			|| !holds(row->test, change, context, arena))
			continue;
		verdict = (struct at_effect_verdict){ row->effect, row->why,
			row->test == ROOT_OUTSIDE };
		break;
	}
	at_arena_free(arena);
	return verdict;
}

void at_effect_print_table(struct at_buf *out)
{
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		const struct row *row = &rows[i];

		at_buf_printf(out, "%s | %s%s%s%s%s | %s | %s\n", row->pattern,
			row->ops & AT_ADDED ? "+" : "", row->ops & AT_REMOVED ? "-" : "",
			row->ops & AT_CHANGED ? "~" : "", *test_words[row->test] ? " " : "",
			test_words[row->test], at_effect_word(row->effect), row->why);
	}
}
