/* job.h - work beside the screen, so that no key waits for it.
 *
 * A process of its own does it and sends bytes through a pipe, whose end wakes the loop. It
 * ends by itself, whether somebody still listens or not. It knows nothing of what it does.
 */
#ifndef AT_JOB_H
#define AT_JOB_H

#include "core/bytes.h"
#include "core/error.h"

struct at_job {
	int fd; /* readable when there is something; -1: no job */
	struct at_buf came;
};

/* In the child: the terminal is the parent's, nothing may touch it. */
typedef void at_job_work(int fd, const void *user);

/* `what` completes "cannot" in an error. False, with nothing started, when no process could be
 * had. */
bool at_job_start(struct at_job *job, at_job_work *work, const void *user, const char *what,
	struct at_error *err);

/* Takes what came. True once it has ended: all of it is in `came` until at_job_forget(). */
bool at_job_read(struct at_job *job, size_t cap);

void at_job_forget(struct at_job *job); /* nobody listens any more, or has listened */

/* For the child: all of it, or as much as somebody still wants. */
void at_job_send(int fd, struct at_bytes bytes);

#endif
