#include "tui/keymap.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

static void add(struct at_keymap *map, struct at_binding binding)
{
	map->bindings = at_grow(map->bindings, &map->cap, map->count, sizeof(*map->bindings));
	map->bindings[map->count++] = binding;
}

static void bind(struct at_keymap *map, struct at_key key, enum at_action action)
{
	add(map, (struct at_binding){ key, action, at_action_info(action)->contexts, 0 });
}

void at_keymap_init(struct at_keymap *map)
{
	*map = (struct at_keymap){ 0 };
	for (int i = 1; i < AT_ACTION_COUNT; i++) {
		const char *keys = at_action_info((enum at_action)i)->keys;

		while (*keys) {
			size_t len = strcspn(keys, " ");
			struct at_key key;
			char name[24] = "";

			if (len < sizeof(name))
				memcpy(name, keys, len);
			if (at_key_parse(&key, name))
				bind(map, key, (enum at_action)i);
			keys += len + strspn(keys + len, " ");
		}
	}
}

void at_keymap_free(struct at_keymap *map)
{
	free(map->bindings);
	*map = (struct at_keymap){ 0 };
}

/* Bindings of the action lose the context; those that are left with none go. */
static void unbind(struct at_keymap *map, unsigned context, enum at_action action)
{
	size_t kept = 0;

	for (size_t i = 0; i < map->count; i++) {
		struct at_binding *binding = &map->bindings[i];

		if (binding->action == action)
			binding->contexts &= ~context;
		if (binding->contexts)
			map->bindings[kept++] = *binding;
	}
	map->count = kept;
}

bool at_keymap_bind(struct at_keymap *map, enum at_context context, enum at_action action,
	const struct at_key *keys, size_t count, unsigned origin)
{
	if (!(at_action_info(action)->contexts & (unsigned)context))
		return false;
	unbind(map, context, action);
	for (size_t i = 0; i < count; i++)
		add(map, (struct at_binding){ keys[i], action, context, origin });
	return true;
}

static enum at_action find_in(const struct at_keymap *map, unsigned contexts, struct at_key key)
{
	for (size_t i = 0; i < map->count; i++) {
		const struct at_binding *binding = &map->bindings[i];

		if ((binding->contexts & contexts) && at_key_equal(binding->key, key))
			return binding->action;
	}
	return AT_DO_NOTHING;
}

enum at_action at_keymap_find(const struct at_keymap *map, unsigned contexts, struct at_key key)
{
	enum at_action action = find_in(map, contexts, key);

	if (action || (contexts & AT_IN_MODAL))
		return action;
	return find_in(map, AT_IN_GLOBAL, key);
}

void at_keymap_key(const struct at_keymap *map, enum at_action action, char out[24])
{
	out[0] = '\0';
	for (size_t i = 0; i < map->count; i++) {
		if (map->bindings[i].action == action) {
			at_key_name(out, map->bindings[i].key);
			return;
		}
	}
}

void at_keymap_keys(const struct at_keymap *map, enum at_action action, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < map->count; i++) {
		char name[24];

		if (map->bindings[i].action != action)
			continue;
		at_key_name(name, map->bindings[i].key);
		if (len + strlen(name) + 2 > size)
			return;
		if (len)
			out[len++] = ' ';
		memcpy(out + len, name, strlen(name) + 1);
		len += strlen(name);
	}
}

/* A view has its own context and the shared ones, global is everywhere but in modals; what is
 * another view's own never meets it. */
static bool may_meet(unsigned a, unsigned b)
{
	unsigned open = ~(unsigned)AT_IN_MODAL;

	return (a & b) || ((a & open) && (b & open) && ((a | b) & AT_IN_SHARED));
}

bool at_keymap_conflict(const struct at_keymap *map, size_t *first, size_t *second)
{
	for (size_t i = 0; i < map->count; i++) {
		for (size_t k = i + 1; k < map->count; k++) {
			const struct at_binding *a = &map->bindings[i], *b = &map->bindings[k];

			if (a->action != b->action && at_key_equal(a->key, b->key) &&
				may_meet(a->contexts, b->contexts)) {
				*first = i;
				*second = k;
				return true;
			}
		}
	}
	return false;
}
