#include "tui/backend.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <curses.h>
#include <term.h>

#include "core/mem.h"

/* terminfo tells what a terminal understands; the bytes are put together here and sent with one
 * write a frame. Keys are decoded by tui/input.c, so curses never reads and never owns the
 * screen: its own picture of it would not know that a wide character may have gone astray. */
struct terminal {
	struct at_backend backend; /* first: the two share an address */
	int fd;
	struct at_grid shown;
	bool is_shown;
	struct at_buf out;
	struct at_buf enter, leave;
	const char *move, *reset, *bold, *underline, *reverse, *fg, *bg, *hide, *show, *clear;
};

/* Bracketed paste, and reports of coming and going of the focus. */
#define MODES_ON "\033[?2004h\033[?1004h"
#define MODES_OFF "\033[?1004l\033[?2004l"
/* Buttons and wheel, with coordinates of any size. */
#define MOUSE_ON "\033[?1000h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1000l"

static struct at_buf *tputs_out; /* tputs() gives its function no argument */

/* Without the padding that old hardware waited through. */
static int collect(int c)
{
	if (c)
		at_buf_putc(tputs_out, (char)c);
	return c;
}

static void put_cap(struct at_buf *out, const char *cap)
{
	if (!cap)
		return;
	tputs_out = out;
	tputs(cap, 1, collect);
}

static const char *cap(const char *name)
{
	/* tigetstr() takes its name as char * and only reads it. */
	union {
		const char *in;
		char *out;
	} either = { name };
	const char *value = tigetstr(either.out);

	return value && value != (char *)-1 && *value ? value : NULL;
}

static void put_parm(struct at_buf *out, const char *format, int a, int b)
{
	if (format)
		put_cap(out, tiparm(format, a, b));
}

static void put_look(struct terminal *term, enum at_style style)
{
	struct at_look look = at_theme_look(&term->backend.theme, style);

	put_cap(&term->out, term->reset);
	if (look.attributes & AT_ATTR_BOLD)
		put_cap(&term->out, term->bold);
	if (look.attributes & AT_ATTR_UNDERLINE)
		put_cap(&term->out, term->underline);
	if (look.attributes & AT_ATTR_REVERSE)
		put_cap(&term->out, term->reverse);
	if (look.fg >= 0)
		put_parm(&term->out, term->fg, look.fg, 0);
	if (look.bg >= 0)
		put_parm(&term->out, term->bg, look.bg, 0);
}

/* Where the cursor is, as far as that is known, and the style in force. */
struct pen {
	int x, y, style;
};

static void put_cell(struct terminal *term, const struct at_grid *grid, int x, int y,
	struct pen *pen)
{
	const struct at_cell *cell = at_grid_cell(grid, x, y);
	char text[24];
	size_t len;

	if (!cell->width)
		return;
	if (pen->x != x || pen->y != y)
		put_parm(&term->out, term->move, y, x);
	if (pen->style != cell->style)
		put_look(term, cell->style);
	len = at_grid_cell_text(grid, cell, text);
	at_buf_put(&term->out, text, len);
	pen->style = cell->style;
	pen->y = y;
	/* Programs and terminals disagree about widths: after anything but ASCII, and at the edge
	 * of the screen, the place is unknown and the next cell addresses it again. */
	pen->x = len == 1 && x + 1 < grid->width ? x + 1 : -1;
}

/* The last cell of the last row would scroll some terminals; it is left as it is there. */
static bool may_write(const struct at_grid *grid, int x, int y)
{
	return x != grid->width - 1 || y != grid->height - 1 || auto_right_margin == 0 ||
		eat_newline_glitch;
}

static void put_row(struct terminal *term, const struct at_grid *grid, int y, bool whole,
	struct pen *pen)
{
	int last_sent = -2;

	for (int x = 0; x < grid->width; x++) {
		bool changed = whole || !at_grid_same_cell(grid, &term->shown, x, y);

		if (!changed || !may_write(grid, x, y))
			continue;
		/* A gap of a few cells is cheaper sent than jumped over. */
		for (int gap = last_sent + 1; last_sent >= 0 && x - last_sent < 5 && gap < x; gap++)
			put_cell(term, grid, gap, y, pen);
		/* A right half changes with its left one. */
		if (x > 0 && at_grid_cell(grid, x, y)->width == 0 && last_sent != x - 1)
			put_cell(term, grid, x - 1, y, pen);
		put_cell(term, grid, x, y, pen);
		last_sent = x;
	}
}

static bool write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t sent = write(fd, data, len);

		if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
			struct pollfd wait = { .fd = fd, .events = POLLOUT };

			poll(&wait, 1, 1000);
			continue;
		}
		if (sent <= 0)
			return false;
		data += sent;
		len -= (size_t)sent;
	}
	return true;
}

static bool show(struct at_backend *backend, const struct at_grid *grid, bool whole)
{
	struct terminal *term = (struct terminal *)backend;
	struct pen pen = { -1, -1, -1 };
	size_t before;

	whole = whole || !term->is_shown || grid->width != term->shown.width ||
		grid->height != term->shown.height;
	term->out.len = 0;
	if (grid->cursor_x != term->shown.cursor_x || grid->cursor_y != term->shown.cursor_y
		|| whole)
		put_cap(&term->out, term->hide);
	if (whole) {
		put_cap(&term->out, term->reset);
		put_cap(&term->out, term->clear);
	}
	before = term->out.len;
	for (int y = 0; y < grid->height; y++)
		put_row(term, grid, y, whole, &pen);
	if (term->out.len > before)
		put_cap(&term->out, term->reset);
	if (grid->cursor_x >= 0 && grid->cursor_x < grid->width && grid->cursor_y < grid->height) {
		put_parm(&term->out, term->move, grid->cursor_y, grid->cursor_x);
		put_cap(&term->out, term->show);
	}
	at_grid_copy(&term->shown, grid);
	term->is_shown = true;
	return write_all(term->fd, at_buf_text(&term->out), term->out.len);
}

static void close_terminal(struct at_backend *backend)
{
	struct terminal *term = (struct terminal *)backend;

	at_grid_free(&term->shown);
	at_buf_free(&term->out);
	at_buf_free(&term->enter);
	at_buf_free(&term->leave);
	free(term);
	del_curterm(cur_term);
}

static void read_caps(struct terminal *term)
{
	const struct {
		const char **to;
		const char *name;
	} rows[] = {
		{ &term->move, "cup" },   { &term->reset, "sgr0" },      { &term->bold, "bold" },
		{ &term->underline, "smul" }, { &term->reverse, "rev" }, { &term->fg, "setaf" },
		{ &term->bg, "setab" },   { &term->hide, "civis" },      { &term->show, "cnorm" },
		{ &term->clear, "clear" },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++)
		*rows[i].to = cap(rows[i].name);
}

/* These are written from signal handlers too, so they are ready-made. */
static void make_modes(struct terminal *term)
{
	bool has_modes = cap("kf1") != NULL; /* a terminal of its own kind may not know them */
	const char *term_name = termname();

	if (strncmp(term_name, "linux", 5) == 0 || strncmp(term_name, "vt", 2) == 0)
		has_modes = false;
	put_cap(&term->enter, cap("smcup"));
	put_cap(&term->enter, term->hide);
	if (has_modes)
		at_buf_puts(&term->enter, MODES_ON);
	if (has_modes)
		at_buf_puts(&term->leave, MODES_OFF);
	put_cap(&term->leave, term->reset);
	put_cap(&term->leave, term->show);
	if (cap("rmcup")) {
		put_cap(&term->leave, cap("rmcup"));
	} else {
		put_cap(&term->leave, term->clear);
	}
	term->backend.enter = at_buf_text(&term->enter);
	term->backend.leave = at_buf_text(&term->leave);
	term->backend.mouse_on = has_modes ? MOUSE_ON : "";
	term->backend.mouse_off = has_modes ? MOUSE_OFF : "";
}

struct at_backend *at_backend_terminal(int fd, const char *name, enum at_theme_id theme,
	const char *no_color, struct at_error *err)
{
	struct terminal *term;
	int status;

	if (setupterm(name, fd, &status) != OK) {
		at_fail(err, AT_EINVALID, "the terminal type is not known here");
		at_error_hint(err, "Set TERM to what the terminal is, or use --plain.");
		return NULL;
	}
	if (!cap("cup") || !cap("clear")) {
		at_fail(err, AT_EINVALID, "the terminal cannot address its cursor");
		at_error_hint(err, "Use --plain.");
		del_curterm(cur_term);
		return NULL;
	}
	term = at_alloc(sizeof(*term));
	term->fd = fd;
	term->shown.cursor_x = term->shown.cursor_y = -1;
	term->backend = (struct at_backend){ .show = show, .close = close_terminal };
	term->backend.theme = at_theme_pick(theme, max_colors, no_color);
	read_caps(term);
	make_modes(term);
	return &term->backend;
}
