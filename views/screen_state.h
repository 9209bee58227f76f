/* screen_state.h - what the console holds while it runs, shared by screen.c and screen_acts.c
 * alone.
 */
#ifndef AT_SCREEN_STATE_H
#define AT_SCREEN_STATE_H

#include "tui/run.h"
#include "views/acts.h"
#include "views/hook_job.h"
#include "views/host_job.h"
#include "views/setup_model.h"
#include "views/text_view.h"

struct screen {
	struct at_session *session;
	const struct at_config *config;
	struct at_collected collected;
	struct at_view_arg arg;
	struct at_setup_draft draft; /* outlives the view that changes it */
	struct at_app *app;
	struct at_run *loop; /* it is woken by the hooks' job */
	struct at_job job; /* of the hooks */
	struct at_job host_job, selftest_job;
	bool is_reading; /* nothing is collected yet: a frame says so, and no key leads on */
	int current; /* the digit of the view shown */
	struct at_buf text; /* the manual, or the messages so far */
	struct at_view_text_arg text_arg;
};

/* Shows the view of a digit. */
bool screen_go(struct screen *screen, int digit, struct at_fx *fx);

/* The evidence, and the view it begins with. `digit` 0: from the first step that is not done. */
void screen_collect(struct screen *screen, int digit);
/* AT_ACT_BEGIN. */
void screen_begin(struct screen *screen, struct at_fx *fx);

/* screen_acts.c */
void screen_judge_gate(struct screen *screen);
/* What wakes the loop: the first job there is, of the hooks, of this host, of the self-test; the
 * others' answers wait in their pipes. -1: none. */
int screen_wake_fd(const struct screen *screen);
/* The application's hooks for AT_FX_DO and for the end of a job. */
void screen_perform(void *user, struct at_view *view, int code, const void *data, struct at_fx *fx);
void screen_wake(void *user, struct at_app *app, struct at_fx *fx);

#endif
