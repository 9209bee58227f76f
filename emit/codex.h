/* codex.h - what is a codex team's own: the runner, the hook and the two programs behind it.
 *
 * The runner starts codex inside the launcher. Under the write policy its agents may only read:
 * a hook asks agentteams-role-gate before each call, and agentteams-readfs-mcp serves the files.
 * Both are copied into the project as they are installed here, and pinned in the runner. Nothing
 * of this is in force until the operator starts codex by the runner. (WP-3, WP-5; reference-later
 * 5.1)
 */
#ifndef AT_CODEX_H
#define AT_CODEX_H

#include "core/digest.h"
#include "emit/framework.h"

#define AT_CODEX_RUNNER ".codex/confined-run.example.sh"
#define AT_CODEX_HOOKS ".codex/hooks.json"
#define AT_CODEX_BIN ".agentteams/bin/"
#define AT_CODEX_PROGRAMS 2

struct at_codex_program {
	const char *name, *path; /* below the project */
	const char *reason;
};
extern const struct at_codex_program at_codex_programs[AT_CODEX_PROGRAMS]; /* gate, server */

/* Agents of this team may only read: the write policy applies (WP-1), and a boundary is emitted.
 * Good once the emission resolved the policy. */
bool at_codex_has_gate(const struct at_manifest *manifest);

/* Where the program is installed: beside the gate, in the same fixed places. NULL when nowhere;
 * else in `arena`. */
const char *at_codex_installed(
	const struct at_project *project, const char *name, struct at_arena *arena);

/* Adds both programs, and a README that keeps their ground in place. One that is not installed
 * here is told, and what is there of it stays. */
bool at_codex_plan_programs(struct at_plan *plan, struct at_notices *notices,
	const struct at_project *project, struct at_error *err);

/* Adds the hook: over nothing, or over a file that starts nothing but the role gate. Any other
 * stays and is told. */
bool at_codex_plan_hooks(struct at_plan *plan, struct at_notices *notices,
	const struct at_project *project, struct at_error *err);

/* Is every hook of this text a start of the role gate, ours or the Python tool's? */
bool at_codex_hooks_are_ours(struct at_bytes text);

/* Adds the runner; last, since it pins what the plan holds. Fails with AT_EREFUSED on a control
 * character in a path of the brief. */
bool at_codex_plan_runner(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project, struct at_error *err);

/* The change of `path` that the plan holds, or NULL. */
const struct at_change *at_codex_change(const struct at_plan *plan, const char *path);

/* The `plan` and `check_wiring` of the framework. */
bool at_codex_plan(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project, struct at_error *err);
bool at_codex_check(struct at_wiring *report, const struct at_manifest *manifest,
	const struct at_project *project, const struct at_plan *plan, struct at_error *err);

#endif
