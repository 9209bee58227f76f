#include "tui/app.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "tui/app_parts.h"

/* "a accept": key, label and the space after. */
static int hint_width(const struct at_app *app, enum at_action action, const char *label)
{
	char key[24];

	at_keymap_key(&app->keymap, action, key);
	return at_text_width(key) + 1 + at_text_width(label) + 3;
}

static int put_hint(const struct at_app *app, const struct at_canvas *canvas, int x, int y,
	enum at_action action, const char *label)
{
	char key[24];

	at_keymap_key(&app->keymap, action, key);
	x = at_canvas_text(canvas, x, y, key, AT_STYLE_FOOTER_KEY);
	return at_canvas_textf(canvas, x, y, AT_STYLE_FOOTER_TEXT, " %s", label) + 3;
}

struct hint {
	enum at_action action;
	const char *label;
};

/* The way out and the help stand at the right and are dropped last. */
static void paint_hints(const struct at_app *app, const struct at_canvas *canvas, int y,
	const struct hint *right, size_t right_count)
{
	int x = 1, limit = canvas->at.width;
	char why[256];

	for (size_t i = right_count; i-- > 0;) {
		limit -= hint_width(app, right[i].action, right[i].label);
		if (limit >= 0)
			put_hint(app, canvas, limit + 2, y, right[i].action, right[i].label);
	}
	for (int i = 1; i < AT_ACTION_COUNT && app->modal == AT_MODAL_NONE; i++) {
		const struct at_action_info *info = at_action_info((enum at_action)i);

		if (!*info->footer || i == AT_DO_HELP || i == AT_DO_BACK)
			continue;
		if (at_app_is_too_small(app) ||
			!at_app_can(app, (enum at_action)i, why, sizeof(why)))
			continue;
		if (x + hint_width(app, (enum at_action)i, info->footer) > limit)
			break;
		x = put_hint(app, canvas, x, y, (enum at_action)i, info->footer);
	}
}

void at_app_paint_footer(const struct at_app *app, const struct at_canvas *canvas, int y)
{
	struct hint hints[3];
	size_t count = 0;

	at_canvas_fill_row(canvas, y, AT_STYLE_NORMAL);
	switch (app->modal) {
	case AT_MODAL_NONE:
		hints[count++] = (struct hint){ AT_DO_HELP, "help" };
		if (app->depth > 1)
			hints[count++] = (struct hint){ AT_DO_BACK, "back" };
		else
			hints[count++] = (struct hint){ AT_DO_QUIT, "leave" };
		break;
	case AT_MODAL_HELP:
		hints[count++] = (struct hint){ AT_DO_HELP_RUN, "do it" };
		hints[count++] = (struct hint){ AT_DO_HELP_CLOSE, "close" };
		break;
	case AT_MODAL_PROMPT: {
		struct at_line line = { .ascii = app->ascii };

		at_line_textf(&line, AT_STYLE_FOOTER_KEY, " %s ",
			app->ask.title ? app->ask.title : ">");
		at_line_paint(&line, canvas, y, 0, true);
		at_prompt_paint(&app->prompt, canvas, (int)line.spans.width, y);
		at_line_free(&line);
		return;
	}
	case AT_MODAL_CONFIRM:
		return;
	}
	paint_hints(app, canvas, y, hints, count);
}

/* A message of any length: its end is never lost silently. */
static void paint_message(const struct at_app *app, const struct at_canvas *canvas, int y)
{
	struct at_line line = { .ascii = app->ascii };
	enum at_style style = app->message_is_error ? AT_STYLE_ERROR : AT_STYLE_MESSAGE;

	at_line_text(&line, AT_STYLE_NORMAL, " ");
	at_line_add(&line, style, at_buf_bytes(&app->message));
	at_line_paint(&line, canvas, y, 0, true);
	at_line_free(&line);
}

static void paint_too_small(const struct at_app *app, const struct at_canvas *canvas)
{
	const struct at_view *view = at_app_top(app);
	int width = AT_APP_MIN_WIDTH, height = AT_APP_MIN_HEIGHT;

	if (view && view->class->min.width > width)
		width = view->class->min.width;
	if (view && view->class->min.height > height)
		height = view->class->min.height;
	at_canvas_text(canvas, 0, 0, "Too small", AT_STYLE_TITLE);
	at_canvas_textf(canvas, 0, 1, AT_STYLE_NORMAL, "%dx%d, needs %dx%d", app->width,
		app->height, width, height);
	at_canvas_text(canvas, 0, 2, "Q leaves, ? helps", AT_STYLE_DIM);
}

/* Where an open question hides the footer, its panel reaches down to the last row. */
static void paint_view(struct at_app *app, const struct at_canvas *canvas,
	const struct at_app_layout *at)
{
	struct at_rect middle = { 0, at->view_y, app->width, at->view_height };
	struct at_rect low = { 0, at->view_y, app->width, app->height - at->view_y };
	struct at_canvas part = at_canvas_part(canvas, middle);
	const struct at_view *view = at_app_top(app);

	if (app->modal == AT_MODAL_HELP) {
		at_help_paint(app, &part);
		return;
	}
	if (view)
		view->class->paint(view, &part);
	if (app->modal == AT_MODAL_CONFIRM) {
		canvas->grid->cursor_x = canvas->grid->cursor_y = -1;
		low.height -= app->message.len && at->rule_y < 0 ? 1 : 0;
		part = at_canvas_part(canvas, low);
		at_confirm_paint(app, &part);
	}
}

void at_app_paint(struct at_app *app, struct at_grid *grid)
{
	struct at_app_layout at = at_app_layout(app);
	struct at_canvas canvas, frame;
	struct at_rect top = { 0, 0, app->width, at.frame };

	grid->ascii = app->ascii;
	at_grid_resize(grid, app->width, app->height);
	canvas = at_canvas_of(grid);
	if (at_app_is_too_small(app) && app->modal != AT_MODAL_HELP) {
		paint_too_small(app, &canvas);
		return;
	}
	frame = at_canvas_part(&canvas, top);
	if (at.frame && app->hooks.frame)
		app->hooks.frame(app->hooks.user, app, &frame);
	if (at.rule_y >= 0)
		at_canvas_rule(&canvas, at.rule_y, AT_STYLE_RULE);
	if (app->modal != AT_MODAL_CONFIRM)
		at_app_paint_footer(app, &canvas, at.footer_y);
	paint_view(app, &canvas, &at);
	if (app->message.len)
		paint_message(app, &canvas,
			app->modal == AT_MODAL_CONFIRM ? at.view_y :
			at.rule_y >= 0                 ? at.rule_y :
							 at.footer_y);
}
