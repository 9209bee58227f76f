#include "core/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/merge_impl.h"

const char *at_group_title(enum at_group group)
{
	static const char *const titles[] = {
		[AT_GROUP_SANDBOX] = "Sandbox",
		[AT_GROUP_WRITES] = "Where commands may write",
		[AT_GROUP_READS] = "What commands may read",
		[AT_GROUP_RULES] = "Rules for the built-in tools",
		[AT_GROUP_HOOKS] = "Hooks",
		[AT_GROUP_OTHER] = "Other settings",
		[AT_GROUP_OPTIONAL] = "Optional hardening",
	};

	return titles[group];
}

const char *at_origin_word(enum at_origin origin)
{
	static const char *const words[] = { "emitted", "yours", "both changed", "optional" };

	return words[origin];
}

static bool read_side(struct side *side, struct at_bytes text, unsigned flags, const char *what,
	struct at_error *err)
{
	at_buf_put(&side->text, text.data, text.len);
	if (!at_json_read(
		    &side->doc, at_buf_bytes(&side->text), &at_json_settings_limits, flags, err))
		return false;
	if (at_json_is(&side->doc, AT_JSON_ROOT, AT_JSON_OBJECT))
		return true;
	at_fail(err, AT_EINVALID, "%s holds no JSON object", what);
	at_error_at(err, 1, 1);
	at_error_name(err, "settings-not-an-object");
	return false;
}

/* `ours` is what is emitted and, on top, what is optional. */
static bool read_ours(struct at_merge *merge, const struct at_merge_input *in, struct at_error *err)
{
	struct at_buf both = { 0 };
	bool ok;

	if (!read_side(&merge->emitted, in->ours, 0, "the emitted example", err))
		return false;
	merge->has_optional = in->optional.len > 0;
	if (!merge->has_optional)
		return read_side(&merge->ours, in->ours, 0, "the emitted example", err);
	ok = merge_combine(&both, &merge->emitted.doc, in->optional, err)
		&& read_side(&merge->ours, at_buf_bytes(&both), 0, "the emitted example", err);
	at_buf_free(&both);
	return ok;
}

static bool starts_selected(const struct item *item)
{
	const struct at_merge_item *show = &item->show;

	return !show->blocked && show->op != AT_REMOVED && show->origin == AT_FROM_EMITTED
		&& (show->effect == AT_TIGHTENS || show->effect == AT_NEUTRAL);
}

bool at_merge_open(struct at_merge **out, const struct at_merge_input *in, struct at_error *err)
{
	static const struct at_bytes nothing = { "{}\n", 3 };
	struct at_merge *merge = at_alloc(sizeof(*merge));

	*out = NULL;
	merge->arena = at_arena_new();
	merge->live_exists = in->live_exists;
	merge->has_base = in->has_base;
	merge->roots = in->roots;
	merge->root_count = in->root_count;
	merge->hook_fault = in->hook_fault ? at_arena_strdup(merge->arena, in->hook_fault) : NULL;
	merge->context.place = in->place;
	merge->context.place.project = at_arena_strdup(merge->arena, in->place.project);
	merge->context.place.home = at_arena_strdup(merge->arena, in->place.home);
	if (!read_side(&merge->live, in->live_exists ? in->live : nothing,
		    AT_JSON_ALLOW_BOM | AT_JSON_ALLOW_DUPLICATES, "the live settings file", err)
		|| !read_ours(merge, in, err)
		|| !read_side(&merge->base, in->has_base ? in->base : nothing, 0,
			"the record of the last merge", err)) {
		at_merge_free(merge);
		return false;
	}
	merge_mark_optional(merge);
	merge_collect(merge);
	for (size_t i = 0; i < merge->count; i++)
		merge->items[i].show.selected = starts_selected(&merge->items[i]);
	*out = merge;
	return true;
}

static void free_side(struct side *side)
{
	at_json_free(&side->doc);
	at_buf_free(&side->text);
}

void at_merge_free(struct at_merge *merge)
{
	if (!merge)
		return;
	free_side(&merge->live);
	free_side(&merge->ours);
	free_side(&merge->emitted);
	free_side(&merge->base);
	for (size_t i = 0; i < merge->count; i++)
		free_side(&merge->items[i].own);
	free(merge->items);
	free(merge->item_of);
	free(merge->is_optional);
	free(merge->forgotten);
	at_buf_free(&merge->result);
	at_arena_free(merge->arena);
	free(merge);
}

size_t at_merge_count(const struct at_merge *merge)
{
	return merge->count;
}

const struct at_merge_item *at_merge_item(const struct at_merge *merge, size_t i)
{
	return &merge->items[i].show;
}

size_t at_merge_find(const struct at_merge *merge, const char *id)
{
	for (size_t i = 0; i < merge->count; i++) {
		if (strcmp(merge->items[i].show.id, id) == 0)
			return i;
	}
	return merge->count;
}

bool at_merge_is_two_way(const struct at_merge *merge)
{
	return !merge->has_base;
}

bool at_merge_live_has_bom(const struct at_merge *merge)
{
	return merge->live.doc.bom;
}

uint32_t at_merge_live_duplicates(const struct at_merge *merge)
{
	return merge->live.doc.duplicates;
}

bool at_merge_is_same_but_order(const struct at_merge *merge)
{
	return merge->live_exists
		&& at_json_equal(&merge->live.doc, AT_JSON_ROOT, &merge->emitted.doc, AT_JSON_ROOT)
		&& !at_bytes_equal(
			at_buf_bytes(&merge->live.text), at_buf_bytes(&merge->emitted.text));
}

bool at_merge_select(struct at_merge *merge, size_t i, bool on, struct at_error *err)
{
	struct at_merge_item *show = &merge->items[i].show;

	if (on && show->blocked)
		return at_fail(
			err, AT_EREFUSED, "%s cannot be chosen: %s", show->id, show->blocked);
	if (on && show->needs != AT_NO_ITEM && !at_merge_select(merge, show->needs, true, err))
		return false;
	show->selected = on;
	merge->result_is_fresh = false;
	if (on)
		return true;
	for (size_t k = 0; k < merge->count; k++) {
		if (merge->items[k].show.needs == i)
			merge->items[k].show.selected = false;
	}
	return true;
}

void at_merge_select_none(struct at_merge *merge)
{
	merge->result_is_fresh = false;
	for (size_t i = 0; i < merge->count; i++)
		merge->items[i].show.selected = false;
}

void at_merge_select_safe(struct at_merge *merge)
{
	merge->result_is_fresh = false;
	for (size_t i = 0; i < merge->count; i++) {
		struct item *item = &merge->items[i];

		item->show.selected = starts_selected(item) && item->show.effect == AT_TIGHTENS;
	}
}

static uint32_t leaf_of(const struct at_merge *merge, size_t item)
{
	for (uint32_t n = 0; n < merge->ours.doc.count; n++) {
		if (merge->item_of[n] == item && merge_is_leaf(&merge->ours.doc, n))
			return n;
	}
	return AT_JSON_NONE;
}

bool at_merge_edit(struct at_merge *merge, size_t i, const char *json, struct at_error *err)
{
	struct item *item = &merge->items[i];
	struct side own = { 0 };
	uint32_t leaf = leaf_of(merge, i);
	uint32_t kind;

	if (item->show.op == AT_REMOVED || item->show.blocked
		|| strcmp(item->show.path, "sandbox") == 0)
		return at_fail(
			err, AT_EREFUSED, "%s brings no value of its own to edit", item->show.id);
	at_buf_puts(&own.text, json);
	if (!at_json_read(&own.doc, at_buf_bytes(&own.text), &at_json_settings_limits, 0, err)) {
		at_buf_free(&own.text);
		return false;
	}
	kind = merge->ours.doc.nodes[leaf].kind;
	if (own.doc.nodes[AT_JSON_ROOT].kind != kind
		&& !(kind == AT_JSON_TRUE && own.doc.nodes[AT_JSON_ROOT].kind == AT_JSON_FALSE)
		&& !(kind == AT_JSON_FALSE && own.doc.nodes[AT_JSON_ROOT].kind == AT_JSON_TRUE)) {
		free_side(&own);
		return at_fail(err, AT_EINVALID, "%s takes a value of the same kind as before",
			item->show.id);
	}
	free_side(&item->own);
	item->own = own;
	item->show.edited = true;
	item->show.selected = false;
	merge->result_is_fresh = false;
	merge_judge(merge, item, leaf);
	return true;
}

void at_merge_count_up(struct at_merge_totals *out, const struct at_merge *merge)
{
	*out = (struct at_merge_totals){ .items = merge->count };
	for (size_t i = 0; i < merge->count; i++) {
		const struct at_merge_item *show = &merge->items[i].show;

		out->effect[show->effect]++;
		out->blocked += show->blocked != NULL;
		out->optional += show->origin == AT_FROM_OPTIONAL;
		if (!show->selected)
			continue;
		out->selected++;
		out->selected_effect[show->effect]++;
		out->removed += show->op == AT_REMOVED;
	}
}

const struct at_digest *at_merge_live_digest(struct at_merge *merge)
{
	if (!merge->live_is_digested)
		merge->live_digest = at_digest_of(merge->live_exists
				? at_buf_bytes(&merge->live.text) : at_bytes_of(""));
	merge->live_is_digested = true;
	return &merge->live_digest;
}

void at_merge_review(struct at_merge *merge, struct at_digest *out)
{
	struct at_buf text = { 0 };
	char hex[AT_DIGEST_HEX];

	at_digest_hex(hex, at_merge_live_digest(merge));
	at_buf_printf(&text, "live %s\n", merge->live_exists ? hex : "absent");
	for (size_t i = 0; i < merge->count; i++) {
		const struct at_merge_item *show = &merge->items[i].show;

		if (show->selected)
			at_buf_printf(&text, "%s %s %zu %s\n", show->id, show->path,
				strlen(show->value), show->value);
	}
	*out = at_digest_of(at_buf_bytes(&text));
	at_buf_free(&text);
}

/* Spreads a hash over the slots: its low bits alone crowd. */
static size_t slot_of(const struct member_index *index, uint64_t hash)
{
	return (size_t)((hash * 0x9e3779b97f4a7c15u) >> 32) & index->mask;
}

void member_index_make(struct member_index *out, const struct at_json *doc, uint32_t array)
{
	size_t room = 16;

	*out = (struct member_index){ .doc = doc };
	if (!at_json_is(doc, array, AT_JSON_ARRAY) || doc->nodes[array].count == 0)
		return;
	while (room < (size_t)doc->nodes[array].count * 2)
		room *= 2;
	out->slots = at_alloc(room * sizeof(*out->slots));
	out->mask = room - 1;
	at_json_each(doc, i, array) {
		uint64_t hash = at_json_hash(doc, i);
		size_t at = slot_of(out, hash);

		while (out->slots[at].is_used)
			at = (at + 1) & out->mask;
		out->slots[at] = (struct member_slot){ hash, i, true };
	}
}

/* The first of equal values wins: probing meets it first. */
uint32_t member_index_find(const struct member_index *index, const struct at_json *doc,
	uint32_t value)
{
	uint64_t hash;

	if (!index->slots)
		return AT_JSON_NONE;
	hash = at_json_hash(doc, value);
	for (size_t at = slot_of(index, hash); index->slots[at].is_used;
		at = (at + 1) & index->mask) {
		if (index->slots[at].hash == hash
			&& at_json_equal(index->doc, index->slots[at].node, doc, value))
			return index->slots[at].node;
	}
	return AT_JSON_NONE;
}

void member_index_free(struct member_index *index)
{
	free(index->slots);
}
