/* wake.h - wait until something happens in a few directories, or a while has passed.
 *
 * By inotify where the kernel has it, else by looking at the directories' times now and then. It
 * may wake for nothing; it never sleeps through something that came after the last call. It knows no
 * queue. (issue: serve loop)
 */
#ifndef AT_SERVE_WAKE_H
#define AT_SERVE_WAKE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"

struct at_wake;

#define AT_WAKE_POLL_MS 50 /* between two looks, without inotify */

/* Watches `dirs` (descriptors, borrowed for its life). `polls` forces the fallback. */
bool at_wake_open(struct at_wake **out, const int *dirs, size_t count, bool polls,
	struct at_error *err);
void at_wake_close(struct at_wake *wake);
bool at_wake_polls(const struct at_wake *wake);
/* A descriptor that becomes readable, or -1 where it polls. Borrowed. */
int at_wake_fd(const struct at_wake *wake);

/* Waits at most `ms` (0: looks only), or until one of `others` (may be NULL) is readable. Signals
 * end the wait. */
void at_wake_wait(struct at_wake *wake, const int *others, size_t other_count, int ms);

#endif
