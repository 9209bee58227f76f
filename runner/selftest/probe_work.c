/* The workflows that must go on working in a sandbox. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/selftest/probe.h"
#include "runner/selftest/probe_net.h"
#include "runner/selftest/probe_table.h"

void try_P1(struct trial *t)
{
	try_create(t, below(AT_FACT_SCRATCH, "at-P1"));
}

void try_P2(struct trial *t)
{
	char byte;
	int fd = open("/usr/bin/env", O_RDONLY | O_CLOEXEC);

	tried(t, "/usr/bin/env", fd >= 0 && read(fd, &byte, 1) == 1);
}

void try_P3(struct trial *t)
{
	char name[] = "/bin/true";
	char *argv[] = { name, NULL };

	errno = 0;
	tried(t, "/bin/true", run(argv) == 0);
}

void try_P4(struct trial *t)
{
	char byte;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int random = open("/dev/urandom", O_RDONLY | O_CLOEXEC);

	tried(t, "both",
		null >= 0 && random >= 0 && write(null, "x", 1) == 1
			&& read(random, &byte, 1) == 1);
}

void try_P5(struct trial *t)
{
	const char *dir = below(AT_FACT_SCRATCH, "at-P5"),
		   *other = below(AT_FACT_SCRATCH, "at-P5b");

	tried(t, "a directory",
		mkdir(dir, 0755) == 0 && rename(dir, other) == 0 && rmdir(other) == 0);
}

void try_P6(struct trial *t)
{
	int ends[2];

	tried(t, "both",
		pipe2(ends, O_CLOEXEC) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
}

void try_P7(struct trial *t)
{
	tried(t, "127.0.0.1", own_listener());
}

void try_P8(struct trial *t)
{
	tried(t, "a socket", own_socket("at-P8"));
}

static void git(struct trial *t, char *command, char *path)
{
	char name[] = "git", at[] = "-C";
	char where[1024];
	char *argv[] = { name, at, where, command, path, NULL };
	int status;

	snprintf(where, sizeof(where), "%s", fact(AT_FACT_SCRATCH));
	status = run(argv);
	if (status == 127) {
		absent(t, "git");
		return;
	}
	errno = 0;
	tried(t, command, status == 0);
}

void try_P9(struct trial *t)
{
	char command[] = "add", path[] = "src/main.c";

	git(t, command, path);
}

void try_P10(struct trial *t)
{
	try_create(t, "/tmp/at-P10");
	if (!t->inside)
		unlink("/tmp/at-P10");
}

void try_P11(struct trial *t)
{
	char command[] = "status", path[] = "src";

	git(t, command, path);
}

void try_P12(struct trial *t)
{
	char line[8];
	int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);

	tried(t, "/etc/passwd", fd >= 0 && read(fd, line, sizeof(line)) > 0);
}
