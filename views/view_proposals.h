/* view_proposals.h - the Proposals view: what agents propose, the riskiest first, beside its diff.
 *
 * It shows and chooses. Applying, rejecting and undoing are asked of the application, which asks the
 * runner as the operator. `a` exists only where the diff is on the screen. (STG-1 to STG-4, UI-7)
 */
#ifndef AT_VIEW_PROPOSALS_H
#define AT_VIEW_PROPOSALS_H

#include "tui/view.h"
#include "views/acts.h"

/* Opened with a struct at_view_arg. */
extern const struct at_view_class at_view_proposals;

#endif
