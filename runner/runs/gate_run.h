/* gate_run.h - does a gate of the brief let this content pass?
 *
 * A gate is a command that looks at a copy of the proposed file. It runs confined like any other
 * command, with nothing to write but its own temporary directory, and no network. Which gates
 * there are and which files they are for is not known here. (RUN-5; reference-ledgers 3.8)
 */
#ifndef AT_GATE_RUN_H
#define AT_GATE_RUN_H

#include "runner/runs/run.h"

#define AT_GATE_TIMEOUT 120 /* seconds */
#define AT_GATE_WORDS 600 /* characters of its output that a refusal quotes */

struct at_gate_call {
	const char *name;
	const char *const *argv; /* ended by NULL; `{file}` and `{path}` as whole words */
	const char *const *exec; /* ended by NULL; NULL: the program and its `#!` interpreter */
	const char *path; /* of the proposed file, below the project */
	struct at_bytes content; /* the proposed bytes */
	const char *argv_digest; /* 64 hex digits that argv must have, or NULL */
	const char *const
		*never; /* write roots of any agent: exec must not overlap. Ended by NULL */
	const char *const *hide; /* as in struct at_confine_entry */
	bool (*go_on)(void *user);
	void *user;
};

/* SHA-256 of argv as compact JSON (no spaces, non-ASCII as \uXXXX): what gate_argv_sha256 in the
 * operator's file holds. False when a word is no UTF-8. */
bool at_gate_argv_digest(char out[65], const char *const *argv);

/* True when it ended with 0 in time. Else the refusal's text is in `err`:
 * `gate G could not run: …`, or
 * `gate G refused the proposed content (exit N): <the end of what it wrote>`. */
bool at_gate_run(struct at_confine *confine, const struct at_gate_call *call, struct at_error *err);

#endif
