#include "emit/seatbelt.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/utf8.h"

struct reader {
	struct at_seatbelt *to;
	const char *p, *end;
	unsigned line, depth;
	struct at_error *err;
};

static bool refuse(const struct reader *r, enum at_code code, const char *what)
{
	at_fail(r->err, code, "the Seatbelt profile cannot be read: %s", what);
	at_error_name(r->err, "seatbelt-syntax");
	at_error_at(r->err, r->line, 1);
	at_error_hint(r->err, "Run atconsole --update to have it written anew.");
	return false;
}

static void skip_space(struct reader *r)
{
	for (; r->p < r->end; r->p++) {
		if (*r->p == ';')
			while (r->p < r->end && *r->p != '\n')
				r->p++;
		if (r->p == r->end || !strchr(" \t\r\n", *r->p))
			return;
		r->line += *r->p == '\n';
	}
}

static uint32_t add_node(struct reader *r, enum at_seatbelt_kind kind, const char *text)
{
	struct at_seatbelt *to = r->to;

	if (to->count == AT_SEATBELT_NODE_MAX)
		return AT_SEATBELT_NONE;
	to->nodes = at_grow(to->nodes, &to->cap, to->count, sizeof(*to->nodes));
	to->nodes[to->count] = (struct at_seatbelt_node){ .kind = kind, .text = text,
		.child = AT_SEATBELT_NONE, .next = AT_SEATBELT_NONE, .line = r->line };
	return (uint32_t)to->count++;
}

/* Between quotes; of a regular expression the backslashes stay. */
static bool take_string(struct reader *r, struct at_buf *out, bool is_raw)
{
	for (r->p++; r->p < r->end; r->p++) {
		char c = *r->p;

		if (c == '"') {
			r->p++;
			return true;
		}
		if ((unsigned char)c < ' ' || c == 127)
			return refuse(r, AT_EPARSE, "a control character in a string");
		if (c == '\\') {
			if (is_raw)
				at_buf_putc(out, c);
			if (++r->p == r->end)
				break;
			c = *r->p;
			if ((unsigned char)c < ' ')
				return refuse(r, AT_EPARSE, "a control character in a string");
			if (!is_raw && c != '"' && c != '\\')
				return refuse(r, AT_EPARSE, "an escape of no quote or backslash");
		}
		at_buf_putc(out, c);
	}
	return refuse(r, AT_EPARSE, "a string does not end");
}

static bool read_string(struct reader *r, uint32_t *node, bool is_raw)
{
	struct at_buf text = { 0 };
	bool done = take_string(r, &text, is_raw);

	if (done)
		*node = add_node(r, is_raw ? AT_SEATBELT_RAW : AT_SEATBELT_STRING,
			at_arena_strndup(r->to->arena, at_buf_text(&text), text.len));
	at_buf_free(&text);
	return done;
}

static bool is_of_symbol(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
		|| (c && strchr("-_*+./:<>=?!$%&~^@", c));
}

static bool read_symbol(struct reader *r, uint32_t *node)
{
	const char *from = r->p;

	while (r->p < r->end && is_of_symbol(*r->p))
		r->p++;
	if (r->p == from)
		return refuse(r, AT_EPARSE, "a character that begins nothing known");
	*node = add_node(r, AT_SEATBELT_SYMBOL,
		at_arena_strndup(r->to->arena, from, (size_t)(r->p - from)));
	return true;
}

static bool read_one(struct reader *r, uint32_t *node);

static bool read_list(struct reader *r, uint32_t *node)
{
	uint32_t list = add_node(r, AT_SEATBELT_LIST, NULL), last = AT_SEATBELT_NONE, one;

	if (++r->depth > AT_SEATBELT_DEPTH_MAX)
		return refuse(r, AT_ELIMIT, "lists are nested too deep");
	for (r->p++, skip_space(r); r->p < r->end && *r->p != ')'; skip_space(r)) {
		if (!read_one(r, &one))
			return false;
		if (last == AT_SEATBELT_NONE)
			r->to->nodes[list].child = one;
		else
			r->to->nodes[last].next = one;
		last = one;
	}
	if (r->p == r->end)
		return refuse(r, AT_EPARSE, "a list does not end");
	r->p++;
	r->depth--;
	*node = list;
	return true;
}

/* At something that is neither space nor a closing bracket. */
static bool read_one(struct reader *r, uint32_t *node)
{
	bool done;

	if (r->to->count == AT_SEATBELT_NODE_MAX)
		return refuse(r, AT_ELIMIT, "there are too many words in it");
	if (*r->p == '(')
		return read_list(r, node);
	if (*r->p == '"')
		done = read_string(r, node, false);
	else if (*r->p == '#' && r->p + 1 < r->end && r->p[1] == '"') {
		r->p++;
		done = read_string(r, node, true);
	} else
		done = read_symbol(r, node);
	/* (a"b") is two words to nobody but a careless reader */
	if (done && r->p < r->end && !strchr(" \t\r\n;)", *r->p))
		return refuse(r, AT_EPARSE, "two words without a space between");
	return done;
}

static const char *head_of(const struct at_seatbelt *profile, uint32_t list)
{
	uint32_t first = profile->nodes[list].child;

	if (first == AT_SEATBELT_NONE || profile->nodes[first].kind != AT_SEATBELT_SYMBOL)
		return "";
	return profile->nodes[first].text;
}

static bool is_version(const struct at_seatbelt *profile, uint32_t list)
{
	uint32_t value;

	if (strcmp(head_of(profile, list), "version") != 0)
		return false;
	value = profile->nodes[profile->nodes[list].child].next;
	return value != AT_SEATBELT_NONE && profile->nodes[value].kind == AT_SEATBELT_SYMBOL
		&& strcmp(profile->nodes[value].text, "1") == 0
		&& profile->nodes[value].next == AT_SEATBELT_NONE;
}

/* (allow|deny OPERATION… FILTER…): the operations are words, the filters lists. */
static bool check_rule(const struct reader *r, uint32_t list)
{
	const struct at_seatbelt_node *nodes = r->to->nodes;
	uint32_t i = nodes[nodes[list].child].next;
	size_t ops = 0;

	for (; i != AT_SEATBELT_NONE && nodes[i].kind == AT_SEATBELT_SYMBOL; i = nodes[i].next)
		ops++;
	if (ops == 0)
		return refuse(r, AT_EINVALID, "a rule names no operation");
	for (; i != AT_SEATBELT_NONE; i = nodes[i].next)
		if (nodes[i].kind != AT_SEATBELT_LIST || *head_of(r->to, i) == '\0')
			return refuse(r, AT_EINVALID, "a rule has something that is no filter");
	return true;
}

static bool take_form(struct reader *r, uint32_t form)
{
	struct at_seatbelt *to = r->to;
	const char *head;

	if (to->nodes[form].kind != AT_SEATBELT_LIST)
		return refuse(r, AT_EINVALID, "a word stands outside of every list");
	head = head_of(to, form);
	if (form == 0)
		return is_version(to, form)
			|| refuse(r, AT_EINVALID, "it does not begin with (version 1)");
	if (strcmp(head, "allow") != 0 && strcmp(head, "deny") != 0) {
		/* define, import, let …: what follows may mean something else */
		if (strcmp(head, "debug") != 0)
			to->unknown = *head ? head : "()";
		return true;
	}
	if (!check_rule(r, form))
		return false;
	to->rules = at_grow(to->rules, &to->rule_cap, to->rule_count, sizeof(*to->rules));
	to->rules[to->rule_count++] = form;
	return true;
}

static bool read_all(struct reader *r)
{
	uint32_t form;

	for (skip_space(r); r->p < r->end; skip_space(r)) {
		if (*r->p == ')')
			return refuse(r, AT_EPARSE, "a list ends that did not begin");
		if (!read_one(r, &form) || !take_form(r, form))
			return false;
	}
	return r->to->count > 0 || refuse(r, AT_EINVALID, "it does not begin with (version 1)");
}

bool at_seatbelt_read(struct at_seatbelt *out, struct at_bytes text, struct at_error *err)
{
	struct reader r = { .to = out, .p = text.data, .end = text.data + text.len, .line = 1,
		.err = err };
	bool done;

	*out = (struct at_seatbelt){ .arena = at_arena_new() };
	if (text.len > AT_SEATBELT_SIZE_MAX)
		done = refuse(&r, AT_ELIMIT, "it is larger than a profile may be");
	else if (memchr(text.data, '\0', text.len) || !at_utf8_is_valid(text, NULL))
		done = refuse(&r, AT_EPARSE, "it is not plain UTF-8 text");
	else
		done = read_all(&r);
	if (!done)
		at_seatbelt_free(out);
	return done;
}

void at_seatbelt_free(struct at_seatbelt *profile)
{
	free(profile->nodes);
	free(profile->rules);
	if (profile->arena)
		at_arena_free(profile->arena);
	*profile = (struct at_seatbelt){ 0 };
}
