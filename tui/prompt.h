/* prompt.h - a line editor on UTF-8. */
#ifndef AT_PROMPT_H
#define AT_PROMPT_H

#include "tui/view.h"

struct at_prompt {
	struct at_buf text; /* valid UTF-8 without control characters */
	size_t cursor;      /* byte offset of a character */
};

#define AT_PROMPT_CAP 4096

void at_prompt_set(struct at_prompt *prompt, const char *text);
void at_prompt_free(struct at_prompt *prompt);

/* Puts text in at the cursor; what is no printable character is left out (a newline of a
 * paste becomes a space). Bounded by AT_PROMPT_CAP. */
void at_prompt_insert(struct at_prompt *prompt, struct at_bytes text);
void at_prompt_insert_char(struct at_prompt *prompt, uint32_t code);

/* The editing actions; AT_PASS for done, cancel and anything else. */
enum at_take at_prompt_act(struct at_prompt *prompt, enum at_action action);

/* Draws in one row from x on, keeps the cursor in sight and sets the grid's cursor. */
void at_prompt_paint(const struct at_prompt *prompt, const struct at_canvas *canvas, int x, int y);

#endif
