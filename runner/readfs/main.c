/* agentteams-readfs-mcp: lets an agent read a project's files, and nothing but read. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/readfs/serve.h"

static const char help[] =
	"agentteams-readfs-mcp [--root DIR]: a file server for agents, on standard input and output\n\n"
	"  JSON-RPC 2.0 (Model Context Protocol), one message a line. Tools: read_file, list_dir,\n"
	"  find, grep, stat. It writes nothing, holds no key, follows no link out of the root, and\n"
	"  reads no credentials, version control or files of the runner (the list is MCP-2's).\n\n"
	"  --root DIR  the project; else what stands before /.agentteams/bin/ in its own path\n\n"
	"Exit status: 0 when the input ends, nobody reads its output, or its parent is gone; 2 for\n"
	"bad usage, or a root that cannot be had.\n";

static int refuse(const char *format, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	for (char *c = line; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	fprintf(stderr, "agentteams-readfs-mcp: %s\n", line);
	return 2;
}

static bool own_root(char out[PATH_MAX])
{
	char self[PATH_MAX];
	ssize_t got = readlink("/proc/self/exe", self, sizeof(self));

	if (got <= 0 || (size_t)got >= sizeof(self))
		return false;
	self[got] = '\0';
	return at_readfs_root_of(out, self);
}

int main(int argc, char **argv)
{
	struct at_readfs_root root;
	char derived[PATH_MAX];
	const char *path = NULL;
	struct at_error err;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0) {
			fputs(help, stdout);
			return 0;
		}
		if (strcmp(argv[i], "--version") == 0) {
			puts("agentteams-readfs-mcp " AT_VERSION);
			return 0;
		}
		if (strcmp(argv[i], "--root") != 0 || i + 1 == argc)
			return refuse("'%s' is unknown, or lacks its value. See --help.", argv[i]);
		path = argv[++i];
	}
	if (!path && !own_root(derived))
		return refuse(
			"it stands in no /.agentteams/bin/ of a project, and no --root is given");
	if (!at_readfs_root_open(&root, path ? path : derived, &err))
		return refuse("%s", err.message);
	return at_readfs_serve(&root);
}
