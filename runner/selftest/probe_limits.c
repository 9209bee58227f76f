/* Group Q: limits of processes, memory and time. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/selftest/probe.h"
#include "runner/selftest/probe_table.h"

/* How many children can be there at once, up to `most`. */
static int fork_up_to(int most)
{
	pid_t children[512];
	int count = 0, error = 0;

	while (count < most && count < (int)ARRAY_LEN(children)) {
		pid_t child = fork();

		if (child == 0) {
			pause();
			_exit(0);
		}
		if (child < 0) {
			error = errno;
			break;
		}
		children[count++] = child;
	}
	for (int i = 0; i < count; i++)
		kill(children[i], SIGKILL);
	for (int i = 0; i < count; i++)
		waitpid(children[i], NULL, 0);
	errno = error;
	return count;
}

/* For a launch with --nproc-max: one more than it allows. */
void try_Q1(struct trial *t)
{
	long most = fact_number(AT_FACT_NPROC_MAX);

	if (most > 0 && most < 500)
		tried(t, "fork", fork_up_to((int)most + 1) > most);
	else
		absent(t, AT_FACT_NPROC_MAX);
}

void control_Q1(struct trial *t)
{
	tried(t, "fork", fork_up_to(5) == 5);
}

static bool can_take(size_t mib)
{
	void *memory = mmap(NULL, mib << 20, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory != MAP_FAILED && munmap(memory, mib << 20) == 0;
}

void try_Q2(struct trial *t)
{
	long mib = fact_number(AT_FACT_MEM_MAX), seconds = fact_number(AT_FACT_CPU_MAX);
	struct rlimit limit;

	if (mib > 0)
		tried(t, "memory", can_take((size_t)mib));
	errno = EDQUOT;
	if (seconds > 0)
		tried(t, "time",
			getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_max > (rlim_t)seconds);
	if (t->result == RESULT_NONE)
		absent(t, "limits");
}

void control_Q2(struct trial *t)
{
	tried(t, "a MiB", can_take(1));
}

/* Looks at the size it could fill; filling it would hurt the host. */
void try_Q3(struct trial *t)
{
	static const char *const places[] = { "/tmp", "/dev/shm" };
	unsigned long long memory = (unsigned long long)sysconf(_SC_PHYS_PAGES)
		* (unsigned long long)sysconf(_SC_PAGESIZE);
	struct statvfs fs;

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		char text[64];
		unsigned long long size;

		if (statvfs(places[i], &fs) != 0 || access(places[i], W_OK) != 0) {
			tried(t, places[i], false);
			continue;
		}
		size = (unsigned long long)fs.f_frsize * fs.f_bavail;
		snprintf(text, sizeof(text), "%s takes %llu MiB", places[i], size >> 20);
		if (size > memory / 4)
			worked(t, text);
		else
			refused(t, text, 0);
	}
}

void control_Q3(struct trial *t)
{
	static char mib[1 << 20];
	int fd = open("/tmp/at-Q3", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	tried(t, "a MiB", fd >= 0 && write(fd, mib, sizeof(mib)) == (ssize_t)sizeof(mib));
	unlink("/tmp/at-Q3");
}

static bool is_limited(const char *group, const char *file)
{
	char path[600], value[32] = "";
	FILE *limit;

	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/%s", group, file);
	limit = fopen(path, "re");
	if (limit && !fgets(value, sizeof(value), limit))
		value[0] = '\0';
	if (limit)
		fclose(limit);
	return value[0] >= '0' && value[0] <= '9';
}

void try_Q4(struct trial *t)
{
	char line[512], *group = NULL;
	FILE *file = fopen("/proc/self/cgroup", "re");

	while (file && !group && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "0::", 3) == 0)
			group = line + 3;
	}
	if (file)
		fclose(file);
	if (!group || !is_limited(group, "memory.max"))
		worked(t, "memory.max");
	if (!group || !is_limited(group, "pids.max"))
		worked(t, "pids.max");
	if (t->result == RESULT_NONE)
		refused(t, "both are limited", 0);
}

void control_Q4(struct trial *t)
{
	tried(t, "/proc/self/cgroup", access("/proc/self/cgroup", R_OK) == 0);
}
