/* What a dollar begins: parameters, substitutions, arithmetic, two kinds of quotes. */
#include <string.h>

#include "core/mem.h"
#include "runner/gate/shell_impl.h"

static bool at(const struct sh_parser *p, size_t i, char c)
{
	return i < p->n && p->s[i] == c;
}

/* Skips the byte that should stand here. */
static void expect(struct sh_parser *p, char c)
{
	if (at(p, p->i, c))
		p->i++;
	else if (p->i >= p->n)
		p->sh->seen.is_cut = true;
	else
		p->sh->seen.has_syntax_error = true;
}

/* $'…' */
static void read_ansi(struct sh_parser *p, struct sh_word *word)
{
	struct sh_text text = { 0 };
	size_t from = p->i + 2, i = from;

	while (i < p->n && p->s[i] != '\'')
		i += p->s[i] == '\\' ? 2 : 1;
	if (i >= p->n) {
		i = p->n;
		p->sh->seen.is_cut = true;
	}
	sh_charge(p->sh, i - p->i);
	if (from < i)
		sh_decode(p->sh, &text, (struct at_bytes){ p->s + from, i - from });
	sh_add_text(p, word, text.data ? text.data : "", text.len, true);
	p->i = i < p->n ? i + 1 : p->n;
}

/* What "${" may name besides a name: digits, or one of these. */
static struct at_bytes read_parameter(struct sh_parser *p)
{
	size_t from = p->i;

	if (p->i < p->n && sh_is_name_start(p->s[p->i]))
		while (p->i < p->n && sh_is_name_byte(p->s[p->i]))
			p->i++;
	else if (p->i < p->n && p->s[p->i] >= '0' && p->s[p->i] <= '9')
		while (p->i < p->n && p->s[p->i] >= '0' && p->s[p->i] <= '9')
			p->i++;
	else if (p->i < p->n && strchr("@*#?-$!", p->s[p->i]))
		p->i++;
	return (struct at_bytes){ p->s + from, p->i - from };
}

static void read_operation(struct sh_parser *p, struct sh_part *part, unsigned mode)
{
	unsigned word_mode = mode, pattern_mode = SH_PLAIN;
	char c = p->i < p->n ? p->s[p->i] : '}';

	if (c == '}')
		return;
	if (c == ':' && p->i + 1 < p->n && strchr("-=+?", p->s[p->i + 1])) {
		part->colon = true;
		c = p->s[++p->i];
	}
	part->op = strchr("-=+?#%/^,:@", c) ? c : '!';
	if (part->op != '!')
		p->i++;
	if (strchr("#%/^,", part->op) && at(p, p->i, c)) {
		part->twice = true;
		p->i++;
	}
	if (part->op == '/' && !part->twice && p->i < p->n && strchr("#%", p->s[p->i]))
		part->anchor = p->s[p->i++];
	if (strchr("-=+?", part->op))
		part->in->word = sh_text_until(p, "}", word_mode);
	else
		part->in->word = sh_text_until(p,
			part->op == '/'           ? "/}"
				: part->op == ':' ? ":}"
						  : "}",
			pattern_mode);
	if (p->i < p->n && p->s[p->i] != '}') {
		p->i++;
		part->in->word2 = sh_text_until(p, "}", pattern_mode);
	}
}

static void read_braced(struct sh_parser *p, struct sh_word *word, unsigned mode)
{
	struct sh_part *part;
	char c, next;

	p->i += 2;
	c = p->i < p->n ? p->s[p->i] : '\0';
	next = p->i + 1 < p->n ? p->s[p->i + 1] : '\0';
	part = sh_add_part(p, word, c && strchr(" \t\n|", c) ? SH_COMMAND : SH_PARAM);
	part->quoted = (mode & (SH_DQ | SH_HERE)) != 0;
	if (part->kind == SH_COMMAND) { /* ${ command; } */
		p->i++;
		part->in->list = sh_parse_until(p, true);
		return;
	}
	if ((c == '#' || c == '!') && next && (sh_is_name_byte(next) || strchr("@*", next))) {
		part->length = c == '#';
		part->indirect = c == '!';
		p->i++;
	}
	part->text = read_parameter(p);
	if (!part->text.len) {
		part->op = '!';
		p->sh->seen.has_syntax_error = true;
	}
	if (at(p, p->i, '[')) {
		p->i++;
		part->in->index = sh_text_until(p, "]", SH_PLAIN);
		expect(p, ']');
	}
	if (part->op == '!')
		part->in->word = sh_text_until(p, "}", mode);
	else
		read_operation(p, part, mode & (SH_DQ | SH_HERE));
	expect(p, '}');
}

static void read_arith(struct sh_parser *p, struct sh_word *word, bool quoted, bool is_old)
{
	struct sh_part *part = sh_add_part(p, word, SH_ARITH);

	part->quoted = quoted;
	p->i += is_old ? 2 : 3;
	part->in->word = sh_text_until(p, is_old ? "]" : ")", SH_MATH | SH_DQ);
	expect(p, is_old ? ']' : ')');
	if (!is_old)
		expect(p, ')');
}

static void read_substitution(struct sh_parser *p, struct sh_word *word, bool quoted)
{
	struct sh_part *part = sh_add_part(p, word, SH_COMMAND);

	part->quoted = quoted;
	p->i += 2;
	part->in->list = sh_parse_until(p, false);
}

static void read_bracketed(struct sh_parser *p, struct sh_word *word, unsigned mode)
{
	bool quoted = (mode & (SH_DQ | SH_HERE)) != 0;
	char c = p->s[p->i + 1];

	if (c == '{')
		read_braced(p, word, mode);
	else if (c == '[')
		read_arith(p, word, quoted, true);
	else if (at(p, p->i + 2, '(') && sh_is_arith(p, p->i + 2))
		read_arith(p, word, quoted, false);
	else
		read_substitution(p, word, quoted);
}

void sh_read_dollar(struct sh_parser *p, struct sh_word *word, unsigned mode)
{
	bool quoted = (mode & (SH_DQ | SH_HERE)) != 0;
	char c = p->i + 1 < p->n ? p->s[p->i + 1] : '\0';
	struct sh_part *part;

	if (c == '\'' && !quoted) {
		read_ansi(p, word);
	} else if (c == '"' && !quoted) {
		p->i++;
		sh_read_double(p, word);
	} else if (c == '{' || c == '(' || c == '[') {
		if (!sh_enter(p->sh))
			return;
		read_bracketed(p, word, mode);
		sh_leave(p->sh);
	} else if (c && (sh_is_name_byte(c) || strchr("@*#?-$!", c))) {
		p->i++;
		part = sh_add_part(p, word, SH_PARAM);
		part->quoted = quoted;
		if (c >= '0' && c <= '9')
			part->text = (struct at_bytes){ p->s + p->i++, 1 };
		else
			part->text = read_parameter(p);
	} else {
		sh_add_text(p, word, p->s + p->i, 1, quoted);
		p->i++;
	}
}
