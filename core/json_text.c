#include "core/json_text.h"

#include <endian.h>
#include <string.h>

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool at_json_hex4(uint32_t *out, const char *p, const char *end)
{
	*out = 0;
	if (end - p < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(p[i]);

		if (digit < 0)
			return false;
		*out = *out << 4 | (uint32_t)digit;
	}
	return true;
}

static uint32_t unicode_escape(const char **p, const char *end)
{
	uint32_t code, low;

	at_json_hex4(&code, *p, end);
	*p += 4;
	if (code < 0xd800 || code > 0xdbff || end - *p < 6 || (*p)[0] != '\\' || (*p)[1] != 'u')
		return code;
	if (!at_json_hex4(&low, *p + 2, end) || low < 0xdc00 || low > 0xdfff)
		return code;
	*p += 6;
	return 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
}

uint32_t at_json_text_next(const char **p, const char *end)
{
	static const char names[] = "bfnrt", means[] = "\b\f\n\r\t";
	const char *name;
	uint32_t code;

	if (**p != '\\') {
		at_utf8_take(p, end, &code);
		return code;
	}
	*p += 2;
	if ((*p)[-1] == 'u')
		return unicode_escape(p, end);
	name = strchr(names, (*p)[-1]);
	return name ? (unsigned char)means[name - names] : (unsigned char)(*p)[-1];
}

size_t at_json_text_plain(char *out, struct at_json_text text)
{
	const char *p = text.data, *end = p + text.len;
	char *to = out;

	while (p < end) {
		const char *stop = memchr(p, '\\', (size_t)(end - p));
		size_t run = (size_t)((stop ? stop : end) - p);
		uint32_t code;

		memcpy(to, p, run);
		to += run;
		p += run;
		if (!stop)
			break;
		code = at_json_text_next(&p, end);
		if (code >= 0xd800 && code <= 0xdfff)
			code = AT_UTF8_REPLACEMENT;
		to += at_utf8_encode(to, code);
	}
	return (size_t)(to - out);
}

static void put_escape(struct at_buf *out, uint32_t code)
{
	static const char means[] = "\"\\\n\r\t\b\f", names[] = "\"\\nrtbf";
	const char *named = code && code < 0x80 ? strchr(means, (int)code) : NULL;

	if (named) {
		at_buf_putc(out, '\\');
		at_buf_putc(out, names[named - means]);
	} else if (code > 0xffff) {
		code -= 0x10000;
		at_buf_printf(out, "\\u%04x\\u%04x", 0xd800 | code >> 10, 0xdc00 | (code & 0x3ff));
	} else {
		at_buf_printf(out, "\\u%04x", code);
	}
}

static bool stands_for_itself(char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

void at_json_text_quote(struct at_buf *out, struct at_bytes plain, bool ascii)
{
	const char *p = plain.data, *end = p + plain.len;

	at_buf_reserve(out, plain.len + 2);
	at_buf_putc(out, '"');
	while (p < end) {
		const char *from = p;
		uint32_t code;
		char utf8[4];

		while (p < end && stands_for_itself(*p))
			p++;
		at_buf_put(out, from, (size_t)(p - from));
		if (p == end)
			break;
		at_utf8_take(&p, end, &code);
		if (code >= 0x7f && !ascii)
			at_buf_put(out, utf8, at_utf8_encode(utf8, code));
		else
			put_escape(out, code);
	}
	at_buf_putc(out, '"');
}

int at_json_text_compare(struct at_json_text a, struct at_json_text b)
{
	const char *p = a.data, *q = b.data, *p_end = p + a.len, *q_end = q + b.len;

	if (!a.escaped && !b.escaped) {
		size_t least = a.len < b.len ? a.len : b.len;
		int order = least ? memcmp(p, q, least) : 0;

		return order ? order : (a.len > b.len) - (a.len < b.len);
	}
	while (p < p_end && q < q_end) {
		uint32_t c = at_json_text_next(&p, p_end), d = at_json_text_next(&q, q_end);

		if (c != d)
			return c < d ? -1 : 1;
	}
	return (p < p_end) - (q < q_end);
}

bool at_json_text_equal(struct at_json_text a, struct at_json_text b)
{
	if (!a.escaped && !b.escaped && a.len != b.len)
		return false;
	return at_json_text_compare(a, b) == 0;
}

uint64_t at_json_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static uint64_t hash_escaped(struct at_json_text text, uint64_t hash)
{
	const char *p = text.data, *end = p + text.len;
	uint64_t word = 0, len = 0;
	char utf8[4];

	while (p < end) {
		unsigned bytes = at_utf8_encode(utf8, at_json_text_next(&p, end));

		for (unsigned i = 0; i < bytes; i++) {
			word |= (uint64_t)(unsigned char)utf8[i] << 8 * (len % 8);
			if (++len % 8 == 0) {
				hash = at_json_mix(hash, word);
				word = 0;
			}
		}
	}
	return at_json_mix(at_json_mix(hash, word), len);
}

uint64_t at_json_text_hash(struct at_json_text text)
{
	uint64_t hash = 0x2545f4914f6cdd1du, word;
	size_t i = 0;

	if (text.escaped)
		return hash_escaped(text, hash);
	for (; text.len - i >= 8; i += 8) {
		memcpy(&word, text.data + i, 8);
		hash = at_json_mix(hash, le64toh(word));
	}
	word = 0;
	memcpy(&word, text.data + i, text.len - i);
	return at_json_mix(at_json_mix(hash, le64toh(word)), text.len);
}
