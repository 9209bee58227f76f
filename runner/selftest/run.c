#include "runner/selftest/run.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/mem.h"
#include "runner/selftest/battery.h"

#define CALLERS_MOST 2
#define TURN_MS 50
#define PATIENCE_MS 5000 /* for a process that was asked to end */

/* What a caller's process sends: a kind, a length, bytes. */
enum frame { FRAME_DONE = 'd', FRAME_PROOF = 'p', FRAME_ERROR = 'e' };
struct head {
	uint32_t kind, len;
};

struct caller {
	uid_t uid;
	pid_t pid;
	int fd; /* -1 once it has ended */
	struct at_ground ground;
	struct at_buf came;
	unsigned done, all;
	bool has_proof, has_error;
	struct at_proof proof;
	struct at_error error;
};

/* ---- the process of a caller ---- */

static volatile sig_atomic_t is_over;

static void end_soon(int sig)
{
	(void)sig;
	is_over = 1;
}

struct sending {
	int fd;
	pid_t parent;
	unsigned last;
};

static bool send_all(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;

	while (len > 0) {
		ssize_t put = write(fd, p, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		p += put;
		len -= (size_t)put;
	}
	return true;
}

static bool send_frame(int fd, enum frame kind, const void *bytes, size_t len)
{
	struct head head = { kind, (uint32_t)len };

	return send_all(fd, &head, sizeof(head)) && send_all(fd, bytes, len);
}

static bool tell_done(void *user, unsigned done)
{
	struct sending *s = user;
	uint32_t number = done;

	if (is_over || getppid() != s->parent)
		return false;
	if (done == s->last)
		return true;
	s->last = done;
	return send_frame(s->fd, FRAME_DONE, &number, sizeof(number));
}

static void send_error(int fd, const struct at_error *err)
{
	struct at_buf text = { 0 };

	at_buf_put(&text, err->message, strlen(err->message) + 1);
	at_buf_put(&text, err->hint, strlen(err->hint) + 1);
	send_frame(fd, FRAME_ERROR, text.data, text.len);
	at_buf_free(&text);
}

/* Root takes another caller on; nothing of its rights stays. */
static bool become(uid_t uid)
{
	if (uid == geteuid())
		return true;
	if (setgroups(0, NULL) != 0 || setresgid(uid, uid, uid) != 0
		|| setresuid(uid, uid, uid) != 0)
		return false;
	prctl(PR_SET_DUMPABLE, 1);
	return geteuid() == uid && setuid(0) != 0;
}

static void be_caller(struct caller *c, const struct at_selftest *t, int fd, pid_t parent)
{
	struct sending sending = { fd, parent, 0 };
	struct at_battery battery = { .tools = t->tools,
		.ground = &c->ground,
		.search_path = t->search_path,
		.with_harden = t->with_harden,
		.ids = t->ids,
		.go_on = tell_done,
		.user = &sending };
	struct sigaction over = { .sa_handler = end_soon };
	struct at_proof proof;
	struct at_buf text = { 0 };
	struct at_error err = { 0 };
	sigset_t none;
	bool ok;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int s = 1; s < 32; s++)
		signal(s, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGTERM, &over, NULL);
	at_mem_on_exhausted(NULL);
	if (geteuid() == 0)
		at_ground_mount_alias(&c->ground);
	at_proof_init(&proof);
	ok = become(c->uid) || at_fail_sys(&err, errno, "the rights of root cannot be given up");
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (ok && at_battery_run(&proof, &battery, &err)) {
		at_proof_write(&proof, &text);
		send_frame(fd, FRAME_PROOF, text.data, text.len);
	} else {
		send_error(fd, &err);
	}
	if (getppid() != parent) /* nobody is left to tidy up */
		at_ground_remove(&c->ground);
	_exit(0);
}

/* ---- this process ---- */

static bool start(struct caller *c, const struct at_selftest *t, struct at_error *err)
{
	pid_t parent = getpid();
	int fd[2];

	c->fd = -1;
	if (!at_ground_make(&c->ground, c->uid, t->cache_home, t->home, err))
		return false;
	if (pipe2(fd, O_CLOEXEC) != 0)
		return at_fail_sys(err, errno, "cannot start the self-test");
	c->pid = fork();
	if (c->pid == 0) {
		close(fd[0]);
		be_caller(c, t, fd[1], parent);
	}
	close(fd[1]);
	if (c->pid < 0) {
		close(fd[0]);
		return at_fail_sys(err, errno, "cannot start the self-test");
	}
	fcntl(fd[0], F_SETFL, O_NONBLOCK);
	c->fd = fd[0];
	return true;
}

static void take_error(struct caller *c, const char *data, size_t len)
{
	size_t first = strnlen(data, len), rest = len - first;

	if (rest < 2 || data[len - 1] != '\0')
		return;
	at_fail(&c->error, AT_EREFUSED, "%s", data);
	at_error_hint(&c->error, "%s", data + first + 1);
	c->has_error = true;
}

/* The process may have been another caller's: what it says is checked. */
static bool take_frames(struct caller *c)
{
	struct head head;

	while (c->came.len >= sizeof(head)) {
		const char *data = c->came.data + sizeof(head);
		uint32_t number;
		size_t used;

		memcpy(&head, c->came.data, sizeof(head));
		if (head.len > AT_PROOF_CAP)
			return false;
		used = sizeof(head) + head.len;
		if (c->came.len < used)
			return true;
		if (head.kind == FRAME_DONE && head.len == sizeof(number)) {
			memcpy(&number, data, sizeof(number));
			c->done = number < c->all ? number : c->all;
		} else if (head.kind == FRAME_PROOF && !c->has_proof) {
			c->has_proof = at_proof_read(
				&c->proof, (struct at_bytes){ data, head.len }, &c->error);
			if (!c->has_proof)
				at_proof_free(&c->proof);
		} else if (head.kind == FRAME_ERROR) {
			take_error(c, data, head.len);
		}
		memmove(c->came.data, c->came.data + used, c->came.len - used);
		c->came.len -= used;
	}
	return true;
}

static void take(struct caller *c)
{
	char bytes[16384];
	ssize_t got;

	while ((got = read(c->fd, bytes, sizeof(bytes))) > 0)
		at_buf_put(&c->came, bytes, (size_t)got);
	if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
		if (take_frames(c))
			return;
	} else {
		take_frames(c);
	}
	close(c->fd);
	c->fd = -1;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* False when it was ended, by the wish of who started it or by the time. */
static bool watch(struct caller *callers, size_t count, const struct at_selftest *t)
{
	int64_t until = now_ms() + AT_SELFTEST_MS;
	bool wanted = true;

	for (;;) {
		struct pollfd fds[CALLERS_MOST];
		unsigned done = 0, all = 0;
		nfds_t open = 0;

		for (size_t i = 0; i < count; i++) {
			done += callers[i].done;
			all += callers[i].all;
			if (callers[i].fd >= 0)
				fds[open++] =
					(struct pollfd){ .fd = callers[i].fd, .events = POLLIN };
		}
		if (open == 0)
			return wanted;
		poll(fds, open, TURN_MS);
		for (size_t i = 0; i < count; i++)
			if (callers[i].fd >= 0)
				take(&callers[i]);
		if (wanted && (now_ms() >= until || (t->go_on && !t->go_on(t->user, done, all)))) {
			wanted = false;
			until = now_ms() + PATIENCE_MS;
			for (size_t i = 0; i < count; i++)
				kill(callers[i].pid, SIGTERM);
		}
		if (!wanted && now_ms() >= until)
			return false;
	}
}

static void end(struct caller *c)
{
	if (c->fd >= 0)
		close(c->fd);
	if (c->pid > 0) {
		if (c->fd >= 0)
			kill(c->pid, SIGKILL);
		while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	at_ground_remove(&c->ground);
	at_buf_free(&c->came);
}

static void add_all(struct at_proof *out, const struct at_proof *from)
{
	uint32_t first = (uint32_t)out->run_count;

	for (size_t i = 0; i < from->run_count; i++)
		at_proof_add_run(out, &from->runs[i]);
	for (size_t i = 0; i < from->case_count; i++) {
		struct at_proof_case one = from->cases[i];

		one.run += first;
		at_proof_add_case(out, &one);
	}
}

static bool fail_as(struct at_error *err, const struct at_error *was)
{
	if (err)
		*err = *was;
	return false;
}

static bool check(const struct at_selftest *t, struct at_error *err)
{
	for (const char *const *id = t->ids; id && *id; id++) {
		if (at_case_find(*id))
			continue;
		at_fail(err, AT_EUSAGE, "there is no case %s", *id);
		at_error_hint(err, "The report of a whole run lists them.");
		return false;
	}
	if (!*t->tools->bwrap) {
		at_fail(err, AT_EDENIED, "bwrap is not there: nothing can be confined");
		at_error_hint(err, "Install bubblewrap.");
		return false;
	}
	if (t->with_harden && !*t->tools->harden) {
		at_fail(err, AT_EDENIED,
			"agentteams-harden is not there: --harden cannot be tried");
		at_error_hint(err, "Leave --harden out, or install it.");
		return false;
	}
	return at_tools_load(t->tools, err);
}

bool at_selftest_run(struct at_proof *out, const struct at_selftest *t, struct at_error *err)
{
	struct caller callers[CALLERS_MOST] = { 0 };
	const struct at_battery size = { .with_harden = t->with_harden, .ids = t->ids };
	size_t count = geteuid() == 0 ? 2 : 1, started = 0;
	bool ok;

	at_proof_init(out);
	if (!check(t, err))
		return false;
	out->time = (int64_t)time(NULL);
	at_tools_facts(out, t->tools, true);
	ok = true;
	for (; ok && started < count; started++) {
		struct caller *c = &callers[started];

		c->uid = started + 1 < count ? AT_SELFTEST_NOBODY : geteuid();
		c->all = at_battery_size(&size);
		ok = start(c, t, err);
	}
	if (ok && !watch(callers, count, t))
		ok = at_fail(err, AT_EREFUSED, "the self-test was ended: nothing is known");
	for (size_t i = 0; i < started; i++) {
		struct caller *c = &callers[i];

		end(c);
		if (ok && c->has_proof)
			add_all(out, &c->proof);
		else if (ok && c->has_error)
			ok = fail_as(err, &c->error);
		else if (ok)
			ok = at_fail(err, AT_EREFUSED, "a part of the self-test ended by itself");
		if (c->has_proof)
			at_proof_free(&c->proof);
	}
	return ok;
}
