/* hook_job.h - hooks run beside the screen, so that no key waits for them.
 *
 * A job that runs them and sends the verdicts; it ends within the hooks' time limits.
 * (WIRE-10)
 */
#ifndef AT_HOOK_JOB_H
#define AT_HOOK_JOB_H

#include "emit/hooks.h"
#include "views/job.h"

/* Starts one; `job` is not running. False, with nothing started, when no process could be had. */
bool at_hook_job_start(struct at_job *job, const struct at_hook_list *list,
	const struct at_project *project, bool foreign, struct at_error *err);

/* Takes what came. True once it has ended: the verdicts are in `book`, the job is over. */
bool at_hook_job_read(struct at_job *job, struct at_hook_book *book);

#endif
