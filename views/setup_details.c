/* setup_details.c - all that is to say about one row of the Setup form. */
#include "views/setup_cards.h"
#include "views/setup_rows.h"

static void put_root_details(const struct at_setup_rows *rows, const struct at_setup_row *row,
	struct at_buf *out)
{
	const struct at_texts *texts = at_setup_texts(rows->model, row->field);
	const struct at_setup_root *root =
		at_setup_root_find(rows->roots, row->field, texts->items[row->index]);

	if (root && root->ban)
		at_buf_printf(out, "It may not be a write root: %s.\n", root->ban);
	else if (root && root->external && !root->accepted)
		at_buf_puts(out,
			"It is outside the project and nobody accepted it in this run: nothing is "
			"emitted until Enter accepts it, or - takes it out.\n");
	if (root && root->notice)
		at_buf_printf(out, "%s\n", root->notice);
}

void at_setup_row_details(const struct at_setup_rows *rows, size_t at, struct at_buf *out)
{
	const struct at_setup_row *row = &rows->items[at];
	const struct at_session *session = rows->model->session;

	if (row->kind == AT_SETUP_ITEM)
		put_root_details(rows, row, out);
	if (row->kind == AT_SETUP_FRAMEWORK) {
		at_framework_here(out, session, (enum at_framework_id)row->index);
		at_buf_puts(out, ". The brief does not hold it: --framework says it elsewhere.\n");
		at_framework_mechanism(out, session, (enum at_framework_id)row->index);
		return;
	}
	if (row->kind == AT_SETUP_PROFILE) {
		if (!rows->cards) {
			at_buf_printf(out,
				"Buys: %s.\nCannot: %s.\nHere: ", at_profile_cards[row->index].buys,
				at_profile_cards[row->index].cannot);
			at_profile_here(out, rows->model, (enum at_profile)row->index);
			at_buf_puts(out, ".\n");
		}
		at_buf_printf(out, "%s\n", row->field->help);
		at_framework_mechanism(out, session, session->manifest.framework);
		return;
	}
	if (row->kind == AT_SETUP_KEPT && !row->field) {
		at_buf_puts(
			out, "A key that this program does not know: its bytes stay as they are.");
		return;
	}
	if (row->field)
		at_buf_printf(out, "%s\nDefault: %s. Read by: %s.", row->field->help,
			row->field->fallback, row->field->reader);
}
