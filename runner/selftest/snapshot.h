/* snapshot.h - what the host looked like before, and what is different after.
 *
 * Of every file below the fixture: kind, mode, owner, size and the time of its last change,
 * which nobody can set back. So an act that was taken back is seen too. Contents are not read.
 * (LAU-8; notes 7.1: the host decides for writes)
 */
#ifndef AT_SNAPSHOT_H
#define AT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

struct at_sight {
	char *path; /* below the directory looked at */
	unsigned long long change; /* when, in nanoseconds */
	unsigned long long size, inode;
	unsigned mode, owner;
};

struct at_snapshot {
	struct at_sight *items; /* by path */
	size_t count, cap;
};

void at_snapshot_take(struct at_snapshot *out, const char *dir);
void at_snapshot_free(struct at_snapshot *snapshot);

/* Calls `told` for every path that is new, gone or another than before. */
void at_snapshot_compare(const struct at_snapshot *before, const struct at_snapshot *after,
	void (*told)(void *user, const char *path, const char *how), void *user);

#endif
