/* Gates, and what starts of commands share: the launcher, made ready at the first. (RUN-5) */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runner/serve/runner_impl.h"
#include "runner/runs/gate_run.h"

static bool go_on(void *user)
{
	struct at_runner *runner = user;

	at_runner_beat(runner);
	return !runner->setup.stop || !*runner->setup.stop;
}

bool at_runner_goes_on(void *runner)
{
	return go_on(runner);
}

bool at_runner_confine(struct at_runner *runner, struct at_error *err)
{
	struct at_confine_setup setup = { .project = runner->setup.project,
		.environment = runner->setup.environment,
		.allow_root = geteuid() == 0,
		.allow_unconfined = runner->policy.allow_unconfined_runs };

	if (runner->confine)
		return true;
	if ((size_t)snprintf(runner->private_dir, sizeof(runner->private_dir), "%s/runs",
		    runner->setup.state->path) >= sizeof(runner->private_dir)
		|| (size_t)snprintf(runner->key_dir, sizeof(runner->key_dir),
			   "%s/.config/agentteams", runner->setup.home) >= sizeof(runner->key_dir))
		return at_fail(err, AT_ELIMIT, "the state directory's path is too long");
	setup.private_dir = runner->private_dir;
	runner->confine = at_alloc(sizeof(*runner->confine));
	if (at_confine_open(runner->confine, &setup, err))
		return true;
	free(runner->confine);
	runner->confine = NULL;
	return false;
}

void at_runner_gates_close(struct at_runner *runner)
{
	if (!runner->confine)
		return;
	at_confine_close(runner->confine);
	free(runner->confine);
	runner->confine = NULL;
}

const char *const *at_strings_ended(struct at_strings list, struct at_arena *arena)
{
	const char **out = at_arena_alloc(arena, (list.count + 1) * sizeof(*out));

	for (size_t i = 0; i < list.count; i++)
		out[i] = list.items[i];
	return out;
}

/* The write roots of every agent, which no gate's program may lie in. */
static const char *const *all_roots(const struct at_runner *runner, struct at_arena *arena)
{
	const char **out;
	size_t count = 0;

	for (size_t i = 0; i < runner->policy.confined_count; i++)
		count += runner->policy.confined[i].write.count;
	out = at_arena_alloc(arena, (count + 1) * sizeof(*out));
	count = 0;
	for (size_t i = 0; i < runner->policy.confined_count; i++)
		for (size_t k = 0; k < runner->policy.confined[i].write.count; k++)
			out[count++] = runner->policy.confined[i].write.items[k];
	return out;
}

bool at_runner_gate(struct at_runner *runner, struct at_job *job,
	const struct at_policy_gate *gate, const char *path, struct at_bytes content,
	struct at_error *err)
{
	const char *const hide[] = { runner->key_dir, NULL };
	const struct at_gate_call call = {
		.name = gate->name,
		.argv = at_strings_ended(gate->argv, job->arena),
		.exec = gate->exec.count ? at_strings_ended(gate->exec, job->arena) : NULL,
		.path = path,
		.content = content,
		.never = all_roots(runner, job->arena),
		.hide = hide,
		.go_on = go_on,
		.user = runner,
	};
	struct at_canonical_object line = { 0 };
	int64_t begun = at_steady_ms();

	if (!at_runner_confine(runner, err) || !at_confine_probe(runner->confine, err)) {
		struct at_error why = *err;

		at_fail(err, AT_EREFUSED, "gate %s could not run: %.600s", gate->name,
			why.message);
		at_error_name(err, "gate-could-not-run");
		return false;
	}
	if (!at_gate_run(runner->confine, &call, err)) {
		if (!*err->id)
			at_error_name(err, "gate-refused");
		return false;
	}
	at_canonical_set_text(&line, "gate", at_bytes_of(gate->name));
	at_canonical_set_number(&line, "exit", 0);
	at_canonical_set_number(&line, "duration_ms", at_steady_ms() - begun);
	at_canonical_set_text(
		&line, "confined", at_bytes_of(at_confined_name(runner->confine->how)));
	if (job->gates.len > 1)
		at_buf_puts(&job->gates, ", ");
	at_canonical_object_put(&job->gates, &line, AT_CANONICAL_SPACED);
	at_canonical_object_free(&line);
	return true;
}

bool at_runner_gates(struct at_runner *runner, struct at_job *job, struct at_bytes content,
	struct at_error *err)
{
	bool ok = true;

	at_buf_free(&job->gates);
	at_buf_putc(&job->gates, '[');
	for (size_t i = 0; ok && i < job->check.gate_count; i++)
		ok = at_runner_gate(
			runner, job, job->check.gates[i], job->check.path, content, err);
	at_buf_putc(&job->gates, ']');
	return ok;
}
