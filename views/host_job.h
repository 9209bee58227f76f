/* host_job.h - the host check beside the screen, so that no key waits for it.
 *
 * A job that looks and sends what it saw; it ends within the tries' time limits. (WIRE-7)
 */
#ifndef AT_HOST_JOB_H
#define AT_HOST_JOB_H

#include "core/host_seen.h"
#include "views/job.h"

bool at_host_job_start(struct at_job *job, const struct at_host_place *place,
	struct at_error *err);

/* Takes what came. True once it has ended, and the job is over; `*known` when all of it came. */
bool at_host_job_read(struct at_job *job, struct at_host_seen *seen, bool *known);

#endif
