/* tty.h - the terminal as a device: its modes, its signals, and giving it back.
 *
 * There is one terminal, so there is one state here, the only global of this folder: signal
 * handlers need it. However the program ends (return, exit, SIGTERM, a crash), the terminal is
 * as it was found.
 */
#ifndef AT_TTY_H
#define AT_TTY_H

#include <stdbool.h>

#include "core/error.h"

/* Takes the terminal at `in` and `out`: raw mode, the `enter` bytes, handlers. `leave` must stay
 * valid until at_tty_close(). Both are copied, up to 256 bytes. */
bool at_tty_open(int in, int out, const char *enter, const char *leave, struct at_error *err);

/* Modes beside those of `enter`: `on` is written now and after every suspend, `off` before the
 * terminal is given back. `on` "" writes `off` now and forgets both. */
void at_tty_extra(const char *on, const char *off);

/* Gives it back; keys that were typed and not read are dropped, so that none reaches what runs
 * next. Safe to call twice; also runs at exit. */
void at_tty_close(void);

/* Gives it back, stops the process group as ^Z does, and takes it again after SIGCONT. */
void at_tty_suspend(void);

/* A descriptor that is readable when a signal came. */
int at_tty_signal_fd(void);

struct at_tty_signals {
	bool resized, resumed, stop;
	int quit; /* SIGTERM, SIGHUP or SIGINT, or 0 */
};

/* What came since the last call. */
void at_tty_signals(struct at_tty_signals *out);

/* The size in cells; 80x24 where the terminal does not tell. */
void at_tty_size(int *width, int *height);

#endif
