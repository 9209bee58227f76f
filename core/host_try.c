#include "core/host_try.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#endif

#include "core/child.h"
#include "core/mem.h"

#define OUTPUT_CAP 4096
#define FLAGS_MAX 40

static int limit(const struct at_host_place *place)
{
	return place->timeout_ms > 0 ? place->timeout_ms : AT_HOST_TRY_MS;
}

static void keep_line(struct at_try *to, const struct at_buf *err)
{
	const char *text = at_buf_text(err);
	size_t len;

	text += strspn(text, "\r\n ");
	len = strcspn(text, "\r\n");
	snprintf(to->said, sizeof(to->said), "%.*s",
		(int)(len < sizeof(to->said) ? len : sizeof(to->said) - 1), text);
}

void at_try_program(struct at_try *to, const char *const *argv, const struct at_host_place *place,
	struct at_buf *out)
{
	struct at_buf path = { 0 };
	const char *env[2] = { NULL, NULL };
	struct at_child_call call = {
		.argv = argv, .env = env, .cwd = "/", .timeout_ms = limit(place), .cap = OUTPUT_CAP
	};
	struct at_child_end end;
	struct at_error err;

	*to = (struct at_try){ .result = AT_TRIED_FAILED };
	at_buf_printf(&path, "PATH=%s", place->search_path);
	env[0] = at_buf_text(&path);
	if (!at_child_run(&end, &call, &err)) {
		to->sys = err.sys;
		snprintf(to->step, sizeof(to->step), "start");
		at_buf_free(&path);
		return;
	}
	to->status = end.status;
	keep_line(to, &end.err);
	if (end.timed_out)
		to->result = AT_TRIED_HANGS;
	else if (end.status == 0)
		to->result = AT_TRIED_WELL;
	if (out)
		at_buf_put(out, at_buf_text(&end.out), end.out.len);
	at_child_end_free(&end);
	at_buf_free(&path);
}

#define SHOW_NAMESPACES "readlink /proc/self/ns/net /proc/self/ns/user; true"

/* A namespace of ours in its output: the command was run beside the sandbox. */
static bool names_ours(const char *text)
{
	static const char *const places[] = { "/proc/self/ns/net", "/proc/self/ns/user" };
	char name[64];

	for (size_t i = 0; i < AT_LEN(places); i++) {
		ssize_t got = readlink(places[i], name, sizeof(name) - 1);

		if (got <= 0)
			continue;
		name[got] = '\0';
		if (strstr(text, name))
			return true;
	}
	return false;
}

void at_try_bwrap(struct at_try *to, const char *bwrap, const char *const *flags,
	const struct at_host_place *place)
{
	const char *argv[FLAGS_MAX + 6] = { bwrap };
	struct at_buf out = { 0 };
	size_t n = 1;

	for (; *flags && n < FLAGS_MAX; flags++)
		argv[n++] = *flags;
	argv[n++] = "--";
	argv[n++] = "/bin/sh";
	argv[n++] = "-c";
	argv[n] = SHOW_NAMESPACES;
	at_try_program(to, argv, place, &out);
	if (to->result == AT_TRIED_WELL && names_ours(at_buf_text(&out)))
		to->result = AT_TRIED_OPEN;
	else if (to->result == AT_TRIED_WELL && !strstr(at_buf_text(&out), "net:["))
		to->result = AT_TRIED_BLIND;
	at_buf_free(&out);
}

#ifdef __linux__

struct refusal {
	int sys;
	char step[32];
};

static void refused(struct refusal *out, const char *step)
{
	out->sys = errno;
	snprintf(out->step, sizeof(out->step), "%s", step);
}

/* As far as bwrap goes: where AppArmor restricts user namespaces, one can be made and then
 * nothing be done in it. */
static void enter_userns(struct refusal *out)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd;

	if (unshare(CLONE_NEWUSER) != 0) {
		refused(out, "user namespace");
	} else if (unshare(CLONE_NEWNET) != 0) {
		refused(out, "network namespace");
	} else if ((fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) < 0
		|| ioctl(fd, SIOCSIFFLAGS, &lo) != 0) {
		refused(out, "loopback");
	}
}

static void load_filter(struct refusal *out)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { .len = 1, .filter = &allow };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		refused(out, "no new privileges");
	else if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
		refused(out, "filter");
}

/* In a child that answers through a pipe and ends: nothing of it stays with this process. */
static void in_child(struct at_try *to, void (*call)(struct refusal *), int timeout_ms)
{
	struct refusal answer = { 0 };
	struct pollfd ready = { .events = POLLIN };
	int fd[2];
	pid_t pid;

	*to = (struct at_try){ .result = AT_TRIED_NOT };
	if (pipe2(fd, O_CLOEXEC) != 0)
		return;
	pid = fork();
	if (pid == 0) {
		call(&answer);
		_exit(write(fd[1], &answer, sizeof(answer)) != sizeof(answer));
	}
	close(fd[1]);
	ready.fd = fd[0];
	if (pid > 0 && poll(&ready, 1, timeout_ms) == 0)
		to->result = AT_TRIED_HANGS;
	else if (pid > 0 && read(fd[0], &answer, sizeof(answer)) == sizeof(answer))
		to->result = answer.sys ? AT_TRIED_FAILED : AT_TRIED_WELL;
	else if (pid > 0) /* the call itself ended the child */
		to->result = AT_TRIED_FAILED;
	close(fd[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	to->sys = answer.sys;
	memcpy(to->step, answer.step, sizeof(to->step));
}

static void try_userns(struct at_try *out, int timeout_ms)
{
	in_child(out, enter_userns, timeout_ms);
}

static void try_seccomp(struct at_try *out, int timeout_ms)
{
	in_child(out, load_filter, timeout_ms);
}

/* A question about the version makes no ruleset and binds nobody. */
static int ask_landlock(int *sys)
{
	long abi = syscall(444 /* landlock_create_ruleset, everywhere */, NULL, (size_t)0, 1u);

	*sys = abi < 0 ? errno : 0;
	return abi < 0 ? 0 : (int)abi;
}

const struct at_host_kernel at_host_kernel_here = { try_userns, try_seccomp, ask_landlock };

#else

static void try_nothing(struct at_try *out, int timeout_ms)
{
	(void)timeout_ms;
	*out = (struct at_try){ .result = AT_TRIED_NOT };
}

static int ask_nothing(int *sys)
{
	*sys = ENOSYS;
	return 0;
}

const struct at_host_kernel at_host_kernel_here = { try_nothing, try_nothing, ask_nothing };

#endif
