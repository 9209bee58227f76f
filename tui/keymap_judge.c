/* keymap_judge.c - what no keymap may do, whoever made it. */
#include "tui/keymap.h"

#include <stdio.h>

#include "core/mem.h"

/* Without these somebody is caught in the program or in a question. */
static const enum at_action needed[] = {
	AT_DO_QUIT, AT_DO_HELP, AT_DO_BACK, AT_DO_CONFIRM_YES, AT_DO_CONFIRM_NO, AT_DO_PROMPT_DONE,
	AT_DO_PROMPT_CANCEL, AT_DO_HELP_RUN, AT_DO_HELP_CLOSE,
};

/* Keys that people press to get on, or to get out. */
static const char *const reflexes[] = { "Enter", "Space", "Tab", "S-Tab", "Esc", "Backspace" };

static bool asks(enum at_action action)
{
	return at_action_info(action)->danger >= AT_DANGER_CONFIRM;
}

static bool is_reflex(struct at_key key)
{
	struct at_key reflex;

	for (size_t i = 0; i < AT_LEN(reflexes); i++) {
		if (at_key_parse(&reflex, reflexes[i]) && at_key_equal(reflex, key))
			return true;
	}
	return false;
}

static bool moves_in(const struct at_keymap *map, struct at_key key)
{
	for (size_t i = 0; i < map->count; i++) {
		if (at_action_info(map->bindings[i].action)->danger == AT_DANGER_MOVES &&
			at_key_equal(map->bindings[i].key, key))
			return true;
	}
	return false;
}

/* A key that moves by default is one that fingers know, even where it was unbound. */
static bool is_moving(const struct at_keymap *map, const struct at_keymap *defaults,
	struct at_key key)
{
	return is_reflex(key) || moves_in(map, key) || moves_in(defaults, key);
}

static bool is_letter(struct at_key key)
{
	return key.code < AT_KEY_NONE && !key.modifiers;
}

/* Every action whose key is not the one that answers yes. */
static const struct at_binding *other_of(const struct at_keymap *map, const struct at_binding *yes)
{
	for (size_t i = 0; i < map->count; i++) {
		const struct at_binding *other = &map->bindings[i];

		if (other->action != AT_DO_CONFIRM_YES && at_key_equal(other->key, yes->key))
			return other;
	}
	return NULL;
}

/* "KEY clause NAME rest" */
static bool say(struct at_keymap_fault *out, const struct at_binding *at, unsigned other_origin,
	const char *clause, enum at_action named, const char *rest)
{
	char key[24];

	at_key_name(key, at->key);
	out->action = at->action;
	out->origin = at->origin > other_origin ? at->origin : other_origin;
	snprintf(out->why, sizeof(out->why), "%s %s %s%s", key, clause, at_action_info(named)->name,
		rest);
	return true;
}

static bool judge_binding(const struct at_keymap *map, const struct at_keymap *defaults,
	const struct at_binding *binding, struct at_keymap_fault *out)
{
	bool is_yes = binding->action == AT_DO_CONFIRM_YES;
	const struct at_binding *other = is_yes ? other_of(map, binding) : NULL;

	if (asks(binding->action) && is_moving(map, defaults, binding->key))
		return say(
			out, binding, 0, "moves or goes on:", binding->action, " may not be on it");
	if (is_yes && is_reflex(binding->key))
		return say(out, binding, 0, "is pressed without looking:", binding->action,
			" may not be on it");
	if (other)
		return say(out, binding, other->origin, "answers yes to a question:", other->action,
			" may not be on it");
	if ((binding->contexts & (AT_IN_PROMPT | AT_IN_HELP)) && is_letter(binding->key))
		return say(out, binding, 0, "is text in prompts and in the help:", binding->action,
			" cannot be on it");
	return false;
}

static bool has_key(const struct at_keymap *map, enum at_action action)
{
	for (size_t i = 0; i < map->count; i++) {
		if (map->bindings[i].action == action)
			return true;
	}
	return false;
}

static bool judge_conflicts(const struct at_keymap *map, struct at_keymap_fault *out)
{
	const struct at_binding *early, *late;
	size_t a, b;

	if (!at_keymap_conflict(map, &a, &b))
		return false;
	early = &map->bindings[a];
	late = &map->bindings[b];
	if (early->origin > late->origin) {
		early = &map->bindings[b];
		late = &map->bindings[a];
	}
	return say(out, late, early->origin, "is the key of", early->action, " already");
}

bool at_keymap_judge(const struct at_keymap *map, struct at_keymap_fault *out)
{
	struct at_keymap defaults;
	bool found = false;

	*out = (struct at_keymap_fault){ 0 };
	for (size_t i = 0; i < AT_LEN(needed); i++) {
		if (has_key(map, needed[i]))
			continue;
		out->action = needed[i];
		snprintf(out->why, sizeof(out->why), "%s must keep a key",
			at_action_info(needed[i])->name);
		return true;
	}
	at_keymap_init(&defaults);
	/* The particular rules first: they say more than that a key is taken. */
	for (size_t i = 0; i < map->count && !found; i++)
		found = judge_binding(map, &defaults, &map->bindings[i], out);
	at_keymap_free(&defaults);
	return found || judge_conflicts(map, out);
}
