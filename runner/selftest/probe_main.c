/* agentteams-probe FACTS inside|outside [ID...]: see probe.h. It trusts neither its cases, which
 * run in children with a limit of time, nor FACTS. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runner/selftest/probe.h"
#include "runner/selftest/probe_table.h"

static void note_inherited(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int fd = atoi(entry->d_name);

		if (fd > 2 && fd != dirfd(dir) && inherited_count < ARRAY_LEN(inherited))
			inherited[inherited_count++] = fd;
	}
	if (dir)
		closedir(dir);
}

static long milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long)(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

/* The child's trial, or false when its time is over or it ended without one. */
static bool receive(int fd, struct trial *t)
{
	long end = milliseconds() + AT_PROBE_SECONDS * 1000;
	size_t have = 0;

	while (have < sizeof(*t)) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		long left = end - milliseconds();
		ssize_t n;

		if (left <= 0 || poll(&ready, 1, (int)left) < 0)
			return false;
		if (!ready.revents)
			continue;
		n = read(fd, (char *)t + have, sizeof(*t) - have);
		if (n <= 0)
			return false;
		have += (size_t)n;
	}
	return true;
}

static void run_case(void (*act)(struct trial *), struct trial *t)
{
	struct trial answer;
	int ends[2], status = 0;
	bool timely;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) != 0 || (child = fork()) < 0) {
		broken(t, "no child can be made");
		return;
	}
	if (child == 0) {
		setpgid(0, 0);
		signal(SIGTTOU, SIG_IGN);
		close(ends[0]);
		act(t);
		_exit(write(ends[1], t, sizeof(*t)) == (ssize_t)sizeof(*t) ? 0 : 1);
	}
	close(ends[1]);
	timely = receive(ends[0], &answer);
	close(ends[0]);
	if (timely)
		*t = answer;
	else if (waitpid(child, &status, WNOHANG) == 0)
		broken(t, "the time was over");
	kill(-child, SIGKILL);
	kill(child, SIGKILL);
	if (!WIFSIGNALED(status))
		waitpid(child, NULL, 0);
	if (timely || t->result == RESULT_BROKEN)
		return;
	/* What a filter kills for is refused; any other end is ours. */
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
		refused(t, "SIGSYS", 0);
	else
		broken(t, "the attempt crashed");
}

static void report(const char *id, const char *act, const struct trial *t)
{
	static const char *const names[] = { "broken", "worked", "refused", "absent", "broken" };

	printf("%s\t%s\t%s\t", id, act, names[t->result]);
	for (const char *c = t->detail; *c; c++)
		putchar((unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c);
	putchar('\n');
	fflush(stdout);
}

static void run_probe(const struct probe *probe, bool inside)
{
	struct trial attempt = { .inside = inside }, control = { .inside = inside };

	run_case(probe->attempt, &attempt);
	report(probe->c->id, "attempt", &attempt);
	if (!inside || !probe->control)
		return;
	run_case(probe->control, &control);
	report(probe->c->id, "control", &control);
}

static int usage(const char *what, const char *word)
{
	fprintf(stderr, "agentteams-probe: %s '%s'\n", what, word);
	fputs("usage: agentteams-probe FACTS inside|outside [ID...]\n", stderr);
	return 2;
}

static bool is_wanted(const struct probe *probe, bool inside, int count, char **ids)
{
	if (!probe->attempt || (!inside && !(probe->c->controls & AT_CONTROL_OUTSIDE)))
		return false;
	for (int i = 0; i < count; i++) {
		if (strcmp(ids[i], probe->c->id) == 0)
			return true;
	}
	/* A launch of the driver's own asks for its case by name. */
	return count == 0 && probe->c->way == AT_BY_PROBE;
}

int main(int argc, char **argv)
{
	bool inside;

	note_inherited();
	signal(SIGPIPE, SIG_IGN);
	if (argc < 3)
		return usage("a word is missing after", argv[argc - 1]);
	inside = strcmp(argv[2], "inside") == 0;
	if (!inside && strcmp(argv[2], "outside") != 0)
		return usage("neither inside nor outside:", argv[2]);
	for (int i = 3; i < argc; i++) {
		if (!at_case_find(argv[i]))
			return usage("no case has the id", argv[i]);
	}
	if (!facts_load(argv[1]))
		return 2;
	for (size_t i = 0; i < at_case_count; i++) {
		if (is_wanted(probe_at(i), inside, argc - 3, argv + 3))
			run_probe(probe_at(i), inside);
	}
	puts("end");
	return fflush(stdout) == 0 ? 0 : 1;
}
