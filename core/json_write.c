#include "core/json_write.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "core/json_text.h"
#include "core/mem.h"

/* A value is a cJSON item under another name: no header but this file's sees the library. */
static cJSON *item_of(struct at_json_value *value)
{
	return (cJSON *)value;
}

static struct at_json_value *value_of(cJSON *item)
{
	return (struct at_json_value *)item;
}

/* With hooks that end the program for want of memory no call below can fail. */
static void use_our_memory(void)
{
	static bool done;
	cJSON_Hooks hooks = { at_alloc, free };

	if (!done)
		cJSON_InitHooks(&hooks);
	done = true;
}

struct at_json_value *at_json_object(void)
{
	use_our_memory();
	return value_of(cJSON_CreateObject());
}

struct at_json_value *at_json_array(void)
{
	use_our_memory();
	return value_of(cJSON_CreateArray());
}

void at_json_value_free(struct at_json_value *value)
{
	cJSON_Delete(item_of(value));
}

static struct at_json_value *add(struct at_json_value *to, const char *key, cJSON *item)
{
	if (key)
		cJSON_AddItemToObject(item_of(to), key, item);
	else
		cJSON_AddItemToArray(item_of(to), item);
	return value_of(item);
}

struct at_json_value *at_json_add_object(struct at_json_value *to, const char *key)
{
	return add(to, key, cJSON_CreateObject());
}

struct at_json_value *at_json_add_array(struct at_json_value *to, const char *key)
{
	return add(to, key, cJSON_CreateArray());
}

void at_json_add_text(struct at_json_value *to, const char *key, const char *text)
{
	add(to, key, text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

void at_json_add_bytes(struct at_json_value *to, const char *key, struct at_bytes text)
{
	struct at_buf copy = { 0 };

	at_buf_put(&copy, text.data, text.len);
	at_json_add_text(to, key, at_buf_text(&copy));
	at_buf_free(&copy);
}

void at_json_add_bool(struct at_json_value *to, const char *key, bool value)
{
	add(to, key, cJSON_CreateBool(value));
}

/* As digits: the library's numbers are doubles and lose those above 2^53. */
void at_json_add_number(struct at_json_value *to, const char *key, long long value)
{
	struct at_buf digits = { 0 };

	at_buf_printf(&digits, "%lld", value);
	add(to, key, cJSON_CreateRaw(at_buf_text(&digits)));
	at_buf_free(&digits);
}

void at_json_add_null(struct at_json_value *to, const char *key)
{
	add(to, key, cJSON_CreateNull());
}

struct printer {
	struct at_buf *out;
	enum at_json_layout layout;
	unsigned depth;
};

static void print(struct printer *p, const cJSON *item);

static void put_break(const struct printer *p)
{
	if (p->layout == AT_JSON_COMPACT)
		return;
	at_buf_putc(p->out, '\n');
	at_buf_pad(p->out, ' ', (size_t)p->depth * 2);
}

/* By byte, which for UTF-8 is by code point, as Python sorts. */
static int compare_keys(const void *left, const void *right)
{
	const cJSON *const *a = left, *const *b = right;

	return strcmp((*a)->string, (*b)->string);
}

static const cJSON **children_of(const cJSON *container, bool sorted, size_t *count)
{
	const cJSON **children;
	size_t i = 0;

	*count = 0;
	for (const cJSON *child = container->child; child; child = child->next)
		++*count;
	children = at_alloc(*count * sizeof(*children));
	for (const cJSON *child = container->child; child; child = child->next)
		children[i++] = child;
	if (sorted)
		qsort(children, *count, sizeof(*children), compare_keys);
	return children;
}

static void print_children(struct printer *p, const cJSON *container)
{
	bool is_object = cJSON_IsObject(container);
	const cJSON **children;
	size_t count;

	children = children_of(container, is_object && p->layout == AT_JSON_SORTED, &count);
	at_buf_putc(p->out, is_object ? '{' : '[');
	p->depth++;
	for (size_t i = 0; i < count; i++) {
		if (i)
			at_buf_putc(p->out, ',');
		put_break(p);
		if (is_object) {
			at_json_quote(p->out, at_bytes_of(children[i]->string));
			at_buf_puts(p->out, p->layout == AT_JSON_COMPACT ? ":" : ": ");
		}
		print(p, children[i]);
	}
	p->depth--;
	if (count)
		put_break(p);
	at_buf_putc(p->out, is_object ? '}' : ']');
	free(children);
}

static void print(struct printer *p, const cJSON *item)
{
	if (cJSON_IsObject(item) || cJSON_IsArray(item))
		print_children(p, item);
	else if (cJSON_IsString(item))
		at_json_quote(p->out, at_bytes_of(item->valuestring));
	else if (cJSON_IsRaw(item))
		at_buf_puts(p->out, item->valuestring);
	else if (cJSON_IsBool(item))
		at_buf_puts(p->out, cJSON_IsTrue(item) ? "true" : "false");
	else
		at_buf_puts(p->out, "null");
}

void at_json_print(
	struct at_buf *out, const struct at_json_value *value, enum at_json_layout layout)
{
	struct printer p = { .out = out, .layout = layout };

	print(&p, (const cJSON *)value);
	if (layout != AT_JSON_COMPACT)
		at_buf_putc(out, '\n');
}

void at_json_quote(struct at_buf *out, struct at_bytes text)
{
	at_json_text_quote(out, text, true);
}
