/* Group V: the caller's variables. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/selftest/probe.h"
#include "runner/selftest/probe_table.h"

static void look_for(struct trial *t, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			got(t, names[i], value, strlen(value));
	}
	if (t->result == RESULT_NONE)
		refused(t, "none is set", 0);
}

void try_V1(struct trial *t)
{
	static const char *const names[] = { "SECRET_TOKEN", "AGENTTEAMS_SIGNING_KEY",
		"AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "DISPLAY", "DBUS_SESSION_BUS_ADDRESS" };

	look_for(t, names, ARRAY_LEN(names));
}

void try_V2(struct trial *t)
{
	static const char *const names[] = { "LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "ENV",
		"PYTHONSTARTUP", "NODE_OPTIONS", "PERL5OPT", "GIT_SSH_COMMAND" };

	look_for(t, names, ARRAY_LEN(names));
}

static void have_usual(struct trial *t)
{
	const char *path = getenv("PATH"), *home = getenv("HOME");

	errno = 0;
	tried(t, "PATH and HOME", path && strchr(path, '/') && home && *home == '/');
}

void control_V1(struct trial *t)
{
	have_usual(t);
}

void control_V2(struct trial *t)
{
	have_usual(t);
}

/* Looks at every process but itself: it was given the value, so it has it. */
void try_V3(struct trial *t)
{
	static char bytes[128 * 1024];
	const char *value = getenv(AT_PROBE_SETENV);
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	char path[64];

	if (!value || !dir) {
		broken(t, "the variable is not set");
		return;
	}
	while ((entry = readdir(dir))) {
		size_t len = 0;
		ssize_t n;
		int fd;

		if (atoi(entry->d_name) <= 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%.16s/cmdline", entry->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		while (fd >= 0 && (n = read(fd, bytes + len, sizeof(bytes) - len)) > 0)
			len += (size_t)n;
		if (fd >= 0)
			close(fd);
		if (memmem(bytes, len, value, strlen(value)))
			got(t, path, value, strlen(value));
	}
	closedir(dir);
	if (t->result == RESULT_NONE)
		refused(t, "no process shows it", 0);
}

void control_V3(struct trial *t)
{
	const char *value = getenv(AT_PROBE_SETENV);

	if (value && *value)
		got(t, AT_PROBE_SETENV, value, strlen(value));
	else
		refused(t, "not set", 0);
}

void try_V4(struct trial *t)
{
	char path[4096], *rest = path, *dir;
	const char *home = getenv("HOME");

	snprintf(path, sizeof(path), "%s", getenv("PATH") ? getenv("PATH") : "");
	while ((dir = strsep(&rest, ":"))) {
		if (*dir != '/')
			worked(t, "a PATH entry that is not absolute");
		else if (access(dir, W_OK) == 0)
			worked(t, dir);
		if (strcmp(dir, "/usr/bin") == 0)
			break;
	}
	if (home && access(home, W_OK) == 0)
		worked(t, "HOME is writable");
	if (t->result == RESULT_NONE)
		refused(t, "none is writable", 0);
}

void control_V4(struct trial *t)
{
	have_usual(t);
}
