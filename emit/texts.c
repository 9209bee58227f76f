#include "emit/texts.h"

#include <stdlib.h>
#include <string.h>

/* The default one falls through its cases, which clang warns of. */
#define HASH_FUNCTION(key, len, hash) HASH_FNV(key, len, hash)
#include <uthash.h>

#include "core/json_write.h"
#include "core/mem.h"

void at_text_list_add(struct at_text_list *list, const char *text)
{
	list->items = at_grow(list->items, &list->cap, list->count, sizeof(*list->items));
	list->items[list->count++] = text;
}

static int by_byte(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void at_text_list_sort(struct at_text_list *list)
{
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), by_byte);
}

void at_text_list_free(struct at_text_list *list)
{
	free(list->items);
	*list = (struct at_text_list){ 0 };
}

void at_text_list_print(struct at_buf *out, const struct at_text_list *list)
{
	at_buf_putc(out, '[');
	for (size_t i = 0; i < list->count; i++) {
		if (i)
			at_buf_puts(out, ", ");
		at_json_quote(out, at_bytes_of(list->items[i]));
	}
	at_buf_putc(out, ']');
}

void at_text_list_to_json(
	struct at_json_value *object, const char *key, const struct at_text_list *list)
{
	struct at_json_value *array = at_json_add_array(object, key);

	for (size_t i = 0; i < list->count; i++)
		at_json_add_text(array, NULL, list->items[i]);
}

struct at_set_item {
	UT_hash_handle hh;
	char text[];
};

void at_set_add(struct at_set *set, const char *text)
{
	size_t len = strlen(text);
	struct at_set_item *item;

	if (at_set_has(set, text))
		return;
	item = at_alloc(sizeof(*item) + len + 1);
	memcpy(item->text, text, len + 1);
	HASH_ADD_KEYPTR(hh, set->items, item->text, len, item);
}

bool at_set_has(const struct at_set *set, const char *text)
{
	struct at_set_item *item;

	HASH_FIND(hh, set->items, text, strlen(text), item);
	return item != NULL;
}

void at_set_free(struct at_set *set)
{
	struct at_set_item *item, *next;

	HASH_ITER(hh, set->items, item, next) {
		HASH_DEL(set->items, item);
		free(item);
	}
}

void at_text_list_of_json(struct at_text_list *out, const struct at_json *doc, const char *dotted,
	struct at_arena *arena)
{
	uint32_t array = at_json_at(doc, dotted);

	if (!at_json_is(doc, array, AT_JSON_ARRAY))
		return;
	at_json_each(doc, i, array) {
		struct at_bytes text;

		if (!at_json_is(doc, i, AT_JSON_STRING))
			continue;
		text = at_json_string(doc, i, arena);
		if (!memchr(text.data, '\0', text.len))
			at_text_list_add(out, text.data);
	}
}
