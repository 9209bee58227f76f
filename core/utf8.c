#include "core/utf8.h"

/* By lead byte from 0xc2: what may follow it. Lead bytes outside the rows are never
 * well-formed. (Unicode, table 3-7) */
static const struct lead {
	unsigned char first, last, low, high, more;
} leads[] = {
	{ 0xc2, 0xdf, 0x80, 0xbf, 1 },
	{ 0xe0, 0xe0, 0xa0, 0xbf, 2 },
	{ 0xe1, 0xec, 0x80, 0xbf, 2 },
	{ 0xed, 0xed, 0x80, 0x9f, 2 },
	{ 0xee, 0xef, 0x80, 0xbf, 2 },
	{ 0xf0, 0xf0, 0x90, 0xbf, 3 },
	{ 0xf1, 0xf3, 0x80, 0xbf, 3 },
	{ 0xf4, 0xf4, 0x80, 0x8f, 3 },
};

static const struct lead *lead_of(unsigned char byte)
{
	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++)
		if (byte >= leads[i].first && byte <= leads[i].last)
			return &leads[i];
	return NULL;
}

bool at_utf8_take(const char **p, const char *end, uint32_t *code)
{
	unsigned char byte = (unsigned char)*(*p)++;
	const struct lead *lead;
	uint32_t sum;

	*code = byte;
	if (byte < 0x80)
		return true;
	*code = AT_UTF8_REPLACEMENT;
	lead = lead_of(byte);
	if (!lead)
		return false;
	sum = byte & (0x3fu >> lead->more);
	for (unsigned i = 0; i < lead->more; i++) {
		unsigned char low = i ? 0x80 : lead->low, high = i ? 0xbf : lead->high;

		if (*p == end || (unsigned char)**p < low || (unsigned char)**p > high)
			return false;
		sum = sum << 6 | ((unsigned char)*(*p)++ & 0x3f);
	}
	*code = sum;
	return true;
}

unsigned at_utf8_encode(char out[4], uint32_t code)
{
	unsigned more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	static const unsigned char mark[] = { 0, 0xc0, 0xe0, 0xf0 };

	for (unsigned i = more; i > 0; i--, code >>= 6)
		out[i] = (char)(0x80 | (code & 0x3f));
	out[0] = (char)(mark[more] | code);
	return more + 1;
}

size_t at_utf8_next(struct at_bytes text, size_t at, int32_t *code)
{
	const char *p;
	uint32_t taken;

	*code = 0;
	if (at >= text.len)
		return 0;
	p = text.data + at;
	if (!at_utf8_take(&p, text.data + text.len, &taken)) {
		*code = -1;
		return 1;
	}
	*code = (int32_t)taken;
	return (size_t)(p - text.data) - at;
}

bool at_utf8_is_valid(struct at_bytes text, size_t *bad_offset)
{
	int32_t code;

	for (size_t at = 0, used; (used = at_utf8_next(text, at, &code)) > 0; at += used) {
		if (code < 0) {
			if (bad_offset)
				*bad_offset = at;
			return false;
		}
	}
	return true;
}
