/* merge.h - the emitted settings and the operator's, item by item.
 *
 * Compares what was merged last (the base), what is live and what is newly emitted, and
 * makes a list of items: one rule, one path, one value each. The chosen items become
 * byte-range edits of the live text; nothing else of it moves. It reads and writes no
 * file: bytes in, bytes out, and what is previewed is what comes out. (WIRE-2 to WIRE-4)
 */
#ifndef AT_MERGE_H
#define AT_MERGE_H

#include "core/decide.h"
#include "core/digest.h"
#include "core/effects.h"

enum at_group {
	AT_GROUP_SANDBOX,
	AT_GROUP_WRITES,
	AT_GROUP_READS,
	AT_GROUP_RULES,
	AT_GROUP_HOOKS,
	AT_GROUP_OTHER,
	AT_GROUP_OPTIONAL,
	AT_GROUP_COUNT,
};
const char *at_group_title(enum at_group group);

enum at_origin {
	AT_FROM_EMITTED, /* new, or changed by the generator alone */
	AT_FROM_YOURS,   /* you took it out or changed it since the last merge */
	AT_FROM_BOTH,    /* both sides changed it */
	AT_FROM_OPTIONAL, /* nobody asked for it: it never starts selected (WIRE-11) */
};
const char *at_origin_word(enum at_origin origin); /* "emitted" "yours" "both changed" "optional" */

#define AT_NO_ITEM UINT32_MAX

struct at_merge_item {
	const char *id;     /* stable across runs: "deny-3f0c12" */
	const char *path;   /* "permissions/deny/[]" */
	const char *value;  /* JSON text of what comes, or of what goes */
	const char *label;  /* one line for a list; may quote untrusted text */
	const char *before; /* JSON text of what a change replaces, or NULL */
	const char *why;    /* the effect's reason */
	const char *blocked; /* why it cannot be chosen, or NULL */
	enum at_op op;
	enum at_effect effect;
	enum at_origin origin;
	enum at_group group;
	bool external; /* opens a place outside the project */
	bool selected;
	bool edited;
	uint32_t needs; /* an item that must be selected too, or AT_NO_ITEM */
};

struct at_merge_input {
	struct at_bytes live;
	bool live_exists; /* false: `live` is ignored and a new file is made */
	struct at_bytes ours;
	struct at_bytes optional; /* a document to offer on top of `ours`; empty: none */
	struct at_bytes base;
	bool has_base;         /* false: two-way, and said so */
	const char *hook_fault; /* why a gate hook cannot be chosen, or NULL once it was run and
	                           judged (WIRE-10) */
	struct at_root_place place;
	const struct at_root *roots; /* of the decision: why a place is opened; may be none */
	size_t root_count;
};

struct at_merge;

/* Reads all three and lists the items, grouped. The input's bytes are copied. Fails with
 * AT_EPARSE (line, column, id) when the live file is not strict JSON: it is then not to
 * be touched; with AT_EINVALID when it is no object. Released by at_merge_free(). */
bool at_merge_open(struct at_merge **out, const struct at_merge_input *in, struct at_error *err);
void at_merge_free(struct at_merge *merge);

size_t at_merge_count(const struct at_merge *merge);
const struct at_merge_item *at_merge_item(const struct at_merge *merge, size_t i);
size_t at_merge_find(const struct at_merge *merge, const char *id); /* count: none */

bool at_merge_is_two_way(const struct at_merge *merge);
bool at_merge_live_has_bom(const struct at_merge *merge);
uint32_t at_merge_live_duplicates(const struct at_merge *merge);
bool at_merge_is_same_but_order(const struct at_merge *merge); /* equal as data, other text */

/* A fresh merge has selected what starts selected: additions and changes that tighten or
 * are neutral, are not blocked and that the operator has not undone before (WIRE-4). A
 * blocked item fails with AT_EREFUSED and its reason. Deselecting an item deselects what
 * needs it; selecting one selects what it needs. */
bool at_merge_select(struct at_merge *merge, size_t i, bool on, struct at_error *err);
void at_merge_select_none(struct at_merge *merge);
void at_merge_select_safe(struct at_merge *merge); /* WIRE-17: just those that tighten */

/* Replaces the value an item brings (JSON text, same kind as before) and judges it
 * again; it is then not selected. */
bool at_merge_edit(struct at_merge *merge, size_t i, const char *json, struct at_error *err);

struct at_merge_totals {
	size_t items, selected, blocked;
	size_t optional;           /* items that nobody asked for */
	size_t effect[4];          /* of all items, by enum at_effect */
	size_t selected_effect[4]; /* of the selected ones */
	size_t removed;            /* selected removals */
};
void at_merge_count_up(struct at_merge_totals *out, const struct at_merge *merge);

/* The exact bytes of the live file with the selected items in it. Kept until the selection
 * changes, borrowed until then. */
bool at_merge_result(struct at_merge *merge, struct at_bytes *out, struct at_error *err);

/* What to record as merged once `result` is written: the emitted values that are in force
 * now, or were and the operator took out again. */
bool at_merge_new_base(const struct at_merge *merge, struct at_buf *out, struct at_error *err);

/* What a review was about: SHA-256 over the live file's digest and every selected item with
 * its value, which together make the resulting bytes. --confirm-review-sha256 names it
 * (WIRE-17). */
void at_merge_review(struct at_merge *merge, struct at_digest *out);

/* SHA-256 of the live bytes the merge was made from, of no bytes where there is no file. Made when
 * it is asked for first: of a large file it takes longer than a frame. */
const struct at_digest *at_merge_live_digest(struct at_merge *merge);

#endif
