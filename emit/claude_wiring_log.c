/* The gate's log: it proves something only where no session can rewrite it. (GATE-10)
 *
 * Its path is a value of an environment: it is compared and never shown. (WIRE-5)
 */
#include "emit/claude_wiring.h"

#include <string.h>

#include "core/mem.h"
#include "core/path.h"
#include "emit/notices.h"

#define VARIABLE "env." AT_GATE_LOG

/* What the gate would write, or NULL: a file that gives the variable as a text. */
static const char *log_of(const struct at_scope_file *file, struct at_arena *arena)
{
	const struct at_json *doc = &file->live.doc;
	uint32_t node = file->loads ? at_json_at(doc, VARIABLE) : AT_JSON_NONE;

	return at_json_is(doc, node, AT_JSON_STRING) ? at_json_string(doc, node, arena).data : NULL;
}

/* `said` names a place at or above the log, wherever links lead. */
static bool is_above(const char *said, const char *log)
{
	char place[PATH_MAX], real[PATH_MAX];

	return at_path_is_inside(log, said)
		|| (at_path_physical(place, said) && at_path_physical(real, log)
			&& at_path_is_inside(real, place));
}

static bool denies_write(const char *entry, const char *log, const struct at_project *project)
{
	char said[PATH_MAX];

	return at_notice_place(said, entry, project) && is_above(said, log);
}

/* "Edit", and "Edit(//x)", "Edit(~/x)" with or without stars for what is below. A rule with one
 * slash, or none, is about the project, where no log may be. */
static bool denies_edit(const char *rule, const char *log, const struct at_project *project)
{
	char plain[PATH_MAX], said[PATH_MAX];
	size_t len = strlen(rule);

	if (strcmp(rule, "Edit") == 0)
		return true;
	if (strncmp(rule, "Edit(", 5) != 0 || rule[len - 1] != ')' || len >= sizeof(plain))
		return false;
	rule += 5;
	len -= 6;
	if (*rule != '~' && strncmp(rule, "//", 2) != 0)
		return false;
	if (*rule == '/') {
		rule++;
		len--;
	}
	memcpy(plain, rule, len);
	plain[len] = '\0';
	for (int stars = 0; stars < 2 && len > 2 && plain[len - 1] == '*'; stars++)
		plain[--len] = '\0';
	return !strpbrk(plain, "*?[")
		&& at_path_absolute(said, plain, project->path, project->host->home)
		&& is_above(said, log);
}

/* Lists are unions of every file that the client loads. */
static bool is_denied(const struct at_wiring_check *check, const char *dotted, const char *log,
	bool (*denies)(const char *, const char *, const struct at_project *))
{
	struct at_arena *arena = at_arena_new(); /* its own: the report lives long */
	bool does = false;

	for (size_t f = 0; f < check->scopes->count && !does; f++) {
		struct at_text_list list = { 0 };

		if (!check->scopes->files[f].loads)
			continue;
		at_text_list_of_json(&list, &check->scopes->files[f].live.doc, dotted, arena);
		for (size_t i = 0; i < list.count && !does; i++)
			does = denies(list.items[i], log, check->project);
		at_text_list_free(&list);
	}
	at_arena_free(arena);
	return does;
}

static void check_log(const struct at_wiring_check *check, const struct at_scope_file *file,
	const char *log)
{
	struct at_wiring *report = check->report;
	const char *where = at_arena_printf(report->arena, "%s#/env/" AT_GATE_LOG, file->name);
	bool by_commands, by_tools;

	if (*log != '/' || is_above(check->project->path, log)) {
		at_wiring_add(report, "gate-log-place", AT_FAIL, where,
			"Name a file outside the project, by an absolute path without ~.",
			"The gate writes no log: " AT_GATE_LOG " %s.",
			*log != '/' ? "is no absolute path" : "leads into the project");
		return;
	}
	by_commands = !is_denied(check, "sandbox.filesystem.denyWrite", log, denies_write);
	by_tools = !is_denied(check, "permissions.deny", log, denies_edit);
	if (by_commands || by_tools)
		at_wiring_add(report, "gate-log-writable", AT_FAIL, where,
			"Add its directory /DIR to sandbox.filesystem.denyWrite, and "
			"Edit(//DIR/**) to permissions.deny.",
			"The gate's log can be rewritten by the session that it records: %s.",
			!by_tools ? "no denyWrite covers its path, so commands may write it"
			: !by_commands ? "no Edit(…) deny rule covers its path, so the file tools may "
					 "write it"
				: "neither denyWrite nor an Edit(…) deny rule covers its path");
}

void at_claude_check_gate_log(const struct at_wiring_check *check)
{
	const struct at_scope_file *winner = at_scopes_winner(check->scopes, VARIABLE);
	struct at_arena *arena = at_arena_new();
	const char *used = winner ? log_of(winner, arena) : NULL;

	for (size_t i = 0; i < check->scopes->count; i++) {
		const struct at_scope_file *file = &check->scopes->files[i];
		const char *log = log_of(file, arena);

		if (!log || !*log)
			continue;
		check_log(check, file, log);
		if (file != winner && (!used || strcmp(used, log) != 0))
			at_wiring_add(check->report, "gate-log-overridden", AT_WARN,
				at_arena_printf(
					check->report->arena, "%s#/env/" AT_GATE_LOG, winner->name),
				"Remove it from one of the two.",
				"%s in %s takes the place of the one in %s: the record goes %s.",
				AT_GATE_LOG, winner->name, file->name,
				used && *used ? "elsewhere" : "nowhere");
	}
	at_arena_free(arena);
}
