#include "core/settings_parts.h"

#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/mem.h"
#include "core/path.h"

#define LIST(name) "sandbox.filesystem." name

/* Without these no shell starts: hiding one, or what holds it, ends every command in a
 * misleading "no such file". Re-opening parts of it was seen to fail as well. */
static const char *const needed[] = {
	"/bin", "/lib", "/lib64", "/usr/bin", "/usr/lib", "/usr/lib64", "/usr/sbin",
};

static void check_switches(struct at_settings *s, uint32_t sandbox)
{
	uint32_t enabled = at_json_member(s->doc, sandbox, "enabled");
	uint32_t fail = at_json_member(s->doc, sandbox, "failIfUnavailable");
	uint32_t retry = at_json_member(s->doc, sandbox, "allowUnsandboxedCommands");
	bool must_say = s->sandbox_is_on && s->is_main; /* a local file may leave it to the other */

	if (enabled == AT_JSON_NONE)
		at_settings_say(s, s->is_main ? AT_SF_SANDBOX_UNSET : AT_SF_SANDBOX_UNSET_LOCAL,
			sandbox, NULL, "The sandbox block does not say enabled: true.");
	else if (!s->sandbox_is_on)
		at_settings_say(s, AT_SF_SANDBOX_OFF, enabled, NULL,
			"The sandbox is switched off here.");
	if (fail == AT_JSON_NONE ? must_say : !at_json_is(s->doc, fail, AT_JSON_TRUE))
		at_settings_say(s, AT_SF_FAILS_OPEN, fail == AT_JSON_NONE ? sandbox : fail, NULL,
			"failIfUnavailable is not true: where bwrap or socat is missing the "
			"session starts and runs every command unconfined. "
			"allowUnsandboxedCommands does not close this.");
	if (retry == AT_JSON_NONE ? must_say : !at_json_is(s->doc, retry, AT_JSON_FALSE))
		at_settings_say(s, AT_SF_RETRY_OPEN, retry == AT_JSON_NONE ? sandbox : retry, NULL,
			"allowUnsandboxedCommands is not false: a command may ask to run outside, "
			"and in bypass mode it does so unasked.");
}

/* One row a switch that opens something when it is true. */
static const struct {
	const char *dotted;
	enum at_settings_finding what;
	const char *text;
} openings[] = {
	{ "sandbox.enableWeakerNestedSandbox", AT_SF_WEAKER_NESTED,
		"enableWeakerNestedSandbox gives up part of the isolation." },
	{ "sandbox.enableWeakerNetworkIsolation", AT_SF_WEAKER_NETWORK,
		"enableWeakerNetworkIsolation gives up part of the network isolation." },
	{ "sandbox.network.allowAllUnixSockets", AT_SF_ALL_SOCKETS,
		"Every Unix socket may be reached from inside the sandbox." },
	{ "sandbox.network.allowLocalBinding", AT_SF_NETWORK,
		"Commands in the sandbox may listen on local ports." },
};

/* Lists are counted, their entries never shown: a command line may hold a secret. */
static const struct {
	const char *dotted;
	enum at_settings_finding what;
	const char *text;
} lists[] = {
	{ "sandbox.excludedCommands", AT_SF_EXCLUDED,
		"such commands run outside the sandbox, whatever allowUnsandboxedCommands says." },
	{ "sandbox.network.allowedDomains", AT_SF_NETWORK, "such hosts may be reached." },
	{ "sandbox.network.allowUnixSockets", AT_SF_NETWORK,
		"sockets that are opened; on Linux this list was seen to do nothing." },
};

static void check_openings(struct at_settings *s)
{
	uint32_t domains = at_settings_list(s, "sandbox.network.allowedDomains");
	uint32_t ignored = at_json_at(s->doc, "sandbox.ignoreViolations");

	for (size_t i = 0; i < AT_LEN(openings); i++)
		if (at_settings_is_true(s, openings[i].dotted))
			at_settings_say(s, openings[i].what, at_json_at(s->doc, openings[i].dotted),
				NULL, "%s", openings[i].text);
	for (size_t i = 0; i < AT_LEN(lists); i++) {
		uint32_t list = at_settings_list(s, lists[i].dotted);
		uint32_t count = list == AT_JSON_NONE ? 0 : s->doc->nodes[list].count;

		if (count > 0)
			at_settings_say(s, lists[i].what, list, NULL, "%s has %u entr%s: %s",
				strrchr(lists[i].dotted, '.') + 1, count, count == 1 ? "y" : "ies",
				lists[i].text);
	}
	if (domains != AT_JSON_NONE)
		at_json_each(s->doc, i, domains)
			if (at_json_string_is(s->doc, i, "*"))
				at_settings_say(s, AT_SF_NETWORK_ALL, i, NULL,
					"Every host may be reached.");
	if (ignored != AT_JSON_NONE && s->doc->nodes[ignored].count > 0)
		at_settings_say(s, AT_SF_IGNORES, ignored, NULL, "Some refusals are not shown.");
}

struct entry {
	uint32_t node;
	const char *pointer;
	const char *path; /* as written */
	bool denies;
};

/* True when the path can be judged further. */
static bool check_spelling(struct at_settings *s, const struct entry *e)
{
	size_t len = strlen(e->path);
	bool has_tail = len >= 3 && strcmp(e->path + len - 3, "/**") == 0;

	if (strcspn(e->path, "*?[") < (has_tail ? len - 2 : len)) {
		at_settings_say(s, e->denies ? AT_SF_GLOB_DENY : AT_SF_GLOB_ALLOW, e->node,
			e->pointer,
			"`%s`: only a final /** is understood here, so the entry %s, silently.",
			at_settings_quote(s, at_bytes_of(e->path)),
			e->denies ? "protects nothing" : "opens nothing");
		return false;
	}
	if (strchr(e->path, '$')) {
		at_settings_say(s, AT_SF_PATH_UNEXPANDED, e->node, e->pointer,
			"`%s` holds a variable; nothing here is known to expand it.",
			at_settings_quote(s, at_bytes_of(e->path)));
		return false;
	}
	return true;
}

static const char *below_project(const struct at_settings *s, const char *absolute)
{
	size_t len = strlen(s->project);

	if (!at_path_is_inside(absolute, s->project))
		return NULL;
	absolute += len;
	while (*absolute == '/')
		absolute++;
	return *absolute ? absolute : ".";
}

static bool starts_at_system(const char *path)
{
	static const char *const tops[] = {
		"/Users", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/media",
		"/mnt", "/nix", "/opt", "/private", "/proc", "/root", "/run", "/sbin", "/srv",
		"/sys", "/tmp", "/usr", "/var",
	};

	for (size_t i = 0; i < AT_LEN(tops); i++)
		if (at_path_is_inside(path, tops[i]))
			return true;
	return false;
}

/* "/x" is absolute for the sandbox, project-relative for a permission rule: the two
 * spellings get mixed up. Returns true when something was said. */
static bool check_slash(struct at_settings *s, const struct entry *e, const char *absolute)
{
	struct stat st;
	const char *shown = at_settings_quote(s, at_bytes_of(e->path));

	if (e->path[0] != '/' || e->path[1] == '/' || strcmp(absolute, "/") == 0)
		return false;
	if (!s->look) {
		if (starts_at_system(absolute))
			return false;
		at_settings_say(s, AT_SF_DENY_SLASH_UNSEEN, e->node, e->pointer,
			"`%s` is absolute for the sandbox: if a path in the project is meant, it "
			"is not protected.",
			shown);
		return true;
	}
	if (at_settings_stat(s, absolute, &st))
		return false;
	if (starts_at_system(absolute) && at_file_type(s->place->project_fd, absolute + 1) ==
			AT_FILE_ABSENT)
		return false;
	at_settings_say(s, AT_SF_DENY_SLASH, e->node, e->pointer,
		"`%s` is absolute for the sandbox and not there: nothing in the project is "
		"protected by it, silently.",
		shown);
	return true;
}

static void check_deny_write(struct at_settings *s, const struct entry *e, const char *absolute)
{
	const char *below = below_project(s, absolute);
	const char *shown = at_settings_quote(s, at_bytes_of(e->path));
	enum at_file_type type;
	struct stat st;

	if (check_slash(s, e, absolute) || !at_settings_can_look(s, absolute))
		return;
	if (!at_settings_stat(s, absolute, &st)) {
		at_settings_say(s, AT_SF_DENY_MISSING, e->node, e->pointer,
			"%s does not exist: older versions of the client break every command over "
			"it, the measured one masks it with a placeholder.",
			shown);
		return;
	}
	type = below ? at_file_type(s->place->project_fd, below) : AT_FILE_REGULAR;
	if (type == AT_FILE_LINK || type == AT_FILE_BLOCKED)
		at_settings_say(s, AT_SF_DENY_LINK, e->node, e->pointer,
			"%s is or passes through a link: what it leads to is protected, the link "
			"itself can be replaced.",
			shown);
}

/* The deepest allowRead entry that holds the project tells for every denied ancestor
 * whether the project is open again below it. */
static void find_reopening(struct at_settings *s)
{
	uint32_t list = at_settings_list(s, LIST("allowRead"));
	char path[PATH_MAX];

	s->reopened = s->reopened_as = "";
	if (list == AT_JSON_NONE)
		return;
	at_json_each(s->doc, i, list) {
		const char *text =
			at_json_is(s->doc, i, AT_JSON_STRING) ? at_settings_text(s, i) : "";

		if (!*text || !at_settings_sandbox_path(s, path, text) ||
				!at_path_is_inside(s->project, path) ||
				strlen(path) <= strlen(s->reopened))
			continue;
		s->reopened = at_arena_strdup(s->arena, path);
		s->reopened_as = at_settings_quote(s, at_bytes_of(text));
	}
}

static const char *needed_below(const char *path)
{
	for (size_t i = 0; i < AT_LEN(needed); i++)
		if (at_path_is_inside(needed[i], path))
			return needed[i];
	return NULL;
}

static void check_deny_read(struct at_settings *s, const struct entry *e, const char *absolute)
{
	const char *tool = needed_below(absolute);
	const char *shown = at_settings_quote(s, at_bytes_of(e->path));
	const char *open = s->reopened;

	if (tool) {
		at_settings_say(s, AT_SF_READ_ANCESTOR, e->node, e->pointer,
			"`%s` hides %s from every command: no shell starts, and re-opening parts "
			"of it does not help.",
			shown, tool);
		return;
	}
	if (!at_path_is_inside(s->project, absolute))
		return;
	if (!*open || !at_path_is_inside(open, absolute) || strcmp(open, absolute) == 0)
		at_settings_say(s, AT_SF_READ_ANCESTOR, e->node, e->pointer,
			"`%s` is the project or a directory above it: commands do not see the "
			"project.",
			shown);
	else
		at_settings_say(s, AT_SF_READ_REOPENED, e->node, e->pointer,
			"Order: first denyRead `%s` hides all below it, then allowRead `%s` opens "
			"the project again; what else is there stays hidden.",
			shown, s->reopened_as);
}

static void check_allow_write(struct at_settings *s, const struct entry *e, const char *absolute)
{
	bool is_home = at_path_is_inside(s->home, absolute);
	bool is_above =
		at_path_is_inside(s->project, absolute) && strcmp(s->project, absolute) != 0;

	if (is_home || is_above)
		at_settings_say(s, AT_SF_WRITE_WIDE, e->node, e->pointer,
			"`%s` is %s: almost nothing is protected from writing.",
			at_settings_quote(s, at_bytes_of(e->path)),
			is_home ? "the home directory or above it" : "above the project");
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* An allowRead entry of the very same path cancels the denyRead entry (measured). */
static void check_cancelled(struct at_settings *s)
{
	uint32_t allow = at_settings_list(s, LIST("allowRead"));
	uint32_t deny = at_settings_list(s, LIST("denyRead"));
	const char **open;
	size_t count = 0;
	uint32_t index = 0;
	char path[PATH_MAX];

	if (allow == AT_JSON_NONE || deny == AT_JSON_NONE || s->doc->nodes[allow].count == 0)
		return;
	open = at_arena_alloc(s->arena, s->doc->nodes[allow].count * sizeof(*open));
	at_json_each(s->doc, i, allow)
		if (at_json_is(s->doc, i, AT_JSON_STRING) &&
				at_settings_sandbox_path(s, path, at_settings_text(s, i)))
			open[count++] = at_arena_strdup(s->arena, path);
	qsort(open, count, sizeof(*open), by_text);
	at_json_each(s->doc, i, deny) {
		const char *key = path;

		if (at_json_is(s->doc, i, AT_JSON_STRING) &&
				at_settings_sandbox_path(s, path, at_settings_text(s, i)) &&
				bsearch(&key, open, count, sizeof(*open), by_text))
			at_settings_say(s, AT_SF_READ_CANCELLED, i,
				at_settings_item(s, "sandbox/filesystem/denyRead", index),
				"allowRead names the same path, so it can be read.");
		index++;
	}
}

static const struct {
	const char *name;
	bool denies;
	void (*check)(struct at_settings *s, const struct entry *e, const char *absolute);
} path_lists[] = {
	{ "denyWrite", true, check_deny_write },
	{ "denyRead", true, check_deny_read },
	{ "allowWrite", false, check_allow_write },
	{ "allowRead", false, NULL },
};

static void check_paths(struct at_settings *s, size_t which)
{
	uint32_t list = at_settings_list(s,
		at_arena_printf(s->arena, LIST("%s"), path_lists[which].name));
	const char *pointer =
		at_arena_printf(s->arena, "sandbox/filesystem/%s", path_lists[which].name);
	char absolute[PATH_MAX];
	uint32_t index = 0;

	if (list == AT_JSON_NONE)
		return;
	at_json_each(s->doc, i, list) {
		struct entry e = { i, at_settings_item(s, pointer, index++), "",
			path_lists[which].denies };

		if (!at_json_is(s->doc, i, AT_JSON_STRING))
			continue;
		e.path = at_settings_text(s, i);
		if (*e.path && check_spelling(s, &e) && path_lists[which].check &&
				at_settings_sandbox_path(s, absolute, e.path))
			path_lists[which].check(s, &e, absolute);
	}
}

void at_settings_sandbox(struct at_settings *s)
{
	uint32_t sandbox = at_json_at(s->doc, "sandbox");

	if (sandbox == AT_JSON_NONE) {
		at_settings_say(s, AT_SF_SANDBOX_ABSENT, AT_JSON_NONE, NULL,
			"No sandbox block here: Bash runs with all rights of its user.");
		return;
	}
	if (!at_json_is(s->doc, sandbox, AT_JSON_OBJECT))
		return; /* named as a wrong type before */
	check_switches(s, sandbox);
	check_openings(s);
	find_reopening(s);
	for (size_t i = 0; i < AT_LEN(path_lists); i++)
		check_paths(s, i);
	check_cancelled(s);
}
