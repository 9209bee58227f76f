/* toml_text.h - the part of TOML that codex's agent files are written in: texts by key.
 *
 * `key = "text"`, in each of TOML 1.0's four ways to write a text. Tables, numbers, lists and
 * dotted or quoted keys are errors that say so: no key of an agent file is one. It knows no
 * key's meaning. (EMIT-18; reference-later 5.4)
 */
#ifndef AT_TOML_TEXT_H
#define AT_TOML_TEXT_H

#include "core/bytes.h"
#include "core/error.h"

struct at_arena;

struct at_toml_piece {
	struct at_bytes text;  /* its lines as they stand */
	struct at_bytes key;   /* empty for a blank line or a comment */
	struct at_bytes value; /* with its escapes resolved and a NUL after it; in the arena */
	unsigned line;         /* from 1 */
};

struct at_toml_walk {
	struct at_bytes text;
	size_t at;
	unsigned line;
};

/* The text must have passed at_agent_check_text(). Sets *done at its end. AT_EPARSE with the
 * line, and one of the ids agent-toml, agent-toml-type, agent-toml-text, agent-toml-escape. */
bool at_toml_next(struct at_toml_piece *out, bool *done, struct at_toml_walk *walk,
	struct at_arena *arena, struct at_error *err);

/* A basic text on one line; and a block of lines, literal where its bytes allow. The block must
 * end in a newline. */
void at_toml_quote(struct at_buf *out, struct at_bytes text);
void at_toml_block(struct at_buf *out, struct at_bytes text);

#endif
