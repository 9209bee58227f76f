#include "views/merge_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/json_edit.h"
#include "core/mem.h"
#include "views/merge_report.h"

enum at_style at_merge_effect_style(enum at_effect effect)
{
	static const enum at_style styles[] = {
		[AT_TIGHTENS] = AT_STYLE_TIGHTENS,
		[AT_NEUTRAL] = AT_STYLE_NEUTRAL,
		[AT_WIDENS] = AT_STYLE_WIDENS,
		[AT_RELAXES] = AT_STYLE_RELAXES,
	};

	return styles[effect];
}

static void add_row(struct at_merge_rows *rows, struct at_merge_row row)
{
	rows->rows = at_grow(rows->rows, &rows->cap, rows->count, sizeof(*rows->rows));
	rows->rows[rows->count++] = row;
}

static void add_remarks(struct at_merge_rows *rows)
{
	struct at_buf text = { 0 };
	char *rest, *line;

	at_merge_report_remarks(rows->model, &text);
	rest = at_arena_strdup(rows->arena, at_buf_text(&text));
	at_buf_free(&text);
	while ((line = strsep(&rest, "\n"))) {
		if (*line)
			add_row(rows, (struct at_merge_row){ AT_ROW_NO_ITEM, line, true });
	}
}

void at_merge_rows_make(struct at_merge_rows *rows, const struct at_merge_model *model)
{
	const struct at_merge *merge = model ? model->merge : NULL;
	int group = -1;

	at_merge_rows_free(rows);
	rows->model = model;
	rows->arena = at_arena_new();
	if (!merge)
		return;
	add_remarks(rows);
	for (size_t i = 0; i < at_merge_count(merge); i++) {
		enum at_group now = at_merge_item(merge, i)->group;

		if ((int)now != group)
			add_row(rows,
				(struct at_merge_row){
					AT_ROW_NO_ITEM, at_group_title(now), false });
		group = (int)now;
		add_row(rows, (struct at_merge_row){ i, NULL, false });
	}
	if (at_merge_count(merge) == 0)
		add_row(rows,
			(struct at_merge_row){ AT_ROW_NO_ITEM,
				"Nothing to merge: the live settings hold everything that is emitted.",
				true });
}

void at_merge_rows_free(struct at_merge_rows *rows)
{
	free(rows->rows);
	at_arena_free(rows->arena);
	*rows = (struct at_merge_rows){ 0 };
}

void at_merge_row_line(const struct at_merge_rows *rows, size_t row, struct at_line *out)
{
	const struct at_merge_row *r = &rows->rows[row];
	const struct at_merge_item *item;

	if (r->item == AT_ROW_NO_ITEM) {
		at_line_text(out, r->remark ? AT_STYLE_DIM : AT_STYLE_ACCENT, r->text);
		return;
	}
	item = at_merge_item(rows->model->merge, r->item);
	/* The mark is a letter, so that no colour is needed to read it. */
	at_line_text(out, item->selected ? AT_STYLE_MARK : AT_STYLE_DIM,
		item->blocked ? "[-] " : item->selected ? "[x] " : "[ ] ");
	at_line_textf(
		out, at_merge_effect_style(item->effect), "%-8s", at_effect_word(item->effect));
	at_line_text(out, AT_STYLE_NORMAL,
		item->op == AT_REMOVED           ? " - "
			: item->op == AT_CHANGED ? " ~ "
						 : " + ");
	at_line_text(out, item->blocked ? AT_STYLE_DIM : AT_STYLE_NORMAL, item->label);
	if (item->origin != AT_FROM_EMITTED && item->origin != AT_FROM_OPTIONAL)
		at_line_textf(out, AT_STYLE_DIM, "  (%s)", at_origin_word(item->origin));
	if (item->edited)
		at_line_text(out, AT_STYLE_DIM, "  (edited)");
}

void at_merge_row_words(const struct at_merge_rows *rows, size_t row, struct at_buf *out)
{
	const struct at_merge_row *r = &rows->rows[row];
	const struct at_merge_item *item;

	if (r->item == AT_ROW_NO_ITEM) {
		at_buf_puts(out, r->text);
		return;
	}
	item = at_merge_item(rows->model->merge, r->item);
	at_buf_printf(out, "%s, %s, %s: %s",
		item->blocked ? "cannot be chosen" : item->selected ? "chosen" : "not chosen",
		at_effect_word(item->effect), at_op_word(item->op), item->label);
	if (item->origin != AT_FROM_EMITTED)
		at_buf_printf(out, "; %s", at_origin_word(item->origin));
	if (item->edited)
		at_buf_puts(out, "; edited");
}

/* The value laid out over lines, by the same editor that will write it. */
static void put_value(struct at_buf *out, const char *value)
{
	struct at_json empty = { 0 };
	struct at_json_edit *edit;
	struct at_buf text = { 0 };

	if (strlen(value) < 60
		|| !at_json_read(&empty, at_bytes_of("[]\n"), &at_json_settings_limits, 0, NULL)) {
		at_buf_printf(out, "%s\n", value);
		return;
	}
	edit = at_json_edit_new(&empty);
	at_json_edit_append(edit, AT_JSON_ROOT, at_bytes_of(value));
	if (at_json_edit_apply(edit, &text, NULL) && text.len > 5)
		at_buf_put(out, at_buf_text(&text) + 2, text.len - 4);
	else
		at_buf_printf(out, "%s\n", value);
	at_json_edit_free(edit);
	at_json_free(&empty);
	at_buf_free(&text);
}

void at_merge_item_text(const struct at_merge_item *item, struct at_buf *out)
{
	at_buf_printf(out, "%s  /%s\n", at_op_word(item->op), item->path);
	at_buf_printf(out, "%s: %s\n", at_effect_word(item->effect), item->why);
	at_buf_printf(out, "origin: %s   id: %s\n", at_origin_word(item->origin), item->id);
	if (item->blocked)
		at_buf_printf(out, "cannot be chosen: %s\n", item->blocked);
	if (item->before)
		at_buf_printf(out, "yours on disk: %s\n", item->before);
	at_buf_printf(out, "%s\n", item->op == AT_REMOVED ? "takes out:"
			: item->origin == AT_FROM_OPTIONAL   ? "on offer:" : "newly emitted:");
	put_value(out, item->value);
}
