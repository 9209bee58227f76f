/* Tokens: words, operators, redirections, ends of lines. */
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "runner/gate/shell_impl.h"

static char peek(const struct sh_parser *p, size_t ahead)
{
	return p->i + ahead < p->n ? p->s[p->i + ahead] : '\0';
}

static unsigned kind_of(char c)
{
	return sh_bytes[(unsigned char)c];
}

bool sh_is_op(const struct sh_parser *p, enum sh_op op)
{
	return p->tok.kind == SH_OP && p->tok.op == op;
}

struct at_bytes sh_plain(const struct sh_word *word)
{
	const struct sh_part *part = word->first;

	if (!part || part->next || part->kind != SH_TEXT || part->quoted || word->has_cr)
		return (struct at_bytes){ "", 0 };
	return part->text;
}

size_t sh_assigned_name(const struct sh_word *word)
{
	const struct sh_part *part = word->first;
	size_t i = 0;

	if (!part || part->kind != SH_TEXT || part->quoted || !part->text.len
		|| !sh_is_name_start(part->text.data[0]))
		return 0;
	while (i < part->text.len && (kind_of(part->text.data[i]) & SH_NAME))
		i++;
	if (i < part->text.len && part->text.data[i] == '[') {
		for (; part; part = part->next, i = 0)
			for (; part->kind == SH_TEXT && !part->quoted && i + 1 < part->text.len;
				i++)
				if (part->text.data[i] == ']'
					&& (part->text.data[i + 1] == '='
						|| (part->text.data[i + 1] == '+'
							&& i + 2 < part->text.len
							&& part->text.data[i + 2] == '=')))
					return part == word->first ? i + 1 : (size_t)-1;
		return 0;
	}
	if (i < part->text.len && part->text.data[i] == '+')
		i++;
	return i < part->text.len && part->text.data[i] == '=' ? i : 0;
}

/* Skips what is quoted from `i`; the scan is charged by its caller. */
static size_t skip_quoted(const struct sh_parser *p, size_t i)
{
	char quote = p->s[i];

	if (quote == '\\')
		return i + 2;
	for (i++; i < p->n && p->s[i] != quote; i++)
		if (p->s[i] == '\\' && quote == '"')
			i++;
	return i + 1;
}

bool sh_is_arith(struct sh_parser *p, size_t at)
{
	size_t open = 1, i = at + 1;

	while (i < p->n && open) {
		char c = p->s[i];

		if (c == '\\' || c == '\'' || c == '"') {
			i = skip_quoted(p, i);
			continue;
		}
		open += c == '(' ? 1 : c == ')' ? (size_t)-1 : 0;
		i++;
	}
	if (!sh_charge(p->sh, (i < p->n ? i : p->n) - at))
		return false;
	return !open && i < p->n && p->s[i] == ')';
}

/* An extended pattern "?(…)", but not a function's "name+()". */
static bool is_extended(const struct sh_parser *p, bool is_first)
{
	size_t i = 2;

	if (peek(p, 1) != '(' || !strchr("?*+@!", peek(p, 0))
		|| (is_first && !p->in_words && peek(p, 0) == '!'))
		return false;
	while (peek(p, i) == ' ' || peek(p, i) == '\t')
		i++;
	sh_charge(p->sh, i);
	return peek(p, i) != ')';
}

static void read_array(struct sh_parser *p, struct sh_word *word)
{
	struct sh_part *part = sh_add_part(p, word, SH_ARRAY);
	struct sh_word **tail = &part->in->words;
	struct sh_token held = p->tok;

	p->i++;
	if (!sh_enter(p->sh))
		return;
	for (sh_advance(p); !p->sh->stop && p->tok.kind != SH_END && !sh_is_op(p, SH_CLOSE);
		sh_advance(p)) {
		if (p->tok.kind == SH_WORD) {
			*tail = p->tok.word;
			tail = &p->tok.word->next;
		} else if (p->tok.kind == SH_OP) {
			p->sh->seen.has_syntax_error = true;
		}
	}
	if (p->tok.kind == SH_END)
		p->sh->seen.is_cut = true;
	p->tok = held;
	sh_leave(p->sh);
}

/* Ends the word? Before a line's end a carriage return does, as an editor of Windows leaves it. */
static bool ends_word(const struct sh_parser *p)
{
	unsigned kind = kind_of(p->s[p->i]);

	if (kind & SH_RETURN)
		return p->i + 1 >= p->n || p->s[p->i + 1] == '\n';
	return (kind & SH_ENDS_WORD) != 0;
}

static void read_bytes(struct sh_parser *p, struct sh_word *word)
{
	size_t from = p->i;

	do {
		p->i++;
		while (p->i < p->n
			&& !(kind_of(p->s[p->i]) & (SH_ENDS_WORD | SH_IN_WORD | SH_RETURN)))
			p->i++;
	} while (p->i < p->n && !(kind_of(p->s[p->i]) & SH_IN_WORD) && !ends_word(p));
	sh_charge(p->sh, p->i - from);
	sh_add_text(p, word, p->s + from, p->i - from, false);
}

struct lexed {
	size_t extended; /* how many "?(" are open */
	bool has_brace, is_first;
};

/* One step of an unquoted word; false at its end. */
static bool read_step(struct sh_parser *p, struct sh_word *word, struct lexed *l)
{
	char c = p->s[p->i];

	if (!(kind_of(c) & (SH_ENDS_WORD | SH_IN_WORD | SH_RETURN)) && !l->extended) {
		read_bytes(p, word);
	} else if (c == '\\' && peek(p, 1) == '\n') {
		p->i += 2;
	} else if (c == '\\' && p->i + 1 < p->n) {
		sh_add_text(p, word, p->s + p->i + 1, 1, true);
		p->i += 2;
	} else if (c == '\'') {
		sh_read_single(p, word);
	} else if (c == '"') {
		sh_read_double(p, word);
	} else if (c == '$') {
		sh_read_dollar(p, word, SH_PLAIN);
	} else if (c == '`') {
		sh_read_backquote(p, word, false);
	} else if ((c == '<' || c == '>') && peek(p, 1) == '(') {
		sh_read_process(p, word);
	} else if (l->extended && c != '\n') {
		l->extended += c == '(' ? 1 : c == ')' ? (size_t)-1 : 0;
		sh_add_text(p, word, p->s + p->i++, 1, false);
	} else if (is_extended(p, l->is_first)) {
		sh_add_text(p, word, p->s + p->i, 2, false);
		word->last->glob = true;
		p->i += 2;
		l->extended++;
	} else if (c == '(' && word->first && p->s[p->i - 1] == '=' && sh_assigned_name(word)) {
		read_array(p, word);
	} else if (ends_word(p)) {
		return false;
	} else {
		l->has_brace |= c == '{';
		read_bytes(p, word);
	}
	l->is_first = false;
	return true;
}

static struct sh_word *read_word(struct sh_parser *p)
{
	struct sh_word *word = sh_new_word(p);
	struct lexed l = { .is_first = true };

	while (p->i < p->n && !p->sh->stop && sh_charge(p->sh, 1))
		if (!read_step(p, word, &l))
			break;
	if (p->sh->stop)
		p->i = p->n;
	word->end = p->i;
	word->has_cr = p->i < p->n && p->s[p->i] == '\r';
	if (l.has_brace && word->first && !sh_assigned_name(word))
		sh_find_braces(p, word);
	return word;
}

static const struct {
	char text[4];
	enum shell_redirect_kind kind;
	int fd;
} redirects[] = {
	{ "<<<", SHELL_HERE_WORD, 0 },
	{ "<<-", SHELL_HERE_DOC, 0 },
	{ "<<", SHELL_HERE_DOC, 0 },
	{ "<&", SHELL_DUPLICATE, 0 },
	{ "<>", SHELL_BOTH, 0 },
	{ "<", SHELL_FROM, 0 },
	{ ">>", SHELL_APPEND, 1 },
	{ ">&", SHELL_DUPLICATE, 1 },
	{ ">|", SHELL_TO, 1 },
	{ ">", SHELL_TO, 1 },
	{ "&>>", SHELL_APPEND, 1 },
	{ "&>", SHELL_TO, 1 },
};

static bool starts(const struct sh_parser *p, const char *text)
{
	size_t len = strlen(text);

	return p->n - p->i >= len && *text == p->s[p->i] && memcmp(p->s + p->i, text, len) == 0;
}

static bool read_redirect(struct sh_parser *p)
{
	for (size_t i = 0; i < AT_LEN(redirects); i++) {
		if (!starts(p, redirects[i].text))
			continue;
		p->tok.kind = SH_OP;
		p->tok.op = SH_REDIRECT;
		p->tok.redirect = (struct sh_redirect){ .kind = redirects[i].kind,
			.fd = redirects[i].fd,
			.clobber = strcmp(redirects[i].text, ">|") == 0,
			.strip_tabs = strcmp(redirects[i].text, "<<-") == 0,
			.is_maybe_both = strcmp(redirects[i].text, ">&") == 0 };
		p->i += strlen(redirects[i].text);
		return true;
	}
	return false;
}

static const struct {
	char text[4];
	enum sh_op op;
} ops[] = {
	{ ";;&", SH_DSEMI },
	{ ";;", SH_DSEMI },
	{ ";&", SH_DSEMI },
	{ ";", SH_SEMI },
	{ "&&", SH_AND_AND },
	{ "&", SH_AND },
	{ "||", SH_OR_OR },
	{ "|&", SH_PIPE_BOTH },
	{ "|", SH_PIPE_OP },
	{ "(", SH_OPEN },
	{ ")", SH_CLOSE },
};

static bool read_op(struct sh_parser *p)
{
	/* Most tokens are words. */
	if (!(kind_of(peek(p, 0)) & SH_OPERATOR)
		|| (strchr("<>", peek(p, 0)) && peek(p, 1) == '('))
		return false;
	if (read_redirect(p))
		return true;
	for (size_t i = 0; i < AT_LEN(ops); i++) {
		if (!starts(p, ops[i].text))
			continue;
		p->tok.kind = SH_OP;
		p->tok.op = ops[i].op;
		p->i += strlen(ops[i].text);
		return true;
	}
	return false;
}

/* "2" of "2>f" and "{fd}" of "{fd}>f": the word belongs to the redirection behind it. */
static void take_descriptor(struct sh_parser *p)
{
	struct at_bytes text = sh_plain(p->tok.word);
	int fd = 0;

	if (!text.len || (peek(p, 0) != '<' && peek(p, 0) != '>'))
		return;
	if (text.data[0] == '{' && text.data[text.len - 1] == '}') {
		text = (struct at_bytes){ text.data + 1, text.len - 2 };
		if (text.len + 2 < 3 || !sh_is_name(text) || !read_redirect(p))
			return;
		p->tok.redirect.fd = -1;
		p->tok.redirect.name = text;
		return;
	}
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] < '0' || text.data[i] > '9')
			return;
		fd = fd < 100000 ? fd * 10 + text.data[i] - '0' : fd;
	}
	if (read_redirect(p))
		p->tok.redirect.fd = fd;
}

static void skip_blanks(struct sh_parser *p)
{
	size_t from = p->i;

	for (;;) {
		char c = peek(p, 0);

		if (c == ' ' || c == '\t')
			p->i++;
		else if (c == '\\' && peek(p, 1) == '\n')
			p->i += 2;
		else if (c == '\r' && (p->i + 1 >= p->n || peek(p, 1) == '\n'))
			p->i++;
		else if (c == '#')
			while (p->i < p->n && p->s[p->i] != '\n')
				p->i++;
		else
			break;
	}
	sh_charge(p->sh, p->i - from + 1);
}

void sh_advance(struct sh_parser *p)
{
	p->tok = (struct sh_token){ .kind = SH_END };
	skip_blanks(p);
	if (p->sh->stop)
		p->i = p->n;
	p->tok.at = p->tok.end = p->i;
	if (p->i >= p->n) {
		sh_read_here(p);
		return;
	}
	if (p->s[p->i] == '\n') {
		p->tok.kind = SH_NEWLINE;
		p->tok.end = ++p->i;
		sh_read_here(p);
		return;
	}
	if (!read_op(p)) {
		struct sh_word *word = read_word(p);

		p->tok.kind = SH_WORD;
		p->tok.word = word;
		take_descriptor(p);
	}
	p->tok.end = p->i;
}
