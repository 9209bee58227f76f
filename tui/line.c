#include "tui/line.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/mem.h"

#define LINE_CAP 4096
#define TAB 4 /* narrow panes show code and settings, not tables */

void at_line_clear(struct at_line *line)
{
	at_spans_clear(&line->spans);
	line->count = 0;
	line->held = 0;
	line->after = AT_STYLE_NORMAL;
}

void at_line_free(struct at_line *line)
{
	at_spans_free(&line->spans);
	free(line->pieces);
	*line = (struct at_line){ 0 };
}

static void start_piece(struct at_line *line, enum at_style style)
{
	line->pieces = at_grow(line->pieces, &line->cap, line->count, sizeof(*line->pieces));
	line->pieces[line->count++] = (struct at_line_piece){ line->spans.count, style };
}

/* Spans of two pieces must not melt into one: an empty mark would show, so the new text is
 * made apart and appended span by span. */
static void append(struct at_line *line, const struct at_spans *more)
{
	for (size_t i = 0; i < more->count; i++) {
		const struct at_span *span = &more->items[i];
		struct at_spans *spans = &line->spans;
		const char *old = spans->text.data;
		size_t at = spans->text.len;

		at_buf_put(&spans->text, span->text, span->len);
		if (spans->text.data != old)
			for (size_t k = 0, from = 0; k < spans->count;
				from += spans->items[k++].len)
				spans->items[k].text = spans->text.data + from;
		spans->items =
			at_grow(spans->items, &spans->cap, spans->count, sizeof(*spans->items));
		spans->items[spans->count] = *span;
		spans->items[spans->count++].text = spans->text.data + at;
		spans->width += span->width;
	}
	line->spans.marks += more->marks;
}

void at_line_add(struct at_line *line, enum at_style style, struct at_bytes text)
{
	struct at_spans more = { 0 };

	if (!text.len)
		return;
	more.width = line->spans.width - line->held; /* where tabs count from */
	at_spans_add(&more, text, line->tab ? line->tab : TAB, LINE_CAP, !line->ascii);
	start_piece(line, style);
	append(line, &more);
	at_spans_free(&more);
}

void at_line_text(struct at_line *line, enum at_style style, const char *text)
{
	at_line_add(line, style, at_bytes_of(text));
}

/* `text` with stand-ins, cut where `out` ends. */
static const char *in_ascii(char *out, size_t size, const char *text)
{
	struct at_bytes bytes = at_bytes_of(text);
	size_t len = 0;
	int32_t code;

	for (size_t at = 0, used; len + 1 < size && (used = at_utf8_next(bytes, at, &code)) > 0;
		at += used)
		out[len++] =
			code >= 0 && code < 0x80 ? (char)code : at_plain_symbol((uint32_t)code);
	out[len] = '\0';
	return out;
}

void at_line_own(struct at_line *line, enum at_style style, const char *text)
{
	char plain[512];

	at_line_text(line, style, line->ascii ? in_ascii(plain, sizeof(plain), text) : text);
}

void at_line_textf(struct at_line *line, enum at_style style, const char *format, ...)
{
	char text[1024], plain[512];
	va_list args;

	va_start(args, format);
	if (line->ascii)
		format = in_ascii(plain, sizeof(plain), format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	at_line_text(line, style, text);
}

void at_line_pad(struct at_line *line, enum at_style style, unsigned to_width)
{
	if (line->spans.width < to_width)
		at_line_textf(line, style, "%*s", (int)(to_width - line->spans.width), "");
}

void at_line_hold(struct at_line *line)
{
	line->held = line->spans.width;
}

/* A part of a span: its bytes, its cells, and the cells left empty before it. */
struct cut {
	struct at_bytes text;
	int width, lead;
};

/* From cell `from` up to cell `to`, whole characters only. A mark is one thing: all of it or
 * none. */
static struct cut cut_span(const struct at_span *span, int from, int to)
{
	struct at_bytes text = { span->text, span->len };
	struct cut cut = { { NULL, 0 }, 0, 0 };
	int cell = 0;
	int32_t code;

	if (span->mark && (from > 0 || to < (int)span->width))
		return cut;
	for (size_t at = 0, used; (used = at_utf8_next(text, at, &code)) > 0; at += used) {
		int step = (int)at_char_width((uint32_t)code);

		if (cell + step > to)
			break;
		/* An accent stays with its letter. */
		if (cell >= from && (step || cut.text.data || from == 0)) {
			if (!cut.text.data)
				cut = (struct cut){ { text.data + at, 0 }, 0, cell - from };
			cut.text.len = (size_t)(text.data + at + used - cut.text.data);
			cut.width += step;
		}
		cell += step;
	}
	return cut;
}

static void put_span(struct at_line *line, enum at_style style, const struct at_span *span)
{
	struct at_span copy = *span;
	struct at_spans one = { .items = &copy, .count = 1 };

	start_piece(line, style);
	append(line, &one);
}

void at_line_put_part(
	struct at_line *line, const struct at_line *from, int skip, int width, enum at_style rest)
{
	bool is_cut = (int)from->spans.width > skip + width;
	int end = skip + width - is_cut, cell = 0;
	int start = (int)line->spans.width;
	size_t piece = 0;

	for (size_t i = 0; i < from->spans.count && cell < end; i++) {
		struct at_span part = from->spans.items[i];
		int whole = (int)part.width, before = cell > skip ? cell - skip : 0;
		struct cut cut = cut_span(&part, skip > cell ? skip - cell : 0,
			end < cell + whole ? end - cell : whole);

		while (piece + 1 < from->count && from->pieces[piece + 1].first <= i)
			piece++;
		cell += whole;
		if (!cut.text.len)
			continue;
		/* What is left out leaves its cells empty, so that columns stay. */
		at_line_pad(line, from->pieces[piece].style, (unsigned)(start + before + cut.lead));
		part.text = cut.text.data;
		part.len = cut.text.len;
		part.width = (unsigned)cut.width;
		put_span(line, from->pieces[piece].style, &part);
	}
	at_line_pad(line, rest, (unsigned)(start + width - is_cut));
	if (is_cut)
		at_line_text(line, AT_STYLE_ACCENT, line->ascii ? "~" : "…");
}

int at_line_room(const struct at_line *line, int width)
{
	int room = width - (int)line->held;

	return room < 1 ? 1 : room;
}

int at_line_next(const struct at_line *line, int width, int skip)
{
	int room = at_line_room(line, width), cell = -(int)line->held, want = skip + room;
	int after_space = 0;

	if ((int)(line->spans.width - line->held) <= want)
		return -1;
	for (size_t i = 0; i < line->spans.count; i++) {
		const struct at_span *span = &line->spans.items[i];
		struct at_bytes text = { span->text, span->len };
		int32_t code;

		if (cell + (int)span->width < want && !line->words) {
			cell += (int)span->width;
			continue;
		}
		for (size_t at = 0, used; (used = at_utf8_next(text, at, &code)) > 0; at += used) {
			int step = (int)at_char_width((uint32_t)code);

			if (cell + step > want && step > 0 && after_space > skip && code != ' ')
				return after_space;
			if (cell + step > want && step > 0)
				return cell > skip ? cell : want;
			cell += step;
			if (line->words && code == ' ')
				after_space = cell;
		}
	}
	return -1;
}

unsigned at_line_rows(const struct at_line *line, int width)
{
	unsigned rows = 1;

	for (int skip = 0; (skip = at_line_next(line, width, skip)) >= 0;)
		rows++;
	return rows;
}

/* Draws the spans that start in cells [from, to) of the line. */
static void paint_cells(const struct at_line *line, const struct at_canvas *canvas, int y,
	unsigned from, unsigned to, int skip)
{
	unsigned cell = 0;
	size_t piece = 0;
	int x = 0;

	for (size_t i = 0; i < line->spans.count; i++) {
		const struct at_span *span = &line->spans.items[i];
		int width = (int)span->width;

		while (piece + 1 < line->count && line->pieces[piece + 1].first <= i)
			piece++;
		if (cell >= from && cell < to) {
			if (skip >= width)
				skip -= width;
			else {
				x = at_canvas_span(
					canvas, x, y, span, line->pieces[piece].style, skip);
				skip = 0;
			}
		}
		cell += span->width;
	}
}

void at_line_paint(const struct at_line *line, const struct at_canvas *canvas, int y, int skip,
	bool tell)
{
	int held = (int)line->held, room = at_line_room(line, canvas->at.width);
	int next = line->words && !tell ? at_line_next(line, canvas->at.width, skip) : -1;
	struct at_rect gutter = { 0, y, held, 1 }, rest = { held, y, room, 1 };
	struct at_canvas part;

	at_canvas_fill_row(canvas, y, line->after);
	part = at_canvas_part(canvas, gutter);
	if (held)
		paint_cells(line, &part, 0, 0, line->held, 0);
	if (next >= 0 && next - skip < room)
		rest.width = next - skip;
	part = at_canvas_part(canvas, rest);
	paint_cells(line, &part, 0, line->held, line->spans.width + 1, skip);
	if (tell && (int)(line->spans.width - line->held) > skip + room)
		at_canvas_text(&part, room - 1, 0, "…", AT_STYLE_ACCENT);
}
