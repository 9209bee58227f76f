/* Commands, gates and the grants of servers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/proposals/canonical.h"
#include "runner/proposals/pattern.h"
#include "runner/proposals/policy_impl.h"
#include "runner/proposals/scope.h"
#include "runner/proposals/site.h"

#define TIMEOUT 600u
#define TIMEOUT_MOST 7200

static bool read_prefix(
	struct at_policy_command *c, struct at_policy_reader *r, uint32_t node, const char *where)
{
	uint32_t prefix = at_json_member(r->doc, node, "prefix");

	if (!at_policy_texts(&c->prefix, r, prefix, where))
		return false;
	if (!c->prefix.count || !*c->prefix.items[0])
		return at_policy_fail(r, node, "policy-command", where, "has an empty `prefix`");
	if (at_policy_is_shell(c->prefix.items[0]))
		return at_policy_fail(r, prefix, "policy-shell", where,
			"begins with the shell `%.80s`, which runs whatever it is given",
			c->prefix.items[0]);
	return true;
}

/* regex_t is kept by address: the list is made whole before the first is compiled. */
static bool read_args(
	struct at_policy_command *c, struct at_policy_reader *r, uint32_t node, const char *where)
{
	struct at_strings args;
	char why[160];

	if (!at_policy_texts(&args, r, node, where))
		return false;
	c->regex = at_arena_alloc(r->policy->arena, (args.count + 1) * sizeof(*c->regex));
	for (size_t i = 0; i < args.count; i++) {
		const char *wide;

		if (!at_pattern_compile(&c->regex[i], args.items[i], why, sizeof(why)))
			return at_policy_fail(r, node, "policy-regex", where,
				"holds `%.200s`, which %s", args.items[i], why);
		c->args = (struct at_strings){ args.items, i + 1 };
		wide = at_pattern_is_wide(&c->regex[i]);
		if (wide)
			return at_policy_fail(r, node, "policy-regex-wide", where,
				"holds `%.200s`, which matches `%s`: name what it may be",
				args.items[i], wide);
	}
	return true;
}

static const char *writes_fault(const char *glob, const char *brief)
{
	char top[256], plane[512];
	const char *slash = strchr(glob, '/');

	if (!at_policy_is_below(glob) || !slash || slash == glob)
		return "does not start with a directory by its name";
	snprintf(top, sizeof(top), "%.*s", (int)(slash - glob), glob);
	if (at_scope_is_pattern(top) || strcmp(top, ".") == 0)
		return "does not start with a directory by its name";
	if (at_scope_is_reserved(top) || at_scope_plane(plane, sizeof(plane), top)
		|| at_scope_plane(plane, sizeof(plane), glob))
		return "lies in the project control plane";
	if (*brief && at_glob_covers(glob, brief))
		return "covers the brief that defines this policy";
	return NULL;
}

static bool read_writes(
	struct at_policy_command *c, struct at_policy_reader *r, uint32_t node, const char *where)
{
	if (!at_policy_texts(&c->writes, r, node, where))
		return false;
	for (size_t i = 0; i < c->writes.count; i++) {
		const char *fault = writes_fault(c->writes.items[i], r->policy->brief_place);

		if (fault)
			return at_policy_fail(r, node, "policy-writes", where,
				"holds `%.200s`, which %s", c->writes.items[i], fault);
	}
	return true;
}

static bool read_stdin_gates(
	struct at_policy_command *c, struct at_policy_reader *r, uint32_t node, const char *where)
{
	if (node == AT_JSON_NONE)
		return true;
	if (!at_policy_texts(&c->stdin_gates, r, node, where))
		return false;
	if (!c->stdin_gates.count)
		return at_policy_fail(r, node, "policy-gate-name", where, "is empty");
	for (size_t i = 0; i < c->stdin_gates.count; i++)
		if (!at_policy_gate(r->policy, c->stdin_gates.items[i]))
			return at_policy_fail(r, node, "policy-gate-name", where,
				"names the gate `%.80s`, which proposal_gates does not have",
				c->stdin_gates.items[i]);
	return true;
}

static bool read_timeout(
	struct at_policy_command *c, struct at_policy_reader *r, uint32_t node, const char *where)
{
	struct at_bytes raw;
	long value = 0;

	c->timeout = TIMEOUT;
	if (node == AT_JSON_NONE)
		return true;
	raw = at_json_raw(r->doc, node);
	if (at_json_is(r->doc, node, AT_JSON_NUMBER) && raw.len <= 4
		&& strspn(raw.data, "0123456789") >= raw.len)
		value = strtol(raw.data, NULL, 10);
	if (value < 1 || value > TIMEOUT_MOST)
		return at_policy_fail(r, node, "policy-timeout", where,
			"must be a whole number of seconds from 1 to 7200");
	c->timeout = (unsigned)value;
	return true;
}

static bool read_variadic(
	struct at_policy_command *c, struct at_policy_reader *r, uint32_t node, const char *where)
{
	c->variadic = at_json_is(r->doc, node, AT_JSON_TRUE);
	if (node != AT_JSON_NONE && !c->variadic && !at_json_is(r->doc, node, AT_JSON_FALSE))
		return at_policy_fail(r, node, "policy-command", where, "must be true or false");
	return !c->variadic || c->args.count
		|| at_policy_fail(r, node, "policy-command", where, "needs a pattern in `args`");
}

static bool read_cwd(
	struct at_policy_command *c, struct at_policy_reader *r, uint32_t node, const char *where)
{
	c->cwd = ".";
	if (node == AT_JSON_NONE)
		return true;
	return at_policy_text(&c->cwd, r, node, where)
		&& (at_policy_is_below(c->cwd)
			|| at_policy_fail(r, node, "policy-command", where,
				"must be a directory below the project"));
}

static bool read_command(
	struct at_policy_command *c, struct at_policy_reader *r, uint32_t node, const char *where)
{
	static const char *const keys[] = { "prefix", "args", "cwd", "variadic", "writes",
		"stdin_gates", "timeout", NULL };
	struct at_arena *arena = r->policy->arena;
	const struct at_json *doc = r->doc;

	return at_policy_is_object(r, node, where) && at_policy_only(r, node, where, keys)
		&& read_prefix(c, r, node, where)
		&& read_args(c, r, at_json_member(doc, node, "args"),
			at_arena_printf(arena, "%s.args", where))
		&& read_cwd(c, r, at_json_member(doc, node, "cwd"),
			at_arena_printf(arena, "%s.cwd", where))
		&& read_variadic(c, r, at_json_member(doc, node, "variadic"),
			at_arena_printf(arena, "%s.variadic", where))
		&& read_writes(c, r, at_json_member(doc, node, "writes"),
			at_arena_printf(arena, "%s.writes", where))
		&& read_stdin_gates(c, r, at_json_member(doc, node, "stdin_gates"),
			at_arena_printf(arena, "%s.stdin_gates", where))
		&& read_timeout(c, r, at_json_member(doc, node, "timeout"),
			at_arena_printf(arena, "%s.timeout", where));
}

bool at_policy_read_commands(
	struct at_policy_agent *agent, struct at_policy_reader *r, uint32_t node, const char *where)
{
	struct at_policy_command *commands;

	if (node == AT_JSON_NONE)
		return true;
	if (!at_json_is(r->doc, node, AT_JSON_ARRAY))
		return at_policy_fail(r, node, "policy-shape", where, "must be a list");
	commands = at_arena_alloc(
		r->policy->arena, (r->doc->nodes[node].count + 1) * sizeof(*commands));
	agent->commands = commands;
	at_json_each(r->doc, i, node) {
		const char *one =
			at_arena_printf(r->policy->arena, "%s[%zu]", where, agent->command_count);

		if (!read_command(&commands[agent->command_count++], r, i, one))
			return false;
	}
	return true;
}

static bool fits(const struct at_policy_command *c, const char *const *argv, size_t count)
{
	size_t fixed = c->prefix.count, patterns = c->args.count;

	if (count < fixed + patterns || (count > fixed + patterns && !c->variadic))
		return false;
	for (size_t i = 0; i < fixed; i++)
		if (strcmp(argv[i], c->prefix.items[i]) != 0)
			return false;
	for (size_t i = fixed; i < count; i++) {
		size_t at = i - fixed < patterns ? i - fixed : patterns - 1;

		if (!at_pattern_matches(&c->regex[at], argv[i]))
			return false;
	}
	return true;
}

const struct at_policy_command *at_policy_command(
	const struct at_policy_agent *agent, const char *const *argv, size_t count)
{
	for (size_t i = 0; i < agent->command_count; i++)
		if (fits(&agent->commands[i], argv, count))
			return &agent->commands[i];
	return NULL;
}

static bool read_argv(
	struct at_policy_gate *gate, struct at_policy_reader *r, uint32_t node, const char *where)
{
	uint32_t argv = at_json_member(r->doc, node, "argv");

	if (!at_policy_texts(&gate->argv, r, argv, where))
		return false;
	if (!gate->argv.count || !*gate->argv.items[0])
		return at_policy_fail(r, node, "policy-gate", where, "has an empty `argv`");
	if (at_policy_is_shell(gate->argv.items[0]))
		return at_policy_fail(r, argv, "policy-shell", where,
			"runs the shell `%.80s`, which runs whatever it is given",
			gate->argv.items[0]);
	for (size_t i = 0; i < gate->argv.count; i++) {
		const char *word = gate->argv.items[i];

		if ((strstr(word, "{file}") && strcmp(word, "{file}") != 0)
			|| (strstr(word, "{path}") && strcmp(word, "{path}") != 0))
			return at_policy_fail(r, argv, "policy-gate", where,
				"has {file} or {path} inside the larger argument `%.200s`", word);
	}
	gate->argv_sha256 = at_canonical_digest(r->doc, argv, AT_CANONICAL_COMPACT);
	return true;
}

static bool read_gate(struct at_policy_gate *gate, struct at_policy_reader *r, uint32_t node)
{
	static const char *const keys[] = { "glob", "argv", "exec", NULL };
	const char *where;

	gate->name = at_policy_key(r, node, "proposal_gates");
	if (!gate->name)
		return false;
	if (!*gate->name)
		return at_policy_fail(
			r, node, "policy-gate", "proposal_gates", "has a gate without a name");
	where = at_arena_printf(r->policy->arena, "proposal_gates.%s", gate->name);
	if (!at_policy_is_object(r, node, where) || !at_policy_only(r, node, where, keys)
		|| !at_policy_text(&gate->glob, r, at_json_member(r->doc, node, "glob"), where)
		|| !read_argv(gate, r, node, where)
		|| !at_policy_texts(&gate->exec, r, at_json_member(r->doc, node, "exec"), where))
		return false;
	if (!*gate->glob)
		return at_policy_fail(r, node, "policy-gate", where, "has an empty `glob`");
	for (size_t i = 0; i < gate->exec.count; i++)
		if (*gate->exec.items[i] != '/' && strncmp(gate->exec.items[i], "~/", 2) != 0)
			return at_policy_fail(r, node, "policy-gate", where,
				"names `%.200s` in `exec`, which is no absolute path",
				gate->exec.items[i]);
	gate->object = at_canonical_digest(r->doc, node, AT_CANONICAL_SPACED);
	return true;
}

bool at_policy_read_gates(struct at_policy_reader *r, uint32_t node)
{
	struct at_policy *p = r->policy;
	struct at_policy_gate *gates;

	if (node == AT_JSON_NONE)
		return true;
	if (!at_policy_is_object(r, node, "proposal_gates"))
		return false;
	gates = at_arena_alloc(p->arena, (r->doc->nodes[node].count + 1) * sizeof(*gates));
	p->gates = gates;
	at_json_each(r->doc, i, node)
		if (!read_gate(&gates[p->gate_count++], r, i))
			return false;
	return true;
}

static bool read_tools(
	struct at_policy_mcp *mcp, struct at_policy_reader *r, uint32_t node, const char *where)
{
	struct at_strings tools;

	if (!at_policy_texts(&tools, r, node, where))
		return false;
	for (size_t i = 0; i < tools.count; i++) {
		unsigned t = 0;

		while (t < AT_MCP_TOOL_COUNT && strcmp(tools.items[i], at_mcp_tools[t]) != 0)
			t++;
		if (t == AT_MCP_TOOL_COUNT || (mcp->tools & 1u << t))
			return at_policy_fail(r, node, "policy-mcp", where,
				"must be distinct names of write_file, delete_file, run_command, "
				"request_status, read_file_hashed; `%.80s` is %s",
				tools.items[i], t == AT_MCP_TOOL_COUNT ? "none" : "there twice");
		mcp->tools |= 1u << t;
	}
	return mcp->tools != 0
		|| at_policy_fail(r, node, "policy-mcp", where,
			"must name at least one of write_file, delete_file, run_command, "
			"request_status, read_file_hashed");
}

static bool read_mcp(struct at_policy_mcp *mcp, struct at_policy_reader *r, uint32_t node)
{
	static const char *const keys[] = { "tools", "approval", NULL };
	uint32_t approval;
	const char *where;

	mcp->agent = at_policy_key(r, node, "mcp_grants");
	if (!mcp->agent)
		return false;
	if (!at_agent_slug_is_sound(at_bytes_of(mcp->agent)))
		return at_policy_fail(r, node, "policy-mcp", "mcp_grants",
			"names no agent: malformed agent slug: '%.80s'", mcp->agent);
	if (strcmp(mcp->agent, "orchestrator") == 0)
		return at_policy_fail(r, node, "policy-mcp", "mcp_grants",
			"may not name the orchestrator, which decides on the others");
	where = at_arena_printf(r->policy->arena, "mcp_grants.%s", mcp->agent);
	if (!at_policy_is_object(r, node, where) || !at_policy_only(r, node, where, keys)
		|| !read_tools(mcp, r, at_json_member(r->doc, node, "tools"), where))
		return false;
	approval = at_json_member(r->doc, node, "approval");
	mcp->direct = at_json_string_is(r->doc, approval, "direct");
	return approval == AT_JSON_NONE || mcp->direct
		|| at_json_string_is(r->doc, approval, "staged")
		|| at_policy_fail(r, approval, "policy-mcp", where,
			"has an `approval` that is neither \"staged\" nor \"direct\"");
}

bool at_policy_read_mcp(struct at_policy_reader *r, uint32_t node)
{
	struct at_policy *p = r->policy;
	struct at_policy_mcp *mcp;

	if (node == AT_JSON_NONE)
		return true;
	if (!at_policy_is_object(r, node, "mcp_grants"))
		return false;
	mcp = at_arena_alloc(p->arena, (r->doc->nodes[node].count + 1) * sizeof(*mcp));
	p->mcp = mcp;
	at_json_each(r->doc, i, node)
		if (!read_mcp(&mcp[p->mcp_count++], r, i))
			return false;
	return true;
}
