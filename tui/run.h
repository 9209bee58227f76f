/* run.h - the loop between a terminal and an application.
 *
 * Waits without a timer, decodes what came, steps, and paints once a batch. The first paint
 * happens before anything slow: only then the view gets its idle event.
 */
#ifndef AT_RUN_H
#define AT_RUN_H

#include "tui/app.h"
#include "tui/backend.h"

struct at_run {
	struct at_app *app;
	struct at_backend *backend;
	int in, out;     /* the terminal */
	int wake_fd; /* of a job: AT_EVENT_WAKE when readable (whoever takes the event reads it);
	                    -1 for none. May change between turns; not looked at while a question
	                    is open */
	int escape_ms;   /* how long a lone Esc waits for more; 0: 50 */
};

/* Takes the terminal, runs until the application is done, gives it back. False when the terminal
 * could not be taken. `app->quit_signal` tells a signal that ended it. */
bool at_run(struct at_run *run, struct at_error *err);

/* The hook for at_app_hooks.now_ms: a clock that only goes forward. */
int64_t at_run_now_ms(void *unused);

#endif
