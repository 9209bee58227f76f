/* check.h - may this change or deletion be made? The checks of 3.8, one table, in its order.
 *
 * From the shape to the gates that have to run; running them, the ledger row and the write are the
 * caller's. Every refusal has a stable id and the reference's text. It changes nothing but the
 * attempts of a nonce. (RUN-6, STG-1; reference-ledgers 3.8)
 */
#ifndef AT_PROPOSAL_CHECK_H
#define AT_PROPOSAL_CHECK_H

#include <limits.h>
#include <stdbool.h>

#include "core/file.h"
#include "runner/proposals/artifact.h"
#include "runner/proposals/dispatch.h"
#include "runner/proposals/policy.h"

enum at_channel { AT_CHANNEL_ORCHESTRATOR, AT_CHANNEL_MCP };

enum at_check_mode {
	AT_CHECK_APPLY,  /* the orchestrator's apply-proposal */
	AT_CHECK_STAGE,  /* an agent's stage-proposal */
	AT_CHECK_DIRECT, /* the same, upgraded by a direct grant */
	AT_CHECK_STAGED, /* approving: who it was is in the staged record */
	AT_CHECK_OPERATOR, /* the operator's own result (STG-4): no nonce either */
};

/* What the checks stand on. Borrowed. */
struct at_check_ground {
	const struct at_policy *policy;
	struct at_dispatches *dispatches; /* NULL for STAGED and OPERATOR */
	int root;            /* a descriptor of the project */
	const char *project; /* its physical path */
	bool (*has_direct_grant)(void *context, const char *agent); /* for DIRECT */
	void *context;
};

struct at_check_ask {
	enum at_check_mode mode;
	enum at_channel channel;
	const char *via_agent; /* MCP: whose server it came through */
	const char *agent;     /* STAGED, OPERATOR: of the record */
	const struct at_json *doc;
	uint32_t node; /* of the artifact */
	struct at_time now;
};

/* What was found out. In the arena it was given, but for `old`. */
struct at_check {
	struct at_artifact artifact;
	char agent[AT_AGENT]; /* "?" until somebody is known */
	char path[PATH_MAX]; /* R: canonical, below the project; "" until known */
	bool base_is_absent;
	struct at_digest base, result; /* as asked, checked; of the content (unset for a delete) */
	struct at_file old;            /* what is there now */
	const struct at_policy_gate **gates; /* to run, in order: asked for, then by glob */
	size_t gate_count;
};

/* Runs the table. Fails with AT_EREFUSED, or AT_EINVALID for a shape; what was found until then is
 * in `out` (for the ledger's refusal row). Release with at_check_free(), also after a failure. On
 * the MCP channel refusals of the nonce are hidden already. */
bool at_check_run(struct at_check *out, const struct at_check_ask *ask,
	const struct at_check_ground *ground, struct at_arena *arena, struct at_error *err);
void at_check_free(struct at_check *check);

/* Destination and base again, right before the act. (row 15) */
bool at_check_again(struct at_check *check, const struct at_check_ground *ground,
	struct at_error *err);

/* Where does `path` lead: canonical, below the project, no control plane, not the brief, not
 * protected, within the agent's scopes? Rows 6 to 10, for a command's expected_writes too. */
bool at_check_destination(char out[PATH_MAX], struct at_bytes path,
	const struct at_check_ground *ground, const char *agent, struct at_error *err);

/* The orchestrator may not queue for an agent that has a server of its own; and a request of the
 * MCP channel must name its server's agent. (3.5) */
bool at_check_channel(const struct at_policy *policy, enum at_channel channel,
	const char *via_agent, const char *agent, struct at_error *err);

#endif
