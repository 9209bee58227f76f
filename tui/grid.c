#include "tui/grid.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

#define SIDE_CAP 1000

static int between(int low, int value, int high)
{
	return value < low ? low : value > high ? high : value;
}

void at_grid_clear(struct at_grid *grid)
{
	size_t count = (size_t)grid->width * (size_t)grid->height;

	for (size_t i = 0; i < count; i++)
		grid->cells[i] = (struct at_cell){ ' ', AT_STYLE_NORMAL, 1 };
	grid->cluster_count = 0;
	grid->cursor_x = grid->cursor_y = -1;
}

void at_grid_resize(struct at_grid *grid, int width, int height)
{
	width = between(1, width, SIDE_CAP);
	height = between(1, height, SIDE_CAP);
	if (width != grid->width || height != grid->height)
		grid->cells = at_resize(grid->cells, (size_t)width * (size_t)height,
			sizeof(*grid->cells));
	grid->width = width;
	grid->height = height;
	at_grid_clear(grid);
}

void at_grid_copy(struct at_grid *out, const struct at_grid *grid)
{
	at_grid_resize(out, grid->width, grid->height);
	memcpy(out->cells, grid->cells,
		(size_t)grid->width * (size_t)grid->height * sizeof(*grid->cells));
	for (size_t i = 0; i < grid->cluster_count; i++) {
		out->clusters =
			at_grow(out->clusters, &out->cluster_cap, i, sizeof(*out->clusters));
		out->clusters[i] = grid->clusters[i];
	}
	out->cluster_count = grid->cluster_count;
	out->cursor_x = grid->cursor_x;
	out->cursor_y = grid->cursor_y;
	out->ascii = grid->ascii;
}

void at_grid_free(struct at_grid *grid)
{
	free(grid->cells);
	free(grid->clusters);
	*grid = (struct at_grid){ 0 };
}

const struct at_cell *at_grid_cell(const struct at_grid *grid, int x, int y)
{
	return &grid->cells[(size_t)y * (size_t)grid->width + (size_t)x];
}

static size_t encode(uint32_t code, char *out)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3f));
	out[2] = (char)(0x80 | (code >> 6 & 0x3f));
	out[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

size_t at_grid_cell_text(const struct at_grid *grid, const struct at_cell *cell, char out[24])
{
	size_t len = 0;

	if (cell->width && cell->code >= AT_CLUSTER_BASE) {
		const struct at_cluster *cluster = &grid->clusters[cell->code - AT_CLUSTER_BASE];

		memcpy(out, cluster->text, sizeof(cluster->text));
		return strlen(out);
	}
	if (cell->width)
		len = encode(cell->code, out);
	out[len] = '\0';
	return len;
}

bool at_grid_same_cell(const struct at_grid *a, const struct at_grid *b, int x, int y)
{
	const struct at_cell *one = at_grid_cell(a, x, y), *two = at_grid_cell(b, x, y);

	if (one->style != two->style || one->width != two->width)
		return false;
	if (!one->width)
		return true;
	if (one->code >= AT_CLUSTER_BASE && two->code >= AT_CLUSTER_BASE)
		return strcmp(a->clusters[one->code - AT_CLUSTER_BASE].text,
			       b->clusters[two->code - AT_CLUSTER_BASE].text) == 0;
	return one->code == two->code;
}
