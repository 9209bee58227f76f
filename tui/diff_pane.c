#include "tui/diff_pane.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/patch.h"

void at_diff_pane_init(struct at_diff_pane *pane, const struct at_diff *diff)
{
	struct at_pager_source source;

	at_diff_rows_init(&pane->rows, diff, 0);
	source = at_diff_rows_source(&pane->rows);
	at_pager_init(&pane->pager, &source);
}

void at_diff_pane_free(struct at_diff_pane *pane)
{
	at_diff_rows_free(&pane->rows);
	at_pager_free(&pane->pager);
}

/* Puts the line that was at the top there again; its row is another one now. */
static void keep_place(struct at_diff_pane *pane, size_t line)
{
	pane->pager.top = at_diff_rows_row(&pane->rows, line);
	pane->pager.skip = pane->pager.left = 0;
	at_pager_refresh(&pane->pager);
}

static size_t place(const struct at_diff_pane *pane)
{
	return at_diff_rows_line(&pane->rows, pane->pager.top);
}

void at_diff_pane_layout(struct at_diff_pane *pane, int width, int height)
{
	size_t line = place(pane);

	if (at_diff_rows_layout(&pane->rows, width))
		keep_place(pane, line);
	at_pager_layout(&pane->pager, width, height);
}

void at_diff_pane_set(struct at_diff_pane *pane, const struct at_diff *diff)
{
	at_diff_rows_set(&pane->rows, diff);
	at_pager_refresh(&pane->pager);
}

void at_diff_pane_grow(struct at_diff_pane *pane, bool end)
{
	at_diff_rows_grow(&pane->rows, end);
	if (end) /* a search and a fold at the end may have missed the last lines */
		at_pager_refresh(&pane->pager);
}

static void toggle(struct at_diff_pane *pane, enum at_diff_mode mode, const char *on,
	const char *off, struct at_fx *fx)
{
	unsigned wants = pane->rows.wants ^ (unsigned)mode;
	size_t line = place(pane);

	if (at_diff_rows_want(&pane->rows, wants))
		keep_place(pane, line);
	at_fx_message(fx, "%s", wants & (unsigned)mode ? on : off);
}

static size_t first_fold(const struct at_diff_pane *pane)
{
	return at_diff_rows_fold(&pane->rows, pane->pager.top, at_pager_bottom(&pane->pager));
}

bool at_diff_pane_has_fold(const struct at_diff_pane *pane)
{
	return first_fold(pane) < at_pager_bottom(&pane->pager);
}

/* Goes around once; the diff is read through, so there is nothing to keep beside it. */
static void go_warning(struct at_diff_pane *pane, struct at_fx *fx)
{
	const struct at_diff *diff = pane->rows.diff;
	size_t from = place(pane), first = diff->count, next = diff->count;

	for (size_t i = 0; i < diff->count && next == diff->count; i++) {
		if (!at_patch_is_fault(&diff->lines[i]))
			continue;
		first = first == diff->count ? i : first;
		next = i > from ? i : next;
	}
	if (first == diff->count) {
		at_fx_message(fx,
			pane->rows.ended ? "Nothing here does not add up."
					 : "Nothing so far; the rest is still being read.");
		return;
	}
	if (next == diff->count)
		at_fx_message(fx, "from the top again");
	at_pager_go(&pane->pager, at_diff_rows_row(&pane->rows, next < diff->count ? next : first));
}

enum at_take at_diff_pane_act(struct at_diff_pane *pane, enum at_action action, struct at_fx *fx)
{
	size_t line;

	switch (action) {
	case AT_DO_SIDE_BY_SIDE:
		pane->pager.wrap = false; /* halves are cut, not wrapped */
		toggle(pane, AT_DIFF_SIDES,
			"Side by side. What is cut ends in a mark; l scrolls both.",
			"One below the other.", fx);
		return AT_TAKEN;
	case AT_DO_FOLD:
		toggle(pane, AT_DIFF_FOLDED,
			"Unchanged lines are folded. Enter opens the first fold here.",
			"Every line is shown.", fx);
		return AT_TAKEN;
	case AT_DO_SPACE:
		toggle(pane, AT_DIFF_NO_SPACE,
			"Lines that differ in white space alone show as ~ unchanged.",
			"White space counts again.", fx);
		return AT_TAKEN;
	case AT_DO_NEXT_WARNING:
		go_warning(pane, fx);
		return AT_TAKEN;
	case AT_DO_OPEN:
		if (!at_diff_pane_has_fold(pane))
			return AT_PASS;
		line = place(pane);
		at_diff_rows_open(&pane->rows, first_fold(pane));
		keep_place(pane, line);
		return AT_TAKEN;
	default:
		return at_pager_act(&pane->pager, action, fx);
	}
}

enum at_take at_diff_pane_event(
	struct at_diff_pane *pane, const struct at_event *event, struct at_fx *fx)
{
	return at_pager_event(&pane->pager, event, fx);
}

static bool off(char *out, size_t size, const char *why)
{
	snprintf(out, size, "%s", why);
	return true;
}

bool at_diff_pane_why_not(
	const struct at_diff_pane *pane, enum at_action action, char *out, size_t size)
{
	switch (action) {
	case AT_DO_SIDE_BY_SIDE:
		if (pane->rows.width >= AT_DIFF_SIDES_FROM || pane->rows.wants & AT_DIFF_SIDES)
			return false;
		snprintf(out, size, "side by side needs %d columns, here are %d",
			AT_DIFF_SIDES_FROM, pane->rows.width);
		return true;
	case AT_DO_WRAP:
		return at_diff_rows_are(&pane->rows, AT_DIFF_SIDES)
			&& off(out, size, "side by side long lines are cut: | shows them whole");
	case AT_DO_OPEN:
		return !at_diff_pane_has_fold(pane)
			&& off(out, size,
				pane->rows.wants & AT_DIFF_FOLDED ? "no fold is on the screen"
								  : "");
	case AT_DO_NEXT_WARNING:
	case AT_DO_NEXT_FILE:
	case AT_DO_PREV_FILE: /* a diff of one file has no motion between files */
		return !pane->rows.diff->is_text && off(out, size, "");
	default:
		return false;
	}
}

bool at_diff_pane_hides_space(const struct at_diff_pane *pane)
{
	return pane->rows.wants & AT_DIFF_NO_SPACE;
}

void at_diff_pane_modes(const struct at_diff_pane *pane, char *out, size_t size)
{
	static const struct {
		enum at_diff_mode mode;
		const char *words;
	} rows[] = {
		{ AT_DIFF_SIDES, "side by side" },
		{ AT_DIFF_FOLDED, "folded" },
		{ AT_DIFF_NO_SPACE, "white space hidden" },
	};
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < AT_LEN(rows); i++) {
		if (at_diff_rows_are(&pane->rows, rows[i].mode) && len < size)
			len += (size_t)snprintf(
				out + len, size - len, "%s%s", len ? ", " : "", rows[i].words);
	}
}
