/* setup_roots.h - the write roots of a draft: which may be, which need the operator's word.
 *
 * Asks the one validator and the one rule of acceptance; a root that the saved brief has is
 * not asked about again here. It reads the live settings, as acceptance needs them. (REQ-3,
 * REQ-4)
 */
#ifndef AT_SETUP_ROOTS_H
#define AT_SETUP_ROOTS_H

#include "views/setup_model.h"

struct at_setup_root {
	const char *path;
	const struct at_field *field; /* which list it is of */
	const char *ban;              /* why it may not be one, a clause; NULL when it may */
	bool external, accepted;
	bool is_new;                  /* the saved brief does not have it */
	const char *notice;           /* SANDBOX WIDENING …, or NULL */
};

struct at_setup_roots {
	struct at_arena *arena;
	struct at_setup_root *items;
	size_t count;
};

/* Looks at every root of the draft. Freed with at_setup_roots_free(). */
void at_setup_roots_make(struct at_setup_roots *out, const struct at_setup_model *model);
void at_setup_roots_free(struct at_setup_roots *roots);
/* The first of that list and text, or NULL. */
const struct at_setup_root *at_setup_root_find(const struct at_setup_roots *roots,
	const struct at_field *field, const char *path);

/* Is every root that the draft adds to the saved brief one that may be? `field`: what was
 * changed, and anything but a list of roots is fine; NULL: look in any case, as before a save.
 * Errors as at_setup_set() has them. `unaccepted` may be NULL. */
bool at_setup_check_roots(const struct at_setup_model *model, const struct at_field *field,
	struct at_buf *unaccepted, struct at_error *err);

/* The last segment of the path as it is compared: the word to type. In `arena`. */
const char *at_setup_root_word(const struct at_session *session, const char *path,
	struct at_arena *arena);

#endif
