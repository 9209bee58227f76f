/* write_policy.h - does `write_policy: "orchestrator-only"` hold for this team, or is it refused?
 *
 * The one resolver: emission, import and every view ask it. Refusals stand in one table, in the
 * order in which they are said. It reads no file and no environment. (WP-1; reference-ledgers 3.15)
 */
#ifndef AT_WRITE_POLICY_H
#define AT_WRITE_POLICY_H

#include "core/decide.h"

/* Lets goose have the switch for one process, with a warning: its delegates inherit the
 * orchestrator's tools, so nothing enforces it there. */
#define AT_GOOSE_SWITCH_ENV "AGENTTEAMS_ALLOW_UNENFORCED_GOOSE_SWITCH"

enum at_write_policy {
	AT_POLICY_OFF,        /* not asked for */
	AT_POLICY_ELSEWHERE,  /* asked for, for other frameworks alone */
	AT_POLICY_ON,
	AT_POLICY_UNENFORCED, /* goose, under the variable above */
};

/* `goose_is_allowed`: that variable is "1". Fails with AT_EREFUSED, id write-policy-…, the field and
 * what to do. */
bool at_write_policy_resolve(enum at_write_policy *out, const struct at_manifest *manifest,
	bool goose_is_allowed, struct at_error *err);

/* True where agents of this team have to be narrowed and `.agentteams` closed to them. */
bool at_write_policy_applies(const struct at_manifest *manifest, bool goose_is_allowed);

/* Is the variable "1" in this environment (as struct at_host has it; NULL: no)? */
bool at_goose_switch_is_allowed(char *const *environment);

#endif
