/* input.h - bytes of a terminal made into events.
 *
 * A byte machine with tables: keys in the spellings of xterm, vt, tmux, rxvt and the Linux
 * console, UTF-8, bracketed paste, focus and mouse reports. It reads nothing itself, keeps a
 * bounded amount, and an unknown sequence is one "unknown" event, never stray letters.
 */
#ifndef AT_INPUT_H
#define AT_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/bytes.h"

enum at_event_kind {
	AT_EVENT_KEY,
	AT_EVENT_PASTE,   /* `text`, one event however long; borrowed during the call */
	AT_EVENT_FOCUS,   /* `yes`: came, else went */
	AT_EVENT_MOUSE,
	AT_EVENT_RESIZE,  /* width, height */
	AT_EVENT_UNKNOWN, /* a sequence nobody knows, or bytes that are no text */
	AT_EVENT_IDLE,    /* to views: painted and nothing waits, the time for slow work */
	AT_EVENT_WAKE,    /* the descriptor of a job is readable */
	AT_EVENT_QUIT,    /* a signal asks the program to end; to views: tell in messages what would
	                     be lost by leaving now (`signal` 0), and do nothing */
	AT_EVENT_RESUME,  /* back from the shell */
	AT_EVENT_ANSWER,  /* to views: `id` of the question, `yes`, `text` that was typed */
	AT_EVENT_TYPED,   /* to views: `id`, `text` so far, while a prompt is open */
	AT_EVENT_GO,      /* to views: put the cursor on `row` of rows(); taken when it stands there */
	AT_EVENT_TICK,    /* to views: their `tick_ms` went by and nothing happened */
	AT_EVENT_CHANGED, /* to views: what they show is other now; `id`: the act, `yes`: it was done */
};

/* Keys that are no character, after the code points. */
enum at_key_code {
	AT_KEY_NONE = 0x110000,
	AT_KEY_UP,
	AT_KEY_DOWN,
	AT_KEY_LEFT,
	AT_KEY_RIGHT,
	AT_KEY_HOME,
	AT_KEY_END,
	AT_KEY_PAGE_UP,
	AT_KEY_PAGE_DOWN,
	AT_KEY_INSERT,
	AT_KEY_DELETE,
	AT_KEY_BACKSPACE,
	AT_KEY_ENTER,
	AT_KEY_TAB,
	AT_KEY_ESCAPE,
	AT_KEY_F1, /* up to F20 follow */
	AT_KEY_F20 = AT_KEY_F1 + 19,
};
enum at_modifier { AT_MOD_SHIFT = 1, AT_MOD_ALT = 2, AT_MOD_CTRL = 4 };

struct at_key {
	uint32_t code; /* a code point or enum at_key_code */
	unsigned modifiers;
};

struct at_event {
	enum at_event_kind kind;
	struct at_key key;
	struct at_bytes text;
	bool cut; /* a paste longer than is kept, or without its end */
	bool yes;
	int id;
	int width, height;
	int x, y, button; /* mouse: cell from 0; button as the terminal numbers it */
	int signal;
	size_t row;
};

typedef void at_event_fn(void *user, const struct at_event *event);

#define AT_PASTE_CAP ((size_t)64 << 10)

struct at_input {
	int state;
	unsigned char seen[64]; /* the sequence so far; longer ones are unknown */
	size_t len;
	bool overlong;
	bool alt; /* an escape came right before */
	uint32_t code;
	unsigned left; /* UTF-8 bytes still missing */
	uint32_t least;
	struct at_buf paste;
	size_t paste_end; /* bytes of the end mark matched */
	bool paste_cut;
};

/* Feeds bytes; `emit` is called for each event they complete. A zeroed at_input is ready. */
void at_input_feed(struct at_input *in, const void *bytes, size_t len, at_event_fn *emit,
	void *user);

/* What to do when nothing came for at_input_patience(): a lone Esc is the key, a torn
 * sequence is unknown, a paste without its end is delivered as cut. */
void at_input_flush(struct at_input *in, at_event_fn *emit, void *user);

/* Milliseconds to wait before at_input_flush(), -1 when nothing is pending. */
int at_input_patience(const struct at_input *in, int escape_ms);
void at_input_free(struct at_input *in);

/* "C-n", "M-x", "S-Tab", "PgDn", "Space", "é". False when it is no key. */
bool at_key_parse(struct at_key *out, const char *name);
void at_key_name(char out[24], struct at_key key);
bool at_key_equal(struct at_key a, struct at_key b);

#endif
