/* merge_build.c - from the chosen items to bytes.
 *
 * Walks the emitted document beside a target (the live file, or the record of the last
 * merge) and turns the wanted leaves into edits of the target's text.
 */
#include "core/json_edit.h"
#include "core/mem.h"
#include "core/merge_impl.h"

/* Which leaves of the emitted document are wanted; `arg` is the asker's. */
typedef bool want_fn(const struct at_merge *merge, uint32_t leaf, uint32_t arg);

struct build {
	const struct at_merge *merge;
	const struct at_json *target;
	struct at_json_edit *edit;
	struct at_arena *arena;
	want_fn *want;
	bool own_values; /* the operator's edited values, not the emitted ones */
};

bool merge_is_leaf(const struct at_json *doc, uint32_t node)
{
	const struct at_json_node *n = &doc->nodes[node];

	if (n->parent != AT_JSON_NONE && doc->nodes[n->parent].kind == AT_JSON_ARRAY)
		return true;
	return n->kind != AT_JSON_ARRAY && n->kind != AT_JSON_OBJECT;
}

static struct at_bytes value_of(const struct at_merge *merge, uint32_t leaf, bool own_values)
{
	uint32_t item = merge->item_of[leaf];

	if (own_values && item != AT_NO_ITEM && merge->items[item].show.edited)
		return at_buf_bytes(&merge->items[item].own.text);
	return at_json_raw(&merge->ours.doc, leaf);
}

/* Appends the subtree with its wanted leaves only; false, nothing appended, when it has none. */
static bool render(const struct at_merge *merge, struct at_buf *out, uint32_t node, want_fn *want,
	uint32_t arg, bool own_values)
{
	const struct at_json *ours = &merge->ours.doc;
	bool is_object = ours->nodes[node].kind == AT_JSON_OBJECT;
	size_t start = out->len;
	bool any = false;

	if (merge_is_leaf(ours, node)) {
		struct at_bytes value = value_of(merge, node, own_values);

		if (!want(merge, node, arg))
			return false;
		at_buf_put(out, value.data, value.len);
		return true;
	}
	at_buf_putc(out, is_object ? '{' : '[');
	at_json_each(ours, i, node) {
		const struct at_json_node *n = &ours->nodes[i];
		size_t before = out->len;

		if (any)
			at_buf_putc(out, ',');
		if (is_object) {
			at_buf_put(out, ours->text.data + n->key_start, n->key_end - n->key_start);
			at_buf_putc(out, ':');
		}
		if (render(merge, out, i, want, arg, own_values))
			any = true;
		else
			out->len = before;
	}
	if (!any) {
		out->len = start;
		return false;
	}
	at_buf_putc(out, is_object ? '}' : ']');
	return true;
}

static bool is_of_item(const struct at_merge *merge, uint32_t leaf, uint32_t item)
{
	return merge->item_of[leaf] == item;
}

bool merge_render_item(
	const struct at_merge *merge, struct at_buf *out, uint32_t node, uint32_t item)
{
	return render(merge, out, node, is_of_item, item, true);
}

/* For the live file: leaves of the selected items. What has no item is there already. */
static bool is_selected(const struct at_merge *merge, uint32_t leaf, uint32_t arg)
{
	uint32_t item = merge->item_of[leaf];

	(void)arg;
	return item != AT_NO_ITEM && merge->items[item].show.selected;
}

/* For the record: what is in force now, or was and the operator took out again. */
static bool is_recorded(const struct at_merge *merge, uint32_t leaf, uint32_t arg)
{
	uint32_t item = merge->item_of[leaf];

	(void)arg;
	return item == AT_NO_ITEM || merge->items[item].show.selected
		|| merge->items[item].show.origin == AT_FROM_YOURS;
}

static void build_array(struct build *b, uint32_t ours_array, uint32_t target_array)
{
	const struct at_json *ours = &b->merge->ours.doc;
	struct member_index there;

	member_index_make(&there, b->target, target_array);
	at_json_each(ours, i, ours_array) {
		if (b->want(b->merge, i, 0) && member_index_find(&there, ours, i) == AT_JSON_NONE)
			at_json_edit_append(
				b->edit, target_array, value_of(b->merge, i, b->own_values));
	}
	member_index_free(&there);
}

static void build_object(struct build *b, uint32_t ours_object, uint32_t target_object)
{
	const struct at_json *ours = &b->merge->ours.doc;
	struct at_buf text = { 0 };

	at_json_each(ours, i, ours_object) {
		const char *key = at_json_key(ours, i, b->arena).data;
		uint32_t there = at_json_member(b->target, target_object, key);

		if (ours_object == AT_JSON_ROOT && key[0] == '_')
			continue;
		if (there == AT_JSON_NONE) {
			text.len = 0;
			if (render(b->merge, &text, i, b->want, 0, b->own_values))
				at_json_edit_add_member(
					b->edit, target_object, key, at_buf_bytes(&text));
		} else if (merge_is_leaf(ours, i)) {
			if (b->want(b->merge, i, 0) && !at_json_equal(ours, i, b->target, there))
				at_json_edit_replace(
					b->edit, there, value_of(b->merge, i, b->own_values));
		} else if (b->target->nodes[there].kind != ours->nodes[i].kind) {
			continue; /* a blocked item stands for it */
		} else if (ours->nodes[i].kind == AT_JSON_OBJECT) {
			build_object(b, i, there);
		} else {
			build_array(b, i, there);
		}
	}
	at_buf_free(&text);
}

static bool build(
	const struct at_merge *merge, bool for_live, struct at_buf *out, struct at_error *err)
{
	const struct at_json *target = for_live ? &merge->live.doc : &merge->base.doc;
	struct build b = {
		.merge = merge,
		.target = target,
		.edit = at_json_edit_new(target),
		.arena = at_arena_new(),
		.want = for_live ? is_selected : is_recorded,
		.own_values = for_live,
	};
	bool ok;

	build_object(&b, AT_JSON_ROOT, AT_JSON_ROOT);
	for (size_t i = 0; i < merge->count; i++) {
		const struct item *item = &merge->items[i];

		if (item->show.op == AT_REMOVED && item->show.selected)
			at_json_edit_remove(b.edit, for_live ? item->live : item->base);
	}
	for (size_t i = 0; !for_live && i < merge->forgotten_count; i++)
		at_json_edit_remove(b.edit, merge->forgotten[i]);
	ok = at_json_edit_apply(b.edit, out, err);
	at_json_edit_free(b.edit);
	at_arena_free(b.arena);
	return ok;
}

bool at_merge_result(struct at_merge *merge, struct at_bytes *out, struct at_error *err)
{
	if (!merge->result_is_fresh) {
		merge->result.len = 0;
		if (!build(merge, true, &merge->result, err))
			return false;
		merge->result_is_fresh = true;
	}
	*out = at_buf_bytes(&merge->result);
	return true;
}

bool at_merge_new_base(const struct at_merge *merge, struct at_buf *out, struct at_error *err)
{
	out->len = 0;
	return build(merge, false, out, err);
}
