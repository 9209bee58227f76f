/* The verbs that run outside, before bwrap: close and start. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/keyctl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runner/harden/descriptors.h"
#include "runner/harden/filter.h"
#include "runner/harden/harden.h"

#define FILTER_FD 8  /* bwrap --seccomp 8 */
#define OPTIONS_FD 9 /* bwrap --args 9 */
#define KEEP_MAX 16

bool at_harden_keyring(struct at_error *err)
{
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0)
		return at_fail_sys(err, errno, "no fresh session keyring can be had");
	return true;
}

int at_harden_close(int argc, char **argv)
{
	struct at_error err;

	if (argc < 2 || strcmp(argv[0], "--") != 0)
		return at_harden_usage("close takes -- and a command");
	if (!at_descriptors_close(NULL, 0, &err))
		return at_harden_refuse(&err);
	return at_harden_become(argv + 1);
}

static bool read_number(int *out, const char *word)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(word, &end, 10);
	if (end == word || *end || errno || value < 0 || value > INT_MAX || word[0] < '0'
		|| word[0] > '9')
		return false;
	*out = (int)value;
	return true;
}

/* Leaves the program at its number, open across exec. Where the kernel has no filters there is
 * none, and a bwrap that was told to take one refuses. */
static bool place_filter(bool is_nested, struct at_error *err)
{
	int fd;

	if (prctl(PR_GET_SECCOMP) < 0 && errno == EINVAL) {
		close(FILTER_FD);
		return true;
	}
	if (!at_filter_open(&fd, is_nested, err))
		return false;
	if ((fd == FILTER_FD ? fcntl(fd, F_SETFD, 0) : dup2(fd, FILTER_FD)) < 0)
		return at_fail_sys(err, errno, "descriptor %d cannot be used", FILTER_FD);
	return true;
}

int at_harden_start(int argc, char **argv)
{
	int keep[KEEP_MAX + 2] = { FILTER_FD, OPTIONS_FD };
	size_t count = 2;
	bool is_nested = false;
	struct at_error err;
	int i;

	for (i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--nested") == 0) {
			is_nested = true;
		} else if (strcmp(argv[i], "--keep") == 0) {
			int fd;

			if (++i == argc || !read_number(&fd, argv[i]))
				return at_harden_usage("--keep takes the number of a descriptor");
			if (fd == FILTER_FD)
				return at_harden_usage("--keep %d: the filter goes there", fd);
			if (count == AT_LENGTH(keep))
				return at_harden_usage("--keep: %d at most", KEEP_MAX);
			keep[count++] = fd;
		} else {
			return at_harden_usage("start: unknown word '%s'", argv[i]);
		}
	}
	if (i + 1 >= argc)
		return at_harden_usage("start takes -- and a command");

	/* What this kernel or a container round us does not give is for `layers` to tell: the
	 * launcher has asked it, and said so or refused. */
	if (!at_harden_keyring(&err) && err.sys != ENOSYS && err.sys != EPERM)
		return at_harden_refuse(&err);
	if (!place_filter(is_nested, &err) || !at_descriptors_close(keep, count, &err))
		return at_harden_refuse(&err);
	return at_harden_become(argv + i + 1);
}
