/* Which rows speak of an action, by its name and by what it derives from. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/mem.h"
#include "keys/decision.h"
#include "keys/field.h"

bool at_action_matches(struct at_bytes reviewed, struct at_bytes action)
{
	reviewed = at_field_strip(reviewed);
	action = at_field_strip(action);
	return action.len > 0 && reviewed.len >= action.len
		&& strncasecmp(reviewed.data, action.data, action.len) == 0
		&& !memchr(action.data, '\0', action.len)
		&& (reviewed.len == action.len || memchr("-_.:", reviewed.data[action.len], 4));
}

/* With a `|` in a field the bytes that were signed can be cut into fields in another way: a HALT
 * must not be hidden by that. */
static bool halts_in_some_way(const struct at_decision *row, struct at_bytes action)
{
	struct at_buf payload = { 0 };
	bool halts = false, matches = false;
	const char *at, *end, *bar;

	at_decision_payload(&payload, row);
	at = at_buf_text(&payload);
	for (end = at + payload.len; at <= end; at = bar + 1) {
		struct at_bytes piece;

		bar = memchr(at, '|', (size_t)(end - at));
		bar = bar ? bar : end;
		piece = at_field_strip((struct at_bytes){ at, (size_t)(bar - at) });
		halts |= piece.len == 4 && strncasecmp(piece.data, "HALT", 4) == 0;
		matches |= at_action_matches(piece, action);
	}
	at_buf_free(&payload);
	return halts && matches;
}

bool at_decision_halts(const struct at_decision *row, struct at_bytes action)
{
	if (row->kind == AT_VERDICT_HALT && at_action_matches(row->action, action))
		return true;
	return row->ambiguous && halts_in_some_way(row, action);
}

static char low(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Byte by byte, but for the case of ASCII letters. */
static int compare(struct at_bytes a, struct at_bytes b)
{
	for (size_t i = 0; i < a.len && i < b.len; i++)
		if (low(a.data[i]) != low(b.data[i]))
			return (unsigned char)low(a.data[i]) < (unsigned char)low(b.data[i]) ? -1
											     : 1;
	return a.len < b.len ? -1 : a.len > b.len;
}

static bool same(struct at_bytes a, struct at_bytes b)
{
	return compare(a, b) == 0;
}

static int by_action(const void *a, const void *b)
{
	const struct at_decision *const *x = a, *const *y = b;
	int order = compare((*x)->action, (*y)->action);

	return order ? order : (*x < *y ? -1 : *x > *y);
}

void at_decisions_index(struct at_decisions *decisions, struct at_arena *arena)
{
	size_t count = decisions->count;

	decisions->by_action = at_arena_alloc(arena, (count + 1) * sizeof(*decisions->by_action));
	decisions->lineage = at_arena_alloc(arena, (count + 1) * sizeof(*decisions->lineage));
	for (size_t i = 0; i < count; i++)
		decisions->by_action[i] = &decisions->rows[i];
	qsort(decisions->by_action, count, sizeof(*decisions->by_action), by_action);
}

/* Where the rows of an action begin in the index, or would. */
static size_t first_of(const struct at_decisions *decisions, struct at_bytes action)
{
	size_t low_end = 0, high = decisions->count;

	while (low_end < high) {
		size_t middle = low_end + (high - low_end) / 2;

		if (compare(decisions->by_action[middle]->action, action) < 0)
			low_end = middle + 1;
		else
			high = middle;
	}
	return low_end;
}

static bool is_of(const struct at_decisions *decisions, size_t place, struct at_bytes action)
{
	return place < decisions->count && same(decisions->by_action[place]->action, action);
}

/* A walk up from an action: what is on the way now, what was reached at all. */
struct walk {
	const struct at_decisions *decisions;
	struct at_arena *arena;
	struct at_action_list *reached; /* NULL: what is known of an action is kept instead */
	struct at_action_list path;
	struct at_bytes asked; /* the action asked about: rows with a suffix may name it */
	struct at_error *err;
};

static bool is_in(const struct at_action_list *list, struct at_bytes action)
{
	for (size_t i = 0; i < list->count; i++)
		if (at_bytes_equal(list->items[i], action))
			return true;
	return false;
}

static void put(struct at_action_list *list, struct at_arena *arena, struct at_bytes action)
{
	if (list->count == list->cap) {
		size_t cap = list->cap ? 2 * list->cap : 16;
		struct at_bytes *items = at_arena_alloc(arena, cap * sizeof(*items));

		if (list->count)
			memcpy(items, list->items, list->count * sizeof(*items));
		list->items = items;
		list->cap = cap;
	}
	list->items[list->count++] = action;
}

static struct at_bytes lower(struct at_arena *arena, struct at_bytes text)
{
	char *out = at_arena_strndup(arena, text.data, text.len);

	for (size_t i = 0; i < text.len; i++)
		if (out[i] >= 'A' && out[i] <= 'Z')
			out[i] |= 0x20;
	return (struct at_bytes){ out, text.len };
}

/* The next name of a list `a; b, c`; empty at its end. */
static struct at_bytes next_name(struct at_bytes *rest)
{
	struct at_bytes name = { "", 0 };

	while (rest->len && !name.len) {
		size_t len = 0;

		while (len < rest->len && rest->data[len] != ';' && rest->data[len] != ',')
			len++;
		name = at_field_strip((struct at_bytes){ rest->data, len });
		len += len < rest->len;
		rest->data += len;
		rest->len -= len;
	}
	return name;
}

#define MOST 1000 /* actions of a lineage: the walk recurses, and looks at every row for each */

static bool climb(struct walk *walk, struct at_bytes action);

/* What stands is told by `reached`, or by what is known already. */
static bool is_known(struct walk *walk, size_t place, struct at_bytes parent, bool *holds)
{
	const char *known;

	*holds = true;
	if (walk->reached)
		return is_in(walk->reached, parent);
	known = walk->decisions->lineage[place];
	if (known && *known)
		*holds = at_fail(walk->err, AT_EREFUSED, "%s", known);
	return known != NULL;
}

static bool climb_to(struct walk *walk, struct at_bytes child, struct at_bytes parent)
{
	size_t place = first_of(walk->decisions, parent);
	bool holds;

	if (is_in(&walk->path, parent))
		return at_fail(walk->err, AT_EREFUSED,
			"lineage cycle detected at '%.*s' (via '%.*s')", (int)parent.len,
			parent.data, (int)child.len, child.data);
	if (walk->asked.len && at_bytes_equal(parent, walk->asked))
		return true;
	if (!is_of(walk->decisions, place, parent))
		return at_fail(walk->err, AT_EREFUSED,
			"lineage reference '%.*s' (from '%.*s') names no recorded decision row",
			(int)parent.len, parent.data, (int)child.len, child.data);
	if (is_known(walk, place, parent, &holds))
		return holds;
	if ((walk->reached ? walk->reached : &walk->path)->count >= MOST)
		return at_fail(walk->err, AT_ELIMIT, "a lineage of more than %d actions", MOST);
	if (walk->reached)
		put(walk->reached, walk->arena, parent);
	return climb(walk, parent);
}

/* Every row of the action may name parents; the torn one too, which can only stop. */
static bool climb(struct walk *walk, struct at_bytes action)
{
	const struct at_decisions *decisions = walk->decisions;
	size_t first = first_of(decisions, action);

	put(&walk->path, walk->arena, action);
	for (size_t i = first; is_of(decisions, i, action); i++) {
		struct at_bytes rest = decisions->by_action[i]->derives_from, name;

		while ((name = next_name(&rest)).len)
			if (!climb_to(walk, action, lower(walk->arena, name)))
				return false;
	}
	if (!walk->reached)
		decisions->lineage[first] = "";
	walk->path.count--;
	return true;
}

bool at_decisions_ancestors(struct at_action_list *out, struct at_arena *arena,
	const struct at_decisions *decisions, struct at_bytes action, struct at_error *err)
{
	struct walk walk = { decisions, arena, out, { 0 }, { "", 0 }, err };

	*out = (struct at_action_list){ 0 };
	walk.asked = action = lower(arena, at_field_strip(action));
	if (!climb(&walk, action))
		return false;
	/* Rows with a suffix speak for the action as well. */
	for (size_t i = 0; i < decisions->count; i++) {
		const struct at_decision *row = &decisions->rows[i];

		if (row->derives_from.len && !same(row->action, action)
			&& at_action_matches(row->action, action)
			&& !climb(&walk, lower(arena, row->action)))
			return false;
	}
	return true;
}

bool at_decisions_lineage(const struct at_decisions *decisions, struct at_arena *arena,
	struct at_bytes action, struct at_error *err)
{
	size_t place = first_of(decisions, action);
	struct at_error fault = { 0 };
	struct walk walk = { decisions, arena, NULL, { 0 }, { "", 0 }, &fault };
	const char *known;

	if (!is_of(decisions, place, action))
		return true;
	/* What fails, fails for all on the way to it. */
	if (!decisions->lineage[place] && !climb(&walk, lower(arena, action))) {
		known = at_arena_strdup(arena, fault.message);
		for (size_t i = 0; i < walk.path.count; i++)
			decisions->lineage[first_of(decisions, walk.path.items[i])] = known;
	}
	known = decisions->lineage[place];
	return !*known || at_fail(err, AT_EREFUSED, "%s", known);
}
