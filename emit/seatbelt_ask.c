/* seatbelt_ask.c - what a profile says about one operation on one file or host. */
#include "emit/seatbelt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

enum truth { NO, YES, UNKNOWN };

struct asking {
	const struct at_seatbelt *profile;
	const struct at_seatbelt_question *q;
};

static const struct at_seatbelt_node *node(const struct asking *in, uint32_t i)
{
	return &in->profile->nodes[i];
}

static const char *head_of(const struct asking *in, uint32_t list)
{
	uint32_t first = node(in, list)->child;

	return first != AT_SEATBELT_NONE && node(in, first)->kind == AT_SEATBELT_SYMBOL
		? node(in, first)->text : "";
}

static uint32_t arguments(const struct asking *in, uint32_t list)
{
	uint32_t first = node(in, list)->child;

	return first == AT_SEATBELT_NONE ? first : node(in, first)->next;
}

static bool put_param(struct at_buf *out, const struct asking *in, uint32_t name)
{
	const struct at_seatbelt_param *p = in->q->params;

	if (name == AT_SEATBELT_NONE || node(in, name)->kind != AT_SEATBELT_STRING
		|| node(in, name)->next != AT_SEATBELT_NONE)
		return false;
	for (; p && p->name; p++)
		if (strcmp(p->name, node(in, name)->text) == 0) {
			at_buf_puts(out, p->value);
			return true;
		}
	return false;
}

/* "text", (param "NAME") or (string-append …) of those. False: not to be told. */
static bool put_text(struct at_buf *out, const struct asking *in, uint32_t i)
{
	const char *head;

	if (node(in, i)->kind == AT_SEATBELT_STRING) {
		at_buf_puts(out, node(in, i)->text);
		return true;
	}
	if (node(in, i)->kind != AT_SEATBELT_LIST)
		return false;
	head = head_of(in, i);
	if (strcmp(head, "param") == 0)
		return put_param(out, in, arguments(in, i));
	if (strcmp(head, "string-append") != 0)
		return false;
	for (i = arguments(in, i); i != AT_SEATBELT_NONE; i = node(in, i)->next)
		if (!put_text(out, in, i))
			return false;
	return true;
}

/* --- filters of files ---------------------------------------------------------------- */

static bool is_literal(const char *path, const char *want)
{
	return strcmp(path, want) == 0;
}

static bool is_below(const char *path, const char *want)
{
	size_t len = strlen(want);

	if (strcmp(want, "/") == 0)
		return true;
	return strncmp(path, want, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

/* A text that the kernel would never compare equal, or that somebody meant otherwise. */
static bool is_odd(const char *path)
{
	size_t len = strlen(path);

	return path[0] != '/' || strstr(path, "//") || strstr(path, "/./") || strstr(path, "/../")
		|| (len > 1 && path[len - 1] == '/')
		|| (len > 1 && strcmp(path + len - 2, "/.") == 0)
		|| (len > 2 && strcmp(path + len - 3, "/..") == 0);
}

static enum truth any_path(const struct asking *in, uint32_t list,
	bool (*fits)(const char *path, const char *want))
{
	enum truth all = NO;
	uint32_t i = arguments(in, list);

	if (i == AT_SEATBELT_NONE)
		return UNKNOWN;
	for (; i != AT_SEATBELT_NONE; i = node(in, i)->next) {
		struct at_buf want = { 0 };
		bool is_known = put_text(&want, in, i) && !is_odd(at_buf_text(&want));
		bool is_it = is_known && fits(in->q->path, at_buf_text(&want));

		at_buf_free(&want);
		if (is_it)
			return YES;
		if (!is_known)
			all = UNKNOWN;
	}
	return all;
}

/* The one character that a pattern asks for next, and the pattern moves on; 0: it is no plain one.
 * A backslash before a letter would be a class. */
static char take_plain(const char **pattern)
{
	static const char special[] = "$.*+?()[]{}|^\\";
	char c = *(*pattern)++;

	if (c == '\\') {
		c = **pattern;
		if (!c || !(strchr(special, c) || c == '/' || c == '-'))
			return '\0';
		(*pattern)++;
		return c;
	}
	return strchr(special, c) ? '\0' : c;
}

/* ^TEXT$, ^TEXT and ^TEXT(/|$), where every special character of TEXT has a backslash. */
static enum truth fits_pattern(const char *pattern, const char *path)
{
	bool fits = true;
	char c;

	if (*pattern++ != '^')
		return UNKNOWN;
	while (*pattern) { /* to its end, so that a shape that is not known is never a no */
		if (strcmp(pattern, "$") == 0)
			return fits && *path == '\0' ? YES : NO;
		if (strcmp(pattern, "(/|$)") == 0)
			return fits && (*path == '\0' || *path == '/') ? YES : NO;
		c = take_plain(&pattern);
		if (c == '\0')
			return UNKNOWN;
		fits = fits && *path == c;
		path += fits;
	}
	return fits ? YES : NO;
}

static enum truth any_pattern(const struct asking *in, uint32_t list)
{
	enum truth all = NO;
	uint32_t i = arguments(in, list);

	if (i == AT_SEATBELT_NONE)
		return UNKNOWN;
	for (; i != AT_SEATBELT_NONE; i = node(in, i)->next) {
		enum truth one = node(in, i)->kind == AT_SEATBELT_RAW
			? fits_pattern(node(in, i)->text, in->q->path) : UNKNOWN;

		if (one == YES)
			return YES;
		if (one == UNKNOWN)
			all = UNKNOWN;
	}
	return all;
}

/* --- filters of the network ------------------------------------------------------------ */

/* (remote ip "HOST:PORT"), HOST being localhost or *, PORT a number or *. */
static enum truth is_remote(const struct asking *in, uint32_t list)
{
	static const char *const protocols[] = { "ip", "ip4", "tcp", "tcp4" };
	uint32_t kind = arguments(in, list), place;
	const char *text, *port;
	bool known = false;
	char want[12];

	place = kind == AT_SEATBELT_NONE ? kind : node(in, kind)->next;
	if (place == AT_SEATBELT_NONE || node(in, kind)->kind != AT_SEATBELT_SYMBOL
		|| node(in, place)->kind != AT_SEATBELT_STRING
		|| node(in, place)->next != AT_SEATBELT_NONE)
		return UNKNOWN;
	for (size_t i = 0; i < AT_LEN(protocols); i++)
		known |= strcmp(node(in, kind)->text, protocols[i]) == 0;
	text = node(in, place)->text;
	port = strchr(text, ':');
	if (!known || !port)
		return UNKNOWN;
	snprintf(want, sizeof(want), "%u", in->q->port);
	if (strncmp(text, "localhost:", 10) == 0) {
		if (strcmp(in->q->host, "localhost") != 0)
			return NO;
	} else if (strncmp(text, "*:", 2) != 0) {
		return UNKNOWN;
	}
	port++;
	if (strcmp(port, "*") == 0)
		return YES;
	if (*port == '\0' || port[strspn(port, "0123456789")] != '\0')
		return UNKNOWN;
	return strcmp(port, want) == 0 ? YES : NO;
}

/* --- a rule ---------------------------------------------------------------------------- */

static enum truth holds(const struct asking *in, uint32_t filter);

static enum truth any(const struct asking *in, uint32_t first)
{
	enum truth all = NO;

	for (uint32_t i = first; i != AT_SEATBELT_NONE; i = node(in, i)->next) {
		enum truth one = holds(in, i);

		if (one == YES)
			return YES;
		if (one == UNKNOWN)
			all = UNKNOWN;
	}
	return all;
}

static enum truth every(const struct asking *in, uint32_t first)
{
	enum truth all = YES;

	for (uint32_t i = first; i != AT_SEATBELT_NONE; i = node(in, i)->next) {
		enum truth one = holds(in, i);

		if (one == NO)
			return NO;
		if (one == UNKNOWN)
			all = UNKNOWN;
	}
	return first == AT_SEATBELT_NONE ? UNKNOWN : all;
}

static enum truth negated(enum truth truth)
{
	return truth == UNKNOWN ? UNKNOWN : truth == YES ? NO : YES;
}

static enum truth holds(const struct asking *in, uint32_t filter)
{
	const char *head;

	if (node(in, filter)->kind != AT_SEATBELT_LIST)
		return UNKNOWN;
	head = head_of(in, filter);
	if (strcmp(head, "require-any") == 0)
		return any(in, arguments(in, filter));
	if (strcmp(head, "require-all") == 0)
		return every(in, arguments(in, filter));
	if (strcmp(head, "require-not") == 0)
		return negated(every(in, arguments(in, filter)));
	if (in->q->path && strcmp(head, "literal") == 0)
		return any_path(in, filter, is_literal);
	if (in->q->path && strcmp(head, "subpath") == 0)
		return any_path(in, filter, is_below);
	if (in->q->path && strcmp(head, "regex") == 0)
		return any_pattern(in, filter);
	if (in->q->host && strcmp(head, "remote") == 0)
		return is_remote(in, filter);
	return UNKNOWN;
}

static bool names(const char *pattern, const char *op)
{
	size_t len = strlen(pattern);

	if (strcmp(pattern, "default") == 0)
		return true;
	if (len && pattern[len - 1] == '*')
		return strncmp(pattern, op, len - 1) == 0;
	return strcmp(pattern, op) == 0;
}

/* Without a filter a rule is about everything; (with …) only says what else is done. */
static enum truth applies(const struct asking *in, uint32_t rule, const char *op)
{
	uint32_t i = arguments(in, rule);
	bool is_named = false, has_filter = false;
	enum truth all = NO;

	for (; i != AT_SEATBELT_NONE && node(in, i)->kind == AT_SEATBELT_SYMBOL;
		i = node(in, i)->next)
		is_named |= names(node(in, i)->text, op);
	if (!is_named)
		return NO;
	for (; i != AT_SEATBELT_NONE; i = node(in, i)->next) {
		enum truth one;

		if (strcmp(head_of(in, i), "with") == 0)
			continue;
		has_filter = true;
		one = holds(in, i);
		if (one == YES)
			return YES;
		if (one == UNKNOWN)
			all = UNKNOWN;
	}
	return has_filter ? all : YES;
}

/* From the last rule up. One that may apply or not counts only where it would change the
 * answer. Without any rule that applies the system's own default decides: not to be told. */
static enum at_seatbelt_answer ask_one(const struct asking *in, const char *op)
{
	bool may_allow = false, may_deny = false;

	for (size_t i = in->profile->rule_count; i-- > 0;) {
		uint32_t rule = in->profile->rules[i];
		bool allows = strcmp(head_of(in, rule), "allow") == 0;
		enum truth one = applies(in, rule, op);

		if (one == NO)
			continue;
		may_allow |= allows;
		may_deny |= !allows;
		if (may_allow && may_deny)
			return AT_SEATBELT_CANNOT_TELL;
		if (one == YES)
			return allows ? AT_SEATBELT_ALLOWED : AT_SEATBELT_DENIED;
	}
	return AT_SEATBELT_CANNOT_TELL;
}

/* What a group stands for on macOS; a profile may name others, and those are asked too. */
static const char *const members[] = {
	"file-read-data", "file-read-metadata", "file-read-xattr",
	"file-write-acl", "file-write-create", "file-write-data", "file-write-flags",
	"file-write-mode", "file-write-mount", "file-write-owner", "file-write-setugid",
	"file-write-times", "file-write-umount", "file-write-unlink", "file-write-xattr",
	"network-bind", "network-inbound", "network-outbound",
};

struct group {
	const struct asking *in;
	const char *name;
	bool any_allowed, any_unknown, any;
};

static void ask_member(struct group *g, const char *op)
{
	enum at_seatbelt_answer one;

	if (!names(g->name, op) || g->any_allowed)
		return;
	one = ask_one(g->in, op);
	g->any = true;
	g->any_allowed |= one == AT_SEATBELT_ALLOWED;
	g->any_unknown |= one == AT_SEATBELT_CANNOT_TELL;
}

static bool is_member(const char *op)
{
	for (size_t i = 0; i < AT_LEN(members); i++)
		if (strcmp(members[i], op) == 0)
			return true;
	return false;
}

/* Operations of the group that this table lacks, as far as rules name them. */
static void ask_named(struct group *g)
{
	size_t asked = 0;

	for (size_t r = 0; r < g->in->profile->rule_count; r++) {
		uint32_t i = arguments(g->in, g->in->profile->rules[r]);

		for (; i != AT_SEATBELT_NONE && node(g->in, i)->kind == AT_SEATBELT_SYMBOL;
			i = node(g->in, i)->next) {
			const char *op = node(g->in, i)->text;

			if (op[strlen(op) - 1] == '*' || is_member(op) || !names(g->name, op)
				|| strcmp(op, "default") == 0)
				continue;
			if (++asked > 64) { /* nobody writes that */
				g->any_unknown = true;
				return;
			}
			ask_member(g, op);
		}
	}
}

static enum at_seatbelt_answer ask_group(const struct asking *in)
{
	struct group g = { .in = in, .name = in->q->op };

	for (size_t i = 0; i < AT_LEN(members); i++)
		ask_member(&g, members[i]);
	ask_named(&g);
	if (g.any_allowed)
		return AT_SEATBELT_ALLOWED;
	return g.any_unknown || !g.any ? AT_SEATBELT_CANNOT_TELL : AT_SEATBELT_DENIED;
}

enum at_seatbelt_answer at_seatbelt_ask(const struct at_seatbelt *profile,
	const struct at_seatbelt_question *question)
{
	const struct asking in = { profile, question };
	size_t len = strlen(question->op);

	if (profile->unknown || len == 0 || (question->path && is_odd(question->path)))
		return AT_SEATBELT_CANNOT_TELL;
	return question->op[len - 1] == '*' ? ask_group(&in) : ask_one(&in, question->op);
}

const char *at_seatbelt_answer_name(enum at_seatbelt_answer answer)
{
	static const char *const texts[] = {
		[AT_SEATBELT_CANNOT_TELL] = "cannot tell",
		[AT_SEATBELT_ALLOWED] = "allowed",
		[AT_SEATBELT_DENIED] = "denied",
	};

	return texts[answer];
}
