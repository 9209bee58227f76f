/* claude.h - what the files of the claude emitter share.
 *
 * The example is one file, its hook another, the wiring check compares both with the
 * live settings. All paths derive from the team directory that was given. (EMIT-2)
 */
#ifndef AT_EMIT_CLAUDE_H
#define AT_EMIT_CLAUDE_H

#include "emit/build_log.h"
#include "emit/framework.h"
#include "emit/live.h"
#include "emit/texts.h"

/* The directory above the team's: ".claude"; "" when the team stands at the project's top. */
const char *at_claude_config_dir(const struct at_project *project, struct at_arena *arena);

/* Paths below the project, in `arena`. */
const char *at_claude_in_config(const struct at_project *project, const char *name,
	struct at_arena *arena);
const char *at_claude_in_team(const struct at_project *project, const char *name,
	struct at_arena *arena);

#define AT_CLAUDE_EXAMPLE "settings.hooks.example.json"
#define AT_CLAUDE_HOOK "hooks/constitutional-gate.sh"
#define AT_CLAUDE_HOOK_STUB "hooks/constitutional-gate.py"

/* EMIT-1: the example's exact bytes. The merge takes its keys but those that begin with
 * '_', which are for the reader. */
void at_claude_settings(struct at_buf *out, const struct at_manifest *manifest,
	const struct at_project *project);

/* The lists of the example, in its order; the strings land in `arena`. */
void at_claude_deny_write(struct at_text_list *out, const struct at_manifest *manifest,
	const struct at_project *project, struct at_arena *arena);
void at_claude_deny_read(struct at_text_list *out, const struct at_manifest *manifest,
	const struct at_project *project, struct at_arena *arena);
void at_claude_deny_rules(struct at_text_list *out, const struct at_manifest *manifest,
	const struct at_project *project, struct at_arena *arena);

/* EMIT-13: the rules that protect prompt roots, present ones or all. */
void at_claude_prompt_rules(struct at_text_list *out, const struct at_project *project,
	struct at_arena *arena);

/* EMIT-2: is `.agentteams` protected from this team? */
bool at_claude_has_write_policy(const struct at_manifest *manifest);

/* `*.pem` files directly in ~/.config/agentteams, sorted, as "~/…". (EMIT-5) */
void at_claude_legacy_keys(struct at_text_list *out, const struct at_project *project,
	struct at_arena *arena);

/* The hook's command, as the example spells it. */
const char *at_claude_hook_command(const struct at_project *project, struct at_arena *arena);

/* EMIT-12: the script and the stub beside it. */
bool at_claude_plan_hook(struct at_plan *plan, const struct at_manifest *manifest,
	const struct at_project *project, const struct at_live *live,
	const struct at_build_log *log, struct at_error *err);

/* Does a hook of this group (of hooks.PreToolUse) name `file` in its command? */
bool at_claude_group_starts(const struct at_json *doc, uint32_t group, const char *file,
	struct at_arena *arena);

/* The rows of struct at_framework. */
struct at_effective;
struct at_hook_list;
void at_claude_effective(struct at_effective *out, const struct at_project *project);
void at_claude_hooks(struct at_hook_list *out, const struct at_manifest *manifest,
	const struct at_project *project, const struct at_plan *plan);
void at_claude_ask_client(struct at_wiring *report, const struct at_project *project);
extern const char at_claude_optional[];        /* WIRE-11 */
extern const char at_claude_managed_example[]; /* the same: inert, printed only */

bool at_claude_plan(struct at_plan *plan, struct at_notices *notices,
	const struct at_manifest *manifest, const struct at_project *project, struct at_error *err);
bool at_claude_check_wiring(struct at_wiring *report, const struct at_manifest *manifest,
	const struct at_project *project, const struct at_plan *plan, struct at_error *err);
bool at_claude_parse_agent(struct at_agent *out, struct at_bytes text, struct at_arena *arena,
	struct at_error *err);
void at_claude_render_agent(struct at_buf *out, const struct at_agent *agent);

#endif
