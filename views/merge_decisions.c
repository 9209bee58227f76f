/* merge_decisions.c - what the operator decided in the Merge view, and taking it back. */
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "views/merge_state.h"

/* One item's decision. */
enum { SELECTED = 1, DECIDED = 2 };

static void remember(struct merge_state *s)
{
	size_t count = at_merge_count(s->model.merge);
	char *now = at_alloc(count + 1);

	for (size_t i = 0; i < count; i++)
		now[i] = (char)((at_merge_item(s->model.merge, i)->selected ? SELECTED : 0)
			| (s->decided[i] ? DECIDED : 0));
	if (s->history_count == MERGE_UNDO_DEPTH) {
		free(s->history[0]);
		memmove(s->history, s->history + 1, (MERGE_UNDO_DEPTH - 1) * sizeof(*s->history));
		s->history_count--;
	}
	s->history[s->history_count++] = now;
}

static void restore(struct merge_state *s, const char *then)
{
	at_merge_select_none(s->model.merge);
	for (size_t i = 0; i < at_merge_count(s->model.merge); i++) {
		if (then[i] & SELECTED)
			at_merge_select(s->model.merge, i, true, NULL);
		s->decided[i] = then[i] & DECIDED;
	}
}

void merge_changed(struct merge_state *s, struct at_fx *fx)
{
	s->diff_is_stale = true;
	at_fx_redraw(fx);
	at_fx_simple(fx, AT_FX_IDLE);
}

void merge_decide(struct merge_state *s, size_t item, bool accept, struct at_fx *fx)
{
	struct at_error err;

	remember(s);
	if (!at_merge_select(s->model.merge, item, accept, &err)) {
		free(s->history[--s->history_count]);
		at_fx_error(fx, &err);
		return;
	}
	s->decided[item] = true;
	merge_changed(s, fx);
}

/* What starts selected needs no decision, nor does what nobody asked for; the rest waits. */
static bool is_undecided(const struct merge_state *s, size_t item)
{
	const struct at_merge_item *show = at_merge_item(s->model.merge, item);

	return !show->blocked && !show->selected && !s->decided[item]
		&& show->origin != AT_FROM_OPTIONAL;
}

void merge_go_to_undecided(struct merge_state *s, struct at_fx *fx)
{
	for (size_t step = 1; step <= s->rows.count; step++) {
		size_t row = (s->list.cursor + step) % s->rows.count;

		if (s->rows.rows[row].item == AT_ROW_NO_ITEM
			|| !is_undecided(s, s->rows.rows[row].item))
			continue;
		if (!at_list_is_shown(&s->list, row)) {
			at_list_filter(&s->list, at_bytes_of(""));
			at_fx_message(fx, "The filter is off: it hid the next undecided item.");
		} else if (s->list.cursor != AT_LIST_NONE && row <= s->list.cursor) {
			at_fx_message(fx, "from the top again");
		}
		at_list_go(&s->list, row);
		at_fx_redraw(fx);
		return;
	}
	at_fx_message(fx, "every item is decided");
}

static bool is_unsaved(const struct merge_state *s, size_t item)
{
	return s->decided[item] || at_merge_item(s->model.merge, item)->edited;
}

#define TOLD 400 /* decisions that are named one by one */

/* What the operator decided since the last write. */
void merge_tell_unsaved(const struct merge_state *s, struct at_fx *fx)
{
	size_t count = 0;

	for (size_t i = 0; s->is_open && i < at_merge_count(s->model.merge); i++)
		count += is_unsaved(s, i);
	if (!count)
		return;
	at_fx_message(fx, "%zu decision%s of the Merge view %s not written:", count,
		count == 1 ? "" : "s", count == 1 ? "is" : "are");
	for (size_t i = 0, told = 0; i < at_merge_count(s->model.merge); i++) {
		const struct at_merge_item *item = at_merge_item(s->model.merge, i);

		if (!is_unsaved(s, i) || told++ >= TOLD)
			continue;
		at_fx_message(
			fx, "  %s: %s", item->selected ? "accept" : "keep yours", item->label);
	}
	if (count > TOLD)
		at_fx_message(fx, "  and %zu more", count - TOLD);
}

void merge_choose_safe(struct merge_state *s, struct at_fx *fx)
{
	remember(s);
	at_merge_select_safe(s->model.merge);
	merge_changed(s, fx);
}

bool merge_decision_undo(struct merge_state *s)
{
	if (s->history_count == 0)
		return false;
	restore(s, s->history[--s->history_count]);
	free(s->history[s->history_count]);
	return true;
}

void merge_forget_decisions(struct merge_state *s)
{
	while (s->history_count)
		free(s->history[--s->history_count]);
	free(s->decided);
	s->decided = NULL;
}

/* Decisions follow the items by their ids. */
void merge_carry_over(struct merge_state *s, const struct at_merge *old, const bool *old_decided)
{
	for (size_t i = 0; i < at_merge_count(s->model.merge); i++) {
		size_t was = at_merge_find(old, at_merge_item(s->model.merge, i)->id);

		if (was == at_merge_count(old) || !old_decided[was])
			continue;
		s->decided[i] = true;
		at_merge_select(s->model.merge, i, at_merge_item(old, was)->selected, NULL);
	}
}
