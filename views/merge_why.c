/* merge_why.c - what is off in the Merge view now, and why. */
#include <stdio.h>
#include <string.h>

#include "views/merge_state.h"
#include "views/panes.h"

bool merge_opens_a_fold(const struct merge_state *s)
{
	return s->in_diff && at_diff_pane_has_fold(&s->pane);
}

static bool off(char *out, size_t size, const char *why)
{
	snprintf(out, size, "%s", why);
	return true;
}

static bool item_why_not(const struct merge_state *s, enum at_action action, char *out, size_t size)
{
	const struct at_merge_item *item = merge_current_item(s);

	if (!item)
		return off(out, size, "the cursor is on no item");
	if (item->blocked && action != AT_DO_OPEN)
		return off(out, size, item->blocked);
	if (action == AT_DO_ACCEPT && item->selected)
		return off(out, size, "it is chosen already: r keeps yours");
	if (action == AT_DO_EDIT_ITEM
		&& (item->op == AT_REMOVED || strcmp(item->path, "sandbox") == 0))
		return off(out, size, "this item has no single value to edit");
	return false;
}

static bool write_why_not(const struct merge_state *s, char *out, size_t size)
{
	struct at_merge_totals totals;

	if (at_session_is_off(s->arg->session, out, size))
		return true;
	at_merge_count_up(&totals, s->model.merge);
	return totals.selected == 0 && off(out, size, "no item is chosen");
}

/* What is decided must be what is shown. */
static bool is_decision(enum at_action action)
{
	switch (action) {
	case AT_DO_ACCEPT:
	case AT_DO_KEEP_MINE:
	case AT_DO_EDIT_ITEM:
	case AT_DO_ACCEPT_ALL_SAFE:
	case AT_DO_WRITE:
		return true;
	default:
		return false;
	}
}

bool merge_why_not(const struct at_view *view, enum at_action action, char *out, size_t size)
{
	const struct merge_state *s = view->state;
	bool no_list =
		s->in_diff && (s->zoomed || view->width < s->arg->session->settings->two_panes);

	if (s->is_open && is_decision(action) && at_diff_pane_hides_space(&s->pane))
		return off(
			out, size, "changes of white space are hidden: W shows them, then decide");
	switch (action) {
	case AT_DO_OPEN:
		if (merge_opens_a_fold(s))
			return false;
		/* fall through */
	case AT_DO_ACCEPT:
	case AT_DO_KEEP_MINE:
	case AT_DO_EDIT_ITEM:
		/* Nobody decides about an item that is not on the screen. */
		if (s->is_open && no_list)
			return off(out, size,
				"the items are not on the screen: Tab goes back to them");
		if (!s->is_open && action == AT_DO_OPEN && at_settings_file_may_ask(&s->error))
			return false;
		return !s->is_open ? off(out, size, "there is nothing to merge")
				   : item_why_not(s, action, out, size);
	case AT_DO_WRITE:
		return !s->is_open ? off(out, size, "there is nothing to merge")
				   : write_why_not(s, out, size);
	case AT_DO_ACCEPT_ALL_SAFE:
	case AT_DO_NEXT_UNDECIDED:
	case AT_DO_RESULT:
		return (!s->is_open || at_merge_count(s->model.merge) == 0)
			&& off(out, size, "there is nothing to merge");
	case AT_DO_UNDO:
		return s->history_count == 0 && at_session_is_off(s->arg->session, out, size);
	case AT_DO_FOLD:
	case AT_DO_SPACE:
		return !s->is_open && off(out, size, "there is nothing to merge");
	case AT_DO_FILTER:
		if (!s->is_open)
			return off(out, size, "there is nothing to merge");
		return no_list
			&& off(out, size, "the items are not on the screen: Tab goes back to them");
	case AT_DO_SIDE_BY_SIDE:
		if (!s->is_open)
			return off(out, size, "there is nothing to merge");
		/* fall through */
	case AT_DO_WRAP:
	case AT_DO_NEXT_WARNING:
	case AT_DO_NEXT_FILE:
	case AT_DO_PREV_FILE:
		return at_diff_pane_why_not(&s->pane, action, out, size);
	case AT_DO_ZOOM:
		return view->width < s->arg->session->settings->two_panes
			&& off(out, size, "one pane has the whole width already");
	default:
		return false;
	}
}
