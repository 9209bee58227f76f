#include <stdlib.h>
#include <string.h>

#include "runner/runs/worktree_impl.h"

uint32_t at_names_hash(const char *path, size_t len)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)path[i]) * 16777619u;
	return hash;
}

static struct at_name *slot_of(
	const struct at_names *names, const char *path, size_t len, uint32_t hash)
{
	size_t at = hash & (names->size - 1);

	while (names->slots[at].path
		&& (names->slots[at].hash != hash || names->slots[at].len != len
			|| memcmp(names->slots[at].path, path, len) != 0))
		at = (at + 1) & (names->size - 1);
	return &names->slots[at];
}

static void grow(struct at_names *names)
{
	struct at_names wider = { .size = names->size ? names->size * 2 : 1024,
		.count = names->count };

	wider.slots = at_alloc(wider.size * sizeof(*wider.slots));
	for (size_t i = 0; i < names->size; i++) {
		const struct at_name *name = &names->slots[i];

		if (name->path)
			*slot_of(&wider, name->path, name->len, name->hash) = *name;
	}
	free(names->slots);
	*names = wider;
}

void at_names_put(struct at_names *names, const char *path, size_t len, uint32_t value)
{
	uint32_t hash = at_names_hash(path, len);
	struct at_name *slot;

	if (names->count * 2 >= names->size)
		grow(names);
	slot = slot_of(names, path, len, hash);
	names->count += !slot->path;
	*slot = (struct at_name){ path, (uint32_t)len, hash, value };
}

const struct at_name *at_names_get(const struct at_names *names, const char *path, size_t len)
{
	const struct at_name *slot;

	if (!names->size)
		return NULL;
	slot = slot_of(names, path, len, at_names_hash(path, len));
	return slot->path ? slot : NULL;
}

void at_names_free(struct at_names *names)
{
	free(names->slots);
	*names = (struct at_names){ 0 };
}
