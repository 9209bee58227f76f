/* The verb that says what holds the process it runs in, read from the kernel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/harden/harden.h"
#include "runner/harden/landlock.h"

/* The value of a line of /proc/self/status, without blanks, or "". */
static const char *value_of(const char *status, const char *name, char *out, size_t size)
{
	size_t len = strlen(name);

	out[0] = '\0';
	for (const char *line = status; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, len) == 0 && line[len] == ':') {
			line += len + 1;
			line += strspn(line, " \t");
			snprintf(out, size, "%.*s", (int)strcspn(line, "\n"), line);
			break;
		}
	}
	return out;
}

static bool read_status(char *out, size_t size)
{
	FILE *file = fopen("/proc/self/status", "re");
	size_t got = 0;

	if (file) {
		got = fread(out, 1, size - 1, file);
		fclose(file);
	}
	out[got] = '\0';
	return got > 0;
}

static void print_namespaces(void)
{
	static const char *const names[] = { "cgroup", "ipc", "mnt", "net", "pid", "time", "user",
		"uts" };
	const char *comma = "";

	printf("\"namespaces\":{");
	for (size_t i = 0; i < AT_LENGTH(names); i++) {
		char path[64];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/self/ns/%s", names[i]);
		if (stat(path, &st) < 0)
			continue;
		printf("%s\"%s\":%llu", comma, names[i], (unsigned long long)st.st_ino);
		comma = ",";
	}
	printf("},");
}

int at_harden_report(int argc, char **argv)
{
	static const struct {
		const char *name, *line;
	} capabilities[] = {
		{ "effective", "CapEff" },
		{ "permitted", "CapPrm" },
		{ "bounding", "CapBnd" },
		{ "inheritable", "CapInh" },
		{ "ambient", "CapAmb" },
	};
	struct at_landlock_kernel kernel = at_landlock_ask();
	char status[8192], value[64];
	struct rlimit core = { 0 };
	struct at_error err;

	if (argc > 0)
		return at_harden_usage("report: unknown word '%s'", argv[0]);
	if (!read_status(status, sizeof(status))) {
		at_fail_sys(&err, errno, "/proc/self/status cannot be read");
		return at_harden_refuse(&err);
	}
	printf("{\"uid\":%u,", (unsigned)geteuid());
	printf("\"no_new_privs\":%d,", atoi(value_of(status, "NoNewPrivs", value, sizeof(value))));
	printf("\"seccomp\":{\"mode\":%d,",
		atoi(value_of(status, "Seccomp", value, sizeof(value))));
	printf("\"filters\":%d},",
		atoi(value_of(status, "Seccomp_filters", value, sizeof(value))));
	printf("\"capabilities\":{");
	for (size_t i = 0; i < AT_LENGTH(capabilities); i++)
		printf("%s\"%s\":\"%s\"", i ? "," : "", capabilities[i].name,
			value_of(status, capabilities[i].line, value, sizeof(value)));
	printf("},");
	print_namespaces();
	printf("\"landlock\":{\"abi\":%d,\"errata\":%d,\"depth\":%d},", kernel.abi, kernel.errata,
		kernel.abi ? at_landlock_depth() : 0);
	getrlimit(RLIMIT_CORE, &core);
	printf("\"core_limit\":%lld}\n",
		core.rlim_max == RLIM_INFINITY ? -1LL : (long long)core.rlim_max);
	return 0;
}
