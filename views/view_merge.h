/* view_merge.h - the Merge view: items on the left, the diff of the exact result on the right.
 *
 * Shows a merge model and changes its selection. Writing, undoing and reading again are
 * asked of the application (AT_FX_DO with an enum at_merge_do). It decides nothing about
 * effects: core/merge does.
 */
#ifndef AT_VIEW_MERGE_H
#define AT_VIEW_MERGE_H

#include "tui/view.h"
#include "views/merge_model.h"

struct at_view_merge_arg {
	struct at_session *session;
	const struct at_collected *collected; /* as of now; changes under the view at a reload */
};

/* Opened with a struct at_view_merge_arg, which must outlive it. */
extern const struct at_view_class at_view_merge;

enum at_merge_do { AT_MERGE_WRITE, AT_MERGE_UNDO, AT_MERGE_REREAD };

/* The model an act is about; NULL while there is none (the view shows why). */
struct at_merge_model *at_view_merge_model(struct at_view *view);

/* Reads everything again. Decisions stay with the items that are still there; after a write
 * (`forget`) they do not. */
void at_view_merge_reload(struct at_view *view, bool forget);

#endif
