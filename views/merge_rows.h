/* merge_rows.h - the rows of a merge: remarks, group headings, items with their marks.
 *
 * What the Merge view's list shows, made from a model and the operator's decisions. It
 * draws lines, it changes nothing.
 */
#ifndef AT_MERGE_ROWS_H
#define AT_MERGE_ROWS_H

#include "tui/line.h"
#include "views/merge_model.h"

#define AT_ROW_NO_ITEM ((size_t)-1)

struct at_merge_row {
	size_t item;      /* or AT_ROW_NO_ITEM for a heading or a remark */
	const char *text; /* of a heading or a remark */
	bool remark;
};

struct at_merge_rows {
	const struct at_merge_model *model; /* borrowed; may be NULL: no rows */
	struct at_arena *arena;
	struct at_merge_row *rows;
	size_t count, cap;
};

void at_merge_rows_make(struct at_merge_rows *rows, const struct at_merge_model *model);
void at_merge_rows_free(struct at_merge_rows *rows);
void at_merge_row_line(const struct at_merge_rows *rows, size_t row, struct at_line *out);

/* The same in words, without marks: "chosen, WIDENS, add: LABEL; yours". */
void at_merge_row_words(const struct at_merge_rows *rows, size_t row, struct at_buf *out);

/* The item in full: path, origin, effect and why, value, what it replaces, why it cannot
 * be chosen. Appended as lines of text. */
void at_merge_item_text(const struct at_merge_item *item, struct at_buf *out);

/* The style of an effect's word. */
enum at_style at_merge_effect_style(enum at_effect effect);

#endif
