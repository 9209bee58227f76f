/* merge_paint.c - the Merge view as cells: list, details, diff, or the refusal. */
#include <stdio.h>
#include <string.h>

#include "views/merge_report.h"
#include "views/merge_state.h"

struct areas {
	struct at_rect list, details, diff; /* height or width 0: not shown */
};

static struct areas areas_of(const struct merge_state *s, int width, int height)
{
	struct areas a = { 0 };
	int list_width = width;

	if (s->zoomed || width < s->arg->session->settings->two_panes) {
		if (s->in_diff) {
			a.diff = (struct at_rect){ 0, 0, width, height };
			return a;
		}
	} else {
		list_width = width * 9 / 20;
		a.diff = (struct at_rect){ list_width + 2, 0, width - list_width - 2, height };
	}
	a.list = (struct at_rect){ 0, 0, list_width, height };
	if (height >= 14) {
		int rows = height >= 24 ? 7 : 4;

		a.details = (struct at_rect){ 0, height - rows, list_width, rows };
		a.list.height -= rows + 1;
	}
	return a;
}

void merge_layout(struct merge_state *s, int width, int height)
{
	struct areas a = areas_of(s, width, height);

	if (a.list.width)
		at_list_layout(&s->list, a.list.width, a.list.height - 1);
	if (a.diff.width) {
		at_diff_rows_layout(&s->diff_rows, a.diff.width);
		at_pager_layout(&s->pager, a.diff.width, a.diff.height - 1);
	}
}

static void paint_title(const struct at_canvas *canvas, bool focused, const char *title,
	const char *rest)
{
	struct at_line line = { .ascii = canvas->grid->ascii };

	at_line_text(&line, focused ? AT_STYLE_TITLE : AT_STYLE_DIM, title);
	at_line_textf(&line, AT_STYLE_DIM, "  %s", rest);
	at_line_paint(&line, canvas, 0, 0, true);
	at_line_free(&line);
}

static void paint_list(const struct merge_state *s, const struct at_canvas *canvas, bool one_pane)
{
	struct at_canvas body = at_canvas_part(canvas,
		(struct at_rect){ 0, 1, canvas->at.width, canvas->at.height - 1 });
	struct at_buf summary = { 0 };

	at_merge_report_summary(&s->model, &summary);
	if (one_pane)
		at_buf_puts(&summary, "   Tab: the diff");
	paint_title(canvas, !s->in_diff, "Items", at_buf_text(&summary));
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
		at_line_text(&line, y ? AT_STYLE_NORMAL : AT_STYLE_ACCENT, more ? "… Enter shows the rest" : row);
		at_line_paint(&line, canvas, y++, 0, true);
	}
	at_line_free(&line);
	at_buf_free(&text);
}

static void paint_diff(const struct merge_state *s, const struct at_canvas *canvas)
{
	struct at_canvas body = at_canvas_part(canvas,
		(struct at_rect){ 0, 1, canvas->at.width, canvas->at.height - 1 });
	char where[64], rest[160];
	size_t hunks, hunk = at_pager_hunk(&s->pager, &hunks);

	at_pager_status(&s->pager, where, sizeof(where));
	snprintf(rest, sizeof(rest), "+%zu -%zu   hunk %zu/%zu   %s", s->diff.added, s->diff.removed, hunk,
		hunks, where);
	paint_title(canvas, s->in_diff, "yours on disk → with the chosen items",
		s->diff_is_stale ? "…" : s->diff.count ? rest : "no difference");
	at_pager_paint(&s->pager, &body);
}

static void paint_refusal(const struct merge_state *s, const struct at_canvas *canvas)
{
	struct at_line line = { .ascii = canvas->grid->ascii };
	const struct at_error *e = &s->error;
	int y = 1, skip = 0;

	at_line_text(&line, AT_STYLE_TITLE, "Nothing can be merged");
	at_line_paint(&line, canvas, y++, 0, true);
	for (int part = 0; part < 2; part++) {
		at_line_clear(&line);
		if (part)
			at_line_text(&line, AT_STYLE_NORMAL, e->hint);
		else if (e->line)
			at_line_textf(&line, AT_STYLE_ERROR, "%s, line %u column %u: %s", e->path, e->line, e->column,
				e->message);
		else
			at_line_text(&line, AT_STYLE_ERROR, e->message);
		for (skip = 0; skip >= 0 && y < canvas->at.height;
			skip = at_line_next(&line, canvas->at.width, skip))
			at_line_paint(&line, canvas, ++y, skip, false);
		y++;
	}
	at_line_free(&line);
}

void merge_paint(const struct merge_state *s, int width, int height,
	const struct at_canvas *canvas)
{
	struct areas a = areas_of(s, width, height);
	struct at_canvas part;

	if (!s->is_open) {
		paint_refusal(s, canvas);
		return;
	}
	if (a.list.width) {
		part = at_canvas_part(canvas, a.list);
		paint_list(s, &part, !a.diff.width);
	}
	if (a.details.height) {
		part = at_canvas_part(canvas,
			(struct at_rect){ 0, a.details.y - 1, a.details.width, a.details.height + 1 });
		at_canvas_rule(&part, 0, AT_STYLE_RULE);
		part = at_canvas_part(canvas, a.details);
		paint_details(s, &part);
	}
	if (a.diff.width) {
		part = at_canvas_part(canvas, a.diff);
		paint_diff(s, &part);
	}
	if (a.list.width && a.diff.width)
		at_canvas_column(canvas, a.list.width, AT_STYLE_RULE);
}

static bool is_in(const struct at_rect *rect, const struct at_event *event)
{
	return event->x >= rect->x && event->x < rect->x + rect->width && event->y > rect->y
		&& event->y < rect->y + rect->height;
}

enum at_take merge_mouse(struct merge_state *s, int width, int height,
	const struct at_event *event, struct at_fx *fx)
{
	struct areas a = areas_of(s, width, height);
	bool is_click = event->button == 0 && event->yes;
	struct at_event inside = *event;

	/* The first row of a pane is its title. */
	if (s->is_open && is_in(&a.list, event)) {
		inside.y -= a.list.y + 1;
		if (is_click && s->list.top + (size_t)inside.y >= s->rows.count)
			return AT_TAKEN;
		s->in_diff = s->in_diff && !is_click;
		return at_list_event(&s->list, &inside, fx);
	}
	if (s->is_open && is_in(&a.diff, event)) {
		s->in_diff = s->in_diff || is_click;
		at_pager_event(&s->pager, &inside, fx);
	}
	return AT_TAKEN;
}
