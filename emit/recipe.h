/* recipe.h - what of a goose recipe is an agent: title, description, instructions, extensions.
 *
 * Reads with libyaml, of which it is the one file that knows, and only a mapping whose keys
 * stand at the left margin. Anchors, aliases, tags and directives are refused: a few lines of
 * them may stand for gigabytes, or for something else than they show. (EMIT-18)
 */
#ifndef AT_RECIPE_H
#define AT_RECIPE_H

#include "core/bytes.h"
#include "core/error.h"
#include "core/request.h"

#define AT_RECIPE_DEPTH 32        /* mappings and lists inside each other */
#define AT_RECIPE_EVENTS 200000   /* scalars and ends of a file */

enum at_recipe_key {
	AT_RECIPE_TITLE,
	AT_RECIPE_DESCRIPTION,
	AT_RECIPE_INSTRUCTIONS,
	AT_RECIPE_EXTENSIONS,
	AT_RECIPE_OTHER,
};
extern const char *const at_recipe_keys[AT_RECIPE_OTHER];

/* A key with its value, from its line to the next key's: comments after it are in it. */
struct at_recipe_piece {
	enum at_recipe_key key;
	struct at_bytes text;
};

struct at_recipe {
	struct at_bytes texts[AT_RECIPE_EXTENSIONS]; /* title, description, instructions; data is
	                                                NULL where there is none */
	bool has_extensions;
	struct at_texts extensions; /* their names, of those that have one */
	struct at_bytes lead;       /* what stands before the first key */
	struct at_recipe_piece *pieces;
	size_t count;
};

/* Texts are in `arena`, pieces point into `text`. AT_EPARSE with the line, and one of the ids
 * agent-yaml, agent-yaml-anchor, agent-yaml-tag, agent-yaml-size. */
bool at_recipe_read(struct at_recipe *out, struct at_bytes text, struct at_arena *arena,
	struct at_error *err);

/* A scalar in double quotes, on one line, that every reader of YAML takes the same way. */
void at_recipe_quote(struct at_buf *out, struct at_bytes text);

/* May it stand as a literal block, byte for byte? */
bool at_recipe_is_literal(struct at_bytes text);

#endif
