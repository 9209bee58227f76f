/* screen_acts.c - what views ask for and only the program may do: writes, jobs, reading again. */
#include "views/screen_state.h"

#include "core/mem.h"
#include "runner/selftest/store.h"
#include "tui/tty.h"
#include "views/acknowledged.h"
#include "views/acts.h"
#include "views/brief_save.h"
#include "views/key_acts.h"
#include "views/merge_model.h"
#include "views/operator_key.h"
#include "views/proposal_act.h"
#include "views/selftest_job.h"
#include "views/sign_act.h"

int screen_wake_fd(const struct screen *screen)
{
	const struct at_job *jobs[] = { &screen->job, &screen->host_job, &screen->selftest_job };

	for (size_t i = 0; i < AT_LEN(jobs); i++)
		if (jobs[i]->fd >= 0)
			return jobs[i]->fd;
	return -1;
}

static void listen_to_jobs(struct screen *screen)
{
	if (screen->loop)
		screen->loop->wake_fd = screen_wake_fd(screen);
}

/* Once, unasked: it runs nothing but root's own programs, and nothing of the project. */
static void look_at_host(struct screen *screen)
{
	struct at_session *session = screen->session;
	struct at_host_place place = at_host_place_here(&session->host, true);

	if (session->host_is_known || session->host_is_running || session->options->no_probes
		|| !place.search_path)
		return;
	session->host_is_running = at_host_job_start(&screen->host_job, &place, NULL);
	listen_to_jobs(screen);
}

/* What is left running ends by itself; its verdicts are of no use any more. */
static bool start_job(struct screen *screen, bool foreign, struct at_error *err)
{
	struct at_session *session = screen->session;

	at_job_forget(&screen->job);
	at_hook_book_free(&session->hooks);
	/* Of the program as it is now: should it be another when the verdicts come, they are void. */
	session->hooks.gate_is =
		at_strdup(screen->collected.hooks.gate_is ? screen->collected.hooks.gate_is : "");
	session->hooks_are_running = at_hook_job_start(&screen->job, &screen->collected.hooks,
		&session->project, foreign, err);
	listen_to_jobs(screen);
	return session->hooks_are_running;
}

/* The gate's own hook is run as soon as it can be: the Merge view waits for its verdict. */
void screen_judge_gate(struct screen *screen)
{
	struct at_session *session = screen->session;
	const struct at_hook_list *list = &screen->collected.hooks;

	look_at_host(screen);
	if (session->hooks_are_running || session->options->no_probes || !list->gate
		|| list->gate_fault || session->host.agent_marker
		|| at_hook_book_find(&session->hooks, list->gate))
		return;
	start_job(screen, false, NULL);
}

static void collect_again(struct screen *screen)
{
	at_collected_free(&screen->collected);
	at_collect(&screen->collected, screen->session);
	screen_judge_gate(screen);
}

static bool hooks_ended(struct screen *screen)
{
	if (screen->job.fd < 0 || !at_hook_job_read(&screen->job, &screen->session->hooks))
		return false;
	screen->session->hooks_are_running = false;
	return true;
}

static bool host_ended(struct screen *screen)
{
	struct at_session *session = screen->session;

	if (screen->host_job.fd < 0
		|| !at_host_job_read(&screen->host_job, &session->host_seen,
			&session->host_is_known))
		return false;
	session->host_is_running = false;
	return true;
}

/* A complete run is kept where anything may be kept; what it found is told either way. */
static void keep_proof(struct screen *screen, struct at_proof *proof, struct at_fx *fx)
{
	struct at_session *session = screen->session;
	size_t failures = at_proof_failures(proof);
	struct at_error err;
	char why[256];

	if (at_session_is_off(session, why, sizeof(why)))
		at_fx_message(fx, "the self-test has ended, and is not kept: %s", why);
	else if (!at_store_proof(proof, session->project.fd, &session->state, &err))
		at_fx_error(fx, &err);
	else if (failures)
		at_fx_message(fx, "the self-test has ended: %zu case%s that must hold do%s not",
			failures, failures == 1 ? "" : "s", failures == 1 ? "es" : "");
	else
		at_fx_message(fx, "the self-test has ended: every case that must hold holds");
	at_proof_free(proof);
}

/* True when it has ended. How far it is costs a frame, and nothing is collected anew. */
static bool self_test_ended(struct screen *screen, struct at_fx *fx)
{
	struct at_selftest_progress *progress = &screen->session->selftest;
	struct at_proof proof;
	struct at_error err;

	if (screen->selftest_job.fd < 0)
		return false;
	switch (at_selftest_job_read(&screen->selftest_job, progress, &proof, &err)) {
	case AT_SELFTEST_NOTHING:
		return false;
	case AT_SELFTEST_FURTHER:
		at_fx_redraw(fx);
		return false;
	case AT_SELFTEST_PROVEN:
		keep_proof(screen, &proof, fx);
		break;
	case AT_SELFTEST_FAILED:
		at_fx_error(fx, &err);
		break;
	}
	*progress = (struct at_selftest_progress){ 0 };
	return true;
}

void screen_wake(void *user, struct at_app *app, struct at_fx *fx)
{
	const struct at_event changed = { .kind = AT_EVENT_CHANGED, .id = AT_ACT_RUN_HOOKS,
		.yes = false };
	struct screen *screen = user;

	if (!hooks_ended(screen) && !host_ended(screen) && !self_test_ended(screen, fx))
		return;
	listen_to_jobs(screen);
	at_collected_free(&screen->collected);
	at_collect(&screen->collected, screen->session);
	/* Those below the top show the same evidence. */
	for (size_t i = 0; i < app->depth; i++)
		if (app->stack[i]->class->event)
			app->stack[i]->class->event(app->stack[i], &changed, fx);
	at_fx_redraw(fx);
}

static bool write_merge(struct screen *screen, struct at_merge_model *model, struct at_fx *fx)
{
	struct at_applied applied;
	struct at_error err;

	(void)screen;
	if (!at_merge_model_write(model, &applied, &err)) {
		at_fx_error(fx, &err);
		return false;
	}
	at_fx_message(fx, "written: %s; u takes it back%s", model->live.path, applied.window
			? ". This file system cannot exchange files: a short window was open" : "");
	return true;
}

static bool undo_merge(struct screen *screen, struct at_fx *fx)
{
	struct at_session *session = screen->session;
	struct at_applied applied;
	struct at_error err;

	if (!at_session_may_write_live(session, &err)
		|| !at_journal_undo(
			session->project.fd, &session->state, "merge", &applied, &err)) {
		at_fx_error(fx, &err);
		return false;
	}
	at_fx_message(fx, "undone: the old bytes are back");
	return true;
}

/* A passphrase is read by the terminal alone: no screen is there while it is typed, and none of
 * it comes through the toolkit's buffers. (KEY-2) */
static bool sign_grant(struct screen *screen, const struct at_grant_draft *draft, struct at_fx *fx)
{
	struct at_run *loop = screen->loop;
	bool leaves = loop && loop->backend && at_operator_key_asks(screen->session, draft->cells[AT_GRANT_KEY_ID]);
	struct at_grant_draft own = *draft;
	struct at_buf said = { 0 };
	struct at_error err, again;
	bool done;

	if (leaves)
		at_tty_close();
	done = at_sign_grant(&said, screen->session, &own, &err);
	if (leaves && !at_tty_open(loop->in, loop->out, loop->backend->enter, loop->backend->leave,
			    &again))
		at_fx_simple(fx, AT_FX_QUIT);
	if (leaves)
		at_fx_simple(fx, AT_FX_REPAINT);
	if (done)
		at_fx_message(fx, "%s", at_buf_text(&said));
	else
		at_fx_error(fx, &err);
	at_buf_free(&said);
	return done;
}

static bool act_on_proposal(
	struct screen *screen, const struct at_proposal_act *act, struct at_fx *fx)
{
	struct at_buf said = { 0 };
	struct at_error err;
	bool done = at_proposal_do(&said, screen->session, act, &err);

	if (done)
		at_fx_message(fx, "%s", at_buf_text(&said));
	else
		at_fx_error(fx, &err);
	at_buf_free(&said);
	return done;
}

static bool act_on_keys(
	struct screen *screen, enum at_act act, const char *name, struct at_fx *fx)
{
	struct at_session *session = screen->session;
	struct at_buf said = { 0 };
	struct at_error err;
	bool done = act == AT_ACT_NEW_KEY ? at_key_act_new(&said, session, name, &err)
		: act == AT_ACT_INSTALL_KEY ? at_key_act_install(&said, session, name, &err)
					    : at_key_act_migrate(&said, session, &err);

	if (done)
		at_fx_message(fx, "%s", at_buf_text(&said));
	else
		at_fx_error(fx, &err);
	at_buf_free(&said);
	return done;
}

/* What was not written because the file is another by now is read again, and looked at once
 * more; the draft stays. */
static bool save_brief(struct screen *screen, const struct at_bytes *text, struct at_fx *fx)
{
	struct at_session *session = screen->session;
	struct at_applied applied;
	struct at_error err, again;
	bool saved = at_brief_save(session, *text, &applied, &err);

	if (!saved)
		at_fx_error(fx, &err);
	else
		at_fx_message(fx, "saved: %s; u takes it back", session->brief_place);
	if ((saved || err.code == AT_ESTALE) && !at_session_reread(session, &again))
		at_fx_error(fx, &again);
	return saved;
}

static bool undo_brief(struct screen *screen, struct at_fx *fx)
{
	struct at_session *session = screen->session;
	struct at_applied applied;
	struct at_error err;

	if (!at_brief_may_save(session, &err)
		|| !at_journal_undo(session->project.fd, &session->state, "brief", &applied, &err)
		|| !at_session_reread(session, &err)) {
		at_fx_error(fx, &err);
		return false;
	}
	at_fx_message(fx, "undone: the brief has its old bytes back");
	return true;
}

static bool accept_root(struct screen *screen, const char *path, struct at_fx *fx)
{
	struct at_error err;

	if (!at_session_accept_root(screen->session, path, &err)) {
		at_fx_error(fx, &err);
		return false;
	}
	at_fx_message(fx, "accepted for this run: %s", path);
	return true;
}

static bool choose_framework(
	struct screen *screen, enum at_framework_id framework, struct at_fx *fx)
{
	struct at_error err;

	if (!at_session_choose_framework(screen->session, framework, &err)) {
		at_fx_error(fx, &err);
		return false;
	}
	at_fx_message(fx, "%s for this run; elsewhere --framework %s says so",
		at_framework_name(framework), at_framework_name(framework));
	return true;
}

/* The plan that was on the screen, checked file by file against what it saw. */
static bool write_emission(struct screen *screen, struct at_fx *fx)
{
	struct at_session *session = screen->session;
	struct at_applied applied;
	struct at_error err;

	if (!at_emit_probe(&session->project, &err)
		|| !at_plan_apply(&screen->collected.plan, session->project.fd, &session->state,
			"update", &applied, &err)) {
		at_fx_error(fx, &err);
		return false;
	}
	at_fx_message(fx, "%zu files written. Next: > shows what the live settings lack",
		applied.written);
	return true;
}

static bool acknowledge(struct screen *screen, const char *code, struct at_fx *fx)
{
	struct at_error err;

	if (at_acknowledge(screen->session, code, &err))
		return true;
	at_fx_error(fx, &err);
	return false;
}

static bool reread(struct screen *screen, struct at_fx *fx)
{
	struct at_error err;

	if (!at_session_reread(screen->session, &err)) {
		at_fx_error(fx, &err);
		return false;
	}
	at_hook_book_refresh(&screen->session->hooks, &screen->collected.hooks, false);
	at_fx_message(fx, "read again");
	return true;
}

static bool run_hooks(struct screen *screen, bool foreign, struct at_fx *fx)
{
	struct at_error err;

	if (!start_job(screen, foreign, &err)) {
		at_fx_error(fx, &err);
		return false;
	}
	at_fx_message(fx, "running the hooks…");
	return true;
}

/* Whatever is not known to write nothing does write. */
static bool may_write(const struct screen *screen, enum at_act act, struct at_fx *fx)
{
	if (!screen->session->options->readonly || act == AT_ACT_REREAD || act == AT_ACT_GO
		|| act == AT_ACT_FRAMEWORK || act == AT_ACT_ACCEPT_ROOT)
		return true;
	at_fx_message(fx, "--readonly: nothing is written");
	return false;
}

static bool self_test(struct screen *screen, struct at_fx *fx)
{
	struct at_session *session = screen->session;
	struct at_error err;

	if (session->selftest.is_running) { /* it ends when nobody listens */
		at_job_forget(&screen->selftest_job);
		session->selftest = (struct at_selftest_progress){ 0 };
		at_fx_message(fx, "the self-test was ended: nothing is known of it");
	} else if (at_selftest_job_start(&screen->selftest_job, session, &err)) {
		session->selftest.is_running = true;
		at_fx_message(fx, "the launcher is being tried; the same key ends it");
	} else {
		at_fx_error(fx, &err);
		return false;
	}
	listen_to_jobs(screen);
	return true;
}

static bool do_act(struct screen *screen, enum at_act act, const void *data, struct at_fx *fx)
{
	if (!may_write(screen, act, fx))
		return false;
	switch (act) {
	case AT_ACT_MERGE_WRITE:
		return write_merge(screen, (struct at_merge_model *)(uintptr_t)data, fx);
	case AT_ACT_MERGE_UNDO:
		return undo_merge(screen, fx);
	case AT_ACT_REREAD:
		return reread(screen, fx);
	case AT_ACT_RUN_HOOKS:
		return run_hooks(screen, *(const bool *)data, fx);
	case AT_ACT_BEGIN:
		return true;
	case AT_ACT_NEW_KEY:
	case AT_ACT_INSTALL_KEY:
	case AT_ACT_MIGRATE_KEYS:
		return act_on_keys(screen, act, data, fx);
	case AT_ACT_PROPOSAL:
		return act_on_proposal(screen, data, fx);
	case AT_ACT_SIGN_GRANT:
		return sign_grant(screen, data, fx);
	case AT_ACT_SELF_TEST:
		return self_test(screen, fx);
	case AT_ACT_GO:
		return screen_go(screen, *(const int *)data, fx);
	case AT_ACT_BRIEF_SAVE:
		return save_brief(screen, data, fx);
	case AT_ACT_BRIEF_UNDO:
		return undo_brief(screen, fx);
	case AT_ACT_ACCEPT_ROOT:
		return accept_root(screen, data, fx);
	case AT_ACT_FRAMEWORK:
		return choose_framework(screen, (enum at_framework_id)*(const int *)data, fx);
	case AT_ACT_EMIT_WRITE:
		return write_emission(screen, fx);
	case AT_ACT_ACKNOWLEDGE:
		return acknowledge(screen, data, fx);
	}
	return false;
}

void screen_perform(void *user, struct at_view *view, int code, const void *data, struct at_fx *fx)
{
	struct at_event changed = { .kind = AT_EVENT_CHANGED, .id = code };
	struct screen *screen = user;

	if (code == AT_ACT_BEGIN) {
		screen_begin(screen, fx);
		return;
	}
	changed.yes = do_act(screen, (enum at_act)code, data, fx);
	if (code == AT_ACT_GO)
		return;
	collect_again(screen);
	if (view->class->event)
		view->class->event(view, &changed, fx);
	at_fx_redraw(fx);
}
