#include "tui/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "core/mem.h"

#define MODE_CAP 256

static struct {
	int in, out;
	struct termios before;
	char enter[MODE_CAP], leave[MODE_CAP];
	size_t enter_len, leave_len;
	char on[MODE_CAP], off[MODE_CAP]; /* of at_tty_extra() */
	size_t on_len, off_len;
	int pipe[2];
	volatile sig_atomic_t is_ours, resized, resumed, stop, quit;
} tty = { .in = -1, .out = -1, .pipe = { -1, -1 } };

static char crash_stack[64 << 10];

static void put_now(const char *data, size_t len)
{
	while (len) {
		ssize_t sent = write(tty.out, data, len);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return;
		data += sent;
		len -= (size_t)sent;
	}
}

/* Only what a signal handler may call. */
static void give_back(void)
{
	if (!tty.is_ours)
		return;
	tty.is_ours = 0;
	put_now(tty.off, tty.off_len);
	put_now(tty.leave, tty.leave_len);
	tcsetattr(tty.in, TCSANOW, &tty.before); /* a terminal that hangs must not hold us */
}

static void on_crash(int number)
{
	give_back();
	tcflush(tty.in, TCIFLUSH);
	raise(number); /* the handler was for once: now the signal does what it does */
}

static void on_signal(int number)
{
	int was = errno;
	ssize_t ignored;

	switch (number) {
	case SIGWINCH:
		tty.resized = 1;
		break;
	case SIGCONT:
		tty.resumed = 1;
		break;
	case SIGTSTP:
		tty.stop = 1;
		break;
	default:
		tty.quit = number;
		break;
	}
	ignored = write(tty.pipe[1], "", 1); /* full means that it is readable anyway */
	(void)ignored;
	errno = was;
}

static const struct {
	int number;
	void (*handler)(int);
	int flags;
} handlers[] = {
	{ SIGWINCH, on_signal, SA_RESTART },
	{ SIGCONT, on_signal, SA_RESTART },
	{ SIGTSTP, on_signal, SA_RESTART },
	{ SIGTERM, on_signal, SA_RESTART },
	{ SIGHUP, on_signal, SA_RESTART },
	{ SIGINT, on_signal, SA_RESTART },
	{ SIGSEGV, on_crash, SA_RESETHAND | SA_ONSTACK | SA_NODEFER },
	{ SIGBUS, on_crash, SA_RESETHAND | SA_ONSTACK | SA_NODEFER },
	{ SIGFPE, on_crash, SA_RESETHAND | SA_ONSTACK | SA_NODEFER },
	{ SIGILL, on_crash, SA_RESETHAND | SA_ONSTACK | SA_NODEFER },
	{ SIGABRT, on_crash, SA_RESETHAND | SA_ONSTACK | SA_NODEFER },
};

static struct sigaction before[AT_LEN(handlers)];

static void take_signals(void)
{
	stack_t stack = { .ss_sp = crash_stack, .ss_size = sizeof(crash_stack) };

	sigaltstack(&stack, NULL);
	for (size_t i = 0; i < AT_LEN(handlers); i++) {
		struct sigaction action = { .sa_flags = handlers[i].flags };

		action.sa_handler = handlers[i].handler;
		sigemptyset(&action.sa_mask);
		sigaction(handlers[i].number, &action, &before[i]);
	}
}

static void raw_mode(void)
{
	struct termios raw = tty.before;

	raw.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON);
	raw.c_oflag &= ~(tcflag_t)OPOST;
	raw.c_cflag = (raw.c_cflag & ~(tcflag_t)(CSIZE | PARENB)) | CS8;
	raw.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	tcsetattr(tty.in, TCSADRAIN, &raw);
	tty.is_ours = 1;
	put_now(tty.enter, tty.enter_len);
	put_now(tty.on, tty.on_len);
}

static bool copy_mode(char out[MODE_CAP], size_t *len, const char *from)
{
	*len = strlen(from);
	if (*len >= MODE_CAP)
		return false;
	memcpy(out, from, *len + 1);
	return true;
}

bool at_tty_open(int in, int out, const char *enter, const char *leave, struct at_error *err)
{
	static bool registered;

	if (tcgetattr(in, &tty.before) < 0)
		return at_fail_sys(err, errno, "cannot read the modes of the terminal");
	if (!copy_mode(tty.enter, &tty.enter_len, enter) ||
		!copy_mode(tty.leave, &tty.leave_len, leave))
		return at_fail(err, AT_ELIMIT, "the terminal's entry is longer than any known");
	if (pipe2(tty.pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return at_fail_sys(err, errno, "cannot make a pipe");
	tty.in = in;
	tty.out = out;
	tty.resized = tty.resumed = tty.stop = tty.quit = 0;
	take_signals();
	if (!registered)
		atexit(at_tty_close);
	registered = true;
	at_mem_on_exhausted(give_back);
	raw_mode();
	return true;
}

/* The way back first: a signal may come at any time. */
void at_tty_extra(const char *on, const char *off)
{
	if (!*on) {
		put_now(off, strlen(off));
		tty.on_len = tty.off_len = 0;
	} else if (copy_mode(tty.off, &tty.off_len, off) && copy_mode(tty.on, &tty.on_len, on)) {
		put_now(on, tty.on_len);
	} else {
		tty.on_len = tty.off_len = 0;
	}
}

void at_tty_close(void)
{
	if (tty.in < 0)
		return;
	give_back();
	tcflush(tty.in, TCIFLUSH);
	tty.on_len = tty.off_len = 0;
	for (size_t i = 0; i < AT_LEN(handlers); i++)
		sigaction(handlers[i].number, &before[i], NULL);
	close(tty.pipe[0]);
	close(tty.pipe[1]);
	at_mem_on_exhausted(NULL);
	tty.in = tty.out = tty.pipe[0] = tty.pipe[1] = -1;
}

void at_tty_suspend(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL }, ours;

	give_back();
	sigaction(SIGTSTP, &action, &ours);
	kill(0, SIGTSTP);
	/* Stopped here, until SIGCONT; the shell may have changed the modes meanwhile. */
	sigaction(SIGTSTP, &ours, NULL);
	tcgetattr(tty.in, &tty.before);
	raw_mode();
	tty.resumed = tty.resized = 1;
	on_signal(SIGCONT);
}

int at_tty_signal_fd(void)
{
	return tty.pipe[0];
}

void at_tty_signals(struct at_tty_signals *out)
{
	char drain[64];

	while (read(tty.pipe[0], drain, sizeof(drain)) > 0)
		;
	*out = (struct at_tty_signals){ .resized = tty.resized, .resumed = tty.resumed,
		.stop = tty.stop, .quit = tty.quit };
	tty.resized = tty.resumed = tty.stop = tty.quit = 0;
	if (out->resumed && !tty.is_ours)
		raw_mode();
}

void at_tty_size(int *width, int *height)
{
	struct winsize size = { 0 };

	*width = 80;
	*height = 24;
	if (ioctl(tty.out, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row) {
		*width = size.ws_col;
		*height = size.ws_row;
	}
}
