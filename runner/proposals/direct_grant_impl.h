/* direct_grant_impl.h - what judging and making of direct grants share. Internal to
 * runner/proposals/direct_grant*.c. */
#ifndef AT_PROPOSAL_DIRECT_GRANT_IMPL_H
#define AT_PROPOSAL_DIRECT_GRANT_IMPL_H

#include "runner/proposals/direct_grant.h"

/* One record as the file has it, in the arena: every field there and of its type, none else. The
 * grant_id is set where there is one ("?" where not), also on failure. */
bool at_direct_take(struct at_direct_grant *out, const struct at_json *doc, uint32_t node,
	struct at_arena *arena, struct at_error *err);
/* A list of objects, few enough. */
bool at_direct_list_check(const struct at_json *doc, struct at_error *err);

/* Appends the object, COMPACT. */
void at_direct_put(struct at_buf *out, const struct at_direct_grant *grant, bool with_signature);

/* The bound fields as brief and server have them now; false where mcp_grants does not name the
 * agent. Gates are those of the brief that guard one of its scopes: all of them. */
bool at_direct_bind(struct at_direct_grant *out, const char *agent,
	const struct at_direct_live *live, struct at_arena *arena);
bool at_direct_is_bounded(const struct at_direct_grant *grant);

#endif
