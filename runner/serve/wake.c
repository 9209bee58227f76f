#include "runner/serve/wake.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif

#include "core/mem.h"

enum { DIRS_MOST = 8, OTHERS_MOST = 8, POLL_MOST_MS = 300 };

struct at_wake {
	int fd; /* inotify's, or -1 */
	int dirs[DIRS_MOST];
	struct timespec seen[DIRS_MOST]; /* mtime, while polling */
	size_t count;
};

#ifdef __linux__
/* A held directory has no path of its own; the kernel's name for the descriptor leads to it. */
static int watch_all(const struct at_wake *wake)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	char path[64];

	for (size_t i = 0; fd >= 0 && i < wake->count; i++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", wake->dirs[i]);
		if (inotify_add_watch(fd, path,
			    IN_MOVED_TO | IN_CREATE | IN_CLOSE_WRITE | IN_ONLYDIR) < 0) {
			close(fd);
			fd = -1;
		}
	}
	return fd;
}
#else
static int watch_all(const struct at_wake *wake)
{
	(void)wake;
	return -1;
}
#endif

static bool has_changed(struct at_wake *wake)
{
	bool changed = false;
	struct stat st;

	for (size_t i = 0; i < wake->count; i++) {
		if (fstat(wake->dirs[i], &st) < 0)
			continue;
		changed |= st.st_mtim.tv_sec != wake->seen[i].tv_sec
			|| st.st_mtim.tv_nsec != wake->seen[i].tv_nsec;
		wake->seen[i] = st.st_mtim;
	}
	return changed;
}

bool at_wake_open(struct at_wake **out, const int *dirs, size_t count, bool polls,
	struct at_error *err)
{
	struct at_wake *wake;

	*out = NULL;
	if (count > DIRS_MOST)
		return at_fail(err, AT_EINVALID, "too many directories to wait on");
	wake = at_alloc(sizeof(*wake));
	for (size_t i = 0; i < count; i++)
		wake->dirs[i] = dirs[i];
	wake->count = count;
	wake->fd = polls ? -1 : watch_all(wake);
	*out = wake;
	return true;
}

void at_wake_close(struct at_wake *wake)
{
	if (!wake)
		return;
	if (wake->fd >= 0)
		close(wake->fd);
	free(wake);
}

bool at_wake_polls(const struct at_wake *wake)
{
	return wake->fd < 0;
}

int at_wake_fd(const struct at_wake *wake)
{
	return wake->fd;
}

/* What happened is not of interest: everything is looked at anyway. */
static void drain(int fd)
{
	char events[8192];

	while (read(fd, events, sizeof(events)) > 0)
		;
}

static bool wait_once(const struct at_wake *wake, const int *others, size_t other_count, int ms)
{
	struct pollfd fds[OTHERS_MOST + 1];
	nfds_t count = 0;

	if (wake->fd >= 0)
		fds[count++] = (struct pollfd){ .fd = wake->fd, .events = POLLIN };
	for (size_t i = 0; i < other_count && i < OTHERS_MOST; i++)
		fds[count++] = (struct pollfd){ .fd = others[i], .events = POLLIN };
	return poll(fds, count, ms) != 0;
}

void at_wake_wait(struct at_wake *wake, const int *others, size_t other_count, int ms)
{
	if (wake->fd >= 0) {
		wait_once(wake, others, other_count, ms);
		drain(wake->fd);
		return;
	}
	/* A directory's time may be as coarse as a tick, so that a change does not show: the end of
	 * the wait is a look, too, and comes soon. */
	if (ms > POLL_MOST_MS)
		ms = POLL_MOST_MS;
	for (int waited = 0; waited < ms; waited += AT_WAKE_POLL_MS) {
		int left = ms - waited;

		if (has_changed(wake)
			|| wait_once(wake, others, other_count,
				left < AT_WAKE_POLL_MS ? left : AT_WAKE_POLL_MS))
			return;
	}
}
