#include "core/settings_parts.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/file.h"
#include "core/mem.h"
#include "core/path.h"

enum list { ALLOW, ASK, DENY };
static const char *const list_names[] = { "allow", "ask", "deny" };

/* Tools seen in requests of the client or named in its rules; an unknown one is a note
 * only, since the list grows. */
static const char *const tools[] = {
	"Agent", "AskUserQuestion", "Bash", "BashOutput", "Cd", "CronCreate", "CronDelete",
	"CronList", "Edit", "EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree",
	"Glob", "Grep", "KillBash", "KillShell", "LS", "LSP", "ListMcpResourcesTool", "Monitor",
	"MultiEdit", "NotebookEdit", "NotebookRead", "PowerShell", "Read", "ReadMcpResourceTool",
	"SendMessage", "Skill", "SlashCommand", "StructuredOutput", "Task", "TaskCreate", "TaskGet",
	"TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TodoRead", "TodoWrite", "ToolSearch",
	"WebFetch", "WebSearch", "Workflow", "Write",
};

bool at_settings_is_tool(const char *name, size_t len)
{
	if (len > 5 && memcmp(name, "mcp__", 5) == 0)
		return true;
	for (size_t i = 0; len > 0 && i < AT_LEN(tools); i++)
		if (tools[i][0] == name[0] && strlen(tools[i]) == len &&
			memcmp(tools[i], name, len) == 0)
			return true;
	return false;
}

const char *at_settings_tool_nearly(const char *name, size_t len)
{
	for (size_t i = 0; i < AT_LEN(tools); i++)
		if (strlen(tools[i]) == len && strncasecmp(tools[i], name, len) == 0)
			return tools[i];
	return NULL;
}

struct rule {
	uint32_t node, index;
	enum list list;
	struct at_bytes whole;
	const char *text;           /* the same, up to a NUL */
	const char *tool, *content; /* content NULL for a bare tool */
};

static void say(struct at_settings *s, const struct rule *r, enum at_settings_finding what,
	const char *text)
{
	static const char *const pointers[] = {
		"permissions/allow", "permissions/ask", "permissions/deny",
	};
	const char *pointer = "", *shown = "";

	if (s->said[what] < AT_SETTINGS_REPEAT) {
		pointer = at_settings_item(s, pointers[r->list], r->index);
		shown = at_settings_quote(s, r->whole);
	}
	at_settings_say(s, what, r->node, pointer, "`%s` (%s): %s", shown, list_names[r->list],
		text);
}

static bool is_named(const struct rule *r, const char *tool)
{
	return strcmp(r->tool, tool) == 0;
}

static const char *malformed(struct at_settings *s, struct rule *r)
{
	const char *bracket = strchr(r->text, '(');
	size_t len = strlen(r->text), name = bracket ? (size_t)(bracket - r->text) : len;

	if (len == 0)
		return "an empty rule.";
	if (isspace((unsigned char)r->text[0]) || isspace((unsigned char)r->text[len - 1]))
		return "blanks around the rule.";
	if (name == 0)
		return "no tool before the bracket.";
	if (bracket && r->text[len - 1] != ')')
		return strchr(bracket, ')') ?
			"text after the closing bracket: the client skips it, it does nothing." :
			"no closing bracket: the client skips the rule, it does nothing.";
	if (!bracket && strchr(r->text, ')'))
		return "a closing bracket without an opening one.";
	r->tool = at_arena_strndup(s->arena, r->text, name);
	r->content = bracket ? at_arena_strndup(s->arena, bracket + 1, len - name - 2) : NULL;
	return NULL;
}

/* Rules of these tools with a path were seen to have no effect; Edit(path) covers them. */
static const char *const dead_with_path[] = { "Write", "MultiEdit", "NotebookEdit" };

static bool check_tool(struct at_settings *s, const struct rule *r)
{
	const char *nearly;

	for (size_t i = 0; r->content && i < AT_LEN(dead_with_path); i++)
		if (is_named(r, dead_with_path[i])) {
			say(s, r, r->list == ALLOW ? AT_SF_RULE_NEVER : AT_SF_RULE_DEAD,
				"file permissions go by Edit(PATH) only, this rule has no effect.");
			return false;
		}
	if (at_settings_is_tool(r->tool, strlen(r->tool)))
		return true;
	nearly = at_settings_tool_nearly(r->tool, strlen(r->tool));
	if (strpbrk(r->tool, "*?["))
		say(s, r, AT_SF_RULE_ODD, "a wildcard in a tool's name.");
	else if (nearly)
		say(s, r, AT_SF_RULE_NEVER,
			at_arena_printf(
				s->arena, "tool names go by case, this one is %s.", nearly));
	else
		say(s, r, AT_SF_RULE_TOOL, "no tool of that name is known.");
	return false;
}

/* A file rule with one slash is below the project; with these beginnings somebody meant
 * the machine. */
static bool is_absolute_by_mistake(const struct at_settings *s, const char *path)
{
	static const char *const tops[] = {
		"/Users", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/mnt", "/opt",
		"/private", "/proc", "/root", "/run", "/srv", "/sys", "/tmp", "/usr", "/var",
	};

	for (size_t i = 0; i < AT_LEN(tops); i++) {
		size_t len = strlen(tops[i]);

		if (strncmp(path, tops[i], len) == 0 && (path[len] == '/' || path[len] == '\0'))
			return !s->look ||
				at_file_type(s->place->project_fd, tops[i] + 1) == AT_FILE_ABSENT;
	}
	return false;
}

static bool is_home(const struct at_settings *s, const char *path)
{
	static const char *const homes[] = { "/home", "/Users", "/root" };
	const char *slash;

	if (at_path_is_inside(s->home, path))
		return true;
	if (at_path_is_inside(path, s->project))
		return false;
	for (size_t i = 0; i < AT_LEN(homes); i++) {
		size_t len = strlen(homes[i]);

		if (strncmp(path, homes[i], len) != 0 || (path[len] != '/' && path[len] != '\0'))
			continue;
		slash = path[len] ? strchr(path + len + 1, '/') : NULL;
		if (!slash)
			return true;
	}
	return false;
}

static void check_file_allow(struct at_settings *s, const struct rule *r)
{
	char path[PATH_MAX];

	if (!at_settings_rule_path(s, path, r->content))
		return;
	if (is_home(s, path))
		say(s, r, AT_SF_ALLOW_HOME,
			is_named(r, "Edit") ?
			"it covers a home directory, and Bash may write there in the sandbox too." :
			"it covers a home directory, with whatever keys and histories lie in it.");
	else if (is_named(r, "Edit") && !at_path_is_inside(path, s->project))
		say(s, r, AT_SF_ALLOW_OUTSIDE,
			"the place is outside the project, and Bash may write there in the sandbox "
			"as well, even where the project is not trusted.");
}

static void check_file_rule(struct at_settings *s, const struct rule *r)
{
	if (!r->content || (!is_named(r, "Edit") && !is_named(r, "Read")))
		return;
	if (strncmp(r->content, "$HOME", 5) == 0 || strncmp(r->content, "${", 2) == 0)
		say(s, r, r->list == ALLOW ? AT_SF_RULE_NEVER : AT_SF_RULE_UNEXPANDED,
			"variables are not expanded in rules, it matches nothing.");
	else if (r->content[0] == '/' && r->content[1] != '/' &&
			is_absolute_by_mistake(s, r->content))
		say(s, r, AT_SF_RULE_ANCHOR,
			"one slash is the project, so the machine's path is not covered.");
	else if (r->list == ALLOW)
		check_file_allow(s, r);
}

/* `*` is any text; a final ":*" is the same command with anything or nothing after it. */
static bool matches(const char *rule, const char *command)
{
	size_t len = strlen(rule);
	bool is_prefix = len >= 2 && strcmp(rule + len - 2, ":*") == 0;
	const char *r = rule, *c = command, *end = is_prefix ? rule + len - 2 : rule + len;
	const char *star = NULL, *resume = NULL;

	for (;;) {
		if (r == end && (*c == '\0' || (is_prefix && *c == ' ')))
			return true;
		if (r < end && *r == '*') {
			star = r++;
			resume = c;
		} else if (r < end && *c && *r == *c) {
			r++;
			c++;
		} else if (star && *resume) {
			r = star + 1;
			c = ++resume;
		} else {
			return star && r == end && !*c;
		}
	}
}

/* A rule that allows the command on the left allows what the finding says. */
static const struct {
	const char *command;
	enum at_settings_finding what;
	const char *text;
} probes[] = {
	{ "rm -rf src", AT_SF_ALLOW_DELETE, "it lets everything be deleted unasked." },
	{ "rm src", AT_SF_ALLOW_DELETE, "it lets files be deleted unasked." },
	{ "find . -delete", AT_SF_ALLOW_DELETE, "find deletes and runs programs too." },
	{ "shred src", AT_SF_ALLOW_DELETE, "it lets files be destroyed unasked." },
	{ "gh pr merge 7", AT_SF_ALLOW_MERGE, "it lets a pull request be merged unasked." },
	{ "gh api -X PUT repos/o/r/pulls/7/merge", AT_SF_ALLOW_MERGE,
		"it lets a pull request be merged unasked." },
	{ "glab mr merge 7", AT_SF_ALLOW_MERGE, "it lets a merge request be merged unasked." },
	{ "git push origin main", AT_SF_ALLOW_PUSH, "it lets branches be pushed unasked." },
	{ "git config core.hooksPath x", AT_SF_ALLOW_GIT_CONFIG,
		"git runs what its configuration names, outside any sandbox when you call it." },
	{ "git -C x config core.hooksPath x", AT_SF_ALLOW_GIT_CONFIG,
		"git runs what its configuration names, outside any sandbox when you call it." },
	{ "sudo rm -rf src", AT_SF_ALLOW_ROOT, "it lets commands run as root unasked." },
	{ "python3 -c x", AT_SF_ALLOW_CODE, "it lets any program run unasked." },
	{ "python -c x", AT_SF_ALLOW_CODE, "it lets any program run unasked." },
	{ "node -e x", AT_SF_ALLOW_CODE, "it lets any program run unasked." },
	{ "bash -c x", AT_SF_ALLOW_CODE, "it lets any program run unasked." },
	{ "sh -c x", AT_SF_ALLOW_CODE, "it lets any program run unasked." },
	{ "eval x", AT_SF_ALLOW_CODE, "it lets any program run unasked." },
	{ "env x", AT_SF_ALLOW_CODE, "it lets any program run unasked." },
	{ "xargs x", AT_SF_ALLOW_CODE, "it lets any program run unasked." },
	{ "claude -p x", AT_SF_ALLOW_AGENT, "it starts another agent unasked." },
	{ "codex exec x", AT_SF_ALLOW_AGENT, "it starts another agent unasked." },
	{ "goose run x", AT_SF_ALLOW_AGENT, "it starts another agent unasked." },
	{ "gemini -p x", AT_SF_ALLOW_AGENT, "it starts another agent unasked." },
	{ "copilot -p x", AT_SF_ALLOW_AGENT, "it starts another agent unasked." },
	{ "agent -p x", AT_SF_ALLOW_AGENT, "it starts another agent unasked." },
};

static bool is_everything(const char *content)
{
	return !content || strcmp(content, "*") == 0 || strcmp(content, ":*") == 0 ||
		strcmp(content, "**") == 0;
}

static void check_bash_allow(struct at_settings *s, const struct rule *r)
{
	enum at_settings_finding last = AT_SF_COUNT;

	if (is_everything(r->content)) {
		say(s, r, s->sandbox_is_on ? AT_SF_ALLOW_BASH_BOXED : AT_SF_ALLOW_BASH,
			s->sandbox_is_on ? "every command runs unasked, inside the sandbox." :
			"every command runs unasked, and no sandbox is on in this file.");
		return;
	}
	for (size_t i = 0; i < AT_LEN(probes); i++)
		if (probes[i].what != last && matches(r->content, probes[i].command)) {
			last = probes[i].what;
			say(s, r, last, probes[i].text);
		}
}

static bool is_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	return strncmp(text, word, len) == 0 && !isalnum((unsigned char)text[len]) &&
		text[len] != '_' && text[len] != '-';
}

/* Statements of a database language where a command belongs. */
static bool is_no_command(const char *content)
{
	static const char *const words[] = {
		"ALTER", "CREATE", "DELETE", "DROP", "GRANT", "INSERT", "REVOKE", "SELECT",
		"TRUNCATE", "UPDATE",
	};

	for (size_t i = 0; i < AT_LEN(words); i++)
		if (is_word(content, words[i]))
			return true;
	return false;
}

/* "git -C checkout *": the directory is missing, "checkout" is taken for it. */
static bool lacks_directory(const char *content)
{
	static const char *const verbs[] = {
		"add", "branch", "checkout", "commit", "config", "diff", "fetch", "log", "merge",
		"pull", "push", "rebase", "reset", "restore", "show", "status", "switch",
	};

	if (strncmp(content, "git -C ", 7) != 0)
		return false;
	for (size_t i = 0; i < AT_LEN(verbs); i++)
		if (is_word(content + 7, verbs[i]))
			return true;
	return false;
}

static const char *oddness(const char *content)
{
	const char *colon = strstr(content, ":*");
	bool is_prefix = colon && colon[2] == '\0';

	if (*content == '\0')
		return "nothing between the brackets.";
	if (colon && !is_prefix)
		return "`:*` means a prefix at the end only.";
	if (is_prefix && memchr(content, '*', (size_t)(colon - content)))
		return "`*` and `:*` in one rule: clients read the two together in different ways.";
	if (lacks_directory(content))
		return "the directory after -C is missing, the next word is taken for it.";
	if (strchr("|&;<>", *content) || strstr(content, "&&") || strchr(content, '|') ||
			strchr(content, ';'))
		return "a command line is taken apart at |, &&, ; and redirections before rules "
			"are compared, so this may match nothing.";
	return NULL;
}

/* What a prefix rule of this program leaves open. */
static const struct {
	const char *program, *text;
} prefixes[] = {
	{ "rm", "a prefix rule: it does not cover rm -fr, rm -r -f, /bin/rm, sudo rm." },
	{ "git", "a prefix rule: it does not cover git -C DIR, git -c KEY=VALUE, /usr/bin/git." },
	{ "curl", "a prefix rule: it does not cover wget, /usr/bin/curl, python." },
	{ "sudo", "a prefix rule: it does not cover su, pkexec, /usr/bin/sudo." },
};
static const char *const readers[] = {
	"awk", "bat", "cat", "grep", "head", "less", "more", "sed", "tail", "xxd",
};

static void check_bash_deny(struct at_settings *s, const struct rule *r)
{
	if (strchr(r->content, '*') == NULL)
		return;
	for (size_t i = 0; i < AT_LEN(prefixes); i++)
		if (is_word(r->content, prefixes[i].program))
			say(s, r, AT_SF_RULE_PREFIX, prefixes[i].text);
	for (size_t i = 0; i < AT_LEN(readers); i++)
		if (is_word(r->content, readers[i]))
			say(s, r, AT_SF_DENY_READER,
				"it names one program that reads; any other reads the same file.");
}

static void check_bash(struct at_settings *s, const struct rule *r)
{
	const char *odd;

	if (r->list == ALLOW)
		check_bash_allow(s, r);
	if (!r->content || is_everything(r->content))
		return;
	if (is_no_command(r->content)) {
		say(s, r, AT_SF_RULE_NEVER,
			"no command begins with that word, it matches nothing.");
		return;
	}
	odd = oddness(r->content);
	if (odd)
		say(s, r, AT_SF_RULE_ODD, odd);
	else if (r->list == DENY)
		check_bash_deny(s, r);
}

static void check_rule(struct at_settings *s, struct rule *r)
{
	const char *fault;

	if (r->list == ALLOW && strcmp(r->text, "*") == 0) {
		say(s, r, AT_SF_RULE_BARE_STAR,
			"a bare star is no rule, and would allow everything.");
		return;
	}
	fault = malformed(s, r);
	if (fault) {
		say(s, r, AT_SF_RULE_MALFORMED, fault);
		return;
	}
	if (!check_tool(s, r))
		return;
	if (is_named(r, "Bash"))
		check_bash(s, r);
	else
		check_file_rule(s, r);
}

#define BATCH 512 /* rules whose texts are kept at a time: a file may hold many thousands */

static void check_list(struct at_settings *s, enum list list)
{
	uint32_t array = at_settings_list(s,
		at_arena_printf(s->arena, "permissions.%s", list_names[list]));
	struct at_arena *outer = s->arena;
	uint32_t index = 0;

	if (array == AT_JSON_NONE)
		return;
	s->arena = at_arena_new();
	at_json_each(s->doc, i, array) {
		struct rule r = { .node = i, .index = index++, .list = list };

		if (index % BATCH == BATCH - 1) {
			at_arena_free(s->arena);
			s->arena = at_arena_new();
		}
		if (!at_json_is(s->doc, i, AT_JSON_STRING)) {
			r.whole = at_bytes_of("…");
			say(s, &r, AT_SF_RULE_MALFORMED,
				"a rule is a string, the client skips this one.");
			continue;
		}
		r.whole = at_json_string(s->doc, i, s->arena);
		r.text = r.whole.data;
		check_rule(s, &r);
	}
	at_arena_free(s->arena);
	s->arena = outer;
}

/* The modes; what they mean for what is denied. */
static void check_mode(struct at_settings *s)
{
	static const char *const modes[] = {
		"default", "plan", "acceptEdits", "dontAsk", "auto", "bypassPermissions",
		"delegate",
	};
	uint32_t mode = at_json_at(s->doc, "permissions.defaultMode");
	uint32_t lock = at_json_at(s->doc, "permissions.disableBypassPermissionsMode");
	bool is_locked = at_json_string_is(s->doc, lock, "disable");
	bool is_known = false;

	if (at_json_is(s->doc, lock, AT_JSON_STRING) && !is_locked)
		at_settings_say(s, AT_SF_BYPASS_LOCK_DEAD, lock, NULL,
			"disableBypassPermissionsMode has another value than \"disable\" and locks "
			"nothing.");
	if (!at_json_is(s->doc, mode, AT_JSON_STRING))
		return;
	for (size_t i = 0; i < AT_LEN(modes); i++)
		is_known = is_known || at_json_string_is(s->doc, mode, modes[i]);
	if (!is_known)
		at_settings_say(
			s, AT_SF_MODE_UNKNOWN, mode, NULL, "defaultMode is no mode that is known.");
	else if (at_json_string_is(s->doc, mode, "bypassPermissions") && !is_locked)
		at_settings_say(s, AT_SF_BYPASS, mode, NULL,
			"Sessions start in bypass mode: nothing asks, and hooks and deny rules are "
			"all that is left. The measured version ignores this in a project that is "
			"not trusted; user settings and older versions follow it.");
	else if (at_json_string_is(s->doc, mode, "acceptEdits"))
		at_settings_say(s, AT_SF_ACCEPT_EDITS, mode, NULL,
			"Edits in the project are not asked about, trusted or not.");
}

void at_settings_rules(struct at_settings *s)
{
	uint32_t more = at_settings_list(s, "permissions.additionalDirectories");

	check_mode(s);
	if (at_settings_is_true(s, "skipDangerousModePermissionPrompt"))
		at_settings_say(s, AT_SF_SKIP_PROMPT,
			at_json_at(s->doc, "skipDangerousModePermissionPrompt"), NULL,
			"Bypass mode starts without its warning.");
	if (at_settings_is_true(s, "enableAllProjectMcpServers"))
		at_settings_say(s, AT_SF_ALL_MCP, at_json_at(s->doc, "enableAllProjectMcpServers"),
			NULL,
			"Every server that .mcp.json names now or later starts unasked, outside "
			"the sandbox.");
	if (more != AT_JSON_NONE && s->doc->nodes[more].count > 0)
		at_settings_say(s, AT_SF_MORE_DIRECTORIES, more, NULL,
			"%u more director%s can be written, by tools and by commands in the "
			"sandbox.",
			s->doc->nodes[more].count, s->doc->nodes[more].count == 1 ? "y" : "ies");
	for (enum list list = ALLOW; list <= DENY; list++)
		check_list(s, list);
}
