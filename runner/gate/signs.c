#include "runner/gate/signs.h"

#include <stdint.h>
#include <string.h>

static const struct sign_row {
	const char *from, *to; /* in UTF-8, of equal length: ordered as the code points are */
	bool only_in_names;    /* emoji and some scripts use them in prose */
} rows[] = {
	{ "\xe2\x80\xaa", "\xe2\x80\xae", false }, /* U+202A to U+202E, direction */
	{ "\xe2\x81\xa6", "\xe2\x81\xa9", false }, /* U+2066 to U+2069, isolates */
	{ "\xc2\x80", "\xc2\x9f", false },         /* C1 controls */
	{ "\xc2\xad", "\xc2\xad", true },          /* soft hyphen */
	{ "\xe2\x80\x8b", "\xe2\x80\x8f", true },  /* zero width, marks */
	{ "\xe2\x80\xa8", "\xe2\x80\xa9", true },  /* line and paragraph */
	{ "\xe2\x81\xa0", "\xe2\x81\xa5", true },  /* word joiner and operators */
	{ "\xef\xbb\xbf", "\xef\xbb\xbf", true },  /* byte order mark */
	{ "\xef\xb8\x80", "\xef\xb8\x8f", true },  /* variation selectors */
	{ "\xcd\x8f", "\xcd\x8f", true },          /* grapheme joiner */
	{ "\xe1\x85\x9f", "\xe1\x85\xa0", true },  /* fillers */
	{ "\xe3\x85\xa4", "\xe3\x85\xa4", true },
	{ "\xc2\xa0", "\xc2\xa0", true },          /* blanks that part no words */
	{ "\xe2\x80\x80", "\xe2\x80\x8a", true },
	{ "\xf3\xa0\x80\x80", "\xf3\xa0\x81\xbf", false }, /* tags */
};

static bool is_sign(const char *p, size_t left, bool in_name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n = strlen(rows[i].from);

		if (n <= left && (in_name || !rows[i].only_in_names)
			&& memcmp(p, rows[i].from, n) >= 0 && memcmp(p, rows[i].to, n) <= 0)
			return true;
	}
	return false;
}

#define ONES 0x0101010101010101u
#define HIGHS 0x8080808080808080u

/* How many bytes from `at` on are surely letters, digits, marks and blanks of ASCII. Eight are
 * looked at at once; what a carry or borrow marks wrongly is looked at by itself. */
static size_t plain_ahead(struct at_bytes text, size_t at)
{
	size_t from = at;

	for (; text.len - at >= 8; at += 8) {
		uint64_t word;

		memcpy(&word, text.data + at, 8);
		if ((word | (word - ONES * 0x20) | (word + ONES)) & HIGHS)
			break;
	}
	return at - from;
}

bool signs_in_command(struct at_bytes text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c;
		bool line_end;

		i += plain_ahead(text, i);
		if (i == text.len)
			break;
		c = (unsigned char)text.data[i];
		line_end = c == '\r' && i + 1 < text.len && text.data[i + 1] == '\n';
		if ((c < 0x20 && c != '\t' && c != '\n' && !line_end) || c == 0x7f)
			return true;
		if (c >= 0x80 && is_sign(text.data + i, text.len - i, false))
			return true;
	}
	return false;
}

bool signs_in_word(struct at_bytes text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.data[i] >= 0x80
			&& is_sign(text.data + i, text.len - i, true))
			return true;
	return false;
}
