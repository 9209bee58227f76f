/* Lists, pipelines and simple commands; what is wrong is noted and read on behind. */
#include <string.h>

#include "core/mem.h"
#include "runner/gate/shell_impl.h"

struct sh_node *sh_new_node(struct sh_parser *p, enum sh_kind kind)
{
	struct sh_node *node = at_arena_alloc(p->sh->arena, sizeof(*node));

	if (++p->sh->nodes / 4 > p->sh->caps->commands)
		sh_too_much(p->sh);
	node->kind = kind;
	node->at = p->tok.at;
	return node;
}

bool sh_at_keyword(const struct sh_parser *p, const char *word)
{
	struct at_bytes plain;

	if (p->tok.kind != SH_WORD)
		return false;
	plain = sh_plain(p->tok.word);
	return plain.len && *plain.data == *word && at_bytes_equal_text(plain, word);
}

static bool at_closer(const struct sh_parser *p)
{
	static const char *const words[] = { "then", "elif", "else", "fi", "do", "done", "esac",
		"}" };

	if (p->tok.kind == SH_END || sh_is_op(p, SH_CLOSE) || sh_is_op(p, SH_DSEMI))
		return true;
	for (size_t i = 0; i < AT_LEN(words); i++)
		if (sh_at_keyword(p, words[i]))
			return true;
	return false;
}

void sh_skip_lines(struct sh_parser *p)
{
	while (p->tok.kind == SH_NEWLINE)
		sh_advance(p);
}

/* A redirection, if one stands here: kept behind `tail`. */
bool sh_parse_redirect(struct sh_parser *p, struct sh_redirect ***tail)
{
	struct sh_redirect *redirect;

	if (!sh_is_op(p, SH_REDIRECT))
		return false;
	redirect = at_arena_alloc(p->sh->arena, sizeof(*redirect));
	*redirect = p->tok.redirect;
	if (++p->sh->word_count > p->sh->caps->words)
		sh_too_much(p->sh);
	sh_advance(p);
	if (p->tok.kind != SH_WORD) {
		p->sh->seen.has_syntax_error = true;
		p->sh->seen.is_cut |= p->tok.kind == SH_END;
		return true;
	}
	if (redirect->kind == SHELL_HERE_DOC)
		sh_here_mark(p, redirect, p->tok.word);
	else
		redirect->word = p->tok.word;
	**tail = redirect;
	*tail = &redirect->next;
	sh_advance(p);
	return true;
}

/* name() …: the parentheses were not consumed. */
static struct sh_node *parse_function(struct sh_parser *p, struct sh_word *name, size_t at)
{
	sh_advance(p);
	if (!sh_is_op(p, SH_CLOSE)) {
		p->sh->seen.has_syntax_error = true;
		return NULL;
	}
	sh_advance(p);
	return sh_parse_body(p, (struct at_bytes){ p->s + name->at, name->end - name->at }, at);
}

static struct sh_node *parse_simple(struct sh_parser *p)
{
	struct sh_node *node = sh_new_node(p, SH_SIMPLE), *function;
	struct sh_word **words = &node->words, **assigned = &node->assigned;
	struct sh_redirect **redirects = &node->redirects;

	node->end = node->at;
	for (;;) {
		size_t end = p->tok.end;

		if (p->tok.kind == SH_WORD) {
			struct sh_word ***tail =
				!node->words && sh_assigned_name(p->tok.word) ? &assigned : &words;

			**tail = p->tok.word;
			*tail = &p->tok.word->next;
			p->in_words = node->words != NULL;
			sh_advance(p);
		} else if (!sh_parse_redirect(p, &redirects)) {
			break;
		}
		node->end = end;
		if (!sh_is_op(p, SH_OPEN) || !node->words || node->words->next || node->assigned)
			continue;
		p->in_words = false;
		function = parse_function(p, node->words, node->at);
		return function ? function : node;
	}
	p->in_words = false;
	if (sh_is_op(p, SH_OPEN))
		p->sh->seen.has_syntax_error = true;
	return node;
}

static struct sh_node *parse_command(struct sh_parser *p)
{
	struct sh_node *node;
	struct sh_redirect **tail;

	if (!sh_enter(p->sh))
		return NULL;
	node = sh_parse_compound(p);
	if (node) {
		tail = &node->redirects;
		while (node->kind != SH_FUNCTION && sh_parse_redirect(p, &tail))
			continue;
		if (!node->end)
			node->end = p->tok.at;
	} else if (p->tok.kind == SH_WORD || sh_is_op(p, SH_REDIRECT)) {
		node = parse_simple(p);
	}
	sh_leave(p->sh);
	return node;
}

/* "!" and "time" say nothing of what is run. */
static void skip_prefixes(struct sh_parser *p)
{
	for (;;) {
		if (sh_at_keyword(p, "time")) {
			sh_advance(p);
			while (sh_at_keyword(p, "-p") || sh_at_keyword(p, "--"))
				sh_advance(p);
		} else if (sh_at_keyword(p, "!")) {
			sh_advance(p);
		} else {
			return;
		}
	}
}

static struct sh_node *parse_pipeline(struct sh_parser *p)
{
	struct sh_node *first, *pipe, **tail;

	skip_prefixes(p);
	first = parse_command(p);
	if (!first || !(sh_is_op(p, SH_PIPE_OP) || sh_is_op(p, SH_PIPE_BOTH)))
		return first;
	pipe = sh_new_node(p, SH_PIPE);
	pipe->at = first->at;
	pipe->body = first;
	tail = &first->next;
	while (sh_is_op(p, SH_PIPE_OP) || sh_is_op(p, SH_PIPE_BOTH)) {
		sh_advance(p);
		sh_skip_lines(p);
		skip_prefixes(p);
		*tail = parse_command(p);
		if (!*tail) {
			p->sh->seen.has_syntax_error = true;
			break;
		}
		pipe->end = (*tail)->end;
		tail = &(*tail)->next;
	}
	return pipe;
}

static struct sh_node *parse_and_or(struct sh_parser *p)
{
	struct sh_node *first = parse_pipeline(p), *list, **tail;

	if (!first || !(sh_is_op(p, SH_AND_AND) || sh_is_op(p, SH_OR_OR)))
		return first;
	list = sh_new_node(p, SH_AND_OR);
	list->at = first->at;
	list->body = first;
	tail = &first->next;
	while (sh_is_op(p, SH_AND_AND) || sh_is_op(p, SH_OR_OR)) {
		char join = sh_is_op(p, SH_AND_AND) ? '&' : '|';

		sh_advance(p);
		sh_skip_lines(p);
		*tail = parse_pipeline(p);
		if (!*tail) {
			p->sh->seen.has_syntax_error = true;
			p->sh->seen.is_cut |= p->tok.kind == SH_END;
			break;
		}
		(*tail)->join = join;
		list->end = (*tail)->end;
		tail = &(*tail)->next;
	}
	return list;
}

/* Up to a token that closes something, which is left there. */
struct sh_node *sh_parse_list(struct sh_parser *p)
{
	struct sh_node *first = NULL, **tail = &first;

	for (;;) {
		size_t at;

		sh_skip_lines(p);
		if (p->sh->stop || at_closer(p))
			return first;
		at = p->tok.at;
		*tail = parse_and_or(p);
		if (*tail) {
			(*tail)->is_background = sh_is_op(p, SH_AND);
			tail = &(*tail)->next;
		}
		if (*tail == NULL && (sh_is_op(p, SH_SEMI) || sh_is_op(p, SH_AND))) {
			p->sh->seen.has_syntax_error |= p->tok.at == at;
			sh_advance(p);
		} else if (p->tok.kind != SH_NEWLINE && !at_closer(p)) {
			p->sh->seen.has_syntax_error = true;
			if (p->tok.at == at)
				sh_advance(p);
		}
	}
}

/* A list up to ')' or '}', whatever else stands in between. */
struct sh_node *sh_parse_until(struct sh_parser *p, bool brace)
{
	struct sh_token held = p->tok;
	struct sh_redirect **pending = p->pending;
	size_t count = p->pending_count, cap = p->pending_cap;
	struct sh_node *first, *last;
	bool in_words = p->in_words;

	p->in_words = false;
	p->pending = NULL;
	p->pending_count = p->pending_cap = 0;
	sh_advance(p);
	first = last = sh_parse_list(p);
	while (!p->sh->stop && p->tok.kind != SH_END
		&& !(brace ? sh_at_keyword(p, "}") : sh_is_op(p, SH_CLOSE))) {
		p->sh->seen.has_syntax_error = true;
		sh_advance(p);
		while (last && last->next)
			last = last->next;
		*(last ? &last->next : &first) = sh_parse_list(p);
		last = last ? last : first;
	}
	if (p->tok.kind == SH_END)
		p->sh->seen.is_cut = true;
	p->i = p->tok.end;
	p->sh->seen.has_syntax_error |= p->pending_count != 0;
	p->tok = held;
	p->pending = pending;
	p->pending_count = count;
	p->pending_cap = cap;
	p->in_words = in_words;
	return first;
}

struct sh_node *sh_parse(struct sh *sh, struct at_bytes text)
{
	struct sh_parser p = { .sh = sh, .s = text.data, .n = text.len };
	struct sh_node *first, *last;

	sh_advance(&p);
	first = last = sh_parse_list(&p);
	while (!sh->stop && p.tok.kind != SH_END) {
		sh->seen.has_syntax_error = true;
		sh_advance(&p);
		while (last && last->next)
			last = last->next;
		*(last ? &last->next : &first) = sh_parse_list(&p);
		last = last ? last : first;
	}
	return first;
}
