#include "runner/readfs/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/mem.h"
#include "runner/readfs/message.h"

#define PIECE ((size_t)65536)
#define ANSWER_CAP ((size_t)16 << 20) /* a text in which every byte became an escape fits */
#define LOOK_MS 250 /* how often the parent is looked for */

struct call {
	pid_t pid; /* 0: free */
	int fd; /* its result comes from here */
	char id[AT_READFS_ID_CAP];
	size_t id_len;
	struct at_buf result;
	long long until;
};

struct server {
	const struct at_readfs_root *root;
	struct at_buf in;
	size_t scanned; /* bytes of `in` without a newline */
	bool is_skipping; /* the rest of a line above the cap */
	bool is_over; /* no more input */
	bool is_broken; /* nobody reads */
	pid_t self, parent;
	struct call calls[AT_READFS_CALLS];
};

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static bool put(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EAGAIN) {
			struct pollfd one = { .fd = fd, .events = POLLOUT };

			poll(&one, 1, LOOK_MS);
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		len -= (size_t)n;
	}
	return true;
}

static void send_line(struct server *s, struct at_buf *line)
{
	if (line->len && !s->is_broken)
		s->is_broken = !put(STDOUT_FILENO, line->data, line->len);
	at_buf_free(line);
}

/* ---- calls ---- */

static void limit_child(void)
{
	struct rlimit memory = { AT_READFS_CALL_MEMORY, AT_READFS_CALL_MEMORY }, none = { 0, 0 };

#ifndef __SANITIZE_ADDRESS__
	setrlimit(RLIMIT_AS, &memory);
#else
	(void)memory;
#endif
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_FSIZE, &none); /* it writes to a pipe alone */
}

/* Never returns. What it has of the protocol is closed before anything is read. */
static void run_child(const struct server *s, const struct at_readfs_message *m, int fd)
{
	struct at_readfs_result result = { 0 };
	struct at_buf text = { 0 };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != s->self)
		_exit(1);
	limit_child();
	m->tool->run(&result, s->root, &m->args);
	at_readfs_print_result(&text, &result);
	_exit(put(fd, text.data, text.len) ? 0 : 1);
}

static struct call *free_call(struct server *s)
{
	for (size_t i = 0; i < AT_READFS_CALLS; i++)
		if (!s->calls[i].pid)
			return &s->calls[i];
	return NULL;
}

static void answer_failure(struct server *s, struct at_bytes id, const char *text)
{
	struct at_readfs_result failed = { 0 };
	struct at_buf result = { 0 }, line = { 0 };

	at_readfs_refuse(&failed, "%s", text);
	at_readfs_print_result(&result, &failed);
	at_readfs_answer(&line, id, at_buf_bytes(&result));
	send_line(s, &line);
	at_buf_free(&result);
	at_readfs_result_free(&failed);
}

static void start_call(struct server *s, const struct at_readfs_message *m)
{
	struct call *call = free_call(s);
	int ends[2];
	pid_t pid = -1;

	if (pipe2(ends, O_CLOEXEC) == 0) {
		pid = fork();
		if (pid == 0) {
			close(ends[0]);
			run_child(s, m, ends[1]);
		}
		close(ends[1]);
		if (pid < 0)
			close(ends[0]);
	}
	if (pid < 0) {
		answer_failure(s, m->id, "The call could not be started.");
		return;
	}
	*call = (struct call){ .pid = pid,
		.fd = ends[0],
		.id_len = m->id.len,
		.until = now_ms() + AT_READFS_CALL_MS };
	memcpy(call->id, m->id.data, m->id.len);
}

/* Stops it if it still runs. Its status, or -1. */
static int reap(struct call *call)
{
	int status = -1;

	kill(call->pid, SIGKILL);
	while (waitpid(call->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(call->fd);
	call->pid = 0;
	return status;
}

static void drop_call(struct call *call)
{
	reap(call);
	at_buf_free(&call->result);
}

static void cancel(struct server *s, struct at_bytes id)
{
	for (size_t i = 0; i < AT_READFS_CALLS; i++) {
		struct call *call = &s->calls[i];

		if (call->pid && call->id_len == id.len && memcmp(call->id, id.data, id.len) == 0) {
			drop_call(call);
			return;
		}
	}
}

/* The pipe has ended: whole only when the child says so. */
static void end_call(struct server *s, struct call *call)
{
	struct at_bytes id = { call->id, call->id_len };
	struct at_buf line = { 0 };
	int status = -1;

	while (waitpid(call->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(call->fd);
	call->pid = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		at_readfs_answer(&line, id, at_buf_bytes(&call->result));
		send_line(s, &line);
	} else {
		answer_failure(
			s, id, "The call failed: it took more memory than it may have, or ended.");
	}
	at_buf_free(&call->result);
}

static void stop_call(struct server *s, struct call *call, const char *why)
{
	struct at_bytes id = { call->id, call->id_len };

	drop_call(call);
	answer_failure(s, id, why);
}

static void read_call(struct server *s, struct call *call)
{
	char piece[PIECE];
	ssize_t got = read(call->fd, piece, sizeof(piece));

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got <= 0) {
		end_call(s, call);
		return;
	}
	at_buf_put(&call->result, piece, (size_t)got);
	if (call->result.len > ANSWER_CAP)
		stop_call(s, call, "The answer is too long.");
}

/* ---- lines ---- */

static void take_line(struct server *s, struct at_bytes line)
{
	struct at_readfs_message message;
	struct at_buf answer = { 0 };

	if (line.len > AT_READFS_LINE_CAP) {
		at_readfs_too_long(&answer);
		send_line(s, &answer);
		return;
	}
	at_readfs_take(&message, &answer, line);
	if (message.act == AT_READFS_CALL)
		start_call(s, &message);
	else if (message.act == AT_READFS_CANCEL)
		cancel(s, message.id);
	send_line(s, &answer);
	at_readfs_message_free(&message);
}

static void refuse_long(struct server *s)
{
	struct at_buf answer = { 0 };

	at_readfs_too_long(&answer);
	send_line(s, &answer);
	at_buf_free(&s->in);
	s->scanned = 0;
	s->is_skipping = true;
}

/* As many lines as there are calls free; what is left stays in the buffer. */
static void take_lines(struct server *s)
{
	size_t from = 0;

	if (!s->in.len)
		return;
	while (free_call(s) && !s->is_broken) {
		char *start = s->in.data + from, *end;

		end = s->scanned < s->in.len
			? memchr(s->in.data + s->scanned, '\n', s->in.len - s->scanned)
			: NULL;
		if (!end)
			break;
		if (!s->is_skipping)
			take_line(s, (struct at_bytes){ start, (size_t)(end - start) });
		s->is_skipping = false;
		from = s->scanned = (size_t)(end + 1 - s->in.data);
	}
	if (!free_call(s) || s->is_broken) {
		/* the rest was not looked at */
	} else if (s->is_over && s->in.len > from && !s->is_skipping) {
		take_line(s, (struct at_bytes){ s->in.data + from, s->in.len - from });
		from = s->in.len;
	} else if (s->is_skipping) {
		from = s->in.len;
	}
	if (from == s->in.len) {
		at_buf_free(&s->in);
	} else if (from) {
		memmove(s->in.data, s->in.data + from, s->in.len - from);
		s->in.len -= from;
	}
	s->scanned = free_call(s) ? s->in.len : s->scanned - from;
	if (s->in.len > AT_READFS_LINE_CAP && s->scanned == s->in.len)
		refuse_long(s);
}

static void read_input(struct server *s)
{
	char piece[PIECE];
	ssize_t got = read(STDIN_FILENO, piece, sizeof(piece));

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got <= 0)
		s->is_over = true;
	else
		at_buf_put(&s->in, piece, (size_t)got);
}

/* ---- the loop ---- */

static int wait_ms(const struct server *s, long long linger)
{
	long long least = LOOK_MS, now = now_ms();

	for (size_t i = 0; i < AT_READFS_CALLS; i++)
		if (s->calls[i].pid && s->calls[i].until - now < least)
			least = s->calls[i].until - now;
	if (linger && linger - now < least)
		least = linger - now;
	return least < 0 ? 0 : (int)least;
}

static void look_at_calls(struct server *s, const struct pollfd *fds)
{
	long long now = now_ms();

	for (size_t i = 0; i < AT_READFS_CALLS; i++) {
		struct call *call = &s->calls[i];

		if (call->pid && fds[i].fd == call->fd && fds[i].revents)
			read_call(s, call);
		else if (call->pid && now >= call->until)
			stop_call(s, call, "Stopped: the call took longer than 10 seconds.");
	}
}

static bool is_idle(const struct server *s)
{
	for (size_t i = 0; i < AT_READFS_CALLS; i++)
		if (s->calls[i].pid)
			return false;
	return s->in.len == 0;
}

/* False when it is time to end. */
static bool turn(struct server *s, long long linger)
{
	struct pollfd fds[AT_READFS_CALLS + 2];

	for (size_t i = 0; i < AT_READFS_CALLS; i++)
		fds[i] = (struct pollfd){ .fd = s->calls[i].pid ? s->calls[i].fd : -1,
			.events = POLLIN };
	fds[AT_READFS_CALLS] =
		(struct pollfd){ .fd = s->is_over || !free_call(s) ? -1 : STDIN_FILENO,
			.events = POLLIN };
	fds[AT_READFS_CALLS + 1] =
		(struct pollfd){ .fd = STDOUT_FILENO }; /* POLLERR: nobody reads */
	if (poll(fds, AT_READFS_CALLS + 2, wait_ms(s, linger)) < 0 && errno != EINTR)
		return false;
	if ((fds[AT_READFS_CALLS + 1].revents & (POLLERR | POLLNVAL)) || getppid() != s->parent)
		return false;
	look_at_calls(s, fds);
	if (fds[AT_READFS_CALLS].revents)
		read_input(s);
	take_lines(s);
	return !s->is_broken && !(s->is_over && is_idle(s)) && (!linger || now_ms() < linger);
}

int at_readfs_serve(const struct at_readfs_root *root)
{
	struct server s = { .root = root, .self = getpid(), .parent = getppid() };
	long long linger = 0;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	while (turn(&s, linger))
		if (s.is_over && !linger)
			linger = now_ms() + AT_READFS_LINGER_MS;
	for (size_t i = 0; i < AT_READFS_CALLS; i++)
		if (s.calls[i].pid)
			drop_call(&s.calls[i]);
	at_buf_free(&s.in);
	return 0;
}
