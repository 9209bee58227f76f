/* agentteams-harden: what the launcher of a confined command cannot do in a shell. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/harden/harden.h"

static const struct verb {
	const char *name, *words, *what;
	int (*run)(int argc, char **argv);
} verbs[] = {
	{ "layers", "[--json]",
		"Prints which of seccomp, keyring and landlock this kernel really has: each is\n"
		"      tried in a child. With --json, also what of Landlock is asked for and given.",
		at_harden_layers },
	{ "close", "-- COMMAND [ARGUMENT...]",
		"Closes every descriptor above 2 and becomes COMMAND.", at_harden_close },
	{ "start", "[--nested] [--keep FD]... -- COMMAND [ARGUMENT...]",
		"Joins a fresh session keyring, puts a filter of system calls at descriptor 8,\n"
		"      closes every other above 2 but 9 and the ones to keep, and becomes COMMAND:\n"
		"      bwrap --seccomp 8 --args 9. With --nested the filter leaves user namespaces\n"
		"      open.",
		at_harden_start },
	{ "inside", "[--report] ROOTS -- COMMAND [ARGUMENT...]",
		"Leaves writing below ROOTS alone, absolute physical directories in one word, one\n"
		"      a line; and below /tmp and /dev/shm, to the standard devices, and in /proc.\n"
		"      No core files, no signals and no abstract sockets to the outside. Becomes\n"
		"      COMMAND. With --report it says on standard error what this kernel gave.",
		at_harden_inside },
	{ "report", "", "Prints as JSON what holds the process it runs in.", at_harden_report },
};

void at_harden_say(const char *format, ...)
{
	char line[1280];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	for (char *c = line; *c; c++) {
		if (*c < ' ' || *c > '~')
			*c = '?';
	}
	fprintf(stderr, "agentteams-harden: %s\n", line);
}

int at_harden_usage(const char *format, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	at_harden_say("%s", line);
	at_harden_say("  See --help. Nothing was run.");
	return 2;
}

int at_harden_refuse(const struct at_error *err)
{
	at_harden_say("%s", err->message);
	at_harden_say("  Nothing was run.");
	return 2;
}

int at_harden_become(char **command)
{
	int sys;

	execvp(command[0], command);
	sys = errno;
	at_harden_say("'%s' cannot be started: %s", command[0], strerror(sys));
	return sys == ENOENT ? 127 : 126;
}

static int help(void)
{
	puts("agentteams-harden VERB ...: layers below a sandbox made by bwrap, for confine-run.sh\n");
	for (size_t i = 0; i < AT_LENGTH(verbs); i++)
		printf("  %s%s%s\n      %s\n", verbs[i].name, *verbs[i].words ? " " : "",
			verbs[i].words, verbs[i].what);
	puts("\nExit status: 2 for bad usage or a layer that cannot be put in force, and nothing was\n"
	     "run; 126 when COMMAND cannot be started, 127 when it is not there; else its own.");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return at_harden_usage("a verb is missing");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return help();
	if (strcmp(argv[1], "--version") == 0) {
		puts("agentteams-harden " AT_VERSION);
		return 0;
	}
	for (size_t i = 0; i < AT_LENGTH(verbs); i++) {
		if (strcmp(argv[1], verbs[i].name) == 0)
			return verbs[i].run(argc - 2, argv + 2);
	}
	return at_harden_usage("unknown verb '%s'", argv[1]);
}
