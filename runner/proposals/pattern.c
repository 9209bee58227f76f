#include "runner/proposals/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes.h"
#include "core/mem.h"

/* What a letter behind a backslash stands for, outside brackets and within. */
static const struct {
	char letter;
	const char *outside, *within; /* NULL: refused there */
} classes[] = {
	{ 'd', "[0-9]", "0-9" },
	{ 'D', "[^0-9]", NULL },
	{ 'w', "[A-Za-z0-9_]", "A-Za-z0-9_" },
	{ 'W', "[^A-Za-z0-9_]", NULL },
	{ 's', "[ \t\n\r\f\v]", " \t\n\r\f\v" },
	{ 'S', "[^ \t\n\r\f\v]", NULL },
	{ 't', "\t", "\t" },
};

struct reader {
	const char *p; /* what is left */
	struct at_buf out;
	unsigned long repeats;
	unsigned depth;
	bool may_repeat; /* something stands before that a repeat can mean */
	char *why;
	size_t size;
};

static bool refuse(struct reader *r, const char *what)
{
	snprintf(r->why, r->size, "%s", what);
	return false;
}

static bool is_punctuation(char c)
{
	return c > 0x20 && c < 0x7f && !(c >= '0' && c <= '9')
		&& !((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* One escape; `within` a bracket or not. `*plain` is the character it is, 0 for a class. */
static bool take_escape(struct reader *r, bool within, char *plain)
{
	char c = r->p[1];

	*plain = 0;
	r->p += 2;
	if (is_punctuation(c)) {
		*plain = c;
		return true;
	}
	for (size_t i = 0; i < AT_LEN(classes); i++) {
		const char *text = within ? classes[i].within : classes[i].outside;

		if (classes[i].letter != c || !text)
			continue;
		at_buf_puts(&r->out, text);
		return true;
	}
	return refuse(r,
		"uses an escape that is not taken here (\\d \\w \\s \\t and punctuation "
		"are)");
}

/* The members of a bracket, as a set: POSIX has no escapes in one. */
struct set {
	bool has[128];
	bool negated;
};

static void add_range(struct set *set, unsigned char low, unsigned char high)
{
	for (unsigned c = low; c <= high; c++)
		set->has[c] = true;
}

static bool add_class(struct set *set, const char *text)
{
	for (; *text; text++) {
		if (text[1] == '-' && text[2]) {
			add_range(set, (unsigned char)text[0], (unsigned char)text[2]);
			text += 2;
		} else {
			set->has[(unsigned char)*text] = true;
		}
	}
	return true;
}

/* One member: a character, or a class that is added at once (then *low is -1). */
static bool take_member(struct reader *r, struct set *set, int *low)
{
	size_t from = r->out.len;
	char plain;

	*low = -1;
	if ((unsigned char)*r->p >= 0x80)
		return refuse(r, "has a character beyond ASCII in brackets");
	if (*r->p != '\\') {
		*low = (unsigned char)*r->p++;
		return true;
	}
	if (!take_escape(r, true, &plain))
		return false;
	if (plain) {
		*low = (unsigned char)plain;
		return true;
	}
	add_class(set, r->out.data + from);
	r->out.len = from;
	return true;
}

static bool take_set(struct reader *r, struct set *set)
{
	bool is_first = true;

	r->p++;
	set->negated = *r->p == '^';
	r->p += set->negated;
	for (; *r->p && (*r->p != ']' || is_first); is_first = false) {
		int low, high;

		if (*r->p == '[')
			return refuse(r, "has `[` in brackets; write \\[");
		if (!take_member(r, set, &low))
			return false;
		if (low < 0)
			continue;
		high = low;
		if (r->p[0] == '-' && r->p[1] && r->p[1] != ']') {
			r->p++;
			if (!take_member(r, set, &high))
				return false;
			if (high < low)
				return refuse(r, "has a range that goes backwards, or to a class");
		}
		add_range(set, (unsigned char)low, (unsigned char)high);
	}
	if (*r->p != ']')
		return refuse(r, "has brackets that do not close");
	r->p++;
	return true;
}

/* `]` first, `-` last, `^` not first; ranges are spelled out. */
static bool put_set(struct reader *r)
{
	struct set set = { .negated = false };
	unsigned count = 0;

	if (!take_set(r, &set))
		return false;
	for (unsigned c = 1; c < 128; c++)
		count += set.has[c];
	if (count == 0)
		return refuse(r, "has brackets with nothing in them");
	if (count == 1 && set.has['^'] && !set.negated) {
		at_buf_puts(&r->out, "\\^");
		return true;
	}
	at_buf_puts(&r->out, set.negated ? "[^" : "[");
	if (set.has[']'])
		at_buf_putc(&r->out, ']');
	for (unsigned c = 1; c < 128; c++)
		if (set.has[c] && !strchr("]^-[", (int)c))
			at_buf_putc(&r->out, (char)c);
	if (set.has['['])
		at_buf_putc(&r->out, '[');
	if (set.has['^'])
		at_buf_putc(&r->out, '^');
	if (set.has['-'])
		at_buf_putc(&r->out, '-');
	at_buf_putc(&r->out, ']');
	return true;
}

static bool take_bounds(struct reader *r)
{
	char *end;
	unsigned long low = strtoul(r->p + 1, &end, 10), high = low;

	if (end == r->p + 1 || !(*end == ',' || *end == '}'))
		return refuse(r, "has a repeat that is not {n}, {n,} or {n,m}");
	if (*end == ',') {
		const char *from = end + 1;

		high = strtoul(from, &end, 10);
		high = end == from ? low + 1 : high;
	}
	if (*end != '}' || high < low || high > 255)
		return refuse(r, "has a repeat that is not {n}, {n,} or {n,m}, up to 255");
	r->repeats *= high ? high : 1;
	if (r->repeats > AT_PATTERN_REPEATS)
		return refuse(r, "repeats too often, all counted repeats multiplied");
	at_buf_put(&r->out, r->p, (size_t)(end + 1 - r->p));
	r->p = end + 1;
	return true;
}

static bool take_repeat(struct reader *r)
{
	if (!r->may_repeat)
		return refuse(r,
			"repeats nothing, or twice (lazy and possessive repeats are not "
			"taken)");
	r->may_repeat = false;
	if (*r->p == '{')
		return take_bounds(r);
	at_buf_putc(&r->out, *r->p++);
	return true;
}

static bool take_open(struct reader *r)
{
	if (r->p[1] == '?' && r->p[2] != ':')
		return refuse(r, "uses a group other than ( ) and (?: )");
	r->p += r->p[1] == '?' ? 3 : 1;
	if (*r->p == ')' || *r->p == '|' || ++r->depth > 16)
		return refuse(r, "has an empty group, or groups too deep");
	at_buf_putc(&r->out, '(');
	r->may_repeat = false;
	return true;
}

static void put_plain(struct reader *r, char c)
{
	if (strchr(".[](){}*+?|^$\\", c))
		at_buf_putc(&r->out, '\\');
	at_buf_putc(&r->out, c);
}

static bool take_one(struct reader *r)
{
	char plain;

	switch (*r->p) {
	case '*':
	case '+':
	case '?':
	case '{':
		return take_repeat(r);
	case '(':
		return take_open(r);
	case '|':
		if (r->p[1] == '\0' || r->p[1] == '|' || r->p[1] == ')')
			return refuse(r, "has an empty alternative");
		at_buf_putc(&r->out, *r->p++);
		r->may_repeat = false;
		return true;
	case '^':
	case '$':
		at_buf_putc(&r->out, *r->p++);
		r->may_repeat = false;
		return true;
	}
	r->may_repeat = true;
	switch (*r->p) {
	case ')':
		if (r->depth-- == 0)
			return refuse(r, "closes a group that is not open");
		at_buf_putc(&r->out, *r->p++);
		return true;
	case '[':
		return put_set(r);
	case '.':
		at_buf_puts(&r->out, "[^\n]");
		r->p++;
		return true;
	case '\\':
		if (!take_escape(r, false, &plain))
			return false;
		if (plain)
			put_plain(r, plain);
		return true;
	case ']':
	case '}':
		put_plain(r, *r->p++);
		return true;
	}
	at_buf_putc(&r->out, *r->p++);
	return true;
}

bool at_pattern_compile(regex_t *out, const char *pattern, char *why, size_t size)
{
	struct reader r = { .p = pattern, .repeats = 1, .why = why, .size = size };
	bool done = true;
	int code;

	if (strlen(pattern) > AT_PATTERN_CAP)
		return refuse(&r, "is longer than 512 bytes");
	if (*pattern == '|')
		return refuse(&r, "has an empty alternative");
	at_buf_puts(&r.out, "^(");
	while (done && *r.p)
		done = take_one(&r);
	if (done && r.depth)
		done = refuse(&r, "has a group that does not close");
	at_buf_puts(&r.out, ")$");
	if (done) {
		code = regcomp(out, at_buf_text(&r.out), REG_EXTENDED | REG_NOSUB);
		if (code)
			regerror(code, out, why, size);
		done = code == 0;
	}
	at_buf_free(&r.out);
	return done;
}

static bool has_parent(const char *argument)
{
	for (const char *p = argument;;) {
		size_t len = strcspn(p, "/");

		if (len == 2 && p[0] == '.' && p[1] == '.')
			return true;
		if (p[len] == '\0')
			return false;
		p += len + 1;
	}
}

bool at_pattern_matches(const regex_t *pattern, const char *argument)
{
	return strlen(argument) <= AT_ARGUMENT_CAP && !has_parent(argument)
		&& regexec(pattern, argument, 0, NULL, 0) == 0;
}

const char *at_pattern_is_wide(const regex_t *pattern)
{
	static const char *const probes[] = { "-x", "-", "--option", "--option=value", "-o/etc/x",
		"../x", "..", "a/../../x", "/etc/passwd", "/x", "/", "~/x", "~", "~root/x" };

	for (size_t i = 0; i < AT_LEN(probes); i++)
		if (regexec(pattern, probes[i], 0, NULL, 0) == 0)
			return probes[i];
	return NULL;
}
