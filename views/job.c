#include "views/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/mem.h"

void at_job_send(int fd, struct at_bytes bytes)
{
	while (bytes.len > 0) {
		ssize_t put = write(fd, bytes.data, bytes.len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return;
		bytes.data += put;
		bytes.len -= (size_t)put;
	}
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

static void run_apart(int fd, at_job_work *work, const void *user)
{
	pid_t pid;

	reset_signals();
	at_mem_on_exhausted(NULL);
	setsid();
	pid = fork(); /* nobody has to wait for the second one */
	if (pid != 0)
		_exit(pid < 0);
	work(fd, user);
	_exit(0);
}

bool at_job_start(struct at_job *job, at_job_work *work, const void *user, const char *what,
	struct at_error *err)
{
	int fd[2];
	pid_t pid;

	*job = (struct at_job){ .fd = -1 };
	if (pipe2(fd, O_CLOEXEC) != 0)
		return at_fail_sys(err, errno, "cannot %s", what);
	pid = fork();
	if (pid == 0) {
		close(fd[0]);
		run_apart(fd[1], work, user);
	}
	close(fd[1]);
	if (pid < 0) {
		close(fd[0]);
		return at_fail_sys(err, errno, "cannot %s", what);
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	fcntl(fd[0], F_SETFL, O_NONBLOCK);
	job->fd = fd[0];
	return true;
}

bool at_job_read(struct at_job *job, size_t cap)
{
	char bytes[8192];
	ssize_t got;

	while ((got = read(job->fd, bytes, sizeof(bytes))) > 0)
		if (job->came.len < cap)
			at_buf_put(&job->came, bytes, (size_t)got);
	return !(got < 0 && (errno == EAGAIN || errno == EINTR));
}

void at_job_forget(struct at_job *job)
{
	if (job->fd >= 0)
		close(job->fd);
	at_buf_free(&job->came);
	job->fd = -1;
}
