#include "runner/serve/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "runner/proposals/artifact.h"
#include "runner/serve/runner_impl.h"

#define REQUEST_MS 2000 /* for the operator's program to say what it wants */
#define RESULT_MS 5000

/* A path of at most 107 bytes, whatever the length of the directory's own. */
static void address(struct sockaddr_un *out, int state)
{
	*out = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(out->sun_path, sizeof(out->sun_path), "/proc/self/fd/%d/%s", state,
		AT_SOCKET_NAME);
}

int at_socket_make(int state, bool listens)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un name;
	int saved;
	bool ok;

	if (fd < 0)
		return -1;
	address(&name, state);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	if (listens) {
		unlinkat(state, AT_SOCKET_NAME, 0);
		ok = bind(fd, (const struct sockaddr *)&name, sizeof(name)) == 0
			&& fchmodat(state, AT_SOCKET_NAME, 0600, 0) == 0 && listen(fd, 16) == 0;
	} else {
		ok = connect(fd, (const struct sockaddr *)&name, sizeof(name)) == 0;
	}
	if (ok)
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

static bool wait_for(int fd, short events, int64_t until)
{
	for (;;) {
		struct pollfd one = { .fd = fd, .events = events };
		int64_t left = until - at_steady_ms();

		if (left <= 0)
			return false;
		if (poll(&one, 1, (int)left) > 0)
			return true;
		if (errno != EINTR && errno != 0)
			return false;
	}
}

bool at_socket_read(struct at_buf *out, int fd, size_t most, int ms)
{
	int64_t until = at_steady_ms() + ms;
	char chunk[16384];

	for (;;) {
		ssize_t got = read(fd, chunk, sizeof(chunk));

		if (got == 0)
			return true;
		if (got > 0) {
			at_buf_put(out, chunk, (size_t)got);
			if (out->len > most)
				return false;
		} else if (errno != EINTR
			   && (errno != EAGAIN || !wait_for(fd, POLLIN, until))) {
			return false;
		}
	}
}

bool at_socket_write(int fd, struct at_bytes bytes, int ms)
{
	int64_t until = at_steady_ms() + ms;

	for (size_t done = 0; done < bytes.len;) {
		ssize_t got = send(fd, bytes.data + done, bytes.len - done, MSG_NOSIGNAL);

		if (got > 0)
			done += (size_t)got;
		else if (errno != EINTR && (errno != EAGAIN || !wait_for(fd, POLLOUT, until)))
			return false;
	}
	return true;
}

void at_socket_open(struct at_runner *runner)
{
	runner->socket = at_socket_make(runner->setup.state->fd, true);
	if (runner->socket < 0)
		at_buf_printf(&runner->said, "the operator's socket cannot be had (%s): decide in "
			"the console that hosts the runner, or stop it first\n", strerror(errno));
}

void at_socket_close(struct at_runner *runner)
{
	if (runner->socket < 0)
		return;
	close(runner->socket);
	unlinkat(runner->setup.state->fd, AT_SOCKET_NAME, 0);
	runner->socket = -1;
}

static bool is_ours(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
		&& peer.uid == geteuid();
}

bool at_socket_serve(struct at_runner *runner, size_t *served, struct at_error *err)
{
	bool ok = true;
	int fd;

	while (ok && runner->socket >= 0 && (fd = accept(runner->socket, NULL, NULL)) >= 0) {
		struct at_buf request = { 0 }, result = { 0 };

		fcntl(fd, F_SETFD, FD_CLOEXEC);
		fcntl(fd, F_SETFL, O_NONBLOCK);
		if (is_ours(fd) && at_socket_read(&request, fd, AT_REQUEST_CAP, REQUEST_MS)) {
			ok = at_runner_ask(runner, at_buf_bytes(&request), &result, err);
			++*served;
			at_socket_write(fd, at_buf_bytes(&result), RESULT_MS);
		}
		close(fd);
		at_buf_free(&request);
		at_buf_free(&result);
	}
	return ok;
}
