/* Which rows speak of an action, by its name and by what it derives from. */
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

/* A walk up from an action: what is on the way now, what was reached at all. */
struct walk {
	const struct at_decisions *decisions;
	struct at_arena *arena;
	struct at_action_list *reached;
	struct at_action_list path;
	struct at_error *err;
};

static bool same(struct at_bytes a, struct at_bytes b)
{
	return a.len == b.len && strncasecmp(a.data, b.data, a.len) == 0;
}

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

static bool is_recorded(const struct at_decisions *decisions, struct at_bytes action)
{
	for (size_t i = 0; i < decisions->count; i++)
		if (same(decisions->rows[i].action, action))
			return true;
	return false;
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

static bool climb_to(struct walk *walk, struct at_bytes child, struct at_bytes parent)
{
	if (is_in(&walk->path, parent))
		return at_fail(walk->err, AT_EREFUSED,
			"lineage cycle detected at '%.*s' (via "
			"'%.*s')",
			(int)parent.len, parent.data, (int)child.len, child.data);
	if (is_in(walk->reached, parent))
		return true;
	if (!is_recorded(walk->decisions, parent))
		return at_fail(walk->err, AT_EREFUSED,
			"lineage reference '%.*s' (from '%.*s') names "
			"no recorded decision row",
			(int)parent.len, parent.data, (int)child.len, child.data);
	if (walk->reached->count >= MOST)
		return at_fail(walk->err, AT_ELIMIT, "a lineage of more than %d actions", MOST);
	put(walk->reached, walk->arena, parent);
	return climb(walk, parent);
}

/* Every row of the action may name parents; the torn one too, which can only stop. At the start
 * the rows with a suffix speak for the action as well, and may name it. */
static bool climb(struct walk *walk, struct at_bytes action)
{
	bool is_start = walk->path.count == 0;

	put(&walk->path, walk->arena, action);
	for (size_t i = 0; i < walk->decisions->count; i++) {
		const struct at_decision *row = &walk->decisions->rows[i];
		struct at_bytes rest = row->derives_from, name;

		if (!same(row->action, action)
			&& !(is_start && at_action_matches(row->action, action)))
			continue;
		while ((name = next_name(&rest)).len)
			if (!(same(name, action) && !same(row->action, action))
				&& !climb_to(walk, action, lower(walk->arena, name)))
				return false;
	}
	walk->path.count--;
	return true;
}

bool at_decisions_ancestors(struct at_action_list *out, struct at_arena *arena,
	const struct at_decisions *decisions, struct at_bytes action, struct at_error *err)
{
	struct walk walk = { decisions, arena, out, { 0 }, err };

	*out = (struct at_action_list){ 0 };
	return climb(&walk, lower(arena, at_field_strip(action)));
}
