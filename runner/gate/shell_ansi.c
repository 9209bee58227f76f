/* The escapes of $'…', which printf's format shares. */
#include <string.h>

#include "runner/gate/shell_impl.h"

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

static unsigned long number(struct at_bytes s, size_t *at, int base, size_t most)
{
	unsigned long value = 0;

	for (size_t n = 0; n < most && *at < s.len && digit(s.data[*at]) < base; n++)
		value = value * (unsigned)base + (unsigned)digit(s.data[(*at)++]);
	return value;
}

static void put_byte(struct sh *sh, struct sh_text *out, unsigned long byte)
{
	char c = (char)(byte & 0xff);

	sh_text_put(sh, out, &c, 1);
}

static void put_code(struct sh *sh, struct sh_text *out, unsigned long code)
{
	if (code < 0x80) {
		put_byte(sh, out, code);
	} else if (code < 0x800) {
		put_byte(sh, out, 0xc0 | code >> 6);
		put_byte(sh, out, 0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		put_byte(sh, out, 0xe0 | code >> 12);
		put_byte(sh, out, 0x80 | (code >> 6 & 0x3f));
		put_byte(sh, out, 0x80 | (code & 0x3f));
	} else {
		put_byte(sh, out, 0xf0 | (code >> 18 & 7));
		put_byte(sh, out, 0x80 | (code >> 12 & 0x3f));
		put_byte(sh, out, 0x80 | (code >> 6 & 0x3f));
		put_byte(sh, out, 0x80 | (code & 0x3f));
	}
}

/* The escapes with digits, at the byte behind the backslash; false: it is none of them. A NUL
 * ends the string, as in a shell. */
static bool put_number(
	struct sh *sh, struct sh_text *out, struct at_bytes s, size_t *at, bool *ends)
{
	size_t i = *at, from;
	char kind = s.data[i];
	unsigned long value;

	if (kind >= '0' && kind <= '7') {
		value = number(s, &i, 8, 3);
		*ends = (value & 0xff) == 0;
		put_byte(sh, out, value);
		*at = i;
		return true;
	}
	if (kind != 'x' && kind != 'u' && kind != 'U')
		return false;
	from = ++i;
	if (kind == 'x' && i < s.len && s.data[i] == '{') {
		from = ++i;
		value = number(s, &i, 16, 8);
		if (i < s.len && s.data[i] == '}')
			i++;
	} else {
		value = number(s, &i, 16, kind == 'x' ? 2 : kind == 'u' ? 4 : 8);
	}
	if (i == from)
		return false;
	*ends = value == 0;
	if (kind == 'x')
		put_byte(sh, out, value);
	else
		put_code(sh, out, value);
	*at = i;
	return true;
}

void sh_decode(struct sh *sh, struct sh_text *out, struct at_bytes s)
{
	static const char from[] = "abeEfnrtv\\'\"?", to[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	size_t i = 0;
	bool ends = false;

	while (i < s.len && !ends && !sh->stop) {
		const char *slash = memchr(s.data + i, '\\', s.len - i), *known;
		size_t plain = slash ? (size_t)(slash - s.data) - i : s.len - i, start = out->len;

		sh_text_put(sh, out, s.data + i, plain);
		i += plain;
		if (i >= s.len)
			break;
		if (++i == s.len) {
			sh_text_put(sh, out, "\\", 1);
			break;
		}
		start = out->len;
		known = s.data[i] ? strchr(from, s.data[i]) : NULL;
		if (known) {
			sh_text_put(sh, out, to + (known - from), 1);
			i++;
		} else if (s.data[i] == 'c' && i + 1 < s.len) {
			ends = (s.data[i + 1] & 0x1f) == 0;
			put_byte(sh, out, s.data[i + 1] & 0x1f);
			i += 2;
		} else if (!put_number(sh, out, s, &i, &ends)) {
			sh_text_put(sh, out, s.data + i - 1, 2);
			i++;
		}
		if (ends)
			out->len = start;
	}
}
