#include "keys/field.h"

#include <string.h>

#include "core/mem.h"
#include "core/utf8.h"

struct range {
	int32_t first, last;
};

/* str.strip() of Python 3.11, measured. (reference-ledgers 1.3) */
static const struct range spaces[] = {
	{ 0x09, 0x0d }, { 0x1c, 0x20 }, { 0x85, 0x85 }, { 0xa0, 0xa0 }, { 0x1680, 0x1680 },
	{ 0x2000, 0x200a }, { 0x2028, 0x2029 }, { 0x202f, 0x202f }, { 0x205f, 0x205f },
	{ 0x3000, 0x3000 },
};

/* Shown as nothing, or as a change of direction. (reference-ledgers 1.10, step 2) */
static const struct range spoofs[] = {
	{ 0x61c, 0x61c }, { 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x2029 },
	{ 0x202a, 0x202e }, { 0x2060, 0x2064 }, { 0x2066, 0x2069 }, { 0xfeff, 0xfeff },
};

static bool is_in(int32_t code, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

/* Bytes of the space that `value` begins with, 0 for none. */
static size_t leading_space(struct at_bytes value)
{
	int32_t code;
	size_t len = at_utf8_next(value, 0, &code);

	return len && is_in(code, spaces, AT_LEN(spaces)) ? len : 0;
}

/* Bytes of the space that it ends with. */
static size_t trailing_space(struct at_bytes value)
{
	for (size_t back = 1; back <= 3 && back <= value.len; back++)
		if (leading_space((struct at_bytes){ value.data + value.len - back, back }) == back)
			return back;
	return 0;
}

/* Neither a space nor the byte of one. */
static bool is_graphic(char c)
{
	return c > 0x20 && c < 0x7f;
}

struct at_bytes at_field_strip(struct at_bytes value)
{
	size_t len;

	if (value.len == 0 || (is_graphic(value.data[0]) && is_graphic(value.data[value.len - 1])))
		return value;
	while ((len = leading_space(value))) {
		value.data += len;
		value.len -= len;
	}
	while ((len = trailing_space(value)))
		value.len -= len;
	return value;
}

bool at_field_is_blank(struct at_bytes value)
{
	return at_field_strip(value).len == 0;
}

enum at_field_fault at_field_check(struct at_bytes value)
{
	int32_t code;

	for (size_t i = 0, len; (len = at_utf8_next(value, i, &code)); i += len) {
		if (code < 0)
			return AT_FIELD_ENCODING;
		if (code == '|')
			return AT_FIELD_DELIMITER;
		if (code < 0x20 || (code >= 0x7f && code < 0xa0))
			return AT_FIELD_CONTROL;
		if (is_in(code, spoofs, AT_LEN(spoofs)))
			return AT_FIELD_SPOOF;
	}
	return AT_FIELD_FINE;
}

const char *at_field_fault_text(enum at_field_fault fault)
{
	static const char *const texts[] = {
		[AT_FIELD_FINE] = "",
		[AT_FIELD_DELIMITER] = "holds `|`, which divides the fields of what is signed",
		[AT_FIELD_CONTROL] = "holds a control character",
		[AT_FIELD_SPOOF] = "holds a character that is invisible or turns text around",
		[AT_FIELD_ENCODING] = "is no UTF-8",
	};

	return texts[fault];
}

void at_field_join(struct at_buf *out, const struct at_bytes *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct at_bytes value = at_field_strip(values[i]);

		if (i)
			at_buf_putc(out, '|');
		at_buf_put(out, value.data, value.len);
	}
}

void at_hex_put(struct at_buf *out, const unsigned char *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		at_buf_putc(out, digits[bytes[i] >> 4]);
		at_buf_putc(out, digits[bytes[i] & 15]);
	}
}

/* One more than the value of each digit; 0 for what is none. */
static const unsigned char hex_digits[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8,
	['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15,
	['f'] = 16, ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

bool at_hex_get(unsigned char *out, size_t len, struct at_bytes text)
{
	if (text.len != 2 * len)
		return false;
	for (size_t i = 0; i < len; i++) {
		int high = hex_digits[(unsigned char)text.data[2 * i]] - 1;
		int low = hex_digits[(unsigned char)text.data[2 * i + 1]] - 1;

		if (high < 0 || low < 0)
			return false;
		out[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}
