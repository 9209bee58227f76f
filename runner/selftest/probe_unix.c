/* Group U: unix sockets and memory that processes of the host share. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runner/selftest/probe.h"
#include "runner/selftest/probe_net.h"
#include "runner/selftest/probe_table.h"

static void try_fact(struct trial *t, const char *name)
{
	if (*fact(name))
		try_unix(t, fact(name));
	else
		absent(t, name);
}

static void try_each(struct trial *t, const char *const *paths, size_t count)
{
	for (size_t i = 0; i < count; i++)
		try_unix(t, paths[i]);
}

void try_U1(struct trial *t)
{
	static const char *const daemons[] = { "/run/docker.sock", "/run/podman/podman.sock",
		"/run/containerd/containerd.sock", "/run/libvirt/libvirt-sock" };

	try_fact(t, AT_FACT_UNIX_RUN);
	try_each(t, daemons, ARRAY_LEN(daemons));
}

void try_U2(struct trial *t)
{
	try_fact(t, AT_FACT_UNIX_TMP);
	try_fact(t, AT_FACT_UNIX_HOME);
}

void try_U3(struct trial *t)
{
	try_read(t, below(AT_FACT_HOME, ".Xauthority"));
	try_fact(t, AT_FACT_UNIX_TMP);
	try_unix(t, "/tmp/.X11-unix/X0");
	try_unix(t, "@/tmp/.X11-unix/X0");
}

void try_U4(struct trial *t)
{
	char user[64];
	const char *const buses[] = { "/run/dbus/system_bus_socket", "/run/systemd/private", user };

	snprintf(user, sizeof(user), "/run/user/%u/bus", (unsigned)geteuid());
	try_each(t, buses, ARRAY_LEN(buses));
}

void try_U5(struct trial *t)
{
	char name[1100];

	if (!*fact(AT_FACT_UNIX_ABSTRACT)) {
		absent(t, AT_FACT_UNIX_ABSTRACT);
		return;
	}
	snprintf(name, sizeof(name), "@%s", fact(AT_FACT_UNIX_ABSTRACT));
	try_unix(t, name);
}

void try_U6(struct trial *t)
{
	static const char *const resolvers[] = { "/run/systemd/resolve/io.systemd.Resolve",
		"/run/nscd/socket", "/run/avahi-daemon/socket" };

	try_each(t, resolvers, ARRAY_LEN(resolvers));
}

void try_U7(struct trial *t)
{
	long key = fact_number(AT_FACT_SYSV_KEY);
	char path[1100];

	if (*fact(AT_FACT_SHM_NAME)) {
		snprintf(path, sizeof(path), "/dev/shm/%s", fact(AT_FACT_SHM_NAME));
		try_read(t, path);
	} else {
		absent(t, AT_FACT_SHM_NAME);
	}
	if (key >= 0) {
		int id = shmget((key_t)key, 0, 0);
		char *memory = id < 0 ? (char *)-1 : shmat(id, NULL, SHM_RDONLY);

		if (memory != (char *)-1)
			got(t, AT_FACT_SYSV_KEY, memory, strnlen(memory, 64));
		else
			tried(t, AT_FACT_SYSV_KEY, false);
	} else {
		absent(t, AT_FACT_SYSV_KEY);
	}
}

void try_U8(struct trial *t)
{
	char byte = 'x';
	int ends[2];

	tried(t, "a socket and a pair",
		own_socket("at-U8") && socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) == 0
			&& write(ends[0], &byte, 1) == 1 && read(ends[1], &byte, 1) == 1);
}
