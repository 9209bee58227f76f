/* Group N, second part: namespaces, mounts, capabilities, and programs that give some. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "runner/selftest/probe.h"
#include "runner/selftest/probe_table.h"

/* The first version of what clone3 takes. */
struct clone_words {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
};

static bool unshare_user(void *arg)
{
	return unshare(CLONE_NEWUSER) == 0;
}

/* For clone and clone3 as a fork: true in the parent, which waits. */
static bool was_forked(long pid)
{
	if (pid == 0)
		_exit(0);
	return pid > 0 && waitpid((pid_t)pid, NULL, 0) == pid;
}

void try_N7(struct trial *t)
{
	struct clone_words words = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD };

	tried(t, "unshare", in_child(unshare_user, NULL));
	tried(t, "clone", was_forked(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0)));
	tried(t, "clone3", was_forked(syscall(SYS_clone3, &words, sizeof(words))));
}

static bool mount_in_user_namespace(void *arg)
{
	return enter_user_namespace(CLONE_NEWNS) && mount("tmpfs", "/tmp", "tmpfs", 0, NULL) == 0;
}

static bool mount_tmpfs(void *arg)
{
	return mount("tmpfs", "/tmp", "tmpfs", 0, NULL) == 0;
}

static bool remount_writable(void *arg)
{
	return mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL) == 0;
}

static bool unmask(void *arg)
{
	return umount2(below(AT_FACT_HOME, ".ssh"), MNT_DETACH) == 0;
}

static bool clone_tree(void *arg)
{
	return syscall(SYS_open_tree, AT_FDCWD, "/", 1 /* OPEN_TREE_CLONE */) >= 0;
}

static bool new_file_system(void *arg)
{
	return syscall(SYS_fsopen, "tmpfs", 0) >= 0;
}

void try_N8(struct trial *t)
{
	static const struct {
		const char *name;
		bool (*act)(void *);
	} acts[] = {
		{ "mount", mount_tmpfs },
		{ "remount", remount_writable },
		{ "unmask", unmask },
		{ "open_tree", clone_tree },
		{ "fsopen", new_file_system },
	};

	tried(t, "in a user namespace", in_child(mount_in_user_namespace, NULL));
	/* A caller who may mount outside would change the host: there, only in a copy. */
	if (unshare(CLONE_NEWNS) != 0 && !t->inside)
		return;
	for (size_t i = 0; i < ARRAY_LEN(acts); i++)
		tried(t, acts[i].name, in_child(acts[i].act, NULL));
}

static bool change_root(void *arg)
{
	return chroot(fact(AT_FACT_SCRATCH)) == 0;
}

static bool change_root_in_user_namespace(void *arg)
{
	return enter_user_namespace(0) && change_root(arg);
}

static bool pivot(void *arg)
{
	return enter_user_namespace(CLONE_NEWNS)
		&& mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
		&& mount("tmpfs", "/tmp", "tmpfs", 0, NULL) == 0 && mkdir("/tmp/old", 0755) == 0
		&& syscall(SYS_pivot_root, "/tmp", "/tmp/old") == 0;
}

static bool pivot_directly(void *arg)
{
	const char *dir = fact(AT_FACT_SCRATCH);

	return syscall(SYS_pivot_root, dir, dir) == 0 || errno == EINVAL || errno == EBUSY;
}

void try_N9(struct trial *t)
{
	tried(t, "chroot", in_child(change_root, NULL));
	tried(t, "chroot in a user namespace", in_child(change_root_in_user_namespace, NULL));
	tried(t, "pivot_root", in_child(pivot, NULL));
	if (t->inside)
		tried(t, "pivot_root at once", in_child(pivot_directly, NULL));
}

static void try_open(struct trial *t, const char *path, int flags)
{
	char byte;
	int fd = open(path, flags | O_CLOEXEC);

	tried(t, leaf(path), fd >= 0 && ((flags & O_WRONLY) || read(fd, &byte, 1) == 1));
	if (fd >= 0)
		close(fd);
}

/* Addresses of the kernel are all zeros for whoever may not see them. */
static bool sees_addresses(void)
{
	char line[256];
	FILE *file = fopen("/proc/kallsyms", "re");
	bool seen = file && fgets(line, sizeof(line), file) && strtoull(line, NULL, 16) != 0;

	if (file)
		fclose(file);
	errno = EACCES;
	return seen;
}

void try_N10(struct trial *t)
{
	try_open(t, "/proc/sys/kernel/core_pattern", O_WRONLY);
	try_open(t, "/proc/sys/kernel/modprobe", O_WRONLY);
	try_open(t, "/proc/sys/vm/overcommit_memory", O_WRONLY);
	try_open(t, "/proc/sysrq-trigger", O_WRONLY);
	try_open(t, "/proc/kcore", O_RDONLY);
	tried(t, "kallsyms", sees_addresses());
}

void try_N11(struct trial *t)
{
	static const char group[] = "/sys/fs/cgroup/at-N11";
	bool made;

	try_open(t, "/sys/kernel/mm/transparent_hugepage/enabled", O_WRONLY);
	try_open(t, "/sys/kernel/uevent_helper", O_WRONLY);
	made = mkdir(group, 0755) == 0;
	tried(t, "a control group", made);
	if (made)
		rmdir(group);
}

void try_N12(struct trial *t)
{
	static const char *const sets[] = { "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb" };
	char text[64];

	for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
		const char *value = status_line(0, sets[i]);

		snprintf(text, sizeof(text), "%s %s", sets[i], value);
		if (strtoull(value, NULL, 16) != 0)
			worked(t, text);
	}
	if (atoi(status_line(0, "NoNewPrivs")) != 1)
		worked(t, "NoNewPrivs is not set");
	if (t->result == RESULT_NONE)
		refused(t, "no capability, and NoNewPrivs", 0);
}

void control_N12(struct trial *t)
{
	errno = 0;
	tried(t, "the lines are there", *status_line(0, "CapEff") && *status_line(0, "NoNewPrivs"));
}

void try_N18(struct trial *t)
{
	const char *value = status_line(0, "Seccomp");

	if (strcmp(value, "2") == 0)
		refused(t, "Seccomp: 2", 0);
	else
		worked(t, *value ? value : "no line");
}

void control_N18(struct trial *t)
{
	errno = 0;
	tried(t, "the line is there", *status_line(0, "Seccomp"));
}

/* Starts a program with a full pipe for its output, so that it stops at its first word, and
 * looks at it meanwhile. */
static bool gains(const char *path, bool (*has_gained)(pid_t))
{
	char page[4096] = { 0 };
	int ends[2];
	bool gained = false;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return false;
	while (write(ends[1], page, sizeof(page)) > 0)
		;
	fcntl(ends[1], F_SETFL, 0);
	child = fork();
	if (child == 0) {
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		execl(path, path, "--help", (char *)NULL);
		_exit(127);
	}
	for (int i = 0; i < 30 && !gained && child > 0; i++) {
		usleep(5000);
		gained = has_gained(child);
	}
	kill(child, SIGKILL);
	close(ends[0]);
	close(ends[1]);
	waitpid(child, NULL, 0);
	errno = EPERM;
	return gained;
}

/* "Uid: real effective saved fs" */
static bool is_root(pid_t pid)
{
	const char *line = status_line(pid, "Uid");

	line += strspn(line, "0123456789");
	return *line && atol(line) == 0;
}

static bool has_capability(pid_t pid)
{
	return strtoull(status_line(pid, "CapPrm"), NULL, 16) != 0;
}

void try_N13(struct trial *t)
{
	static const char *const programs[] = { "/usr/bin/su", "/usr/bin/passwd", "/usr/bin/mount",
		"/usr/bin/chsh", "/usr/bin/newgrp", "/usr/bin/sudo", "/bin/su", "/bin/mount" };
	struct stat st;
	int found = 0;

	if (geteuid() == 0) {
		absent(t, "a caller who is not root");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(programs) && found < 2; i++) {
		/* Inside, its owner may be one that the namespace does not know. */
		if (stat(programs[i], &st) != 0 || !(st.st_mode & S_ISUID))
			continue;
		found++;
		tried(t, leaf(programs[i]), gains(programs[i], is_root));
	}
	if (!found)
		absent(t, "a program that is set-user-id");
}

void try_N14(struct trial *t)
{
	DIR *dir = geteuid() == 0 ? NULL : opendir("/usr/bin");
	struct dirent *entry;
	char path[300];

	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/usr/bin/%s", entry->d_name);
		if (lgetxattr(path, "security.capability", NULL, 0) <= 0 || access(path, X_OK) != 0)
			continue;
		tried(t, entry->d_name, gains(path, has_capability));
		break;
	}
	if (dir)
		closedir(dir);
	absent(t, geteuid() == 0 ? "a caller who is not root" : "a program with a capability");
}
