#include "views/host_job.h"

#include <string.h>

#include "core/mem.h"

/* It ends with the process: nothing is freed. */
static void look(int fd, const void *user)
{
	struct at_host_seen *seen = at_alloc(sizeof(*seen));

	at_host_look(seen, user);
	at_job_send(fd, (struct at_bytes){ (const char *)seen, sizeof(*seen) });
}

bool at_host_job_start(struct at_job *job, const struct at_host_place *place, struct at_error *err)
{
	return at_job_start(job, look, place, "look at this host", err);
}

bool at_host_job_read(struct at_job *job, struct at_host_seen *seen, bool *known)
{
	if (!at_job_read(job, sizeof(*seen)))
		return false;
	*known = job->came.len == sizeof(*seen);
	if (*known)
		memcpy(seen, job->came.data, sizeof(*seen));
	at_job_forget(job);
	return true;
}
