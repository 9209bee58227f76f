#include "emit/front_matter.h"

#include <string.h>

#include "core/mem.h"
#include "core/safetext.h"

static bool fail_at(struct at_error *err, unsigned line, const char *id, const char *message)
{
	at_fail(err, AT_EPARSE, "line %u of the agent file: %s", line, message);
	at_error_name(err, id);
	at_error_at(err, line, 1);
	return false;
}

/* The line at `at`, without its end; *next is where the next one begins. */
static struct at_bytes line_at(struct at_bytes text, size_t at, size_t *next)
{
	const char *end = memchr(text.data + at, '\n', text.len - at);
	size_t len = end ? (size_t)(end - text.data) - at : text.len - at;

	*next = at + len + (end != NULL);
	if (len > 0 && text.data[at + len - 1] == '\r')
		len--;
	return (struct at_bytes){ text.data + at, len };
}

bool at_front_split(struct at_bytes *front, struct at_bytes *body, struct at_bytes text,
	struct at_error *err)
{
	size_t at = 0, next;
	unsigned line = 1;

	if (text.len >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0)
		return fail_at(err, 1, "agent-bom",
			"it begins with a byte order mark, behind which "
			"the front matter is not seen; save it without one");
	if (text.len == 0 || !at_bytes_equal_text(line_at(text, 0, &next), "---"))
		return fail_at(err, 1, "agent-no-front-matter",
			"the first line must be `---`, with name and description after it");
	for (at = next; at < text.len && at < AT_FRONT_CAP; at = next) {
		line++;
		if (!at_bytes_equal_text(line_at(text, at, &next), "---"))
			continue;
		*front = (struct at_bytes){ text.data, next };
		*body = (struct at_bytes){ text.data + next, text.len - next };
		if (!at_utf8_is_valid(*front, NULL) || memchr(front->data, '\0', front->len))
			return fail_at(err, 1, "agent-utf8", "its front matter is no valid UTF-8");
		return true;
	}
	return fail_at(err, line, "agent-front-matter-open",
		"the front matter that began on line 1 never ends; close it with `---`");
}

struct at_front_walk at_front_begin(struct at_bytes front)
{
	struct at_front_walk walk = { .front = front, .line = 2 };

	line_at(front, 0, &walk.at);
	return walk;
}

static size_t key_length(struct at_bytes line)
{
	size_t len = 0;

	while (len < line.len && (strchr("-_", line.data[len]) ||
		(line.data[len] >= '0' && line.data[len] <= '9') ||
		((line.data[len] | 32) >= 'a' && (line.data[len] | 32) <= 'z')))
		len++;
	if (len == line.len || line.data[len] != ':')
		return 0;
	return len + 1 == line.len || line.data[len + 1] == ' ' ? len : 0;
}

static struct at_bytes trim(struct at_bytes text)
{
	while (text.len && (*text.data == ' ' || *text.data == '\t')) {
		text.data++;
		text.len--;
	}
	while (text.len && strchr(" \t\r\n", text.data[text.len - 1]))
		text.len--;
	return text;
}

/* Indented, or an item of a list that stands at the left margin. */
static bool continues(struct at_bytes line)
{
	return line.len > 0 &&
		(line.data[0] == ' ' || line.data[0] == '\t' ||
			(line.data[0] == '-' && (line.len == 1 || line.data[1] == ' ')));
}

static bool is_tabbed(struct at_bytes line)
{
	size_t i = 0;

	while (i < line.len && line.data[i] == ' ')
		i++;
	return i < line.len && line.data[i] == '\t' && trim(line).len > 0;
}

/* Blank lines inside a value belong to it when more of it follows. */
static bool take_rest(size_t *end, struct at_front_walk *walk, struct at_error *err)
{
	size_t at = walk->at, next;
	unsigned line = walk->line;

	*end = at;
	for (; at < walk->front.len; at = next, line++) {
		struct at_bytes text = line_at(walk->front, at, &next);

		if (text.len > 0 && !continues(text))
			return true;
		if (is_tabbed(text))
			return fail_at(err, line, "agent-tab",
				"a tab indents it, which YAML forbids; use spaces");
		if (text.len == 0)
			continue;
		*end = walk->at = next;
		walk->line = line + 1;
	}
	return true;
}

bool at_front_next(struct at_front_piece *out, bool *done, struct at_front_walk *walk,
	struct at_error *err)
{
	size_t start = walk->at, next, end, len;
	struct at_bytes line = line_at(walk->front, start, &next);

	*out = (struct at_front_piece){ .line = walk->line };
	*done = at_bytes_equal_text(line, "---");
	if (*done)
		return true;
	walk->at = next;
	walk->line++;
	out->text = (struct at_bytes){ walk->front.data + start, next - start };
	if (trim(line).len == 0 || trim(line).data[0] == '#')
		return true;
	len = key_length(line);
	if (len == 0)
		return fail_at(err, out->line, "agent-front-matter",
			"it is no `key: value`; keys are plain words");
	out->key = (struct at_bytes){ line.data, len };
	out->value = trim((struct at_bytes){ line.data + len + 1, line.len - len - 1 });
	if (!take_rest(&end, walk, err))
		return false;
	out->more = (struct at_bytes){ walk->front.data + next, end - next };
	out->text.len = end - start;
	return true;
}

static bool put_code(struct at_buf *out, const char *digits, unsigned count, size_t left)
{
	uint32_t code = 0;
	char utf8[4];

	if (left < count)
		return false;
	for (unsigned i = 0; i < count; i++) {
		static const char hex[] = "0123456789abcdef";
		const char *at = memchr(hex, digits[i] >= 'A' ? digits[i] | 32 : digits[i], 16);

		if (!at)
			return false;
		code = code * 16 + (uint32_t)(at - hex);
	}
	if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
		return false;
	at_buf_put(out, utf8, at_utf8_encode(utf8, code));
	return true;
}

/* What follows a backslash. Bytes used, or 0 when it is no escape. */
static size_t put_escape(struct at_buf *out, const char *p, size_t left)
{
	static const char from[] = "\"\\/ntrabfve ", to[] = "\"\\/\n\t\r\a\b\f\v\x1b ";
	unsigned digits = *p == 'x' ? 2 : *p == 'u' ? 4 : *p == 'U' ? 8 : 0;
	const char *at = strchr(from, *p);

	if (digits)
		return put_code(out, p + 1, digits, left - 1) ? 1 + digits : 0;
	if (!at || !*at)
		return 0;
	at_buf_putc(out, to[at - from]);
	return 1;
}

/* Reads a quoted text at the start of `value`; *used counts its quotes. */
static bool read_quoted(struct at_buf *out, size_t *used, struct at_bytes value)
{
	char quote = value.data[0];

	for (size_t i = 1; i < value.len; i++) {
		char c = value.data[i];

		if (c == quote && quote == '\'' && i + 1 < value.len &&
			value.data[i + 1] == quote) {
			i++;
		} else if (c == quote) {
			*used = i + 1;
			return true;
		} else if (c == '\\' && quote == '"') {
			size_t len = i + 1 < value.len
				? put_escape(out, value.data + i + 1, value.len - i - 1) : 0;

			if (len == 0)
				return false;
			i += len;
			continue;
		}
		at_buf_putc(out, c);
	}
	return false;
}

static bool is_comment(struct at_bytes rest)
{
	rest = trim(rest);
	return rest.len == 0 || rest.data[0] == '#';
}

static struct at_bytes without_comment(struct at_bytes value)
{
	for (size_t i = 1; i < value.len; i++)
		if (value.data[i] == '#' && (value.data[i - 1] == ' ' || value.data[i - 1] == '\t'))
			return trim((struct at_bytes){ value.data, i });
	return value;
}

/* One scalar that stands alone in `value`. */
static bool read_scalar(const char **out, struct at_bytes value, unsigned line,
	struct at_arena *arena, struct at_error *err)
{
	struct at_buf text = { 0 };
	size_t used;
	bool fine;

	if (value.len && (*value.data == '"' || *value.data == '\'')) {
		fine = read_quoted(&text, &used, value) &&
			is_comment((struct at_bytes){ value.data + used, value.len - used });
		if (fine)
			*out = at_arena_strndup(arena, at_buf_text(&text), text.len);
		at_buf_free(&text);
		return fine || fail_at(err, line, "agent-quotes",
			"its quotes do not close on the line, or hold an escape that YAML does not "
			"know");
	}
	if (value.len && strchr("&*!|>%@`[]{},", *value.data))
		return fail_at(err, line, "agent-yaml",
			"it uses an anchor, a tag or a text of many "
			"lines; write the value as one line in double quotes");
	value = without_comment(value);
	*out = at_arena_strndup(arena, value.data, value.len);
	return true;
}

bool at_front_text(const char **out, const struct at_front_piece *piece, struct at_arena *arena,
	struct at_error *err)
{
	if (trim(piece->more).len > 0 || is_comment(piece->value))
		return fail_at(err, piece->line, "agent-yaml",
			"the value must stand on the line of "
			"its key, and not be empty");
	if (!read_scalar(out, piece->value, piece->line, arena, err))
		return false;
	return **out || fail_at(err, piece->line, "agent-yaml", "the value is empty");
}

struct items {
	struct at_texts *out;
	size_t cap;
	struct at_arena *arena;
};

static bool add_item(struct items *in, struct at_bytes value, unsigned line, struct at_error *err)
{
	const char **old = in->out->items;
	const char *text;

	value = trim(value);
	if (value.len == 0)
		return fail_at(err, line, "agent-yaml", "the list has an empty item");
	if (!read_scalar(&text, value, line, in->arena, err))
		return false;
	if (in->out->count == in->cap) {
		in->cap = in->cap ? in->cap * 2 : 8;
		in->out->items = at_arena_alloc(in->arena, in->cap * sizeof(*old));
		if (in->out->count)
			memcpy(in->out->items, old, in->out->count * sizeof(*old));
	}
	in->out->items[in->out->count++] = text;
	return true;
}

/* Commas part the items, but not those inside quotes or round brackets: Bash(a, b). */
static bool split_items(struct items *in, struct at_bytes list, unsigned line,
	struct at_error *err)
{
	size_t start = 0, depth = 0;
	char quote = 0;

	if (trim(list).len == 0)
		return true;
	for (size_t i = 0; i <= list.len; i++) {
		char c = i < list.len ? list.data[i] : ',';
		bool ends = i == list.len || (c == ',' && !quote && depth == 0);

		if (ends && !add_item(in, (struct at_bytes){ list.data + start, i - start }, line,
				    err))
			return false;
		if (ends)
			start = i + 1;
		else if (quote == '"' && c == '\\' && i + 1 < list.len)
			i++;
		else if (quote)
			quote = c == quote ? 0 : quote;
		else if (c == '"' || c == '\'')
			quote = c;
		else if (c == '(')
			depth++;
		else if (c == ')' && depth)
			depth--;
	}
	return true;
}

static bool block_items(struct items *in, const struct at_front_piece *piece, struct at_error *err)
{
	unsigned line = piece->line + 1;

	for (size_t at = 0, next; at < piece->more.len; at = next, line++) {
		struct at_bytes text = trim(line_at(piece->more, at, &next));

		if (text.len == 0 || *text.data == '#')
			continue;
		if (*text.data != '-' || text.len < 2 || text.data[1] != ' ')
			return fail_at(err, line, "agent-yaml", "it is no `- item` of the list");
		if (!add_item(in, (struct at_bytes){ text.data + 2, text.len - 2 }, line, err))
			return false;
	}
	return true;
}

bool at_front_list(struct at_texts *out, const struct at_front_piece *piece,
	struct at_arena *arena, struct at_error *err)
{
	struct items in = { .out = out, .arena = arena };
	struct at_bytes value = piece->value;
	const char *text;

	*out = (struct at_texts){ 0 };
	if (is_comment(value))
		return block_items(&in, piece, err);
	if (trim(piece->more).len > 0)
		return fail_at(err, piece->line, "agent-yaml", "the list must end on its line");
	if (*value.data == '[') {
		value = without_comment(value);
		if (value.data[value.len - 1] != ']')
			return fail_at(err, piece->line, "agent-yaml", "the list does not close");
		return split_items(&in, (struct at_bytes){ value.data + 1, value.len - 2 },
			piece->line, err);
	}
	if (!read_scalar(&text, value, piece->line, arena, err))
		return false;
	return split_items(&in, at_bytes_of(text), piece->line, err);
}

void at_front_quote(struct at_buf *out, const char *text)
{
	at_buf_putc(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			at_buf_printf(out, "\\%c", *text);
		else if (*text == '\n')
			at_buf_puts(out, "\\n");
		else if ((unsigned char)*text < ' ' || *text == 127)
			at_buf_printf(out, "\\x%02X", (unsigned)*text);
		else
			at_buf_putc(out, *text);
	}
	at_buf_putc(out, '"');
}
