/* keymap.h - which action a key means, where.
 *
 * Filled from the action table; a context of its own comes before global, and the three modal
 * contexts know nothing else. Keys can be bound anew, and one judge says what is wrong with a
 * whole map: the tests of the default keys and the reader of a configuration both ask it.
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
	unsigned origin; /* who bound it: 0 the table, else the caller's number (a line) */
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

/* Makes `keys` the keys of the action in one context, in place of those it had there; none
 * with a count of 0. False when the action is unknown there. Judges nothing. */
bool at_keymap_bind(struct at_keymap *map, enum at_context context, enum at_action action,
	const struct at_key *keys, size_t count, unsigned origin);

/* Two bindings of one key that can be valid at the same time, or false. */
bool at_keymap_conflict(const struct at_keymap *map, size_t *first, size_t *second);

struct at_keymap_fault {
	unsigned origin;       /* the latest of those involved; 0 when an action lacks a key */
	enum at_action action; /* the action meant */
	char why[256];         /* one sentence */
};

/* True, with the first fault, when the map may not be used: a key of two meanings, an act on a
 * key that moves, an answer on a key that asks, a letter where letters are text, a way out
 * without a key. keymap_judge.c has the rules as a table. (UI-4, UI-6) */
bool at_keymap_judge(const struct at_keymap *map, struct at_keymap_fault *out);

#endif
