/* setup_effect.h - what a brief would emit, in memory, and how two of them differ.
 *
 * Plans with the same code as --update and writes nothing. Two effects are compared file by
 * file; of the settings example the changed lines are shown. (EMIT-21)
 */
#ifndef AT_SETUP_EFFECT_H
#define AT_SETUP_EFFECT_H

#include "core/plan.h"
#include "views/session.h"

struct at_setup_effect {
	bool is_made;    /* somebody asked for it */
	bool is_planned; /* else `error` says why nothing would be emitted */
	struct at_error error;
	struct at_arena *arena;
	struct at_request request;
	struct at_manifest manifest;
	struct at_plan plan;
	struct at_notices notices;
};

/* No bytes: a missing brief, all defaults. Freed with at_setup_effect_free() in any case. */
void at_setup_effect_make(struct at_setup_effect *out, const struct at_session *session,
	struct at_bytes brief, enum at_framework_id framework);
void at_setup_effect_free(struct at_setup_effect *effect);

/* What the settings example would hold: no bytes where none would be written. Its path goes
 * to `path`, which may be NULL, when there is one. */
struct at_bytes at_setup_effect_example(const struct at_setup_effect *effect, const char **path);

/* Counts the files that `after` would write otherwise than `before`; a NULL or unplanned
 * `before` stands for what is on disk. Their names go to `list`, by commas, unless it is
 * NULL. */
size_t at_setup_effect_compare(const struct at_setup_effect *before,
	const struct at_setup_effect *after, struct at_buf *list);

#endif
