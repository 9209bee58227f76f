#include "emit/toml_text.h"

#include <string.h>

#include "core/mem.h"
#include "core/utf8.h"
#include "emit/agent.h"

static bool is_key_char(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '-' || c == '_';
}

static char peek(const struct at_toml_walk *walk, size_t ahead)
{
	return walk->at + ahead < walk->text.len ? walk->text.data[walk->at + ahead] : '\0';
}

static void skip_blanks(struct at_toml_walk *walk)
{
	while (peek(walk, 0) == ' ' || peek(walk, 0) == '\t')
		walk->at++;
}

/* The bytes of a line's end here: LF or CRLF. */
static size_t end_of_line(const struct at_toml_walk *walk)
{
	return peek(walk, 0) == '\n' ? 1 : peek(walk, 0) == '\r' && peek(walk, 1) == '\n' ? 2 : 0;
}

/* Control characters that no text and no comment may hold. */
static bool is_control(char c)
{
	return ((unsigned char)c < ' ' && c != '\t') || c == 127;
}

/* A comment or nothing, and the end of the line or of the file. */
static bool finish_line(struct at_toml_walk *walk, struct at_error *err)
{
	size_t len;

	skip_blanks(walk);
	if (peek(walk, 0) == '#')
		while (walk->at < walk->text.len && !is_control(peek(walk, 0)))
			walk->at++;
	len = end_of_line(walk);
	if (len == 0 && walk->at < walk->text.len)
		return at_agent_fail(err, walk->line, "agent-toml",
			"after the value nothing but a comment may stand on the line");
	walk->at += len;
	walk->line += len > 0;
	return true;
}

static bool fail_text(const struct at_toml_walk *walk, struct at_error *err)
{
	return at_agent_fail(err, walk->line, "agent-toml-text",
		"the text does not close, or holds a control character that must be escaped");
}

static bool fail_escape(const struct at_toml_walk *walk, struct at_error *err)
{
	return at_agent_fail(err, walk->line, "agent-toml-escape",
		"it holds an escape that TOML 1.0 does not know, or that of a NUL");
}

static bool put_code(struct at_buf *out, struct at_toml_walk *walk, unsigned digits,
	struct at_error *err)
{
	uint32_t code = 0;
	char utf8[4];

	for (unsigned i = 0; i < digits; i++) {
		static const char hex[] = "0123456789abcdef";
		char c = peek(walk, i);
		const char *at = c ? memchr(hex, c >= 'A' && c <= 'F' ? c | 32 : c, 16) : NULL;

		if (!at)
			return fail_escape(walk, err);
		code = code * 16 + (uint32_t)(at - hex);
	}
	if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
		return fail_escape(walk, err);
	walk->at += digits;
	at_buf_put(out, utf8, at_utf8_encode(utf8, code));
	return true;
}

/* A backslash at a line's end takes all white space up to the next text with it. */
static bool skip_fold(struct at_toml_walk *walk)
{
	struct at_toml_walk ahead = *walk;
	size_t len;

	skip_blanks(&ahead);
	if (end_of_line(&ahead) == 0)
		return false;
	for (;;) {
		skip_blanks(&ahead);
		len = end_of_line(&ahead);
		if (len == 0)
			break;
		ahead.at += len;
		ahead.line++;
	}
	*walk = ahead;
	return true;
}

static bool put_escape(struct at_buf *out, struct at_toml_walk *walk, bool many,
	struct at_error *err)
{
	static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
	const char *at;
	char c;

	walk->at++;
	if (many && skip_fold(walk))
		return true;
	c = peek(walk, 0);
	walk->at++;
	if (c == 'u' || c == 'U')
		return put_code(out, walk, c == 'u' ? 4 : 8, err);
	at = c ? strchr(from, c) : NULL;
	if (!at)
		return fail_escape(walk, err);
	at_buf_putc(out, to[at - from]);
	return true;
}

/* After the opening quotes, up to and with the closing ones. */
static bool read_line_text(struct at_buf *out, struct at_toml_walk *walk, char quote,
	struct at_error *err)
{
	while (walk->at < walk->text.len) {
		char c = peek(walk, 0);

		if (c == quote) {
			walk->at++;
			return true;
		}
		if (is_control(c))
			break;
		if (c == '\\' && quote == '"') {
			if (!put_escape(out, walk, false, err))
				return false;
			continue;
		}
		at_buf_putc(out, c);
		walk->at++;
	}
	return fail_text(walk, err);
}

/* Up to two quotes may stand right before the three that close. */
static bool read_quotes(struct at_buf *out, struct at_toml_walk *walk, char quote)
{
	size_t count = 1;

	while (count < 5 && peek(walk, count) == quote)
		count++;
	walk->at += count;
	at_buf_pad(out, quote, count >= 3 ? count - 3 : count);
	return count >= 3;
}

static bool read_block_text(struct at_buf *out, struct at_toml_walk *walk, char quote,
	struct at_error *err)
{
	size_t len = end_of_line(walk);

	walk->at += len;
	walk->line += len > 0;
	while (walk->at < walk->text.len) {
		char c = peek(walk, 0);

		if (c == quote) {
			if (read_quotes(out, walk, quote))
				return true;
			continue;
		}
		if (c == '\\' && quote == '"') {
			if (!put_escape(out, walk, true, err))
				return false;
			continue;
		}
		len = end_of_line(walk);
		if (len == 0 && is_control(c))
			break;
		len += len == 0;
		walk->line += c == '\n' || len == 2;
		at_buf_put(out, walk->text.data + walk->at, len);
		walk->at += len;
	}
	return fail_text(walk, err);
}

static bool read_value(struct at_toml_piece *out, struct at_toml_walk *walk, struct at_arena *arena,
	struct at_error *err)
{
	char quote = peek(walk, 0);
	struct at_buf text = { 0 };
	bool done;

	if (quote != '"' && quote != '\'')
		return at_agent_fail(err, walk->line, "agent-toml-type",
			"the value of `%.*s` is no text in quotes; no other kind is read here",
			(int)out->key.len, out->key.data);
	if (peek(walk, 1) == quote && peek(walk, 2) == quote) {
		walk->at += 3;
		done = read_block_text(&text, walk, quote, err);
	} else {
		walk->at++;
		done = read_line_text(&text, walk, quote, err);
	}
	if (done)
		out->value = (struct at_bytes){
			at_arena_strndup(arena, at_buf_text(&text), text.len), text.len };
	at_buf_free(&text);
	return done;
}

static bool read_key(struct at_toml_piece *out, struct at_toml_walk *walk, struct at_error *err)
{
	size_t len = 0;

	if (peek(walk, 0) == '[')
		return at_agent_fail(err, walk->line, "agent-toml",
			"it opens a table; an agent file has keys alone");
	while (is_key_char(peek(walk, len)))
		len++;
	out->key = (struct at_bytes){ walk->text.data + walk->at, len };
	walk->at += len;
	skip_blanks(walk);
	if (len == 0 || peek(walk, 0) != '=')
		return at_agent_fail(err, walk->line, "agent-toml",
			"it is no `key = \"text\"`; keys are plain words without dots and quotes");
	walk->at++;
	skip_blanks(walk);
	return true;
}

bool at_toml_next(struct at_toml_piece *out, bool *done, struct at_toml_walk *walk,
	struct at_arena *arena, struct at_error *err)
{
	size_t start = walk->at;

	if (walk->line == 0)
		walk->line = 1;
	*out = (struct at_toml_piece){ .line = walk->line };
	*done = walk->at == walk->text.len;
	if (*done)
		return true;
	skip_blanks(walk);
	if (peek(walk, 0) != '#' && end_of_line(walk) == 0 && walk->at < walk->text.len &&
		(!read_key(out, walk, err) || !read_value(out, walk, arena, err)))
		return false;
	if (!finish_line(walk, err))
		return false;
	out->text = (struct at_bytes){ walk->text.data + start, walk->at - start };
	return true;
}

/* `lines`: a newline stands as it is. */
static void put_escaped(struct at_buf *out, struct at_bytes text, bool lines)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];

		if (c == '"' || c == '\\')
			at_buf_printf(out, "\\%c", c);
		else if (c == '\n' && !lines)
			at_buf_puts(out, "\\n");
		else if (c != '\n' && c != '\t' && is_control(c))
			at_buf_printf(out, "\\u%04X", (unsigned)c);
		else
			at_buf_putc(out, c);
	}
}

void at_toml_quote(struct at_buf *out, struct at_bytes text)
{
	at_buf_putc(out, '"');
	put_escaped(out, text, false);
	at_buf_putc(out, '"');
}

void at_toml_block(struct at_buf *out, struct at_bytes text)
{
	bool literal = memmem(text.data, text.len, "'''", 3) == NULL;

	for (size_t i = 0; literal && i < text.len; i++)
		literal = text.data[i] == '\n' || !is_control(text.data[i]);
	at_buf_puts(out, literal ? "'''\n" : "\"\"\"\n");
	if (literal)
		at_buf_put(out, text.data, text.len);
	else
		put_escaped(out, text, true);
	at_buf_puts(out, literal ? "'''" : "\"\"\"");
}
