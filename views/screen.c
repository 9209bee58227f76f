#include "views/screen.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "tui/run.h"
#include "tui/tty.h"
#include "views/acts.h"
#include "views/frame.h"
#include "views/hook_job.h"
#include "views/merge_model.h"
#include "views/out.h"
#include "views/view_merge.h"
#include "views/view_wiring.h"

struct screen {
	struct at_session *session;
	struct at_collected collected;
	struct at_view_arg arg;
	struct at_app *app;
	struct at_run *loop; /* it is woken by the hooks' job */
	struct at_hook_job job;
	int current; /* the digit of the view shown */
};

static const struct view_row {
	int digit;
	const struct at_view_class *class;
} view_rows[] = {
#define AT_VIEW(digit, class, tab) { digit, &class },
#include "views/views.def"
#undef AT_VIEW
};

bool at_screen_is_possible(const struct at_options *options)
{
	const char *term = getenv("TERM");

	return !options->batch && !options->json && isatty(0) && isatty(1) && term && *term
		&& strcmp(term, "dumb") != 0;
}

static int frame_rows(void *user, int width, int height)
{
	(void)user;
	return at_frame_rows(width, height);
}

static void frame(void *user, const struct at_app *app, const struct at_canvas *canvas)
{
	const struct screen *screen = user;

	(void)app;
	at_frame_paint(screen->session, &screen->collected, screen->current, canvas);
}

/* What is left running ends by itself; its verdicts are of no use any more. */
static bool start_job(struct screen *screen, bool foreign, struct at_error *err)
{
	struct at_session *session = screen->session;

	at_hook_job_forget(&screen->job);
	at_hook_book_free(&session->hooks);
	/* Of the program as it is now: should it be another when the verdicts come, they are void. */
	session->hooks.gate_is =
		at_strdup(screen->collected.hooks.gate_is ? screen->collected.hooks.gate_is : "");
	session->hooks_are_running = at_hook_job_start(&screen->job, &screen->collected.hooks,
		&session->project, foreign, err);
	if (screen->loop)
		screen->loop->wake_fd = screen->job.fd;
	return session->hooks_are_running;
}

/* The gate's own hook is run as soon as it can be: the Merge view waits for its verdict. */
static void judge_gate(struct screen *screen)
{
	struct at_session *session = screen->session;
	const struct at_hook_list *list = &screen->collected.hooks;

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
	judge_gate(screen);
}

static void wake(void *user, struct at_app *app, struct at_fx *fx)
{
	const struct at_event changed = { .kind = AT_EVENT_CHANGED, .id = AT_ACT_RUN_HOOKS,
		.yes = false };
	struct screen *screen = user;
	struct at_view *view = at_app_top(app);

	if (screen->job.fd < 0 || !at_hook_job_read(&screen->job, &screen->session->hooks))
		return;
	screen->loop->wake_fd = -1;
	screen->session->hooks_are_running = false;
	at_collected_free(&screen->collected);
	at_collect(&screen->collected, screen->session);
	if (view && view->class->event)
		view->class->event(view, &changed, fx);
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
		|| !at_journal_undo(session->project.fd, &session->state, "merge", &applied, &err)) {
		at_fx_error(fx, &err);
		return false;
	}
	at_fx_message(fx, "undone: the old bytes are back");
	return true;
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

static bool go(struct screen *screen, int digit, struct at_fx *fx);

static bool do_act(struct screen *screen, enum at_act act, const void *data, struct at_fx *fx)
{
	switch (act) {
	case AT_ACT_MERGE_WRITE:
		return write_merge(screen, (struct at_merge_model *)(uintptr_t)data, fx);
	case AT_ACT_MERGE_UNDO:
		return undo_merge(screen, fx);
	case AT_ACT_REREAD:
		return reread(screen, fx);
	case AT_ACT_RUN_HOOKS:
		return run_hooks(screen, *(const bool *)data, fx);
	case AT_ACT_GO:
		return go(screen, *(const int *)data, fx);
	case AT_ACT_EMIT_WRITE:
	case AT_ACT_BRIEF_SAVE:
		return false; /* no view asks for these yet */
	}
	return false;
}

static void perform(void *user, struct at_view *view, int code, const void *data, struct at_fx *fx)
{
	struct at_event changed = { .kind = AT_EVENT_CHANGED, .id = code };
	struct screen *screen = user;

	changed.yes = do_act(screen, (enum at_act)code, data, fx);
	if (code == AT_ACT_GO)
		return;
	collect_again(screen);
	if (view->class->event)
		view->class->event(view, &changed, fx);
	at_fx_redraw(fx);
}

static const struct view_row *row_of(enum at_action action)
{
	for (size_t i = 0; i < AT_LEN(view_rows); i++) {
		if ((int)action == AT_DO_VIEW_1 + view_rows[i].digit - 1)
			return &view_rows[i];
	}
	return NULL;
}

static bool go(struct screen *screen, int digit, struct at_fx *fx)
{
	struct at_error err;

	for (size_t i = 0; i < AT_LEN(view_rows); i++) {
		if (view_rows[i].digit != digit)
			continue;
		if (digit != screen->current
			&& !at_app_switch(screen->app, view_rows[i].class, &screen->arg, &err)) {
			at_fx_error(fx, &err);
			return false;
		}
		screen->current = digit;
		return true;
	}
	return false;
}

static enum at_take act(void *user, struct at_app *app, enum at_action action, struct at_fx *fx)
{
	const struct view_row *row = row_of(action);

	(void)app;
	if (!row)
		return AT_PASS;
	go(user, row->digit, fx);
	return AT_TAKEN;
}

static bool why_not(void *user, const struct at_app *app, enum at_action action, char *out,
	size_t size)
{
	(void)user;
	(void)app;
	if (action < AT_DO_VIEW_1 || action > AT_DO_VIEW_9 || row_of(action))
		return false;
	snprintf(out, size, "%s", ""); /* a digit without a view is no key at all */
	return true;
}

static struct at_backend *open_backend(const struct at_options *options, struct at_error *err)
{
	const char *no_color = getenv("NO_COLOR");
	const char *when = options->color ? options->color : "auto";

	if (strcmp(when, "never") == 0)
		no_color = "1";
	else if (strcmp(when, "always") == 0)
		no_color = NULL;
	return at_backend_terminal(1, NULL, AT_THEME_DARK, no_color, err);
}

static bool run(struct screen *screen, struct at_error *err)
{
	struct at_app_hooks hooks = { .user = screen, .now_ms = at_run_now_ms,
		.frame_rows = frame_rows, .frame = frame, .perform = perform, .act = act,
		.wake = wake, .why_not = why_not };
	struct at_backend *backend = open_backend(screen->session->options, err);
	struct at_app app;
	struct at_run loop;
	int width, height;
	bool ok;

	if (!backend)
		return false;
	at_tty_size(&width, &height);
	at_app_init(&app, &hooks, width, height);
	screen->app = &app;
	app.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	loop = (struct at_run){ .app = &app, .backend = backend, .in = 0, .out = 1,
		.wake_fd = screen->job.fd };
	screen->loop = &loop;
	ok = at_app_push(&app, view_rows[0].class, &screen->arg, err) && at_run(&loop, err);
	at_app_free(&app);
	backend->close(backend);
	screen->loop = NULL;
	return ok;
}

int at_screen_run(struct at_session *session)
{
	struct screen screen = { .session = session, .current = view_rows[0].digit,
		.job = { .fd = -1 } };
	struct at_error err;
	int status = 0;

	setlocale(LC_CTYPE, "");
	screen.arg = (struct at_view_arg){ session, &screen.collected };
	at_collect(&screen.collected, session);
	judge_gate(&screen);
	at_mem_on_exhausted(at_tty_close);
	if (!run(&screen, &err))
		status = at_out_error(&err);
	at_mem_on_exhausted(NULL);
	at_hook_job_forget(&screen.job);
	at_collected_free(&screen.collected);
	return status;
}
