#include "tui/app.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "tui/app_parts.h"

#define EFFECT_CAP 1000 /* effects that lead to effects end somewhere */
#define LOG_CAP ((size_t)256 << 10)

void at_app_init(struct at_app *app, const struct at_app_hooks *hooks, int width, int height)
{
	*app = (struct at_app){ .hooks = *hooks,
		.width = width,
		.height = height,
		.guard_ms = AT_APP_GUARD_MS,
		.dirty = true };
	at_keymap_init(&app->keymap);
}

void at_app_free(struct at_app *app)
{
	while (app->depth)
		at_view_free(app->stack[--app->depth]);
	while (app->parked_count)
		at_view_free(app->parked[--app->parked_count]);
	at_keymap_free(&app->keymap);
	at_fx_free(&app->asked);
	at_prompt_free(&app->prompt);
	at_buf_free(&app->message);
	at_buf_free(&app->unsaved);
	at_buf_free(&app->log);
}

struct at_view *at_app_top(const struct at_app *app)
{
	return app->depth ? app->stack[app->depth - 1] : NULL;
}

struct at_app_layout at_app_layout(const struct at_app *app)
{
	struct at_app_layout at = { .rule_y = -1, .footer_y = app->height - 1 };

	if (app->hooks.frame_rows)
		at.frame = app->hooks.frame_rows(app->hooks.user, app->width, app->height);
	if (at.frame < 0 || at.frame > app->height - 2)
		at.frame = 0;
	if (app->height >= 16)
		at.rule_y = app->height - 2;
	at.view_y = at.frame;
	at.view_height = (at.rule_y >= 0 ? at.rule_y : at.footer_y) - at.view_y;
	if (at.view_height < 0)
		at.view_height = 0;
	return at;
}

static void layout_top(struct at_app *app)
{
	struct at_view *view = at_app_top(app);

	if (view)
		at_view_layout(view, app->width, at_app_layout(app).view_height);
	app->idle_due = app->dirty = true; /* it may have work left, or some more of it now */
}

bool at_app_push(struct at_app *app, const struct at_view_class *class, const void *arg,
	struct at_error *err)
{
	struct at_view *view;

	if (app->depth == AT_APP_DEPTH)
		return at_fail(err, AT_ELIMIT, "too many screens are open: go back first");
	view = at_view_new(class, arg, err);
	if (!view)
		return false;
	app->stack[app->depth++] = view;
	layout_top(app);
	return true;
}

static void park(struct at_app *app, struct at_view *view)
{
	if (app->parked_count == AT_APP_PARKED) {
		at_view_free(app->parked[0]);
		memmove(app->parked, app->parked + 1, --app->parked_count * sizeof(*app->parked));
	}
	app->parked[app->parked_count++] = view;
}

/* The parked view of a class, which is parked no more; or NULL. */
static struct at_view *unpark(struct at_app *app, const struct at_view_class *class)
{
	for (size_t i = 0; i < app->parked_count; i++) {
		struct at_view *view = app->parked[i];

		if (view->class != class)
			continue;
		memmove(app->parked + i, app->parked + i + 1,
			(--app->parked_count - i) * sizeof(*app->parked));
		return view;
	}
	return NULL;
}

bool at_app_switch(struct at_app *app, const struct at_view_class *class, const void *arg,
	struct at_error *err)
{
	struct at_event changed = { .kind = AT_EVENT_CHANGED, .id = AT_CHANGED_AWAY };
	struct at_view *kept = unpark(app, class),
		       *view = kept ? kept : at_view_new(class, arg, err);
	struct at_fx fx = { 0 };

	if (!view)
		return false;
	while (app->depth > 1)
		at_view_free(app->stack[--app->depth]);
	if (app->depth)
		park(app, app->stack[0]);
	app->stack[0] = view;
	app->depth = 1;
	if (kept && class->event)
		class->event(view, &changed, &fx);
	layout_top(app);
	at_app_perform(app, view, &fx);
	return true;
}

void at_app_message(struct at_app *app, bool is_error, const char *text)
{
	app->message.len = 0;
	at_buf_puts(&app->message, text);
	if (app->log.len < LOG_CAP)
		at_buf_printf(&app->log, "%s%s\n", is_error ? "error: " : "", text);
	app->message_is_error = is_error;
	app->dirty = true;
}

bool at_app_is_too_small(const struct at_app *app)
{
	const struct at_view *view = at_app_top(app);

	if (app->width < AT_APP_MIN_WIDTH || app->height < AT_APP_MIN_HEIGHT)
		return true;
	return view
		&& (app->width < view->class->min.width || app->height < view->class->min.height);
}

/* Actions that the application has itself, wherever it stands. */
static bool is_own(enum at_action action)
{
	switch (action) {
	case AT_DO_HELP:
	case AT_DO_QUIT:
	case AT_DO_REDRAW:
	case AT_DO_SUSPEND:
	case AT_DO_CANCEL:
	case AT_DO_MOUSE:
		return true;
	default:
		return false;
	}
}

static bool is_hook_action(enum at_action action)
{
	return action == AT_DO_REREAD || action == AT_DO_NEXT_STEP || action == AT_DO_PREV_STEP
		|| (action >= AT_DO_VIEW_1 && action <= AT_DO_VIEW_9);
}

bool at_app_can(const struct at_app *app, enum at_action action, char *why, size_t size)
{
	const struct at_view *view = at_app_top(app);
	unsigned contexts = at_action_info(action)->contexts;

	if (size)
		why[0] = '\0';
	if (is_own(action))
		return true;
	if (action == AT_DO_BACK)
		return app->depth > 1 || app->back_leaves;
	if (is_hook_action(action))
		return app->hooks.act && app->hooks.why_not &&
			!app->hooks.why_not(app->hooks.user, app, action, why, size);
	if (!view || !(contexts & (view->class->contexts | AT_IN_GLOBAL)))
		return false;
	if (view->class->why_not && view->class->why_not(view, action, why, size))
		return false;
	return !app->hooks.veto || !app->hooks.veto(app->hooks.user, action, why, size);
}

static void pop(struct at_app *app)
{
	if (app->depth < 2 && app->back_leaves) {
		app->done = true;
		return;
	}
	if (app->depth < 2) {
		at_app_message(app, false, "This is the first screen. Q leaves the program.");
		return;
	}
	at_view_free(app->stack[--app->depth]);
	layout_top(app);
}

static void open_view(struct at_app *app, const struct at_fx_item *item)
{
	struct at_error err;
	bool opened;

	if (item->kind == AT_FX_REPLACE && app->depth) {
		struct at_view *old = app->stack[--app->depth];

		opened = at_app_push(app, item->class, item->arg, &err);
		if (opened)
			at_view_free(old);
		else
			app->stack[app->depth++] = old;
	} else {
		opened = at_app_push(app, item->class, item->arg, &err);
	}
	if (!opened)
		at_app_message(app, true, err.message);
}

static void perform_one(struct at_app *app, struct at_view *from, const struct at_fx_item *item,
	struct at_fx *more)
{
	app->dirty = true;
	switch (item->kind) {
	case AT_FX_REDRAW:
		break;
	case AT_FX_MESSAGE:
		at_app_message(app, item->is_error, item->text);
		break;
	case AT_FX_PUSH:
	case AT_FX_REPLACE:
		open_view(app, item);
		break;
	case AT_FX_POP:
		pop(app);
		break;
	case AT_FX_QUIT:
		app->done = true;
		break;
	case AT_FX_CONFIRM:
	case AT_FX_PROMPT:
		at_app_ask(app, from, item);
		break;
	case AT_FX_IDLE:
		app->idle_due = true;
		break;
	case AT_FX_SUSPEND:
		app->suspend = true;
		break;
	case AT_FX_REPAINT:
		app->repaint = true;
		break;
	case AT_FX_DO:
		if (app->hooks.perform)
			app->hooks.perform(app->hooks.user, from, item->code, item->data, more);
		break;
	}
}

bool at_app_has(const struct at_app *app, const struct at_view *view)
{
	for (size_t i = 0; i < app->depth; i++) {
		if (app->stack[i] == view)
			return true;
	}
	return false;
}

/* Performs the list and whatever follows from it, then frees it. */
void at_app_perform(struct at_app *app, struct at_view *from, struct at_fx *fx)
{
	size_t budget = EFFECT_CAP;

	while (fx->count && budget) {
		struct at_fx more = { 0 };

		for (size_t i = 0; i < fx->count && budget; i++, budget--) {
			if (fx->items[i].kind == AT_FX_DO && from && !at_app_has(app, from))
				continue; /* its view was closed by an effect before */
			perform_one(app, from, &fx->items[i], &more);
		}
		at_fx_free(fx);
		*fx = more;
	}
	at_fx_free(fx);
}

static void cancel(struct at_app *app)
{
	if (app->cancel_was_last) {
		app->cancel_was_last = false;
		at_app_ask_to_leave(app);
		return;
	}
	app->cancel_was_last = true;
	at_app_message(app, false, "Nothing is running. C-c once more offers to leave.");
}

static void do_own(struct at_app *app, enum at_action action)
{
	switch (action) {
	case AT_DO_BACK:
		pop(app);
		break;
	case AT_DO_QUIT:
		if (*at_app_unsaved(app))
			at_app_ask_to_leave(app);
		else
			app->done = true;
		break;
	case AT_DO_MOUSE:
		app->mouse = !app->mouse;
		at_app_message(app, false,
			app->mouse
				? "Mouse on: the wheel scrolls, a click selects. The same key turns it off."
				: "Mouse off: the terminal selects text again.");
		break;
	case AT_DO_HELP:
		app->modal = AT_MODAL_HELP;
		app->help_cursor = app->help_top = 0;
		at_prompt_set(&app->prompt, NULL);
		break;
	case AT_DO_REDRAW:
		app->repaint = true;
		break;
	case AT_DO_SUSPEND:
		app->suspend = true;
		break;
	case AT_DO_CANCEL:
		cancel(app);
		break;
	default:
		break;
	}
}

/* An action that is off says why instead of doing nothing. */
static bool is_off(struct at_app *app, enum at_action action)
{
	char why[256];

	if (action == AT_DO_BACK || at_app_can(app, action, why, sizeof(why)))
		return false;
	if (why[0])
		at_app_message(app, false, why);
	return true;
}

void at_app_do(struct at_app *app, enum at_action action)
{
	struct at_view *view = at_app_top(app);
	enum at_take taken = AT_PASS;
	struct at_fx fx = { 0 };

	if (is_off(app, action))
		return;
	if (view && view->class->act)
		taken = view->class->act(view, action, &fx);
	if (taken == AT_PASS && app->hooks.act)
		taken = app->hooks.act(app->hooks.user, app, action, &fx);
	at_app_perform(app, view, &fx);
	if (taken == AT_PASS)
		do_own(app, action);
	app->dirty = true;
}

static void to_view(struct at_app *app, const struct at_event *event)
{
	struct at_view *view = at_app_top(app);
	struct at_fx fx = { 0 };

	if (view && view->class->event) {
		view->class->event(view, event, &fx);
		at_app_perform(app, view, &fx);
		app->dirty = true;
	}
}

static void wake(struct at_app *app)
{
	struct at_fx fx = { 0 };

	app->hooks.wake(app->hooks.user, app, &fx);
	at_app_perform(app, at_app_top(app), &fx);
}

static void key(struct at_app *app, const struct at_event *event)
{
	struct at_view *view = at_app_top(app);
	unsigned contexts = view ? view->class->contexts : 0;
	enum at_action action = at_keymap_find(&app->keymap, contexts, event->key);

	if (app->message.len) {
		app->message.len = 0;
		app->dirty = true;
	}
	if (action != AT_DO_CANCEL)
		app->cancel_was_last = false;
	/* What cannot be seen cannot be acted on. */
	if (at_app_is_too_small(app) && action != AT_DO_HELP && action != AT_DO_QUIT)
		return;
	app->trigger = event->key;
	if (action)
		at_app_do(app, action);
}

/* The view only tells here: whatever else it asks for is not done. */
static void tell_unsaved(struct at_app *app, struct at_view *view)
{
	static const struct at_event leaving = { .kind = AT_EVENT_QUIT };
	struct at_fx fx = { 0 };

	if (view->class->event)
		view->class->event(view, &leaving, &fx);
	for (size_t k = 0; k < fx.count; k++) {
		if (fx.items[k].kind == AT_FX_MESSAGE)
			at_buf_printf(&app->unsaved, "%s\n", fx.items[k].text);
	}
	at_fx_free(&fx);
}

const char *at_app_unsaved(struct at_app *app)
{
	app->unsaved.len = 0;
	for (size_t i = 0; i < app->depth; i++)
		tell_unsaved(app, app->stack[i]);
	for (size_t i = 0; i < app->parked_count; i++)
		tell_unsaved(app, app->parked[i]);
	return app->unsaved.len ? at_buf_text(&app->unsaved) : "";
}

/* In the coordinates of the view. A view that takes no wheel gets it as movement. */
static void mouse(struct at_app *app, const struct at_event *event)
{
	struct at_app_layout at = at_app_layout(app);
	struct at_view *view = at_app_top(app);
	enum at_take taken = AT_PASS;
	struct at_event inside = *event;
	struct at_fx fx = { 0 };

	inside.y -= at.view_y;
	if (!app->mouse || !view || at_app_is_too_small(app) || inside.y < 0 ||
		inside.y >= at.view_height)
		return;
	if (view->class->event)
		taken = view->class->event(view, &inside, &fx);
	if (taken == AT_PASS && view->class->act && (event->button == 64 || event->button == 65)) {
		for (int i = 0; i < 3; i++)
			view->class->act(
				view, event->button == 64 ? AT_DO_MOVE_UP : AT_DO_MOVE_DOWN, &fx);
	}
	at_app_perform(app, view, &fx);
	app->dirty = true;
}

static void resize(struct at_app *app, const struct at_event *event)
{
	app->width = event->width < 1 ? 1 : event->width;
	app->height = event->height < 1 ? 1 : event->height;
	for (size_t i = 0; i < app->depth; i++)
		at_view_layout(app->stack[i], app->width, at_app_layout(app).view_height);
	app->idle_due = app->dirty = true;
	if (app->modal == AT_MODAL_CONFIRM) /* what was seen is drawn anew */
		app->drawn = false;
}

void at_app_step(struct at_app *app, const struct at_event *event)
{
	switch (event->kind) {
	case AT_EVENT_RESIZE:
		resize(app, event);
		return;
	case AT_EVENT_QUIT:
		app->quit_signal = event->signal;
		app->done = true;
		at_app_unsaved(app);
		return;
	case AT_EVENT_RESUME:
		app->repaint = app->dirty = true;
		if (app->modal == AT_MODAL_CONFIRM)
			app->drawn = false;
		to_view(app, event);
		return;
	case AT_EVENT_KEY:
	case AT_EVENT_PASTE:
		if (app->modal != AT_MODAL_NONE)
			at_app_modal_event(app, event);
		else if (event->kind == AT_EVENT_KEY)
			key(app, event);
		return; /* a paste is text for a prompt, never keys */
	case AT_EVENT_MOUSE: /* never answers, whatever is asked */
		if (app->modal == AT_MODAL_NONE)
			mouse(app, event);
		return;
	case AT_EVENT_UNKNOWN:
	case AT_EVENT_FOCUS:
		return;
	case AT_EVENT_WAKE:
		if (app->hooks.wake)
			wake(app);
		else
			to_view(app, event);
		return;
	default:
		to_view(app, event);
		return;
	}
}

void at_app_painted(struct at_app *app)
{
	app->dirty = false;
	if (app->modal != AT_MODAL_NONE && !app->drawn) {
		app->drawn = true;
		app->drawn_at = app->hooks.now_ms(app->hooks.user);
	}
}

bool at_app_idle(struct at_app *app)
{
	static const struct at_event event = { .kind = AT_EVENT_IDLE };

	if (!app->idle_due)
		return false;
	app->idle_due = false;
	to_view(app, &event);
	return app->dirty;
}
