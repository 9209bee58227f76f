#include "runner/gate/limits.h"

#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/mem.h"
#include "runner/gate/answer.h"

/* A sanitizer maps terabytes and has handlers of its own. */
#if defined(__SANITIZE_ADDRESS__)
#define IS_PLAIN 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define IS_PLAIN 0
#endif
#endif
#ifndef IS_PLAIN
#define IS_PLAIN 1
#endif

/* A call of 8 MiB of JSON in the smallest pieces needs some 400 MiB of index. */
#define MEMORY ((rlim_t)768 << 20)
#define CPU_SECONDS 2

static volatile sig_atomic_t is_closed, is_answered, answered_status;

static void end(enum gate_fault fault)
{
	static const char late[] = "agentteams gate: the log line was not written in time\n";

	if (is_answered) {
		(void)!write(STDERR_FILENO, late, sizeof(late) - 1);
		_exit(answered_status);
	}
	is_answered = 1;
	_exit(gate_answer_fault(fault, is_closed));
}

static void on_signal(int sig)
{
	end(sig == SIGALRM || sig == SIGXCPU ? GATE_NO_TIME : GATE_CRASHED);
}

static void on_no_memory(void)
{
	end(GATE_NO_MEMORY);
}

static void bound(int what, rlim_t soft, rlim_t hard)
{
	struct rlimit limit;

	if (getrlimit(what, &limit) != 0)
		return;
	if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > hard)
		limit.rlim_max = hard;
	limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
	setrlimit(what, &limit);
}

void gate_limits_bound(void)
{
	bound(RLIMIT_CORE, 0, 0);
	if (IS_PLAIN)
		bound(RLIMIT_AS, MEMORY, MEMORY);
}

static void start_clock(void)
{
	const struct itimerval clock = { .it_value = { .tv_sec = GATE_DEADLINE_MS / 1000,
						 .tv_usec = GATE_DEADLINE_MS % 1000 * 1000 } };

	setitimer(ITIMER_REAL, &clock, NULL);
}

void gate_limits_set(bool closed)
{
	static const int times[] = { SIGALRM, SIGXCPU };
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS };
	/* A stack of its own: the crash may be that the other one is used up. */
	static char stack[32768];
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction over = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	sigset_t none;

	is_closed = closed;
	/* Whoever started this may have blocked what ends it. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	sigfillset(&over.sa_mask);
	sigaltstack(&other, NULL);
	for (size_t i = 0; i < AT_LEN(times); i++)
		sigaction(times[i], &over, NULL);
	for (size_t i = 0; IS_PLAIN && i < AT_LEN(crashes); i++)
		sigaction(crashes[i], &over, NULL);
	signal(SIGPIPE, SIG_IGN);
	at_mem_on_exhausted(on_no_memory);
	start_clock();
	bound(RLIMIT_CPU, CPU_SECONDS, CPU_SECONDS + 1);
	gate_limits_bound();
}

static void hold_times(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaddset(&set, SIGXCPU);
	sigprocmask(how, &set, NULL);
}

void gate_limits_answering(void)
{
	hold_times(SIG_BLOCK);
}

void gate_limits_answered(int status)
{
	answered_status = status;
	is_answered = 1;
	start_clock();
	hold_times(SIG_UNBLOCK);
}
