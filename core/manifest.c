#include "core/advisory.h"
#include "core/bytes.h"
#include "core/decide.h"
#include "core/json_write.h"
#include "core/mem.h"

/* One row a key of the manifest: --manifest --json and --schema manifest both walk it.
 * What an operator accepted on the command line is not among them (REQ-11). */
struct key {
	const char *name;
	const char *type; /* of the schema; "array" and "object" are told apart by `schema` */
	const char *help;
	void (*put)(struct at_json_value *to, const char *key, const struct at_manifest *m);
	void (*schema)(struct at_json_value *to); /* adds more to the key's schema, or NULL */
};

static void put_texts(struct at_json_value *to, const char *key, const struct at_texts *texts)
{
	struct at_json_value *list = at_json_add_array(to, key);

	for (size_t i = 0; i < texts->count; i++)
		at_json_add_text(list, NULL, texts->items[i]);
}

static void schema_texts(struct at_json_value *to)
{
	at_json_add_text(at_json_add_object(to, "items"), "type", "string");
}

/* The schema of an array of objects whose members are all texts, but those marked '?',
 * which are booleans. */
static void schema_items(struct at_json_value *to, const char *const *names)
{
	struct at_json_value *item = at_json_add_object(to, "items");
	struct at_json_value *properties, *required;

	at_json_add_text(item, "type", "object");
	properties = at_json_add_object(item, "properties");
	for (const char *const *n = names; *n; n++)
		at_json_add_text(at_json_add_object(properties, **n == '?' ? *n + 1 : *n), "type",
			**n == '?' ? "boolean" : "string");
	required = at_json_add_array(item, "required");
	for (const char *const *n = names; *n; n++)
		at_json_add_text(required, NULL, **n == '?' ? *n + 1 : *n);
	at_json_add_bool(item, "additionalProperties", false);
}

static void schema_profile(struct at_json_value *to)
{
	struct at_json_value *list = at_json_add_array(to, "enum");

	for (int p = AT_COOPERATIVE; p <= AT_EXCLUSIVE; p++)
		at_json_add_text(list, NULL, at_profile_name((enum at_profile)p));
}

static void schema_framework(struct at_json_value *to)
{
	struct at_json_value *list = at_json_add_array(to, "enum");

	for (int f = 0; f < AT_FRAMEWORK_COUNT; f++)
		at_json_add_text(list, NULL, at_framework_name((enum at_framework_id)f));
}

static void schema_platform(struct at_json_value *to)
{
	struct at_json_value *list = at_json_add_array(to, "enum");

	for (int p = AT_LINUX; p <= AT_OTHER; p++)
		at_json_add_text(list, NULL, at_platform_name((enum at_platform)p));
}

static void put_roots(struct at_json_value *to, const char *key, const struct at_manifest *m)
{
	struct at_json_value *list = at_json_add_array(to, key);

	for (size_t i = 0; i < m->root_count; i++) {
		struct at_json_value *root = at_json_add_object(list, NULL);

		at_json_add_text(root, "path", m->roots[i].path);
		at_json_add_text(root, "source", at_root_source_name(m->roots[i].source));
		at_json_add_bool(root, "external", m->roots[i].external);
		if (m->roots[i].grant)
			at_json_add_text(root, "grant", m->roots[i].grant);
	}
}

static void schema_roots(struct at_json_value *to)
{
	schema_items(to, (const char *const[]){ "path", "source", "?external", NULL });
}

static void put_advisories(struct at_json_value *to, const char *key, const struct at_manifest *m)
{
	struct at_json_value *list = at_json_add_array(to, key);

	for (size_t i = 0; i < m->advisory_count; i++) {
		const struct at_advisory *a = &m->advisories[i];
		struct at_json_value *item = at_json_add_object(list, NULL);

		at_json_add_text(item, "code", a->code);
		at_json_add_bool(item, "fatal", a->fatal);
		at_json_add_text(item, "message", a->message);
		at_json_add_text(item, "residuals", a->residuals);
		at_json_add_text(item, "action", a->action);
	}
}

static void schema_advisories(struct at_json_value *to)
{
	schema_items(to,
		(const char *const[]){ "code", "?fatal", "message", "residuals", "action", NULL });
}

static void put_caps(struct at_json_value *to, const char *key, const struct at_manifest *m)
{
	struct at_json_value *list = at_json_add_array(to, key);

	(void)m;
	for (size_t i = 0; i < AT_LEN(at_resource_caps); i++) {
		const struct at_resource_cap *cap = &at_resource_caps[i];
		struct at_json_value *item = at_json_add_object(list, NULL);

		at_json_add_text(item, "key", cap->key);
		at_json_add_text(item, "flag", cap->flag);
		at_json_add_text(item, "tier", cap->tier);
		at_json_add_text(item, "status", cap->status);
		at_json_add_text(item, "mechanism", cap->mechanism);
		at_json_add_text(item, "ceiling", cap->ceiling);
	}
}

static void schema_caps(struct at_json_value *to)
{
	schema_items(to, (const char *const[]){
		"key", "flag", "tier", "status", "mechanism", "ceiling", NULL });
}

static void put_notes(struct at_json_value *to, const char *key, const struct at_manifest *m)
{
	struct at_json_value *list = at_json_add_array(to, key);

	for (size_t i = 0; i < at_note_count; i++)
		if (at_note_applies(&at_notes[i], m))
			at_json_add_text(list, NULL, at_notes[i].text);
}

#define PUT(kind, name, value)                                                                     \
	static void put_##name(struct at_json_value *to, const char *key,                          \
		const struct at_manifest *m)                                                       \
	{                                                                                          \
		kind(to, key, value);                                                              \
	}

PUT(at_json_add_text, framework, at_framework_name(m->framework))
PUT(at_json_add_text, platform, at_platform_name(m->platform))
PUT(at_json_add_text, project_name, m->request->project_name)
PUT(at_json_add_text, team_id, m->request->team_id)
PUT(at_json_add_text, profile, at_profile_name(m->request->profile))
PUT(at_json_add_bool, profile_is_explicit, m->request->profile_is_explicit)
PUT(put_texts, protected_paths, &m->request->protected_read_paths)
PUT(at_json_add_bool, abspath, m->request->resolve_deny_read_abspath)
PUT(at_json_add_bool, prompt_roots, m->request->protect_prompt_roots)
PUT(at_json_add_bool, signing, m->request->enforce_decision_signing)
PUT(at_json_add_text, write_policy, m->request->write_policy)
PUT(put_texts, policy_frameworks, &m->request->write_policy_frameworks)
PUT(put_texts, managers, &m->request->authorized_managers)
PUT(at_json_add_bool, is_management_repo, m->request->is_management_repo)
PUT(at_json_add_text, egress_proxy, m->request->goose_egress_proxy)
PUT(put_texts, features, &m->features)
PUT(at_json_add_bool, requested, m->confinement_is_requested)
PUT(at_json_add_bool, emitted, m->boundary_is_emitted)
PUT(at_json_add_bool, allowed, m->unenforced_is_allowed)
PUT(at_json_add_bool, closed, m->gate_fails_closed)
PUT(put_texts, unknown_keys, &m->request->unknown_keys)

static const struct key keys[] = {
	{ "framework", "string", "The harness the team is made for.", put_framework,
		schema_framework },
	{ "platform", "string", "The platform that was decided for.", put_platform,
		schema_platform },
	{ "project_name", "string", "As the brief has it, or empty.", put_project_name, NULL },
	{ "team_id", "string", "Matched against the holder of a grant.", put_team_id, NULL },
	{ "privilege_profile", "string", "The profile in force.", put_profile, schema_profile },
	{ "privilege_profile_explicit", "boolean", "True when the brief names it.",
		put_profile_is_explicit, NULL },
	{ "workspace_write_roots", "array", "Where agents may write, and who asked for it.",
		put_roots, schema_roots },
	{ "protected_read_paths", "array", "Further paths that exclusive hides.",
		put_protected_paths, schema_texts },
	{ "resolve_deny_read_abspath", "boolean", "Home paths of denyRead become absolute.",
		put_abspath, NULL },
	{ "protect_prompt_roots", "boolean", "Files read as instructions are read-only.",
		put_prompt_roots, NULL },
	{ "enforce_decision_signing", "boolean", "Unsigned authorising rows are refused.",
		put_signing, NULL },
	{ "write_policy", "string", "Empty, or orchestrator-only.", put_write_policy, NULL },
	{ "write_policy_frameworks", "array", "Where the write policy applies.",
		put_policy_frameworks, schema_texts },
	{ "authorized_managers", "array", "Teams that may manage this one.", put_managers,
		schema_texts },
	{ "is_management_repo", "boolean", "This project manages others.", put_is_management_repo,
		NULL },
	{ "goose_egress_proxy", "string", "The one loopback endpoint goose may reach on macOS.",
		put_egress_proxy, NULL },
	{ "host_features", "array", "Tokens: those given, then the profile's.", put_features,
		schema_texts },
	{ "confinement_requested", "boolean", "By the profile or a sandbox token.", put_requested,
		NULL },
	{ "boundary_emitted", "boolean", "Requested and possible here. Emitted is not in force.",
		put_emitted, NULL },
	{ "unenforced_confinement_allowed", "boolean",
		"A boundary was asked for, cannot be had, and the operator went on.", put_allowed,
		NULL },
	{ "gate_fails_closed", "boolean", "The gate hook blocks when it fails.", put_closed, NULL },
	{ "advisories", "array", "What the operator must know.", put_advisories,
		schema_advisories },
	{ "notes", "array", "Facts of this framework here.", put_notes, schema_texts },
	{ "resource_caps", "array", "What each cap of the launcher can do.", put_caps,
		schema_caps },
	{ "unknown_keys", "array", "Keys of the brief that nothing reads.", put_unknown_keys,
		schema_texts },
};

void at_manifest_to_json(const struct at_manifest *manifest, struct at_json_value *out)
{
	for (size_t i = 0; i < AT_LEN(keys); i++)
		keys[i].put(out, keys[i].name, manifest);
}

void at_manifest_schema(struct at_json_value *out)
{
	struct at_json_value *properties, *required;

	at_json_add_text(out, "$schema", "https://json-schema.org/draft/2020-12/schema");
	at_json_add_text(out, "title", "atconsole manifest");
	at_json_add_text(out, "type", "object");
	properties = at_json_add_object(out, "properties");
	for (size_t i = 0; i < AT_LEN(keys); i++) {
		struct at_json_value *one = at_json_add_object(properties, keys[i].name);

		at_json_add_text(one, "type", keys[i].type);
		at_json_add_text(one, "description", keys[i].help);
		if (keys[i].schema)
			keys[i].schema(one);
	}
	required = at_json_add_array(out, "required");
	for (size_t i = 0; i < AT_LEN(keys); i++)
		at_json_add_text(required, NULL, keys[i].name);
	at_json_add_bool(out, "additionalProperties", false);
}

static void print_texts(struct at_buf *out, const char *label, const struct at_texts *texts)
{
	at_buf_printf(out, "%-22s ", label);
	for (size_t i = 0; i < texts->count; i++)
		at_buf_printf(out, "%s%s", i ? ", " : "", texts->items[i]);
	at_buf_puts(out, texts->count ? "\n" : "none\n");
}

static void print_roots(struct at_buf *out, const struct at_manifest *m)
{
	for (size_t i = 0; i < m->root_count; i++)
		at_buf_printf(out, "%-22s %s (%s%s)\n", i ? "" : "write roots", m->roots[i].path,
			at_root_source_name(m->roots[i].source),
			m->roots[i].external ? "; EXTERNAL" : "");
}

static void print_advisories(struct at_buf *out, const struct at_manifest *m)
{
	at_buf_puts(out, m->advisory_count ? "\nadvisories\n" : "\nadvisories             none\n");
	for (size_t i = 0; i < m->advisory_count; i++) {
		const struct at_advisory *a = &m->advisories[i];

		at_buf_printf(out, "  %s%s\n    %s\n", a->fatal ? "FATAL " : "", a->code,
			a->message);
		if (*a->residuals)
			at_buf_printf(out, "    stays open: %s\n", a->residuals);
		at_buf_printf(out, "    do: %s\n", a->action);
	}
	for (size_t i = 0; i < at_note_count; i++)
		if (at_note_applies(&at_notes[i], m))
			at_buf_printf(out, "  note: %s\n", at_notes[i].text);
}

static const char *boundary_text(const struct at_manifest *m)
{
	if (m->boundary_is_emitted)
		return "emitted; nothing is in force until it is wired";
	if (m->unenforced_is_allowed)
		return "NONE HERE (override): the request is advice only";
	return m->confinement_is_requested ? "NONE CAN BE HAD HERE" : "none was asked for";
}

void at_manifest_print(const struct at_manifest *manifest, struct at_buf *out)
{
	const struct at_request *request = manifest->request;

	at_buf_printf(out, "%-22s %s on %s\n", "framework", at_framework_name(manifest->framework),
		at_platform_name(manifest->platform));
	at_buf_printf(out, "%-22s %s\n", "team", request->team_id);
	at_buf_printf(out, "%-22s %s (%s)\n", "profile", at_profile_name(request->profile),
		request->profile_is_explicit ? "named by the brief" : "default");
	print_texts(out, "host features", &manifest->features);
	at_buf_printf(out, "%-22s %s\n", "boundary", boundary_text(manifest));
	at_buf_printf(out, "%-22s %s\n", "gate on failure",
		manifest->gate_fails_closed ? "closed" : "open");
	print_roots(out, manifest);
	print_texts(out, "protected from reading", &request->protected_read_paths);
	at_buf_printf(out, "%-22s %s\n", "prompt roots",
		request->protect_prompt_roots ? "protected" : "not protected");
	at_buf_printf(out, "%-22s %s\n", "decision signing",
		request->enforce_decision_signing ? "enforced" : "OPTED OUT");
	at_buf_printf(out, "%-22s %s\n", "write policy",
		*request->write_policy ? request->write_policy : "none");
	print_texts(out, "unknown brief keys", &request->unknown_keys);
	for (size_t i = 0; i < AT_LEN(at_resource_caps); i++)
		at_buf_printf(out, "%-22s %s: tier %s, %s; %s; %s\n", i ? "" : "resource caps",
			at_resource_caps[i].flag, at_resource_caps[i].tier,
			at_resource_caps[i].status, at_resource_caps[i].mechanism,
			at_resource_caps[i].ceiling);
	print_advisories(out, manifest);
}
