/* fixture_live.c - listeners, a process, keys, descriptors, shared memory and a terminal.
 *
 * Each ends with the process that made it, whatever ends that one.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/selftest/fixture.h"

#define KEY_SECONDS 300 /* a key outlives its maker: not for long */

static uint32_t random_number(void)
{
	uint32_t number = 0;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return 0;
	return number;
}

/* ---- listeners ---- */

static int listen_unix(char *path, size_t size, const char *dir, const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	socklen_t len = sizeof(at);
	int fd;

	path[0] = '\0';
	if (dir) {
		if (!*dir
			|| snprintf(at.sun_path, sizeof(at.sun_path), "%s/%s", dir, name)
				>= (int)sizeof(at.sun_path))
			return -1;
	} else { /* abstract: no file */
		snprintf(at.sun_path + 1, sizeof(at.sun_path) - 1, "%s", name);
		len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && bind(fd, (struct sockaddr *)&at, len) == 0 && listen(fd, 8) == 0) {
		snprintf(path, size, "%s", dir ? at.sun_path : name);
		if (dir)
			chmod(at.sun_path, 0777);
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

static int listen_inet(int family, int type, int *port)
{
	struct sockaddr_in in4 = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	bool is4 = family == AF_INET;
	struct sockaddr *at = is4 ? (struct sockaddr *)&in4 : (struct sockaddr *)&in6;
	socklen_t len = is4 ? sizeof(in4) : sizeof(in6);
	int fd = socket(family, type | SOCK_CLOEXEC, 0);

	*port = 0;
	in4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd >= 0 && bind(fd, at, len) == 0 && (type == SOCK_DGRAM || listen(fd, 8) == 0)
		&& getsockname(fd, at, &len) == 0) {
		*port = ntohs(is4 ? in4.sin_port : in6.sin6_port);
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

static void answer(int fd, bool is_datagram, const char *secret)
{
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	char bytes[64];

	if (is_datagram) {
		if (recvfrom(fd, bytes, sizeof(bytes), MSG_DONTWAIT, (struct sockaddr *)&from, &len)
			>= 0)
			sendto(fd, secret, strlen(secret), MSG_DONTWAIT, (struct sockaddr *)&from,
				len);
		return;
	}
	fd = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return;
	send(fd, secret, strlen(secret), MSG_DONTWAIT | MSG_NOSIGNAL);
	close(fd);
}

/* What a process of the fixture's starts with: nothing of this one's, and it ends with it. */
static void be_apart(pid_t parent)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	for (int s = 1; s < 32; s++)
		signal(s, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
}

static void serve(const struct at_fixture *f, const char *secret, pid_t parent)
{
	struct pollfd fds[7];
	size_t count = 0;

	be_apart(parent);
	for (size_t i = 0; i < AT_LEN(f->listeners); i++)
		fds[count++].fd = f->listeners[i];
	fds[count++].fd = f->tcp4;
	fds[count++].fd = f->tcp6;
	fds[count++].fd = f->udp;
	for (int fd = 0; fd < 1024; fd++) {
		bool is_ours = false;

		for (size_t i = 0; i < count; i++)
			is_ours |= fds[i].fd == fd;
		if (!is_ours)
			close(fd);
	}
	for (size_t i = 0; i < count; i++)
		fds[i].events = POLLIN;
	while (poll(fds, count, -1) > 0 || errno == EINTR)
		for (size_t i = 0; i < count; i++)
			if (fds[i].fd >= 0 && fds[i].revents)
				answer(fds[i].fd, fds[i].fd == f->udp, secret);
	_exit(0);
}

static void start_canary(struct at_fixture *f)
{
	const char *secret = at_fixture_secret(f);
	char hidden[AT_FIXTURE_PATH + 16], name[64];
	pid_t parent = getpid();

	snprintf(hidden, sizeof(hidden), "%s/.gnupg", f->home);
	snprintf(name, sizeof(name), "S.%08x", random_number());
	f->listeners[0] = listen_unix(
		f->unix_run, sizeof(f->unix_run), *f->ground->run ? f->ground->run : "", name);
	f->listeners[1] = listen_unix(f->unix_tmp, sizeof(f->unix_tmp), f->ground->tmp, name);
	f->listeners[2] = listen_unix(f->unix_home, sizeof(f->unix_home), hidden, "S.gpg-agent");
	snprintf(name, sizeof(name), "atconsole-selftest-%08x%08x", random_number(),
		random_number());
	f->listeners[3] = listen_unix(f->unix_abstract, sizeof(f->unix_abstract), NULL, name);
	f->tcp4 = listen_inet(AF_INET, SOCK_STREAM, &f->tcp4_port);
	f->tcp6 = listen_inet(AF_INET6, SOCK_STREAM, &f->tcp6_port);
	f->udp = listen_inet(AF_INET, SOCK_DGRAM, &f->udp_port);
	f->canary = fork();
	if (f->canary == 0)
		serve(f, secret, parent);
}

/* ---- a process that has something to hide ---- */

static void start_victim(struct at_fixture *f)
{
	const char *const env[] = {
		at_arena_printf(f->arena, "VICTIM_TOKEN=%s", at_fixture_secret(f)), NULL
	};
	static const char *const argv[] = { "sleep", "600", NULL };
	pid_t parent = getpid();

	f->victim = fork();
	if (f->victim != 0)
		return;
	be_apart(parent);
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
	if (open("/dev/null", O_RDWR) < 0 || chdir(f->home) != 0)
		_exit(126);
	execve("/bin/sleep", (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)env);
	_exit(127);
}

/* ---- descriptors ---- */

static void keep(struct at_fixture *f, int fd, enum at_open_fd as)
{
	size_t i = 0;

	if (fd < 0)
		return;
	while (f->keep[i] >= 0)
		i++;
	if (dup2(fd, as) == (int)as) {
		f->keep[i] = as;
		f->keep[i + 1] = -1;
	}
	close(fd);
}

static int file_in_memory(const char *secret)
{
	int fd = memfd_create("atconsole-selftest", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, secret, strlen(secret)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static void open_all(struct at_fixture *f)
{
	const char *secret = at_fixture_secret(f);
	char path[AT_FIXTURE_PATH + 16];
	int pair[2];

	snprintf(path, sizeof(path), "%s/secret", f->sibling);
	keep(f, open(path, O_RDWR | O_CLOEXEC), AT_OPEN_FILE);
	keep(f, open(f->sibling, O_RDONLY | O_DIRECTORY | O_CLOEXEC), AT_OPEN_DIR);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0) {
		if (send(pair[1], secret, strlen(secret), MSG_NOSIGNAL) > 0)
			keep(f, pair[0], AT_OPEN_SOCKET);
		else
			close(pair[0]);
		close(pair[1]);
	}
	keep(f, file_in_memory(at_fixture_secret(f)), AT_OPEN_MEMFD);
}

static void open_terminal(struct at_fixture *f)
{
	char name[64];

	f->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (f->master < 0)
		return;
	if (grantpt(f->master) == 0 && unlockpt(f->master) == 0
		&& ptsname_r(f->master, name, sizeof(name)) == 0)
		f->terminal = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (f->terminal > 0)
		return;
	f->terminal = 0;
	close(f->master);
	f->master = -1;
}

/* ---- keys and shared memory ---- */

static int32_t add_key(const char *name, const char *secret, int32_t ring)
{
	long id = syscall(SYS_add_key, "user", name, secret, strlen(secret), ring);

	if (id > 0)
		syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, id, KEY_SECONDS);
	return id > 0 ? (int32_t)id : 0;
}

static void add_keys(struct at_fixture *f)
{
	/* A keyring of this process's own, which its children share. */
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0)
		return;
	snprintf(f->session_key, sizeof(f->session_key), "atconsole-s-%08x", random_number());
	snprintf(f->user_key, sizeof(f->user_key), "atconsole-u-%08x", random_number());
	if (!add_key(f->session_key, at_fixture_secret(f), KEY_SPEC_SESSION_KEYRING))
		f->session_key[0] = '\0';
	f->user_key_id = add_key(f->user_key, at_fixture_secret(f), KEY_SPEC_USER_KEYRING);
	if (!f->user_key_id)
		f->user_key[0] = '\0';
}

static void share_memory(struct at_fixture *f)
{
	const char *secret = at_fixture_secret(f);
	char path[96];
	void *at;

	f->shm_key = (int)(random_number() >> 1) | 1;
	f->shm_id = shmget(f->shm_key, 4096, IPC_CREAT | IPC_EXCL | 0600);
	at = f->shm_id >= 0 ? shmat(f->shm_id, NULL, 0) : (void *)-1;
	if (at != (void *)-1) {
		memcpy(at, secret, strlen(secret));
		shmdt(at);
	} else {
		f->shm_key = 0;
	}
	snprintf(f->shm_name, sizeof(f->shm_name), "atconsole-selftest-%ld-%08x", (long)getpid(),
		random_number());
	snprintf(path, sizeof(path), "/dev/shm/%s", f->shm_name);
	if (!at_fixture_write(path, at_bytes_of(secret), 0600, NULL))
		f->shm_name[0] = '\0';
}

void at_fixture_start(struct at_fixture *f)
{
	add_keys(f);
	start_canary(f);
	start_victim(f);
	share_memory(f);
	open_all(f);
	open_terminal(f);
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void end_one(pid_t *pid)
{
	if (*pid > 0) {
		kill(*pid, SIGKILL);
		while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	*pid = 0;
}

void at_fixture_stop(struct at_fixture *f)
{
	char path[96];

	end_one(&f->canary);
	end_one(&f->victim);
	for (size_t i = 0; i < AT_LEN(f->listeners); i++)
		close_one(&f->listeners[i]);
	close_one(&f->tcp4);
	close_one(&f->tcp6);
	close_one(&f->udp);
	for (size_t i = 0; f->keep[i] >= 0; i++)
		close(f->keep[i]);
	f->keep[0] = -1;
	close_one(&f->master);
	if (f->terminal > 0)
		close(f->terminal);
	f->terminal = 0;
	if (f->user_key_id)
		syscall(SYS_keyctl, KEYCTL_UNLINK, f->user_key_id, KEY_SPEC_USER_KEYRING);
	if (f->shm_id >= 0)
		shmctl(f->shm_id, IPC_RMID, NULL);
	if (*f->unix_run)
		unlink(f->unix_run);
	if (*f->unix_tmp)
		unlink(f->unix_tmp);
	if (!*f->shm_name)
		return;
	snprintf(path, sizeof(path), "/dev/shm/%s", f->shm_name);
	unlink(path);
}
