#include "tui/app.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/mem.h"
#include "tui/app_parts.h"

static const char *find_fold(const char *text, const char *part)
{
	size_t len = strlen(part);

	for (; *text; text++) {
		if (strncasecmp(text, part, len) == 0)
			return text;
	}
	return len ? NULL : text;
}

/* Possible now, or possible later with a reason to tell; what does not exist here is left out. */
static bool is_listed(const struct at_app *app, enum at_action action)
{
	const struct at_action_info *info = at_action_info(action);
	const char *filter = at_buf_text(&app->prompt.text);
	char why[256], keys[96];

	if (!info->contexts || (info->contexts & AT_IN_MODAL))
		return false;
	if (!at_app_can(app, action, why, sizeof(why)) && !why[0])
		return false;
	at_keymap_keys(&app->keymap, action, keys, sizeof(keys));
	return find_fold(info->help, filter) || find_fold(info->name, filter) ||
		(strlen(filter) == 1 && strstr(keys, filter));
}

size_t at_help_count(const struct at_app *app)
{
	size_t count = 0;

	for (int i = 1; i < AT_ACTION_COUNT; i++)
		count += is_listed(app, (enum at_action)i);
	return count;
}

enum at_action at_help_action(const struct at_app *app, size_t row)
{
	for (int i = 1; i < AT_ACTION_COUNT; i++) {
		if (is_listed(app, (enum at_action)i) && row-- == 0)
			return (enum at_action)i;
	}
	return AT_DO_NOTHING;
}

static void paint_row(const struct at_app *app, const struct at_canvas *canvas, int y, size_t row)
{
	enum at_action action = at_help_action(app, row);
	const struct at_action_info *info = at_action_info(action);
	bool here = row == app->help_cursor;
	struct at_line line = { .ascii = app->ascii };
	char why[256], keys[96];
	bool can = at_app_can(app, action, why, sizeof(why));
	enum at_style style = here ? AT_STYLE_SELECTED : can ? AT_STYLE_NORMAL : AT_STYLE_DIM;

	bool narrow = canvas->at.width < 60;

	if (narrow) /* one key will do where there is no room */
		at_keymap_key(&app->keymap, action, keys);
	else
		at_keymap_keys(&app->keymap, action, keys, sizeof(keys));
	at_line_text(&line, style, here ? "> " : "  ");
	at_line_text(&line, here ? style : can ? AT_STYLE_FOOTER_KEY : AT_STYLE_DIM, keys);
	at_line_pad(&line, style, narrow ? 9 : 20);
	at_line_text(&line, style, info->help);
	if (!can)
		at_line_textf(&line, style, "  (off: %s)", why);
	line.after = here ? AT_STYLE_SELECTED : AT_STYLE_NORMAL;
	at_line_paint(&line, canvas, y, 0, true);
	at_line_free(&line);
}

static void keep_in_sight(struct at_app *app, int rows)
{
	size_t count = at_help_count(app);

	if (rows < 1)
		return;
	if (app->help_cursor >= count)
		app->help_cursor = count ? count - 1 : 0;
	if (app->help_cursor < app->help_top)
		app->help_top = app->help_cursor;
	if (app->help_cursor >= app->help_top + (size_t)rows)
		app->help_top = app->help_cursor - (size_t)rows + 1;
}

void at_help_paint(struct at_app *app, const struct at_canvas *canvas)
{
	const struct at_view *view = at_app_top(app);
	int y = 0, rows, x;
	size_t count;

	at_canvas_fill(canvas, AT_STYLE_NORMAL);
	at_canvas_textf(canvas, 1, y++, AT_STYLE_TITLE, "Help%s%s", view ? ": " : "",
		view ? view->class->title : "");
	if (view && view->class->blurb && canvas->at.height > 12) {
		struct at_line line = { .ascii = app->ascii, .words = true };

		at_line_text(&line, AT_STYLE_DIM, " ");
		at_line_hold(&line);
		at_line_text(&line, AT_STYLE_DIM, view->class->blurb);
		for (int skip = 0; skip >= 0; skip = at_line_next(&line, canvas->at.width, skip))
			at_line_paint(&line, canvas, y++, skip, false);
		at_line_free(&line);
	}
	x = at_canvas_text(canvas, 1, y, "Type to filter: ", AT_STYLE_DIM);
	at_prompt_paint(&app->prompt, canvas, x, y++);
	rows = canvas->at.height - y;
	keep_in_sight(app, rows);
	count = at_help_count(app);
	for (int i = 0; i < rows && app->help_top + (size_t)i < count; i++)
		paint_row(app, canvas, y + i, app->help_top + (size_t)i);
	if (!count)
		at_canvas_text(canvas, 2, y, "No action matches.", AT_STYLE_DIM);
}
