#include "emit/claude_wiring.h"

#include <string.h>

#include "core/mem.h"
#include "core/steering.h"
#include "emit/notices.h"
#include "emit/stale.h"

#define MERGE "Run atconsole --merge."

static void list_of(struct at_text_list *out, const struct at_json *doc, const char *dotted,
	const struct at_wiring_check *check)
{
	at_text_list_of_json(out, doc, dotted, check->report->arena);
}

/* Paths count as equal when they name the same place, rules when they are spelled so. */
static void add_item(struct at_set *set, const char *text, bool is_path,
	const struct at_project *project)
{
	char place[PATH_MAX];

	if (!is_path)
		at_set_add(set, text);
	else if (at_notice_place(place, text, project))
		at_set_add(set, place);
}

static bool has_item(const struct at_set *set, const char *text, bool is_path,
	const struct at_project *project)
{
	char place[PATH_MAX];

	if (!is_path)
		return at_set_has(set, text);
	return at_notice_place(place, text, project) && at_set_has(set, place);
}

/* The strings at `dotted` in `of` that `in` lacks. */
static void lacking(struct at_text_list *out, const struct at_wiring_check *check,
	const struct at_json *of, const struct at_json *in, const char *dotted, bool is_path)
{
	struct at_text_list wanted = { 0 }, there = { 0 };
	struct at_set set = { 0 };

	list_of(&wanted, of, dotted, check);
	list_of(&there, in, dotted, check);
	for (size_t i = 0; i < there.count; i++)
		add_item(&set, there.items[i], is_path, check->project);
	for (size_t i = 0; i < wanted.count; i++)
		if (!has_item(&set, wanted.items[i], is_path, check->project))
			at_text_list_add(out, wanted.items[i]);
	at_text_list_free(&wanted);
	at_text_list_free(&there);
	at_set_free(&set);
}

static const struct {
	const char *dotted, *pointer, *id, *text;
	bool is_path;
} supersets[] = {
	{ "sandbox.filesystem.denyWrite", "#/sandbox/filesystem/denyWrite", "deny-write-lacking",
		"denyWrite lacks", true },
	{ "sandbox.filesystem.denyRead", "#/sandbox/filesystem/denyRead", "deny-read-lacking",
		"denyRead lacks", true },
	{ "permissions.deny", "#/permissions/deny", "permission-rules-lacking",
		"permissions.deny lacks", false },
};

static bool check_supersets(const struct at_wiring_check *check)
{
	bool fine = true;

	for (size_t i = 0; i < AT_LEN(supersets); i++) {
		struct at_text_list missing = { 0 };
		struct at_buf text = { 0 };

		lacking(&missing, check, check->example, &check->live->doc, supersets[i].dotted,
			supersets[i].is_path);
		at_text_list_print(&text, &missing);
		if (missing.count > 0) {
			const char *where = at_arena_printf(check->report->arena,
				AT_LIVE_SETTINGS "%s", supersets[i].pointer);

			at_wiring_add(check->report, supersets[i].id, AT_FAIL, where, MERGE,
				"%s %s.", supersets[i].text, at_buf_text(&text));
			fine = false;
		}
		at_buf_free(&text);
		at_text_list_free(&missing);
	}
	return fine;
}

/* KEY-13: named as what they are, besides that the lists differ. */
static bool check_stale(const struct at_wiring_check *check)
{
	struct at_text_list stale = { 0 };
	bool fine;

	at_stale_of_example(&stale, &check->live->doc, check->example, check->project,
		check->report->arena);
	for (size_t i = 0; i < stale.count; i++)
		at_wiring_add(check->report, "stale-widening", AT_FAIL,
			AT_LIVE_SETTINGS "#/sandbox/filesystem",
			"Take it out in atconsole --merge, or have it granted or named in the brief.",
			"STALE WIDENING: '%s' is open and no root of the brief and no valid grant "
			"explains it.", stale.items[i]);
	fine = stale.count == 0;
	at_text_list_free(&stale);
	return fine;
}

/* A widening is called one, and nobody is told to merge it without looking. */
static bool check_roots(const struct at_wiring_check *check)
{
	static const char dotted[] = "sandbox.filesystem.allowWrite";
	static const char where[] = AT_LIVE_SETTINGS "#/sandbox/filesystem/allowWrite";
	struct at_text_list gains = { 0 }, extra = { 0 };
	struct at_buf text = { 0 };
	bool fine;

	lacking(&gains, check, check->example, &check->live->doc, dotted, true);
	lacking(&extra, check, &check->live->doc, check->example, dotted, true);
	fine = extra.count == 0; /* a root that the live file lacks leaves it the tighter one */
	if (gains.count > 0) {
		at_text_list_print(&text, &gains);
		at_wiring_add(check->report, "write-roots-widen", AT_FAIL, where,
			"Review who asked for them before anything is put in force.",
			"The example WIDENS allowWrite by %s.", at_buf_text(&text));
	}
	text.len = 0;
	if (extra.count > 0) {
		at_text_list_print(&text, &extra);
		at_wiring_add(check->report, "write-roots-differ", AT_FAIL, where,
			"Re-merge the example, or name them in the brief.",
			"The write roots differ: the live file also opens %s.", at_buf_text(&text));
	}
	at_buf_free(&text);
	at_text_list_free(&gains);
	at_text_list_free(&extra);
	return fine;
}

/* core/settings_check says what is wrong with these; here they only count. */
static bool are_switches_set(const struct at_wiring_check *check)
{
	uint32_t wanted = at_json_at(check->example, "sandbox.failIfUnavailable");

	return at_live_is_true(check->live, "sandbox.enabled") &&
		at_live_is_false(check->live, "sandbox.allowUnsandboxedCommands") &&
		(wanted == AT_JSON_NONE ||
			at_live_is_true(check->live, "sandbox.failIfUnavailable"));
}

void at_claude_check_block(const struct at_wiring_check *check)
{
	struct at_wiring *report = check->report;
	bool fine;

	if (!check->has_sandbox) {
		report->is_configured = true;
		return;
	}
	if (!at_json_is(&check->live->doc, at_json_at(&check->live->doc, "sandbox"),
		    AT_JSON_OBJECT)) {
		at_wiring_add(report, "not-merged", AT_FAIL, AT_LIVE_SETTINGS, MERGE,
			"Emitted, not wired: the live settings have no sandbox block.");
		return;
	}
	fine = are_switches_set(check);
	fine = check_roots(check) && fine;
	fine = check_stale(check) && fine;
	report->is_configured = check_supersets(check) && fine;
}

enum test { IS_TRUE, IS_FALSE, IS_FILLED, IS_BYPASS, ADDS_PATHS, EDITS_OUTSIDE };

/* Whose word undoes. What the project's file says of a compared key is compared above. */
enum whose {
	ANYONE,
	NOT_PROJECT, /* compared above */
	HIGHER,      /* managed and local: an operator may mean it in the other two */
	MANAGED,
};

/* What takes a merged block back. */
static const struct {
	const char *dotted;
	enum test test;
	enum whose whose;
	bool of_sandbox;  /* means something only where a boundary was asked for; else hooks */
	const char *what; /* what it does */
} undoing[] = {
	{ "sandbox.enabled", IS_FALSE, NOT_PROJECT, true, "switches the sandbox off" },
	{ "sandbox.allowUnsandboxedCommands", IS_TRUE, NOT_PROJECT, true,
		"lets commands run outside" },
	{ "sandbox.failIfUnavailable", IS_FALSE, NOT_PROJECT, true,
		"lets the client run unconfined" },
	{ "sandbox.excludedCommands", IS_FILLED, ANYONE, true, "runs commands outside" },
	{ "sandbox.enableWeakerNestedSandbox", IS_TRUE, ANYONE, true, "weakens the sandbox" },
	{ "sandbox.enableWeakerNetworkIsolation", IS_TRUE, HIGHER, true,
		"weakens the network's isolation" },
	{ "sandbox.network.allowAllUnixSockets", IS_TRUE, ANYONE, true,
		"opens every local socket, and what listens there is outside" },
	{ "sandbox.network.allowedDomains", IS_FILLED, HIGHER, true, "opens hosts of the network" },
	{ "sandbox.network.allowLocalBinding", IS_TRUE, HIGHER, true, "opens local ports" },
	{ "sandbox.filesystem.allowWrite", ADDS_PATHS, NOT_PROJECT, true, "opens more to writing" },
	{ "sandbox.filesystem.allowRead", ADDS_PATHS, ANYONE, true, "opens denied reads again" },
	{ "disableAllHooks", IS_TRUE, ANYONE, false, "switches the gate off" },
	{ "allowManagedHooksOnly", IS_TRUE, MANAGED, false, "switches the gate off" },
	{ "permissions.defaultMode", IS_BYPASS, ANYONE, true, "asks for bypass mode" },
	{ "permissions.additionalDirectories", IS_FILLED, ANYONE, true, "opens more directories" },
	{ "permissions.allow", EDITS_OUTSIDE, ANYONE, true, "opens places outside to writing" },
};

/* "~/x", "//x" from the root, and what climbs out of the project. */
static bool leads_outside(const char *pattern)
{
	if (*pattern == '~' || strncmp(pattern, "//", 2) == 0)
		return true;
	for (const char *part = pattern; *part; part += strspn(part, "/")) {
		size_t len = strcspn(part, "/)");

		if (len == 2 && strncmp(part, "..", 2) == 0)
			return true;
		part += len;
		if (*part == ')')
			return false;
	}
	return false;
}

static bool edits_outside(const struct at_json *doc, uint32_t array)
{
	static const char *const rules[] = { "Edit", "Edit(*)", "Edit(**)", "Write", "Write(*)",
		"Write(**)", "*" };

	struct at_arena *arena; /* its own: the rules may be many, and the report lives long */
	bool does = false;

	if (!at_json_is(doc, array, AT_JSON_ARRAY))
		return false;
	arena = at_arena_new();
	for (uint32_t i = at_json_first(doc, array); i != AT_JSON_NONE && !does;
		i = doc->nodes[i].next) {
		const char *text = at_json_is(doc, i, AT_JSON_STRING)
			? at_json_string(doc, i, arena).data : "";

		does = strncmp(text, "Edit(", 5) == 0 && leads_outside(text + 5);
		for (size_t k = 0; k < AT_LEN(rules); k++)
			does |= strcmp(text, rules[k]) == 0;
	}
	at_arena_free(arena);
	return does;
}

static bool holds(const struct at_wiring_check *check, const struct at_json *doc, size_t row)
{
	uint32_t node = at_json_at(doc, undoing[row].dotted);
	struct at_text_list added = { 0 };
	bool adds;

	switch (undoing[row].test) {
	case IS_TRUE:
		return at_json_is(doc, node, AT_JSON_TRUE);
	case IS_FALSE:
		return at_json_is(doc, node, AT_JSON_FALSE);
	case IS_FILLED:
		return at_json_is(doc, node, AT_JSON_ARRAY) && doc->nodes[node].count > 0;
	case IS_BYPASS:
		return at_json_is(doc, node, AT_JSON_STRING) &&
			at_json_string_is(doc, node, "bypassPermissions");
	case EDITS_OUTSIDE:
		return edits_outside(doc, node);
	case ADDS_PATHS:
		lacking(&added, check, doc, check->example, undoing[row].dotted, true);
		adds = added.count > 0;
		at_text_list_free(&added);
		return adds;
	}
	return false;
}

static const char *pointer_of(const char *name, const char *dotted, struct at_arena *arena)
{
	char *where = at_arena_printf(arena, "%s#/%s", name, dotted);

	for (char *p = strchr(where, '#'); *p; p++)
		if (*p == '.')
			*p = '/';
	return where;
}

static void say_undone(const struct at_wiring_check *check, const struct at_scope_file *file,
	const char *dotted, const char *what)
{
	static const char *const ids[AT_SCOPE_COUNT] = {
		[AT_SCOPE_MANAGED] = "undone-by-managed",
		[AT_SCOPE_COMMAND_LINE] = "undone-by-command-line",
		[AT_SCOPE_LOCAL] = "undone-by-local",
		[AT_SCOPE_PROJECT] = "undone-in-settings",
		[AT_SCOPE_USER] = "undone-by-user",
	};
	struct at_wiring *report = check->report;

	at_wiring_add(report, ids[file->scope], AT_FAIL,
		pointer_of(file->name, dotted, report->arena), "Remove it.", "%s in %s %s.", dotted,
		file->name, what);
	report->undone = true;
	if (!report->undone_by)
		report->undone_by = at_arena_strdup(report->arena, file->name);
}

static void check_env(const struct at_wiring_check *check, const struct at_scope_file *file)
{
	const struct at_json *doc = &file->live.doc;
	uint32_t env = at_json_member(doc, AT_JSON_ROOT, "env");

	if (!at_json_is(doc, env, AT_JSON_OBJECT))
		return;
	at_json_each(doc, i, env) {
		struct at_bytes variable = at_json_key(doc, i, check->report->arena);
		const char *does = at_steering_of(variable); /* by name alone: values may be secrets */

		/* Where the gate's record goes takes nothing back: it has a check of its own. */
		if (does && !at_bytes_equal_text(variable, AT_GATE_LOG))
			say_undone(check, file,
				at_arena_printf(check->report->arena, "env.%s", variable.data),
				does);
	}
}

static bool may_undo(enum whose whose, enum at_scope scope)
{
	switch (whose) {
	case ANYONE:
		return true;
	case NOT_PROJECT:
		return scope != AT_SCOPE_PROJECT;
	case HIGHER:
		return scope == AT_SCOPE_MANAGED || scope == AT_SCOPE_LOCAL;
	case MANAGED:
		return scope == AT_SCOPE_MANAGED;
	}
	return true;
}

/* Lists are unions, every file's entries count; of single values only the strongest does. */
static bool is_union(enum test test)
{
	return test == IS_FILLED || test == ADDS_PATHS || test == EDITS_OUTSIDE;
}

static void check_row(struct at_wiring_check *check, size_t row)
{
	const struct at_scope_file *winner = at_scopes_winner(check->scopes, undoing[row].dotted);

	for (size_t i = 0; i < check->scopes->count; i++) {
		const struct at_scope_file *file = &check->scopes->files[i];

		if (!file->loads || !may_undo(undoing[row].whose, file->scope) ||
			(!is_union(undoing[row].test) && file != winner) ||
			!holds(check, &file->live.doc, row))
			continue;
		check->hooks_are_off |= !undoing[row].of_sandbox;
		say_undone(check, file, undoing[row].dotted, undoing[row].what);
	}
}

void at_claude_check_undone(struct at_wiring_check *check)
{
	for (size_t i = 0; i < AT_LEN(undoing); i++)
		if (check->has_sandbox || !undoing[i].of_sandbox)
			check_row(check, i);
	for (size_t i = 0; check->has_sandbox && i < check->scopes->count; i++) {
		const struct at_scope_file *file = &check->scopes->files[i];

		if (file->loads && may_undo(HIGHER, file->scope))
			check_env(check, file);
	}
}
