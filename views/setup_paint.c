/* setup_paint.c - how the Setup view looks: the form, what is known of the row at the cursor,
 * and what it would change. */
#include <stdio.h>
#include <string.h>

#include "views/setup_state.h"

struct areas {
	struct at_rect list, pane; /* width 0: not shown */
};

static struct areas areas_of(const struct setup_state *s)
{
	struct areas a = { 0 };
	int list_width = s->width;

	if (s->zoomed || s->width < s->model.session->settings->two_panes) {
		if (s->in_pane) {
			a.pane = (struct at_rect){ 0, 0, s->width, s->height };
			return a;
		}
	} else {
		list_width = s->width / 2;
		a.pane =
			(struct at_rect){ list_width + 2, 0, s->width - list_width - 2, s->height };
	}
	a.list = (struct at_rect){ 0, 0, list_width, s->height };
	return a;
}

int setup_list_width(const struct setup_state *s)
{
	return areas_of(s).list.width;
}

/* The rows that the details take: what they need, at most half, so that the diff has room. */
static int details_height(const struct at_buf *text, int width, int height)
{
	struct at_line line = { .words = true };
	const char *at = at_buf_text(text);
	int rows = 0, most = height / 2;

	while (*at) {
		size_t len = strcspn(at, "\n");

		at_line_clear(&line);
		at_line_add(&line, AT_STYLE_NORMAL, (struct at_bytes){ at, len });
		rows += (int)at_line_rows(&line, width);
		at += len;
		at += *at == '\n';
	}
	at_line_free(&line);
	return rows < most ? rows : most;
}

static void details(const struct setup_state *s, struct at_buf *out)
{
	const struct at_setup_row *row = setup_current(s);

	if (row)
		at_setup_row_details(&s->rows, s->list.cursor, out);
}

void setup_layout(struct setup_state *s, int width, int height)
{
	struct areas a;
	struct at_buf text = { 0 };

	s->width = width;
	s->height = height;
	a = areas_of(s);
	if (a.list.width)
		at_list_layout(&s->list, a.list.width, a.list.height - 1);
	if (a.pane.width) {
		details(s, &text);
		at_diff_rows_layout(&s->diff_rows, a.pane.width);
		at_pager_layout(&s->pager, a.pane.width,
			a.pane.height - 2 - details_height(&text, a.pane.width, a.pane.height));
		at_buf_free(&text);
	}
}

static void paint_title(const struct at_canvas *canvas, int y, bool focused, const char *title,
	const char *rest)
{
	struct at_line line = { .ascii = canvas->grid->ascii };

	at_line_text(&line, focused ? AT_STYLE_TITLE : AT_STYLE_DIM, title);
	at_line_textf(&line, AT_STYLE_DIM, "  %s", rest);
	at_line_paint(&line, canvas, y, 0, true);
	at_line_free(&line);
}

static void paint_list(const struct setup_state *s, const struct at_canvas *canvas, bool one_pane)
{
	struct at_canvas body = at_canvas_part(canvas,
		(struct at_rect){ 0, 1, canvas->at.width, canvas->at.height - 1 });
	const struct at_session *session = s->model.session;
	struct at_buf rest = { 0 };

	at_buf_printf(&rest, "%s%s", session->brief_path,
		!s->model.can_edit                        ? ", read only"
		: !at_setup_is_changed(&s->model)         ? ", as on disk"
		: session->brief.exists                   ? ", changed: w saves"
							  : ", new: w saves");
	if (one_pane && s->width >= 60)
		at_buf_puts(&rest, "   Tab: what it changes");
	paint_title(canvas, 0, !s->in_pane, "Setup", at_buf_text(&rest));
	at_list_paint(&s->list, &body, !s->in_pane);
	at_buf_free(&rest);
}

/* Returns the rows taken. */
static int paint_details(const struct setup_state *s, const struct at_canvas *canvas)
{
	struct at_line line = { .ascii = canvas->grid->ascii, .words = true };
	struct at_buf text = { 0 };
	const char *at;
	int y = 0, rows;

	details(s, &text);
	rows = details_height(&text, canvas->at.width, canvas->at.height);
	for (at = at_buf_text(&text); *at && y < rows;) {
		size_t len = strcspn(at, "\n");
		bool more = at[len] != '\0';

		at_line_clear(&line);
		at_line_add(&line, AT_STYLE_NORMAL, (struct at_bytes){ at, len });
		for (int skip = 0; skip >= 0 && y < rows;) {
			int next = at_line_next(&line, canvas->at.width, skip);

			at_line_paint(&line, canvas, y, skip, false);
			if (++y == rows && (next >= 0 || more))
				at_canvas_text(
					canvas, canvas->at.width - 1, y - 1, "…", AT_STYLE_MARK);
			skip = next;
		}
		at += len;
		at += *at == '\n';
	}
	at_line_free(&line);
	at_buf_free(&text);
	return rows;
}

static const struct at_setup_effect *shown(const struct setup_state *s)
{
	return s->about == SETUP_ABOUT_CHOICE ? &s->chosen : &s->drafted;
}

static void effect_title(const struct setup_state *s, struct at_buf *out)
{
	const struct at_setup_effect *effect = shown(s);
	bool is_choice = s->about == SETUP_ABOUT_CHOICE;

	if (s->pane_is_stale)
		at_buf_puts(out, "…");
	else if (!effect->is_made)
		at_buf_puts(out, "no plan: the draft is no brief");
	else if (!effect->is_planned)
		at_buf_printf(out, "%s: nothing could be emitted",
			is_choice ? "with Enter" : "this draft");
	else if (s->about == SETUP_ABOUT_DRAFT && !at_setup_is_changed(&s->model))
		at_buf_printf(out,
			s->files ? "as saved: %zu to emit still" : "as saved: all is emitted",
			s->files);
	else
		at_buf_printf(out, "%s changes %zu emitted file%s",
			is_choice ? "Enter" : "this draft", s->files, s->files == 1 ? "" : "s");
}

static void paint_no_plan(const struct setup_state *s, const struct at_canvas *canvas)
{
	struct at_line line = { .ascii = canvas->grid->ascii, .words = true };
	const struct at_error *e = &shown(s)->error;
	const char *hint = strcmp(e->id, "root-not-accepted") != 0 ? e->hint
		: "Enter on the root accepts it, with its last segment typed; - takes it out.";
	int y = 0;

	for (int part = 0; part < 2; part++) {
		at_line_clear(&line);
		at_line_text(
			&line, part ? AT_STYLE_NORMAL : AT_STYLE_ERROR, part ? hint : e->message);
		for (int skip = 0; skip >= 0 && y < canvas->at.height;
			skip = at_line_next(&line, canvas->at.width, skip))
			at_line_paint(&line, canvas, y++, skip, false);
	}
	at_line_free(&line);
}

/* What the emitted settings example says otherwise; other files by their names. */
static void paint_changes(const struct setup_state *s, const struct at_canvas *canvas)
{
	struct at_line line = { .ascii = canvas->grid->ascii, .words = true };
	int y = 0;

	if (!shown(s)->is_planned) {
		paint_no_plan(s, canvas);
		return;
	}
	if (s->diff.count) {
		at_pager_paint(&s->pager, canvas);
		return;
	}
	at_line_textf(&line, AT_STYLE_DIM,
		s->files ? "In the settings example no line changes; in: %s"
			 : "No emitted file changes.%s",
		s->files ? at_buf_text(&s->names) : "");
	for (int skip = 0; skip >= 0 && y < canvas->at.height;
		skip = at_line_next(&line, canvas->at.width, skip))
		at_line_paint(&line, canvas, y++, skip, false);
	at_line_free(&line);
}

static void paint_pane(const struct setup_state *s, const struct at_canvas *canvas)
{
	int y = paint_details(s, canvas), left;
	struct at_buf title = { 0 };
	char rest[64] = "";
	struct at_canvas body;

	effect_title(s, &title);
	at_canvas_rule(canvas, y++, AT_STYLE_RULE);
	if (s->diff.count && !s->pane_is_stale)
		snprintf(rest, sizeof(rest), "+%zu -%zu in the example", s->diff.added,
			s->diff.removed);
	paint_title(canvas, y++, s->in_pane, at_buf_text(&title), rest);
	at_buf_free(&title);
	left = canvas->at.height - y;
	if (left <= 0 || s->pane_is_stale)
		return;
	body = at_canvas_part(canvas, (struct at_rect){ 0, y, canvas->at.width, left });
	paint_changes(s, &body);
}

void setup_paint(const struct setup_state *s, const struct at_canvas *canvas)
{
	struct areas a = areas_of(s);
	struct at_canvas part;

	if (a.list.width) {
		part = at_canvas_part(canvas, a.list);
		paint_list(s, &part, !a.pane.width);
	}
	if (a.pane.width) {
		part = at_canvas_part(canvas, a.pane);
		paint_pane(s, &part);
	}
	if (a.list.width && a.pane.width)
		at_canvas_column(canvas, a.list.width, AT_STYLE_RULE);
}
