#include "emit/hooks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

void at_hook_list_init(struct at_hook_list *list)
{
	*list = (struct at_hook_list){ .arena = at_arena_new() };
}

void at_hook_list_free(struct at_hook_list *list)
{
	free(list->items);
	at_arena_free(list->arena);
	*list = (struct at_hook_list){ 0 };
}

void at_hook_list_add(struct at_hook_list *list, const struct at_hook_found *hook)
{
	struct at_hook_found *new;

	list->items = at_grow(list->items, &list->cap, list->count, sizeof(*list->items));
	new = &list->items[list->count++];
	*new = *hook;
	new->event = at_arena_strdup(list->arena, hook->event);
	new->matcher = at_arena_strdup(list->arena, hook->matcher);
	new->command = at_arena_strdup(list->arena, hook->command);
	new->origin = at_arena_strdup(list->arena, hook->origin);
}

void at_hook_book_add(struct at_hook_book *book, const char *command,
	const struct at_hook_verdict *verdict)
{
	book->items = at_grow(book->items, &book->cap, book->count, sizeof(*book->items));
	book->items[book->count].command = at_strdup(command);
	book->items[book->count++].verdict = *verdict;
}

const struct at_hook_verdict *at_hook_book_find(const struct at_hook_book *book,
	const char *command)
{
	for (size_t i = 0; book && i < book->count; i++)
		if (strcmp(book->items[i].command, command) == 0)
			return &book->items[i].verdict;
	return NULL;
}

void at_hook_book_free(struct at_hook_book *book)
{
	for (size_t i = 0; i < book->count; i++)
		free(book->items[i].command);
	free(book->items);
	free(book->gate_is);
	*book = (struct at_hook_book){ 0 };
}

void at_hook_book_refresh(struct at_hook_book *book, const struct at_hook_list *list,
	bool keep_foreign)
{
	size_t kept = 0;

	if (!list->gate_is || !book->gate_is || strcmp(list->gate_is, book->gate_is) != 0) {
		at_hook_book_free(book);
		return;
	}
	for (size_t i = 0; i < book->count; i++) {
		bool is_gate = strcmp(book->items[i].command, list->gate) == 0;

		if (is_gate ? !list->gate_fault : keep_foreign)
			book->items[kept++] = book->items[i];
		else
			free(book->items[i].command);
	}
	book->count = kept;
}

bool at_hook_is_due(const struct at_hook_list *list, size_t i, bool foreign)
{
	const struct at_hook_found *hook = &list->items[i];

	if (!hook->can_run || !(hook->is_ours || foreign))
		return false;
	for (size_t k = 0; k < i; k++)
		if (list->items[k].can_run && (list->items[k].is_ours || foreign) &&
			strcmp(list->items[k].command, hook->command) == 0)
			return false;
	return true;
}

void at_hook_list_run(struct at_hook_book *book, const struct at_hook_list *list,
	const struct at_project *project, bool foreign)
{
	free(book->gate_is);
	book->gate_is = at_strdup(list->gate_is ? list->gate_is : "");
	for (size_t i = 0; i < list->count; i++) {
		struct at_hook_call call = { .command = list->items[i].command,
			.project = project->path, .search_path = project->host->search_path };
		struct at_hook_verdict verdict;
		struct at_error err;

		if (!at_hook_is_due(list, i, foreign))
			continue;
		if (!at_hook_judge(&verdict, &call, &err)) {
			verdict = (struct at_hook_verdict){ .result = AT_HOOK_BROKEN };
			snprintf(verdict.text, sizeof(verdict.text), "It could not be run: %.200s.",
				err.message);
		}
		at_hook_book_add(book, call.command, &verdict);
	}
}
