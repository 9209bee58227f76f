/* Arithmetic, where every name in it has a number; nothing that it assigns is followed. */
#include <limits.h>
#include <string.h>

#include "core/mem.h"
#include "runner/gate/shell_impl.h"

struct calc {
	struct sh *sh;
	struct at_bytes text;
	size_t i;
	bool failed;
};

static char peek(struct calc *c)
{
	while (c->i < c->text.len && strchr(" \t\n\r", c->text.data[c->i]) && c->text.data[c->i])
		c->i++;
	return c->i < c->text.len ? c->text.data[c->i] : '\0';
}

static long long fail(struct calc *c)
{
	c->failed = true;
	c->i = c->text.len;
	return 0;
}

static unsigned digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'z')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'Z')
		return (unsigned)(c - 'A') + 10;
	return 99;
}

static long long number(struct calc *c)
{
	unsigned long long value = 0;
	unsigned base = 10;

	if (c->text.data[c->i] == '0' && c->i + 1 < c->text.len) {
		bool hex = (c->text.data[c->i + 1] | 32) == 'x';

		base = hex ? 16 : 8;
		c->i += hex ? 2 : 1;
	}
	for (; c->i < c->text.len && sh_is_name_byte(c->text.data[c->i]); c->i++) {
		if (digit(c->text.data[c->i]) >= base)
			return fail(c);
		value = value * base + digit(c->text.data[c->i]);
	}
	if (c->i < c->text.len && c->text.data[c->i] == '#') {
		base = (unsigned)(value > 36 ? 0 : value);
		value = 0;
		for (c->i++; c->i < c->text.len && sh_is_name_byte(c->text.data[c->i]); c->i++) {
			if (digit(c->text.data[c->i]) >= base)
				return fail(c);
			value = value * base + digit(c->text.data[c->i]);
		}
	}
	return (long long)value;
}

static long long name(struct calc *c)
{
	size_t from = c->i;
	struct sh_value value;
	struct calc inner = { .sh = c->sh };
	long long result;

	while (c->i < c->text.len && sh_is_name_byte(c->text.data[c->i]))
		c->i++;
	value = sh_get(c->sh, (struct at_bytes){ c->text.data + from, c->i - from });
	if (value.state == SH_UNSET)
		return 0;
	if (value.state != SH_KNOWN || !value.text.len || sh_has_unknown(value.text))
		return fail(c);
	inner.text = value.text;
	if (digit(value.text.data[0]) > 9)
		return fail(c);
	result = number(&inner);
	return inner.failed || inner.i < inner.text.len ? fail(c) : result;
}

static long long expression(struct calc *c, int least);

static long long unary(struct calc *c)
{
	char op = peek(c);
	long long value;

	if (!sh_enter(c->sh))
		return fail(c);
	if (op && strchr("-+!~", op)) {
		c->i++;
		value = unary(c);
		value = op == '-'   ? (long long)(0 - (unsigned long long)value)
			: op == '!' ? !value
			: op == '~' ? ~value
				    : value;
	} else if (op == '(') {
		c->i++;
		value = expression(c, 0);
		if (peek(c) == ')')
			c->i++;
		else
			fail(c);
	} else if (op >= '0' && op <= '9') {
		value = number(c);
	} else if (sh_is_name_start(op)) {
		value = name(c);
	} else {
		value = fail(c);
	}
	sh_leave(c->sh);
	return value;
}

static const struct op {
	char text[3];
	int level;
} ops[] = {
	{ "**", 12 },
	{ "<<", 9 },
	{ ">>", 9 },
	{ "<=", 8 },
	{ ">=", 8 },
	{ "==", 7 },
	{ "!=", 7 },
	{ "&&", 3 },
	{ "||", 2 },
	{ "*", 11 },
	{ "/", 11 },
	{ "%", 11 },
	{ "+", 10 },
	{ "-", 10 },
	{ "<", 8 },
	{ ">", 8 },
	{ "&", 6 },
	{ "^", 5 },
	{ "|", 4 },
	{ "?", 1 },
	{ ",", 0 },
};

static long long power(long long base, long long times)
{
	unsigned long long value = 1;

	for (long long i = 0; i < times && i < 64; i++)
		value *= (unsigned long long)base;
	return (long long)value;
}

static long long apply(struct calc *c, const char *op, long long a, long long b)
{
	unsigned long long ua = (unsigned long long)a, ub = (unsigned long long)b;

	if ((op[0] == '/' || op[0] == '%') && (b == 0 || (b == -1 && a == LLONG_MIN)))
		return fail(c);
	switch (op[0]) {
	case '*':
		if (op[1] && (b < 0 || b > 63))
			return fail(c);
		return op[1] ? power(a, b) : (long long)(ua * ub);
	case '/':
		return a / b;
	case '%':
		return a % b;
	case '+':
		return (long long)(ua + ub);
	case '-':
		return (long long)(ua - ub);
	case '<':
		return op[1] == '<' ? (long long)(ua << (ub & 63)) : op[1] ? a <= b : a < b;
	case '>':
		return op[1] == '>' ? a >> (ub & 63) : op[1] ? a >= b : a > b;
	case '=':
		return a == b;
	case '!':
		return a != b;
	case '&':
		return op[1] ? a && b : a & b;
	case '|':
		return op[1] ? a || b : a | b;
	case '^':
		return a ^ b;
	default:
		return b;
	}
}

static const struct op *next_op(struct calc *c)
{
	peek(c);
	for (size_t i = 0; i < AT_LEN(ops); i++) {
		size_t len = strlen(ops[i].text);

		if (c->text.len - c->i >= len && memcmp(c->text.data + c->i, ops[i].text, len) == 0)
			return &ops[i];
	}
	return NULL;
}

static long long expression(struct calc *c, int least)
{
	long long value = unary(c), other;
	const struct op *op;

	while (!c->failed && (op = next_op(c)) && op->level >= least && sh_charge(c->sh, 1)) {
		if (!sh_enter(c->sh))
			return fail(c);
		c->i += strlen(op->text);
		if (op->text[0] == '?') {
			other = expression(c, 1);
			if (peek(c) == ':')
				c->i++;
			else
				fail(c);
			least = least > 1 ? least : 1;
			value = value ? (expression(c, 1), other) : expression(c, 1);
		} else {
			value = apply(
				c, op->text, value, expression(c, op->level + (op->level != 12)));
		}
		sh_leave(c->sh);
	}
	return value;
}

static bool assigns(struct at_bytes text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i], before = i ? text.data[i - 1] : ' ';
		char after = i + 1 < text.len ? text.data[i + 1] : ' ';

		if (c == '=' && after == '=')
			i++;
		else if (c == '='
			&& (!strchr("<>!", before) || (i > 1 && text.data[i - 2] == before)))
			return true;
		else if ((c == '+' || c == '-') && after == c)
			return true;
	}
	return false;
}

/* Names in what assigns: any of them may be changed. */
static void spoil(struct sh *sh, struct at_bytes text)
{
	if (sh_has_unknown(text)) {
		sh_forget(sh);
		return;
	}
	for (size_t i = 0, from; i < text.len && sh_charge(sh, 1); i++) {
		if (!sh_is_name_start(text.data[i]))
			continue;
		for (from = i; i < text.len && sh_is_name_byte(text.data[i]); i++)
			continue;
		sh_set_unknown(sh, (struct at_bytes){ text.data + from, i - from });
	}
}

bool sh_calculate(struct sh *sh, struct at_bytes text, long long *out)
{
	struct calc c = { .sh = sh, .text = text };

	if (!sh_charge(sh, text.len))
		return false;
	if (assigns(text)) {
		spoil(sh, text);
		return false;
	}
	if (sh_has_unknown(text))
		return false;
	*out = peek(&c) ? expression(&c, 0) : 0;
	return !c.failed && !peek(&c) && !sh->stop;
}
