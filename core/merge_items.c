/* merge_items.c - which items a merge has, and what each means. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/merge_impl.h"

/* One place in all three documents; a node is AT_JSON_NONE where a side has nothing. */
struct spot {
	const char *path;
	uint32_t ours, live, base;
	const char *blocked; /* why nothing from here on can be chosen, or NULL */
};

static const char root_path[] = "sandbox/filesystem/allowWrite/[]";
static const char read_path[] = "sandbox/filesystem/allowRead";
static const char read_element_path[] = "sandbox/filesystem/allowRead/[]";
static const char deny_read_path[] = "sandbox/filesystem/denyRead/[]";
static const char gate_path[] = "hooks/PreToolUse/[]";

static enum at_group group_of(const char *path)
{
	static const struct {
		const char *prefix;
		enum at_group group;
	} rows[] = {
		{ "sandbox/filesystem/allowWrite", AT_GROUP_WRITES },
		{ "sandbox/filesystem/denyWrite", AT_GROUP_WRITES },
		{ "sandbox/filesystem/", AT_GROUP_READS },
		{ "sandbox", AT_GROUP_SANDBOX },
		{ "permissions", AT_GROUP_RULES },
		{ "hooks", AT_GROUP_HOOKS },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++) {
		if (strncmp(path, rows[i].prefix, strlen(rows[i].prefix)) == 0)
			return rows[i].group;
	}
	return AT_GROUP_OTHER;
}

/* The last named key of a path: "deny" of "permissions/deny/[]". */
static const char *name_of(struct at_arena *arena, const char *path)
{
	size_t end = strlen(path), start;

	if (end > 3 && strcmp(path + end - 3, "/[]") == 0)
		end -= 3;
	for (start = end; start > 0 && path[start - 1] != '/'; start--)
		;
	return at_arena_strndup(arena, path + start, end - start);
}

static bool is_element(const char *path)
{
	size_t len = strlen(path);

	return len > 3 && strcmp(path + len - 3, "/[]") == 0;
}

static const char *make_id(struct at_merge *merge, const struct item *item)
{
	const char *name = name_of(merge->arena, item->show.path);
	char hex[AT_DIGEST_HEX];
	struct at_digest digest;
	struct at_buf key = { 0 };
	const char *id = NULL;

	at_buf_printf(
		&key, "%s\n%s\n%s", item->show.path, at_op_word(item->show.op), item->show.value);
	digest = at_digest_of(at_buf_bytes(&key));
	at_buf_free(&key);
	at_digest_hex(hex, &digest);
	/* Six digits do; equal ones are told apart by taking more. */
	for (int digits = 6; digits < 64; digits++) {
		id = at_arena_printf(merge->arena, "%s-%.*s", name, digits, hex);
		if (at_merge_find(merge, id) == merge->count)
			break;
	}
	return id;
}

static const char *make_label(struct at_merge *merge, const struct at_merge_item *show,
	const struct at_json *doc, uint32_t node)
{
	const char *name = name_of(merge->arena, show->path);

	if (strcmp(show->path, "sandbox") == 0)
		return "the whole sandbox block";
	if (at_json_is(doc, node, AT_JSON_STRING) && is_element(show->path)) {
		struct at_bytes text = at_json_string(doc, node, merge->arena);

		return at_arena_printf(merge->arena, "%s  %.*s", name, (int)text.len, text.data);
	}
	if (at_effect_is_gate(doc, node))
		return at_arena_printf(merge->arena, "%s  the constitutional gate", name);
	if (is_element(show->path))
		return at_arena_printf(merge->arena, "%s  %s", name, show->value);
	return at_arena_printf(merge->arena, "%s: %s", name, show->value);
}

static const char *raw_text(struct at_merge *merge, const struct at_json *doc, uint32_t node)
{
	struct at_bytes raw = at_json_raw(doc, node);

	return at_arena_strndup(merge->arena, raw.data, raw.len);
}

/* Whose wish opens the place: a grant says which. (KEY-8) */
static const char *source_of(const struct at_merge *merge, const struct at_json *doc, uint32_t node)
{
	for (size_t i = 0; i < merge->root_count; i++)
		if (merge->roots[i].source != AT_ROOT_DEFAULT
			&& at_json_string_is(doc, node, merge->roots[i].path))
			return at_arena_printf(merge->arena, "%s%s%s",
				at_root_source_name(merge->roots[i].source),
				merge->roots[i].grant ? " " : "",
				merge->roots[i].grant ? merge->roots[i].grant : "");
	return NULL;
}

static bool opens_a_place(const struct at_merge_item *show)
{
	return show->op == AT_ADDED
		&& (strcmp(show->path, root_path) == 0 || strcmp(show->path, read_element_path) == 0);
}

void merge_judge(struct at_merge *merge, struct item *item, uint32_t ours_node)
{
	struct at_effect_change change = {
		.path = item->show.path,
		.op = item->show.op,
		.before = { &merge->live.doc, item->live },
		.after = { &merge->ours.doc, ours_node },
	};
	struct at_effect_verdict verdict;

	if (item->show.edited)
		change.after = (struct at_effect_value){ &item->own.doc, AT_JSON_ROOT };
	verdict = at_effect_judge(&change, &merge->context);
	item->show.effect = verdict.effect;
	item->show.why = verdict.why;
	if (opens_a_place(&item->show)) {
		const char *source = source_of(merge, change.after.doc, change.after.node);

		if (source)
			item->show.why = at_arena_printf(
				merge->arena, "%s; source: %s", verdict.why, source);
	}
	item->show.external = verdict.external;
	if (item->show.edited)
		item->show.value = at_arena_strdup(merge->arena, at_buf_text(&item->own.text));
	if (item->show.op == AT_REMOVED)
		item->show.label =
			make_label(merge, &item->show, change.before.doc, change.before.node);
	else
		item->show.label =
			make_label(merge, &item->show, change.after.doc, change.after.node);
}

static struct item *add_item(struct at_merge *merge, const struct spot *spot, enum at_op op,
	enum at_origin origin)
{
	const struct at_json *from = op == AT_REMOVED ? &merge->live.doc : &merge->ours.doc;
	uint32_t node = op == AT_REMOVED ? spot->live : spot->ours;
	bool optional = op != AT_REMOVED && merge->is_optional[spot->ours];
	struct item *item;

	merge->items = at_grow(merge->items, &merge->cap, merge->count, sizeof(*merge->items));
	item = &merge->items[merge->count];
	*item = (struct item){
		.show = {
			.path = spot->path,
			.op = op,
			.origin = optional ? AT_FROM_OPTIONAL : origin,
			.group = optional ? AT_GROUP_OPTIONAL : group_of(spot->path),
			.blocked = spot->blocked,
			.value = raw_text(merge, from, node),
			.before = op == AT_CHANGED ? raw_text(merge, &merge->live.doc, spot->live) : NULL,
			.needs = AT_NO_ITEM,
		},
		.live = spot->live,
		.base = spot->base,
	};
	item->show.id = make_id(merge, item);
	merge_judge(merge, item, spot->ours);
	if (op != AT_REMOVED)
		merge->item_of[spot->ours] = (uint32_t)merge->count;
	merge->count++;
	return item;
}

static void forget(struct at_merge *merge, uint32_t base_node)
{
	merge->forgotten = at_grow(merge->forgotten, &merge->forgotten_cap, merge->forgotten_count,
		sizeof(*merge->forgotten));
	merge->forgotten[merge->forgotten_count++] = base_node;
}

static void collect_scalar(struct at_merge *merge, const struct spot *spot)
{
	const struct at_json *ours = &merge->ours.doc, *live = &merge->live.doc;
	const struct at_json *base = &merge->base.doc;
	bool was = spot->base != AT_JSON_NONE;
	enum at_origin origin = AT_FROM_EMITTED;

	if (spot->live == AT_JSON_NONE) {
		add_item(merge, spot, AT_ADDED, was ? AT_FROM_YOURS : AT_FROM_EMITTED);
		return;
	}
	if (at_json_equal(ours, spot->ours, live, spot->live))
		return;
	if (merge->has_base && was && at_json_equal(ours, spot->ours, base, spot->base))
		origin = AT_FROM_YOURS;
	else if (merge->has_base && !(was && at_json_equal(live, spot->live, base, spot->base)))
		origin = AT_FROM_BOTH;
	add_item(merge, spot, AT_CHANGED, origin);
}

/* Offers to take out what an earlier merge put in and is emitted no more. */
static void collect_gone_elements(struct at_merge *merge, const struct spot *array,
	const struct member_index *ours, const struct member_index *live)
{
	const struct at_json *base = &merge->base.doc;

	if (!at_json_is(base, array->base, AT_JSON_ARRAY))
		return;
	at_json_each(base, i, array->base) {
		struct spot spot = { array->path, AT_JSON_NONE, AT_JSON_NONE, i, array->blocked };

		if (member_index_find(ours, base, i) != AT_JSON_NONE)
			continue;
		spot.live = member_index_find(live, base, i);
		if (spot.live == AT_JSON_NONE)
			forget(merge, i);
		else
			add_item(merge, &spot, AT_REMOVED, AT_FROM_EMITTED);
	}
}

/* The item with which an allowRead of one of our own roots travels: it re-opens what the
 * emitted denyRead closes, and means nothing without. AT_NO_ITEM: it stands alone. */
static uint32_t companion_of(const struct at_merge *merge, uint32_t element)
{
	const struct at_json *ours = &merge->ours.doc;
	uint32_t roots = at_json_at(ours, "sandbox.filesystem.allowWrite");
	bool is_root = false;

	if (!at_json_is(ours, roots, AT_JSON_ARRAY))
		return AT_NO_ITEM;
	at_json_each(ours, i, roots)
		is_root |= at_json_equal(ours, i, ours, element);
	for (size_t i = 0; is_root && i < merge->count; i++) {
		const struct at_merge_item *show = &merge->items[i].show;

		if (show->op == AT_ADDED && strcmp(show->path, deny_read_path) == 0)
			return (uint32_t)i;
	}
	return AT_NO_ITEM;
}

static void collect_array(struct at_merge *merge, const struct spot *spot)
{
	const struct at_json *ours = &merge->ours.doc;
	struct spot one = { at_arena_printf(merge->arena, "%s/[]", spot->path), AT_JSON_NONE,
		AT_JSON_NONE, AT_JSON_NONE, spot->blocked };
	struct member_index live_index, base_index, ours_index;
	bool travels = strcmp(spot->path, read_path) == 0;

	member_index_make(&live_index, &merge->live.doc, spot->live);
	member_index_make(&base_index, &merge->base.doc, spot->base);
	member_index_make(&ours_index, ours, spot->ours);
	at_json_each(ours, i, spot->ours) {
		bool was = member_index_find(&base_index, ours, i) != AT_JSON_NONE;
		bool gate = strcmp(one.path, gate_path) == 0 && at_effect_is_gate(ours, i);
		uint32_t companion;

		if (member_index_find(&live_index, ours, i) != AT_JSON_NONE
			|| member_index_find(&ours_index, ours, i) != i)
			continue;
		companion = travels ? companion_of(merge, i) : AT_NO_ITEM;
		if (companion != AT_NO_ITEM) {
			merge->item_of[i] = companion;
			continue;
		}
		one.ours = i;
		one.blocked = spot->blocked ? spot->blocked : gate ? merge->hook_fault : NULL;
		add_item(merge, &one, AT_ADDED, was ? AT_FROM_YOURS : AT_FROM_EMITTED);
	}
	one = (struct spot){ one.path, AT_JSON_NONE, AT_JSON_NONE, spot->base, spot->blocked };
	collect_gone_elements(merge, &one, &ours_index, &live_index);
	member_index_free(&live_index);
	member_index_free(&base_index);
	member_index_free(&ours_index);
}

/* A live file without a sandbox gets the block as one item, but for roots outside the
 * project: each of those is asked for on its own. (WIRE-4) */
static void collect_block(struct at_merge *merge, const struct spot *spot)
{
	const struct at_json *ours = &merge->ours.doc;
	uint32_t block = (uint32_t)merge->count;
	uint32_t writes = at_json_at(ours, "sandbox.filesystem.allowWrite");
	uint32_t reads = at_json_at(ours, "sandbox.filesystem.allowRead");
	struct at_buf text = { 0 };

	add_item(merge, spot, AT_ADDED,
		spot->base == AT_JSON_NONE ? AT_FROM_EMITTED : AT_FROM_YOURS);
	/* Every node of the block comes after its root, before the next sibling. */
	for (uint32_t n = spot->ours;
		n < ours->count && ours->nodes[n].end <= ours->nodes[spot->ours].end; n++)
		merge->item_of[n] = block;
	if (at_json_is(ours, writes, AT_JSON_ARRAY)) {
		at_json_each(ours, i, writes) {
			struct spot root = { root_path, i, AT_JSON_NONE, AT_JSON_NONE,
				spot->blocked };
			const char *path = at_json_is(ours, i, AT_JSON_STRING)
				? at_json_string(ours, i, merge->arena).data : "/";

			if (!at_write_root_is_external(path, &merge->context.place))
				continue;
			add_item(merge, &root, AT_ADDED, AT_FROM_EMITTED)->show.needs = block;
			at_json_each(ours, r, reads) {
				if (at_json_equal(ours, r, ours, i))
					merge->item_of[r] = merge->item_of[i];
			}
		}
	}
	merge_render_item(merge, &text, spot->ours, block);
	merge->items[block].show.value = at_arena_strdup(merge->arena, at_buf_text(&text));
	at_buf_free(&text);
}

static void collect_object(struct at_merge *merge, const struct spot *spot);

static const char *kind_word(const struct at_json *doc, uint32_t node)
{
	static const char *const words[] = { "null", "false", "true", "a number", "a text",
		"a list", "an object" };

	return words[doc->nodes[node].kind];
}

static void collect_member(struct at_merge *merge, const struct spot *spot)
{
	const struct at_json *ours = &merge->ours.doc, *live = &merge->live.doc;
	uint8_t kind = ours->nodes[spot->ours].kind;
	bool missing = spot->live == AT_JSON_NONE;
	struct spot blocked = *spot;

	if (missing && strcmp(spot->path, "sandbox") == 0) {
		collect_block(merge, spot);
		return;
	}
	if (kind != AT_JSON_OBJECT && kind != AT_JSON_ARRAY
		&& (missing || live->nodes[spot->live].kind < AT_JSON_ARRAY)) {
		collect_scalar(merge, spot);
		return;
	}
	if (!missing && live->nodes[spot->live].kind != kind) {
		blocked.blocked = at_arena_printf(merge->arena,
			"yours is %s where %s belongs: mend that first",
			kind_word(live, spot->live), kind_word(ours, spot->ours));
		add_item(merge, &blocked, AT_CHANGED, AT_FROM_BOTH);
		return;
	}
	if (kind == AT_JSON_OBJECT)
		collect_object(merge, spot);
	else
		collect_array(merge, spot);
}

static void collect_gone(struct at_merge *merge, const struct spot *spot)
{
	const struct at_json *base = &merge->base.doc, *live = &merge->live.doc;
	struct member_index nothing = { 0 }, live_index;
	struct spot one = *spot;

	if (spot->live == AT_JSON_NONE) {
		forget(merge, spot->base);
		return;
	}
	if (base->nodes[spot->base].kind == AT_JSON_OBJECT && strcmp(spot->path, "sandbox") != 0
		&& at_json_is(live, spot->live, AT_JSON_OBJECT)) {
		at_json_each(base, i, spot->base) {
			struct at_bytes key = at_json_key(base, i, merge->arena);

			one.path = at_arena_printf(merge->arena, "%s/%s", spot->path, key.data);
			one.base = i;
			one.live = at_json_member(live, spot->live, key.data);
			collect_gone(merge, &one);
		}
		return;
	}
	if (base->nodes[spot->base].kind == AT_JSON_ARRAY
		&& at_json_is(live, spot->live, AT_JSON_ARRAY)) {
		one.path = at_arena_printf(merge->arena, "%s/[]", spot->path);
		member_index_make(&live_index, live, spot->live);
		collect_gone_elements(merge, &one, &nothing, &live_index);
		member_index_free(&live_index);
		return;
	}
	if (at_json_equal(base, spot->base, live, spot->live))
		add_item(merge, &one, AT_REMOVED, AT_FROM_EMITTED);
	else
		forget(merge, spot->base); /* changed since: it is the operator's now */
}

static struct spot member_spot(struct at_merge *merge, const struct spot *object, const char *key,
	uint32_t ours, uint32_t base)
{
	const struct at_json *live = &merge->live.doc;
	struct spot spot = {
		.path = *object->path ? at_arena_printf(merge->arena, "%s/%s", object->path, key)
				      : at_arena_strdup(merge->arena, key),
		.ours = ours,
		.live = at_json_member(live, object->live, key),
		.base = base,
		.blocked = object->blocked,
	};

	if (spot.live != AT_JSON_NONE && live->nodes[spot.live].duplicate && !spot.blocked)
		spot.blocked = at_arena_printf(merge->arena,
			"your file gives the key \"%s\" twice and the client takes the last: mend that first",
			key);
	return spot;
}

static void collect_object(struct at_merge *merge, const struct spot *spot)
{
	const struct at_json *ours = &merge->ours.doc, *base = &merge->base.doc;
	bool top = !*spot->path;
	struct spot late;
	bool has_late = false;

	at_json_each(ours, i, spot->ours) {
		const char *key = at_json_key(ours, i, merge->arena).data;
		struct spot one;

		if (top && key[0] == '_')
			continue; /* a comment of the example, never merged */
		one = member_spot(merge, spot, key, i, at_json_member(base, spot->base, key));
		if (strcmp(one.path, read_path) == 0) {
			late = one; /* it travels with denyRead, which must be known first */
			has_late = true;
		} else {
			collect_member(merge, &one);
		}
	}
	if (has_late)
		collect_member(merge, &late);
	if (!at_json_is(base, spot->base, AT_JSON_OBJECT))
		return;
	at_json_each(base, i, spot->base) {
		const char *key = at_json_key(base, i, merge->arena).data;
		struct spot one;

		if (at_json_member(ours, spot->ours, key) != AT_JSON_NONE)
			continue;
		one = member_spot(merge, spot, key, AT_JSON_NONE, i);
		collect_gone(merge, &one);
	}
}

/* Offers to take out a place outside the project that the live file opens and that neither this
 * emission nor an earlier merge explains: a grant that ended leaves one. It is the operator's file,
 * so it never starts selected. (KEY-13) */
static void collect_stale(struct at_merge *merge, const char *dotted, const char *path)
{
	const struct at_json *live = &merge->live.doc, *ours = &merge->ours.doc;
	uint32_t array = at_json_at(live, dotted);
	struct member_index in_live, in_ours, in_base;

	if (!at_json_is(live, array, AT_JSON_ARRAY))
		return;
	member_index_make(&in_live, live, array);
	member_index_make(&in_ours, ours, at_json_at(ours, dotted));
	member_index_make(&in_base, &merge->base.doc, at_json_at(&merge->base.doc, dotted));
	at_json_each(live, i, array) {
		struct spot spot = { path, AT_JSON_NONE, i, AT_JSON_NONE,
			live->duplicates ? "your file gives a key twice: mend that first" : NULL };

		if (at_json_is(live, i, AT_JSON_STRING) && member_index_find(&in_live, live, i) == i
			&& member_index_find(&in_ours, live, i) == AT_JSON_NONE
			&& member_index_find(&in_base, live, i) == AT_JSON_NONE
			&& at_write_root_is_external(at_json_string(live, i, merge->arena).data,
				&merge->context.place))
			add_item(merge, &spot, AT_REMOVED, AT_FROM_YOURS);
	}
	member_index_free(&in_live);
	member_index_free(&in_ours);
	member_index_free(&in_base);
}

/* Stable: items keep the emitted order within their group. */
static void sort_by_group(struct at_merge *merge)
{
	struct item *sorted = at_alloc((merge->count + 1) * sizeof(*sorted));
	uint32_t *moved = at_alloc((merge->count + 1) * sizeof(*moved));
	size_t at = 0;

	for (int group = 0; group < AT_GROUP_COUNT; group++) {
		for (size_t i = 0; i < merge->count; i++) {
			if (merge->items[i].show.group != (enum at_group)group)
				continue;
			moved[i] = (uint32_t)at;
			sorted[at++] = merge->items[i];
		}
	}
	for (size_t i = 0; i < merge->count; i++) {
		if (sorted[i].show.needs != AT_NO_ITEM)
			sorted[i].show.needs = moved[sorted[i].show.needs];
	}
	for (uint32_t n = 0; n < merge->ours.doc.count; n++) {
		if (merge->item_of[n] != AT_NO_ITEM)
			merge->item_of[n] = moved[merge->item_of[n]];
	}
	free(merge->items);
	free(moved);
	merge->items = sorted;
	merge->cap = merge->count + 1;
}

void merge_collect(struct at_merge *merge)
{
	struct spot root = { "", AT_JSON_ROOT, AT_JSON_ROOT, AT_JSON_ROOT, NULL };
	uint32_t nodes = merge->ours.doc.count;

	merge->item_of = at_alloc((nodes + 1) * sizeof(*merge->item_of));
	for (uint32_t n = 0; n < nodes; n++)
		merge->item_of[n] = AT_NO_ITEM;
	merge->context.live_roots = (struct at_effect_value){ &merge->live.doc,
		at_json_at(&merge->live.doc, "sandbox.filesystem.allowWrite") };
	collect_object(merge, &root);
	collect_stale(merge, "sandbox.filesystem.allowWrite", root_path);
	collect_stale(merge, "sandbox.filesystem.allowRead", read_element_path);
	sort_by_group(merge);
}
