/* safetext.h - untrusted bytes made showable.
 *
 * The only way text reaches a screen, a log line or a message. Control bytes, invalid
 * UTF-8, bidirectional and invisible characters become visible marks; everything else
 * is left as it is. Spans carry text that is safe by construction: a grid accepts
 * nothing else. (STG-2)
 */
#ifndef AT_SAFETEXT_H
#define AT_SAFETEXT_H

#include <stdbool.h>

#include "core/utf8.h"

/* One run of safe text. */
struct at_span {
	const char *text; /* valid UTF-8, printable, no tab, no newline */
	size_t len;       /* bytes */
	unsigned width;   /* cells */
	bool mark;        /* stands for something unprintable: shown in the control style */
	bool tab;         /* a mark that is only a tab's arrow: shown faintly */
};

struct at_spans {
	struct at_span *items;
	size_t count, cap;
	struct at_buf text; /* owns the bytes; span texts point into it once done */
	unsigned width;     /* cells, all together */
	unsigned marks;     /* how many things were made visible */
};

/* Appends one line of untrusted text. Tabs expand to the next multiple of `tab` cells
 * (0: shown as a mark). Bytes past `cap` (0: none) are folded into one mark that tells
 * how many. Non-ASCII becomes marks too unless `utf8` is set (a C locale). */
void at_spans_add(struct at_spans *spans, struct at_bytes text, unsigned tab, size_t cap,
	bool utf8);
void at_spans_clear(struct at_spans *spans); /* keeps the memory */
void at_spans_free(struct at_spans *spans);

/* The same text as one plain string for terminals and pipes without a grid: appended
 * to `out`, marks in angle brackets or caret form, newlines kept when `lines`. */
void at_safe_text(struct at_buf *out, struct at_bytes text, bool lines);

/* Cells of one code point: 0, 1 or 2 (utf8proc, with its known faults mended). */
unsigned at_char_width(uint32_t code);

#endif
