/* action.h - what a key can mean: one table for footer, help, man page and tests.
 *
 * Actions carry no code. Movement never acts, and a dangerous action is never done by its key
 * alone: the view asks first.
 */
#ifndef AT_ACTION_H
#define AT_ACTION_H

#include <stdbool.h>

struct at_buf;

enum at_context {
	AT_IN_GLOBAL = 1 << 0,
	AT_IN_LIST = 1 << 1,
	AT_IN_PAGER = 1 << 2,
	AT_IN_MERGE = 1 << 3,
	/* These three own every key while they are open: nothing falls back to global. */
	AT_IN_PROMPT = 1 << 4,
	AT_IN_CONFIRM = 1 << 5,
	AT_IN_HELP = 1 << 6,
	AT_IN_EMIT = 1 << 7,
	AT_IN_ADVISORIES = 1 << 8,
	AT_IN_PANES = 1 << 9, /* a view of two panes */
	AT_IN_SETUP = 1 << 10,
	AT_IN_WIRING = 1 << 11,
	AT_IN_DIFF = 1 << 12, /* a pager that shows a diff */
	AT_IN_RUNNER = 1 << 13,
	AT_IN_GRANTS = 1 << 14,
	AT_IN_SIGN = 1 << 15,
	AT_IN_PROPOSALS = 1 << 16,
	AT_CONTEXT_END = 1 << 17,
};
#define AT_IN_SHARED (AT_IN_GLOBAL | AT_IN_LIST | AT_IN_PAGER | AT_IN_PANES | AT_IN_DIFF)
#define AT_IN_MODAL (AT_IN_PROMPT | AT_IN_CONFIRM | AT_IN_HELP)

enum at_danger {
	AT_DANGER_MOVES,   /* moves or scrolls, nothing else */
	AT_DANGER_NONE,    /* acts, and is undone as easily */
	AT_DANGER_CONFIRM, /* asks y or n first, default no */
	AT_DANGER_WORD,    /* asks for a word to be typed */
};

enum at_action {
	AT_DO_NOTHING,
#define AT_ACTION(id, name, help, keys, danger, contexts, footer) AT_DO_##id,
#include "tui/actions.def"
#undef AT_ACTION
	AT_ACTION_COUNT,
};

struct at_action_info {
	const char *name, *help, *keys, *footer;
	enum at_danger danger;
	unsigned contexts;
};

const struct at_action_info *at_action_info(enum at_action action);
bool at_action_parse(enum at_action *out, const char *name);
const char *at_context_name(enum at_context context);
bool at_context_parse(enum at_context *out, const char *name);

/* --list-keys: one line an action: context, name, keys, help. The keys are those of `map`, or
 * the default ones for NULL; "none" where there is none. */
struct at_keymap;
void at_action_print(struct at_buf *out, const struct at_keymap *map);
/* The same as the tagged paragraphs of a man page section. */
void at_action_print_man(struct at_buf *out);

#endif
