/* The verb that runs inside the sandbox, as the last thing before the command. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "runner/harden/harden.h"
#include "runner/harden/landlock.h"

/* Absolute, below "/", and without a "." or ".." that would make it another one than it reads. */
static bool is_plain(const char *path)
{
	size_t len;

	if (path[0] != '/' || path[strspn(path, "/")] == '\0')
		return false;
	for (; *path; path += len) {
		path += strspn(path, "/");
		len = strcspn(path, "/");
		if ((len == 1 || len == 2) && strncmp(path, "..", len) == 0)
			return false;
	}
	return true;
}

/* Cuts the word at its line ends into the table, which has room for every line. */
static int cut(const char **roots, size_t *count, char *word)
{
	char *rest = NULL;

	for (char *path = strtok_r(word, "\n", &rest); path; path = strtok_r(NULL, "\n", &rest)) {
		if (!is_plain(path))
			return at_harden_usage("inside: '%s' is not the absolute path of a directory "
					       "below /", path);
		roots[(*count)++] = path;
	}
	return *count ? 0 : at_harden_usage("inside: no writable directory was named");
}

static void tell(const char *kind, const struct at_landlock_right *rows, size_t count, int abi)
{
	char known[512] = "", missing[512] = "";

	for (size_t i = 0; i < count; i++) {
		char *text = rows[i].abi <= abi ? known : missing;
		size_t used = strlen(text);

		snprintf(text + used, sizeof(known) - used, " %s", rows[i].name);
	}
	at_harden_say("landlock: %s held:%s", kind, *known ? known : " none");
	if (*missing)
		at_harden_say("landlock: %s asked for and not in this kernel:%s", kind, missing);
}

static void tell_all(void)
{
	struct at_landlock_kernel kernel = at_landlock_ask();

	at_harden_say("landlock: ABI %d, errata 0x%x", kernel.abi, (unsigned)kernel.errata);
	tell("rights", at_landlock_rights, at_landlock_right_count, kernel.abi);
	tell("scopes", at_landlock_scopes, at_landlock_scope_count, kernel.abi);
}

int at_harden_inside(int argc, char **argv)
{
	const struct rlimit no_core = { 0, 0 };
	bool is_told = argc > 0 && strcmp(argv[0], "--report") == 0;
	const char **roots;
	struct at_error err;
	size_t count = 0;
	int status;

	argc -= is_told;
	argv += is_told;
	if (argc < 3 || strcmp(argv[1], "--") != 0)
		return at_harden_usage("inside takes the writable directories in one word, "
				       "-- and a command");
	roots = calloc(strlen(argv[0]) / 2 + 1, sizeof(roots[0]));
	if (!roots) {
		at_fail_sys(&err, errno, "inside");
		return at_harden_refuse(&err);
	}
	status = cut(roots, &count, argv[0]);
	if (status)
		goto out;
	status = 2;
	if (setrlimit(RLIMIT_CORE, &no_core) < 0) {
		at_fail_sys(&err, errno, "core files cannot be switched off");
		at_harden_refuse(&err);
		goto out;
	}
	if (!at_landlock_apply(roots, count, &err)) {
		at_harden_refuse(&err);
		goto out;
	}
	if (is_told)
		tell_all();
	status = at_harden_become(argv + 2);
out:
	free(roots);
	return status;
}
