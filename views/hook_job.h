/* hook_job.h - hooks run beside the screen, so that no key waits for them.
 *
 * A process of its own runs them and sends the verdicts through a pipe, whose end wakes the
 * loop. It ends by itself within the hooks' time limits, whether somebody still listens or
 * not. (WIRE-10)
 */
#ifndef AT_HOOK_JOB_H
#define AT_HOOK_JOB_H

#include "emit/hooks.h"

struct at_hook_job {
	int fd; /* readable when there is something; -1: no job */
	struct at_buf came;
};

/* Starts one; `job` is not running. False, with nothing started, when no process could be had. */
bool at_hook_job_start(struct at_hook_job *job, const struct at_hook_list *list,
	const struct at_project *project, bool foreign, struct at_error *err);

/* Takes what came. True once it has ended: the verdicts are in `book`, the job is over. */
bool at_hook_job_read(struct at_hook_job *job, struct at_hook_book *book);

void at_hook_job_forget(struct at_hook_job *job); /* nobody listens any more */

#endif
