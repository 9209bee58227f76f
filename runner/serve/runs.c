/* Run requests: everything of 3.9, in its order. (RUN-3, RUN-5) */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/path.h"
#include "runner/proposals/scope.h"
#include "runner/runs/run.h"
#include "runner/runs/worktree.h"
#include "runner/serve/runner_impl.h"

/* What the runner itself writes while a command runs. */
static const char *const own[] = { AT_RUNNER_HEARTBEAT, AT_GROUND "/.runner.heartbeat.tmp",
	AT_QUEUE_CLAIMED "/", AT_QUEUE_RESULTS "/", AT_QUEUE_GROUND "/", NULL };
/* Read-only in the sandbox, also inside a write root. */
static const char *const protect[] = { AT_GROUND, AT_QUEUE_GROUND, ".git", ".claude", ".goose",
	".codex", ".github/agents", ".github/hooks", NULL };

struct order {
	struct at_runner *runner;
	struct at_job *job;
	struct at_artifact artifact;
	const char *const *argv;
	size_t argc;
	const struct at_policy_command *entry;
	const struct at_policy_confined *confined;
	const char *const *expected; /* ended by NULL */
	const char *hide[2];
	struct at_run_call call;
	struct at_run_end end;
	struct at_worktree_list undeclared;
};

static bool __attribute__((format(printf, 3, 4)))
refuse(struct at_error *err, const char *id, const char *format, ...)
{
	char text[700];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	at_fail(err, AT_EREFUSED, "%s", text);
	at_error_name(err, id);
	return false;
}

static bool whose(struct order *o, struct at_error *err)
{
	const struct at_bytes via = at_bytes_of(o->job->asked.via_agent);
	const struct at_artifact *a = &o->artifact;
	struct at_runner *runner = o->runner;
	struct at_dispatch dispatch;
	bool is_mcp = o->job->asker == AT_ASKER_MCP;
	enum at_channel channel = is_mcp ? AT_CHANNEL_MCP : AT_CHANNEL_ORCHESTRATOR;

	if (!at_dispatch_attempt(&dispatch, runner->dispatches, a->dispatch.text, NULL,
		    at_time_now(), err))
		return false;
	snprintf(o->job->check.agent, sizeof(o->job->check.agent), "%s", dispatch.agent);
	return (!is_mcp || at_dispatch_is_whose(&dispatch, &via, err))
		&& at_check_channel(
			&runner->policy, channel, o->job->asked.via_agent, dispatch.agent, err)
		&& at_dispatch_is_whose(&dispatch, a->agent.exists ? &a->agent.text : NULL, err);
}

static bool identity(struct order *o, struct at_error *err)
{
	if (whose(o, err))
		return true;
	if (o->job->asker == AT_ASKER_MCP)
		at_dispatch_hide(err);
	return false;
}

static bool allowlist(struct order *o, struct at_error *err)
{
	const struct at_policy_agent *agent =
		at_policy_agent(&o->runner->policy, o->job->check.agent);
	struct at_buf words = { 0 };

	if (!at_artifact_strings(&o->argv, &o->argc, o->artifact.doc, o->artifact.argv,
		    o->job->arena)
		|| !o->argc)
		return refuse(err, "run-argv", "argv must be a non-empty list of strings");
	o->argv = at_strings_ended((struct at_strings){ o->argv, o->argc }, o->job->arena);
	if (!at_artifact_kept(o->artifact.why.text).len)
		return refuse(err, "run-purpose", "a non-empty purpose is required");
	o->entry = agent ? at_policy_command(agent, o->argv, o->argc) : NULL;
	if (o->entry)
		return true;
	at_canonical_put_texts(&words, o->argv, o->argc, AT_CANONICAL_SPACED);
	refuse(err, "run-allowlist", "%.500s is not on %s's command allowlist; refused",
		at_buf_text(&words), o->job->check.agent);
	at_buf_free(&words);
	return false;
}

static bool cwd(struct order *o, struct at_error *err)
{
	struct at_bytes asked = o->artifact.cwd.exists ? o->artifact.cwd.text : at_bytes_of(".");

	return (asked.data && at_bytes_equal_text(asked, o->entry->cwd))
		|| refuse(err, "run-cwd", "cwd is not the entry's ('%.300s'); refused",
			o->entry->cwd);
}

static bool is_entrys(const struct order *o, const char *path)
{
	const struct at_policy *policy = &o->runner->policy;
	char plane[PATH_MAX];

	if (at_scope_plane(plane, sizeof(plane), path)
		|| (*policy->brief_place && at_scope_is_same(path, policy->brief_place)))
		return false;
	for (size_t i = 0; i < o->entry->writes.count; i++)
		if (at_glob_covers(o->entry->writes.items[i], path))
			return true;
	return false;
}

/* By the entry's own globs, or as any proposal's destination. */
static bool expected_writes(struct order *o, struct at_error *err)
{
	const char *project = o->runner->setup.project;
	struct at_strings list = { NULL, 0 };
	const char **paths;

	if (o->artifact.expected_writes != AT_JSON_NONE
		&& !at_artifact_strings(&list.items, &list.count, o->artifact.doc,
			o->artifact.expected_writes, o->job->arena))
		return refuse(err, "run-expected", "expected_writes must be a list of paths");
	paths = at_arena_alloc(o->job->arena, (list.count + 1) * sizeof(*paths));
	o->expected = paths;
	for (size_t i = 0; i < list.count; i++) {
		struct at_bytes asked = at_bytes_of(list.items[i]);
		char physical[PATH_MAX], path[PATH_MAX];

		if (!at_artifact_path_fault(asked)
			&& at_path_physical_below(physical, project, asked.data)
			&& at_path_is_inside(physical, project)
			&& strcmp(physical, project) != 0
			&& is_entrys(o, physical + strlen(project) + 1)) {
			paths[i] = at_arena_strdup(
				o->job->arena, physical + strlen(project) + 1);
			continue;
		}
		if (!at_check_destination(
			    path, asked, &o->runner->checks, o->job->check.agent, err))
			return false;
		paths[i] = at_arena_strdup(o->job->arena, path);
	}
	return true;
}

static bool confinement(struct order *o, struct at_error *err)
{
	unsigned timeout = o->entry->timeout;

	o->confined = at_policy_confined(&o->runner->policy, o->job->check.agent);
	if (!o->confined)
		return refuse(err, "run-unconfined", "%s has no confined_programs entry; the "
			"runner runs nothing unconfined", o->job->check.agent);
	if (!at_runner_confine(o->runner, err))
		return false;
	if (o->job->asker == AT_ASKER_MCP && timeout > AT_RUN_MCP_TIMEOUT_MAX)
		timeout = AT_RUN_MCP_TIMEOUT_MAX;
	o->hide[0] = o->runner->key_dir;
	o->call = (struct at_run_call){ .argv = o->argv, .cwd = o->entry->cwd,
		.entry = { .exec = at_strings_ended(o->confined->exec, o->job->arena),
			.write = at_strings_ended(o->confined->write, o->job->arena),
			.protect = protect, .hide = o->hide },
		.timeout = (int)timeout, .go_on = at_runner_goes_on, .user = o->runner };
	return true;
}

/* Standard input passes the entry's gates, as a file of that name would. */
static bool input(struct order *o, struct at_error *err)
{
	struct at_bytes content = o->artifact.stdin_content.text;
	struct at_bytes path = o->artifact.stdin_path.text;
	bool ok = true;

	if (!o->artifact.stdin_content.exists)
		return true;
	if (!content.data || content.len > AT_CONTENT_CAP || at_artifact_path_fault(path))
		return refuse(err, "run-stdin", "stdin_from_content needs a relative path and a "
			"content of at most 262144 bytes");
	if (!o->entry->stdin_gates.count)
		return refuse(err, "run-stdin", "this command takes no standard input: its entry "
			"names no stdin_gates");
	at_buf_putc(&o->job->gates, '[');
	for (size_t i = 0; ok && i < o->entry->stdin_gates.count; i++) {
		const char *name = o->entry->stdin_gates.items[i];
		const struct at_policy_gate *gate = at_policy_gate(&o->runner->policy, name);

		ok = gate ? at_runner_gate(o->runner, o->job, gate, path.data, content, err)
			  : refuse(err, "gates-unknown", "unknown gate(s) requested: %.200s",
				    name);
	}
	o->call.input = content;
	return ok;
}

static void begin_row(struct order *o, struct at_canonical_object *row, const char *action)
{
	struct at_buf argv = { 0 };
	const char *how = at_confined_name(o->runner->confine->how);

	at_row_begin(row, action, o->job->check.agent);
	at_canonical_put_texts(&argv, o->argv, o->argc, AT_CANONICAL_SPACED);
	at_canonical_set_raw(row, "argv", at_buf_bytes(&argv));
	at_canonical_set_text(row, "purpose", at_artifact_kept(o->artifact.why.text));
	if (*how)
		at_canonical_set_text(row, "confined", at_bytes_of(how));
	at_buf_free(&argv);
}

static bool start(struct order *o, struct at_error *err)
{
	struct at_canonical_object row = { 0 };
	bool ok;

	begin_row(o, &row, "run-request-start");
	ok = at_dispatch_use(o->runner->dispatches, o->artifact.dispatch.text,
		     o->job->check.agent, at_time_now(), err)
		&& at_dispatches_sync(o->runner->dispatches, err)
		&& at_runner_record(o->runner, &row, err);
	at_canonical_object_free(&row);
	return ok;
}

static bool is_protected(void *user, const char *path)
{
	const struct at_policy *policy = user;

	return at_scope_protected(
		       policy->protected_paths.items, policy->protected_paths.count, path)
		|| (*policy->brief_place && at_scope_is_same(path, policy->brief_place));
}

/* The command may have reached for what tells of it: nothing more is recorded then. */
static bool is_untouched(struct order *o, struct at_error *err)
{
	if (at_proposal_ledger_is_still(o->runner->ledger)
		&& at_dispatches_are_still(o->runner->dispatches))
		return true;
	refuse(err, "run-tampered", "the command changed the ledger, its head or the dispatches; "
		"nothing more is recorded");
	o->runner->is_broken = true;
	o->runner->broken = *err;
	return false;
}

static bool compare(struct order *o, const struct at_worktree *before, struct at_error *err)
{
	bool sandboxed = o->end.how == AT_CONFINED_BWRAP || o->end.how == AT_CONFINED_SEATBELT;
	const struct at_worktree_rules rules = { .expected = o->expected, .own = own,
		.write = sandboxed ? o->call.entry.write : NULL, .is_protected = is_protected,
		.user = &o->runner->policy };
	struct at_worktree *after;
	bool ok;

	if (!at_worktree_take(&after, o->runner->setup.project, err))
		return false;
	ok = at_worktree_changes(&o->undeclared, before, after, &rules, err);
	at_worktree_free(after);
	return ok;
}

static void put_undeclared(struct order *o, struct at_canonical_object *row)
{
	struct at_buf list = { 0 };

	at_canonical_put_texts(&list, (const char *const *)o->undeclared.items,
		o->undeclared.count, AT_CANONICAL_SPACED);
	at_canonical_set_raw(row, "undeclared_writes", at_buf_bytes(&list));
	at_buf_free(&list);
}

static bool finish(struct order *o, struct at_error *err)
{
	struct at_canonical_object row = { 0 };
	bool ok;

	begin_row(o, &row, o->end.timed_out ? "run-request-timeout" : "run-request");
	at_canonical_set_number(&row, "duration_ms", o->end.duration_ms);
	if (o->end.timed_out)
		at_canonical_set_bool(&row, "group_killed", true);
	else
		at_canonical_set_number(&row, "exit", o->end.exit);
	if (o->end.survivors || o->end.is_left)
		at_canonical_set_bool(&row, "survivors_killed", !o->end.is_left);
	put_undeclared(o, &row);
	ok = at_runner_record(o->runner, &row, err);
	at_canonical_object_free(&row);
	return ok;
}

static void put_result(struct order *o, bool ran)
{
	struct at_canonical_object *out = &o->job->result;
	struct at_buf argv = { 0 };

	at_canonical_put_texts(&argv, o->argv, o->argc, AT_CANONICAL_SPACED);
	at_canonical_set_text(out, "agent", at_bytes_of(o->job->check.agent));
	at_canonical_set_raw(out, "argv", at_buf_bytes(&argv));
	at_canonical_set_bool(out, "ran", ran);
	at_buf_free(&argv);
	if (!ran)
		return;
	at_canonical_set_number(out, "exit", o->end.exit);
	at_canonical_set_number(out, "duration_ms", o->end.duration_ms);
	at_canonical_set_text(out, "stdout", at_buf_bytes(&o->end.out));
	at_canonical_set_text(out, "stderr", at_buf_bytes(&o->end.err));
	at_canonical_set_bool(out, "truncated", o->end.truncated);
	at_canonical_set_bool(out, "timed_out", o->end.timed_out);
	put_undeclared(o, out);
	o->job->exit = o->undeclared.count ? 3 : at_run_status(&o->end);
}

static bool run(struct order *o, struct at_error *err)
{
	const char *project = o->runner->setup.project;
	struct at_worktree *before = NULL;
	bool ok;

	/* Fail closed before anything counts; the second look is the one compared with. */
	if (!at_worktree_take(&before, project, err))
		return false;
	at_worktree_free(before);
	before = NULL;
	if (!at_confine_probe(o->runner->confine, err) || !start(o, err))
		return false;
	ok = at_worktree_take(&before, project, err)
		&& at_run_command(&o->end, o->runner->confine, &o->call, err)
		&& is_untouched(o, err) && compare(o, before, err) && finish(o, err);
	if (before)
		at_worktree_free(before);
	return ok;
}

void at_runner_run(struct at_runner *runner, struct at_job *job)
{
	struct order o = { .runner = runner, .job = job };
	struct at_error err;
	bool ok = at_artifact_take(&o.artifact, job->asked.doc, job->asked.artifact,
			  AT_COMMAND_REQUEST, job->arena, &err)
		&& identity(&o, &err) && allowlist(&o, &err) && cwd(&o, &err)
		&& expected_writes(&o, &err) && confinement(&o, &err)
		&& at_run_check(runner->confine, &o.call, &err) && input(&o, &err);

	if (ok && !job->asked.dry_run)
		ok = run(&o, &err);
	if (ok)
		put_result(&o, !job->asked.dry_run);
	else
		at_job_refuse(job, &err);
	at_worktree_list_free(&o.undeclared);
	at_run_end_free(&o.end);
}
