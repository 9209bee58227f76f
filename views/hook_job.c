#include "views/hook_job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/mem.h"

#define COMMAND_MAX ((uint32_t)1 << 24)
#define CAME_MAX ((size_t)64 << 20)

/* In front of each verdict. `command` bytes follow, then the verdict. */
struct head {
	uint32_t command; /* length */
};

static void write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t put = write(fd, data, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return;
		data += put;
		len -= (size_t)put;
	}
}

static void send_book(int fd, const struct at_hook_book *book)
{
	struct at_buf text = { 0 };

	for (size_t i = 0; i < book->count; i++) {
		struct head head = { (uint32_t)strlen(book->items[i].command) };

		at_buf_put(&text, &head, sizeof(head));
		at_buf_puts(&text, book->items[i].command);
		at_buf_put(&text, &book->items[i].verdict, sizeof(book->items[i].verdict));
	}
	write_all(fd, at_buf_text(&text), text.len);
	at_buf_free(&text);
}

static void reset_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	for (int s = 1; s < 32; s++)
		signal(s, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The terminal is the parent's: nothing here may touch it, not even at the end. */
static void run_apart(int fd, const struct at_hook_list *list, const struct at_project *project,
	bool foreign)
{
	struct at_hook_book book = { 0 };
	pid_t pid;

	reset_signals();
	at_mem_on_exhausted(NULL);
	setsid();
	pid = fork(); /* nobody has to wait for the second one */
	if (pid != 0)
		_exit(pid < 0);
	at_hook_list_run(&book, list, project, foreign);
	send_book(fd, &book);
	_exit(0);
}

bool at_hook_job_start(struct at_hook_job *job, const struct at_hook_list *list,
	const struct at_project *project, bool foreign, struct at_error *err)
{
	int fd[2];
	pid_t pid;

	*job = (struct at_hook_job){ .fd = -1 };
	if (pipe2(fd, O_CLOEXEC) != 0)
		return at_fail_sys(err, errno, "cannot run the hooks");
	pid = fork();
	if (pid == 0) {
		close(fd[0]);
		run_apart(fd[1], list, project, foreign);
	}
	close(fd[1]);
	if (pid < 0) {
		close(fd[0]);
		return at_fail_sys(err, errno, "cannot run the hooks");
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	fcntl(fd[0], F_SETFL, O_NONBLOCK);
	job->fd = fd[0];
	return true;
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

bool at_hook_job_read(struct at_hook_job *job, struct at_hook_book *book)
{
	char bytes[8192];
	ssize_t got;

	while ((got = read(job->fd, bytes, sizeof(bytes))) > 0)
		if (job->came.len < CAME_MAX)
			at_buf_put(&job->came, bytes, (size_t)got);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	take_verdicts(book, at_buf_bytes(&job->came));
	at_hook_job_forget(job);
	return true;
}

void at_hook_job_forget(struct at_hook_job *job)
{
	if (job->fd >= 0)
		close(job->fd);
	at_buf_free(&job->came);
	job->fd = -1;
}
