#include "core/settings_parts.h"

#include <string.h>

#include "core/mem.h"

enum type { ANY, BOOL, STRING, NUMBER, OBJECT, ARRAY, STRINGS, RULES };
enum flag {
	MEASURED = 1, /* a wrong type here was seen to drop the file; the others go by its rule */
	RUNS = 2,     /* names a program that the client runs outside the sandbox */
	MANAGED = 4,  /* read from managed settings only */
};

/* The keys of the client, as far as known; where the type is not certain it is ANY, since
 * a false alarm about the whole file is worth less than none. The last column says what the
 * key does. */
static const struct known {
	const char *parent, *key;
	enum type type;
	unsigned flags;
	const char *help;
} known[] = {
	{ "", "$schema", ANY, 0, "names a schema for editors" },
	{ "", "agent", ANY, 0, "starts sessions as an agent" },
	{ "", "allowManagedHooksOnly", BOOL, MANAGED, "runs managed hooks only" },
	{ "", "allowManagedMcpServersOnly", BOOL, MANAGED, "starts managed servers only" },
	{ "", "allowManagedPermissionRulesOnly", BOOL, MANAGED, "reads managed rules only" },
	{ "", "allowedHttpHookUrls", ANY, 0, "limits hooks that call a URL" },
	{ "", "allowedMcpServers", ANY, 0, "limits the MCP servers" },
	{ "", "alwaysThinkingEnabled", BOOL, 0, "how the model works" },
	{ "", "apiKeyHelper", STRING, RUNS, "prints a key for the client" },
	{ "", "attribution", ANY, 0, "text in commits" },
	{ "", "autoDreamEnabled", ANY, 0, "how the model works" },
	{ "", "autoMemoryDirectory", ANY, 0, "where notes are kept" },
	{ "", "autoMemoryEnabled", ANY, 0, "keeps notes" },
	{ "", "autoMode", ANY, 0, "rules of the auto mode" },
	{ "", "autoUpdatesChannel", ANY, 0, "updates of the client" },
	{ "", "availableModels", ANY, 0, "limits the models" },
	{ "", "awsAuthRefresh", STRING, RUNS, "renews credentials" },
	{ "", "awsCredentialExport", STRING, RUNS, "prints credentials" },
	{ "", "blockedMarketplaces", ANY, 0, "limits plugin sources" },
	{ "", "channelsEnabled", ANY, 0, "messages from outside" },
	{ "", "claudeMd", ANY, 0, "instructions" },
	{ "", "claudeMdExcludes", ANY, 0, "instructions left out" },
	{ "", "cleanupPeriodDays", NUMBER, MEASURED, "how long sessions are kept" },
	{ "", "companyAnnouncements", ANY, 0, "display" },
	{ "", "defaultShell", ANY, 0, "shell of the prompt" },
	{ "", "deniedMcpServers", ANY, 0, "limits the MCP servers" },
	{ "", "disableAllHooks", BOOL, 0, "switches every hook off" },
	{ "", "disabledMcpjsonServers", STRINGS, 0, "servers of .mcp.json that stay off" },
	{ "", "effortLevel", ANY, 0, "how the model works" },
	{ "", "enableAllProjectMcpServers", BOOL, 0, "starts every server of .mcp.json" },
	{ "", "enabledMcpjsonServers", STRINGS, 0, "servers of .mcp.json that start" },
	{ "", "enabledPlugins", OBJECT, 0, "plugins" },
	{ "", "env", OBJECT, 0, "environment of the session" },
	{ "", "extraKnownMarketplaces", OBJECT, 0, "plugin sources" },
	{ "", "fastMode", ANY, 0, "how the model works" },
	{ "", "feedbackSurveyRate", ANY, 0, "display" },
	{ "", "fileSuggestion", ANY, RUNS, "suggests file names" },
	{ "", "forceLoginMethod", ANY, 0, "login" },
	{ "", "forceLoginOrgUUID", ANY, 0, "login" },
	{ "", "gcpAuthRefresh", STRING, RUNS, "renews credentials" },
	{ "", "hooks", OBJECT, 0, "hooks" },
	{ "", "httpHookAllowedEnvVars", ANY, 0, "limits hooks that call a URL" },
	{ "", "includeCoAuthoredBy", BOOL, 0, "text in commits" },
	{ "", "includeGitInstructions", ANY, 0, "instructions" },
	{ "", "language", ANY, 0, "display" },
	{ "", "mcpServers", ANY, RUNS, "MCP servers" },
	{ "", "minimumVersion", ANY, 0, "updates of the client" },
	{ "", "model", STRING, 0, "model" },
	{ "", "modelOverrides", ANY, 0, "model" },
	{ "", "otelHeadersHelper", STRING, RUNS, "prints headers for telemetry" },
	{ "", "outputStyle", ANY, 0, "display" },
	{ "", "permissions", OBJECT, 0, "rules" },
	{ "", "plansDirectory", ANY, 0, "where plans are kept" },
	{ "", "pluginConfigs", ANY, 0, "plugins" },
	{ "", "prefersReducedMotion", ANY, 0, "display" },
	{ "", "respectGitignore", BOOL, 0, "which files are suggested" },
	{ "", "sandbox", OBJECT, 0, "the sandbox of Bash" },
	{ "", "showThinkingSummaries", ANY, 0, "display" },
	{ "", "skipDangerousModePermissionPrompt", ANY, 0, "starts bypass mode unasked" },
	{ "", "skipWebFetchPreflight", ANY, 0, "checks of addresses" },
	{ "", "spinnerTipsEnabled", ANY, 0, "display" },
	{ "", "spinnerTipsOverride", ANY, 0, "display" },
	{ "", "spinnerVerbs", ANY, 0, "display" },
	{ "", "statusLine", OBJECT, RUNS, "prints the status line" },
	{ "", "strictKnownMarketplaces", ANY, MANAGED, "limits plugin sources" },
	{ "", "subagentStatusLine", ANY, RUNS, "prints a status line" },
	{ "", "teammateMode", ANY, 0, "display" },
	{ "", "terminalProgressBarEnabled", ANY, 0, "display" },
	{ "", "theme", ANY, 0, "display" },
	{ "", "verbose", ANY, 0, "display" },
	{ "", "voiceEnabled", ANY, 0, "input" },
	{ "", "worktree", ANY, 0, "work trees" },
	{ "permissions", "additionalDirectories", STRINGS, 0, "more directories to write" },
	{ "permissions", "allow", RULES, 0, "rules that allow" },
	{ "permissions", "ask", RULES, 0, "rules that ask" },
	{ "permissions", "defaultMode", STRING, 0, "mode a session starts in" },
	{ "permissions", "deny", RULES, 0, "rules that deny" },
	{ "permissions", "disableAutoMode", ANY, 0, "locks the auto mode" },
	{ "permissions", "disableBypassPermissionsMode", STRING, 0, "locks the bypass mode" },
	{ "sandbox", "allowUnsandboxedCommands", BOOL, 0, "the way around the sandbox" },
	{ "sandbox", "autoAllowBashIfSandboxed", BOOL, 0, "asks less inside the sandbox" },
	{ "sandbox", "bwrapPath", STRING, MANAGED, "which bwrap" },
	{ "sandbox", "enableWeakerNestedSandbox", BOOL, 0, "a weaker sandbox" },
	{ "sandbox", "enableWeakerNetworkIsolation", BOOL, 0, "a weaker network" },
	{ "sandbox", "enabled", BOOL, MEASURED, "switches the sandbox on" },
	{ "sandbox", "enabledPlatforms", ANY, 0, "where the sandbox is on" },
	{ "sandbox", "excludedCommands", STRINGS, 0, "commands outside the sandbox" },
	{ "sandbox", "failIfUnavailable", BOOL, MEASURED, "refuses to start without sandbox" },
	{ "sandbox", "filesystem", OBJECT, 0, "paths" },
	{ "sandbox", "ignoreViolations", ANY, 0, "refusals that are not shown" },
	{ "sandbox", "network", OBJECT, 0, "network" },
	{ "sandbox", "ripgrep", ANY, 0, "which ripgrep" },
	{ "sandbox", "socatPath", STRING, MANAGED, "which socat" },
	{ "sandbox.filesystem", "allowManagedReadPathsOnly", BOOL, MANAGED, "paths" },
	{ "sandbox.filesystem", "allowRead", STRINGS, 0, "paths re-opened for reading" },
	{ "sandbox.filesystem", "allowWrite", STRINGS, 0, "paths to write" },
	{ "sandbox.filesystem", "denyRead", STRINGS, 0, "paths not to read" },
	{ "sandbox.filesystem", "denyWrite", STRINGS, MEASURED, "paths not to write" },
	{ "sandbox.network", "allowAllUnixSockets", BOOL, 0, "sockets" },
	{ "sandbox.network", "allowLocalBinding", BOOL, 0, "local servers" },
	{ "sandbox.network", "allowMachLookup", ANY, 0, "services of macOS" },
	{ "sandbox.network", "allowManagedDomainsOnly", BOOL, MANAGED, "hosts" },
	{ "sandbox.network", "allowUnixSockets", STRINGS, 0, "sockets" },
	{ "sandbox.network", "allowedDomains", STRINGS, 0, "hosts" },
	{ "sandbox.network", "deniedDomains", STRINGS, 0, "hosts" },
	{ "sandbox.network", "httpProxyPort", NUMBER, 0, "proxy" },
	{ "sandbox.network", "socksProxyPort", NUMBER, 0, "proxy" },
};

/* Keys that other tools, or invented schemas, use for what this client calls otherwise. */
static const struct {
	const char *parent, *key, *instead;
} foreign[] = {
	{ "", "permissionRules", "permissions.allow, ask and deny, with strings" },
	{ "", "mcp", "enabledMcpjsonServers and disabledMcpjsonServers" },
	{ "", "allowedTools", "permissions.allow" }, { "", "disallowedTools", "permissions.deny" },
	{ "", "ignorePatterns", "permissions.deny with Read(PATH)" },
	{ "", "rules", "permissions.allow, ask and deny" },
	{ "permissions", "rules", "permissions.allow, ask and deny" },
	{ "sandbox", "writableRoots", "sandbox.filesystem.allowWrite" },
	{ "sandbox", "writable_roots", "sandbox.filesystem.allowWrite" },
	{ "sandbox", "mode", "sandbox.enabled" },
	{ "sandbox.network", "allowedHosts", "sandbox.network.allowedDomains" },
};

static const char *const parents[] = {
	"", "permissions", "sandbox", "sandbox.filesystem", "sandbox.network",
};

static uint32_t object_of(const struct at_settings *s, const char *parent)
{
	uint32_t node = *parent ? at_json_at(s->doc, parent) : AT_JSON_ROOT;

	return at_json_is(s->doc, node, AT_JSON_OBJECT) ? node : AT_JSON_NONE;
}

static bool fits(const struct at_settings *s, uint32_t node, enum type type)
{
	switch (type) {
	case BOOL:
		return at_json_is(s->doc, node, AT_JSON_TRUE) ||
			at_json_is(s->doc, node, AT_JSON_FALSE);
	case STRING:
		return at_json_is(s->doc, node, AT_JSON_STRING);
	case NUMBER:
		return at_json_is(s->doc, node, AT_JSON_NUMBER);
	case OBJECT:
		return at_json_is(s->doc, node, AT_JSON_OBJECT);
	case ARRAY:
	case STRINGS:
	case RULES:
		return at_json_is(s->doc, node, AT_JSON_ARRAY);
	default:
		return true;
	}
}

static const char *type_name(enum type type)
{
	static const char *const names[] = {
		[BOOL] = "true or false", [STRING] = "a string", [NUMBER] = "a number",
		[OBJECT] = "an object", [ARRAY] = "an array", [STRINGS] = "an array of strings",
		[RULES] = "an array of rules",
	};

	return names[type];
}

static void check_type(struct at_settings *s, const struct known *row, uint32_t node)
{
	const char *seen = row->flags & MEASURED ? "" : " (by the rule; not tried for this key)";

	if (!fits(s, node, row->type)) {
		at_settings_drop(s, AT_SF_WRONG_TYPE, node, NULL,
			"%s%s%s must be %s and is %s: the client drops the whole file%s.",
			row->parent, *row->parent ? "." : "", row->key, type_name(row->type),
			at_settings_kind(s, node), seen);
		return;
	}
	if (row->type != STRINGS)
		return; /* a rule that is no string costs only itself: settings_rules says so */
	at_json_each(s->doc, i, node) {
		if (at_json_is(s->doc, i, AT_JSON_STRING))
			continue;
		at_settings_drop(s, AT_SF_WRONG_TYPE, i, NULL,
			"An entry of %s.%s is %s, only strings may be there: the client drops the "
			"whole file%s.",
			row->parent, row->key, at_settings_kind(s, i), seen);
	}
}

static const struct known *find(const char *parent, struct at_bytes key)
{
	for (size_t i = 0; i < AT_LEN(known); i++)
		if (key.len > 0 && known[i].key[0] == key.data[0] &&
			at_bytes_equal_text(key, known[i].key) &&
			strcmp(known[i].parent, parent) == 0)
			return &known[i];
	return NULL;
}

void at_settings_keys_types(struct at_settings *s)
{
	for (size_t i = 0; i < AT_LEN(parents); i++) {
		uint32_t object = object_of(s, parents[i]);

		if (object == AT_JSON_NONE)
			continue;
		at_json_each(s->doc, node, object) {
			const struct known *row =
				find(parents[i], at_json_key(s->doc, node, s->arena));

			if (row && !at_settings_is_dead(s, node))
				check_type(s, row, node);
		}
	}
}

static const struct known *find_elsewhere(struct at_bytes key)
{
	for (size_t i = 0; i < AT_LEN(known); i++)
		if (at_bytes_equal_text(key, known[i].key))
			return &known[i];
	return NULL;
}

/* A key that is none of the client's; its value is never shown. */
static void say_unknown(struct at_settings *s, const char *parent, struct at_bytes key,
	uint32_t node)
{
	const struct known *other = find_elsewhere(key);
	const char *name = at_settings_quote(s, key);
	bool is_remark = *name == '_' || *name == '/' || *name == '#' || *name == '$';

	for (size_t i = 0; i < AT_LEN(foreign); i++)
		if (strcmp(foreign[i].parent, parent) == 0 &&
			at_bytes_equal_text(key, foreign[i].key)) {
			at_settings_say(s, AT_SF_KEY_FOREIGN, node, NULL,
				"%s is no key of this client and does nothing; it has %s.", name,
				foreign[i].instead);
			return;
		}
	if (other) {
		at_settings_say(s, AT_SF_KEY_MISPLACED, node, NULL,
			"%s does nothing here: the client reads it as %s%s%s.", name, other->parent,
			*other->parent ? "." : "the top level key ", other->key);
	} else if (!*parent && at_settings_is_event(key.data, key.len)) {
		at_settings_say(s, AT_SF_KEY_MISPLACED, node, NULL,
			"%s does nothing here: the client reads it as hooks.%s.", name, name);
	} else if (strncmp(parent, "sandbox", 7) == 0) {
		at_settings_say(s, AT_SF_KEY_FOREIGN, node, NULL,
			"%s.%s is no key that is known and confines nothing.", parent, name);
	} else if (!is_remark) {
		at_settings_say(s, AT_SF_KEY_UNKNOWN, node, NULL,
			"%s is no key that is known here; a client that does not know it ignores "
			"it.",
			name);
	}
}

static void say_known(struct at_settings *s, const struct known *row, uint32_t node)
{
	if ((row->flags & RUNS) && !at_json_is(s->doc, node, AT_JSON_NULL))
		at_settings_say(s, AT_SF_RUNS, node, NULL,
			"%s (%s) runs a program outside the sandbox, with the session's "
			"environment.",
			row->key, row->help);
	if ((row->flags & MANAGED) && !s->is_managed)
		at_settings_say(s, AT_SF_KEY_MANAGED, node, NULL,
			"%s is read from managed settings only and does nothing in another file.",
			row->key);
}

void at_settings_keys_unknown(struct at_settings *s)
{
	for (size_t i = 0; i < AT_LEN(parents); i++) {
		uint32_t object = object_of(s, parents[i]);

		if (object == AT_JSON_NONE)
			continue;
		at_json_each(s->doc, node, object) {
			struct at_bytes key = at_json_key(s->doc, node, s->arena);
			const struct known *row = find(parents[i], key);

			if (at_settings_is_dead(s, node))
				continue;
			if (row)
				say_known(s, row, node);
			else
				say_unknown(s, parents[i], key, node);
		}
	}
}

/* Keys inside the value of an unknown key are part of that value: the finding then stands
 * at the unknown key and names nothing below. */
static uint32_t showable(struct at_settings *s, uint32_t node)
{
	uint32_t top = node;

	while (s->doc->nodes[top].parent != AT_JSON_ROOT)
		top = s->doc->nodes[top].parent;
	return find("", at_json_key(s->doc, top, s->arena)) ? node : top;
}

void at_settings_keys_repeated(struct at_settings *s)
{
	if (s->doc->duplicates == 0)
		return;
	for (uint32_t i = 0; i < s->doc->count; i++) {
		if (!s->doc->nodes[i].duplicate)
			continue;
		if (s->said[AT_SF_DUPLICATE] >= AT_SETTINGS_REPEAT) {
			s->said[AT_SF_DUPLICATE]++; /* counted without the cost of a pointer */
			continue;
		}
		at_settings_say(s, AT_SF_DUPLICATE, showable(s, i), NULL,
			"A key stands twice in one object: the client takes the last, a reader may "
			"see the first.");
	}
}
