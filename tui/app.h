/* app.h - the event loop without input and output.
 *
 * step() takes one event and performs what follows; paint() draws the screen into a grid. It
 * holds the stack of views, the one open question, the help and the message. It reads no
 * terminal, no clock and no file: tests drive it with events and read the grid.
 */
#ifndef AT_APP_H
#define AT_APP_H

#include "tui/keymap.h"
#include "tui/line.h"
#include "tui/prompt.h"
#include "tui/view.h"

#define AT_APP_MIN_WIDTH 40
#define AT_APP_MIN_HEIGHT 10
#define AT_APP_GUARD_MS 200 /* a question takes no key this soon after it was drawn */
#define AT_APP_DEPTH 16
#define AT_APP_PARKED 8       /* views that a switch keeps */
#define AT_CHANGED_AWAY (-1)  /* AT_EVENT_CHANGED: anything may have, while it was parked */

struct at_app;

/* What the program around it supplies. All may be NULL but now_ms. */
struct at_app_hooks {
	void *user;
	int64_t (*now_ms)(void *user);
	/* Rows on top of every view for a screen of that size, and their drawing. */
	int (*frame_rows)(void *user, int width, int height);
	void (*frame)(void *user, const struct at_app *app, const struct at_canvas *canvas);
	/* AT_FX_DO of a view. What it appends is performed next. */
	void (*perform)(void *user, struct at_view *view, int code, const void *data,
		struct at_fx *fx);
	/* Actions that no view took: the digits, reread. */
	enum at_take (*act)(
		void *user, struct at_app *app, enum at_action action, struct at_fx *fx);
	/* AT_EVENT_WAKE: the job is the program's own, whatever view is on top. NULL: it goes to
	 * the view. */
	void (*wake)(void *user, struct at_app *app, struct at_fx *fx);
	/* Which of those exist: true, with a reason, when off; an empty reason hides it. */
	bool (*why_not)(void *user, const struct at_app *app, enum at_action action, char *out,
		size_t size);
	/* Keeps an action of any view off, with a reason: a session that may not write. */
	bool (*veto)(void *user, enum at_action action, char *out, size_t size);
};

enum at_modal { AT_MODAL_NONE, AT_MODAL_CONFIRM, AT_MODAL_PROMPT, AT_MODAL_HELP };

struct at_app {
	struct at_app_hooks hooks;
	struct at_keymap keymap;
	int width, height;
	int guard_ms; /* AT_APP_GUARD_MS, or longer */
	bool ascii;
	bool mouse;   /* wished: who owns the terminal turns its reports on and off */
	struct at_view *stack[AT_APP_DEPTH];
	size_t depth;
	struct at_view *parked[AT_APP_PARKED]; /* left by a switch: cursor and decisions stay */
	size_t parked_count;

	enum at_modal modal;
	struct at_fx asked;     /* owns the open question */
	struct at_ask ask;
	struct at_view *asker;  /* who gets the answer; NULL: the application itself asked */
	struct at_prompt prompt; /* the open prompt, the typed word, or the help's filter */
	bool drawn;             /* the question was on the screen */
	int64_t drawn_at;
	int ask_top;            /* first line shown of a long question */
	int ask_hidden;         /* lines below what was painted */
	struct at_key trigger;  /* the key that led here */
	size_t help_cursor, help_top;

	struct at_buf unsaved;
	struct at_buf message;
	bool message_is_error;
	struct at_buf log;      /* every message so far, one a line, the newest last */
	bool back_leaves;       /* a viewer with nothing to lose: back on the first screen leaves */
	bool cancel_was_last;   /* C-c a second time offers to leave */

	bool dirty;             /* paint is due */
	bool idle_due;          /* AT_EVENT_IDLE is due after the next paint */
	bool done, suspend, repaint; /* for who owns the terminal; it clears the last two */
	int quit_signal;
};

void at_app_init(struct at_app *app, const struct at_app_hooks *hooks, int width, int height);
void at_app_free(struct at_app *app);

/* Opens a view on top. */
bool at_app_push(struct at_app *app, const struct at_view_class *class, const void *arg,
	struct at_error *err);
/* Shows this view alone: what the digits do. The first view of the stack is parked, those above it
 * are closed. A view of the class that was parked comes back as it was, `arg` unused, and is
 * told AT_EVENT_CHANGED (AT_CHANGED_AWAY) before anything else. With AT_APP_PARKED others parked the
 * one parked first is closed. */
bool at_app_switch(struct at_app *app, const struct at_view_class *class, const void *arg,
	struct at_error *err);
struct at_view *at_app_top(const struct at_app *app); /* NULL when there is none */

void at_app_step(struct at_app *app, const struct at_event *event);

/* For a driver without a screen: does an action as its key would, and answers the open question
 * or prompt (`text`: what was typed). The driver showed the whole question before. */
void at_app_do(struct at_app *app, enum at_action action);
void at_app_answer(struct at_app *app, bool yes, struct at_bytes text);

/* What would be lost by leaving now, a line each, as the views say it; "" for nothing. Borrowed
 * until the next call. */
const char *at_app_unsaved(struct at_app *app);

/* Draws everything into the grid, resized to the screen. */
void at_app_paint(struct at_app *app, struct at_grid *grid);

/* To be called when what was painted is on the terminal: questions take keys from then on
 * (after the guard time). */
void at_app_painted(struct at_app *app);

/* Sends AT_EVENT_IDLE if it is due; true when there may be something new to paint. */
bool at_app_idle(struct at_app *app);

/* Shows a message in place of the one before; it stays until the next key. */
void at_app_message(struct at_app *app, bool is_error, const char *text);

/* Is the action possible now? Else the reason (empty: it does not exist here). */
bool at_app_can(const struct at_app *app, enum at_action action, char *why, size_t size);

/* The screen is too small for the frame or for the view on top. */
bool at_app_is_too_small(const struct at_app *app);

#endif
