#include "runner/runs/run.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/child.h"
#include "runner/runs/confine_impl.h"
#include "runner/runs/program.h"

#define REASON 400 /* bytes of the launcher's words in an error */

struct ask {
	const struct at_run_call *call;
};

static bool still(void *user, const struct at_child_end *so_far)
{
	const struct ask *ask = user;

	(void)so_far;
	return !ask->call->go_on || ask->call->go_on(ask->call->user);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static const char *cwd_of(const struct at_run_call *call)
{
	return call->cwd ? call->cwd : ".";
}

static bool find(char program[PATH_MAX], struct at_confine *confine, const struct at_run_call *call,
	struct at_error *err)
{
	if (!call->argv || !call->argv[0])
		return at_fail(err, AT_EINVALID, "the command is empty");
	if (call->timeout < 1 || call->timeout > AT_RUN_TIMEOUT_MAX)
		return at_fail(
			err, AT_EINVALID, "timeout must be 1 to %d seconds", AT_RUN_TIMEOUT_MAX);
	return at_program_find(
		program, call->argv[0], confine->search_path, confine->setup.project, err);
}

bool at_run_check(struct at_confine *confine, const struct at_run_call *call, struct at_error *err)
{
	char program[PATH_MAX];

	return find(program, confine, call, err)
		&& at_confine_check_entry(
			confine, &call->entry, program, cwd_of(call), call->tmp, err);
}

static bool fail_unstarted(struct at_error *err, const struct at_run_end *end)
{
	const char *text = at_buf_text(&end->err);
	size_t len = strlen(text), from = len > REASON ? len - REASON : 0;

	return at_fail(err, AT_EIO, "the sandbox did not start the command: %s",
		len ? text + from : "it gave no reason");
}

static bool start(struct at_run_end *out, struct at_confine *confine,
	const struct at_run_call *call, struct at_arena *arena, const char *tmp,
	struct at_error *err)
{
	const char *const *words = at_confine_words(
		confine, arena, &call->entry, out->program, call->argv, cwd_of(call), tmp, err);
	const bool is_bare = confine->how == AT_UNCONFINED;
	struct ask ask = { call };
	struct at_child_end end;
	int64_t begun = now_ms();
	bool ok;

	if (!words || !at_confine_check(confine, err))
		return false;
	ok = at_child_run(&end,
		&(struct at_child_call){ .argv = words,
			.env = is_bare ? at_program_env(
				       arena, confine->setup.environment, confine->search_path, tmp)
				       : at_confine_launcher_env(confine, arena, tmp),
			.cwd = at_arena_printf(
				arena, "%s/%s", confine->setup.project, cwd_of(call)),
			.input = call->input,
			.timeout_ms = call->timeout * 1000,
			.cap = AT_RUN_OUTPUT_CAP,
			.has_keeper = true,
			.go_on = still,
			.user = &ask },
		err);
	out->duration_ms = now_ms() - begun;
	out->exit = end.status;
	out->signal = end.signal;
	out->timed_out = end.timed_out;
	out->stopped = end.stopped;
	out->survivors = end.survivors || at_confine_has_survivors(confine, tmp);
	out->is_left = end.is_left;
	out->truncated = end.is_cut;
	out->how = confine->how;
	out->out = end.out;
	out->err = end.err;
	if (ok && !at_confine_has_started(confine, tmp) && !end.timed_out && !end.stopped)
		return fail_unstarted(err, out);
	return ok;
}

bool at_run_command(struct at_run_end *out, struct at_confine *confine,
	const struct at_run_call *call, struct at_error *err)
{
	struct at_arena *arena;
	const char *tmp;
	bool ok;

	*out = (struct at_run_end){ 0 };
	if (!find(out->program, confine, call, err) || !at_confine_probe(confine, err))
		return false;
	arena = at_arena_new();
	tmp = call->tmp ? call->tmp : at_confine_make_tmp(confine, arena, err);
	ok = tmp && start(out, confine, call, arena, tmp, err);
	if (tmp && !call->tmp)
		at_confine_remove_tmp(confine, tmp);
	at_arena_free(arena);
	return ok;
}

void at_run_end_free(struct at_run_end *end)
{
	at_buf_free(&end->out);
	at_buf_free(&end->err);
}

int at_run_status(const struct at_run_end *end)
{
	return end->timed_out || end->stopped || end->survivors || end->is_left ? 3 : 0;
}
