/* The sample screen on a real terminal: what the terminal tests drive. With an argument it dies
 * that way after the first paint ("abort", "segv"), to see that the terminal is given back. */
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tui/run.h"
#include "tui/sample_view.h"

static int64_t now(void *user)
{
	return at_run_now_ms(user);
}

static const char *death;

static enum at_take die(void *user, struct at_app *app, enum at_action action, struct at_fx *fx)
{
	if (action == AT_DO_REREAD && death)
		raise(strcmp(death, "segv") == 0 ? SIGSEGV : SIGABRT);
	return AT_PASS;
}

int main(int argc, char **argv)
{
	struct sample_hooks state = { 0 };
	struct at_app_hooks hooks = sample_app_hooks(&state, true);
	struct at_run run = { .in = 0, .out = 1, .wake_fd = -1 };
	enum at_theme_id theme = AT_THEME_DARK;
	struct at_error err;
	struct at_app app;

	setlocale(LC_CTYPE, "");
	hooks.now_ms = now;
	if (getenv("SAMPLE_THEME"))
		at_theme_parse(&theme, getenv("SAMPLE_THEME"));
	if (argc > 1) {
		death = argv[1];
		hooks.act = die;
	}
	if (!at_theme_has_screen(isatty(0) && isatty(1), getenv("TERM"))) {
		puts("plain");
		return 0;
	}
	run.backend = at_backend_terminal(1, NULL, theme, getenv("NO_COLOR"), &err);
	if (!run.backend) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	at_app_init(&app, &hooks, 80, 24);
	app.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	if (!at_app_push(&app, &sample_view, NULL, &err))
		return 1;
	run.app = &app;
	if (!at_run(&run, &err)) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	printf("written %d\n", state.written);
	int status = app.quit_signal ? 128 + app.quit_signal : 0;
	at_app_free(&app);
	run.backend->close(run.backend);
	return status;
}
