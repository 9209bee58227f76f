/* The walk: what is told, in the order a shell would start it, and what it leaves behind.
 *
 * What may not be run is walked all the same; variables that it changes are unknown afterwards
 * (sh_merge), those of a subshell are what they were (sh_undo).
 */
#include <string.h>

#include "core/mem.h"
#include "runner/gate/shell_impl.h"

#define FOR_VALUES 64

static void run_node(struct sh *sh, const struct sh_node *node);

/* A list that may be run or not. True: a variable may have either value now. */
static bool run_maybe(struct sh *sh, const struct sh_node *list)
{
	struct sh_mark mark = sh_mark(sh);

	sh->conditional++;
	sh_run(sh, list);
	sh->conditional--;
	return sh_merge(sh, mark);
}

static void enter_scope(struct sh *sh)
{
	struct shell_scope *scope = at_arena_alloc(sh->arena, sizeof(*scope));

	scope->around = sh->scope;
	sh->scope = scope;
}

static void run_apart(struct sh *sh, const struct sh_node *list)
{
	const struct shell_scope *scope = sh->scope;
	struct sh_mark mark = sh_mark(sh);
	unsigned maybe = sh->maybe;

	enter_scope(sh);
	sh->conditional++;
	sh_run(sh, list);
	sh->conditional--;
	sh->scope = scope;
	sh_undo(sh, mark);
	sh->maybe = maybe;
}

static void run_pipe(struct sh *sh, const struct sh_node *pipe)
{
	const struct shell_command *from = sh->from;
	const struct shell_redirect *input = sh->input;
	const struct shell_scope *scope = sh->scope;
	size_t flow = sh->flow;
	unsigned maybe = sh->maybe;

	for (const struct sh_node *node = pipe->body; node && !sh->stop; node = node->next) {
		struct sh_mark mark = sh_mark(sh);

		sh->flow = 0;
		sh->last = NULL;
		/* zsh runs the last one in the shell itself. */
		if (node->next)
			enter_scope(sh);
		sh->conditional++;
		run_node(sh, node);
		sh->conditional--;
		sh->scope = scope;
		sh_merge(sh, mark);
		if (sh->flow != 1 || !sh->last) {
			/* Several commands, or none, that write: one that nothing is known of. */
			struct shell_command *many = at_arena_alloc(sh->arena, sizeof(*many));
			struct shell_word *word = at_arena_alloc(sh->arena, sizeof(*word));

			*word = (struct shell_word){ sh_unknown, SHELL_HAS_UNKNOWN };
			*many = (struct shell_command){ .words = word,
				.count = 1,
				.depth = sh->depth,
				.offset = sh->span_at,
				.len = sh->span_len };
			sh->last = many;
		}
		sh->from = sh->last;
		sh->input = NULL;
		flow += sh->flow;
	}
	sh->from = from;
	sh->input = input;
	sh->flow = flow;
	sh->maybe = maybe;
}

/* a && b || c: from the second on, each may be left out; behind a "||" it is not known which. */
static void run_and_or(struct sh *sh, const struct sh_node *list)
{
	const struct sh_node *node = list->body;
	struct sh_mark mark;

	run_node(sh, node);
	mark = sh_mark(sh);
	sh->conditional++;
	for (node = node->next; node && !sh->stop; node = node->next) {
		if (node->join == '|')
			sh_merge(sh, mark);
		run_node(sh, node);
	}
	sh->conditional--;
	sh_merge(sh, mark);
}

static void run_calc(struct sh *sh, const struct sh_word *word)
{
	long long ignored;

	sh_calculate(sh, sh_expand_one(sh, word).text, &ignored);
}

static void run_loop(struct sh *sh, const struct sh_node *node)
{
	unsigned maybe = sh->maybe;

	/* A second round only when the first one changed what the first one read. */
	for (int round = 0; round < 2 && !sh->stop; round++) {
		bool changed = false;

		if (node->arith)
			run_calc(sh, node->arith);
		changed = run_maybe(sh, node->cond);
		changed |= run_maybe(sh, node->body);
		if (!changed)
			break;
	}
	sh->maybe = (sh->maybe & ~SH_LEFT_LOOP) | maybe;
}

static void run_for(struct sh *sh, const struct sh_node *node)
{
	struct sh_words words = { 0 };
	struct sh_mark mark = sh_mark(sh);
	bool is_known = node->has_in && !node->is_select, changed = true;
	unsigned maybe = sh->maybe;

	for (const struct sh_word *w = node->words; w && !sh->stop; w = w->next)
		sh_expand(sh, &words, w);
	for (size_t i = 0; i < words.count; i++)
		is_known &= !(words.items[i].flags & (SHELL_HAS_UNKNOWN | SHELL_HAS_GLOB));
	if (!node->has_in && sh->args.is_known && !node->is_select) {
		is_known = true;
		words.items =
			at_arena_alloc(sh->arena, (sh->args.count + 1) * sizeof(*words.items));
		for (; words.count < sh->args.count; words.count++)
			words.items[words.count].text = sh->args.items[words.count];
	}
	is_known &= words.count <= FOR_VALUES; /* more are walked as one that is not known */
	sh->conditional++;
	for (size_t i = 0; i < (is_known ? words.count : 2) && changed && !sh->stop; i++) {
		if (is_known)
			sh_set_text(sh, node->name, words.items[i].text);
		else
			sh_set_unknown(sh, node->name);
		changed = run_maybe(sh, node->body) || is_known;
	}
	sh->conditional--;
	sh_merge(sh, mark);
	sh->maybe = (sh->maybe & ~SH_LEFT_LOOP) | maybe;
}

static void run_case(struct sh *sh, const struct sh_node *node)
{
	if (node->words)
		sh_expand_one(sh, node->words);
	for (const struct sh_node *item = node->other; item && !sh->stop; item = item->next) {
		for (const struct sh_word *w = item->words; w; w = w->next)
			sh_expand_one(sh, w);
		run_maybe(sh, item->body);
	}
}

static void run_if(struct sh *sh, const struct sh_node *node)
{
	sh_run(sh, node->cond);
	run_maybe(sh, node->body);
	if (node->other)
		run_maybe(sh, node->other);
}

static void run_kind(struct sh *sh, const struct sh_node *node)
{
	struct sh_function *function;

	switch (node->kind) {
	case SH_SIMPLE:
		sh_run_simple(sh, node);
		break;
	case SH_PIPE:
		run_pipe(sh, node);
		break;
	case SH_AND_OR:
		run_and_or(sh, node);
		break;
	case SH_GROUP:
		sh_run(sh, node->body);
		break;
	case SH_SUBSHELL:
		run_apart(sh, node->body);
		break;
	case SH_IF:
		run_if(sh, node);
		break;
	case SH_LOOP:
		run_loop(sh, node);
		break;
	case SH_FOR:
		run_for(sh, node);
		break;
	case SH_CASE:
		run_case(sh, node);
		break;
	case SH_FUNCTION:
		function = sh_define(sh, node->name, false);
		function->body = node->body;
		break;
	case SH_CALC:
		run_calc(sh, node->arith);
		break;
	case SH_TEST:
		for (const struct sh_word *w = node->words; w; w = w->next)
			sh_expand_one(sh, w);
		break;
	}
}

/* The redirections of a construct are a command without words; its standard input is that of
 * what stands in it. */
static void run_redirects(struct sh *sh, const struct sh_node *node)
{
	struct shell_command command = { 0 };
	size_t flow = sh->flow;

	command.redirects = sh_redirects(sh, node->redirects, &command.redirect_count);
	for (size_t i = 0; i < command.redirect_count; i++) {
		const struct shell_redirect *redirect = &command.redirects[i];

		if (redirect->fd == 0 && redirect->kind != SHELL_DUPLICATE) {
			sh->input = redirect;
			sh->from = NULL;
		}
	}
	sh_tell(sh, &command);
	sh->flow = flow;
}

static void run_node(struct sh *sh, const struct sh_node *node)
{
	const struct shell_redirect *input = sh->input;
	const struct shell_command *from = sh->from;
	bool is_outermost = !sh->has_span && (node->kind == SH_SIMPLE || node->redirects);

	if (!sh_charge(sh, 1) || !sh_enter(sh))
		return;
	if (is_outermost) {
		sh->has_span = node->kind == SH_SIMPLE;
		sh->span_at = node->at;
		sh->span_len = node->end > node->at ? node->end - node->at : 0;
	}
	if (node->redirects && node->kind != SH_SIMPLE)
		run_redirects(sh, node);
	run_kind(sh, node);
	if (is_outermost)
		sh->has_span = false;
	sh->input = input;
	sh->from = from;
	sh_leave(sh);
}

void sh_run(struct sh *sh, const struct sh_node *list)
{
	for (const struct sh_node *node = list; node && !sh->stop; node = node->next) {
		struct sh_mark mark = sh_mark(sh);
		const struct shell_scope *scope = sh->scope;
		unsigned maybe = sh->maybe;

		if (node->is_background)
			enter_scope(sh);
		sh->conditional += node->is_background;
		run_node(sh, node);
		sh->conditional -= node->is_background;
		sh->scope = scope;
		if (node->is_background) {
			sh_undo(sh, mark);
			sh->maybe = maybe;
		}
	}
}

/* A function that nothing in the text calls may be called by what is not seen. */
void sh_run_uncalled(struct sh *sh)
{
	for (bool again = true; again && !sh->stop;) {
		again = false;
		for (struct sh_function *f = sh->functions; f && sh_charge(sh, 1); f = f->next) {
			struct sh_mark mark = sh_mark(sh);

			if (f->was_called || f->is_alias || !f->body)
				continue;
			again = f->was_called = true;
			sh_forget(sh);
			sh->args = (struct sh_args){ 0 };
			sh->depth++;
			sh->in_function++;
			run_apart(sh, f->body);
			sh->in_function--;
			sh->depth--;
			sh_undo(sh, mark);
		}
	}
}

static void run_inside(struct sh *sh, const struct sh_node *list, bool in_substitution)
{
	const struct shell_command *from = sh->from;
	const struct shell_redirect *input = sh->input;
	bool was_in = sh->in_substitution;
	size_t flow = sh->flow;

	if (sh->depth >= sh->caps->depth) {
		sh_too_much(sh);
		return;
	}
	sh->from = NULL;
	sh->depth++;
	sh->in_substitution |= in_substitution;
	run_apart(sh, list);
	sh->in_substitution = was_in;
	sh->depth--;
	sh->from = from;
	sh->input = input;
	sh->flow = flow;
}

static bool is_defined(struct sh *sh, struct at_bytes name)
{
	return sh_defined(sh, name, false, NULL) || sh_defined(sh, name, true, NULL);
}

/* Its text, where it is but one echo or printf of known words. */
struct at_bytes sh_substitute(struct sh *sh, const struct sh_node *list)
{
	const struct shell_command *last = sh->last;
	struct at_bytes text = sh_unknown, program;

	if (!list)
		return (struct at_bytes){ "", 0 };
	sh->last = NULL;
	run_inside(sh, list, true);
	if (!list->next && list->kind == SH_SIMPLE && list->words && !list->redirects
		&& !list->is_background && sh->last) {
		program = sh_plain(list->words);
		if ((at_bytes_equal_text(program, "echo") || at_bytes_equal_text(program, "printf"))
			&& !is_defined(sh, program))
			text = sh_printed(sh, sh->last);
	}
	sh->last = last;
	while (text.len && text.data[text.len - 1] == '\n')
		text.len--;
	return text;
}

void sh_process(struct sh *sh, const struct sh_node *list)
{
	const struct shell_command *last = sh->last;

	run_inside(sh, list, true);
	sh->last = last;
}
