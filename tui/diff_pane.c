#include "tui/diff_pane.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/patch.h"

/* Either takes a few milliseconds, less than half a frame. */
#define MAP_SLICE ((size_t)1 << 15) /* lines */
#define SEARCH_SLICE ((size_t)3 << 20) /* bytes */

void at_diff_pane_init(struct at_diff_pane *pane, const struct at_diff *diff)
{
	struct at_pager_source source;

	at_diff_rows_init(&pane->rows, diff, 0);
	source = at_diff_rows_source(&pane->rows);
	at_pager_init(&pane->pager, &source);
	pane->rows.slice = MAP_SLICE;
	pane->pager.slice = SEARCH_SLICE;
}

void at_diff_pane_free(struct at_diff_pane *pane)
{
	at_diff_rows_free(&pane->rows);
	at_pager_free(&pane->pager);
}

/* The lines of the rows that the pager knows by number: they are other rows in another map. */
struct place {
	size_t top, origin, found, seek;
};

static struct place place(const struct at_diff_pane *pane)
{
	const struct at_diff_rows *rows = &pane->rows;
	const struct at_pager *pager = &pane->pager;

	return (struct place){ at_diff_rows_line(rows, pager->top),
		at_diff_rows_line(rows, pager->origin), at_diff_rows_line(rows, pager->found),
		at_diff_rows_line(rows, pager->seek_from) };
}

/* Puts the line that was at the top there again. */
static void keep_place(struct at_diff_pane *pane, struct place at)
{
	struct at_pager *pager = &pane->pager;

	pager->top = at_diff_rows_row(&pane->rows, at.top);
	pager->origin = at_diff_rows_row(&pane->rows, at.origin);
	pager->found = at_diff_rows_row(&pane->rows, at.found);
	pager->seek_from = at_diff_rows_row(&pane->rows, at.seek);
	pager->skip = pager->origin_skip = pager->left = 0;
	at_pager_refresh(pager);
}

void at_diff_pane_layout(struct at_diff_pane *pane, int width, int height)
{
	struct place at = place(pane);

	if (at_diff_rows_layout(&pane->rows, width))
		keep_place(pane, at);
	at_pager_layout(&pane->pager, width, height);
}

void at_diff_pane_set(struct at_diff_pane *pane, const struct at_diff *diff)
{
	at_diff_rows_set(&pane->rows, diff);
	pane->pager.seeking = pane->pager.counting = false;
	at_pager_refresh(&pane->pager);
}

void at_diff_pane_grow(struct at_diff_pane *pane, bool end)
{
	at_diff_rows_grow(&pane->rows, end);
	at_pager_grown(&pane->pager, end);
}

bool at_diff_pane_is_busy(const struct at_diff_pane *pane)
{
	return pane->rows.mapping || at_pager_is_busy(&pane->pager);
}

static void ask_for_more(const struct at_diff_pane *pane, struct at_fx *fx)
{
	if (at_diff_pane_is_busy(pane))
		at_fx_simple(fx, AT_FX_IDLE);
}

/* First the rows: with other ones a search begins anew. */
bool at_diff_pane_work(struct at_diff_pane *pane, struct at_fx *fx)
{
	struct place at = place(pane);

	if (!at_diff_pane_is_busy(pane))
		return false;
	at_fx_redraw(fx);
	if (!pane->rows.mapping)
		at_pager_work(&pane->pager, fx);
	else if (at_diff_rows_work(&pane->rows))
		keep_place(pane, at);
	ask_for_more(pane, fx);
	return at_diff_pane_is_busy(pane);
}

void at_diff_pane_progress(const struct at_diff_pane *pane, char *out, size_t size)
{
	size_t done = at_diff_map_done(&pane->rows.next), all = pane->rows.diff->count;

	out[0] = '\0';
	if (pane->rows.mapping && all)
		snprintf(out, size, "laying out, %zu%%", done * 100 / all);
	else if (at_pager_is_busy(&pane->pager))
		at_pager_progress(&pane->pager, out, size);
}

static void toggle(struct at_diff_pane *pane, enum at_diff_mode mode, const char *on,
	const char *off, struct at_fx *fx)
{
	unsigned wants = pane->rows.wants ^ (unsigned)mode;
	struct place at = place(pane);

	if (at_diff_rows_want(&pane->rows, wants))
		keep_place(pane, at);
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
	size_t from = place(pane).top, first = diff->count, next = diff->count;

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

static void open_fold(struct at_diff_pane *pane)
{
	struct place at = place(pane);

	at_diff_rows_open(&pane->rows, first_fold(pane));
	keep_place(pane, at);
}

enum at_take at_diff_pane_act(struct at_diff_pane *pane, enum at_action action, struct at_fx *fx)
{
	enum at_take take = AT_TAKEN;

	/* Who does something else waits for no match any more. */
	pane->pager.seeking = pane->pager.counting = false;
	switch (action) {
	case AT_DO_SIDE_BY_SIDE:
		pane->pager.wrap = false; /* halves are cut, not wrapped */
		toggle(pane, AT_DIFF_SIDES,
			"Side by side. What is cut ends in a mark; l scrolls both.",
			"One below the other.", fx);
		break;
	case AT_DO_FOLD:
		toggle(pane, AT_DIFF_FOLDED,
			"Unchanged lines are folded. Enter opens the first fold here.",
			"Every line is shown.", fx);
		break;
	case AT_DO_SPACE:
		toggle(pane, AT_DIFF_NO_SPACE,
			"Lines that differ in white space alone show as ~ unchanged.",
			"White space counts again.", fx);
		break;
	case AT_DO_NEXT_WARNING:
		go_warning(pane, fx);
		break;
	case AT_DO_OPEN:
		if (!at_diff_pane_has_fold(pane))
			return AT_PASS;
		open_fold(pane);
		break;
	default:
		take = at_pager_act(&pane->pager, action, fx);
	}
	ask_for_more(pane, fx);
	return take;
}

enum at_take at_diff_pane_event(
	struct at_diff_pane *pane, const struct at_event *event, struct at_fx *fx)
{
	enum at_take take = at_pager_event(&pane->pager, event, fx);

	ask_for_more(pane, fx);
	return take;
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
	return (pane->rows.wants | pane->rows.map.modes) & AT_DIFF_NO_SPACE;
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
