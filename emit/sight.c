#include "emit/sight.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

#define KEPT_MAX 32 /* files: managed drop-ins may be many, and small */

void at_kept_release(struct at_kept *kept)
{
	if (--kept->holders)
		return;
	at_live_free_own(&kept->live);
	free(kept->key);
	free(kept);
}

static void drop(struct at_sight *sight, size_t i)
{
	at_kept_release(sight->items[i]);
	sight->count--;
	memmove(sight->items + i, sight->items + i + 1,
		(sight->count - i) * sizeof(*sight->items));
}

static void show(struct at_live *out, struct at_kept *kept)
{
	kept->holders++;
	*out = kept->live;
	out->kept = kept;
}

bool at_sight_find(struct at_sight *sight, struct at_live *out, const char *key, int root,
	const char *path)
{
	for (size_t i = 0; sight && i < sight->count; i++) {
		struct at_kept *kept = sight->items[i];

		if (strcmp(kept->key, key) != 0)
			continue;
		if (!at_file_is_still(&kept->live.file, root, path)) {
			drop(sight, i);
			return false;
		}
		show(out, kept);
		return true;
	}
	return false;
}

void at_sight_keep(struct at_sight *sight, struct at_live *live, const char *key)
{
	struct at_kept *kept;

	if (!sight)
		return;
	if (sight->count == KEPT_MAX)
		drop(sight, 0);
	kept = at_alloc(sizeof(*kept));
	*kept = (struct at_kept){ .holders = 1, .key = at_strdup(key), .live = *live };
	sight->items = at_grow(sight->items, &sight->cap, sight->count, sizeof(*sight->items));
	sight->items[sight->count++] = kept;
	show(live, kept);
}

void at_sight_free(struct at_sight *sight)
{
	while (sight->count)
		drop(sight, sight->count - 1);
	free(sight->items);
	*sight = (struct at_sight){ 0 };
}
