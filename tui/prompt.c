#include "tui/prompt.h"

#include <stdlib.h>
#include <string.h>

void at_prompt_free(struct at_prompt *prompt)
{
	at_buf_free(&prompt->text);
	prompt->cursor = 0;
}

void at_prompt_set(struct at_prompt *prompt, const char *text)
{
	at_prompt_free(prompt);
	if (text)
		at_prompt_insert(prompt, at_bytes_of(text));
}

static void insert_bytes(struct at_prompt *prompt, const char *data, size_t len)
{
	struct at_buf *text = &prompt->text;

	if (text->len + len > AT_PROMPT_CAP)
		return;
	at_buf_reserve(text, len);
	memmove(text->data + prompt->cursor + len, text->data + prompt->cursor,
		text->len - prompt->cursor);
	memcpy(text->data + prompt->cursor, data, len);
	text->len += len;
	text->data[text->len] = '\0';
	prompt->cursor += len;
}

void at_prompt_insert(struct at_prompt *prompt, struct at_bytes bytes)
{
	int32_t code;

	for (size_t at = 0, used; (used = at_utf8_next(bytes, at, &code)) > 0; at += used) {
		if (code == '\n' || code == '\t')
			insert_bytes(prompt, " ", 1);
		else if (code >= 0x20 && code != 0x7f && !(code >= 0x80 && code <= 0x9f))
			insert_bytes(prompt, bytes.data + at, used);
	}
}

void at_prompt_insert_char(struct at_prompt *prompt, uint32_t code)
{
	struct at_grid none = { 0 };
	struct at_cell cell = { code, 0, 1 };
	char text[24];
	size_t len;

	if (code >= AT_CLUSTER_BASE)
		return;
	len = at_grid_cell_text(&none, &cell, text);
	at_prompt_insert(prompt, (struct at_bytes){ text, len });
}

static size_t before(const struct at_prompt *prompt, size_t at)
{
	while (at > 0 && ((unsigned char)prompt->text.data[--at] & 0xc0) == 0x80)
		;
	return at;
}

static size_t after(const struct at_prompt *prompt, size_t at)
{
	int32_t code;

	return at + at_utf8_next(at_buf_bytes(&prompt->text), at, &code);
}

static void erase(struct at_prompt *prompt, size_t from, size_t to)
{
	struct at_buf *text = &prompt->text;

	if (from >= to)
		return;
	memmove(text->data + from, text->data + to, text->len - to + 1);
	text->len -= to - from;
	prompt->cursor = from;
}

static size_t word_start(const struct at_prompt *prompt)
{
	size_t at = prompt->cursor;

	while (at > 0 && prompt->text.data[at - 1] == ' ')
		at--;
	while (at > 0 && prompt->text.data[at - 1] != ' ')
		at--;
	return at;
}

enum at_take at_prompt_act(struct at_prompt *prompt, enum at_action action)
{
	switch (action) {
	case AT_DO_PROMPT_LEFT:
		prompt->cursor = before(prompt, prompt->cursor);
		return AT_TAKEN;
	case AT_DO_PROMPT_RIGHT:
		prompt->cursor = after(prompt, prompt->cursor);
		return AT_TAKEN;
	case AT_DO_PROMPT_START:
		prompt->cursor = 0;
		return AT_TAKEN;
	case AT_DO_PROMPT_END:
		prompt->cursor = prompt->text.len;
		return AT_TAKEN;
	case AT_DO_PROMPT_BACKSPACE:
		erase(prompt, before(prompt, prompt->cursor), prompt->cursor);
		return AT_TAKEN;
	case AT_DO_PROMPT_DELETE:
		erase(prompt, prompt->cursor, after(prompt, prompt->cursor));
		return AT_TAKEN;
	case AT_DO_PROMPT_WORD:
		erase(prompt, word_start(prompt), prompt->cursor);
		return AT_TAKEN;
	case AT_DO_PROMPT_CLEAR:
		erase(prompt, 0, prompt->cursor);
		return AT_TAKEN;
	case AT_DO_PROMPT_CUT:
		erase(prompt, prompt->cursor, prompt->text.len);
		return AT_TAKEN;
	default:
		return AT_PASS;
	}
}

void at_prompt_paint(const struct at_prompt *prompt, const struct at_canvas *canvas, int x, int y)
{
	struct at_rect rest = { x, y, canvas->at.width - x, 1 };
	struct at_canvas part = at_canvas_part(canvas, rest);
	struct at_bytes text = at_buf_bytes(&prompt->text);
	struct at_spans spans = { 0 }, left = { 0 };
	bool utf8 = !canvas->grid->ascii;
	int skip;

	if (part.at.width < 1)
		return;
	at_spans_add(&spans, text, 0, 0, utf8);
	at_spans_add(&left, (struct at_bytes){ text.data, prompt->cursor }, 0, 0, utf8);
	skip = (int)left.width - part.at.width + 1;
	skip = skip < 0 ? 0 : skip;
	at_canvas_spans(&part, 0, 0, &spans, AT_STYLE_NORMAL, skip);
	if (part.at.height > 0) {
		canvas->grid->cursor_x = part.at.x + (int)left.width - skip;
		canvas->grid->cursor_y = part.at.y;
	}
	at_spans_free(&spans);
	at_spans_free(&left);
}
