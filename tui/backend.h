/* backend.h - where a grid can go.
 *
 * One function shows a grid; the rest is about keeping the place of it in order. The terminal
 * one sends only what changed, the memory one keeps the last grid for tests. Pictures and
 * golden text are made from a grid alone, without any backend.
 */
#ifndef AT_BACKEND_H
#define AT_BACKEND_H

#include "core/error.h"
#include "tui/grid.h"

struct at_backend {
	/* Shows the grid; everything of it when `whole`. False when the terminal is gone. */
	bool (*show)(struct at_backend *backend, const struct at_grid *grid, bool whole);
	void (*close)(struct at_backend *backend); /* frees the backend */
	struct at_theme theme;
	/* What to write to enter and to leave the screen; "" for none. Valid until close. */
	const char *enter, *leave;
	/* The same for mouse reports; "" where the terminal is not known to have them. */
	const char *mouse_on, *mouse_off;
};

/* backend_curses.c: the terminal at `fd`, by its terminfo entry. `term` NULL: the environment's.
 * Writes nothing before the first show. Fails when the terminal cannot address its cursor. */
struct at_backend *at_backend_terminal(int fd, const char *term, enum at_theme_id theme,
	const char *no_color, struct at_error *err);

/* backend_memory.c: keeps a copy of what was shown. */
struct at_backend *at_backend_memory(int colours, enum at_theme_id theme);
const struct at_grid *at_backend_memory_grid(const struct at_backend *backend);

/* golden.c: rows of text, each followed by its styles where it has any. Cells are letters of
 * tui/styles.def; rows that are all normal have no style row. */
void at_golden_print(const struct at_grid *grid, const struct at_theme *theme, struct at_buf *out);

/* backend_dump.c: pictures. Equal grids give equal bytes. */
void at_dump_text(const struct at_grid *grid, struct at_buf *out);
void at_dump_ansi(const struct at_grid *grid, const struct at_theme *theme, struct at_buf *out);
void at_dump_svg(const struct at_grid *grid, const struct at_theme *theme, const char *title,
	struct at_buf *out);

#endif
