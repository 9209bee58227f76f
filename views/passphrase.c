#include "views/passphrase.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "core/mem.h"
#include "core/safetext.h"

/* Each would leave the terminal without echo. */
static const int held_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGTSTP, SIGTTIN,
	SIGTTOU };

static volatile sig_atomic_t caught;

static void catch_signal(int number)
{
	caught = number;
}

struct terminal {
	int fd;
	struct termios before;
	sigset_t mask;
	struct sigaction actions[AT_LEN(held_signals)];
};

/* Signals are let through while it waits, and only then. */
static bool begin(struct terminal *t, struct at_error *err)
{
	struct sigaction action = { .sa_handler = catch_signal };
	struct termios silent;
	sigset_t held;

	sigemptyset(&action.sa_mask);
	sigemptyset(&held);
	caught = 0;
	if (tcgetattr(t->fd, &t->before) < 0)
		return at_fail_sys(err, errno, "cannot ask for a passphrase");
	for (size_t i = 0; i < AT_LEN(held_signals); i++)
		sigaddset(&held, held_signals[i]);
	sigprocmask(SIG_BLOCK, &held, &t->mask);
	for (size_t i = 0; i < AT_LEN(held_signals); i++)
		sigaction(held_signals[i], &action, &t->actions[i]);
	silent = t->before;
	silent.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
	silent.c_lflag |= ICANON | ISIG;
	tcsetattr(t->fd, TCSAFLUSH, &silent);
	return true;
}

/* A signal that came is delivered once all is as before. */
static void end(struct terminal *t)
{
	tcsetattr(t->fd, TCSAFLUSH, &t->before);
	for (size_t i = 0; i < AT_LEN(held_signals); i++)
		sigaction(held_signals[i], &t->actions[i], NULL);
	if (caught)
		raise(caught);
	sigprocmask(SIG_SETMASK, &t->mask, NULL);
}

static void say(const struct terminal *t, const char *text)
{
	for (size_t len = strlen(text); len;) {
		ssize_t got = write(t->fd, text, len);

		if (got <= 0)
			return;
		text += got;
		len -= (size_t)got;
	}
}

enum outcome { TYPED, ENDED, TOO_LONG, STOPPED, FAILED };

/* One line into `out`, without its end. */
static enum outcome read_line(struct terminal *t, struct at_secret *out)
{
	struct pollfd wait = { .fd = t->fd, .events = POLLIN };
	size_t done = 0;

	while (done < out->len) {
		ssize_t got;

		if (caught)
			return STOPPED;
		if (ppoll(&wait, 1, NULL, &t->mask) < 0) {
			if (errno != EINTR)
				return FAILED;
			continue;
		}
		got = read(t->fd, out->bytes + done, out->len - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got == 0 ? ENDED : FAILED;
		done += (size_t)got;
		if (out->bytes[done - 1] == '\n') {
			out->len = done - 1;
			return TYPED;
		}
	}
	return TOO_LONG;
}

static bool is_stop(int number)
{
	return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

static bool fail_outcome(enum outcome outcome, struct at_error *err)
{
	static const char *const why[] = {
		[ENDED] = "no passphrase was typed",
		[TOO_LONG] = "the passphrase is longer than 1024 bytes",
		[STOPPED] = "a signal came while the passphrase was asked for",
		[FAILED] = "the passphrase could not be read",
	};

	return at_fail(err, AT_EREFUSED, "%s", why[outcome]);
}

static bool ask(struct at_secret *out, struct terminal *t, const char *prompt, struct at_error *err)
{
	enum outcome outcome;

	do {
		if (!at_secret_new(out, AT_PASSPHRASE_MOST + 1, err))
			return false;
		if (!begin(t, err)) {
			at_secret_free(out);
			return false;
		}
		say(t, prompt);
		outcome = read_line(t, out);
		say(t, "\n");
		end(t);
		if (outcome == TYPED && out->len)
			return true;
		at_secret_free(out);
	} while (outcome == STOPPED && is_stop(caught)); /* asked again once it goes on */
	return fail_outcome(outcome == TYPED ? ENDED : outcome, err);
}

static bool open_terminal(struct terminal *t, struct at_error *err)
{
	t->fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (t->fd >= 0)
		return true;
	at_fail(err, AT_EUSAGE, "a passphrase is asked for at a terminal, and there is none");
	at_error_hint(err, "Run it in a terminal of your own.");
	return false;
}

bool at_passphrase_ask(void *context, struct at_secret *out, const char *path, struct at_error *err)
{
	struct at_buf prompt = { 0 };
	struct terminal t;
	bool done;

	(void)context;
	*out = (struct at_secret){ 0 };
	if (!open_terminal(&t, err))
		return false;
	at_buf_puts(&prompt, "Passphrase of ");
	at_safe_text(&prompt, at_bytes_of(path), false);
	at_buf_puts(&prompt, ": ");
	done = ask(out, &t, at_buf_text(&prompt), err);
	at_buf_free(&prompt);
	close(t.fd);
	return done;
}

bool at_passphrase_ask_new(struct at_secret *out, const char *name, struct at_error *err)
{
	struct at_secret again = { 0 };
	struct at_buf prompt = { 0 };
	struct terminal t;
	bool done;

	*out = (struct at_secret){ 0 };
	if (!open_terminal(&t, err))
		return false;
	at_buf_puts(&prompt, "Passphrase for the new key ");
	at_safe_text(&prompt, at_bytes_of(name), false);
	at_buf_puts(&prompt, ": ");
	done = ask(out, &t, at_buf_text(&prompt), err) && ask(&again, &t, "Once more: ", err);
	if (done && !at_bytes_equal(at_secret_bytes(out), at_secret_bytes(&again)))
		done = at_fail(err, AT_EREFUSED, "the two passphrases differ: no key was made");
	if (!done)
		at_secret_free(out);
	at_secret_free(&again);
	at_buf_free(&prompt);
	close(t.fd);
	return done;
}
