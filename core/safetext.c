#include "core/safetext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "core/mem.h"

#define MARKS_IN_A_ROW 4 /* accents on one letter; more is decoration or an attack */

/* Characters that show nothing, reorder what stands around them, or look like a plain
 * space. Everything of the categories Cc, Cf, Cn, Co, Cs, Zl and Zp is a mark as well; these
 * rows add the others and give names. (tui-anchors 2.3; STG-2) */
static const struct hidden {
	uint32_t first, last;
	const char *name; /* shown after the number; "" shows the number alone */
} hidden[] = {
	{ 0x00a0, 0x00a0, "NBSP" },    { 0x00ad, 0x00ad, "SHY" },     { 0x034f, 0x034f, "CGJ" },
	{ 0x061c, 0x061c, "ALM" },     { 0x115f, 0x1160, "FILLER" },  { 0x1680, 0x1680, "SPACE" },
	{ 0x17b4, 0x17b5, "VOWEL" },   { 0x180b, 0x180d, "VS" },      { 0x180e, 0x180e, "MVS" },
	{ 0x180f, 0x180f, "VS" },      { 0x2000, 0x200a, "SPACE" },   { 0x200b, 0x200b, "ZWSP" },
	{ 0x200c, 0x200c, "ZWNJ" },    { 0x200d, 0x200d, "ZWJ" },     { 0x200e, 0x200e, "LRM" },
	{ 0x200f, 0x200f, "RLM" },     { 0x2028, 0x2028, "LS" },      { 0x2029, 0x2029, "PS" },
	{ 0x202a, 0x202a, "LRE" },     { 0x202b, 0x202b, "RLE" },     { 0x202c, 0x202c, "PDF" },
	{ 0x202d, 0x202d, "LRO" },     { 0x202e, 0x202e, "RLO" },     { 0x202f, 0x202f, "NNBSP" },
	{ 0x205f, 0x205f, "SPACE" },   { 0x2060, 0x2060, "WJ" },      { 0x2066, 0x2066, "LRI" },
	{ 0x2067, 0x2067, "RLI" },     { 0x2068, 0x2068, "FSI" },     { 0x2069, 0x2069, "PDI" },
	{ 0x2800, 0x2800, "BLANK" },   { 0x3000, 0x3000, "SPACE" },   { 0x3164, 0x3164, "FILLER" },
	{ 0xfe00, 0xfe0f, "VS" },      { 0xfeff, 0xfeff, "BOM" },     { 0xffa0, 0xffa0, "FILLER" },
	{ 0xe0000, 0xe007f, "TAG" },   { 0xe0100, 0xe01ef, "VS" },
};

static const struct hidden *find_hidden(uint32_t code)
{
	for (size_t i = 0; i < AT_LEN(hidden); i++) {
		if (code >= hidden[i].first && code <= hidden[i].last)
			return &hidden[i];
	}
	return NULL;
}

unsigned at_char_width(uint32_t code)
{
	int width;

	if (code >= 0x1160 && code <= 0x11ff)
		return 0; /* Hangul medial vowels and finals join the syllable before them */
	if (code >= 0xd7b0 && code <= 0xd7ff)
		return 0;
	if (code > 0x10ffff)
		return 0;
	if (code >= 0x20 && code < 0x7f)
		return 1;
	width = utf8proc_charwidth((utf8proc_int32_t)code);
	return width < 0 ? 0 : width > 2 ? 2 : (unsigned)width;
}

enum look { SHOWN, JOINS, HIDDEN };

/* `before` is the code point that a joining one would join, 0 at the start or after a mark. */
static enum look look_at(uint32_t code, uint32_t before)
{
	if (code < 0x20 || (code >= 0x7f && code <= 0x9f))
		return HIDDEN;
	if (code < 0x7f)
		return SHOWN;
	/* An emoji's own selector changes nothing that could be hidden behind it. */
	if (code == 0xfe0f && before
		&& utf8proc_category((utf8proc_int32_t)before) == UTF8PROC_CATEGORY_SO)
		return JOINS;
	if (find_hidden(code))
		return HIDDEN;
	switch (utf8proc_category((utf8proc_int32_t)code)) {
	case UTF8PROC_CATEGORY_CC:
	case UTF8PROC_CATEGORY_CF:
	case UTF8PROC_CATEGORY_CN:
	case UTF8PROC_CATEGORY_CO:
	case UTF8PROC_CATEGORY_CS:
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP:
	case UTF8PROC_CATEGORY_ZS:
		return HIDDEN;
	default:
		break;
	}
	if (at_char_width(code) > 0)
		return SHOWN;
	return before ? JOINS : HIDDEN;
}

/* The visible stand-in. `code` -1: the invalid byte itself. */
static void name_mark(char out[32], int32_t code, unsigned char byte)
{
	const struct hidden *row;

	if (code < 0)
		snprintf(out, 32, "<%02X>", byte);
	else if (code < 0x20)
		snprintf(out, 32, "^%c", (char)(code + '@'));
	else if (code == 0x7f)
		snprintf(out, 32, "^?");
	else if (code >= 0x80 && code <= 0x9f)
		snprintf(out, 32, "<%02X>", (unsigned)code);
	else if ((row = find_hidden((uint32_t)code)))
		snprintf(out, 32, "<U+%04X %s>", (unsigned)code, row->name);
	else
		snprintf(out, 32, "<U+%04X>", (unsigned)code);
}

/* Puts bytes at the end; span texts follow when the buffer moved. */
static void put_bytes(struct at_spans *spans, const void *data, size_t len)
{
	const char *old = spans->text.data;

	at_buf_put(&spans->text, data, len);
	if (spans->text.data == old)
		return;
	for (size_t i = 0, at = 0; i < spans->count; at += spans->items[i++].len)
		spans->items[i].text = spans->text.data + at;
}

static void put_span(
	struct at_spans *spans, const char *text, size_t len, unsigned width, bool mark)
{
	struct at_span *last = spans->count ? &spans->items[spans->count - 1] : NULL;
	size_t at = spans->text.len;

	put_bytes(spans, text, len);
	spans->width += width;
	if (last && !last->mark && !mark) {
		last->len += len;
		last->width += width;
		return;
	}
	spans->items = at_grow(spans->items, &spans->cap, spans->count, sizeof(*spans->items));
	spans->items[spans->count++] = (struct at_span){
		.text = spans->text.data + at, .len = len, .width = width, .mark = mark };
}

static void put_mark(struct at_spans *spans, const char *name, unsigned width)
{
	put_span(spans, name, strlen(name), width, true);
	spans->marks++;
}

/* An arrow and spaces; a tab is no cause for a warning, so not counted. */
static void put_tab(struct at_spans *spans, unsigned tab, bool utf8)
{
	unsigned cells = tab - spans->width % tab;

	put_span(spans, utf8 ? "→" : ">", utf8 ? strlen("→") : 1, 1, true);
	spans->items[spans->count - 1].tab = true;
	if (cells == 1)
		return;
	for (unsigned i = 1; i < cells; i++)
		put_span(spans, " ", 1, 1, false);
}

/* Where to cut `text` so that at most `cap` bytes stay and no character is torn. */
static size_t cut_at(struct at_bytes text, size_t cap)
{
	size_t at = cap;

	if (!cap || text.len <= cap)
		return text.len;
	while (at > 0 && cap - at < 3 && ((unsigned char)text.data[at] & 0xc0) == 0x80)
		at--;
	return at;
}

void at_spans_add(struct at_spans *spans, struct at_bytes text, unsigned tab, size_t cap, bool utf8)
{
	size_t end = cut_at(text, cap), at = 0, used, plain;
	struct at_bytes kept = { text.data, end };
	uint32_t before = 0;
	unsigned joined = 0;
	int32_t code;
	char name[32];

	while (at < end) {
		for (plain = at;
			plain < end && text.data[plain] >= 0x20 && text.data[plain] < 0x7f;)
			plain++;
		if (plain > at) {
			put_span(spans, text.data + at, plain - at, (unsigned)(plain - at), false);
			before = (unsigned char)text.data[plain - 1];
			joined = 0;
			at = plain;
			continue;
		}
		used = at_utf8_next(kept, at, &code);
		if (code == '\t' && tab) {
			put_tab(spans, tab, utf8);
			before = 0;
		} else if (code < 0 || (code > 0x7f && !utf8) ||
			look_at((uint32_t)code, joined < MARKS_IN_A_ROW ? before : 0) == HIDDEN) {
			name_mark(name, code, (unsigned char)text.data[at]);
			put_mark(spans, name, (unsigned)strlen(name));
			before = 0;
		} else {
			unsigned width = at_char_width((uint32_t)code);

			put_span(spans, text.data + at, used, width, false);
			joined = width ? 0 : joined + 1;
			if (width)
				before = (uint32_t)code;
		}
		at += used;
	}
	if (end < text.len) {
		int len = snprintf(name, sizeof(name), "%s +%zu bytes", utf8 ? "…" : "...",
			text.len - end);

		put_mark(spans, name, (unsigned)len - (utf8 ? (unsigned)strlen("…") - 1 : 0));
	}
}

void at_spans_clear(struct at_spans *spans)
{
	spans->count = 0;
	spans->width = spans->marks = 0;
	spans->text.len = 0;
	if (spans->text.data)
		spans->text.data[0] = '\0';
}

void at_spans_free(struct at_spans *spans)
{
	free(spans->items);
	at_buf_free(&spans->text);
	*spans = (struct at_spans){ 0 };
}

void at_safe_text(struct at_buf *out, struct at_bytes text, bool lines)
{
	uint32_t before = 0;
	unsigned joined = 0;
	int32_t code;
	char name[32];

	for (size_t at = 0, used; (used = at_utf8_next(text, at, &code)) > 0; at += used) {
		if (lines && (code == '\n' || code == '\t')) {
			at_buf_putc(out, (char)code);
			before = 0;
		} else if (code < 0 ||
			look_at((uint32_t)code, joined < MARKS_IN_A_ROW ? before : 0) == HIDDEN) {
			name_mark(name, code, (unsigned char)text.data[at]);
			at_buf_puts(out, name);
			before = 0;
		} else {
			at_buf_put(out, text.data + at, used);
			if (at_char_width((uint32_t)code)) {
				before = (uint32_t)code;
				joined = 0;
			} else {
				joined++;
			}
		}
	}
}
