/* policy_impl.h - what the readers of one policy share. Internal to runner/proposals/policy*.c. */
#ifndef AT_PROPOSAL_POLICY_IMPL_H
#define AT_PROPOSAL_POLICY_IMPL_H

#include "core/json_read.h"
#include "core/mem.h"
#include "runner/proposals/policy.h"

struct at_policy_reader {
	struct at_policy *policy;
	const struct at_json *doc; /* the brief, or the operator's file */
	const char *home;
	struct at_error *err;
};

/* Fails at a node: "`where` …". */
bool at_policy_fail(struct at_policy_reader *r, uint32_t node, const char *id, const char *where,
	const char *format, ...) __attribute__((format(printf, 5, 6)));

/* A key of an object, in the arena; NULL with the error for one that holds what no name may. */
const char *at_policy_key(struct at_policy_reader *r, uint32_t node, const char *where);
/* A text without NUL, control characters or lone surrogates. */
bool at_policy_text(const char **out, struct at_policy_reader *r, uint32_t node, const char *where);
/* A list of them; an absent one is empty. */
bool at_policy_texts(
	struct at_strings *out, struct at_policy_reader *r, uint32_t node, const char *where);
/* Every key of the object is one of `keys`, which NULL ends. */
bool at_policy_only(
	struct at_policy_reader *r, uint32_t object, const char *where, const char *const *keys);
bool at_policy_is_object(struct at_policy_reader *r, uint32_t node, const char *where);

/* A program that reads commands itself: sh, bash, … */
bool at_policy_is_shell(const char *program);
/* A directory or a glob below the project in its text: no "..", not absolute, no home. */
bool at_policy_is_below(const char *path);

bool at_policy_read_commands(struct at_policy_agent *agent, struct at_policy_reader *r,
	uint32_t node, const char *where);
bool at_policy_read_gates(struct at_policy_reader *r, uint32_t node);
bool at_policy_read_mcp(struct at_policy_reader *r, uint32_t node);
/* Of the brief, or with `is_operators` of the operator's file, with gate_exec and its digests. */
bool at_policy_read_confined(struct at_policy_reader *r, uint32_t node, bool is_operators);

#endif
