#include "emit/claude_host.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/key_names.h"
#include "core/mem.h"
#include "core/path.h"

#define NAMES_MAX 50 /* of the environment; a hostile one must not fill the report */

enum at_trust at_claude_trust(const struct at_project *project)
{
	char path[PATH_MAX + sizeof("/.claude.json")];
	enum at_trust trust = AT_TRUST_NO;
	struct at_live file;
	uint32_t entry;

	snprintf(path, sizeof(path), "%s/.claude.json", project->host->home);
	if (!*project->host->home)
		return AT_TRUST_UNKNOWN;
	at_live_read_absolute(&file, project, path);
	if (file.exists && !file.is_object)
		trust = AT_TRUST_UNKNOWN;
	if (file.is_object) {
		entry = at_json_member(&file.doc, at_json_at(&file.doc, "projects"), project->path);
		if (at_json_is(&file.doc,
			    at_json_member(&file.doc, entry, "hasTrustDialogAccepted"),
			    AT_JSON_TRUE))
			trust = AT_TRUST_YES;
	}
	at_live_free(&file);
	return trust;
}

/* A program that the client would start, and what is wrong with it. */
struct tool {
	const char *name;
	const char *managed_key; /* managed settings may name it instead of PATH */
	char path[PATH_MAX];     /* "" when there is none */
	bool is_pinned;          /* by managed settings */
	const char *fault;       /* or NULL */
};

static const char *fault_of_one(const char *path, bool is_dir)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return is_dir ? "its directory cannot be looked at" : "it cannot be looked at";
	if (st.st_uid != 0)
		return is_dir ? "its directory does not belong to root"
			      : "it does not belong to root";
	if ((st.st_mode & S_IWOTH) || ((st.st_mode & S_IWGRP) && st.st_gid != 0))
		return is_dir ? "others than root can write its directory"
			      : "others than root can write it";
	return NULL;
}

/* The file, the directory it was found in, and those where a link leads. */
static const char *fault_of(const char *path)
{
	char physical[PATH_MAX], dir[PATH_MAX];
	const char *fault = fault_of_one(path, false);
	const char *paths[2] = { path, physical };

	if (path[0] != '/')
		return "it is found relative to where the session happens to be";
	if (!realpath(path, physical))
		return "it cannot be looked at";
	for (size_t i = 0; !fault && i < AT_LEN(paths); i++) {
		snprintf(dir, sizeof(dir), "%s", paths[i]);
		*strrchr(dir, '/') = '\0';
		fault = fault_of_one(*dir ? dir : "/", true);
	}
	return fault;
}

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* As execvp() searches: an empty part is the current directory. */
static void search(struct tool *tool, const char *search_path)
{
	for (const char *p = search_path;; p++) {
		size_t len = strcspn(p, ":");

		if (snprintf(tool->path, sizeof(tool->path), "%.*s%s%s", (int)len, p,
			    len ? "/" : "./", tool->name)
				< (int)sizeof(tool->path)
			&& is_program(tool->path))
			return;
		p += len;
		if (!*p)
			break;
	}
	tool->path[0] = '\0';
}

/* False where nothing may be looked at. */
static bool find_tool(struct tool *tool, const struct at_project *project,
	const struct at_scopes *scopes)
{
	const struct at_scope_file *by = at_scopes_winner(scopes, tool->managed_key);
	struct at_arena *arena;

	if (!project->host->search_path)
		return false;
	if (by && by->scope == AT_SCOPE_MANAGED) {
		arena = at_arena_new();
		snprintf(tool->path, sizeof(tool->path), "%s",
			at_json_string(&by->live.doc,
				at_json_at(&by->live.doc, tool->managed_key), arena).data);
		at_arena_free(arena);
		tool->is_pinned = true;
		if (!is_program(tool->path))
			tool->path[0] = '\0';
	} else {
		search(tool, project->host->search_path);
	}
	if (tool->path[0])
		tool->fault = fault_of(tool->path);
	return true;
}

static const struct {
	const char *name, *managed_key;
} tools[] = { { "bwrap", "sandbox.bwrapPath" }, { "socat", "sandbox.socatPath" } };

void at_claude_host_facts(struct at_effective *out, const struct at_project *project,
	const struct at_scopes *scopes)
{
	static const char *const trusts[] = {
		[AT_TRUST_NO] =
			"not accepted here: permissions.allow, additionalDirectories and servers "
			"of agent files are not honoured",
		[AT_TRUST_YES] = "accepted for this directory",
		[AT_TRUST_UNKNOWN] = "not known: ~/.claude.json cannot be read here",
	};

	for (size_t i = 0; project->host->platform == AT_LINUX && i < AT_LEN(tools); i++) {
		struct tool tool = { .name = tools[i].name, .managed_key = tools[i].managed_key };

		if (!find_tool(&tool, project, scopes))
			at_effective_add_fact(out, tool.name, false, "not looked for");
		else if (!tool.path[0])
			at_effective_add_fact(out, tool.name, true, "not found on PATH");
		else
			at_effective_add_fact(out, tool.name, tool.fault != NULL, "%s, %s",
				tool.path, tool.fault ? tool.fault : "root's alone");
	}
	at_effective_add_fact(out, "trust", false, "%s", trusts[at_claude_trust(project)]);
	at_effective_add_fact(out, "platform", false, "%s",
		at_platform_name(project->host->platform));
}

static bool fails_closed(const struct at_scopes *scopes)
{
	const struct at_scope_file *by = at_scopes_winner(scopes, "sandbox.failIfUnavailable");

	return by && at_live_is_true(&by->live, "sandbox.failIfUnavailable");
}

static void check_tool(struct at_wiring *report, const struct tool *tool, bool closed)
{
	if (!tool->path[0])
		at_wiring_add(report, "tool-missing", closed ? AT_WARN : AT_FAIL, tool->name,
			"Install bubblewrap and socat.", "%s is not found %s: %s.", tool->name,
			tool->is_pinned ? "where managed settings say" : "on PATH",
			closed ? "the client refuses to start"
			       : "the client goes on WITHOUT a sandbox");
	else if (tool->fault)
		at_wiring_add(report, "tool-foreign", AT_FAIL, tool->path,
			"Take it off PATH, or name root's own in managed settings (bwrapPath, socatPath).",
			"%s is the %s that a session would start, and %s: one that only runs the "
			"command defeats the whole sandbox.",
			tool->path, tool->name, tool->fault);
}

static void check_environment(struct at_wiring *report, char *const *environment)
{
	size_t said = 0;

	for (size_t i = 0; environment && environment[i] && said < NAMES_MAX; i++) {
		struct at_bytes name = { environment[i], strcspn(environment[i], "=") };
		bool signs = at_name_is_signing_key(name);

		if (!signs && !at_name_is_key_like(name))
			continue;
		said++;
		at_wiring_add(report, signs ? "env-signing-key" : "env-key-like",
			signs ? AT_FAIL : AT_WARN, "environment",
			signs ? "Unset it, and replace the key: a session may have read it."
			      : "Unset it where agents are started, unless the client needs it.",
			"%.*s is set where this program runs%s. Whatever is started from there inherits "
			"it: the client, its commands inside the sandbox too, hooks and MCP servers.",
			(int)name.len, name.data,
			signs ? ": a signing key must never be in an environment"
			      : " and looks like a key or a password");
	}
}

void at_claude_host_check(struct at_wiring *report, const struct at_project *project,
	const struct at_scopes *scopes, bool has_sandbox)
{
	enum at_trust trust = at_claude_trust(project);

	for (size_t i = 0;
		has_sandbox && project->host->platform == AT_LINUX && i < AT_LEN(tools); i++) {
		struct tool tool = { .name = tools[i].name, .managed_key = tools[i].managed_key };

		if (find_tool(&tool, project, scopes))
			check_tool(report, &tool, fails_closed(scopes));
	}
	if (trust != AT_TRUST_YES)
		at_wiring_add(report, trust == AT_TRUST_NO ? "project-untrusted" : "trust-unknown",
			AT_NOTE, "~/.claude.json", "",
			trust == AT_TRUST_NO
				? "The client has not been told to trust this directory: permissions.allow, "
				  "additionalDirectories and servers of agent files are not honoured; sandbox, "
				  "hooks and denials are."
				: "Whether the client trusts this directory cannot be told.");
	at_wiring_add(report, "start-directory", AT_NOTE, "",
		"Start sessions in the project's top.",
		"A session started in a subdirectory reads none of these files: no sandbox, no hook, "
		"no denial.");
	at_wiring_add(report, "command-line-unknown", AT_NOTE, "", "",
		"How a session is started is not known here: --settings, --setting-sources and "
		"--add-dir can switch all of this off.");
	check_environment(report, project->host->environment);
}
