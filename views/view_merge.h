/* view_merge.h - the Merge view: items on the left, the diff of the exact result on the right.
 *
 * Shows a merge model and changes its selection. Writing, undoing and reading again are
 * asked of the application (views/acts.h). It decides nothing about
 * effects: core/merge does.
 */
#ifndef AT_VIEW_MERGE_H
#define AT_VIEW_MERGE_H

#include "tui/view.h"
#include "views/merge_model.h"

/* Opened with a struct at_view_arg. */
extern const struct at_view_class at_view_merge;

/* The model the view shows; NULL while there is none (the view says why). For tests. */
struct at_merge_model *at_view_merge_model(struct at_view *view);

#endif
