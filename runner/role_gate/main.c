/* agentteams-role-gate: codex asks it before every tool call. Whatever goes wrong, it denies.
 *
 * Exit status 0 without a word lets the call go ahead; 2 with a line on standard error denies
 * it. Codex lets a call pass on status 1 and when its hook takes too long, so there is no way
 * here to end with another status, and no way to wait. (reference-later 5.2) */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/mem.h"
#include "runner/role_gate/decide.h"

#define SECONDS 10 /* of 60 after which codex would go on */
#define MEMORY ((size_t)1 << 30)

_Noreturn static void deny(const char *why)
{
	static const char name[] = "agentteams role gate: ";
	char line[256];
	size_t len = 0, n;

	/* No stdio: this runs in signal handlers as well. */
	for (n = 0; name[n]; n++)
		line[len++] = name[n];
	for (n = 0; why[n] && len + 1 < sizeof(line); n++)
		line[len++] = why[n];
	line[len++] = '\n';
	if (write(STDERR_FILENO, line, len) < 0)
		_exit(2);
	_exit(2);
}

static void on_signal(int number)
{
	deny(number == SIGALRM ? "the input did not end in time"
			       : "it was stopped while it judged the call");
}

static void on_no_memory(void)
{
	deny("judging the call took too much memory");
}

static void expect_the_worst(void)
{
	static const int signals[] = { SIGALRM, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTERM,
		SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGSYS, SIGUSR1, SIGUSR2, SIGTRAP };
	struct sigaction act = { .sa_handler = on_signal };
	struct rlimit memory = { MEMORY, MEMORY };
	sigset_t none;

	sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < AT_LEN(signals); i++)
		sigaction(signals[i], &act, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	at_mem_on_exhausted(on_no_memory);
#ifndef __SANITIZE_ADDRESS__
	setrlimit(RLIMIT_AS, &memory);
#else
	(void)memory;
#endif
	alarm(SECONDS);
}

/* One byte above the cap tells that there was more. */
static void read_input(struct at_buf *out)
{
	while (out->len <= AT_ROLE_GATE_CAP) {
		ssize_t got;

		at_buf_reserve(out, 65536);
		got = read(STDIN_FILENO, out->data + out->len, 65535);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			deny("the input cannot be read");
		if (got == 0)
			return;
		out->len += (size_t)got;
	}
}

int main(int argc, char **argv)
{
	struct at_buf input = { 0 };
	const char *why;

	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		puts("agentteams-role-gate " AT_VERSION);
		return 2; /* said, and as a hook still no leave */
	}
	expect_the_worst();
	if (argc > 1)
		deny("it takes no arguments: the call is read from standard input");
	read_input(&input);
	why = at_role_gate_decide(at_buf_bytes(&input), getenv("AGENTTEAMS_CODEX_CONFINED"));
	if (why)
		deny(why);
	_exit(0);
}
