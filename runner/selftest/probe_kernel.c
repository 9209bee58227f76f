/* Group KS: the kernel's calls. Where a success would change the host, the call is given
 * something that the kernel looks at only after it has asked who is calling: any answer but the
 * refusal means that the caller may. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "runner/selftest/probe.h"
#include "runner/selftest/probe_table.h"

void try_KS1(struct trial *t)
{
	char parameters[120] = { 0 };

	tried(t, "io_uring_setup", syscall(SYS_io_uring_setup, 1, parameters) >= 0);
}

static const char script[] = "#!/bin/sh\nexit 7\n";

static bool runs_from_memory(void)
{
	int fd = memfd_create("at-KS2", 0); /* open across exec: its interpreter reads it */
	char path[32];
	char *argv[] = { path, NULL };

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	errno = EACCES;
	return fd >= 0 && write(fd, script, sizeof(script) - 1) > 0 && run(argv) == 7;
}

static bool runs_what_it_wrote(void)
{
	char path[1100];
	char *argv[] = { path, NULL };
	int fd;

	snprintf(path, sizeof(path), "%s/at-KS2", fact(AT_FACT_SCRATCH));
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	if (fd < 0 || write(fd, script, sizeof(script) - 1) < 0)
		return false;
	close(fd);
	errno = EACCES;
	return run(argv) == 7;
}

void try_KS2(struct trial *t)
{
	tried(t, "memory", runs_from_memory());
	tried(t, "a file", runs_what_it_wrote());
}

void control_KS2(struct trial *t)
{
	char name[] = "/bin/true";
	char *argv[] = { name, NULL };

	errno = 0;
	tried(t, "/bin/true", run(argv) == 0);
}

void try_KS3(struct trial *t)
{
	struct perf_event_attr counter = { .type = PERF_TYPE_SOFTWARE,
		.size = sizeof(counter),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.exclude_kernel = 1,
		.exclude_hv = 1 };
	union bpf_attr map = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1
	};

	tried(t, "userfaultfd", syscall(SYS_userfaultfd, 1 /* user mode only */) >= 0);
	tried(t, "perf_event_open", syscall(SYS_perf_event_open, &counter, 0, -1, -1, 0) >= 0);
	tried(t, "bpf", syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof(map)) >= 0);
}

static void find_key(struct trial *t, int ring, const char *name)
{
	char bytes[64];
	long key, n;

	if (!*fact(name)) {
		absent(t, name);
		return;
	}
	key = syscall(SYS_keyctl, KEYCTL_SEARCH, ring, "user", fact(name), 0);
	n = key < 0 ? -1 : syscall(SYS_keyctl, KEYCTL_READ, key, bytes, sizeof(bytes));
	if (n > 0)
		got(t, name, bytes, (size_t)n < sizeof(bytes) ? (size_t)n : sizeof(bytes));
	else
		tried(t, name, key >= 0);
}

void try_KS4(struct trial *t)
{
	long key;

	find_key(t, KEY_SPEC_SESSION_KEYRING, AT_FACT_SESSION_KEY);
	find_key(t, KEY_SPEC_USER_KEYRING, AT_FACT_USER_KEY);
	key = syscall(SYS_add_key, "user", "at-KS4", "x", 1, KEY_SPEC_SESSION_KEYRING);
	tried(t, "add_key", key >= 0);
	if (key >= 0)
		syscall(SYS_keyctl, KEYCTL_UNLINK, key, KEY_SPEC_SESSION_KEYRING);
}

static bool is_let(long answer)
{
	return answer >= 0 || (errno != EPERM && errno != EACCES && errno != ENOSYS);
}

void try_KS5(struct trial *t)
{
	struct timex tick = { .modes = ADJ_TICK, .tick = 1 }; /* no such tick */

	tried(t, "settimeofday", is_let(syscall(SYS_settimeofday, NULL, NULL)));
	tried(t, "adjtimex", is_let(adjtimex(&tick)));
}

void try_KS6(struct trial *t)
{
	tried(t, "init_module", is_let(syscall(SYS_init_module, NULL, 0, "")));
	tried(t, "delete_module", is_let(syscall(SYS_delete_module, "at-KS6", O_NONBLOCK)));
	tried(t, "kexec_load", is_let(syscall(SYS_kexec_load, 0, 0, NULL, 0x8000)));
	tried(t, "reboot", is_let(syscall(SYS_reboot, 1, 2, 3, NULL)));
	tried(t, "swapon", is_let(swapon("/nonexistent/at-KS6", 0)));
	tried(t, "syslog", is_let(syscall(SYS_syslog, 10, NULL, 0)));
}

void try_KS7(struct trial *t)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} h = { .handle.handle_bytes = MAX_HANDLE_SZ };
	int mount, at = open(fact(AT_FACT_SCRATCH), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (name_to_handle_at(AT_FDCWD, below(AT_FACT_OUTSIDE, "w6"), &h.handle, &mount, 0) != 0) {
		tried(t, "name_to_handle_at", false);
		return;
	}
	tried(t, "open_by_handle_at", open_by_handle_at(at, &h.handle, O_RDWR) >= 0);
}

void try_KS8(struct trial *t)
{
	static const char *const usual[] = { "null", "zero", "full", "random", "urandom", "tty",
		"ptmx", "console" };
	DIR *dir = opendir("/dev");
	struct dirent *entry;
	struct stat st;

	while (dir && (entry = readdir(dir))) {
		size_t i = 0;

		if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0
			|| (!S_ISCHR(st.st_mode) && !S_ISBLK(st.st_mode)))
			continue;
		while (i < ARRAY_LEN(usual) && strcmp(usual[i], entry->d_name) != 0)
			i++;
		if (i == ARRAY_LEN(usual))
			worked(t, entry->d_name);
	}
	if (dir)
		closedir(dir);
	if (t->result == RESULT_NONE)
		refused(t, "only the usual ones", 0);
}

void control_KS8(struct trial *t)
{
	tried(t, "null", access("/dev/null", R_OK | W_OK) == 0);
}

#if defined(__x86_64__)
static bool calls_by_i386(void *arg)
{
	long answer;

	/* getpid of the other table; where there is none, a signal ends the child. */
	__asm__ volatile("int $0x80"
			 : "=a"(answer)
			 : "a"(20L)
			 : "r8", "r9", "r10", "r11", "memory");
	errno = answer < 0 ? (int)-answer : 0;
	return answer > 0;
}

static bool calls_by_x32(void *arg)
{
	return syscall(0x40000000L | SYS_getpid) > 0;
}
#endif

void try_KS9(struct trial *t)
{
	tried(t, "personality", personality(ADDR_NO_RANDOMIZE) >= 0);
#if defined(__x86_64__)
	char table[64];

	tried(t, "i386", in_child(calls_by_i386, NULL));
	tried(t, "x32", in_child(calls_by_x32, NULL));
	tried(t, "ioperm", syscall(SYS_ioperm, 0x80L, 1L, 1) == 0);
	tried(t, "iopl", syscall(SYS_iopl, 3) == 0);
	tried(t, "modify_ldt", (int)syscall(SYS_modify_ldt, 0, table, sizeof(table)) >= 0);
#endif
}
