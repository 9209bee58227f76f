/* guide.h - the guided session: which step comes now, which comes next.
 *
 * Steps are views in the order of their digits; the first whose stage is not done is where
 * a session begins and resumes. It shows nothing. (UI-1)
 */
#ifndef AT_GUIDE_H
#define AT_GUIDE_H

#include "views/collect.h"

/* The digit of the view to open first. */
int at_guide_start(const struct at_session *session, const struct at_collected *collected);

/* The existing view after (`forward`) or before one; 0 when there is none. */
int at_guide_step(int digit, bool forward);

#endif
