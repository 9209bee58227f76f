/* Group T: descriptors the caller left open, and its terminal. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "runner/selftest/probe.h"
#include "runner/selftest/probe_table.h"

void try_T1(struct trial *t)
{
	char text[16];

	for (size_t i = 0; i < inherited_count; i++) {
		snprintf(text, sizeof(text), "%d", inherited[i]);
		worked(t, text);
	}
	if (inherited_count == 0)
		refused(t, "none is open", 0);
}

void control_T1(struct trial *t)
{
	tried(t, "0, 1 and 2",
		fcntl(0, F_GETFD) >= 0 && fcntl(1, F_GETFD) >= 0 && fcntl(2, F_GETFD) >= 0);
}

/* The number of a fact, or -1 with the trial told: without the fact nothing was left open, and
 * a number that was not open at the start is closed or one of our own. */
static int left_open(struct trial *t, const char *name)
{
	long fd = fact_number(name);

	if (fd < 0) {
		absent(t, name);
		return -1;
	}
	if (!is_inherited(fd)) {
		refused(t, name, EBADF);
		return -1;
	}
	return (int)fd;
}

static void read_at_start(struct trial *t, const char *name)
{
	char bytes[64];
	int fd = left_open(t, name);
	ssize_t n = fd < 0 ? -1 : pread(fd, bytes, sizeof(bytes), 0);

	if (n > 0)
		got(t, name, bytes, (size_t)n);
	else if (fd >= 0)
		tried(t, name, false);
}

void try_T2(struct trial *t)
{
	int dir, fd;

	read_at_start(t, AT_FACT_OPEN_FILE);
	dir = left_open(t, AT_FACT_OPEN_DIR);
	if (dir < 0)
		return;
	tried(t, "read by it", openat(dir, "secret", O_RDONLY | O_CLOEXEC) >= 0);
	fd = openat(dir, "at-T2", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	tried(t, "write by it", fd >= 0 && write_and_close(fd));
}

void try_T3(struct trial *t)
{
	char bytes[64];
	int fd = left_open(t, AT_FACT_OPEN_SOCKET);
	/* Left in it, for the run that is not in a sandbox. */
	ssize_t n = fd < 0 ? -1 : recv(fd, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);

	if (n > 0)
		got(t, AT_FACT_OPEN_SOCKET, bytes, (size_t)n);
	else if (fd >= 0)
		tried(t, AT_FACT_OPEN_SOCKET, false);
	read_at_start(t, AT_FACT_OPEN_MEMFD);
}

static bool has_terminal(struct trial *t)
{
	if (strcmp(fact(AT_FACT_PTY), "1") == 0)
		return true;
	absent(t, "a terminal");
	return false;
}

void try_T4(struct trial *t)
{
	char key = ' ';
	int tty;

	if (!has_terminal(t))
		return;
	tried(t, "TIOCSTI", ioctl(0, TIOCSTI, &key) == 0);
	/* The kernel looks at the low half alone, a careless filter at both. */
	tried(t, "TIOCSTI with high bits",
		syscall(SYS_ioctl, 0L, 0x100000000L | TIOCSTI, &key) == 0);
	tty = open("/dev/tty", O_RDWR | O_CLOEXEC);
	tried(t, "/dev/tty", tty >= 0 && ioctl(tty, TIOCSTI, &key) == 0);
}

/* Without an argument that takes it from another session: only root may do that. */
static bool become_owner(void *arg)
{
	return setsid() > 0 && ioctl(0, TIOCSCTTY, 0) == 0;
}

void try_T5(struct trial *t)
{
	char paste[8] = { 2 }; /* set selection */
	pid_t group;

	if (!has_terminal(t))
		return;
	group = tcgetpgrp(0);
	tried(t, "its foreground", group > 0 && tcsetpgrp(0, group) == 0);
	tried(t, "/dev/tty", open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY) >= 0);
	tried(t, "TIOCSCTTY", in_child(become_owner, NULL));
	tried(t, "TIOCLINUX", ioctl(0, TIOCLINUX, paste) == 0);
	tried(t, "TIOCGPTPEER", ioctl(0, TIOCGPTPEER, O_RDWR | O_NOCTTY) >= 0);
}

void try_T6(struct trial *t)
{
	static const char title[] = "\033]0;\007";

	if (has_terminal(t))
		tried(t, "a title", write(0, title, sizeof(title) - 1) > 0);
}
