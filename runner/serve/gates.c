/* Whether this build runs anything: the one place that knows. */
#include "runner/serve/runner_impl.h"

bool at_runner_gates(struct at_runner *runner, struct at_job *job, struct at_bytes content,
	struct at_error *err)
{
	(void)runner;
	(void)content;
	at_buf_free(&job->gates);
	at_buf_puts(&job->gates, "[]");
	if (!job->check.gate_count)
		return true;
	at_fail(err, AT_EREFUSED, "gate %s could not run: this runner starts no commands",
		job->check.gates[0]->name);
	at_error_name(err, "gate-could-not-run");
	return false;
}

void at_runner_run(struct at_runner *runner, struct at_job *job)
{
	struct at_error err;

	(void)runner;
	at_fail(&err, AT_EREFUSED, "this runner starts no commands; refused");
	at_error_name(&err, "run-unsupported");
	at_job_refuse(job, &err);
}

void at_runner_gates_close(struct at_runner *runner)
{
	(void)runner;
}
