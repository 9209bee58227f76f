/* merge_optional.c - what may be added on top of the emitted document.
 *
 * Both are made into one, and every node that only the optional one has is marked: from there
 * on an optional item is an item like the others, but for its group and origin. (WIRE-11)
 */
#include <stdlib.h>

#include "core/json_edit.h"
#include "core/mem.h"
#include "core/merge_impl.h"

struct adding {
	const struct at_json *to, *from;
	struct at_json_edit *edit;
	struct at_arena *arena;
};

static void add_elements(struct adding *a, uint32_t to, uint32_t from)
{
	struct member_index there;

	member_index_make(&there, a->to, to);
	at_json_each(a->from, i, from)
		if (member_index_find(&there, a->from, i) == AT_JSON_NONE)
			at_json_edit_append(a->edit, to, at_json_raw(a->from, i));
	member_index_free(&there);
}

/* Never changes a value that is emitted. */
static void add_members(struct adding *a, uint32_t to, uint32_t from)
{
	at_json_each(a->from, i, from) {
		const char *key = at_json_key(a->from, i, a->arena).data;
		uint32_t there = at_json_member(a->to, to, key);

		if (there == AT_JSON_NONE)
			at_json_edit_add_member(a->edit, to, key, at_json_raw(a->from, i));
		else if (at_json_is(a->from, i, AT_JSON_OBJECT)
			&& at_json_is(a->to, there, AT_JSON_OBJECT))
			add_members(a, there, i);
		else if (at_json_is(a->from, i, AT_JSON_ARRAY)
			&& at_json_is(a->to, there, AT_JSON_ARRAY))
			add_elements(a, there, i);
	}
}

bool merge_combine(struct at_buf *out, const struct at_json *emitted, struct at_bytes optional,
	struct at_error *err)
{
	struct adding a = { .to = emitted };
	struct at_json from;
	bool ok;

	if (!at_json_read(&from, optional, &at_json_settings_limits, 0, err))
		return false;
	a.from = &from;
	a.edit = at_json_edit_new(emitted);
	a.arena = at_arena_new();
	add_members(&a, AT_JSON_ROOT, AT_JSON_ROOT);
	ok = at_json_edit_apply(a.edit, out, err);
	at_json_edit_free(a.edit);
	at_arena_free(a.arena);
	at_json_free(&from);
	return ok;
}

static void mark(struct at_merge *merge, uint32_t ours, uint32_t emitted)
{
	const struct at_json *doc = &merge->ours.doc, *was = &merge->emitted.doc;
	struct member_index there;

	if (emitted == AT_JSON_NONE) {
		for (uint32_t n = ours; n < doc->count && doc->nodes[n].end <= doc->nodes[ours].end;
			n++)
			merge->is_optional[n] = true;
		return;
	}
	if (at_json_is(doc, ours, AT_JSON_OBJECT)) {
		at_json_each(doc, i, ours)
			mark(merge, i,
				at_json_member(
					was, emitted, at_json_key(doc, i, merge->arena).data));
	} else if (at_json_is(doc, ours, AT_JSON_ARRAY)) {
		member_index_make(&there, was, emitted);
		at_json_each(doc, i, ours)
			if (member_index_find(&there, doc, i) == AT_JSON_NONE)
				mark(merge, i, AT_JSON_NONE);
		member_index_free(&there);
	}
}

void merge_mark_optional(struct at_merge *merge)
{
	merge->is_optional = at_alloc((merge->ours.doc.count + 1) * sizeof(*merge->is_optional));
	if (merge->has_optional)
		mark(merge, AT_JSON_ROOT, AT_JSON_ROOT);
}
