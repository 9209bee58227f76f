/* setup_why.c - which keys of the Setup view are off now, and why. */
#include <stdio.h>

#include "views/setup_state.h"

static bool off(char *out, size_t size, const char *why)
{
	snprintf(out, size, "%s", why);
	return true;
}

/* May the brief be changed at all? */
static bool edit_why_not(const struct setup_state *s, char *out, size_t size)
{
	if (s->model.can_edit)
		return false;
	return off(out, size, s->model.error.code ? s->model.error.message
						  : "the brief cannot be changed here");
}

static bool row_why_not(const struct setup_state *s, enum at_action action, char *out, size_t size)
{
	const struct at_setup_row *row = setup_current(s);

	if (!row)
		return off(out, size, "the cursor is on nothing that can be changed");
	if (row->kind == AT_SETUP_FRAMEWORK)
		return action != AT_DO_OPEN && off(out, size, "a framework is chosen with Enter");
	if (edit_why_not(s, out, size))
		return true;
	if (row->kind == AT_SETUP_KEPT)
		return off(out, size, "it is for others: its bytes stay as they are");
	if (action == AT_DO_ADD_ITEM
		&& (row->field->type != AT_FIELD_TEXTS || !s->model.request_ok))
		return off(out, size, "this is no list");
	if (action == AT_DO_REMOVE_ITEM && row->kind != AT_SETUP_ITEM
		&& !at_setup_raw(&s->model, row->field).len
		&& !at_setup_field_is_changed(&s->model, row->field))
		return off(out, size, "it has its default already");
	return action == AT_DO_REMOVE_ITEM && row->kind == AT_SETUP_ITEM
		&& !at_setup_raw(&s->model, row->field).len
		&& off(out, size, "this is the default: add another");
}

static bool save_why_not(const struct setup_state *s, char *out, size_t size)
{
	const char *marker = s->model.session->host.agent_marker;

	if (edit_why_not(s, out, size))
		return true;
	if (marker) {
		snprintf(out, size, "%s is set: an agent session does not write the brief", marker);
		return true;
	}
	if (!s->model.request_ok)
		return off(out, size, s->model.error.message);
	return !at_setup_is_changed(&s->model) && off(out, size, "nothing is changed");
}

bool setup_why_not(const struct at_view *view, enum at_action action, char *out, size_t size)
{
	const struct setup_state *s = view->state;

	switch (action) {
	case AT_DO_OPEN:
	case AT_DO_EDIT_ITEM:
	case AT_DO_ADD_ITEM:
	case AT_DO_REMOVE_ITEM:
		/* Nobody changes what is not on the screen. */
		if (s->in_pane && (s->zoomed || s->width < s->model.session->settings->two_panes))
			return off(out, size, "the form is not on the screen: Tab goes back to it");
		return row_why_not(s, action, out, size);
	case AT_DO_WRITE:
		return save_why_not(s, out, size);
	case AT_DO_RESULT:
		return edit_why_not(s, out, size);
	case AT_DO_UNDO:
		return !s->model.draft->past_count
			&& at_session_is_off(s->model.session, out, size);
	case AT_DO_ZOOM:
		return s->width < s->model.session->settings->two_panes
			&& off(out, size, "one pane has the whole width already");
	default:
		return false;
	}
}
