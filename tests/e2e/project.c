#include "e2e/project.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/support.h"

#define DEADLINE_MS 60000 /* a sanitizer on a busy machine is slow */

const char *test_program(void)
{
	const char *path = getenv("AT_PROGRAM");

	if (!path)
		fail_msg("AT_PROGRAM is not set: run through meson test");
	return path;
}

void test_project_begin(struct test_project *project, const char *from)
{
	const char *source = getenv("AT_TEST_SOURCE");
	char path[4096];

	project->stage = test_tree_new();
	snprintf(project->shop, sizeof(project->shop), "%s/shop", project->stage);
	snprintf(project->home, sizeof(project->home), "%s/home", project->stage);
	assert_int_equal(mkdir(project->home, 0700), 0);
	assert_int_equal(mkdir(test_path(project->stage, "demo-shop-build"), 0755), 0);
	if (from)
		snprintf(path, sizeof(path), "%s/%s", test_data(), from);
	else
		snprintf(path, sizeof(path), "%s/examples/demo-shop", source ? source : ".");
	test_copy_tree(path, project->shop);
}

void test_project_end(struct test_project *project)
{
	test_tree_remove(project->stage);
}

const char *const *test_environment(const struct test_project *project)
{
	static char home[600];
	static const char *env[] = { home, "XDG_STATE_HOME", "XDG_CONFIG_HOME", "CLAUDECODE", "AI_AGENT",
		"AGENTTEAMS_CODEX_CONFINED", "NO_COLOR", "LC_ALL=C.UTF-8", NULL };

	snprintf(home, sizeof(home), "HOME=%s", project->home);
	return env;
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000L + t.tv_nsec / 1000000;
}

/* Reads both until they end. */
static void drain(int out, int err, struct test_run *run, pid_t pid)
{
	struct pollfd fds[2] = { { .fd = out, .events = POLLIN }, { .fd = err, .events = POLLIN } };
	struct at_buf *bufs[2] = { &run->out, &run->err };
	long until = now_ms() + DEADLINE_MS;
	char chunk[65536];

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		if (poll(fds, 2, 200) < 0 && errno != EINTR)
			break;
		if (now_ms() > until) {
			kill(pid, SIGKILL);
			break;
		}
		for (int i = 0; i < 2; i++) {
			ssize_t got;

			if (fds[i].fd < 0 || !fds[i].revents)
				continue;
			got = read(fds[i].fd, chunk, sizeof(chunk));
			if (got > 0)
				at_buf_put(bufs[i], chunk, (size_t)got);
			else
				fds[i].fd = -1;
		}
	}
}

static void become(const struct test_project *project, const char *variable, char **argv)
{
	char assign[1024];

	if (chdir(project->stage) != 0)
		_exit(125);
	for (const char *const *e = test_environment(project); *e; e++) {
		snprintf(assign, sizeof(assign), "%s", *e);
		if (strchr(assign, '='))
			putenv(strdup(assign));
		else
			unsetenv(assign);
	}
	if (variable)
		putenv(strdup(variable));
	execv(argv[0], argv);
	_exit(126);
}

struct test_run test_run_with(const struct test_project *project, const char *variable,
	const char *words)
{
	struct test_run run = { 0 };
	const char *const first[] = { test_program(), "--project", project->shop, TEST_NO_GATE };
	char *argv[64] = { NULL };
	char *copy = at_strdup(words), *rest = copy, *word;
	int out[2], err[2], status, count = 0;
	int own = strstr(words, "--gate-program") ? 3 : (int)AT_LEN(first);
	pid_t pid;

	for (; count < own; count++)
		argv[count] = (char *)(uintptr_t)first[count];
	while ((word = strsep(&rest, " ")) && count < 63) {
		if (*word)
			argv[count++] = word;
	}
	assert_int_equal(pipe(out), 0);
	assert_int_equal(pipe(err), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int null = open("/dev/null", O_RDONLY);

		dup2(null, 0);
		dup2(out[1], 1);
		dup2(err[1], 2);
		for (int fd = 3; fd < 32; fd++)
			close(fd);
		become(project, variable, argv);
	}
	close(out[1]);
	close(err[1]);
	drain(out[0], err[0], &run, pid);
	close(out[0]);
	close(err[0]);
	waitpid(pid, &status, 0);
	run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	free(copy);
	return run;
}

struct test_run test_run(const struct test_project *project, const char *words)
{
	return test_run_with(project, NULL, words);
}

void test_run_free(struct test_run *run)
{
	at_buf_free(&run->out);
	at_buf_free(&run->err);
}

const char *test_expect(const struct test_project *project, int want, const char *words)
{
	static struct test_run last;

	test_run_free(&last);
	last = test_run(project, words);
	if (last.status != want)
		fail_msg("atconsole %s: exit %d, expected %d\n%s\n%s", words, last.status, want,
			at_buf_text(&last.out), at_buf_text(&last.err));
	return at_buf_text(&last.out);
}
