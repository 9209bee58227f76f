/* keymap.h - which action a key means, where.
 *
 * Filled from the action table; a context of its own comes before global, and the three modal
 * contexts know nothing else. It can be asked for conflicts, so that a test and a
 * configuration reader share one judge.
 */
#ifndef AT_KEYMAP_H
#define AT_KEYMAP_H

#include <stddef.h>

#include "tui/action.h"
#include "tui/input.h"

struct at_binding {
	struct at_key key;
	enum at_action action;
	unsigned contexts;
};

struct at_keymap {
	struct at_binding *bindings;
	size_t count, cap;
};

void at_keymap_init(struct at_keymap *map); /* the default keys */
void at_keymap_free(struct at_keymap *map);

/* `contexts`: those of the view (without global, which is tried last), or one modal. */
enum at_action at_keymap_find(const struct at_keymap *map, unsigned contexts, struct at_key key);

/* The first key of an action that works in `contexts`, by name; "" when it has none. */
void at_keymap_key(const struct at_keymap *map, enum at_action action, char out[24]);
/* All of its keys, separated by spaces, into `out`. */
void at_keymap_keys(const struct at_keymap *map, enum at_action action, char *out, size_t size);

/* Two bindings of one key that can be valid at the same time, or false. */
bool at_keymap_conflict(const struct at_keymap *map, size_t *first, size_t *second);

#endif
