/* step_hooks.h - the guided session's part of an application's hooks, in tests of one view. */
#ifndef AT_TEST_STEP_HOOKS_H
#define AT_TEST_STEP_HOOKS_H

#include "tui/app.h"

/* Steps are on or off as from the view `digit`; taken ones lead nowhere. */
void step_hooks(struct at_app_hooks *hooks, int digit);

#endif
