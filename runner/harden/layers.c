/* The verb that says which layers this kernel really has: each is tried in a child. */
#include <errno.h>
#include <linux/keyctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/harden/filter.h"
#include "runner/harden/harden.h"
#include "runner/harden/landlock.h"

/* A probe runs in a child and returns 0, or the errno that says why the layer is not there.
 * Each sees something that works before and does not after. */
static int try_seccomp(void)
{
	struct at_error err;
	int fd;

	if (ioctl(-1, TIOCSTI, "") == 0 || errno != EBADF)
		return errno ? errno : EINVAL;
	if (!at_filter_load(false, &err))
		return err.sys ? err.sys : EIO;
	if (ioctl(-1, TIOCSTI, "") == 0 || errno != EPERM)
		return ENOTSUP;
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	return fd < 0 ? errno : 0;
}

static int try_keyring(void)
{
	long before = syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0);
	struct at_error err;
	long after;

	if (!at_harden_keyring(&err))
		return err.sys == EDQUOT ? 0 : err.sys; /* it is there, and full: start refuses */
	after = syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0);
	return after < 0 ? errno : after == before ? ENOTSUP : 0;
}

static const struct layer {
	const char *name;
	int (*attempt)(void);
} layers[] = {
	{ "seccomp", try_seccomp },
	{ "keyring", try_keyring },
	{ "landlock", at_landlock_try },
};

static int attempt(const struct layer *layer)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(layer->attempt());
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

static void print_names(const char *label, const struct at_landlock_right *rows, size_t count,
	int abi)
{
	const char *comma = "";

	printf("\"%s\":[", label);
	for (size_t i = 0; i < count; i++) {
		if (rows[i].abi > abi)
			continue;
		printf("%s\"%s\"", comma, rows[i].name);
		comma = ",";
	}
	putchar(']');
}

/* What is asked for, and what of it this kernel gives. */
static void print_pair(const char *label, const struct at_landlock_right *rows, size_t count,
	int abi)
{
	printf(",\"%s\":{", label);
	print_names("asked", rows, count, rows[count - 1].abi);
	putchar(',');
	print_names("granted", rows, count, abi);
	putchar('}');
}

static void print_json(const int *sys)
{
	for (size_t i = 0; i < AT_LENGTH(layers); i++) {
		printf("%s\"%s\":{\"available\":%s", i ? "," : "{", layers[i].name,
			sys[i] ? "false" : "true");
		if (sys[i])
			printf(",\"reason\":\"%s\"", strerror(sys[i]));
		if (layers[i].attempt == at_landlock_try) {
			struct at_landlock_kernel kernel = at_landlock_ask();

			printf(",\"abi\":%d,\"errata\":%d", kernel.abi, kernel.errata);
			print_pair("fs", at_landlock_rights, at_landlock_right_count, kernel.abi);
			print_pair("scopes", at_landlock_scopes, at_landlock_scope_count,
				kernel.abi);
		}
		putchar('}');
	}
	puts("}");
}

int at_harden_layers(int argc, char **argv)
{
	bool is_json = argc > 0 && strcmp(argv[0], "--json") == 0;
	int sys[AT_LENGTH(layers)];
	const char *blank = "";

	if (argc > is_json)
		return at_harden_usage("layers: unknown word '%s'", argv[is_json]);
	for (size_t i = 0; i < AT_LENGTH(layers); i++) {
		sys[i] = attempt(&layers[i]);
		if (sys[i])
			at_harden_say("%s: %s", layers[i].name, strerror(sys[i]));
	}
	if (is_json) {
		print_json(sys);
		return 0;
	}
	for (size_t i = 0; i < AT_LENGTH(layers); i++) {
		if (sys[i])
			continue;
		printf("%s%s", blank, layers[i].name);
		blank = " ";
	}
	putchar('\n');
	return 0;
}
