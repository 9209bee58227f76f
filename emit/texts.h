/* texts.h - lists and sets of strings, as emitters build them.
 *
 * A list keeps its order, a set answers "is it in there" at once: live settings may hold
 * many thousand entries. Neither knows what the strings mean.
 */
#ifndef AT_TEXTS_H
#define AT_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/bytes.h"
#include "core/json_read.h"

struct at_arena;
struct at_json_value;

struct at_text_list {
	const char **items; /* borrowed strings; the array is owned */
	size_t count, cap;
};
void at_text_list_add(struct at_text_list *list, const char *text);
void at_text_list_sort(struct at_text_list *list); /* by byte */
void at_text_list_free(struct at_text_list *list);

/* `["a", "b"]` in JSON, for messages. */
void at_text_list_print(struct at_buf *out, const struct at_text_list *list);
void at_text_list_to_json(
	struct at_json_value *object, const char *key, const struct at_text_list *list);

struct at_set_item;
struct at_set {
	struct at_set_item *items;
};
void at_set_add(struct at_set *set, const char *text); /* copied */
bool at_set_has(const struct at_set *set, const char *text);
void at_set_free(struct at_set *set);

/* Adds the strings of the array at `dotted`, in `arena`; those with a NUL inside and what
 * is no string are left out. */
void at_text_list_of_json(struct at_text_list *out, const struct at_json *doc, const char *dotted,
	struct at_arena *arena);

#endif
