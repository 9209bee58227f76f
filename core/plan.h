/* plan.h - what is about to be written, with the reasons.
 *
 * A plan is a list of file changes. Dry run, preview and the real run share it. This
 * module reads what is there to know what would change; core/apply.h is the one way to
 * carry a plan out. It knows nothing of frameworks, settings or screens.
 */
#ifndef AT_PLAN_H
#define AT_PLAN_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/bytes.h"
#include "core/digest.h"
#include "core/error.h"

struct at_arena;
struct at_json_value;

enum at_change_kind {
	AT_CREATE,  /* nothing is there */
	AT_REPLACE, /* other bytes or another mode are there */
	AT_SAME,    /* already as wanted: nothing is done */
	AT_KEPT,    /* something else is there and stays (a stub rule, or the reason says) */
	AT_REMOVE,  /* by undo, and by at_plan_remove() */
};

enum at_place {
	AT_IN_PROJECT,
	AT_IN_STATE, /* the state directory of core/state.h; files there are 0600 */
	AT_ON_HOST,  /* below "/": the target of a link that the operator agreed to (WIRE-2) */
	AT_PLACE_COUNT,
};

struct at_change {
	const char *path; /* below its place, no "..", '/'-separated */
	enum at_place place;
	enum at_change_kind kind;
	struct at_bytes bytes; /* the exact new content */
	struct at_digest old;  /* what was there when the plan was made; unset for AT_CREATE */
	mode_t mode;           /* for a new file; 0 means 0644. AT_REPLACE keeps the file's
	                          own, but for execute bits asked for here */
	mode_t old_mode;       /* what was there; 0 for AT_CREATE and AT_KEPT */
	const char *reason;    /* one clause, shown to the operator */
};

struct at_plan {
	struct at_arena *arena; /* owns every text and all bytes */
	struct at_change *changes;
	size_t count, cap;
};

enum at_plan_rule {
	AT_PLAN_WRITE, /* make it so */
	AT_PLAN_STUB,  /* only where nothing is; anything there is AT_KEPT (EMIT-7, EMIT-8) */
};

void at_plan_init(struct at_plan *plan);
void at_plan_free(struct at_plan *plan);

/* Adds one file: reads what is at `path` below `root` (the project, or the state
 * directory when `place` says so; -1 there means it does not exist yet) and sets kind
 * and old digest. Everything is copied. Fails with AT_EUNSAFE on a link or a special
 * file in the way. A second change of one path is AT_ECONFLICT. */
bool at_plan_add(struct at_plan *plan, int root, enum at_place place, const char *path,
	struct at_bytes bytes, mode_t mode, enum at_plan_rule rule, const char *reason,
	struct at_error *err);

/* Adds the removal of a file that is there: AT_ENOENT where none is, else as at_plan_add(). */
bool at_plan_remove(struct at_plan *plan, int root, const char *path, const char *reason,
	struct at_error *err);

/* Notes a file that was looked at and stays as it is (AT_KEPT). */
void at_plan_keep(struct at_plan *plan, const char *path, const char *reason);

/* True for a change that would write; and the number of them. */
bool at_change_is_pending(const struct at_change *change);
size_t at_plan_pending(const struct at_plan *plan);

/* The permission bits the file gets when `old` are those there now: execute bits that
 * were asked for go to whoever may read it, a state file is 0600, set-id bits are
 * dropped as a write drops them. */
mode_t at_change_mode(const struct at_change *change, mode_t old);

const char *at_change_word(enum at_change_kind kind); /* "new", "changed", "same", "kept", "removed" */

/* One line a change, or an array of {path, kind, size, mode, reason, old, new}. */
void at_plan_print(const struct at_plan *plan, struct at_buf *out);
void at_plan_to_json(const struct at_plan *plan, struct at_json_value *array);

#endif
