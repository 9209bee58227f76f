/* setup_rows.h - the form of the Setup view as rows of a list.
 *
 * Choices, fields with their values, the texts of lists, and beside each what is wrong with
 * it. Made anew when the model, the width or a refusal changes. It paints nothing.
 */
#ifndef AT_SETUP_ROWS_H
#define AT_SETUP_ROWS_H

#include "tui/line.h"
#include "views/setup_model.h"
#include "views/setup_roots.h"

enum at_setup_kind {
	AT_SETUP_TEXT,      /* headings, cards, what is wrong: no cursor */
	AT_SETUP_FRAMEWORK, /* `index` is the id */
	AT_SETUP_PROFILE,   /* `index` is the profile */
	AT_SETUP_FIELD,
	AT_SETUP_ITEM,      /* `index` in the list of `field` */
	AT_SETUP_KEPT,      /* a key that is for others */
};

struct at_setup_row {
	enum at_setup_kind kind;
	const struct at_field *field;
	size_t index;
	const char *text; /* of TEXT and KEPT; may quote the brief */
	enum at_style style;
};

struct at_setup_rows {
	struct at_arena *arena;
	struct at_setup_row *items;
	size_t count, cap;
	const struct at_setup_model *model; /* borrowed */
	const struct at_setup_roots *roots;
	int width;
	bool cards;
};

/* `refusal`: the last change that was not taken, beside its field; its code is AT_OK when
 * there is none. `cards`: what a profile buys stands under each. */
void at_setup_rows_make(struct at_setup_rows *rows, const struct at_setup_model *model,
	const struct at_setup_roots *roots, const struct at_error *refusal, int width, bool cards);
void at_setup_rows_free(struct at_setup_rows *rows);
void at_setup_row_line(const struct at_setup_rows *rows, size_t row, struct at_line *out);

/* The row that is the same thing as `like`, or the one nearest to it in its list. */
size_t at_setup_rows_find(const struct at_setup_rows *rows, const struct at_setup_row *like);

/* All that is to say about a row: what it is for, what it would come to. Appended. */
void at_setup_row_details(const struct at_setup_rows *rows, size_t row, struct at_buf *out);

#endif
