#include "views/view_diff.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/mem.h"
#include "core/patch.h"
#include "tui/diff_pane.h"

#define FIRST_SLICE ((size_t)128 << 10) /* enough for the first screen */
#define SLICE ((size_t)3 << 20) /* read between two keys */
#define PIPE_SLICE ((size_t)64 << 10)
#define TWO_TITLES 16 /* rows of a view that has a second line of title */

struct state {
	char *name;
	int fd, *wake_fd;
	bool is_stream, is_alone, stopped;
	size_t size; /* of a file; 0 where unknown */
	struct at_patch patch;
	struct at_diff_pane pane;
};

static void stop(struct state *s)
{
	if (s->wake_fd)
		*s->wake_fd = -1;
	s->fd = -1;
}

/* Takes what there is of a stream, up to a slice. */
static bool take_stream(struct state *s, struct at_error *err)
{
	struct pollfd ready = { .fd = s->fd, .events = POLLIN };

	for (size_t taken = 0; taken < SLICE && !s->patch.ended && poll(&ready, 1, 0) > 0;
		taken += PIPE_SLICE) {
		if (!at_patch_read(&s->patch, s->fd, PIPE_SLICE, err))
			return false;
	}
	return true;
}

/* Reads on. What could be read stays on the screen when the rest cannot be. */
static void read_on(struct state *s, struct at_fx *fx)
{
	struct at_error err;
	bool ok =
		s->is_stream ? take_stream(s, &err) : at_patch_read(&s->patch, s->fd, SLICE, &err);

	if (!ok) {
		s->stopped = true;
		at_patch_end(&s->patch);
		at_fx_error(fx, &err);
	}
	if (s->patch.ended)
		stop(s);
	at_diff_pane_grow(&s->pane, s->patch.ended);
	at_fx_redraw(fx);
	if ((!s->patch.ended && !s->is_stream) || at_diff_pane_is_busy(&s->pane))
		at_fx_simple(fx, AT_FX_IDLE);
}

/* What somebody waits for goes before the rest of the file. */
static void idle(struct state *s, struct at_fx *fx)
{
	if (!at_diff_pane_is_busy(&s->pane) && s->fd >= 0 && !s->is_stream)
		read_on(s, fx);
	else if (!at_diff_pane_work(&s->pane, fx) && s->fd >= 0 && !s->is_stream)
		at_fx_simple(fx, AT_FX_IDLE);
}

static bool open(struct at_view *view, const void *arg, struct at_error *err)
{
	const struct at_view_diff_arg *given = arg;
	struct state *s = view->state;
	struct stat file;

	s->name = at_strdup(given->name);
	s->fd = given->fd;
	s->wake_fd = given->wake_fd;
	s->is_stream = given->is_stream;
	s->is_alone = given->is_alone;
	if (s->fd >= 0 && !s->is_stream && fstat(s->fd, &file) == 0 && S_ISREG(file.st_mode)
		&& file.st_size > 0)
		s->size = (size_t)file.st_size;
	at_patch_init(&s->patch, s->size);
	at_diff_pane_init(&s->pane, &s->patch.diff);
	if (s->fd < 0) {
		at_patch_add(&s->patch, given->text);
		at_patch_end(&s->patch);
	} else if (!s->is_stream && !at_patch_read(&s->patch, s->fd, FIRST_SLICE, err)) {
		return false;
	}
	if (s->patch.ended)
		stop(s);
	at_diff_pane_grow(&s->pane, s->patch.ended);
	return true;
}

static void close(struct at_view *view)
{
	struct state *s = view->state;

	stop(s);
	at_diff_pane_free(&s->pane);
	at_patch_free(&s->patch);
	free(s->name);
}

static int title_rows(int height)
{
	return height >= TWO_TITLES ? 2 : 1;
}

static void layout(struct at_view *view, int width, int height)
{
	struct state *s = view->state;

	at_diff_pane_layout(&s->pane, width, height - title_rows(height));
}

static void put_progress(const struct state *s, struct at_line *line)
{
	char work[40];

	at_diff_pane_progress(&s->pane, work, sizeof(work));
	if (*work)
		at_line_textf(line, AT_STYLE_ACCENT, "   %s", work);
	if (s->stopped)
		at_line_text(line, AT_STYLE_ERROR, "   reading stopped early");
	else if (!s->patch.ended && s->size)
		at_line_textf(
			line, AT_STYLE_DIM, "   reading, %zu%%", s->patch.text.len * 100 / s->size);
	else if (!s->patch.ended)
		at_line_textf(line, AT_STYLE_DIM, "   reading, %zu KiB", s->patch.text.len >> 10);
	if (s->patch.faults)
		at_line_textf(line, AT_STYLE_MARK, "   %zu warning%s (!)", s->patch.faults,
			s->patch.faults == 1 ? "" : "s");
}

/* The patch as a whole. */
static void put_whole(const struct state *s, struct at_line *line)
{
	const struct at_diff *diff = &s->patch.diff;
	char modes[80];

	at_line_text(line, AT_STYLE_DIM, s->name);
	at_line_textf(line, AT_STYLE_DIM, "   +%zu -%zu in %zu hunk%s of %zu file%s", diff->added,
		diff->removed, diff->hunk_count, diff->hunk_count == 1 ? "" : "s", diff->file_count,
		diff->file_count == 1 ? "" : "s");
	put_progress(s, line);
	at_diff_pane_modes(&s->pane, modes, sizeof(modes));
	if (*modes)
		at_line_textf(line, AT_STYLE_ACCENT, "   %s", modes);
}

/* The file at the top of the screen, first of all its name. */
static void put_here(const struct state *s, struct at_line *line)
{
	const struct at_diff *diff = &s->patch.diff;
	size_t top = at_diff_rows_line(&s->pane.rows, s->pane.pager.top);
	size_t file = at_patch_file_at(diff, top), hunks,
	       hunk = at_pager_hunk(&s->pane.pager, &hunks);
	char where[64];

	at_pager_status(&s->pane.pager, where, sizeof(where));
	if (file)
		at_line_add(line, AT_STYLE_TITLE, at_patch_name(diff, file - 1));
	else
		at_line_text(line, AT_STYLE_TITLE, diff->count ? "before the first file" : s->name);
	if (file)
		at_line_textf(line, AT_STYLE_DIM, "   file %zu/%zu", file, diff->file_count);
	if (hunk)
		at_line_textf(line, AT_STYLE_DIM, "   hunk %zu/%zu", hunk, hunks);
	at_line_textf(line, AT_STYLE_DIM, "   %s", where);
}

static void paint(const struct at_view *view, const struct at_canvas *canvas)
{
	const struct state *s = view->state;
	int titles = title_rows(view->height);
	struct at_canvas body = at_canvas_part(
		canvas, (struct at_rect){ 0, titles, view->width, view->height - titles });
	struct at_line line = { .ascii = canvas->grid->ascii };

	if (titles == 2) {
		put_whole(s, &line);
		at_line_paint(&line, canvas, 0, 0, true);
		at_line_clear(&line);
		put_here(s, &line);
	} else {
		if (s->patch.faults) /* first of all: here the rest may be cut */
			at_line_textf(&line, AT_STYLE_MARK, "!%zu ", s->patch.faults);
		put_here(s, &line);
		put_progress(s, &line);
	}
	at_line_paint(&line, canvas, titles - 1, 0, true);
	at_line_free(&line);
	at_pager_paint(&s->pane.pager, &body);
	if (!s->patch.diff.count)
		at_canvas_text(&body, 0, 0,
			s->patch.ended ? "There is nothing in it." : "Waiting for the diff.",
			AT_STYLE_DIM);
}

static bool is_of_console(enum at_action action)
{
	return action == AT_DO_NEXT_STEP || action == AT_DO_PREV_STEP || action == AT_DO_MANUAL
		|| action == AT_DO_MESSAGES;
}

static bool why_not(const struct at_view *view, enum at_action action, char *out, size_t size)
{
	const struct state *s = view->state;

	if (s->is_alone && is_of_console(action)) {
		snprintf(out, size, "%s", "");
		return true;
	}
	if (action == AT_DO_NEXT_WARNING && s->patch.ended && !s->patch.faults) {
		snprintf(out, size, "nothing here does not add up");
		return true;
	}
	return at_diff_pane_why_not(&s->pane, action, out, size);
}

static enum at_take act(struct at_view *view, enum at_action action, struct at_fx *fx)
{
	char why[160];

	if (why_not(view, action, why, sizeof(why))) {
		if (*why)
			at_fx_message(fx, "%s", why);
		return AT_TAKEN;
	}
	return at_diff_pane_act(&((struct state *)view->state)->pane, action, fx);
}

static enum at_take event(struct at_view *view, const struct at_event *what, struct at_fx *fx)
{
	struct state *s = view->state;

	if (what->kind == AT_EVENT_IDLE) {
		idle(s, fx);
		return AT_TAKEN;
	}
	if (what->kind == AT_EVENT_WAKE) {
		if (s->fd >= 0 && s->is_stream)
			read_on(s, fx);
		return AT_TAKEN;
	}
	return at_diff_pane_event(&s->pane, what, fx);
}

static size_t rows(const struct at_view *view)
{
	return ((const struct state *)view->state)->patch.diff.count;
}

static bool row(const struct at_view *view, size_t i, struct at_spans *out)
{
	const struct state *s = view->state;
	struct at_buf text = { 0 };

	at_patch_print_row(&s->patch.diff, i, &text);
	at_spans_add(out, (struct at_bytes){ text.data, text.len - 1 }, 8, 0, true);
	at_buf_free(&text);
	return true;
}

const struct at_view_class at_view_diff = {
	.name = "diff",
	.title = "Diff",
	.blurb =
		"A unified diff as it stands, with what would not show made visible. Lines marked ! "
		"do not add up: nothing would apply them, or not as they look. Nothing is applied.",
	.contexts = AT_IN_PAGER | AT_IN_DIFF,
	.min = { 40, 10 },
	.state_size = sizeof(struct state),
	.open = open,
	.close = close,
	.layout = layout,
	.paint = paint,
	.act = act,
	.event = event,
	.rows = rows,
	.row = row,
	.why_not = why_not,
};
