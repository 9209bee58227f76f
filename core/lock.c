/* One writer a project at a time. The kernel drops the lock of a process that died. */
#include "core/act.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PAUSE 20 /* milliseconds between two tries */

unsigned at_lock_patience = 5000;

bool at_lock_wait(int fd)
{
	const struct timespec pause = { 0, PAUSE * 1000000L };

	for (unsigned waited = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; waited += PAUSE) {
		if ((errno != EWOULDBLOCK && errno != EINTR) || waited >= at_lock_patience)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

static void sign(int fd)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%ld\n", (long)getpid());

	/* Only for the message of whoever waits in vain. */
	if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)len, 0) != len)
		return;
}

static bool fail_busy(struct at_error *err, int fd, const struct at_state *state)
{
	char text[32] = "";
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	text[len > 0 ? strspn(text, "0123456789") : 0] = '\0';
	at_fail(err, AT_EEXIST, "another run is writing this project (process %s)",
		*text ? text : "unknown");
	at_error_path(err, state->path);
	at_error_name(err, "busy");
	at_error_hint(err, "Wait until it has ended, then start again.");
	return false;
}

int at_lock_take(const struct at_state *state, struct at_error *err)
{
	int fd = openat(state->fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0) {
		at_fail_sys(err, errno, "cannot open the lock in `%s`", state->path);
		at_error_path(err, state->path);
		return -1;
	}
	if (at_lock_wait(fd)) {
		sign(fd);
		return fd;
	}
	fail_busy(err, fd, state);
	close(fd);
	return -1;
}
