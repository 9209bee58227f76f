#include <stdlib.h>
#include <string.h>

#include "core/json_write.h"
#include "core/mem.h"
#include "core/request.h"

static bool is_line(const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (*p < 0x20 || *p == 0x7f)
			return false;
	return true;
}

/* A roster has one a line and `#` for comments: a name that reads otherwise would be
 * dropped, or would smuggle in a second one. */
static bool is_manager(const char *text)
{
	size_t len = strlen(text);

	return len > 0 && is_line(text) && text[0] != '#' && text[0] != ' ' && text[len - 1] != ' ';
}

static bool is_team_id(const char *text)
{
	static const char first[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	static const char rest[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

	return *text && strchr(first, *text) && text[strspn(text, rest)] == '\0';
}

static bool is_write_policy(const char *text)
{
	return *text == '\0' || strcmp(text, "orchestrator-only") == 0;
}

static bool is_policy_framework(const char *text)
{
	return strcmp(text, "claude") == 0 || strcmp(text, "goose") == 0 ||
		strcmp(text, "codex") == 0;
}

/* EMIT-11: anything but loopback would open the network, or make the profile unloadable. */
static bool is_loopback(const char *text)
{
	size_t digits;

	if (*text == '\0' || strcmp(text, "localhost") == 0)
		return true;
	if (strncmp(text, "localhost:", 10) != 0)
		return false;
	text += 10;
	digits = strspn(text, "0123456789");
	return digits > 0 && digits <= 5 && text[digits] == '\0' && text[0] != '0' &&
		atoi(text) <= 65535;
}

static const struct at_text_rule line = { "a single line", "^[^\\u0000-\\u001f\\u007f]*$",
	is_line };
static const struct at_text_rule manager = {
	"a single line that is not empty, has no blank at either end and does not start with `#`",
	"^[^\\u0000-\\u0020\\u007f#]([^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f])?$",
	is_manager };
static const struct at_text_rule team_id = { "lower-case letters, digits and `-`, not beginning "
	"with `-`", "^[a-z0-9][a-z0-9-]*$", is_team_id };
static const struct at_text_rule write_policy = { "`orchestrator-only`, the one write policy, or "
	"left out", "^(orchestrator-only)?$", is_write_policy };
static const struct at_text_rule policy_framework = { "`claude`, `goose` or `codex`",
	"^(claude|goose|codex)$", is_policy_framework };
static const struct at_text_rule loopback = { "`localhost` or `localhost:PORT`",
	"^(localhost(:[1-9][0-9]{0,4})?)?$", is_loopback };

#define AT(member) offsetof(struct at_request, member)
#define KEPT(name, help, seed)                                                                     \
	{ name, AT_FIELD_ANY, "null", help, "the Python tool", seed, 0, NULL }

const struct at_field at_request_fields[] = {
	{ "project_name", AT_FIELD_TEXT, "\"\"", "What the project is called.", "team_id", "REQ-13",
		AT(project_name), &line },
	{ "privilege_profile", AT_FIELD_PROFILE, "\"confined\"",
		"How far agents are trusted: cooperative, confined or exclusive. Only a value "
		"given here counts as explicit.",
		"decide, every emitter, the gate hook", "REQ-1, REQ-2", AT(profile), NULL },
	{ "workspace_write_roots", AT_FIELD_TEXTS, "[\".\"]",
		"Directories that agents may write. One outside the project needs "
		"--accept-write-root.",
		"every emitter", "REQ-3, REQ-4", AT(write_roots), NULL },
	{ "coordination_write_roots", AT_FIELD_TEXTS, "[]",
		"Further write roots shared with other teams, without a signed grant.",
		"every emitter", "REQ-4", AT(coordination_write_roots), NULL },
	{ "protected_read_paths", AT_FIELD_TEXTS, "[]",
		"Paths that agents may not read under exclusive, beside the default ones.",
		"emitters under exclusive", "REQ-5", AT(protected_read_paths), &line },
	{ "resolve_deny_read_abspath", AT_FIELD_BOOL, "false",
		"Write denyRead entries under ~ as absolute paths.", "claude's settings", "REQ-6",
		AT(resolve_deny_read_abspath), NULL },
	{ "protect_prompt_roots", AT_FIELD_BOOL, "false",
		"Make files that are read as instructions read-only for agents.",
		"claude's settings, the launch line", "REQ-7", AT(protect_prompt_roots), NULL },
	{ "enforce_decision_signing", AT_FIELD_BOOL, "true",
		"Refuse unsigned rows that authorise something in the decision ledger.",
		"the switch", "REQ-8", AT(enforce_decision_signing), NULL },
	{ "team_id", AT_FIELD_TEAM_ID, "null",
		"Names the team in grants; unique among the operator's workspaces. Left out: made "
		"from the project's name.",
		"grants", "REQ-13", AT(team_id), &team_id },
	{ "write_policy", AT_FIELD_TEXT, "\"\"",
		"orchestrator-only: agents propose, the runner writes.", "agents, runner, emitters",
		"WP-1", AT(write_policy), &write_policy },
	{ "write_policy_frameworks", AT_FIELD_TEXTS, "[]",
		"The frameworks the write policy is for; left out: all it can be for.",
		"emitters", "WP-1", AT(write_policy_frameworks), &policy_framework },
	{ "authorized_managers", AT_FIELD_TEXTS, "[]", "Teams that may manage this one.",
		"the rosters", "EMIT-8", AT(authorized_managers), &manager },
	{ "is_management_repo", AT_FIELD_BOOL, "false", "This project manages other teams.",
		"the rosters", "EMIT-8", AT(is_management_repo), NULL },
	{ "goose_egress_proxy", AT_FIELD_TEXT, "\"\"",
		"The one loopback endpoint that goose may reach on macOS, localhost or "
		"localhost:PORT.",
		"goose's Seatbelt profile", "EMIT-11", AT(goose_egress_proxy), &loopback },
	KEPT("mcp_grants", "Which agents get which tools of the runner's server.", "EMIT-19"),
	KEPT("staged_review", "Who may apply staged work.", "STG-1"),
	KEPT("allow_unconfined_runs", "Lets the runner run without a sandbox; logged.", "RUN-5"),
	KEPT("project_goal", "What the project is for.", "REQ-12"),
	KEPT("project_type", "What kind of project it is.", "REQ-12"),
	KEPT("deliverables", "What it makes.", "REQ-12"),
	KEPT("output_format", "In which form.", "REQ-12"),
	KEPT("primary_output_dir", "Where its output goes.", "REQ-12"),
	KEPT("tools", "Tools it uses.", "REQ-12"),
	KEPT("components", "Its parts.", "REQ-12"),
	KEPT("existing_project_path", "Where it already is.", "REQ-12"),
	KEPT("mcp_servers", "Servers of the operator's.", "REQ-12"),
	KEPT("mcp_hints", "Hints for choosing servers.", "REQ-12"),
};
const size_t at_request_field_count = AT_LEN(at_request_fields);

const struct at_field *at_request_field(const char *name)
{
	for (size_t i = 0; i < at_request_field_count; i++)
		if (strcmp(at_request_fields[i].name, name) == 0)
			return &at_request_fields[i];
	return NULL;
}

const char *at_request_key_ban(const char *key)
{
	if (key[0] == '_')
		return "keys that begin with `_` carry the operator's authority and never come "
		       "from a file";
	if (strcmp(key, "accept_write_root") == 0 || strcmp(key, "accept_write_roots") == 0)
		return "accepting a write root is the operator's act and never comes from a file";
	return NULL;
}

/* Adds a default that the table writes as JSON: a scalar, or an array of texts. */
static void add_default(struct at_json_value *to, const char *json, struct at_arena *arena)
{
	struct at_json doc;
	struct at_json_value *list;

	if (!at_json_read(&doc, at_bytes_of(json), &at_json_brief_limits, 0, NULL))
		return;
	switch (doc.nodes[AT_JSON_ROOT].kind) {
	case AT_JSON_TRUE:
	case AT_JSON_FALSE:
		at_json_add_bool(to, "default", at_json_is(&doc, AT_JSON_ROOT, AT_JSON_TRUE));
		break;
	case AT_JSON_STRING:
		at_json_add_bytes(to, "default", at_json_string(&doc, AT_JSON_ROOT, arena));
		break;
	case AT_JSON_ARRAY:
		list = at_json_add_array(to, "default");
		at_json_each(&doc, i, AT_JSON_ROOT)
			at_json_add_bytes(list, NULL, at_json_string(&doc, i, arena));
		break;
	default: /* null: no default of its own */
		break;
	}
	at_json_free(&doc);
}

static void add_profiles(struct at_json_value *to)
{
	struct at_json_value *list = at_json_add_array(to, "enum");

	for (int p = AT_COOPERATIVE; p <= AT_EXCLUSIVE; p++)
		at_json_add_text(list, NULL, at_profile_name((enum at_profile)p));
	at_json_add_text(list, NULL, "");
	at_json_add_null(list, NULL);
}

static void add_rule(struct at_json_value *to, const struct at_field *field)
{
	if (field->rule)
		at_json_add_text(to, "pattern", field->rule->pattern);
}

static void add_type(struct at_json_value *to, const struct at_field *field)
{
	struct at_json_value *items;

	switch (field->type) {
	case AT_FIELD_TEXT:
	case AT_FIELD_TEAM_ID:
		at_json_add_text(to, "type", "string");
		add_rule(to, field);
		break;
	case AT_FIELD_BOOL:
		at_json_add_text(to, "type", "boolean");
		break;
	case AT_FIELD_TEXTS:
		at_json_add_text(to, "type", "array");
		items = at_json_add_object(to, "items");
		at_json_add_text(items, "type", "string");
		add_rule(items, field);
		break;
	case AT_FIELD_PROFILE:
		add_profiles(to);
		break;
	case AT_FIELD_ANY:
		break;
	}
}

void at_request_schema(struct at_json_value *out)
{
	struct at_arena *arena = at_arena_new();
	struct at_json_value *properties, *names;

	at_json_add_text(out, "$schema", "https://json-schema.org/draft/2020-12/schema");
	at_json_add_text(out, "title", "atconsole brief");
	at_json_add_text(out, "type", "object");
	properties = at_json_add_object(out, "properties");
	for (size_t i = 0; i < at_request_field_count; i++) {
		const struct at_field *field = &at_request_fields[i];
		struct at_json_value *one = at_json_add_object(properties, field->name);

		at_json_add_text(one, "description", field->help);
		add_type(one, field);
		add_default(one, field->fallback, arena);
	}
	names = at_json_add_object(at_json_add_object(out, "propertyNames"), "not");
	at_json_add_text(names, "pattern", AT_REQUEST_BANNED_KEYS);
	at_json_add_bool(out, "additionalProperties", true);
	at_arena_free(arena);
}
