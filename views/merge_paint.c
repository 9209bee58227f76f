/* merge_paint.c - the Merge view as cells: list, details, diff, or the refusal. */
#include <stdio.h>
#include <string.h>

#include "views/merge_report.h"
#include "views/merge_state.h"
#include "views/panes.h"
#include "views/refusal.h"

static struct at_panes panes_of(const struct merge_state *s, int width, int height)
{
	return at_panes_of(
		width, height, s->arg->session->settings->two_panes, s->in_diff, s->zoomed, true);
}

void merge_layout(struct merge_state *s, int width, int height)
{
	struct at_panes p = panes_of(s, width, height);

	if (p.list.width)
		at_list_layout(&s->list, p.list.width, p.list.height - 1);
	if (p.side.width)
		at_diff_pane_layout(&s->pane, p.side.width, p.side.height - 1);
}

static void paint_list(const struct merge_state *s, const struct at_canvas *canvas, bool one_pane)
{
	struct at_canvas body = at_pane_body(canvas);
	struct at_buf summary = { 0 };
	char filter[96];

	at_list_filter_status(&s->list, filter, sizeof(filter));
	if (*filter)
		at_buf_printf(&summary, "%s   ", filter);
	at_merge_report_summary(&s->model, &summary);
	if (one_pane)
		at_buf_puts(&summary, "   Tab: the diff");
	at_pane_title(canvas, !s->in_diff, "Items", at_buf_text(&summary));
	at_list_paint(&s->list, &body, !s->in_diff);
	at_buf_free(&summary);
}

static void paint_details(const struct merge_state *s, const struct at_canvas *canvas)
{
	const struct at_merge_item *item = merge_current_item(s);
	struct at_line line = { .ascii = canvas->grid->ascii };
	struct at_buf text = { 0 };
	char *rest, *row;
	int y = 0;

	if (!item)
		return;
	at_merge_item_text(item, &text);
	rest = text.data;
	while (y < canvas->at.height && (row = strsep(&rest, "\n"))) {
		/* Whatever does not fit is told, and Enter shows it. */
		bool more = y == canvas->at.height - 1 && rest && *rest;

		at_line_clear(&line);
		if (more)
			at_line_own(&line, AT_STYLE_NORMAL, "… Enter shows the rest");
		else
			at_line_text(&line, y ? AT_STYLE_NORMAL : AT_STYLE_ACCENT, row);
		at_line_paint(&line, canvas, y++, 0, true);
	}
	at_line_free(&line);
	at_buf_free(&text);
}

static void paint_diff(const struct merge_state *s, const struct at_canvas *canvas)
{
	struct at_canvas body = at_pane_body(canvas);
	char where[64], modes[80], rest[256];
	size_t hunks, hunk = at_pager_hunk(&s->pane.pager, &hunks);

	at_pager_status(&s->pane.pager, where, sizeof(where));
	at_diff_pane_modes(&s->pane, modes, sizeof(modes));
	snprintf(rest, sizeof(rest), "%s%s+%zu -%zu   hunk %zu/%zu   %s", modes,
		*modes ? "   " : "", s->diff.added, s->diff.removed, hunk, hunks, where);
	at_pane_title(canvas, s->in_diff, "yours on disk → with the chosen items",
		s->diff_is_stale ? "…" : s->diff.count ? rest : "no difference");
	at_pager_paint(&s->pane.pager, &body);
}

void merge_paint(const struct merge_state *s, int width, int height,
	const struct at_canvas *canvas)
{
	struct at_panes p = panes_of(s, width, height);
	struct at_canvas part;

	if (!s->is_open) {
		at_refusal_paint(canvas, "Nothing can be merged", &s->error);
		return;
	}
	if (p.list.width) {
		part = at_canvas_part(canvas, p.list);
		paint_list(s, &part, !p.side.width);
	}
	if (p.details.height) {
		part = at_canvas_part(canvas, p.details);
		paint_details(s, &part);
	}
	if (p.side.width) {
		part = at_canvas_part(canvas, p.side);
		paint_diff(s, &part);
	}
	at_panes_paint_lines(&p, canvas);
}

static bool is_in(const struct at_rect *rect, const struct at_event *event)
{
	return event->x >= rect->x && event->x < rect->x + rect->width && event->y > rect->y
		&& event->y < rect->y + rect->height;
}

enum at_take merge_mouse(struct merge_state *s, int width, int height,
	const struct at_event *event, struct at_fx *fx)
{
	struct at_panes p = panes_of(s, width, height);
	bool is_click = event->button == 0 && event->yes;
	struct at_event inside = *event;

	/* The first row of a pane is its title. */
	if (s->is_open && is_in(&p.list, event)) {
		inside.y -= p.list.y + 1;
		if (is_click && s->list.top + (size_t)inside.y >= s->rows.count)
			return AT_TAKEN;
		s->in_diff = s->in_diff && !is_click;
		return at_list_event(&s->list, &inside, fx);
	}
	if (s->is_open && is_in(&p.side, event)) {
		s->in_diff = s->in_diff || is_click;
		at_diff_pane_event(&s->pane, &inside, fx);
	}
	return AT_TAKEN;
}
