/* Commands made of commands. */
#include <string.h>

#include "core/mem.h"
#include "runner/gate/shell_impl.h"

static void expect_keyword(struct sh_parser *p, const char *word)
{
	if (sh_at_keyword(p, word)) {
		sh_advance(p);
		return;
	}
	p->sh->seen.has_syntax_error = true;
	p->sh->seen.is_cut |= p->tok.kind == SH_END;
}

static struct sh_node *parse_group(struct sh_parser *p)
{
	struct sh_node *node = sh_new_node(p, SH_GROUP);

	sh_advance(p);
	node->body = sh_parse_list(p);
	expect_keyword(p, "}");
	return node;
}

/* The tokens up to "))" are one text with expansions in it. */
static struct sh_word *read_calc(struct sh_parser *p)
{
	struct sh_word *word;

	p->i = p->tok.at + 2;
	word = sh_text_until(p, ")", SH_MATH | SH_DQ);
	p->i = p->i + 2 < p->n ? p->i + 2 : p->n;
	sh_advance(p);
	return word;
}

static bool at_calc(struct sh_parser *p)
{
	return sh_is_op(p, SH_OPEN) && p->i < p->n && p->s[p->i] == '(' && sh_is_arith(p, p->i);
}

static struct sh_node *parse_paren(struct sh_parser *p)
{
	bool is_calc = at_calc(p);
	struct sh_node *node = sh_new_node(p, is_calc ? SH_CALC : SH_SUBSHELL);

	if (is_calc) {
		node->arith = read_calc(p);
		return node;
	}
	sh_advance(p);
	node->body = sh_parse_list(p);
	if (sh_is_op(p, SH_CLOSE)) {
		sh_advance(p);
	} else {
		p->sh->seen.has_syntax_error = true;
		p->sh->seen.is_cut |= p->tok.kind == SH_END;
	}
	return node;
}

static struct sh_node *parse_if(struct sh_parser *p)
{
	struct sh_node *node = sh_new_node(p, SH_IF);

	if (!sh_enter(p->sh))
		return node;
	sh_advance(p);
	node->cond = sh_parse_list(p);
	expect_keyword(p, "then");
	node->body = sh_parse_list(p);
	if (sh_at_keyword(p, "elif")) {
		node->other = parse_if(p);
	} else {
		if (sh_at_keyword(p, "else")) {
			sh_advance(p);
			node->other = sh_parse_list(p);
		}
		expect_keyword(p, "fi");
	}
	sh_leave(p->sh);
	return node;
}

static struct sh_node *parse_do(struct sh_parser *p)
{
	struct sh_node *body;

	if (sh_is_op(p, SH_SEMI))
		sh_advance(p);
	sh_skip_lines(p);
	if (sh_at_keyword(p, "{")) { /* of old: for x in a; { …; } */
		sh_advance(p);
		body = sh_parse_list(p);
		expect_keyword(p, "}");
		return body;
	}
	expect_keyword(p, "do");
	body = sh_parse_list(p);
	expect_keyword(p, "done");
	return body;
}

static struct sh_node *parse_while(struct sh_parser *p)
{
	struct sh_node *node = sh_new_node(p, SH_LOOP);

	sh_advance(p);
	node->cond = sh_parse_list(p);
	node->body = parse_do(p);
	return node;
}

static void parse_words(struct sh_parser *p, struct sh_word **tail)
{
	for (; p->tok.kind == SH_WORD; sh_advance(p)) {
		*tail = p->tok.word;
		tail = &p->tok.word->next;
	}
}

static struct sh_node *parse_for(struct sh_parser *p)
{
	struct sh_node *node = sh_new_node(p, SH_FOR);

	node->is_select = sh_at_keyword(p, "select");
	sh_advance(p);
	if (at_calc(p)) {
		node->kind = SH_LOOP;
		node->arith = read_calc(p);
		node->body = parse_do(p);
		return node;
	}
	if (p->tok.kind == SH_WORD) {
		node->name = sh_plain(p->tok.word);
		sh_advance(p);
	} else {
		p->sh->seen.has_syntax_error = true;
	}
	sh_skip_lines(p);
	if (sh_at_keyword(p, "in")) {
		node->has_in = true;
		sh_advance(p);
		parse_words(p, &node->words);
		if (p->tok.kind != SH_NEWLINE && !sh_is_op(p, SH_SEMI))
			p->sh->seen.has_syntax_error = true;
	}
	node->body = parse_do(p);
	return node;
}

static struct sh_node *parse_item(struct sh_parser *p)
{
	struct sh_node *item = sh_new_node(p, SH_GROUP);
	struct sh_word **tail = &item->words;

	if (sh_is_op(p, SH_OPEN))
		sh_advance(p);
	for (; p->tok.kind == SH_WORD || sh_is_op(p, SH_PIPE_OP); sh_advance(p)) {
		if (p->tok.kind != SH_WORD)
			continue;
		*tail = p->tok.word;
		tail = &p->tok.word->next;
	}
	p->in_words = false;
	if (sh_is_op(p, SH_CLOSE)) {
		sh_advance(p);
	} else {
		p->sh->seen.has_syntax_error = true;
		p->sh->seen.is_cut |= p->tok.kind == SH_END;
	}
	item->body = sh_parse_list(p);
	return item;
}

static struct sh_node *parse_case(struct sh_parser *p)
{
	struct sh_node *node = sh_new_node(p, SH_CASE), **tail = &node->other;

	sh_advance(p);
	if (p->tok.kind == SH_WORD) {
		node->words = p->tok.word;
		sh_advance(p);
	}
	sh_skip_lines(p);
	p->in_words = true; /* "!(a)" is a pattern here */
	expect_keyword(p, "in");
	for (;;) {
		size_t at = p->tok.at;

		sh_skip_lines(p);
		if (p->sh->stop || p->tok.kind == SH_END || sh_at_keyword(p, "esac"))
			break;
		*tail = parse_item(p);
		tail = &(*tail)->next;
		p->in_words = sh_is_op(p, SH_DSEMI);
		if (p->in_words)
			sh_advance(p);
		else if (!sh_at_keyword(p, "esac") && p->tok.at == at)
			break;
	}
	p->in_words = false;
	expect_keyword(p, "esac");
	return node;
}

static struct sh_node *parse_test(struct sh_parser *p)
{
	struct sh_node *node = sh_new_node(p, SH_TEST);
	struct sh_word **tail = &node->words;

	for (sh_advance(p); p->tok.kind != SH_END && !sh_at_keyword(p, "]]"); sh_advance(p)) {
		if (p->tok.kind == SH_OP && (p->tok.op == SH_SEMI || p->tok.op == SH_AND)) {
			p->sh->seen.has_syntax_error = true;
			return node;
		}
		if (p->tok.kind != SH_WORD)
			continue;
		*tail = p->tok.word;
		tail = &p->tok.word->next;
	}
	expect_keyword(p, "]]");
	return node;
}

/* The body of a function: any compound command. */
struct sh_node *sh_parse_body(struct sh_parser *p, struct at_bytes name, size_t at)
{
	struct sh_node *node = sh_new_node(p, SH_FUNCTION);
	struct sh_redirect **tail;

	node->at = at;
	node->name = name;
	sh_skip_lines(p);
	if (!sh_enter(p->sh))
		return node;
	node->body = sh_parse_compound(p);
	sh_leave(p->sh);
	if (!node->body) {
		p->sh->seen.has_syntax_error = true;
		p->sh->seen.is_cut |= p->tok.kind == SH_END;
		return node;
	}
	tail = &node->body->redirects;
	while (sh_parse_redirect(p, &tail))
		continue;
	node->end = p->tok.at;
	return node;
}

static struct sh_node *parse_function(struct sh_parser *p)
{
	size_t at = p->tok.at;
	struct at_bytes name = { "", 0 };

	sh_advance(p);
	if (p->tok.kind == SH_WORD) {
		name = (struct at_bytes){ p->s + p->tok.word->at,
			p->tok.word->end - p->tok.word->at };
		sh_advance(p);
	}
	if (sh_is_op(p, SH_OPEN) && p->i < p->n && p->s[p->i] == ')') {
		sh_advance(p);
		sh_advance(p);
	}
	return sh_parse_body(p, name, at);
}

static struct sh_node *parse_coproc(struct sh_parser *p);

static const struct {
	const char *word;
	struct sh_node *(*parse)(struct sh_parser *p);
} compounds[] = {
	{ "{", parse_group },
	{ "if", parse_if },
	{ "while", parse_while },
	{ "until", parse_while },
	{ "for", parse_for },
	{ "select", parse_for },
	{ "case", parse_case },
	{ "[[", parse_test },
	{ "function", parse_function },
	{ "coproc", parse_coproc },
};

/* coproc [NAME] compound, or coproc simple. Where a name could stand, the word counts as one
 * only in front of a compound command. */
static struct sh_node *parse_coproc(struct sh_parser *p)
{
	struct sh_node *node = sh_new_node(p, SH_SUBSHELL), *inner;

	sh_advance(p);
	if (!sh_enter(p->sh))
		return node;
	node->body = inner = sh_parse_compound(p);
	if (!inner && p->tok.kind == SH_WORD) {
		struct sh_word *first = p->tok.word, **tail;
		struct sh_redirect **redirects;

		inner = sh_new_node(p, SH_SIMPLE);
		sh_advance(p);
		node->body = sh_parse_compound(p);
		if (!node->body) {
			node->body = inner;
			inner->words = first;
			tail = &first->next;
			redirects = &inner->redirects;
			for (;;) {
				if (p->tok.kind == SH_WORD) {
					*tail = p->tok.word;
					tail = &p->tok.word->next;
					sh_advance(p);
				} else if (!sh_parse_redirect(p, &redirects)) {
					break;
				}
			}
		}
	}
	sh_leave(p->sh);
	return node;
}

struct sh_node *sh_parse_compound(struct sh_parser *p)
{
	if (sh_is_op(p, SH_OPEN))
		return parse_paren(p);
	for (size_t i = 0; i < AT_LEN(compounds); i++)
		if (sh_at_keyword(p, compounds[i].word))
			return compounds[i].parse(p);
	return NULL;
}
