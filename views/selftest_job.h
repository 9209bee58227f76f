/* selftest_job.h - the launcher's self-test beside the screen, so that no key waits for it.
 *
 * A job that tries everything and sends how far it is, then the proof. It ends soon after
 * nobody listens any more, and leaves nothing behind. (LAU-8, UI-6)
 */
#ifndef AT_SELFTEST_JOB_H
#define AT_SELFTEST_JOB_H

#include "core/proof.h"
#include "views/job.h"
#include "views/session.h"

/* Of the project's launcher, in every mode that can be had here. */
bool at_selftest_job_start(
	struct at_job *job, const struct at_session *session, struct at_error *err);

enum at_selftest_news {
	AT_SELFTEST_NOTHING, /* new */
	AT_SELFTEST_FURTHER, /* session->selftest says how far */
	AT_SELFTEST_PROVEN, /* it has ended: `proof` is filled and the caller's to free */
	AT_SELFTEST_FAILED, /* it has ended: `err` says why */
};

/* Takes what came; after the last two the job is over. */
enum at_selftest_news at_selftest_job_read(struct at_job *job,
	struct at_selftest_progress *progress, struct at_proof *proof, struct at_error *err);

#endif
