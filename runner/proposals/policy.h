/* policy.h - what the brief and the operator's file let agents propose and run.
 *
 * agent_policies, proposal_gates, protected_paths, confined_programs, allow_unconfined_runs and
 * mcp_grants, read whole or refused: nothing half understood is ever in force. Matching of scopes,
 * globs and commands is in scope.h. It runs nothing and looks at no file but the operator's.
 * (RUN-2, RUN-5, RUN-6; reference-ledgers 3.11, 3.12)
 */
#ifndef AT_PROPOSAL_POLICY_H
#define AT_PROPOSAL_POLICY_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/bytes.h"
#include "core/digest.h"
#include "core/error.h"
#include "keys/custody.h"

struct at_arena;

struct at_strings {
	const char *const *items;
	size_t count;
};

/* One entry of agent_policies.A.commands. */
struct at_policy_command {
	struct at_strings prefix, args; /* argv begins with `prefix`; a regex each for what follows */
	regex_t *regex;                 /* `args` compiled, to match all of an argument */
	const char *cwd;                /* "." by default */
	bool variadic;                  /* the last pattern takes one or more */
	struct at_strings writes;       /* globs of what a run may write */
	struct at_strings stdin_gates;  /* names of gates */
	unsigned timeout;               /* seconds, 1 to 7200 */
};

struct at_policy_agent {
	const char *name;
	struct at_strings write_scopes;
	const struct at_policy_command *commands;
	size_t command_count;
};

struct at_policy_gate {
	const char *name, *glob;
	struct at_strings argv;
	struct at_strings exec;   /* of the brief, else of the operator's gate_exec; may be empty */
	struct at_digest object;  /* of the brief's own object, as a direct grant binds it (3.13) */
	struct at_digest argv_sha256; /* as gate_argv_sha256 has it */
};

/* The programs and roots of one confined agent. */
struct at_policy_confined {
	const char *agent;
	struct at_strings exec;  /* absolute, `~` expanded */
	struct at_strings write; /* directories below the project */
};

enum at_mcp_tool { /* canonical order */
	AT_MCP_WRITE_FILE,
	AT_MCP_DELETE_FILE,
	AT_MCP_RUN_COMMAND,
	AT_MCP_REQUEST_STATUS,
	AT_MCP_READ_FILE_HASHED,
	AT_MCP_TOOL_COUNT,
};
extern const char *const at_mcp_tools[AT_MCP_TOOL_COUNT];

struct at_policy_mcp {
	const char *agent;
	unsigned tools; /* bits by enum at_mcp_tool */
	bool direct;    /* approval "direct"; without a signed grant it is staged all the same */
};

struct at_policy {
	struct at_arena *arena;  /* owns all of it */
	const char *brief_place; /* below the project; "" where the brief lies outside */
	bool is_orchestrator_only;
	bool allow_unconfined_runs;
	struct at_strings protected_paths;
	const struct at_policy_agent *agents;
	size_t agent_count;
	const struct at_policy_gate *gates; /* in the brief's order */
	size_t gate_count;
	const struct at_policy_confined *confined;
	size_t confined_count;
	bool confined_is_operators; /* from the operator's file, not the brief */
	const struct at_policy_mcp *mcp;
	size_t mcp_count;
};

/* Reads it. `confined` holds the operator's file, `data` NULL where there is none. `home` is for
 * `~/`. Fails with AT_EPARSE, or AT_EINVALID with the field and one of the ids policy-shape,
 * policy-agent, policy-scope, policy-scope-brief, policy-command, policy-shell, policy-regex,
 * policy-regex-wide, policy-writes, policy-timeout, policy-gate, policy-gate-name,
 * policy-confined, policy-confined-twice, policy-unconfined, policy-mcp. Release with
 * at_policy_free(), also after a failure. */
bool at_policy_read(struct at_policy *out, struct at_bytes brief, const char *brief_place,
	struct at_bytes confined, const char *home, struct at_error *err);
void at_policy_free(struct at_policy *policy);

/* By name; NULL where there is none. */
const struct at_policy_agent *at_policy_agent(const struct at_policy *policy, const char *agent);
const struct at_policy_gate *at_policy_gate(const struct at_policy *policy, const char *gate);
const struct at_policy_confined *at_policy_confined(const struct at_policy *policy,
	const char *agent);
const struct at_policy_mcp *at_policy_mcp(const struct at_policy *policy, const char *agent);

/* The first entry of the agent's commands that `argv` is; NULL where it is on none. */
const struct at_policy_command *at_policy_command(const struct at_policy_agent *agent,
	const char *const *argv, size_t count);

#endif
