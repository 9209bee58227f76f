/* agent.h - agent files of every harness, and from one harness to another.
 *
 * Each format reads into the one canonical form and is written from it; what nobody
 * changed is written as it was spelled. What a format has no word for travels in a
 * translation section at the head of its body, so that nothing is lost on the way back.
 * It reads and writes no file. (EMIT-18; reference-emission 2.3, reference-later 5.4)
 */
#ifndef AT_AGENT_H
#define AT_AGENT_H

#include "emit/framework.h"

/* AT_EPARSE with the stable name `id` and the line of the agent file, from 1. */
bool at_agent_fail(struct at_error *err, unsigned line, const char *id, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* What each of the formats reads refuses alike: a byte order mark, NUL, what is no UTF-8. */
bool at_agent_check_text(struct at_bytes text, struct at_error *err);

bool at_agent_same_tools(const struct at_agent *a, const struct at_agent *b);

/* Front matter with name, description and tools: claude and both copilots. The tools of a
 * copilot are a list in brackets. */
void at_front_agent_render(struct at_buf *out, const struct at_agent *agent, bool brackets);
void at_copilot_render_agent(struct at_buf *out, const struct at_agent *agent);

bool at_goose_parse_agent(struct at_agent *out, struct at_bytes text, struct at_arena *arena,
	struct at_error *err);
void at_goose_render_agent(struct at_buf *out, const struct at_agent *agent);

bool at_codex_parse_agent(struct at_agent *out, struct at_bytes text, struct at_arena *arena,
	struct at_error *err);
void at_codex_render_agent(struct at_buf *out, const struct at_agent *agent);

bool at_agents_md_parse_agent(struct at_agent *out, struct at_bytes text, struct at_arena *arena,
	struct at_error *err);
void at_agents_md_render_agent(struct at_buf *out, const struct at_agent *agent);

/* The tools of one harness in the words of another. Claude's names become words (`search` for
 * Grep and Glob together) only where all of them are there, so that no way leads to more than
 * was given; what has no word stays as it is spelled. In `arena`. (reference-emission 2.3) */
struct at_texts at_agent_tools(const struct at_texts *tools, enum at_framework_id from,
	enum at_framework_id to, struct at_arena *arena);

/* The agent as another harness has it. Texts are borrowed from `agent` or in `arena`. Fails
 * with AT_EINVALID on what the other format cannot hold: its name, bytes that are no text. */
bool at_agent_convert(struct at_agent *out, const struct at_agent *agent,
	enum at_framework_id from, enum at_framework_id to, struct at_arena *arena,
	struct at_error *err);

/* Is `slug` the name of a file in every harness? Letters, digits, `-`, `_` and `.`, the first
 * a letter or digit, at most 100. */
bool at_agent_slug_is_valid(const char *slug);

#endif
