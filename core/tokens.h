/* tokens.h - the host-feature tokens: "namespace:feature".
 *
 * One table of what is valid, a parser for the operator's list, the union with what the
 * profile asks for. It decides nothing. (REQ-9)
 */
#ifndef AT_TOKENS_H
#define AT_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"
#include "core/request.h"

struct at_arena;

/* One row a namespace; "sandbox" stands only where an emitter exists. */
struct at_token_space {
	const char *name;
	const char *const *features; /* ends with NULL */
};
extern const struct at_token_space at_token_spaces[];
extern const size_t at_token_space_count;

/* Appends the tokens of a CSV (NULL: none) in their order: blanks are skipped, doubles
 * dropped, the last colon parts namespace and feature. AT_EUSAGE names what is valid. */
bool at_tokens_parse(struct at_texts *out, const char *csv, struct at_arena *arena,
	struct at_error *err);

/* Appends `token` unless it is there. */
void at_tokens_add(struct at_texts *tokens, const char *token, struct at_arena *arena);

/* True when any token ends in ":sandbox". (REQ-10) */
bool at_tokens_ask_for_sandbox(const struct at_texts *tokens);

#endif
