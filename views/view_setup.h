/* view_setup.h - the Setup view: the brief as a form, and what it would change.
 *
 * Shows a draft of the brief and changes it. Saving, accepting a write root and another
 * framework are asked of the application (views/acts.h). Every change is of the brief's text
 * in memory alone until then. (REQ-1 to REQ-8, REQ-14, UI-1)
 */
#ifndef AT_VIEW_SETUP_H
#define AT_VIEW_SETUP_H

#include "tui/view.h"

/* Opened with a struct at_view_arg. */
extern const struct at_view_class at_view_setup;

/* The model the view shows, for tests. */
struct at_setup_model *at_view_setup_model(struct at_view *view);

#endif
