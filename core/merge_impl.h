/* merge_impl.h - the inside of a merge, shared by merge.c, merge_items.c,
 * merge_build.c and merge_optional.c alone.
 *
 * The emitted document leads: every leaf of it (a scalar, or an element of an array) that
 * the live file lacks belongs to one item. A removal belongs to a node of the live file.
 */
#ifndef AT_MERGE_IMPL_H
#define AT_MERGE_IMPL_H

#include "core/merge.h"

struct side {
	struct at_buf text;
	struct at_json doc;
};

struct item {
	struct at_merge_item show;
	uint32_t live; /* the node that is replaced or taken out */
	uint32_t base; /* the base's node of a removal */
	struct side own; /* the operator's value once edited; else empty */
};

/* The elements of one array by hash, to ask "is this value in it?". */
struct member_index {
	const struct at_json *doc;
	struct member_slot {
		uint64_t hash;
		uint32_t node;
		bool is_used;
	} *slots; /* NULL: empty */
	size_t mask;
};

struct at_merge {
	struct at_arena *arena;
	struct side live, ours, base;
	struct side emitted; /* `ours` without what is optional; the same where nothing is */
	bool live_exists, has_base, has_optional;
	bool *is_optional; /* for each node of ours */
	struct at_digest live_digest; /* when `live_is_digested` */
	bool live_is_digested;
	const char *hook_fault;
	const struct at_root *roots;
	size_t root_count;
	struct at_effect_context context;
	struct item *items;
	size_t count, cap;
	uint32_t *item_of; /* for each node of ours: its item, or AT_NO_ITEM */
	uint32_t *forgotten; /* nodes of the base that are in neither other side */
	size_t forgotten_count, forgotten_cap;
	struct at_buf result; /* of the selection as it is, when `result_is_fresh` */
	bool result_is_fresh;
};

void member_index_make(struct member_index *out, const struct at_json *doc, uint32_t array);
uint32_t member_index_find(const struct member_index *index, const struct at_json *doc,
	uint32_t value); /* AT_JSON_NONE: not in it */
void member_index_free(struct member_index *index);

/* merge_optional.c: `emitted` with what `optional` has besides, as text. */
bool merge_combine(struct at_buf *out, const struct at_json *emitted, struct at_bytes optional,
	struct at_error *err);
void merge_mark_optional(struct at_merge *merge);

/* merge_items.c */
void merge_collect(struct at_merge *merge);
void merge_judge(struct at_merge *merge, struct item *item, uint32_t ours_node);

/* merge_build.c: the JSON of what `item` brings out of the emitted subtree `node`. */
bool merge_render_item(const struct at_merge *merge, struct at_buf *out, uint32_t node,
	uint32_t item);

/* A leaf is taken as a whole: a scalar, or any element of an array. */
bool merge_is_leaf(const struct at_json *doc, uint32_t node);

#endif
