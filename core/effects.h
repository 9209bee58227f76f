/* effects.h - what a change of a settings file means for protection.
 *
 * One table, path pattern by kind of change, first match wins; the man page prints it.
 * It judges a single change and knows nothing of merging. (WIRE-4)
 */
#ifndef AT_EFFECTS_H
#define AT_EFFECTS_H

#include "core/json_read.h"
#include "core/write_root.h"

enum at_effect { AT_TIGHTENS, AT_NEUTRAL, AT_WIDENS, AT_RELAXES };
const char *at_effect_word(enum at_effect effect); /* "tightens" "neutral" "WIDENS" "RELAXES" */

enum at_op {
	AT_ADDED = 1,
	AT_REMOVED = 2,
	AT_CHANGED = 4,
};
const char *at_op_word(enum at_op op); /* "add" "remove" "change" */

/* One value; `node` is AT_JSON_NONE where there is none. */
struct at_effect_value {
	const struct at_json *doc;
	uint32_t node;
};

struct at_effect_change {
	const char *path; /* "permissions/deny/[]": keys by '/', [] for an element */
	enum at_op op;
	struct at_effect_value before, after;
};

struct at_effect_context {
	struct at_root_place place;
	struct at_effect_value live_roots; /* the live allowWrite, or NONE: the client's default */
};

struct at_effect_verdict {
	enum at_effect effect;
	const char *why; /* one clause, static */
	bool external;   /* a root outside the project */
};

struct at_effect_verdict at_effect_judge(const struct at_effect_change *change,
	const struct at_effect_context *context);

/* True for a hook group whose command runs the emitted gate. */
bool at_effect_is_gate(const struct at_json *doc, uint32_t group);

/* The table as "pattern | change | effect | why", one row a line. */
struct at_buf;
void at_effect_print_table(struct at_buf *out);

#endif
