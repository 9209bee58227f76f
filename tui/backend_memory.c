#include "tui/backend.h"

#include <stdlib.h>

#include "core/mem.h"

struct memory {
	struct at_backend backend; /* first: the two share an address */
	struct at_grid grid;
};

static bool show(struct at_backend *backend, const struct at_grid *grid, bool whole)
{
	struct memory *memory = (struct memory *)backend;

	at_grid_copy(&memory->grid, grid);
	return true;
}

static void close_memory(struct at_backend *backend)
{
	struct memory *memory = (struct memory *)backend;

	at_grid_free(&memory->grid);
	free(memory);
}

struct at_backend *at_backend_memory(int colours, enum at_theme_id theme)
{
	struct memory *memory = at_alloc(sizeof(*memory));

	memory->backend = (struct at_backend){ .show = show, .close = close_memory,
		.theme = at_theme_pick(theme, colours, NULL), .enter = "", .leave = "",
		.mouse_on = "", .mouse_off = "" };
	return &memory->backend;
}

const struct at_grid *at_backend_memory_grid(const struct at_backend *backend)
{
	return &((const struct memory *)backend)->grid;
}
