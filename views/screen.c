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
#include "views/acknowledged.h"
#include "views/acts.h"
#include "views/brief_save.h"
#include "views/frame.h"
#include "views/guide.h"
#include "views/hook_job.h"
#include "views/manual.h"
#include "views/merge_model.h"
#include "views/out.h"
#include "views/plain.h"
#include "views/setup_model.h"
#include "views/text_view.h"
#include "views/view_advisories.h"
#include "views/view_emit.h"
#include "views/view_merge.h"
#include "views/view_setup.h"
#include "views/view_wiring.h"

struct screen {
	struct at_session *session;
	const struct at_config *config;
	struct at_collected collected;
	struct at_view_arg arg;
	struct at_setup_draft draft; /* outlives the view that changes it */
	struct at_app *app;
	struct at_run *loop; /* it is woken by the hooks' job */
	struct at_hook_job job;
	int current; /* the digit of the view shown */
	struct at_buf text; /* the manual, or the messages so far */
	struct at_view_text_arg text_arg;
};

static const struct view_row {
	int digit;
	const struct at_view_class *class;
} view_rows[] = {
#define AT_VIEW(digit, class, tab) { digit, &class },
#include "views/views.def"
#undef AT_VIEW
};

static bool is_plain(const struct at_options *options, const struct at_config *config)
{
	return options->plain || config->settings.plain;
}

bool at_screen_can_show(const struct at_options *options)
{
	return !options->batch && !options->json && !options->plain
		&& at_theme_has_screen(isatty(1), getenv("TERM"));
}

bool at_screen_is_possible(const struct at_options *options)
{
	struct at_config config;
	bool plain;

	if (options->batch || options->json || !isatty(0) || !isatty(1))
		return false;
	if (at_theme_has_screen(true, getenv("TERM")))
		return true;
	at_config_open(&config, options);
	plain = is_plain(options, &config);
	at_config_free(&config);
	return plain;
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

	if (screen->job.fd < 0 || !at_hook_job_read(&screen->job, &screen->session->hooks))
		return;
	screen->loop->wake_fd = -1;
	screen->session->hooks_are_running = false;
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
		|| !at_journal_undo(session->project.fd, &session->state, "merge", &applied, &err)) {
		at_fx_error(fx, &err);
		return false;
	}
	at_fx_message(fx, "undone: the old bytes are back");
	return true;
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

static bool choose_framework(struct screen *screen, enum at_framework_id framework, struct at_fx *fx)
{
	struct at_error err;

	if (!at_session_choose_framework(screen->session, framework, &err)) {
		at_fx_error(fx, &err);
		return false;
	}
	at_fx_message(fx, "%s for this run; elsewhere --framework %s says so", at_framework_name(framework),
		at_framework_name(framework));
	return true;
}

/* The plan that was on the screen, checked file by file against what it saw. */
static bool write_emission(struct screen *screen, struct at_fx *fx)
{
	struct at_session *session = screen->session;
	struct at_applied applied;
	struct at_error err;

	if (!at_emit_probe(&session->project, &err)
		|| !at_plan_apply(&screen->collected.plan, session->project.fd, &session->state, "update",
			&applied, &err)) {
		at_fx_error(fx, &err);
		return false;
	}
	at_fx_message(fx, "%zu files written. Next: > shows what the live settings lack", applied.written);
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

static bool go(struct screen *screen, int digit, struct at_fx *fx);

/* Whatever is not known to write nothing does write. */
static bool may_write(const struct screen *screen, enum at_act act, struct at_fx *fx)
{
	if (!screen->session->options->readonly || act == AT_ACT_REREAD || act == AT_ACT_GO
		|| act == AT_ACT_FRAMEWORK || act == AT_ACT_ACCEPT_ROOT)
		return true;
	at_fx_message(fx, "--readonly: nothing is written");
	return false;
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
	case AT_ACT_GO:
		return go(screen, *(const int *)data, fx);
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

static void show_text(struct screen *screen, bool is_manual, struct at_fx *fx)
{
	screen->text.len = 0;
	if (is_manual)
		at_manual_print(&screen->text);
	else
		at_buf_put(&screen->text, at_buf_text(&screen->app->log), screen->app->log.len);
	screen->text_arg = (struct at_view_text_arg){ .title = is_manual ? "Manual" : "Messages",
		.text = at_buf_bytes(&screen->text), .is_prose = !is_manual };
	at_fx_push(fx, &at_view_text, &screen->text_arg);
}

static enum at_take act(void *user, struct at_app *app, enum at_action action, struct at_fx *fx)
{
	const struct view_row *row = row_of(action);
	struct screen *screen = user;
	bool forward = action == AT_DO_NEXT_STEP;

	(void)app;
	if (row) {
		go(screen, row->digit, fx);
		return AT_TAKEN;
	}
	if (forward || action == AT_DO_PREV_STEP) {
		go(screen, at_guide_step(screen->current, forward), fx);
		return AT_TAKEN;
	}
	if (action != AT_DO_MANUAL && action != AT_DO_MESSAGES)
		return AT_PASS;
	show_text(screen, action == AT_DO_MANUAL, fx);
	return AT_TAKEN;
}

static bool why_not(void *user, const struct at_app *app, enum at_action action, char *out,
	size_t size)
{
	const struct screen *screen = user;

	(void)app;
	if (at_guide_why_not(screen->current, action, out, size))
		return true;
	if (action < AT_DO_VIEW_1 || action > AT_DO_VIEW_9 || row_of(action))
		return false;
	snprintf(out, size, "%s", ""); /* a digit without a view is no key at all */
	return true;
}

/* Views say it of their own acts too; w is off in every one of them. */
static bool veto(void *user, enum at_action action, char *out, size_t size)
{
	const struct screen *screen = user;

	return action == AT_DO_WRITE && screen->session->options->readonly
		&& at_session_is_off(screen->session, out, size);
}

static const struct at_view_class *class_of(int digit)
{
	for (size_t i = 0; i < AT_LEN(view_rows); i++) {
		if (view_rows[i].digit == digit)
			return view_rows[i].class;
	}
	return view_rows[0].class;
}

static bool pick_theme(enum at_theme_id *out, const struct at_options *options,
	const struct at_config *config, struct at_error *err)
{
	*out = (enum at_theme_id)config->settings.theme;
	if (!options->theme || at_theme_parse(out, options->theme))
		return true;
	return at_fail(err, AT_EUSAGE, "--theme %s is none of dark, light, colour-blind, mono",
		options->theme);
}

struct at_backend *at_screen_backend(const struct at_options *options,
	const struct at_config *config, struct at_error *err)
{
	const char *when = options->color, *no_color = getenv("NO_COLOR");
	enum at_theme_id theme;

	if (when && strcmp(when, "auto") != 0)
		no_color = strcmp(when, "never") == 0 ? "1" : NULL;
	return pick_theme(&theme, options, config, err)
		? at_backend_terminal(1, NULL, theme, no_color, err) : NULL;
}

void at_screen_settings(struct at_app *app, const struct at_config *config)
{
	at_config_keymap(config, &app->keymap);
	app->guard_ms = config->settings.confirm_guard_ms;
	app->mouse = config->settings.mouse;
	app->ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

/* In a terminal the faults of the configuration are the first thing that is shown. */
static void show_faults(struct screen *screen)
{
	const struct at_config *config = screen->config;
	struct at_view_text_arg arg = { .title = "Faults of the configuration", .is_prose = true };
	struct at_buf text = { 0 }, message = { 0 };
	struct at_error err;

	if (!config->fault_count)
		return;
	at_config_print_faults(config, &text);
	at_buf_printf(&message, "%zu fault%s; the rest holds: back goes on", config->fault_count,
		config->fault_count == 1 ? "" : "s");
	arg.text = at_buf_bytes(&text);
	at_app_push(screen->app, &at_view_text, &arg, &err);
	at_app_message(screen->app, true, at_buf_text(&message));
	at_buf_free(&text);
	at_buf_free(&message);
}

static void begin_app(struct screen *screen, struct at_app *app)
{
	struct at_app_hooks hooks = { .user = screen, .now_ms = at_run_now_ms,
		.frame_rows = frame_rows, .frame = frame, .perform = perform, .act = act,
		.wake = wake, .why_not = why_not, .veto = veto };
	int width, height;

	at_tty_size(&width, &height);
	at_app_init(app, &hooks, width, height);
	at_screen_settings(app, screen->config);
	screen->app = app;
}

static bool run_in_terminal(const struct screen *screen, struct at_run *loop, struct at_error *err)
{
	bool ok;

	loop->backend = at_screen_backend(screen->session->options, screen->config, err);
	if (!loop->backend)
		return false;
	ok = at_run(loop, err);
	loop->backend->close(loop->backend);
	return ok;
}

static bool run(struct screen *screen, struct at_error *err)
{
	struct at_run loop = { .app = screen->app, .in = 0, .out = 1, .wake_fd = screen->job.fd };
	bool ok;

	if (!at_app_push(screen->app, class_of(screen->current), &screen->arg, err))
		return false;
	show_faults(screen);
	screen->loop = &loop;
	ok = is_plain(screen->session->options, screen->config)
		? at_plain_run(&loop, &screen->collected.pipeline, err)
		: run_in_terminal(screen, &loop, err);
	screen->loop = NULL;
	return ok;
}

/* On a new machine no language is set, or one that is not installed: the terminal shows UTF-8
 * all the same. A language of another kind that was asked for is kept to. */
static void set_language(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *asked = NULL;

	for (size_t i = 0; i < AT_LEN(names) && !(asked && *asked); i++)
		asked = getenv(names[i]);
	if (setlocale(LC_CTYPE, "") && asked && *asked)
		return;
	if (!asked || !*asked || strstr(asked, "UTF-8") || strstr(asked, "utf8"))
		setlocale(LC_CTYPE, "C.UTF-8");
}

int at_screen_run(struct at_session *session)
{
	return at_screen_run_at(session, 0);
}

int at_screen_run_at(struct at_session *session, int digit)
{
	struct at_config config;
	struct screen screen = { .session = session, .config = &config, .job = { .fd = -1 } };
	struct at_app app;
	struct at_error err;
	int status = 0;

	set_language();
	at_config_open(&config, session->options);
	session->settings = &config.settings;
	screen.arg = (struct at_view_arg){ session, &screen.collected };
	session->draft = &screen.draft;
	at_collect(&screen.collected, session);
	judge_gate(&screen);
	screen.current = digit ? digit : at_guide_start(session, &screen.collected);
	at_mem_on_exhausted(at_tty_close);
	begin_app(&screen, &app);
	if (!run(&screen, &err))
		status = at_out_error(&err);
	else if (app.quit_signal)
		status = 128 + app.quit_signal;
	if (app.quit_signal)
		at_out_notes(&app.unsaved);
	at_app_free(&app);
	at_mem_on_exhausted(NULL);
	at_hook_job_forget(&screen.job);
	at_collected_free(&screen.collected);
	session->draft = NULL;
	at_setup_draft_free(&screen.draft);
	at_buf_free(&screen.text);
	session->settings = &at_settings_default;
	at_config_free(&config);
	return status;
}
