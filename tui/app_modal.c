#include "tui/app.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "tui/app_parts.h"

#define LEAVE_LINES 64

static bool is_key_of(const struct at_app *app, enum at_action action, struct at_key key)
{
	for (size_t i = 0; i < app->keymap.count; i++) {
		const struct at_binding *binding = &app->keymap.bindings[i];

		if (binding->action == action && at_key_equal(binding->key, key))
			return true;
	}
	return false;
}

void at_app_close_modal(struct at_app *app)
{
	app->modal = AT_MODAL_NONE;
	app->drawn = false;
	at_fx_clear(&app->asked);
	app->ask = (struct at_ask){ 0 };
	app->dirty = true;
}

void at_app_ask(struct at_app *app, struct at_view *asker, const struct at_fx_item *item)
{
	at_fx_clear(&app->asked);
	if (item->kind == AT_FX_CONFIRM)
		at_fx_confirm(&app->asked, &item->ask);
	else
		at_fx_prompt(&app->asked, &item->ask);
	app->ask = app->asked.items[0].ask;
	/* A key that opened the question never answers it, whatever it is bound to. */
	if (item->kind == AT_FX_CONFIRM && app->ask.danger != AT_DANGER_WORD &&
		is_key_of(app, AT_DO_CONFIRM_YES, app->trigger)) {
		app->ask.danger = AT_DANGER_WORD;
		app->ask.word = "yes";
	}
	if (app->ask.danger == AT_DANGER_WORD && (!app->ask.word || !*app->ask.word))
		app->ask.word = "yes";
	at_prompt_set(&app->prompt, item->kind == AT_FX_PROMPT ? app->ask.value : NULL);
	app->modal = item->kind == AT_FX_CONFIRM ? AT_MODAL_CONFIRM : AT_MODAL_PROMPT;
	app->asker = asker;
	app->drawn = false;
	app->ask_top = app->ask_hidden = 0;
	app->dirty = true;
}

void at_app_ask_to_leave(struct at_app *app)
{
	struct at_fx_item item = { .kind = AT_FX_CONFIRM };
	const char *lines[LEAVE_LINES];
	char *copy = at_strdup(at_app_unsaved(app)), *rest = copy, *line;

	item.ask = (struct at_ask){ .title = "Leave the program?", .yes = "leave",
		.danger = AT_DANGER_CONFIRM, .lines = lines };
	while ((line = strsep(&rest, "\n")) && item.ask.line_count < LEAVE_LINES) {
		if (*line)
			lines[item.ask.line_count++] = line;
	}
	at_app_ask(app, NULL, &item);
	free(copy);
}

/* Closes the question first, so that the view may ask the next one in its answer. */
void at_app_answer(struct at_app *app, bool yes, struct at_bytes text)
{
	struct at_event event = {
		.kind = AT_EVENT_ANSWER, .id = app->ask.id, .yes = yes, .text = text
	};
	struct at_view *view = app->asker;
	struct at_fx fx = { 0 };

	at_app_close_modal(app);
	if (!view)
		app->done = yes;
	else if (at_app_has(app, view) && view->class->event)
		view->class->event(view, &event, &fx);
	at_app_perform(app, view, &fx);
}

static void answer(struct at_app *app, bool yes)
{
	struct at_buf text = { 0 };

	at_buf_put(&text, at_buf_text(&app->prompt.text), app->prompt.text.len);
	at_app_answer(app, yes, at_buf_bytes(&text));
	at_buf_free(&text);
}

static void tell_typed(struct at_app *app)
{
	struct at_view *view = app->asker;
	struct at_event event = { .kind = AT_EVENT_TYPED, .id = app->ask.id };
	struct at_fx fx = { 0 };

	app->dirty = true;
	if (!at_app_has(app, view) || !view->class->event)
		return;
	event.text = at_buf_bytes(&app->prompt.text);
	view->class->event(view, &event, &fx);
	at_app_perform(app, view, &fx);
}

static bool is_text_key(const struct at_event *event)
{
	return event->kind == AT_EVENT_KEY && event->key.code >= 0x20 &&
		event->key.code < AT_KEY_NONE && event->key.code != 0x7f && !event->key.modifiers;
}

/* Typing into the line editor; true when the text may have changed. */
static bool edit(struct at_app *app, const struct at_event *event, enum at_action action)
{
	if (event->kind == AT_EVENT_PASTE)
		at_prompt_insert(&app->prompt, event->text);
	else if (is_text_key(event))
		at_prompt_insert_char(&app->prompt, event->key.code);
	else if (at_prompt_act(&app->prompt, action) == AT_PASS)
		return false;
	app->dirty = true;
	return true;
}

static void prompt_event(struct at_app *app, const struct at_event *event)
{
	enum at_action action = at_keymap_find(&app->keymap, AT_IN_PROMPT, event->key);

	if (edit(app, event, action))
		tell_typed(app);
	else if (action == AT_DO_PROMPT_DONE)
		answer(app, true);
	else if (action == AT_DO_PROMPT_CANCEL)
		answer(app, false);
}

static bool is_guarded(struct at_app *app)
{
	if (!app->drawn || at_app_is_too_small(app))
		return true;
	return app->hooks.now_ms(app->hooks.user) - app->drawn_at < app->guard_ms;
}

static void scroll_ask(struct at_app *app, int by)
{
	if (by > 0 && !app->ask_hidden)
		return;
	app->ask_top += by;
	if (app->ask_top < 0)
		app->ask_top = 0;
	app->dirty = true;
}

static void say_yes(struct at_app *app)
{
	if (app->ask_hidden) {
		at_app_message(app, false, app->ask.danger == AT_DANGER_WORD
				? "There is more to read first: Down goes on."
				: "There is more to read first: Space goes on.");
		return;
	}
	answer(app, true);
}

static void word_event(struct at_app *app, const struct at_event *event)
{
	enum at_action action = at_keymap_find(&app->keymap, AT_IN_PROMPT, event->key);

	if (event->kind == AT_EVENT_PASTE)
		return; /* the point of the word is that somebody types it */
	if (event->key.code == AT_KEY_DOWN || event->key.code == AT_KEY_PAGE_DOWN)
		scroll_ask(app, 1);
	else if (event->key.code == AT_KEY_UP || event->key.code == AT_KEY_PAGE_UP)
		scroll_ask(app, -1);
	else if (edit(app, event, action))
		return;
	else if (action == AT_DO_PROMPT_CANCEL)
		answer(app, false);
	else if (action == AT_DO_PROMPT_DONE &&
		at_bytes_equal_text(at_buf_bytes(&app->prompt.text), app->ask.word))
		say_yes(app);
	else if (action == AT_DO_PROMPT_DONE)
		at_app_message(app, false, "That is not the word. Esc leaves things as they are.");
}

static void confirm_event(struct at_app *app, const struct at_event *event)
{
	if (event->kind != AT_EVENT_KEY || is_guarded(app))
		return;
	app->message.len = 0;
	if (app->ask.danger == AT_DANGER_WORD) {
		word_event(app, event);
		return;
	}
	switch (at_keymap_find(&app->keymap, AT_IN_CONFIRM, event->key)) {
	case AT_DO_CONFIRM_YES:
		say_yes(app);
		break;
	case AT_DO_CONFIRM_NO:
		answer(app, false);
		break;
	case AT_DO_CONFIRM_DOWN:
		scroll_ask(app, 1);
		break;
	case AT_DO_CONFIRM_UP:
		scroll_ask(app, -1);
		break;
	default:
		break;
	}
}

static void move_help(struct at_app *app, int by)
{
	size_t count = at_help_count(app);
	long at = (long)app->help_cursor + by;

	at = at < 0 ? 0 : at >= (long)count ? (long)count - 1 : at;
	app->help_cursor = at < 0 ? 0 : (size_t)at;
}

static void run_help(struct at_app *app)
{
	enum at_action action = at_help_action(app, app->help_cursor);

	at_app_close_modal(app);
	if (at_app_is_too_small(app) && action != AT_DO_QUIT)
		return;
	app->trigger = (struct at_key){ AT_KEY_ENTER, 0 };
	if (action && action != AT_DO_HELP)
		at_app_do(app, action);
}

static void help_event(struct at_app *app, const struct at_event *event)
{
	app->dirty = true;
	if (event->kind == AT_EVENT_PASTE)
		return;
	if (is_text_key(event)) {
		at_prompt_insert_char(&app->prompt, event->key.code);
		app->help_cursor = app->help_top = 0;
		return;
	}
	switch (at_keymap_find(&app->keymap, AT_IN_HELP, event->key)) {
	case AT_DO_HELP_RUN:
		run_help(app);
		break;
	case AT_DO_HELP_CLOSE:
		at_app_close_modal(app);
		break;
	case AT_DO_HELP_DOWN:
		move_help(app, 1);
		break;
	case AT_DO_HELP_UP:
		move_help(app, -1);
		break;
	case AT_DO_HELP_PAGE_DOWN:
		move_help(app, 10);
		break;
	case AT_DO_HELP_PAGE_UP:
		move_help(app, -10);
		break;
	case AT_DO_HELP_BACKSPACE:
		at_prompt_act(&app->prompt, AT_DO_PROMPT_BACKSPACE);
		app->help_cursor = app->help_top = 0;
		break;
	default:
		break;
	}
}

void at_app_modal_event(struct at_app *app, const struct at_event *event)
{
	switch (app->modal) {
	case AT_MODAL_CONFIRM:
		confirm_event(app, event);
		break;
	case AT_MODAL_PROMPT:
		prompt_event(app, event);
		break;
	case AT_MODAL_HELP:
		help_event(app, event);
		break;
	case AT_MODAL_NONE:
		break;
	}
}
