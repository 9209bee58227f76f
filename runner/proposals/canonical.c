#include "runner/proposals/canonical.h"

#include <stdlib.h>
#include <string.h>

#include "core/json_write.h"
#include "core/mem.h"

struct at_canonical_member {
	const char *key;
	struct at_buf value;
};

/* Members stand sorted: an object has a dozen at most. */
static struct at_buf *value_of(struct at_canonical_object *object, const char *key)
{
	size_t at = 0;
	int order = 1;

	while (at < object->count && (order = strcmp(object->members[at].key, key)) < 0)
		at++;
	if (at < object->count && order == 0) {
		at_buf_free(&object->members[at].value);
		return &object->members[at].value;
	}
	object->members =
		at_grow(object->members, &object->cap, object->count, sizeof(*object->members));
	memmove(object->members + at + 1, object->members + at,
		(object->count - at) * sizeof(*object->members));
	object->count++;
	object->members[at] = (struct at_canonical_member){ key, { 0 } };
	return &object->members[at].value;
}

void at_canonical_set_text(
	struct at_canonical_object *object, const char *key, struct at_bytes text)
{
	at_json_quote(value_of(object, key), text);
}

void at_canonical_set_number(struct at_canonical_object *object, const char *key, long long value)
{
	at_buf_printf(value_of(object, key), "%lld", value);
}

void at_canonical_set_bool(struct at_canonical_object *object, const char *key, bool value)
{
	at_buf_puts(value_of(object, key), value ? "true" : "false");
}

void at_canonical_set_null(struct at_canonical_object *object, const char *key)
{
	at_buf_puts(value_of(object, key), "null");
}

void at_canonical_set_raw(
	struct at_canonical_object *object, const char *key, struct at_bytes value)
{
	at_buf_put(value_of(object, key), value.data, value.len);
}

void at_canonical_unset(struct at_canonical_object *object, const char *key)
{
	for (size_t i = 0; i < object->count; i++) {
		if (strcmp(object->members[i].key, key) != 0)
			continue;
		at_buf_free(&object->members[i].value);
		memmove(object->members + i, object->members + i + 1,
			(object->count - i - 1) * sizeof(*object->members));
		object->count--;
		return;
	}
}

void at_canonical_object_put(
	struct at_buf *out, const struct at_canonical_object *object, enum at_canonical form)
{
	at_buf_putc(out, '{');
	for (size_t i = 0; i < object->count; i++) {
		const struct at_canonical_member *member = &object->members[i];

		if (i)
			at_buf_puts(out, at_canonical_comma(form));
		at_json_quote(out, at_bytes_of(member->key));
		at_buf_puts(out, at_canonical_colon(form));
		at_buf_put(out, member->value.data, member->value.len);
	}
	at_buf_putc(out, '}');
}

void at_canonical_object_free(struct at_canonical_object *object)
{
	for (size_t i = 0; i < object->count; i++)
		at_buf_free(&object->members[i].value);
	free(object->members);
	*object = (struct at_canonical_object){ 0 };
}

void at_canonical_put_texts(
	struct at_buf *out, const char *const *texts, size_t count, enum at_canonical form)
{
	at_buf_putc(out, '[');
	for (size_t i = 0; i < count; i++) {
		if (i)
			at_buf_puts(out, at_canonical_comma(form));
		at_json_quote(out, at_bytes_of(texts[i]));
	}
	at_buf_putc(out, ']');
}
