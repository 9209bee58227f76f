/* plain.h - the console as a dialogue of lines: for a screen reader, or a terminal of any kind.
 *
 * Drives the same application, views and acts as the screens do, without a screen: it prints
 * rows with numbers in words and ASCII, asks for a line, and does what the line names. It sends
 * no escape sequence and reads whole lines. (UI-4, tui: `--plain`)
 */
#ifndef AT_PLAIN_H
#define AT_PLAIN_H

#include "core/pipeline.h"
#include "tui/run.h"

/* Runs `run->app` on standard input and output until the operator leaves. The view on top is
 * where it starts; `pipeline` is told first, and whenever it says something else. What is asked
 * before an act needs its word typed in full: nothing typed ahead answers. A job behind
 * `run->wake_fd` is waited for a moment after each command. Returns true; `app->quit_signal` tells
 * a signal that ended it. */
bool at_plain_run(struct at_run *run, const struct at_pipeline *pipeline, struct at_error *err);

#endif
