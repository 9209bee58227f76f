#include "keys/armour.h"

#include <string.h>

#define LINE_MOST 76u /* digits; what RFC 2045 allows and nobody passes */

static const char begins[] = "-----BEGIN ", ends[] = "-----END ", dashes[] = "-----";

#define LENGTH(text) (sizeof(text) - 1)

/* The next line without its end; false at the end of the text. */
static bool take_line(struct at_bytes *line, struct at_bytes *rest)
{
	const char *end;

	if (rest->len == 0)
		return false;
	end = memchr(rest->data, '\n', rest->len);
	*line = (struct at_bytes){ rest->data, end ? (size_t)(end - rest->data) : rest->len };
	rest->data += line->len + !!end;
	rest->len -= line->len + !!end;
	if (end && line->len && line->data[line->len - 1] == '\r')
		line->len--;
	return true;
}

static bool starts_with(struct at_bytes line, const char *text)
{
	return line.len >= strlen(text) && memcmp(line.data, text, strlen(text)) == 0;
}

/* `start`LABEL----- */
static bool take_label(struct at_bytes *label, struct at_bytes line, const char *start)
{
	size_t around = strlen(start) + LENGTH(dashes);

	if (!starts_with(line, start) || line.len <= around
		|| memcmp(line.data + line.len - LENGTH(dashes), dashes, LENGTH(dashes)) != 0)
		return false;
	*label = (struct at_bytes){ line.data + strlen(start), line.len - around };
	return true;
}

static const char *find_begin(struct at_armour *out, struct at_bytes *rest)
{
	struct at_bytes line;

	while (take_line(&line, rest)) {
		if (line.len == 0)
			continue;
		if (take_label(&out->label, line, begins))
			return NULL;
		return memmem(line.data, line.len + rest->len, begins, LENGTH(begins))
			? "it has text before its BEGIN line"
			: "it holds no PEM block";
	}
	return "it holds no PEM block";
}

/* Digits of all lines, padding too. */
static const char *count_digits(size_t *digits, size_t *padding, struct at_bytes line)
{
	if (line.len == 0)
		return "it has an empty line in its block";
	if (memchr(line.data, ':', line.len))
		return "its block has header lines";
	if (line.len > LINE_MOST)
		return "a line of its block is too long";
	if (*padding)
		return "its base64 goes on after the padding";
	*digits += line.len;
	for (size_t i = line.len; i > 0 && line.data[i - 1] == '='; i--)
		++*padding;
	return NULL;
}

static const char *find_end(struct at_armour *out, struct at_bytes *rest)
{
	size_t digits = 0, padding = 0;
	struct at_bytes line, label;

	out->body.data = rest->data;
	while (take_line(&line, rest)) {
		const char *fault;

		if (starts_with(line, begins))
			return "a second block begins inside its first";
		if (!starts_with(line, dashes)) {
			fault = count_digits(&digits, &padding, line);
			if (fault)
				return fault;
			continue;
		}
		if (!take_label(&label, line, ends) || !at_bytes_equal(label, out->label))
			return "its END line does not match its BEGIN line";
		if (digits == 0)
			return "its block is empty";
		if (digits % 4 || padding > 2)
			return "its base64 is not padded as it has to be";
		out->body.len = (size_t)(line.data - out->body.data);
		out->size = digits / 4 * 3 - padding;
		return NULL;
	}
	return "it is cut short: there is no END line";
}

const char *at_armour_find(struct at_armour *out, struct at_bytes text)
{
	struct at_bytes line;
	const char *fault;

	*out = (struct at_armour){ .label = { "", 0 } };
	fault = find_begin(out, &text);
	if (!fault)
		fault = find_end(out, &text);
	if (fault)
		return fault;
	while (take_line(&line, &text)) {
		if (line.len)
			return starts_with(line, begins) ? "it holds more than one block"
							 : "it has text after its END line";
	}
	return NULL;
}

/* All ones where from <= c <= to, else 0; no branch. */
static unsigned between(unsigned c, unsigned from, unsigned to)
{
	return ((from - 1u - c) & (c - to - 1u)) >> 16 & 0xffu;
}

/* 0 to 63, or a bit above for no digit. */
static unsigned value_of(unsigned c)
{
	unsigned known = between(c, 'A', 'Z') | between(c, 'a', 'z') | between(c, '0', '9')
		| between(c, '+', '+') | between(c, '/', '/');

	return (between(c, 'A', 'Z') & (c - 'A')) | (between(c, 'a', 'z') & (c - 'a' + 26))
		| (between(c, '0', '9') & (c - '0' + 52)) | (between(c, '+', '+') & 62)
		| (between(c, '/', '/') & 63) | ((known ^ 0xffu) << 1 & 0x100u);
}

static unsigned digit_of(unsigned value)
{
	return (between(value, 0, 25) & (value + 'A'))
		| (between(value, 26, 51) & (value - 26 + 'a'))
		| (between(value, 52, 61) & (value - 52 + '0')) | (between(value, 62, 62) & '+')
		| (between(value, 63, 63) & '/');
}

const char *at_armour_decode(unsigned char *out, const struct at_armour *armour)
{
	unsigned held = 0, bits = 0, wrong = 0;
	size_t done = 0;

	for (size_t i = 0; i < armour->body.len; i++) {
		unsigned c = (unsigned char)armour->body.data[i], value;

		if (c == '\n' || c == '='
			|| (c == '\r' && i + 1 < armour->body.len
				&& armour->body.data[i + 1] == '\n'))
			continue;
		value = value_of(c);
		wrong |= value & 0x100u;
		held = (held << 6 | (value & 63)) & 0xfffu;
		bits += 6;
		if (bits >= 8 && done < armour->size) {
			bits -= 8;
			out[done++] = (unsigned char)(held >> bits);
		}
	}
	if (wrong || done != armour->size)
		return "its base64 holds a character that has no place there";
	if (held & ((1u << bits) - 1u))
		return "its base64 is not in its one right form";
	return NULL;
}

size_t at_armour_size(const char *label, size_t len)
{
	size_t digits = (len + 2) / 3 * 4;

	return LENGTH(begins) + LENGTH(ends) + 2 * (strlen(label) + LENGTH(dashes) + 1) + digits
		+ (digits + AT_ARMOUR_LINE - 1) / AT_ARMOUR_LINE;
}

static char *put(char *out, const char *text)
{
	size_t len = strlen(text);

	memcpy(out, text, len);
	return out + len;
}

static char *put_digits(char *out, const unsigned char *bytes, size_t len)
{
	for (size_t i = 0, column = 0; i < len; i += 3, column += 4) {
		unsigned left = (unsigned)(len - i > 3 ? 3 : len - i);
		unsigned group = (unsigned)bytes[i] << 16
			| (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0)
			| (left > 2 ? bytes[i + 2] : 0);

		if (column == AT_ARMOUR_LINE) {
			*out++ = '\n';
			column = 0;
		}
		for (unsigned k = 0; k < 4; k++)
			*out++ = k <= left ? (char)digit_of(group >> (18 - 6 * k) & 63) : '=';
	}
	*out++ = '\n';
	return out;
}

void at_armour_write(char *out, const char *label, const unsigned char *bytes, size_t len)
{
	out = put(put(put(out, begins), label), dashes);
	*out++ = '\n';
	out = put_digits(out, bytes, len);
	out = put(put(put(out, ends), label), dashes);
	*out = '\n';
}
