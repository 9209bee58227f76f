/* Simple commands: told with their words, then followed into functions and aliases. */
#include <string.h>

#include "core/mem.h"
#include "runner/gate/shell_impl.h"

#define DEFINITIONS 8 /* of one name that are followed */

static size_t real_offset(const struct sh *sh, size_t at)
{
	size_t low = 0, high = sh->dropped_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (sh->dropped[middle] <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return at + low;
}

void sh_tell(struct sh *sh, struct shell_command *command)
{
	struct shell_command *kept;

	sh->told_words += command->count + command->assigned_count + command->redirect_count;
	if (++sh->commands > sh->caps->commands || sh->told_words > sh->caps->words)
		sh_too_much(sh);
	if (sh->stop)
		return;
	command->offset = real_offset(sh, sh->span_at);
	command->len = sh->span_len
		? real_offset(sh, sh->span_at + sh->span_len - 1) + 1 - command->offset
		: 0;
	command->depth = sh->depth;
	command->in_substitution = sh->in_substitution;
	command->from = sh->from;
	command->scope = sh->scope;
	kept = at_arena_alloc(sh->arena, sizeof(*kept));
	*kept = *command;
	sh->last = kept;
	sh->flow++;
	if (!sh->told(sh->user, kept))
		sh->stop = true;
}

/* >&word is a file unless it is a number or '-'. */
static void settle(struct shell_redirect *out, const struct sh_redirect *redirect)
{
	bool is_number = out->word.text.len != 0;

	for (size_t i = 0; i < out->word.text.len; i++)
		is_number &= (out->word.text.data[i] >= '0' && out->word.text.data[i] <= '9')
			|| (out->word.text.data[i] == '-' && i + 1 == out->word.text.len);
	if (redirect->is_maybe_both && !is_number)
		out->kind = SHELL_TO;
}

struct shell_redirect *sh_redirects(struct sh *sh, const struct sh_redirect *list, size_t *count)
{
	struct shell_redirect *out;
	size_t n = 0;

	for (const struct sh_redirect *r = list; r; r = r->next)
		n++;
	out = at_arena_alloc(sh->arena, (n + 1) * sizeof(*out)); /* one for an input around it */
	for (const struct sh_redirect *r = list; r && !sh->stop; r = r->next) {
		struct shell_redirect *to = &out[(*count)++];

		to->kind = r->kind;
		to->clobber = r->clobber;
		to->fd = r->fd;
		to->word = sh_expand_one(sh, r->word);
		settle(to, r);
		if (r->name.len)
			sh_set_unknown(sh, r->name);
	}
	return out;
}

struct sh_function *sh_define(struct sh *sh, struct at_bytes name, bool is_alias)
{
	struct sh_function *made = at_arena_alloc(sh->arena, sizeof(*made));
	struct sh_function **bucket = &sh->defined[sh_hash(name)];

	for (struct sh_function **f = bucket; !sh->conditional && *f && sh_charge(sh, 1);) {
		if ((*f)->is_alias == is_alias && at_bytes_equal((*f)->name, name))
			*f = (*f)->older;
		else
			f = &(*f)->older;
	}
	made->name = name;
	made->is_alias = is_alias;
	made->next = sh->functions;
	sh->functions = made;
	made->older = *bucket;
	*bucket = made;
	return made;
}

struct sh_function *sh_defined(
	struct sh *sh, struct at_bytes name, bool is_alias, const struct sh_function *after)
{
	struct sh_function *f = after ? after->older : sh->defined[sh_hash(name)];

	while (f && sh_charge(sh, 1) && (f->is_alias != is_alias || !at_bytes_equal(f->name, name)))
		f = f->older;
	return sh->stop ? NULL : f;
}

static void call(struct sh *sh, struct sh_function *f, const struct shell_command *command)
{
	struct at_bytes *items;
	struct sh_mark mark = sh_mark(sh);
	struct sh_args args = sh->args;
	unsigned maybe = sh->maybe;
	size_t count = command->count - 1;

	if (sh->depth >= sh->caps->depth) {
		sh_too_much(sh);
		return;
	}
	items = at_arena_alloc(sh->arena, (count + 1) * sizeof(*items));
	sh->args = (struct sh_args){ items, count, true };
	for (size_t i = 0; i < count; i++) {
		items[i] = command->words[i + 1].text;
		if ((command->words[i + 1].flags & SHELL_HAS_UNKNOWN)
			&& !(command->words[i + 1].flags & SHELL_QUOTED))
			sh->args.is_known = false; /* perhaps none, perhaps many */
	}
	for (size_t i = 0; i < command->redirect_count; i++)
		if (command->redirects[i].fd == 0 && command->redirects[i].kind != SHELL_DUPLICATE)
			sh->input = &command->redirects[i];
	f->was_called = true;
	sh->depth++;
	sh->in_function++;
	sh_run(sh, f->body);
	sh->in_function--;
	sh->depth--;
	sh->args = args;
	sh->maybe = maybe;
	sh_end_locals(sh, mark);
}

/* Every function of that name that may be the one. What the command has in front of it holds in
 * the function, and perhaps behind it. */
static void call_functions(struct sh *sh, const struct sh_node *node, struct shell_command *command)
{
	struct sh_function *found[DEFINITIONS];
	size_t count = 0;

	for (struct sh_function *f = NULL;
		(f = sh_defined(sh, command->words[0].text, false, f));) {
		if (count == DEFINITIONS) {
			sh->seen.too_much = true;
			break;
		}
		if (f->body)
			found[count++] = f;
	}
	for (size_t i = 0; i < count && !sh->stop; i++) {
		struct sh_mark mark = sh_mark(sh);
		struct sh_mark around;

		for (const struct sh_word *w = node->assigned; w; w = w->next)
			sh_assign(sh, w, NULL);
		around = sh_mark(sh);
		call(sh, found[i], command);
		if (node->assigned)
			sh_merge(sh, mark);
		else if (count > 1)
			sh_merge(sh, around);
	}
}

/* The alias's commands with the words behind it given to the last of them. */
static struct sh_node *with_tail(
	struct sh *sh, const struct sh_node *list, const struct sh_node *extra)
{
	struct sh_node *first = NULL, **tail = &first;

	if (!sh_enter(sh))
		return NULL;
	for (; list && sh_charge(sh, 8); list = list->next) {
		struct sh_node *copy = at_arena_alloc(sh->arena, sizeof(*copy));

		*copy = *list;
		*tail = copy;
		tail = &copy->next;
		if (list->next)
			continue;
		if (list->kind == SH_PIPE || list->kind == SH_AND_OR)
			copy->body = with_tail(sh, list->body, extra);
		if (list->kind != SH_SIMPLE)
			continue;
		struct sh_word **words = &copy->words;
		for (const struct sh_word *w = list->words; w && sh_charge(sh, 8); w = w->next) {
			*words = at_arena_alloc(sh->arena, sizeof(**words));
			**words = *w;
			words = &(*words)->next;
		}
		*words = extra->words->next;
		if (!copy->redirects)
			copy->redirects = extra->redirects;
	}
	sh_leave(sh);
	return first;
}

static void run_alias(struct sh *sh, const struct sh_node *node)
{
	struct at_bytes name = sh_plain(node->words);
	struct sh_function *found[DEFINITIONS];
	size_t count = 0;

	for (struct sh_function *f = NULL; name.len && (f = sh_defined(sh, name, true, f));) {
		if (count == DEFINITIONS) {
			sh->seen.too_much = true;
			break;
		}
		if (!f->is_busy)
			found[count++] = f;
	}
	for (size_t i = 0; i < count && !sh->stop; i++) {
		struct sh_mark mark = sh_mark(sh);

		found[i]->is_busy = true;
		sh->conditional++;
		sh_run(sh, with_tail(sh, found[i]->alias, node));
		sh->conditional--;
		sh_merge(sh, mark);
		found[i]->is_busy = false;
	}
}

static void expand_words(struct sh *sh, const struct sh_node *node, struct sh_words *out)
{
	bool declares = node->words && sh_is_declaring(sh_plain(node->words));
	size_t count = 0;

	/* Mostly one for each: a list that doubles leaves as much behind as it holds. */
	for (const struct sh_word *w = node->words; w; w = w->next)
		count++;
	out->items = at_arena_alloc(sh->arena, count * sizeof(*out->items));
	out->cap = count;
	for (const struct sh_word *w = node->words; w && !sh->stop; w = w->next) {
		struct shell_word one;

		if (!declares || !sh_assigned_name(w)) {
			sh_expand(sh, out, w);
			continue;
		}
		/* As an assignment: one word, whatever is in it. */
		sh_assign(sh, w, &one);
		sh_add_word(sh, out, &one);
	}
}

void sh_run_simple(struct sh *sh, const struct sh_node *node)
{
	struct shell_command command = { 0 };
	struct shell_redirect *redirects;
	struct shell_word *assigned;
	struct sh_words words = { 0 };
	size_t n = 0;
	bool has_input = false;

	expand_words(sh, node, &words);
	redirects = sh_redirects(sh, node->redirects, &command.redirect_count);
	for (size_t i = 0; i < command.redirect_count; i++)
		has_input |= redirects[i].fd == 0;
	if (sh->input && !has_input)
		redirects[command.redirect_count++] = *sh->input;
	for (const struct sh_word *w = node->assigned; w; w = w->next)
		n++;
	assigned = at_arena_alloc(sh->arena, (n + 1) * sizeof(*assigned));
	for (const struct sh_word *w = node->assigned; w && !sh->stop; w = w->next) {
		struct sh_mark mark = sh_mark(sh);

		sh_assign(sh, w, &assigned[command.assigned_count++]);
		if (words.count)
			sh_undo(sh, mark);
	}
	command.words = words.items;
	command.count = words.count;
	command.assigned = assigned;
	command.redirects = redirects;
	if (sh->stop || !(command.count + command.assigned_count + command.redirect_count))
		return;
	sh_tell(sh, &command);
	if (!command.count || sh->stop)
		return;
	sh_keep_assigned(sh, command.words[0].text, assigned, command.assigned_count);
	sh_builtin(sh, command.words, command.count);
	if (node->words)
		run_alias(sh, node);
	call_functions(sh, node, &command);
}
