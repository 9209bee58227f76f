#include "core/json_reader.h"

#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/json_text.h"

#define FAULT(name) [AT_JSON_BAD_##name]
#define AS_UTF8 "Save the file as UTF-8 without a byte order mark."

static const struct {
	const char *id;
	enum at_code code;
	const char *hint;
} faults[] = {
	FAULT(EMPTY) = { "json-empty", AT_EPARSE, "Write {} into it, or remove the file." },
	FAULT(COMMENT) = { "json-comment", AT_EPARSE, "Take the comment out; JSON has none." },
	FAULT(TRAILING_COMMA) = { "json-trailing-comma", AT_EPARSE, "Take the comma out." },
	FAULT(UTF8) = { "json-utf8", AT_EPARSE, AS_UTF8 },
	FAULT(UTF16) = { "json-utf16", AT_EPARSE, AS_UTF8 },
	FAULT(BOM) = { "json-bom", AT_EPARSE, AS_UTF8 },
	FAULT(DUPLICATE_KEY) = { "json-duplicate-key", AT_EINVALID, "Keep one of the two." },
	FAULT(DEPTH) = { "json-depth", AT_ELIMIT, "Flatten the value." },
	FAULT(SIZE) = { "json-size", AT_ELIMIT, "Make the file smaller." },
	FAULT(TRAILING_TEXT) = { "json-trailing-text", AT_EPARSE,
		"A file holds one value: take the rest out." },
	FAULT(CONTROL_CHARACTER) = { "json-control-character", AT_EPARSE,
		"Spell it as an escape inside a string (\\n, \\t, \\u001b), or take it out." },
	FAULT(ESCAPE) = { "json-escape", AT_EPARSE,
		"Escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four digits; "
		"double a backslash that means itself." },
	FAULT(NUMBER) = { "json-number", AT_EPARSE,
		"A number is like 0, -12, 3.5 or 1e9: no plus or zero before it, "
		"digits on both sides of a point." },
	FAULT(SYNTAX) = { "json-syntax", AT_EPARSE, "" },
};

bool at_json_refuse(const struct at_json_reader *r, enum at_json_fault fault, const char *at,
	const char *format, ...)
{
	struct at_bytes text = { r->text, (size_t)(r->end - r->text) };
	unsigned line, column;
	char what[256];
	va_list ap;

	if (!r->err)
		return false;
	va_start(ap, format);
	vsnprintf(what, sizeof(what), format, ap);
	va_end(ap);
	at_json_position(text, (size_t)(at - r->text), &line, &column);
	at_fail(r->err, faults[fault].code, "%s", what);
	at_error_at(r->err, line, column);
	at_error_name(r->err, faults[fault].id);
	at_error_hint(r->err, "%s", faults[fault].hint);
	return false;
}

bool at_json_is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		c == '_' || c == '.' || c == '+' || c == '-';
}

bool at_json_starts_with(const struct at_json_reader *r, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(r->end - r->p) >= len && memcmp(r->p, word, len) == 0;
}

bool at_json_is_comment(const struct at_json_reader *r)
{
	return *r->p == '#' || at_json_starts_with(r, "//") || at_json_starts_with(r, "/*");
}

static bool refuse_character(const struct at_json_reader *r, const char *wanted)
{
	const char *p = r->p;
	uint32_t code;

	if (!at_utf8_take(&p, r->end, &code))
		return at_json_refuse(r, AT_JSON_BAD_UTF8, r->p, "the byte 0x%02x is not UTF-8",
			(unsigned char)*r->p);
	if (code < 0x20)
		return at_json_refuse(r, AT_JSON_BAD_CONTROL_CHARACTER, r->p,
			"the control character 0x%02x stands where %s is expected", code, wanted);
	if (code >= 0x7f)
		return at_json_refuse(r, AT_JSON_BAD_SYNTAX, r->p,
			"U+%04X stands where %s is expected", code, wanted);
	return at_json_refuse(
		r, AT_JSON_BAD_SYNTAX, r->p, "%c stands where %s is expected", (char)code, wanted);
}

bool at_json_refuse_here(const struct at_json_reader *r, const char *wanted)
{
	if (r->p == r->end)
		return at_json_refuse(
			r, AT_JSON_BAD_SYNTAX, r->p, "the text ends where %s is expected", wanted);
	if (r->p == r->text && at_json_starts_with(r, "#!")) {
		at_json_refuse(r, AT_JSON_BAD_COMMENT, r->p, "this is a script, not JSON");
		at_error_hint(r->err, "Name the file that the script makes, not the script.");
		return false;
	}
	if (at_json_is_comment(r))
		return at_json_refuse(r, AT_JSON_BAD_COMMENT, r->p,
			"a comment stands where %s is expected", wanted);
	return refuse_character(r, wanted);
}

#define ONES 0x0101010101010101u
#define HIGHS 0x8080808080808080u

/* Passes what needs no look: up to the byte that ends the string, escapes or needs a check, or to
 * the last seven bytes of the text, which are passed one by one. Eight bytes are looked at at
 * once; a borrow may mark a byte only behind one that is marked rightly. */
static const char *skip_plain(const char *p, const char *end)
{
	while (end - p >= 8) {
		uint64_t word, quote, slash, marked;

		memcpy(&word, p, 8);
		word = le64toh(word);
		quote = word ^ ONES * '"';
		slash = word ^ ONES * '\\';
		marked = (word | (word - ONES * 0x20) | (quote - ONES) | (slash - ONES)) & HIGHS;
		if (marked)
			return p + __builtin_ctzll(marked) / 8;
		p += 8;
	}
	return p;
}

static bool read_escape(struct at_json_reader *r)
{
	const char *at = r->p++;
	uint32_t code;

	if (r->p < r->end && *r->p && strchr("\"\\/bfnrt", *r->p)) {
		r->p++;
		return true;
	}
	if (r->p < r->end && *r->p == 'u' && at_json_hex4(&code, r->p + 1, r->end)) {
		r->p += 5;
		return true;
	}
	if (r->p < r->end && *r->p == 'u')
		return at_json_refuse(r, AT_JSON_BAD_ESCAPE, at,
			"\\u is not followed by four hexadecimal digits");
	return at_json_refuse(
		r, AT_JSON_BAD_ESCAPE, at, "a backslash is not followed by an escape");
}

bool at_json_scan_string(struct at_json_reader *r, bool *escaped)
{
	const char *open = r->p++;
	uint32_t code;

	*escaped = false;
	for (;;) {
		unsigned char byte;

		r->p = skip_plain(r->p, r->end);
		if (r->p == r->end)
			return at_json_refuse(
				r, AT_JSON_BAD_SYNTAX, open, "this string is not closed");
		byte = (unsigned char)*r->p;
		if (byte == '"') {
			r->p++;
			return true;
		}
		if (byte == '\\') {
			*escaped = true;
			if (!read_escape(r))
				return false;
		} else if (byte < 0x20) {
			return at_json_refuse(r, AT_JSON_BAD_CONTROL_CHARACTER, r->p,
				"the control character 0x%02x stands inside a string", byte);
		} else if (byte < 0x80) {
			r->p++;
		} else {
			const char *at = r->p;

			if (!at_utf8_take(&r->p, r->end, &code))
				return at_json_refuse(r, AT_JSON_BAD_UTF8, at,
					"the byte 0x%02x is not UTF-8", byte);
		}
	}
}

static bool skip_digits(struct at_json_reader *r)
{
	const char *from = r->p;

	while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
		r->p++;
	return r->p > from;
}

static bool number_follows_grammar(struct at_json_reader *r)
{
	if (r->p < r->end && *r->p == '-')
		r->p++;
	if (r->p < r->end && *r->p == '0')
		r->p++;
	else if (!skip_digits(r))
		return false;
	if (r->p < r->end && *r->p == '.') {
		r->p++;
		if (!skip_digits(r))
			return false;
	}
	if (r->p < r->end && (*r->p == 'e' || *r->p == 'E')) {
		r->p++;
		if (r->p < r->end && (*r->p == '+' || *r->p == '-'))
			r->p++;
		if (!skip_digits(r))
			return false;
	}
	return r->p == r->end || !at_json_is_word(*r->p);
}

bool at_json_scan_number(struct at_json_reader *r)
{
	const char *at = r->p;
	int len = 0;

	if (number_follows_grammar(r))
		return true;
	while (len < 40 && at + len < r->end && at_json_is_word(at[len]))
		len++;
	return at_json_refuse(r, AT_JSON_BAD_NUMBER, at, "%.*s is not a JSON number", len, at);
}
