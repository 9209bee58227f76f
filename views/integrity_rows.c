#include "views/integrity_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/ceilings.h"
#include "core/mem.h"
#include "views/integrity_text.h"

static void add(struct at_integrity_rows *rows, int kind, size_t index)
{
	rows->rows = at_grow(rows->rows, &rows->cap, rows->count, sizeof(*rows->rows));
	rows->rows[rows->count].kind = kind;
	rows->rows[rows->count++].index = index;
}

/* Those of one part that are well, or those that are not. */
static void add_items(struct at_integrity_rows *rows, enum at_integrity_part part, bool well,
	bool both)
{
	const struct at_integrity *in = rows->integrity;

	for (size_t i = 0; i < in->count; i++)
		if (in->items[i].part == part
			&& (both || (in->items[i].level <= AT_NOTE) == well))
			add(rows, AT_ROW_ITEM, i);
}

void at_integrity_rows_make(struct at_integrity_rows *rows, const struct at_integrity *integrity)
{
	bool is_done = at_integrity_is_done(integrity);

	rows->integrity = integrity;
	rows->count = 0;
	for (int p = 0; p < AT_PARTS; p++) {
		enum at_integrity_part part = (enum at_integrity_part)p;
		size_t heading = rows->count;

		add(rows, AT_ROW_PART, (size_t)p);
		if (is_done)
			add_items(rows, part, false, false);
		add_items(rows, part, true, !is_done);
		if (rows->count == heading + 1)
			rows->count = heading; /* nothing of it is here */
	}
	add(rows, AT_ROW_CEILINGS, 0);
	for (size_t i = 0; at_integrity_ceiling(i); i++)
		add(rows, AT_ROW_CEILING, i);
}

void at_integrity_rows_free(struct at_integrity_rows *rows)
{
	free(rows->rows);
	*rows = (struct at_integrity_rows){ 0 };
}

bool at_integrity_row_is_heading(const struct at_integrity_rows *rows, size_t row)
{
	return rows->rows[row].kind == AT_ROW_PART || rows->rows[row].kind == AT_ROW_CEILINGS;
}

const struct at_integrity_item *at_integrity_row_item(const struct at_integrity_rows *rows,
	size_t row)
{
	return row < rows->count && rows->rows[row].kind == AT_ROW_ITEM
		? &rows->integrity->items[rows->rows[row].index] : NULL;
}

size_t at_integrity_row_of(const struct at_integrity_rows *rows, size_t item)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].kind == AT_ROW_ITEM && rows->rows[i].index == item)
			return i;
	return 0;
}

static void part_line(const struct at_integrity_rows *rows, enum at_integrity_part part,
	struct at_line *out)
{
	struct at_buf text = { 0 };
	bool fails = at_integrity_summary(&text, rows->integrity, part);

	at_line_text(out, AT_STYLE_ACCENT, at_integrity_part_name(part));
	at_line_text(out, AT_STYLE_DIM, "  ");
	at_line_text(out, fails ? AT_STYLE_TRUTH_BAD : AT_STYLE_DIM, at_buf_text(&text));
	at_buf_free(&text);
}

/* The name first: in a narrow list the directory is what may be cut. */
static void put_path(struct at_line *out, const char *path)
{
	const char *slash = strchr(path, ' ') ? NULL : strrchr(path, '/');

	at_line_text(out, AT_STYLE_NORMAL, slash ? slash + 1 : path);
	if (!slash)
		return;
	at_line_text(out, AT_STYLE_DIM, "  ");
	at_line_add(out, AT_STYLE_DIM, (struct at_bytes){ path, (size_t)(slash - path) });
}

static void item_line(const struct at_integrity_item *item, struct at_line *out)
{
	static const enum at_style styles[] = {
		[AT_OKAY] = AT_STYLE_DIM,
		[AT_NOTE] = AT_STYLE_DIM,
		[AT_WARN] = AT_STYLE_MARK,
		[AT_FAIL] = AT_STYLE_TRUTH_BAD,
	};

	at_line_textf(out, styles[item->level], "%-13s ", at_integrity_word(item));
	put_path(out, item->path);
}

void at_integrity_row_line(const struct at_integrity_rows *rows, size_t row, struct at_line *out)
{
	const struct at_integrity_row *r = &rows->rows[row];

	switch (r->kind) {
	case AT_ROW_PART:
		part_line(rows, (enum at_integrity_part)r->index, out);
		break;
	case AT_ROW_ITEM:
		item_line(&rows->integrity->items[r->index], out);
		break;
	case AT_ROW_CEILINGS:
		at_line_text(out, AT_STYLE_ACCENT, "Whatever stands above");
		break;
	case AT_ROW_CEILING:
		at_line_textf(out, AT_STYLE_DIM, "%-8s ", at_integrity_ceiling(r->index)->id);
		at_line_text(out, AT_STYLE_NORMAL, at_integrity_ceiling(r->index)->text);
		break;
	}
}

void at_integrity_row_detail(const struct at_integrity_rows *rows, size_t row, struct at_buf *out)
{
	const struct at_integrity_row *r = row < rows->count ? &rows->rows[row] : NULL;

	if (r && r->kind == AT_ROW_ITEM)
		at_integrity_detail(out, &rows->integrity->items[r->index]);
	else if (r && r->kind == AT_ROW_CEILING)
		at_buf_printf(out, "%s\n\n%s\n", at_integrity_ceiling(r->index)->id,
			at_integrity_ceiling(r->index)->text);
}
