/* Group N, first part: processes of the host, and what is known of those that started us. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/selftest/probe.h"
#include "runner/selftest/probe_table.h"

static pid_t parent_of(pid_t pid)
{
	return (pid_t)atol(status_line(pid, "PPid"));
}

/* The victim's number, or 0 when it is taken by one of ours here: a new pid namespace counts
 * from 1 again, and all that lives in the sandbox is above us. */
static pid_t victim(struct trial *t)
{
	pid_t pid = (pid_t)fact_number(AT_FACT_VICTIM_PID);

	if (pid <= 0) {
		absent(t, "a victim");
		return 0;
	}
	for (pid_t ours = getpid(); ours > 0; ours = parent_of(ours)) {
		if (ours == pid) {
			refused(t, "its number is one of ours", 0);
			return 0;
		}
	}
	return pid;
}

static const char *proc_path(pid_t pid, const char *name)
{
	static char ring[4][64];
	static unsigned next;
	char *path = ring[next++ % ARRAY_LEN(ring)];

	snprintf(path, sizeof(ring[0]), "/proc/%d/%s", (int)pid, name);
	return path;
}

static void try_open(struct trial *t, const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	tried(t, leaf(path), fd >= 0);
	if (fd >= 0)
		close(fd);
}

void try_N1(struct trial *t)
{
	pid_t pid = victim(t);

	if (pid)
		try_read(t, proc_path(pid, "cmdline"));
}

/* Of one that is above us: the secret of the caller's environment, or the launcher's options. */
static void read_ancestor(struct trial *t, pid_t pid)
{
	static const char secret[] = "SECRET_TOKEN=";
	static char bytes[128 * 1024];
	const char *const files[] = { "environ", "cmdline" };

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		int fd = open(proc_path(pid, files[i]), O_RDONLY | O_CLOEXEC);
		size_t len = 0;
		ssize_t n;
		char *found;

		if (fd < 0) {
			tried(t, files[i], false);
			continue;
		}
		while (len < sizeof(bytes) && (n = read(fd, bytes + len, sizeof(bytes) - len)) > 0)
			len += (size_t)n;
		close(fd);
		found = memmem(bytes, len, secret, sizeof(secret) - 1);
		if (found) {
			found += sizeof(secret) - 1;
			got(t, files[i], found, strnlen(found, (size_t)(bytes + len - found)));
		} else if (memmem(bytes, len, "--setenv", 8) || memmem(bytes, len, "/.ssh", 5)) {
			worked(t, "the launcher's options");
		} else {
			refused(t, "nothing of the caller in it", 0);
		}
	}
}

void try_N2(struct trial *t)
{
	/* Outside, its own: that it is readable there is all that the control asks. */
	for (pid_t pid = getpid(); pid > 0; pid = t->inside ? parent_of(pid) : 0)
		read_ancestor(t, pid);
	if (t->inside)
		read_ancestor(t, 1);
}

void try_N3(struct trial *t)
{
	pid_t pid = victim(t);

	if (!pid)
		return;
	try_read(t, proc_path(pid, "environ"));
	try_open(t, proc_path(pid, "root"), O_RDONLY);
	try_open(t, proc_path(pid, "cwd"), O_RDONLY);
	try_open(t, proc_path(pid, "fd"), O_RDONLY);
	try_open(t, proc_path(pid, "mem"), O_RDONLY);
}

void try_N4(struct trial *t)
{
	char byte;
	struct iovec here = { &byte, 1 }, there = { (void *)8, 1 };
	pid_t pid = victim(t);
	int pidfd;

	if (!pid)
		return;
	if (tried(t, "ptrace", ptrace(PTRACE_ATTACH, pid, NULL, NULL) == 0)) {
		waitpid(pid, NULL, __WALL);
		ptrace(PTRACE_DETACH, pid, NULL, NULL);
	}
	/* Nothing is at address 8: whoever may read is told so, who may not is told that. */
	tried(t, "process_vm_readv",
		process_vm_readv(pid, &here, 1, &there, 1, 0) == 1 || errno == EFAULT);
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	tried(t, "pidfd_getfd", pidfd >= 0 && syscall(SYS_pidfd_getfd, pidfd, 0, 0) >= 0);
	tried(t, "kcmp", syscall(SYS_kcmp, getpid(), pid, 1, 0, 0) >= 0);
}

void try_N5(struct trial *t)
{
	struct rlimit limit;
	cpu_set_t set;
	pid_t pid = victim(t);

	if (!pid)
		return;
	tried(t, "kill", kill(pid, SIGCONT) == 0);
	tried(t, "tgkill", syscall(SYS_tgkill, pid, pid, SIGCONT) == 0);
	tried(t, "prlimit",
		prlimit(pid, RLIMIT_CORE, NULL, &limit) == 0
			&& prlimit(pid, RLIMIT_CORE, &limit, NULL) == 0);
	tried(t, "affinity",
		sched_getaffinity(pid, sizeof(set), &set) == 0
			&& sched_setaffinity(pid, sizeof(set), &set) == 0);
}

/* To hold one is enough: root joins it, and a file of /proc keeps it alive. */
void try_N6(struct trial *t)
{
	static const char *const names[] = { "ns/mnt", "ns/net", "ns/user", "ns/pid" };
	pid_t pid = victim(t);

	for (size_t i = 0; pid && i < ARRAY_LEN(names); i++) {
		int fd = open(proc_path(pid, names[i]), O_RDONLY | O_CLOEXEC);

		tried(t, names[i], fd >= 0);
		if (fd >= 0 && setns(fd, 0) == 0)
			worked(t, "joined");
	}
}

void try_N15(struct trial *t)
{
	const char *path = below(AT_FACT_SCRATCH, "at-N15");
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	pid_t child = fork();

	/* It writes a byte each twentieth of a second, for ten seconds: the driver looks whether
	 * the file still grows. */
	if (child == 0) {
		setsid();
		if (fork() != 0)
			_exit(0);
		close(0);
		close(1);
		close(2);
		for (int i = 0; i < 200 && write(fd, ".", 1) == 1; i++)
			usleep(50 * 1000);
		_exit(0);
	}
	tried(t, "at-N15 grows", fd >= 0 && child > 0 && waitpid(child, NULL, 0) == child);
}

/* The same byte is put back: what is asked is whether it may be written. */
static bool write_memory(pid_t pid)
{
	unsigned long address = 0;
	char line[512], byte;
	int fd = open(proc_path(pid, "mem"), O_RDWR | O_CLOEXEC);
	FILE *maps;

	if (fd < 0)
		return false;
	maps = fopen(proc_path(pid, "maps"), "re");
	while (maps && !address && fgets(line, sizeof(line), maps)) {
		if (strstr(line, " rw-p "))
			address = strtoul(line, NULL, 16);
	}
	if (maps)
		fclose(maps);
	return address && pread(fd, &byte, 1, (off_t)address) == 1
		&& pwrite(fd, &byte, 1, (off_t)address) == 1;
}

void try_N16(struct trial *t)
{
	/* Outside, its own memory: the act as such must be possible. */
	pid_t pid = t->inside ? 1 : getpid();

	tried(t, "mem", write_memory(pid));
	if (t->inside && tried(t, "ptrace", ptrace(PTRACE_ATTACH, 1, NULL, NULL) == 0)) {
		waitpid(1, NULL, __WALL);
		ptrace(PTRACE_DETACH, 1, NULL, NULL);
	}
}

void try_N17(struct trial *t)
{
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	if (tried(t, "ptrace", child > 0 && ptrace(PTRACE_ATTACH, child, NULL, NULL) == 0)) {
		waitpid(child, NULL, __WALL);
		ptrace(PTRACE_DETACH, child, NULL, NULL);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}
