/* pty.h - a real program in a real terminal, looked at from outside.
 *
 * The program runs in a pseudo terminal of a given size; libvterm is the terminal, the test the
 * operator. Tests wait for text with a deadline, never for time. Every byte the program wrote is
 * kept, to hold it against the sequences that are ours.
 */
#ifndef AT_TEST_PTY_H
#define AT_TEST_PTY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/bytes.h"

struct pty;

/* Starts `argv` (a path first) with the environment plus `env` ("NAME=VALUE", may be NULL;
 * "NAME" alone removes). TERM is xterm-256color unless `env` says otherwise. `dir`: where it
 * runs, NULL here. Fails the test when it cannot be started. */
struct pty *pty_start(const char *const *argv, const char *const *env, const char *dir, int width,
	int height);

/* Kills what still runs, frees. */
void pty_end(struct pty *pty);

/* True once `text` is on the screen; false when `ms` passed. */
bool pty_wait_text(struct pty *pty, const char *text, int ms);
bool pty_wait_gone(struct pty *pty, const char *text, int ms);

/* Fails the test, printing the screen, when the text does not come within 10 s. */
void pty_expect(struct pty *pty, const char *text);

void pty_send(struct pty *pty, const char *keys);        /* bytes as they are */
void pty_send_bytes(struct pty *pty, const void *data, size_t len);
void pty_resize(struct pty *pty, int width, int height); /* tells the program */
void pty_signal(struct pty *pty, int number);            /* to the program alone */
void pty_settle(struct pty *pty, int ms); /* reads until nothing came for `ms` */

/* The screen as text, no spaces at line ends; good until the next call. */
const char *pty_screen(struct pty *pty);

/* Waits for the end: its exit status, 128 + n for a signal, -1 when `ms` passed. */
int pty_exit(struct pty *pty, int ms);

/* After the end: NULL when the terminal is as it was found (alternate screen left, cursor shown,
 * style plain, paste and focus reports off, modes as before), else what is not. */
const char *pty_not_restored(struct pty *pty);

/* Bytes of whole lines that were typed and that nobody read yet. */
int pty_pending(const struct pty *pty);

/* Everything the program wrote. */
struct at_bytes pty_output(const struct pty *pty);

/* NULL when the bytes hold nothing but printable text, line ends and the sequences of this
 * program; else a description of the first that is not. */
const char *pty_foreign_bytes(struct at_bytes output);

/* Voluntary context switches of the program: what wakes up shows here. -1 if unknown. */
long pty_wakeups(const struct pty *pty);

#endif
