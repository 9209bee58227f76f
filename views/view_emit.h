/* view_emit.h - the Emit view: the plan as a tree, and what each file would become.
 *
 * Shows the plan that was collected; writing it is asked of the application
 * (views/acts.h). The twin is --update --dry-run. (UI-3, EMIT-21)
 */
#ifndef AT_VIEW_EMIT_H
#define AT_VIEW_EMIT_H

#include "tui/view.h"

/* Opened with a struct at_view_arg. */
extern const struct at_view_class at_view_emit;

#endif
