#include "tui/sample_view.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "tui/diff_rows.h"
#include "tui/list.h"
#include "tui/run.h"

static const char old_text[] = "{\n  \"sandbox\": {\n    \"enabled\": false,\n    \"network\": {\n"
			       "      \"allowedDomains\": [\"api.example\"]\n    }\n  },\n"
			       "  \"permissions\": {\n    \"deny\": [\"Edit(./.claude/**)\"]\n  },\n"
			       "  \"model\": \"large\",\n  \"note\": \"kept as it is\"\n}\n";
static const char new_text[] = "{\n  \"sandbox\": {\n    \"enabled\": true,\n    \"network\": {\n"
			       "      \"allowedDomains\": [\"api.example\", \"\xe2\x80\xaegnp.evil\"]\n"
			       "    }\n  },\n  \"permissions\": {\n"
			       "    \"deny\": [\"Edit(./.claude/**)\", \"Read(~/.ssh/**)\"]\n  },\n"
			       "  \"model\": \"large\",\n  \"note\": \"kept as it is\",  \n"
			       "  \"title\": \"\xe6\xbc\xa2\xe5\xad\x97 and caf\xc3\xa9\"\n}";

enum effect { TIGHTENS, WIDENS, RELAXES, NEUTRAL };
static const struct {
	const char *word;
	enum at_style style;
} effects[] = {
	{ "tightens", AT_STYLE_TIGHTENS }, { "WIDENS  ", AT_STYLE_WIDENS },
	{ "RELAXES ", AT_STYLE_RELAXES },  { "neutral ", AT_STYLE_NEUTRAL },
};

static const struct item {
	const char *path;
	enum effect effect;
	bool heading;
} items[] = {
	{ "Closes something", TIGHTENS, true },
	{ "sandbox.enabled", TIGHTENS, false },
	{ "permissions.deny[1]", TIGHTENS, false },
	{ "Opens something", WIDENS, true },
	{ "network.allowedDomains[1] \x1b[8mhidden\x1b[0m", WIDENS, false },
	{ "sandbox.excludedCommands", RELAXES, false },
	{ "Changes nothing that matters", NEUTRAL, true },
	{ "title", NEUTRAL, false },
};

struct state {
	struct at_list list;
	struct at_diff diff;
	struct at_diff_rows rows;
	struct at_pager pager;
	bool accepted[AT_LEN(items)];
	bool on_diff, zoomed, idle;
};

static size_t item_count(void *user)
{
	return AT_LEN(items);
}

static bool item_is_heading(void *user, size_t row)
{
	return items[row].heading;
}

static void item_row(void *user, size_t row, struct at_line *out)
{
	const struct state *state = user;
	const struct item *item = &items[row];

	if (item->heading) {
		at_line_text(out, AT_STYLE_DIM, item->path);
		return;
	}
	at_line_text(out, AT_STYLE_MARK, state->accepted[row] ? "[x] " : "[ ] ");
	at_line_text(out, effects[item->effect].style, effects[item->effect].word);
	at_line_text(out, AT_STYLE_NORMAL, " ");
	at_line_text(out, AT_STYLE_NORMAL, item->path);
}

static bool open_sample(struct at_view *view, const void *arg, struct at_error *err)
{
	struct state *state = view->state;
	const struct at_list_source source = { state, item_count, item_row, item_is_heading };
	struct at_pager_source pages;

	if (!at_diff_make(&state->diff, at_bytes_of(old_text), at_bytes_of(new_text), 3, err))
		return false;
	at_list_init(&state->list, &source);
	at_diff_rows_init(&state->rows, &state->diff, 80);
	pages = at_diff_rows_source(&state->rows);
	at_pager_init(&state->pager, &pages);
	return true;
}

static void close_sample(struct at_view *view)
{
	struct state *state = view->state;

	at_list_free(&state->list);
	at_pager_free(&state->pager);
	at_diff_rows_free(&state->rows);
	at_diff_free(&state->diff);
}

/* Width of the list; 0 where there is room for one pane. */
static int split(const struct state *state, int width)
{
	if (state->zoomed || width < 70)
		return 0;
	return width * 2 / 5;
}

static void layout_sample(struct at_view *view, int width, int height)
{
	struct state *state = view->state;
	int left = split(state, width);

	at_list_layout(&state->list, left ? left : width, height);
	at_diff_rows_layout(&state->rows, left ? width - left - 1 : width);
	at_pager_layout(&state->pager, left ? width - left - 1 : width, height);
}

static void paint_sample(const struct at_view *view, const struct at_canvas *canvas)
{
	const struct state *state = view->state;
	int left = split(state, canvas->at.width), height = canvas->at.height;
	struct at_rect list = { 0, 0, left ? left : canvas->at.width, height };
	struct at_rect diff = { left ? left + 1 : 0, 0, canvas->at.width - (left ? left + 1 : 0), height };
	struct at_canvas part;

	if (left || !state->on_diff) {
		part = at_canvas_part(canvas, list);
		at_list_paint(&state->list, &part, !state->on_diff);
	}
	if (left || state->on_diff) {
		part = at_canvas_part(canvas, diff);
		at_pager_paint(&state->pager, &part);
	}
}

static void ask_to_write(const struct state *state, struct at_fx *fx)
{
	static const char *const lines[] = {
		".claude/settings.json  changed, 402 bytes, mode 0644 kept",
		"The old file goes to the backup; u undoes.",
	};
	const struct at_ask ask = { .id = SAMPLE_WRITE, .title = "Write 1 file?", .lines = lines,
		.line_count = 2, .yes = "write 1 file", .danger = AT_DANGER_CONFIRM };

	at_fx_confirm(fx, &ask);
}

static enum at_take act_sample(struct at_view *view, enum at_action action, struct at_fx *fx)
{
	struct state *state = view->state;

	switch (action) {
	case AT_DO_ACCEPT:
	case AT_DO_KEEP_MINE:
		if (state->list.cursor != AT_LIST_NONE)
			state->accepted[state->list.cursor] = action == AT_DO_ACCEPT;
		return AT_TAKEN;
	case AT_DO_WRITE:
		ask_to_write(state, fx);
		return AT_TAKEN;
	case AT_DO_RESULT:
		at_fx_push(fx, &sample_result, NULL);
		return AT_TAKEN;
	case AT_DO_SWITCH_PANE:
		state->on_diff = !state->on_diff;
		return AT_TAKEN;
	case AT_DO_ZOOM:
		state->zoomed = !state->zoomed;
		layout_sample(view, view->width, view->height);
		return AT_TAKEN;
	default:
		break;
	}
	if ((state->on_diff && action != AT_DO_FILTER) || action == AT_DO_NEXT_HUNK
		|| action == AT_DO_PREV_HUNK)
		return at_pager_act(&state->pager, action, fx);
	return at_list_act(&state->list, action, fx);
}

static enum at_take event_sample(struct at_view *view, const struct at_event *event,
	struct at_fx *fx)
{
	struct state *state = view->state;

	if (event->kind == AT_EVENT_IDLE) {
		state->idle = true;
		return AT_TAKEN;
	}
	if (event->kind == AT_EVENT_ANSWER && event->id == SAMPLE_WRITE) {
		if (event->yes)
			at_fx_do(fx, SAMPLE_WRITE, NULL);
		else
			at_fx_message(fx, "Nothing was written.");
		return AT_TAKEN;
	}
	if (state->on_diff && event->id != AT_ASK_FILTER)
		return at_pager_event(&state->pager, event, fx);
	return at_list_event(&state->list, event, fx);
}

static bool why_not_sample(const struct at_view *view, enum at_action action, char *out, size_t size)
{
	const struct state *state = view->state;

	switch (action) {
	case AT_DO_UNDO:
		snprintf(out, size, "nothing was written yet");
		return true;
	case AT_DO_EDIT_ITEM:
	case AT_DO_OPEN:
		return true;
	case AT_DO_WRITE:
		for (size_t i = 0; i < AT_LEN(items); i++) {
			if (state->accepted[i])
				return false;
		}
		snprintf(out, size, "no item is accepted");
		return true;
	default:
		return false;
	}
}

const struct at_view_class sample_view = {
	.name = "sample",
	.title = "Sample merge",
	.blurb = "What the new settings would change in yours, item by item.",
	.flags = AT_VIEW_WRITES,
	.contexts = AT_IN_LIST | AT_IN_MERGE | AT_IN_PANES,
	.min = { 40, 10 },
	.state_size = sizeof(struct state),
	.open = open_sample,
	.close = close_sample,
	.layout = layout_sample,
	.paint = paint_sample,
	.act = act_sample,
	.event = event_sample,
	.why_not = why_not_sample,
};

/* The whole resulting file. */
static size_t result_count(void *user)
{
	size_t count = 1;

	for (const char *p = new_text; *p; p++)
		count += *p == '\n';
	return count;
}

static void result_row(void *user, size_t row, struct at_line *out)
{
	const char *p = new_text;

	for (; row; row--)
		p = strchr(p, '\n') + 1;
	at_line_add(out, AT_STYLE_NORMAL, (struct at_bytes){ p, strcspn(p, "\n") });
}

static bool open_result(struct at_view *view, const void *arg, struct at_error *err)
{
	const struct at_pager_source source = { .count = result_count, .row = result_row };

	at_pager_init(view->state, &source);
	return true;
}

static void close_result(struct at_view *view)
{
	at_pager_free(view->state);
}

static void layout_result(struct at_view *view, int width, int height)
{
	at_pager_layout(view->state, width, height);
}

static void paint_result(const struct at_view *view, const struct at_canvas *canvas)
{
	at_pager_paint(view->state, canvas);
}

static enum at_take act_result(struct at_view *view, enum at_action action, struct at_fx *fx)
{
	return at_pager_act(view->state, action, fx);
}

static enum at_take event_result(struct at_view *view, const struct at_event *event,
	struct at_fx *fx)
{
	return at_pager_event(view->state, event, fx);
}

const struct at_view_class sample_result = {
	.name = "sample-result",
	.title = "Resulting file",
	.contexts = AT_IN_PAGER,
	.min = { 40, 10 },
	.state_size = sizeof(struct at_pager),
	.open = open_result,
	.close = close_result,
	.layout = layout_result,
	.paint = paint_result,
	.act = act_result,
	.event = event_result,
};

static int frame_rows(void *user, int width, int height)
{
	return height < 12 ? 1 : 3;
}

static void frame(void *user, const struct at_app *app, const struct at_canvas *canvas)
{
	int x = 1, y = 0;

	if (canvas->at.height > 1) {
		at_canvas_text(canvas, x, y, "sample", AT_STYLE_TITLE);
		at_canvas_text(canvas, 8, y++, "demo-shop · claude · confined", AT_STYLE_DIM);
	}
	x = at_canvas_text(canvas, x, y, "EMIT ●", AT_STYLE_TRUTH_OK) + 2;
	x = at_canvas_text(canvas, x, y, "WIRE ○", AT_STYLE_TRUTH_BAD) + 2;
	x = at_canvas_text(canvas, x, y, "ENFORCE ?", AT_STYLE_TRUTH_UNKNOWN) + 2;
	at_canvas_text_fit(canvas, x, y, canvas->at.width - x - 1, "not wired: nothing is confined",
		AT_STYLE_TRUTH_BAD);
	if (canvas->at.height > 1)
		at_canvas_rule(canvas, canvas->at.height - 1, AT_STYLE_RULE);
}

static int64_t fake_now(void *user)
{
	return ((struct sample_hooks *)user)->now;
}

static void perform(void *user, struct at_view *view, int code, const void *data, struct at_fx *fx)
{
	((struct sample_hooks *)user)->written++;
	at_fx_message(fx, "1 file written, backup kept.");
}

static enum at_take act_app(void *user, struct at_app *app, enum at_action action, struct at_fx *fx)
{
	if (action != AT_DO_REREAD)
		return AT_PASS;
	((struct sample_hooks *)user)->reread++;
	return AT_TAKEN;
}

static bool why_not_app(void *user, const struct at_app *app, enum at_action action, char *out,
	size_t size)
{
	return action != AT_DO_REREAD;
}

struct at_app_hooks sample_app_hooks(struct sample_hooks *state, bool real)
{
	return (struct at_app_hooks){ .user = state, .now_ms = real ? at_run_now_ms : fake_now,
		.frame_rows = frame_rows, .frame = frame, .perform = perform, .act = act_app,
		.why_not = why_not_app };
}
