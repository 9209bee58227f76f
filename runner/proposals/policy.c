#include "runner/proposals/policy.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/json_text.h"
#include "runner/proposals/policy_impl.h"
#include "runner/proposals/scope.h"
#include "runner/proposals/site.h"

#define CONFINED_CAP ((size_t)65536)

static const struct at_json_limits confined_limits = { CONFINED_CAP, 8 };

const char *const at_mcp_tools[AT_MCP_TOOL_COUNT] = { "write_file", "delete_file", "run_command",
	"request_status", "read_file_hashed" };

bool at_policy_fail(struct at_policy_reader *r, uint32_t node, const char *id, const char *where,
	const char *format, ...)
{
	unsigned line = 0, column = 0;
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	at_fail(r->err, AT_EINVALID, "`%s` %s", where, text);
	at_error_name(r->err, id);
	at_error_field(r->err, where);
	if (node == AT_JSON_NONE)
		return false;
	at_json_position(r->doc->text, r->doc->nodes[node].start, &line, &column);
	at_error_at(r->err, line, column);
	return false;
}

/* What a file name, an argument or a name may not hold: it would be cut, or shown as something
 * else. */
static const char *text_fault(struct at_json_text text)
{
	const char *p = text.data, *end = p + text.len;

	while (p < end) {
		uint32_t code = at_json_text_next(&p, end);

		if (code < 0x20 || code == 0x7f)
			return "holds a control character";
		if (code >= 0xd800 && code <= 0xdfff)
			return "holds a lone surrogate";
	}
	return NULL;
}

static struct at_json_text inner(
	const struct at_json *doc, uint32_t start, uint32_t end, bool escaped)
{
	return (struct at_json_text){ doc->text.data + start + 1, end - start - 2, escaped };
}

const char *at_policy_key(struct at_policy_reader *r, uint32_t node, const char *where)
{
	const struct at_json_node *n = &r->doc->nodes[node];
	const char *fault = text_fault(inner(r->doc, n->key_start, n->key_end, n->key_escaped));

	if (!fault)
		return at_json_key(r->doc, node, r->policy->arena).data;
	at_policy_fail(r, node, "policy-shape", where, "has a key that %s", fault);
	return NULL;
}

bool at_policy_text(const char **out, struct at_policy_reader *r, uint32_t node, const char *where)
{
	const struct at_json_node *n;
	const char *fault;

	if (!at_json_is(r->doc, node, AT_JSON_STRING))
		return at_policy_fail(r, node, "policy-shape", where, "must be text");
	n = &r->doc->nodes[node];
	fault = text_fault(inner(r->doc, n->start, n->end, n->escaped));
	if (fault)
		return at_policy_fail(r, node, "policy-shape", where, "%s", fault);
	*out = at_json_string(r->doc, node, r->policy->arena).data;
	return true;
}

bool at_policy_texts(
	struct at_strings *out, struct at_policy_reader *r, uint32_t node, const char *where)
{
	const char **items;
	size_t count = 0;

	*out = (struct at_strings){ NULL, 0 };
	if (node == AT_JSON_NONE)
		return true;
	if (!at_json_is(r->doc, node, AT_JSON_ARRAY))
		return at_policy_fail(r, node, "policy-shape", where, "must be a list of texts");
	items = at_arena_alloc(r->policy->arena, (r->doc->nodes[node].count + 1) * sizeof(*items));
	at_json_each(r->doc, i, node)
		if (!at_policy_text(&items[count++], r, i, where))
			return false;
	*out = (struct at_strings){ items, count };
	return true;
}

bool at_policy_only(
	struct at_policy_reader *r, uint32_t object, const char *where, const char *const *keys)
{
	at_json_each(r->doc, i, object) {
		const char *key = at_policy_key(r, i, where);
		size_t k = 0;

		if (!key)
			return false;
		while (keys[k] && strcmp(keys[k], key) != 0)
			k++;
		if (!keys[k])
			return at_policy_fail(
				r, i, "policy-shape", where, "has no key `%.60s`", key);
	}
	return true;
}

bool at_policy_is_object(struct at_policy_reader *r, uint32_t node, const char *where)
{
	return at_json_is(r->doc, node, AT_JSON_OBJECT)
		|| at_policy_fail(r, node, "policy-shape", where, "must be an object");
}

bool at_policy_is_shell(const char *program)
{
	static const char *const shells[] = { "sh", "bash", "zsh", "dash", "ksh", "fish", "csh",
		"tcsh" };
	const char *base = strrchr(program, '/');

	base = base ? base + 1 : program;
	for (size_t i = 0; i < AT_LEN(shells); i++)
		if (at_scope_is_same(shells[i], base))
			return true;
	return false;
}

bool at_policy_is_below(const char *path)
{
	if (*path == '/' || *path == '~' || *path == '\0' || strchr(path, '\\'))
		return false;
	for (const char *p = path;;) {
		size_t len = strcspn(p, "/");

		if (len == 2 && p[0] == '.' && p[1] == '.')
			return false;
		if (p[len] == '\0')
			return true;
		p += len + 1;
	}
}

static bool read_scopes(
	struct at_policy_agent *agent, struct at_policy_reader *r, uint32_t node, const char *where)
{
	const char *brief = r->policy->brief_place;

	if (!at_policy_texts(&agent->write_scopes, r, node, where))
		return false;
	for (size_t i = 0; i < agent->write_scopes.count; i++) {
		const char *scope = agent->write_scopes.items[i], *fault = at_scope_fault(scope);

		if (fault)
			return at_policy_fail(r, node, "policy-scope", where,
				"holds `%.200s`: an unsafe pattern, it %s", scope, fault);
		if (*brief && at_scope_covers(scope, brief))
			return at_policy_fail(r, node, "policy-scope-brief", where,
				"holds `%.200s`, which covers the brief `%.200s` that defines this "
				"policy",
				scope, brief);
	}
	return true;
}

static bool read_agent(struct at_policy_agent *agent, struct at_policy_reader *r, uint32_t node)
{
	struct at_arena *arena = r->policy->arena;
	const char *where;

	agent->name = at_policy_key(r, node, "agent_policies");
	if (!agent->name)
		return false;
	if (!at_agent_slug_is_sound(at_bytes_of(agent->name)))
		return at_policy_fail(r, node, "policy-agent", "agent_policies",
			"names no agent: malformed agent slug: '%.80s'", agent->name);
	where = at_arena_printf(arena, "agent_policies.%s", agent->name);
	return at_policy_is_object(r, node, where)
		&& read_scopes(agent, r, at_json_member(r->doc, node, "write_scopes"),
			at_arena_printf(arena, "%s.write_scopes", where))
		&& at_policy_read_commands(agent, r, at_json_member(r->doc, node, "commands"),
			at_arena_printf(arena, "%s.commands", where));
}

static bool read_agents(struct at_policy_reader *r, uint32_t node)
{
	struct at_policy *p = r->policy;
	struct at_policy_agent *agents;

	if (node == AT_JSON_NONE)
		return true;
	if (!at_policy_is_object(r, node, "agent_policies"))
		return false;
	agents = at_arena_alloc(p->arena, (r->doc->nodes[node].count + 1) * sizeof(*agents));
	p->agents = agents;
	at_json_each(r->doc, i, node)
		if (!read_agent(&agents[p->agent_count++], r, i))
			return false;
	return true;
}

static bool read_flags(struct at_policy_reader *r)
{
	uint32_t unconfined = at_json_at(r->doc, "allow_unconfined_runs");

	r->policy->is_orchestrator_only =
		at_json_string_is(r->doc, at_json_at(r->doc, "write_policy"), "orchestrator-only");
	r->policy->allow_unconfined_runs = unconfined != AT_JSON_NONE;
	return unconfined == AT_JSON_NONE || at_json_is(r->doc, unconfined, AT_JSON_TRUE)
		|| at_policy_fail(r, unconfined, "policy-unconfined", "allow_unconfined_runs",
			"may be true and nothing else; take it out where runs must be confined");
}

/* Gates before commands, which name them. */
static bool read_brief(struct at_policy_reader *r)
{
	const struct at_json *doc = r->doc;

	return at_policy_is_object(r, AT_JSON_ROOT, "brief") && read_flags(r)
		&& at_policy_texts(&r->policy->protected_paths, r,
			at_json_at(doc, "protected_paths"), "protected_paths")
		&& at_policy_read_gates(r, at_json_at(doc, "proposal_gates"))
		&& read_agents(r, at_json_at(doc, "agent_policies"))
		&& at_policy_read_confined(r, at_json_at(doc, "confined_programs"), false)
		&& at_policy_read_mcp(r, at_json_at(doc, "mcp_grants"));
}

static bool read_operators(struct at_policy_reader *r, struct at_bytes text)
{
	struct at_json doc;
	bool done;

	if (!text.data)
		return true;
	if (r->policy->confined_count)
		return at_policy_fail(r, at_json_at(r->doc, "confined_programs"),
			"policy-confined-twice", "confined_programs",
			"is set in the brief and in the operator's file; take it out of one");
	if (!at_json_read(&doc, text, &confined_limits, 0, r->err))
		return false;
	r->doc = &doc;
	r->policy->confined_is_operators = true;
	done = at_policy_read_confined(r, AT_JSON_ROOT, true);
	at_json_free(&doc);
	return done;
}

bool at_policy_read(struct at_policy *out, struct at_bytes brief, const char *brief_place,
	struct at_bytes confined, const char *home, struct at_error *err)
{
	struct at_policy_reader r = { .policy = out, .home = home, .err = err };
	struct at_json doc;
	bool done;

	*out = (struct at_policy){ .arena = at_arena_new() };
	out->brief_place = at_arena_strdup(out->arena, brief_place);
	if (!at_json_read(&doc, brief, &at_json_brief_limits, 0, err))
		return false;
	r.doc = &doc;
	done = read_brief(&r) && read_operators(&r, confined);
	at_json_free(&doc);
	return done;
}

void at_policy_free(struct at_policy *policy)
{
	for (size_t a = 0; a < policy->agent_count; a++) {
		const struct at_policy_agent *agent = &policy->agents[a];

		for (size_t c = 0; c < agent->command_count; c++)
			for (size_t i = 0; i < agent->commands[c].args.count; i++)
				regfree(&agent->commands[c].regex[i]);
	}
	if (policy->arena)
		at_arena_free(policy->arena);
	*policy = (struct at_policy){ 0 };
}

#define LOOKUP(type, function, list, count, key) \
	const struct type *function(const struct at_policy *policy, const char *name) \
	{ \
		for (size_t i = 0; i < policy->count; i++) \
			if (strcmp(policy->list[i].key, name) == 0) \
				return &policy->list[i]; \
		return NULL; \
	}

LOOKUP(at_policy_agent, at_policy_agent, agents, agent_count, name)
LOOKUP(at_policy_gate, at_policy_gate, gates, gate_count, name)
LOOKUP(at_policy_confined, at_policy_confined, confined, confined_count, agent)
LOOKUP(at_policy_mcp, at_policy_mcp, mcp, mcp_count, agent)
