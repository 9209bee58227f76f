#include "views/hook_job.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

#define COMMAND_MAX ((uint32_t)1 << 24)
#define CAME_MAX ((size_t)64 << 20)

/* In front of each verdict. `command` bytes follow, then the verdict. */
struct head {
	uint32_t command; /* length */
};

struct work {
	const struct at_hook_list *list;
	const struct at_project *project;
	bool foreign;
};

static void send_book(int fd, const struct at_hook_book *book)
{
	struct at_buf text = { 0 };

	for (size_t i = 0; i < book->count; i++) {
		struct head head = { (uint32_t)strlen(book->items[i].command) };

		at_buf_put(&text, &head, sizeof(head));
		at_buf_puts(&text, book->items[i].command);
		at_buf_put(&text, &book->items[i].verdict, sizeof(book->items[i].verdict));
	}
	at_job_send(fd, at_buf_bytes(&text));
	at_buf_free(&text);
}

static void run_hooks(int fd, const void *user)
{
	const struct work *work = user;
	struct at_hook_book book = { 0 };

	at_hook_list_run(&book, work->list, work->project, work->foreign);
	send_book(fd, &book);
}

bool at_hook_job_start(struct at_job *job, const struct at_hook_list *list,
	const struct at_project *project, bool foreign, struct at_error *err)
{
	struct work work = { list, project, foreign };

	return at_job_start(job, run_hooks, &work, "run the hooks", err);
}

static void take_verdicts(struct at_hook_book *book, struct at_bytes came)
{
	const char *p = came.data, *end = p + came.len;

	while ((size_t)(end - p) > sizeof(struct head)) {
		struct at_hook_verdict verdict;
		struct head head;
		char *command;

		memcpy(&head, p, sizeof(head));
		p += sizeof(head);
		if (head.command > COMMAND_MAX ||
			(size_t)(end - p) < head.command + sizeof(verdict))
			return;
		command = at_alloc((size_t)head.command + 1);
		memcpy(command, p, head.command);
		memcpy(&verdict, p + head.command, sizeof(verdict));
		p += head.command + sizeof(verdict);
		at_hook_book_add(book, command, &verdict);
		free(command);
	}
}

bool at_hook_job_read(struct at_job *job, struct at_hook_book *book)
{
	if (!at_job_read(job, CAME_MAX))
		return false;
	take_verdicts(book, at_buf_bytes(&job->came));
	at_job_forget(job);
	return true;
}
