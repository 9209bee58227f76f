#include "support/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

#include <vterm.h>

#include "core/safetext.h"
#include "support/support.h"

#define FEED 4096 /* libvterm 0.1.4 overflows its stack on large writes */

struct pty {
	int master, slave; /* the slave stays open here: the modes are read after the end */
	pid_t child;
	int status; /* as of waitpid, once `ended` */
	bool ended;
	int width, height;
	VTerm *vterm;
	VTermScreen *screen;
	bool in_alternate, cursor_hidden;
	struct termios before;
	struct at_buf output, text;
};

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int on_property(VTermProp property, VTermValue *value, void *user)
{
	struct pty *pty = user;

	if (property == VTERM_PROP_ALTSCREEN)
		pty->in_alternate = value->boolean;
	if (property == VTERM_PROP_CURSORVISIBLE)
		pty->cursor_hidden = !value->boolean;
	return 1;
}

static const VTermScreenCallbacks callbacks = { .settermprop = on_property };

static void child_start(const struct pty *pty, const char *const *argv, const char *const *env,
	const char *dir)
{
	char *args[16];
	size_t count = 0;

	close(pty->master);
	login_tty(pty->slave);
	setenv("TERM", "xterm-256color", 1);
	for (; env && *env; env++) {
		char *pair = at_strdup(*env), *equals = strchr(pair, '=');

		if (equals) {
			*equals = '\0';
			setenv(pair, equals + 1, 1);
		} else {
			unsetenv(pair);
		}
	}
	if (dir && chdir(dir) < 0)
		_exit(127);
	for (; argv[count] && count < AT_LEN(args) - 1; count++)
		args[count] = at_strdup(argv[count]);
	args[count] = NULL;
	execv(args[0], args);
	_exit(127);
}

struct pty *pty_start(const char *const *argv, const char *const *env, const char *dir, int width,
	int height)
{
	struct winsize size = { .ws_col = (unsigned short)width, .ws_row = (unsigned short)height };
	struct pty *pty = at_alloc(sizeof(*pty));

	pty->width = width;
	pty->height = height;
	if (openpty(&pty->master, &pty->slave, NULL, NULL, &size) < 0)
		fail_msg("no pseudo terminal: %s", strerror(errno));
	tcgetattr(pty->slave, &pty->before);
	fcntl(pty->master, F_SETFD, FD_CLOEXEC);
	fcntl(pty->master, F_SETFL, O_NONBLOCK);
	pty->vterm = vterm_new(height, width);
	vterm_set_utf8(pty->vterm, 1);
	pty->screen = vterm_obtain_screen(pty->vterm);
	vterm_screen_set_callbacks(pty->screen, &callbacks, pty);
	vterm_screen_enable_altscreen(pty->screen, 1);
	vterm_screen_reset(pty->screen, 1);
	pty->child = fork();
	if (pty->child < 0)
		fail_msg("fork: %s", strerror(errno));
	if (pty->child == 0)
		child_start(pty, argv, env, dir);
	return pty;
}

/* Reads what is there, waiting `ms` at most for the first byte. False when nothing came. */
static bool read_some(struct pty *pty, int ms)
{
	struct pollfd wait = { .fd = pty->master, .events = POLLIN };
	char bytes[FEED];
	bool any = false;
	ssize_t got;

	if (poll(&wait, 1, ms) <= 0)
		return false;
	while ((got = read(pty->master, bytes, sizeof(bytes))) > 0) {
		at_buf_put(&pty->output, bytes, (size_t)got);
		vterm_input_write(pty->vterm, bytes, (size_t)got);
		any = true;
	}
	return any;
}

const char *pty_screen(struct pty *pty)
{
	pty->text.len = 0;
	for (int y = 0; y < pty->height; y++) {
		size_t end = pty->text.len;

		for (int x = 0; x < pty->width; x++) {
			VTermPos at = { y, x };
			VTermScreenCell cell;
			char utf8[8];

			vterm_screen_get_cell(pty->screen, at, &cell);
			if (cell.chars[0] == 0xffffffff)
				continue;
			if (!cell.chars[0] || cell.chars[0] == ' ') {
				at_buf_putc(&pty->text, ' ');
				continue;
			}
			for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i]; i++) {
				uint32_t c = cell.chars[i];
				int len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
				static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

				for (int k = len - 1; k > 0; k--, c >>= 6)
					utf8[k] = (char)(0x80 | (c & 0x3f));
				utf8[0] = (char)(lead[len] | c);
				at_buf_put(&pty->text, utf8, (size_t)len);
			}
			end = pty->text.len;
		}
		pty->text.len = end;
		at_buf_putc(&pty->text, '\n');
	}
	return at_buf_text(&pty->text);
}

static bool wait_for(struct pty *pty, const char *text, bool there, int ms)
{
	long long end = now_ms() + ms;

	for (;;) {
		if ((strstr(pty_screen(pty), text) != NULL) == there)
			return true;
		if (now_ms() >= end)
			return false;
		read_some(pty, 20);
	}
}

bool pty_wait_text(struct pty *pty, const char *text, int ms)
{
	return wait_for(pty, text, true, ms);
}

bool pty_wait_gone(struct pty *pty, const char *text, int ms)
{
	return wait_for(pty, text, false, ms);
}

void pty_expect(struct pty *pty, const char *text)
{
	if (!pty_wait_text(pty, text, 10000))
		fail_msg("\"%s\" does not come; the screen is\n%s", text, pty_screen(pty));
}

void pty_send_bytes(struct pty *pty, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t sent = write(pty->master, p, len);

		if (sent > 0) {
			p += sent;
			len -= (size_t)sent;
		} else if (errno == EAGAIN) {
			read_some(pty, 10);
		} else {
			fail_msg("cannot type: %s", strerror(errno));
		}
	}
}

void pty_send(struct pty *pty, const char *keys)
{
	pty_send_bytes(pty, keys, strlen(keys));
}

void pty_settle(struct pty *pty, int ms)
{
	while (read_some(pty, ms))
		;
}

void pty_resize(struct pty *pty, int width, int height)
{
	struct winsize size = { .ws_col = (unsigned short)width, .ws_row = (unsigned short)height };

	read_some(pty, 0);
	pty->width = width;
	pty->height = height;
	vterm_set_size(pty->vterm, height, width);
	ioctl(pty->master, TIOCSWINSZ, &size);
}

void pty_signal(struct pty *pty, int number)
{
	kill(pty->child, number);
}

int pty_exit(struct pty *pty, int ms)
{
	long long end = now_ms() + ms;

	while (!pty->ended) {
		read_some(pty, 10);
		pty->ended = waitpid(pty->child, &pty->status, WNOHANG) == pty->child;
		if (!pty->ended && now_ms() >= end)
			return -1;
	}
	read_some(pty, 0);
	return WIFSIGNALED(pty->status) ? 128 + WTERMSIG(pty->status) : WEXITSTATUS(pty->status);
}

void pty_end(struct pty *pty)
{
	if (!pty->ended) {
		kill(pty->child, SIGKILL);
		waitpid(pty->child, &pty->status, 0);
	}
	close(pty->master);
	close(pty->slave);
	vterm_free(pty->vterm);
	at_buf_free(&pty->output);
	at_buf_free(&pty->text);
	free(pty);
}

struct at_bytes pty_output(const struct pty *pty)
{
	return at_buf_bytes(&pty->output);
}

/* The last of two sequences that was sent decides a mode. */
static bool last_is_on(const struct pty *pty, const char *on, const char *off)
{
	const char *text = at_buf_text(&pty->output), *last_on = NULL, *last_off = NULL, *p;

	for (p = text; (p = strstr(p, on)); p++)
		last_on = p;
	for (p = text; (p = strstr(p, off)); p++)
		last_off = p;
	return last_on && (!last_off || last_off < last_on);
}

const char *pty_not_restored(struct pty *pty)
{
	struct termios after;

	if (pty->in_alternate)
		return "the alternate screen is still on";
	if (pty->cursor_hidden)
		return "the cursor is hidden";
	if (last_is_on(pty, "\033[?2004h", "\033[?2004l"))
		return "bracketed paste is still on";
	if (last_is_on(pty, "\033[?1004h", "\033[?1004l"))
		return "focus reports are still on";
	if (last_is_on(pty, "\033[?1000h", "\033[?1000l") ||
		last_is_on(pty, "\033[?1006h", "\033[?1006l"))
		return "mouse reports are still on";
	if (tcgetattr(pty->slave, &after) < 0)
		return "the modes cannot be read";
	if (after.c_iflag != pty->before.c_iflag || after.c_oflag != pty->before.c_oflag ||
		after.c_cflag != pty->before.c_cflag || after.c_lflag != pty->before.c_lflag)
		return "the modes of the terminal are not what they were";
	return NULL;
}

int pty_pending(const struct pty *pty)
{
	int count = -1;

	ioctl(pty->slave, FIONREAD, &count);
	return count;
}

/* Our sequences: the final byte, and the private modes we set. */
static bool is_our_csi(const char *body, size_t len)
{
	static const char *const exact[] = { "?1049h", "?1049l", "?25h", "?25l", "?12l", "?12;25h",
		"?2004h", "?2004l", "?1004h", "?1004l", "?1000h", "?1000l", "?1006h", "?1006l", "22;0;0t", "23;0;0t", "H", "2J", "J", "m",
		"?1h", "?1l" };
	char last = body[len - 1];

	for (size_t i = 0; i < AT_LEN(exact); i++) {
		if (strlen(exact[i]) == len && memcmp(exact[i], body, len) == 0)
			return true;
	}
	if (last != 'm' && last != 'H' && last != 'G' && last != 'd')
		return false;
	for (size_t i = 0; i + 1 < len; i++) {
		if (!(body[i] >= '0' && body[i] <= '9') && body[i] != ';')
			return false;
	}
	/* Concealed text (8) is nothing this program says. */
	return !(last == 'm' && len == 2 && body[0] == '8');
}

static size_t our_escape(struct at_bytes out, size_t at)
{
	size_t end = at + 2;

	if (at + 2 < out.len && out.data[at + 1] == '(' && out.data[at + 2] == 'B')
		return 3;
	if (at + 1 < out.len && (out.data[at + 1] == '=' || out.data[at + 1] == '>'))
		return 2;
	if (at + 2 >= out.len || out.data[at + 1] != '[')
		return 0;
	while (end < out.len && out.data[end] >= 0x20 && out.data[end] < 0x40)
		end++;
	if (end >= out.len || !is_our_csi(out.data + at + 2, end - at - 1))
		return 0;
	return end + 1 - at;
}

const char *pty_foreign_bytes(struct at_bytes out)
{
	static char what[160];
	struct at_buf safe = { 0 };
	struct at_spans spans = { 0 };
	size_t at = 0, used;
	int32_t code;

	while ((used = at_utf8_next(out, at, &code)) > 0) {
		bool ours = code >= 0x20 && code < 0x7f;

		if (code == '\r' || code == '\n') {
			ours = true;
		} else if (code == 0x1b) {
			size_t len = our_escape(out, at);

			ours = len > 0;
			used = len ? len : 1;
		} else if (code > 0x9f) {
			/* Alone an accent is a mark; what safetext lets stand after a letter is ours. */
			char pair[8] = "a";

			memcpy(pair + 1, out.data + at, used);
			at_spans_clear(&spans);
			at_spans_add(&spans, (struct at_bytes){ pair, used + 1 }, 0, 0, true);
			ours = spans.marks == 0;
		}
		if (!ours)
			break;
		at += used;
	}
	at_spans_free(&spans);
	if (at >= out.len)
		return NULL;
	at_safe_text(&safe, (struct at_bytes){ out.data + at, out.len - at < 12 ? out.len - at : 12 },
		false);
	snprintf(what, sizeof(what), "byte %zu: %s", at, at_buf_text(&safe));
	at_buf_free(&safe);
	return what;
}

long pty_wakeups(const struct pty *pty)
{
	char path[64], line[128];
	long count = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pty->child);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &count) == 1)
			break;
	}
	if (file)
		fclose(file);
	return count;
}
