/* view.h - what a screen is: a class of functions, and the effects it asks for.
 *
 * A view draws from its state and answers actions with effects; it never decides about keys,
 * never writes a file and never touches a terminal. The application performs the effects, a
 * test reads them. Adding a screen is one class in one file.
 */
#ifndef AT_VIEW_H
#define AT_VIEW_H

#include "core/error.h"
#include "tui/action.h"
#include "tui/grid.h"
#include "tui/input.h"

struct at_arena;
struct at_buf;
struct at_fx;
struct at_view;

enum at_take {
	AT_PASS,  /* not for this view: the application tries its own */
	AT_TAKEN,
};

enum at_view_flag {
	AT_VIEW_WRITES = 1, /* has actions that write */
	AT_VIEW_SECRET = 2, /* never dumped to a picture or a log */
};

struct at_view_class {
	const char *name;  /* "merge": for configuration and help */
	const char *title; /* "Merge" */
	const char *blurb; /* one or two sentences on top of its help */
	unsigned flags;
	unsigned contexts; /* of its keys, without AT_IN_GLOBAL */
	struct {
		int width, height; /* of the whole screen; below it the view is not shown */
	} min;
	size_t state_size;
	int tick_ms; /* AT_EVENT_TICK that often while it is on top and nobody is asked; 0: never */

	/* Any of these may be NULL but paint. `state` is zeroed before open; `arg` is what the
	 * effect or the caller gave, borrowed for the call. After a failed open close is called. */
	bool (*open)(struct at_view *view, const void *arg, struct at_error *err);
	void (*close)(struct at_view *view);
	void (*layout)(struct at_view *view, int width, int height);
	void (*paint)(const struct at_view *view, const struct at_canvas *canvas);
	enum at_take (*act)(struct at_view *view, enum at_action action, struct at_fx *fx);
	/* Answers, AT_EVENT_TYPED, IDLE, TICK, WAKE, MOUSE, PASTE, RESUME, QUIT, GO, CHANGED. */
	enum at_take (*event)(struct at_view *view, const struct at_event *event, struct at_fx *fx);
	/* The view as lines, in words, for plain output and tests. row() is false for a heading or
	 * a remark, which no action is about. */
	size_t (*rows)(const struct at_view *view);
	bool (*row)(const struct at_view *view, size_t row, struct at_spans *out);
	/* What a second pane shows, as text for plain output: the diff. */
	bool (*more)(const struct at_view *view, struct at_buf *out, struct at_error *err);
	/* True, with the reason as a clause, when the action is off now. An empty reason means
	 * that the view does not have the action at all. */
	bool (*why_not)(const struct at_view *view, enum at_action action, char *out, size_t size);
};

struct at_view {
	const struct at_view_class *class;
	void *state; /* class->state_size bytes */
	int width, height;
};

/* Makes a view outside of any application, as tests and plain output do. NULL, with `err`,
 * when it does not open. */
struct at_view *at_view_new(const struct at_view_class *class, const void *arg,
	struct at_error *err);
void at_view_free(struct at_view *view);
void at_view_layout(struct at_view *view, int width, int height);

/* What an action or an event led to, in order. */
enum at_fx_kind {
	AT_FX_REDRAW,
	AT_FX_MESSAGE, /* text, is_error */
	AT_FX_PUSH,    /* class, arg */
	AT_FX_REPLACE, /* class, arg */
	AT_FX_POP,
	AT_FX_QUIT,
	AT_FX_CONFIRM, /* ask: answered by AT_EVENT_ANSWER with its id; one question at a time, a
	                  second one takes the place of the first */
	AT_FX_PROMPT,  /* ask: the same, with the text */
	AT_FX_IDLE,    /* send AT_EVENT_IDLE after the next paint */
	AT_FX_SUSPEND,
	AT_FX_REPAINT, /* the terminal may have lost its content */
	AT_FX_DO,      /* code, data: a domain act, done by the application's callback */
};

struct at_ask {
	int id;                    /* of the view's own; negative ones are taken by widgets */
	const char *title;         /* the question, or the prompt's label */
	const char *const *lines;  /* what it is about: counts, paths, sizes */
	size_t line_count;
	const char *yes;           /* what happens on yes: "write 3 files" */
	enum at_danger danger;     /* AT_DANGER_WORD: `word` has to be typed */
	const char *word;
	const char *value;         /* what a prompt begins with, or NULL */
};

struct at_fx_item {
	enum at_fx_kind kind;
	const char *text; /* may quote untrusted names: shown through core/safetext */
	bool is_error;
	const struct at_view_class *class;
	const void *arg;
	struct at_ask ask;
	int code;
	const void *data;
};

struct at_fx {
	struct at_fx_item *items;
	size_t count, cap;
	struct at_arena *arena; /* owns every text */
};

/* A zeroed at_fx is an empty list. Texts are copied; `arg` and `data` are borrowed until the
 * effect is performed. */
void at_fx_clear(struct at_fx *fx);
void at_fx_free(struct at_fx *fx);
void at_fx_redraw(struct at_fx *fx);
void at_fx_message(struct at_fx *fx, const char *format, ...) __attribute__((format(printf, 2, 3)));
void at_fx_error(struct at_fx *fx, const struct at_error *err); /* message, place and hint */
void at_fx_push(struct at_fx *fx, const struct at_view_class *class, const void *arg);
void at_fx_replace(struct at_fx *fx, const struct at_view_class *class, const void *arg);
void at_fx_confirm(struct at_fx *fx, const struct at_ask *ask);
void at_fx_prompt(struct at_fx *fx, const struct at_ask *ask);
void at_fx_do(struct at_fx *fx, int code, const void *data);
void at_fx_simple(struct at_fx *fx, enum at_fx_kind kind); /* pop, quit, idle, suspend, repaint */

/* The first effect of a kind, or NULL. */
const struct at_fx_item *at_fx_find(const struct at_fx *fx, enum at_fx_kind kind);

#endif
