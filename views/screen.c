#include "views/screen.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "tui/tty.h"
#include "views/frame.h"
#include "views/guide.h"
#include "views/manual.h"
#include "views/out.h"
#include "views/plain.h"
#include "views/screen_state.h"
#include "views/unwritten.h"
#include "views/view_advisories.h"
#include "views/view_emit.h"
#include "views/view_grants.h"
#include "views/view_integrity.h"
#include "views/view_merge.h"
#include "views/view_proposals.h"
#include "views/view_reading.h"
#include "views/view_runner.h"
#include "views/view_setup.h"
#include "views/view_wiring.h"

static const struct view_row {
	int digit;
	const struct at_view_class *class;
} view_rows[] = {
#define AT_VIEW(digit, class, tab, short_tab) { digit, &class },
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
	if (screen->is_reading)
		return;
	at_frame_paint(screen->session, &screen->collected, screen->current, canvas);
}

static const struct view_row *row_of(enum at_action action)
{
	for (size_t i = 0; i < AT_LEN(view_rows); i++) {
		if ((int)action == AT_DO_VIEW_1 + view_rows[i].digit - 1)
			return &view_rows[i];
	}
	return NULL;
}

bool screen_go(struct screen *screen, int digit, struct at_fx *fx)
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
	if (screen->is_reading)
		return AT_PASS;
	if (row) {
		screen_go(screen, row->digit, fx);
		return AT_TAKEN;
	}
	if (forward || action == AT_DO_PREV_STEP) {
		screen_go(screen, at_guide_step(screen->current, forward), fx);
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
	if (screen->is_reading) {
		snprintf(out, size, "%s", "");
		return true;
	}
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

/* What an earlier session that was cut short did not write, to be decided again. */
static void show_unwritten(struct screen *screen)
{
	struct at_view_text_arg arg = { .title = "Decided before, and not written",
		.is_prose = true };
	struct at_buf text = at_unwritten_text(screen->session);
	struct at_error err;

	arg.text = at_buf_bytes(&text);
	if (text.len && at_app_push(screen->app, &at_view_text, &arg, &err))
		at_app_message(screen->app, false,
			"None of it is chosen; back goes on.");
	at_buf_free(&text);
}

/* A signal may have taken the terminal, and with it what was told there. */
static void keep_unwritten(const struct screen *screen, const struct at_app *app, bool ran)
{
	struct at_error err;

	if (app->quit_signal && app->unsaved.len)
		at_out_notes(&app->unsaved);
	if (ran && (!app->quit_signal || app->unsaved.len)
		&& !at_unwritten_keep(screen->session,
			app->quit_signal ? at_buf_bytes(&app->unsaved) : at_bytes_of(""), &err))
		at_out_error(&err);
}

static void begin_app(struct screen *screen, struct at_app *app)
{
	struct at_app_hooks hooks = { .user = screen, .now_ms = at_run_now_ms,
		.frame_rows = frame_rows, .frame = frame, .perform = screen_perform, .act = act,
		.wake = screen_wake, .why_not = why_not, .veto = veto };
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

void screen_collect(struct screen *screen, int digit)
{
	at_collect(&screen->collected, screen->session);
	screen_judge_gate(screen);
	screen->current =
		digit ? digit : at_guide_start(screen->session, &screen->collected);
	screen->is_reading = false;
}

/* The view that said so is parked for good: no key leads back to it. */
void screen_begin(struct screen *screen, struct at_fx *fx)
{
	struct at_error err;

	screen_collect(screen, screen->current);
	if (!at_app_switch(screen->app, class_of(screen->current), &screen->arg, &err)) {
		at_fx_error(fx, &err);
		return;
	}
	show_unwritten(screen);
	show_faults(screen);
}

static bool run(struct screen *screen, struct at_error *err)
{
	struct at_run loop = { .app = screen->app, .in = 0, .out = 1, 
		.wake_fd = screen_wake_fd(screen) };
	bool ok;

	if (screen->is_reading) {
		if (!at_app_push(screen->app, &at_view_reading, NULL, err))
			return false;
	} else {
		if (!at_app_push(screen->app, class_of(screen->current), &screen->arg, err))
			return false;
		show_unwritten(screen);
		show_faults(screen);
	}
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
	struct screen screen = { .session = session, .config = &config, .job = { .fd = -1 },
		.host_job = { .fd = -1 }, .selftest_job = { .fd = -1 } };
	struct at_app app;
	struct at_error err;
	int status = 0;
	bool ran;

	set_language();
	at_config_open(&config, session->options);
	session->settings = &config.settings;
	screen.arg = (struct at_view_arg){ session, &screen.collected };
	session->draft = &screen.draft;
	screen.current = digit;
	screen.is_reading = !is_plain(session->options, &config) && at_reading_takes_long(session);
	if (!screen.is_reading)
		screen_collect(&screen, digit);
	at_mem_on_exhausted(at_tty_close);
	begin_app(&screen, &app);
	ran = run(&screen, &err);
	if (!ran)
		status = at_out_error(&err);
	else if (app.quit_signal)
		status = 128 + app.quit_signal;
	keep_unwritten(&screen, &app, ran);
	at_app_free(&app);
	at_mem_on_exhausted(NULL);
	at_job_forget(&screen.job);
	at_job_forget(&screen.host_job);
	at_job_forget(&screen.selftest_job);
	at_collected_free(&screen.collected);
	session->draft = NULL;
	at_setup_draft_free(&screen.draft);
	at_buf_free(&screen.text);
	session->settings = &at_settings_default;
	at_config_free(&config);
	return status;
}
