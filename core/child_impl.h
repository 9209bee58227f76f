/* child_impl.h - between core/child.c and core/child_keeper.c. */
#ifndef AT_CHILD_IMPL_H
#define AT_CHILD_IMPL_H

#include <stdbool.h>

struct at_keeper_report {
	bool has_ended; /* the child did, by itself, with this status of waitpid() */
	int status;
	unsigned survivors; /* were left then, and were killed */
	bool is_left; /* some could not be killed */
};

/* Becomes the keeper: starts `become`, waits until it has ended or SIGTERM comes, ends all that
 * is left below, writes its report and ends. Keeps no other descriptor open. Only in the child
 * of a fork. */
void at_keeper_run(int report_fd, void (*become)(void *user), void *user)
	__attribute__((noreturn));

#endif
