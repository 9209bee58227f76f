/* hooks.h - hooks that can stop a call, and what became of those that were run.
 *
 * A list says which hooks there are and whether one is exactly ours; a book keeps verdicts by
 * command. Running is asked for by a mode or a screen: nothing here starts by itself.
 * (WIRE-10)
 */
#ifndef AT_HOOKS_H
#define AT_HOOKS_H

#include "core/hook_run.h"
#include "emit/framework.h"

struct at_hook_found {
	const char *event, *matcher; /* matcher "" matches every tool */
	const char *command;
	const char *origin;          /* the file; "" for ours while it is wired nowhere */
	bool is_ours;  /* the emitted command, and the emitted script byte for byte: run unasked */
	bool can_run;  /* a shell command before a call; other kinds are only listed */
};

struct at_hook_list {
	struct at_arena *arena;
	struct at_hook_found *items;
	size_t count, cap;
	const char *gate;       /* the emitted command, or NULL where a framework has none */
	const char *gate_fault; /* why it cannot be run, or NULL */
	bool gate_only;         /* wished: no settings file is read, the gate's hook is all */
	const char *gate_is;    /* names the program as it is now: another text, another program */
};
void at_hook_list_init(struct at_hook_list *list);
void at_hook_list_free(struct at_hook_list *list);
void at_hook_list_add(struct at_hook_list *list, const struct at_hook_found *hook); /* copied */

struct at_hook_book {
	struct {
		char *command;
		struct at_hook_verdict verdict;
	} *items;
	size_t count, cap;
	char *gate_is; /* of the list that was run */
};
void at_hook_book_add(struct at_hook_book *book, const char *command,
	const struct at_hook_verdict *verdict);
const struct at_hook_verdict *at_hook_book_find(const struct at_hook_book *book,
	const char *command); /* NULL: not run; `book` may be NULL */
/* Forgets what may be other now: all when the gate's program is, else what is not ours. */
void at_hook_book_refresh(struct at_hook_book *book, const struct at_hook_list *list,
	bool keep_foreign);
void at_hook_book_free(struct at_hook_book *book); /* leaves it empty and usable */

/* Is the command one to run now, the same one not met before in the list? */
bool at_hook_is_due(const struct at_hook_list *list, size_t i, bool foreign);

/* Runs ours, and the others too when `foreign`, each command once. What cannot be run at all
 * is written down as broken. */
void at_hook_list_run(struct at_hook_book *book, const struct at_hook_list *list,
	const struct at_project *project, bool foreign);

#endif
