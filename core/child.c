#include "core/child.h"

#include "core/child_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define TURN_MS 5 /* how long a look for the end waits for more output */
#define KEEPER_MS 11000 /* how long the keeper may take to end all, and a little more */

struct pipes {
	int in[2], out[2], err[2], report[2];
};

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_all(struct pipes *p)
{
	for (int i = 0; i < 2; i++) {
		close_one(&p->in[i]);
		close_one(&p->out[i]);
		close_one(&p->err[i]);
		close_one(&p->report[i]);
	}
}

/* Nothing of this program's goes to the child by accident: close on exec. */
static bool make_pipe(int fd[2])
{
	if (pipe(fd) != 0)
		return false;
	for (int i = 0; i < 2; i++)
		fcntl(fd[i], F_SETFD, FD_CLOEXEC);
	return true;
}

/* A file without a name, for what a pipe does not hold. */
static int make_file(void)
{
#ifdef __linux__
	return memfd_create("input", MFD_CLOEXEC);
#else
	char path[] = "/tmp/at-input-XXXXXX";
	int fd = mkstemp(path);

	if (fd >= 0) {
		unlink(path);
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	return fd;
#endif
}

static bool put_input(struct pipes *p, struct at_bytes input)
{
	if (input.len <= AT_CHILD_INPUT_CAP)
		return make_pipe(p->in)
			&& (!input.len
				|| write(p->in[1], input.data, input.len) == (ssize_t)input.len);
	p->in[0] = make_file();
	for (size_t at = 0; p->in[0] >= 0 && at < input.len;) {
		ssize_t put = write(p->in[0], input.data + at, input.len - at);

		if (put < 0 && errno != EINTR)
			return false;
		at += put > 0 ? (size_t)put : 0;
	}
	return p->in[0] >= 0 && lseek(p->in[0], 0, SEEK_SET) == 0;
}

static bool open_pipes(struct pipes *p, const struct at_child_call *call)
{
	*p = (struct pipes){ { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 } };
	return put_input(p, call->input) && make_pipe(p->out) && make_pipe(p->err)
		&& (!call->has_keeper || make_pipe(p->report));
}

static bool is_kept(const int *keep, int fd)
{
	for (; keep && *keep >= 0; keep++)
		if (*keep == fd)
			return true;
	return false;
}

static void close_rest(const int *keep)
{
	for (int fd = 3; fd < 1024; fd++)
		if (!is_kept(keep, fd))
			close(fd);
}

/* From here on in the child: only calls that are safe after a fork. */
static void become(const struct at_child_call *call, const struct pipes *p)
{
	sigset_t none;

	setsid(); /* no terminal to read from or to write to */
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int s = 1; s < 32; s++)
		signal(s, SIG_DFL);
	if (dup2(call->terminal ? call->terminal : p->in[0], 0) < 0 || dup2(p->out[1], 1) < 0
		|| dup2(p->err[1], 2) < 0)
		_exit(126);
	close_rest(call->keep);
	if (call->terminal)
		ioctl(0, TIOCSCTTY, 0);
	if (chdir(call->cwd) != 0)
		_exit(126);
	execve(call->argv[0], (char *const *)(uintptr_t)call->argv,
		(char *const *)(uintptr_t)call->env);
	_exit(127);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void take(int *fd, struct at_buf *to, size_t cap, bool *is_cut)
{
	char bytes[8192];
	ssize_t got = read(*fd, bytes, sizeof(bytes));
	size_t room = cap > to->len ? cap - to->len : 0;

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got <= 0) {
		close_one(fd);
		return;
	}
	*is_cut |= (size_t)got > room;
	at_buf_put(to, bytes, (size_t)got < room ? (size_t)got : room);
}

/* True when something came or went. */
static bool read_more(struct at_child_end *end, struct pipes *p, size_t cap, int wait_ms)
{
	struct pollfd fds[2] = { { .fd = p->out[0], .events = POLLIN },
		{ .fd = p->err[0], .events = POLLIN } };

	if (poll(fds, 2, wait_ms) <= 0)
		return false;
	if (fds[0].revents)
		take(&p->out[0], &end->out, cap, &end->is_cut);
	if (fds[1].revents)
		take(&p->err[0], &end->err, cap, &end->is_cut);
	return true;
}

/* The keeper ends everything below it first; a signal can come before it waits, so it is asked
 * again until it is gone. */
static bool ask_keeper(pid_t pid, int *status)
{
	int64_t until = now_ms() + KEEPER_MS;
	const struct timespec turn = { 0, TURN_MS * 1000000L };

	while (now_ms() < until) {
		kill(pid, SIGTERM);
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		nanosleep(&turn, NULL);
	}
	return false;
}

static void read_report(struct at_child_end *end, const struct pipes *p, int *status)
{
	struct at_keeper_report report;

	if (poll(&(struct pollfd){ .fd = p->report[0], .events = POLLIN }, 1, 0) != 1
		|| read(p->report[0], &report, sizeof(report)) != (ssize_t)sizeof(report)) {
		end->is_left = true; /* the keeper was killed: nobody knows */
		return;
	}
	end->survivors = report.survivors;
	end->is_left = report.is_left;
	*status = report.has_ended ? report.status : SIGKILL;
}

static void watch(struct at_child_end *end, const struct at_child_call *call, struct pipes *p,
	pid_t pid)
{
	int64_t until = now_ms() + call->timeout_ms;
	int status = 0;
	bool ended = false;

	while (!ended && !end->timed_out && !end->stopped) {
		read_more(end, p, call->cap, TURN_MS);
		ended = waitpid(pid, &status, WNOHANG) == pid;
		end->timed_out = !ended && now_ms() >= until;
		end->stopped = !ended && call->go_on && !call->go_on(call->user, end);
	}
	if (!ended && call->has_keeper)
		ended = ask_keeper(pid, &status);
	/* What it left behind in its group must not hold the pipes open, nor live on. */
	kill(-pid, SIGKILL);
	if (!ended) {
		kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	if (call->has_keeper)
		read_report(end, p, &status);
	until = now_ms() + 1000;
	while (now_ms() < until && (p->out[0] >= 0 || p->err[0] >= 0)
		&& read_more(end, p, call->cap, 0))
		;
	end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	end->status = end->signal ? 128 + end->signal : WEXITSTATUS(status);
}

struct start {
	const struct at_child_call *call;
	const struct pipes *p;
};

static void become_kept(void *user)
{
	const struct start *start = user;

	become(start->call, start->p);
}

static void keep(const struct at_child_call *call, const struct pipes *p)
{
	struct start start = { call, p };

	at_keeper_run(p->report[1], become_kept, &start);
}

bool at_child_run(struct at_child_end *out, const struct at_child_call *call, struct at_error *err)
{
	struct pipes p;
	pid_t pid;

	*out = (struct at_child_end){ 0 };
	if (call->input.len > AT_CHILD_INPUT_MAX)
		return at_fail(err, AT_ELIMIT, "the input of %s is too long", call->argv[0]);
	if (!open_pipes(&p, call)) {
		at_fail_sys(err, errno, "cannot make pipes for %s", call->argv[0]);
		close_all(&p);
		return false;
	}
	pid = fork();
	if (pid == 0 && call->has_keeper)
		keep(call, &p);
	if (pid == 0)
		become(call, &p);
	if (pid < 0) {
		at_fail_sys(err, errno, "cannot start %s", call->argv[0]);
		close_all(&p);
		return false;
	}
	close_one(&p.in[0]);
	close_one(&p.in[1]);
	close_one(&p.out[1]);
	close_one(&p.err[1]);
	close_one(&p.report[1]);
	watch(out, call, &p, pid);
	close_all(&p);
	return true;
}

void at_child_end_free(struct at_child_end *end)
{
	at_buf_free(&end->out);
	at_buf_free(&end->err);
}
