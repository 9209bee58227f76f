/* screen.h - the console in a terminal: the views, the frame and what they share.
 *
 * Holds the project's evidence while the console runs, performs the acts that views ask
 * for, and collects again after each. The only part of views/ that opens a terminal.
 */
#ifndef AT_SCREEN_H
#define AT_SCREEN_H

#include "tui/app.h"
#include "tui/backend.h"
#include "views/session.h"

/* UI-7: a terminal on both ends, no --batch, no --json, and a TERM that can place a cursor
 * unless the plain dialogue is asked for. */
bool at_screen_is_possible(const struct at_options *options);

/* The same but for where keys come from: what stands in the way of a screen at all. */
bool at_screen_can_show(const struct at_options *options);

/* The terminal at standard output in the colours asked for. */
struct at_backend *at_screen_backend(const struct at_options *options,
	const struct at_config *config, struct at_error *err);
/* Keys and settings of a configuration, and what the language can show. */
void at_screen_settings(struct at_app *app, const struct at_config *config);

/* Runs until the operator leaves, from the first step that is not done. Returns the exit
 * status, 128 + n after a signal; the terminal is as before. A signal writes nothing of
 * the project: what was decided and not written is told on standard error, and once more at
 * the next start. (UI-6) */
int at_screen_run(struct at_session *session);

/* The same from the view of a digit. */
int at_screen_run_at(struct at_session *session, int digit);

#endif
