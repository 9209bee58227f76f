/* Text with quotes and expansions in it, up to where it ends. */
#include <string.h>

#include "core/mem.h"
#include "runner/gate/shell_impl.h"

struct sh_word *sh_new_word(struct sh_parser *p)
{
	struct sh_word *word = at_arena_alloc(p->sh->arena, sizeof(*word));

	if (++p->sh->word_count > p->sh->caps->words)
		sh_too_much(p->sh);
	word->at = word->end = p->i;
	return word;
}

struct sh_part *sh_add_part(struct sh_parser *p, struct sh_word *word, enum sh_part_kind kind)
{
	struct sh_part *part = at_arena_alloc(p->sh->arena, sizeof(*part));

	if (++p->sh->parts / 4 > p->sh->caps->words)
		sh_too_much(p->sh);
	part->kind = kind;
	if (kind != SH_TEXT)
		part->in = at_arena_alloc(p->sh->arena, sizeof(*part->in));
	part->text.data = "";
	if (word->last)
		word->last->next = part;
	else
		word->first = part;
	word->last = part;
	return part;
}

void sh_add_text(struct sh_parser *p, struct sh_word *word, const char *s, size_t n, bool quoted)
{
	struct sh_part *last = word->last;

	/* Text that goes on where the last part ended is the same part. */
	if (last && last->kind == SH_TEXT && last->quoted == quoted && last->text.len
		&& last->text.data + last->text.len == s) {
		last->text.len += n;
		return;
	}
	last = sh_add_part(p, word, SH_TEXT);
	last->text = (struct at_bytes){ s, n };
	last->quoted = quoted;
}

void sh_read_single(struct sh_parser *p, struct sh_word *word)
{
	const char *start = p->s + p->i + 1;
	size_t left = p->n - p->i - 1;
	const char *end = memchr(start, '\'', left);

	if (!end)
		p->sh->seen.is_cut = true;
	sh_add_text(p, word, start, end ? (size_t)(end - start) : left, true);
	p->i = end ? (size_t)(end - p->s) + 1 : p->n;
}

static void append(struct sh_parser *p, struct sh_word *word, struct sh_word *more, bool quoted)
{
	if (!more->first) {
		if (quoted)
			sh_add_text(p, word, "", 0, true); /* "" is a word too */
		return;
	}
	if (word->last)
		word->last->next = more->first;
	else
		word->first = more->first;
	word->last = more->last;
}

void sh_read_double(struct sh_parser *p, struct sh_word *word)
{
	p->i++;
	if (!sh_enter(p->sh))
		return;
	append(p, word, sh_text_until(p, "\"", SH_DQ), true);
	if (p->i < p->n)
		p->i++;
	else
		p->sh->seen.is_cut = true;
	sh_leave(p->sh);
}

/* The text between backquotes loses one level of backslashes and is parsed by itself. */
void sh_read_backquote(struct sh_parser *p, struct sh_word *word, bool quoted)
{
	struct sh_text text = { 0 };
	struct sh_part *part;
	size_t i = p->i + 1;

	for (; i < p->n && p->s[i] != '`'; i++) {
		if (p->s[i] == '\\' && i + 1 < p->n
			&& (strchr("$`\\", p->s[i + 1]) || (quoted && p->s[i + 1] == '"')))
			i++;
		sh_text_put(p->sh, &text, p->s + i, 1);
	}
	if (i >= p->n)
		p->sh->seen.is_cut = true;
	p->i = i < p->n ? i + 1 : p->n;
	part = sh_add_part(p, word, SH_COMMAND);
	part->quoted = quoted;
	if (!sh_enter(p->sh))
		return;
	part->in->list = sh_parse(p->sh, (struct at_bytes){ text.data ? text.data : "", text.len });
	sh_leave(p->sh);
}

void sh_read_process(struct sh_parser *p, struct sh_word *word)
{
	struct sh_part *part = sh_add_part(p, word, SH_PROCESS);

	p->i += 2;
	if (!sh_enter(p->sh))
		return;
	part->in->list = sh_parse_until(p, false);
	sh_leave(p->sh);
}

static void read_backslash(struct sh_parser *p, struct sh_word *word, unsigned mode)
{
	const char *s = p->s + p->i;
	bool is_last = p->i + 1 >= p->n;

	if (!is_last && s[1] == '\n') {
		p->i += 2;
		return;
	}
	if (is_last) {
		sh_add_text(p, word, s, 1, true);
		p->i++;
	} else if (!(mode & (SH_DQ | SH_HERE)) || strchr("$`\\", s[1])
		|| (s[1] == '"' && !(mode & SH_HERE)) || (s[1] == '}' && (mode & SH_SINGLE))) {
		sh_add_text(p, word, s + 1, 1, true);
		p->i += 2;
	} else {
		sh_add_text(p, word, s, 2, true);
		p->i += 2;
	}
}

static bool is_one_of(const char *few, char c)
{
	while (*few && *few != c)
		few++;
	return *few != '\0';
}

/* A byte with no meaning of its own here. */
static void read_other(struct sh_parser *p, struct sh_word *word, const char *ends, unsigned mode)
{
	size_t from = p->i;

	do {
		p->i++;
	} while (p->i < p->n && !(sh_bytes[(unsigned char)p->s[p->i]] & SH_IN_TEXT)
		&& !is_one_of(ends, p->s[p->i]));
	sh_charge(p->sh, p->i - from);
	sh_add_text(p, word, p->s + from, p->i - from, (mode & (SH_DQ | SH_HERE)) != 0);
}

struct sh_word *sh_text_until(struct sh_parser *p, const char *ends, unsigned mode)
{
	struct sh_word *word = sh_new_word(p);
	bool quoted = (mode & (SH_DQ | SH_HERE)) != 0;
	size_t open = 0;

	while (p->i < p->n && !p->sh->stop) {
		char c = p->s[p->i];

		if (open == 0 && strchr(ends, c))
			break;
		sh_charge(p->sh, 1);
		if (c == '\\')
			read_backslash(p, word, mode);
		else if (c == '$')
			sh_read_dollar(p, word, mode);
		else if (c == '`')
			sh_read_backquote(p, word, quoted);
		else if (c == '"' && !((mode & SH_HERE) && !*ends))
			sh_read_double(p, word);
		else if (c == '\'' && (!quoted || (mode & SH_SINGLE)) && !(mode & SH_MATH))
			sh_read_single(p, word);
		else {
			if (mode & SH_MATH)
				open += c == '(' ? 1 : c == ')' ? (size_t)-1 : 0;
			read_other(p, word, ends, mode);
		}
	}
	if (p->sh->stop)
		p->i = p->n;
	word->end = p->i;
	return word;
}
