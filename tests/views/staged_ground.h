/* staged_ground.h - records that wait for review, as a runner would have left them; the key that
 * signed them is nobody's. */
#ifndef AT_TEST_STAGED_GROUND_H
#define AT_TEST_STAGED_GROUND_H

#include <stdbool.h>
#include <stddef.h>

/* One of them. `base` NULL: the path is not there; otherwise what the agent read. */
struct staged_row {
	const char *path, *base, *content, *rationale;
	bool is_over;
};

/* Writes them below `root`, the oldest first; the sid of row n is n in 32 digits. */
void staged_put(const char *root, const struct staged_row *rows, size_t count);
/* A calm edit, a script, npm's scripts, a stale one and one whose time is over; the files too. */
void staged_sample(const char *root);

#endif
