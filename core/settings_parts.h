/* settings_parts.h - what the parts of the settings check share; nobody else includes it.
 *
 * One table of findings (id, level, remedy), one context, one way to say something. The
 * parts are: settings_load (would the client load it), settings_keys (known keys and their
 * types), settings_sandbox, settings_rules, settings_layers, settings_hooks with
 * settings_command and settings_split, and settings_env. (WIRE-5, WIRE-8, WIRE-16)
 */
#ifndef AT_SETTINGS_PARTS_H
#define AT_SETTINGS_PARTS_H

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "core/json_read.h"
#include "core/settings_check.h"
#include "core/wiring.h"

/* Name, stable id, level, where the finding points (value or key), what to do. Two rows
 * may share an id: the same fault weighs more in one place than in another. */
#define AT_SETTINGS_FINDINGS(X)                                                                    \
	/* Would the client load the file? Each of these is a reason why not. */                   \
	X(SKIPPED, "file-would-be-skipped", FAIL, VALUE,                                           \
		"Mend every cause listed below it; until then this file protects nothing.")        \
	X(COMMENT, "file-not-strict-json", FAIL, VALUE,                                            \
		"Move the comments to another file; the client reads strict JSON only.")           \
	X(COMMA, "json-trailing-comma", FAIL, VALUE, "Delete this one comma.")                     \
	X(EMPTY, "json-empty", FAIL, VALUE, "Write {} or remove the file.")                        \
	X(INVALID, "json-invalid", FAIL, VALUE, "Mend the JSON at this place.")                    \
	X(NAME_UNREAD, "file-name-not-read", FAIL, VALUE,                                          \
		"Name it settings.json or settings.local.json.")                                   \
	X(WRONG_TYPE, "key-wrong-type", FAIL, VALUE, "Give the key a value of its type.")          \
	X(HOOK_SHAPE, "hook-shape-wrong", FAIL, VALUE,                                             \
		"The shape is {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", "        \
		"\"command\": …}]} in a list below the event.")                                    \
	X(HOOK_TYPE_MISSING, "hook-type-missing", FAIL, VALUE,                                     \
		"Add \"type\": \"command\" to this entry.")                                        \
	X(HOOK_COMMAND_MISSING, "hook-command-missing", FAIL, VALUE,                               \
		"Add \"command\" to this entry or remove the entry.")                              \
	/* Read by the client, and worth knowing. */                                               \
	X(BOM, "utf8-bom", NOTE, VALUE, "Remove the three bytes when the file is next edited.")    \
	X(DUPLICATE, "json-duplicate-key", WARN, KEY, "Keep one of the two.")                      \
	X(OTHER_TOOL, "managed-by-other-tool", WARN, VALUE,                                        \
		"Change the source that this tool applies, or its next run undoes the merge.")     \
	X(KEY_UNKNOWN, "key-unknown", NOTE, KEY, "Check the spelling, or ignore this.")            \
	X(KEY_FOREIGN, "key-unknown", WARN, KEY,                                                   \
		"Say the same with keys of this client; this one does nothing.")                   \
	X(KEY_MISPLACED, "key-misplaced", WARN, KEY, "Move the key to where it is read.")          \
	X(KEY_MANAGED, "key-managed-only", NOTE, KEY,                                              \
		"Set it in the managed settings, the only place where it is read.")                \
	/* Sandbox. */                                                                             \
	X(SANDBOX_ABSENT, "sandbox-absent", NOTE, VALUE,                                           \
		"Merge the sandbox block that was emitted for this project.")                      \
	X(SANDBOX_OFF, "sandbox-disabled", FAIL, VALUE, "Set sandbox.enabled to true.")            \
	X(SANDBOX_UNSET, "sandbox-disabled", FAIL, VALUE, "Add \"enabled\": true to sandbox.")     \
	X(SANDBOX_UNSET_LOCAL, "sandbox-disabled", NOTE, VALUE,                                    \
		"Nothing, if another settings file switches the sandbox on.")                      \
	X(FAILS_OPEN, "sandbox-fails-open", FAIL, VALUE,                                           \
		"Add \"failIfUnavailable\": true to sandbox.")                                     \
	X(RETRY_OPEN, "unsandboxed-retry-open", FAIL, VALUE,                                       \
		"Add \"allowUnsandboxedCommands\": false to sandbox.")                             \
	X(EXCLUDED, "excluded-commands", WARN, VALUE,                                              \
		"Remove the entries: each of these commands runs outside.")                        \
	X(WEAKER_NESTED, "weaker-nested", WARN, VALUE,                                             \
		"Remove it unless the sandbox runs inside a container that needs it.")             \
	X(WEAKER_NETWORK, "weaker-network", WARN, VALUE, "Remove it unless a tool needs it.")      \
	X(IGNORES, "violations-ignored", NOTE, VALUE, "Remove it to see every refusal again.")     \
	X(ALL_SOCKETS, "allow-all-unix-sockets", WARN, VALUE,                                      \
		"Remove it: a local daemon behind a socket is a way out of the sandbox.")          \
	X(NETWORK, "network-allow-list", NOTE, VALUE, "Nothing, if every entry is meant.")         \
	X(NETWORK_ALL, "network-allow-list", WARN, VALUE, "Name the hosts that are needed.")       \
	X(DENY_MISSING, "deny-path-missing", FAIL, VALUE, "Create the path or drop the entry.")    \
	X(DENY_LINK, "deny-path-is-link", WARN, VALUE, "Name the place it leads to as well.")      \
	X(DENY_SLASH, "deny-path-single-slash", FAIL, VALUE,                                       \
		"Write the path without the leading slash.")                                       \
	X(DENY_SLASH_UNSEEN, "deny-path-single-slash", WARN, VALUE,                                \
		"Write a path in the project without the leading slash.")                          \
	X(GLOB_DENY, "glob-in-sandbox-path", FAIL, VALUE, "Name files or whole directories.")      \
	X(GLOB_ALLOW, "glob-in-sandbox-path", WARN, VALUE, "Name files or whole directories.")     \
	X(PATH_UNEXPANDED, "sandbox-path-unexpanded", WARN, VALUE,                                 \
		"Write ~/… or the absolute path.")                                                 \
	X(READ_ANCESTOR, "deny-read-ancestor", FAIL, VALUE,                                        \
		"Deny the directories that hold secrets, by name.")                                \
	X(READ_REOPENED, "deny-read-reopened", NOTE, VALUE,                                        \
		"Nothing, if the rest of that directory may vanish for commands.")                 \
	X(READ_CANCELLED, "deny-read-cancelled", WARN, VALUE,                                      \
		"Drop the path from allowRead or from denyRead.")                                  \
	X(WRITE_WIDE, "allow-write-wide", FAIL, VALUE, "Name a directory of its own.")             \
	/* Permissions. */                                                                         \
	X(BYPASS, "bypass-mode-on", FAIL, VALUE,                                                   \
		"Remove defaultMode, or add \"disableBypassPermissionsMode\": \"disable\".")       \
	X(ACCEPT_EDITS, "accept-edits-mode", NOTE, VALUE, "Nothing, if it is meant.")              \
	X(MODE_UNKNOWN, "default-mode-unknown", WARN, VALUE,                                       \
		"Use default, plan, acceptEdits or dontAsk.")                                      \
	X(BYPASS_LOCK_DEAD, "bypass-lock-without-effect", WARN, VALUE,                             \
		"The only value that locks is \"disable\".")                                       \
	X(SKIP_PROMPT, "bypass-prompt-skipped", WARN, VALUE, "Remove it.")                         \
	X(MORE_DIRECTORIES, "additional-directories", WARN, VALUE,                                 \
		"Remove the entries that are not meant to be written.")                            \
	X(ALL_MCP, "enable-all-mcp", WARN, VALUE, "List the servers in enabledMcpjsonServers.")    \
	X(RULE_MALFORMED, "rule-malformed", WARN, VALUE,                                           \
		"The form is Tool or Tool(content), with nothing after the bracket.")              \
	X(RULE_BARE_STAR, "rule-malformed", WARN, VALUE, "Name the tool.")                         \
	X(RULE_NEVER, "rule-never-matches", WARN, VALUE, "Write a rule for what really runs.")     \
	X(RULE_DEAD, "rule-never-matches", FAIL, VALUE,                                            \
		"Write Edit(PATH): it covers every tool that edits files.")                        \
	X(RULE_UNEXPANDED, "rule-never-matches", FAIL, VALUE, "Write ~/… in its place.")           \
	X(RULE_ANCHOR, "rule-anchor-suspicious", WARN, VALUE,                                      \
		"Begin an absolute path with two slashes.")                                        \
	X(RULE_ODD, "rule-odd", WARN, VALUE, "Read the rule again; it may not say what is meant.") \
	X(RULE_TOOL, "rule-tool-unknown", NOTE, VALUE, "Check the spelling of the tool.")          \
	X(RULE_PREFIX, "rule-prefix-only", NOTE, VALUE,                                            \
		"Rely on the sandbox and the gate, not on the spelling of a command.")             \
	X(DENY_READER, "deny-by-reader-name-only", NOTE, VALUE,                                    \
		"Add Read(PATH) to deny and the path to sandbox.filesystem.denyRead.")             \
	X(ALLOW_BASH, "allow-bare-bash", WARN, VALUE, "Allow the commands that are needed.")       \
	X(ALLOW_BASH_BOXED, "allow-bare-bash", NOTE, VALUE,                                        \
		"Nothing, as long as the sandbox holds.")                                          \
	X(ALLOW_DELETE, "allow-covers-delete", WARN, VALUE, "Let deletions ask.")                  \
	X(ALLOW_MERGE, "allow-covers-merge", WARN, VALUE, "Allow the reading subcommands only.")   \
	X(ALLOW_PUSH, "allow-covers-push", WARN, VALUE, "Let pushes ask.")                         \
	X(ALLOW_GIT_CONFIG, "allow-git-config", WARN, VALUE,                                       \
		"Allow git config --get only: other keys make git run programs.")                  \
	X(ALLOW_ROOT, "allow-covers-root", WARN, VALUE, "Remove the rule.")                        \
	X(ALLOW_CODE, "allow-covers-interpreter", WARN, VALUE,                                     \
		"Name the script: an interpreter with any argument is any program.")               \
	X(ALLOW_AGENT, "allow-nested-agent", WARN, VALUE,                                          \
		"Let it ask: an agent started by an agent has settings of its own.")               \
	X(ALLOW_HOME, "allow-covers-home", WARN, VALUE, "Name the directories that are needed.")   \
	X(ALLOW_OUTSIDE, "allow-edit-outside", WARN, VALUE,                                        \
		"Remove it unless commands may write there too.")                                  \
	/* The two layers: tools and Bash. */                                                      \
	X(LAYERS, "both-layers", OKAY, VALUE, "")                                                  \
	X(GAP_EDIT, "gap-tool-edit", FAIL, VALUE,                                                  \
		"Add the matching Edit(/PATH) rule to permissions.deny.")                          \
	X(GAP_EDIT_KNOWN, "gap-tool-edit", WARN, VALUE,                                            \
		"Add the matching Edit(/PATH/**) rule to permissions.deny.")                       \
	X(GAP_EDIT_PART, "gap-tool-edit-partial", NOTE, VALUE,                                     \
		"Add an Edit rule for the whole directory if no tool should write there.")         \
	X(GAP_READ, "gap-bash-read", WARN, VALUE,                                                  \
		"Add the path to sandbox.filesystem.denyRead and switch the sandbox on.")          \
	X(GAP_READ_FOLDED, "gap-bash-read", NOTE, VALUE,                                           \
		"Add the path to sandbox.filesystem.denyRead to be safe with every version.")      \
	X(GAP_WRITE, "gap-bash-write", NOTE, VALUE,                                                \
		"Add the paths that exist to sandbox.filesystem.denyWrite.")                       \
	/* Hooks. */                                                                               \
	X(HOOKS_OFF, "hooks-disabled", FAIL, VALUE, "Remove disableAllHooks.")                     \
	X(HOOK_ABSENT, "hook-absent", NOTE, VALUE,                                                 \
		"Merge the emitted one once its program is on this host.")                         \
	X(EVENT_UNKNOWN, "hook-event-unknown", FAIL, KEY, "Use the name of an event.")             \
	X(HOOK_TYPE_UNKNOWN, "hook-type-unknown", WARN, VALUE,                                     \
		"Use \"command\", or make sure that the client knows this type.")                  \
	X(HOOK_EMPTY, "hook-group-empty", NOTE, VALUE, "Remove the group or give it a hook.")      \
	X(MATCHER_DEAD, "matcher-matches-nothing", FAIL, VALUE,                                    \
		"Name the tool alone; the hook itself looks at the arguments.")                    \
	X(MATCHER_UNKNOWN, "matcher-matches-nothing", WARN, VALUE,                                 \
		"Name tools of this client, such as Bash or Edit|Write.")                          \
	X(POST_HOOK, "hook-post-cannot-block", NOTE, VALUE,                                        \
		"Move a guard to PreToolUse.")                                                     \
	X(HOOK_RELATIVE, "hook-path-relative", FAIL, VALUE,                                        \
		"Begin the path with \"$CLAUDE_PROJECT_DIR\"/ or make it absolute.")               \
	X(HOOK_RELATIVE_SOFT, "hook-path-relative", WARN, VALUE,                                   \
		"Begin the path with \"$CLAUDE_PROJECT_DIR\"/ or make it absolute.")               \
	X(HOOK_UNQUOTED, "hook-path-unquoted", FAIL, VALUE,                                        \
		"Write \"$CLAUDE_PROJECT_DIR\" in double quotes.")                                 \
	X(HOOK_UNQUOTED_SOFT, "hook-path-unquoted", NOTE, VALUE,                                   \
		"Write \"$CLAUDE_PROJECT_DIR\" in double quotes.")                                 \
	X(HOOK_UNEXPANDED, "hook-unexpanded", FAIL, VALUE, "Write the absolute path.")             \
	X(HOOK_MISSING, "hook-missing", FAIL, VALUE,                                               \
		"Put the program there, or remove the hook until it is.")                          \
	X(HOOK_MISSING_SOFT, "hook-missing", WARN, VALUE,                                          \
		"Put the program there, or remove the hook until it is.")                          \
	X(HOOK_NOT_STARTABLE, "hook-not-startable", FAIL, VALUE, "chmod +x the program.")          \
	X(HOOK_NOT_STARTABLE_SOFT, "hook-not-startable", WARN, VALUE, "chmod +x the program.")     \
	X(HOOK_EXEC_BIT, "hook-needs-exec-bit", NOTE, VALUE,                                       \
		"Check that the file has its execute bit.")                                        \
	X(HOOK_TIMEOUT, "hook-timeout-absent", WARN, VALUE, "Add \"timeout\", in seconds.")        \
	X(HOOK_TIMEOUT_SHORT, "hook-timeout-short", WARN, VALUE,                                   \
		"Give it more: a hook that runs out of time lets the call pass.")                  \
	/* Environment and other programs. */                                                      \
	X(ENV_STEERS, "env-steers-client", WARN, KEY,                                              \
		"Remove it from the settings unless it is meant for every session here.")          \
	X(ENV_KEY, "env-key-like", WARN, KEY, "Keep secrets out of settings files.")               \
	X(ENV_SIGNING_KEY, "env-signing-key", FAIL, KEY,                                           \
		"Remove it, and replace the key: a session may have read it.")                     \
	X(RUNS, "runs-unsandboxed", NOTE, VALUE, "Nothing, if the program is yours.")              \
	X(MARKETPLACE, "auto-update-marketplace", NOTE, VALUE, "Switch autoUpdate off.")           \
	X(PLUGINS, "plugins-enabled", NOTE, VALUE, "Nothing, if every plugin is known.")

enum at_settings_finding {
#define AT_SETTINGS_ENUM(name, id, level, at, remedy) AT_SF_##name,
	AT_SETTINGS_FINDINGS(AT_SETTINGS_ENUM)
#undef AT_SETTINGS_ENUM
	AT_SF_COUNT
};

/* Findings of one kind past this are counted, not listed: a file of a million faults
 * must neither fill a screen nor take a second. */
#define AT_SETTINGS_REPEAT 100

struct at_settings {
	struct at_wiring *report;
	const struct at_json *doc;
	const struct at_settings_place *place;
	struct at_arena *arena;    /* scratch, gone after the check */
	const char *project;       /* absolute; a stand-in where place->project is "" */
	const char *home;          /* the same */
	bool look;                 /* paths may be looked up */
	bool is_main;              /* no settings.local.json */
	bool is_managed;           /* keys of managed settings are read here */
	bool sandbox_is_on;
	const char *reopened;    /* allowRead entry that holds the project, absolute, or "" */
	const char *reopened_as; /* the same as it is written */
	bool *dead;                /* members a later duplicate replaces; NULL when there is none */
	uint32_t *lines;           /* where each line starts */
	size_t line_count;
	size_t said[AT_SF_COUNT];  /* how often each finding was said */
	size_t causes;             /* reasons for the client to drop the file */
};

/* Adds a finding about `node` (AT_JSON_NONE: the file as a whole). `pointer` is that
 * node's JSON pointer, or NULL to have it worked out. */
void at_settings_say(struct at_settings *s, enum at_settings_finding what, uint32_t node,
	const char *pointer, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The same for an offset of the text, where there is no node; SIZE_MAX for none. */
void at_settings_say_at(struct at_settings *s, enum at_settings_finding what, size_t offset,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same, and one more reason for the client to drop the file. */
void at_settings_drop(struct at_settings *s, enum at_settings_finding what, uint32_t node,
	const char *pointer, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Counts what was not listed, as one note. */
void at_settings_say_rest(struct at_settings *s);

/* "a string", "an array": values of settings are named by kind only. */
const char *at_settings_kind(const struct at_settings *s, uint32_t node);

/* Where a value is absent or of another type the effective answer is "no". */
bool at_settings_is_true(const struct at_settings *s, const char *dotted);
uint32_t at_settings_list(const struct at_settings *s, const char *dotted); /* NONE: no array */
bool at_settings_is_dead(const struct at_settings *s, uint32_t node);

/* A string, cut for display. In the scratch arena. */
const char *at_settings_quote(struct at_settings *s, struct at_bytes text);

/* The text of a string node, "" when it holds a NUL (no path or rule does). */
const char *at_settings_text(struct at_settings *s, uint32_t node);

/* False where nothing may be looked up, or the path is in a home that is not known. */
bool at_settings_can_look(const struct at_settings *s, const char *path);

/* stat() as the client would see it, links followed; project paths go by the project's
 * descriptor. `path` absolute. False when absent. Looks only: never opens. */
bool at_settings_stat(const struct at_settings *s, const char *path, struct stat *st);

/* "/permissions/deny/7" without walking the list. */
const char *at_settings_item(struct at_settings *s, const char *list, uint32_t index);

/* An absolute spelling of a sandbox path or of a rule's path. False when it does not fit
 * or holds a wildcard other than a final one. */
bool at_settings_sandbox_path(const struct at_settings *s, char out[PATH_MAX], const char *path);
bool at_settings_rule_path(const struct at_settings *s, char out[PATH_MAX], const char *path);

/* Tools of the client. Case counts. */
bool at_settings_is_tool(const char *name, size_t len);
const char *at_settings_tool_nearly(const char *name, size_t len); /* other case; or NULL */

/* Events of the client. Case counts. */
bool at_settings_is_event(const char *name, size_t len);

/* The parts, in the order in which they speak. */
void at_settings_keys_types(struct at_settings *s);
void at_settings_keys_unknown(struct at_settings *s);
void at_settings_keys_repeated(struct at_settings *s);
void at_settings_sandbox(struct at_settings *s);
void at_settings_rules(struct at_settings *s);
void at_settings_layers(struct at_settings *s);
void at_settings_hooks_shape(struct at_settings *s);
void at_settings_hooks(struct at_settings *s);
void at_settings_env(struct at_settings *s);

/* A hook's command line, taken apart without running a shell. */
struct at_settings_word {
	const char *text;  /* with quotes removed and what is known expanded */
	bool is_open;      /* holds a $ or a leading ~ that nothing expands */
	bool is_unquoted;  /* $CLAUDE_PROJECT_DIR outside quotes: a space splits it */
	bool is_unknown;   /* holds an expansion whose value is not known here */
};
struct at_settings_words {
	struct at_settings_word word[24];
	size_t count;
	bool is_compound; /* more follows than one simple command */
};
void at_settings_split(struct at_settings *s, struct at_settings_words *out, const char *command);

struct at_settings_hook {
	uint32_t node;       /* the entry */
	const char *pointer; /* of the entry */
	const char *event;
	bool can_block;      /* PreToolUse and PermissionRequest */
};
void at_settings_command(struct at_settings *s, const struct at_settings_hook *hook);

#endif
