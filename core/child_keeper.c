/* child_keeper.c - stands between this program and a child, and takes the child's children.
 *
 * What leaves the child's group and session is still below the keeper: Linux gives it every orphan
 * (PR_SET_CHILD_SUBREAPER). Elsewhere only the group is found. It runs after a fork: no call here
 * but those that are safe there.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "core/child_impl.h"

#define GRACE_MS 200 /* what ends by itself in this time was not left behind */
#define DRAIN_MS 10000 /* how long killing may take */

static volatile sig_atomic_t is_told;

static void told(int signal)
{
	(void)signal;
	is_told = 1;
}

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void pause_ms(long ms)
{
	const struct timespec time = { 0, ms * 1000000 };

	nanosleep(&time, NULL);
}

#ifdef __linux__
static int open_children(void)
{
	char path[64] = "/proc/self/task/", *end = path + strlen(path), digits[24];
	long pid = (long)getpid();
	int n = 0;

	for (; pid; pid /= 10)
		digits[n++] = (char)('0' + pid % 10);
	while (n)
		*end++ = digits[--n];
	memcpy(end, "/children", 10);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Kills every direct child; what they leave comes here next. How many there were. */
static unsigned kill_children(void)
{
	int fd = open_children();
	unsigned count = 0;
	pid_t pid = 0;
	char text[4096];
	ssize_t got;

	while (fd >= 0 && (got = read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < got; i++) {
			if (text[i] >= '0' && text[i] <= '9') {
				pid = pid * 10 + (text[i] - '0');
				continue;
			}
			count += pid > 0 && kill(pid, SIGKILL) == 0;
			pid = 0;
		}
	if (fd >= 0)
		close(fd);
	return count;
}
#else
static unsigned kill_children(void)
{
	return 0;
}
#endif

/* True when there is no child any more. */
static bool reap(unsigned *reaped)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		++*reaped;
	return pid < 0 && errno == ECHILD;
}

static void wait_for(pid_t child, struct at_keeper_report *report)
{
	int status = 0;
	pid_t pid;

	while (!is_told) {
		pid = waitpid(-1, &status, 0);
		if (pid == child) {
			report->status = status;
			report->has_ended = true;
			return;
		}
		if (pid < 0 && errno != EINTR)
			return;
	}
}

static void end_all(pid_t child, struct at_keeper_report *report)
{
	long long start = now_ms();
	unsigned reaped = 0;

	while (report->has_ended && !is_told && now_ms() < start + GRACE_MS) {
		if (reap(&reaped))
			return;
		pause_ms(2);
	}
	reaped = 0;
	kill(-child, SIGKILL); /* its own group all at once: no fork gets between */
	while (!reap(&reaped)) {
		if (now_ms() > start + DRAIN_MS) {
			report->is_left = true;
			break;
		}
		kill_children();
		pause_ms(1);
	}
	report->survivors = report->has_ended ? reaped : 0;
}

void at_keeper_run(int report_fd, void (*become)(void *user), void *user)
{
	struct at_keeper_report report = { 0 };
	struct sigaction action = { .sa_handler = told };
	sigset_t none;
	pid_t child;

	setsid(); /* what a terminal sends to this program is not for the keeper */
	for (int s = 1; s < 32; s++)
		signal(s, SIG_DFL);
	sigemptyset(&action.sa_mask);
	sigaction(SIGTERM, &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
#ifdef __linux__
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* so that it still ends the others */
#endif
	child = fork();
	if (child == 0)
		become(user);
	for (int fd = 0; fd < 1024; fd++) /* this program's locks among them */
		if (fd != report_fd)
			close(fd);
	if (child < 0)
		_exit(126);
	wait_for(child, &report);
	end_all(child, &report);
	if (write(report_fd, &report, sizeof(report)) != (ssize_t)sizeof(report))
		_exit(1);
	_exit(0);
}
