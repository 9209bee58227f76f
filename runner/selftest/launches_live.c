/* launches_live.c - does anything live on after the command, or after the launcher was killed? */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runner/selftest/launches.h"

#define TURN_MS 10
#define START_MS 10000
#define END_MS 2000

static void nap(void)
{
	const struct timespec turn = { 0, TURN_MS * 1000000L };

	nanosleep(&turn, NULL);
}

/* A number of seconds that no other process sleeps. */
struct span {
	char text[32];
};

static struct span new_span(void)
{
	struct span span;
	uint32_t number = 0;

	if (getrandom(&number, sizeof(number), 0) < 0)
		number = (uint32_t)getpid();
	snprintf(span.text, sizeof(span.text), "301.%010u", number);
	return span;
}

/* The process whose last word is the span: itself, not the shells that were told to start it. */
static pid_t find_sleeper(const struct span *span)
{
	DIR *list = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	while (list && !found && (entry = readdir(list))) {
		char path[300], line[256];
		size_t len = strlen(span->text);
		ssize_t got;
		int fd;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		got = fd < 0 ? 0 : read(fd, line, sizeof(line));
		if (fd >= 0)
			close(fd);
		if (got > (ssize_t)(len + 1) && got < (ssize_t)sizeof(line)
			&& memcmp(line + got - 1 - len, span->text, len) == 0
			&& strncmp(line, "sleep", 5) == 0)
			found = (pid_t)strtol(entry->d_name, NULL, 10);
	}
	if (list)
		closedir(list);
	return found;
}

static bool is_gone_soon(const struct span *span)
{
	pid_t pid = 0;

	for (int ms = 0; ms < END_MS; ms += TURN_MS) {
		pid = find_sleeper(span);
		if (!pid)
			return true;
		nap();
	}
	kill(pid, SIGKILL); /* what got away does not stay behind */
	return false;
}

static const char *leave_script(struct at_launches *l, const struct span *span)
{
	return at_arena_printf(l->fixture->arena,
		": >\"$1\"; (setsid sleep %s </dev/null >/dev/null 2>&1 &); "
		"/bin/sleep 0.1",
		span->text);
}

/* Outside, what is left behind lives on: the control. */
static void try_outside(struct at_launches *l, struct at_evidence_of_case *out)
{
	struct span span = new_span();
	const char *const words[] = { "/bin/sh", "-c", leave_script(l, &span), "sh", l->marker,
		NULL };
	struct at_child_end end;
	pid_t pid;

	if (!at_launch_run(&end, l->launcher, l->fixture, words, NULL, NULL))
		return;
	at_child_end_free(&end);
	unlink(l->marker);
	pid = find_sleeper(&span);
	at_launch_said(&out->outside, pid ? AT_SEEN_WORKED : AT_SEEN_BROKEN,
		pid ? "" : "what was left behind did not live on");
	if (pid)
		kill(pid, SIGKILL);
}

/* Starts the launcher as somebody would and gives its process id. */
static pid_t start(struct at_launches *l, const struct span *span)
{
	struct at_words words;
	pid_t parent = getpid(), pid;

	at_launch_words(&words, l->launcher, l->fixture, l->mode);
	at_words_add(&words, "--");
	at_words_add(&words, "sleep");
	at_words_add(&words, span->text);
	pid = fork();
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || setsid() < 0)
		_exit(126);
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
	if (open("/dev/null", O_RDWR) != 0 || dup2(0, 1) < 0 || dup2(0, 2) < 0
		|| chdir(l->fixture->scratch) != 0)
		_exit(126);
	execve(words.items[0], (char *const *)(uintptr_t)words.items,
		(char *const *)(uintptr_t)l->fixture->env);
	_exit(127);
}

/* Kills the launcher, and nothing but the launcher. */
static void try_killed(struct at_launches *l, struct at_evidence_of_case *out)
{
	struct span span = new_span();
	pid_t pid = start(l, &span);
	bool is_there = false;

	for (int ms = 0; pid > 0 && !is_there && ms < START_MS; ms += TURN_MS) {
		is_there = find_sleeper(&span) > 0;
		if (!is_there)
			nap();
	}
	if (pid > 0) {
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (!is_there)
		at_launch_said(&out->attempt, AT_SEEN_BROKEN, "the command was not seen to run");
	else if (is_gone_soon(&span))
		at_launch_said(&out->attempt, AT_SEEN_REFUSED,
			"gone with its command, and with a launcher that was killed");
	else
		at_launch_said(
			&out->attempt, AT_SEEN_WORKED, "it lives on after the launcher was killed");
}

void at_launch_n15(struct at_launches *l, struct at_evidence_of_case *out)
{
	struct span span = new_span();
	bool ran;
	int status;

	try_outside(l, out);
	status = at_launch_script(l, NULL, leave_script(l, &span), NULL, &ran);
	if (status != 0 || !ran)
		at_launch_said(&out->attempt, AT_SEEN_BROKEN, "the launch ended with %d", status);
	else if (!is_gone_soon(&span))
		at_launch_said(&out->attempt, AT_SEEN_WORKED, "it lives on after its command");
	else
		try_killed(l, out);
}
