/* settings_load.h - a settings file that is nearly JSON, and one whose keys repeat.
 *
 * The client reads strict JSON only, so a comment or a trailing comma costs the whole
 * file; an operator still wants to hear what else is wrong in it. Knows nothing of what
 * the keys mean. (WIRE-8)
 */
#ifndef AT_SETTINGS_LOAD_H
#define AT_SETTINGS_LOAD_H

#include "core/bytes.h"
#include "core/json_read.h"

struct at_relaxed {
	size_t comments, commas;          /* how many were blanked */
	size_t first_comment, first_comma; /* offsets */
};

/* A copy of the text with comments and trailing commas turned to spaces, every offset
 * kept. Linear. The caller frees it. */
char *at_settings_relax(struct at_relaxed *out, struct at_bytes text);

/* Offsets at which lines start; the caller frees it. */
uint32_t *at_settings_lines(size_t *count, struct at_bytes text);

/* For each node whether a later member of the same key replaces it or what it is in, as
 * the client reads duplicates. NULL when no key repeats. In `arena`. */
bool *at_settings_dead(const struct at_json *doc, struct at_arena *arena);

#endif
