/* fault.h - lets a test stop the writer at a chosen step.
 *
 * Internal to core/ and the ledgers of keys/. Every change of the disk (core/disk.c) asks here first. Without
 * AT_FAULT_HOOKS all of it compiles to nothing; packages are built that way.
 *
 * AT_FAULT is a list of words joined by commas, steps counted from 1:
 *   kill:N   dies by SIGKILL before step N
 *   pause:N  stops itself (SIGSTOP) before step N, so that a test can change a file
 *   enospc:N, erofs:N  step N fails with that error
 *   no-openat2, no-exchange, no-noreplace  as on a kernel or file system without it
 *   no-sync  skips fsync: death by a signal loses nothing that was written
 */
#ifndef AT_FAULT_H
#define AT_FAULT_H

#include <stdbool.h>
#include <stddef.h>

enum at_lack {
	AT_LACKS_OPENAT2 = 1,
	AT_LACKS_EXCHANGE = 2,
	AT_LACKS_NOREPLACE = 4,
	AT_LACKS_SYNC = 8,
};

#ifdef AT_FAULT_HOOKS

/* A step is about to happen. Returns 0, or the errno it has to fail with. */
int at_fault_step(void);
bool at_fault_lacks(enum at_lack what);

/* How much of `len` bytes the next write takes when `done` are written: the first takes
 * half, so that files torn in the middle are tested. */
size_t at_fault_piece(size_t done, size_t len);

/* Replaces what the environment said and counts from 1 again; NULL is no fault. */
void at_fault_set(const char *spec);
unsigned at_fault_steps(void); /* counted so far */
#define AT_FAULTS_BUILT true

#else

#define AT_FAULTS_BUILT false

static inline void at_fault_set(const char *spec)
{
	(void)spec;
}

static inline int at_fault_step(void)
{
	return 0;
}

static inline bool at_fault_lacks(enum at_lack what)
{
	(void)what;
	return false;
}

static inline size_t at_fault_piece(size_t done, size_t len)
{
	return len - done;
}

#endif
#endif
