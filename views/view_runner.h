/* view_runner.h - what runs, and what was put to the gate: the gate's log, newest call first.
 *
 * Reads and shows, and writes nothing.
 */
#ifndef AT_VIEW_RUNNER_H
#define AT_VIEW_RUNNER_H

#include "tui/view.h"

/* Opened with a struct at_view_arg. */
extern const struct at_view_class at_view_runner;

#endif
