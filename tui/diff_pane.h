/* diff_pane.h - a pager on a diff with everything a reader does to one.
 *
 * Side by side, folds, white space, hunks, files and search, with the place kept when the rows
 * change. What a view shows is a struct at_diff it owns; nothing here decides about a hunk.
 */
#ifndef AT_DIFF_PANE_H
#define AT_DIFF_PANE_H

#include "tui/diff_rows.h"

struct at_diff_pane {
	struct at_diff_rows rows;
	struct at_pager pager;
};

/* The pane borrows the diff and must stay where it is. */
void at_diff_pane_init(struct at_diff_pane *pane, const struct at_diff *diff);
void at_diff_pane_free(struct at_diff_pane *pane);
void at_diff_pane_layout(struct at_diff_pane *pane, int width, int height);

/* The diff was made anew: modes and place stay as far as they can. */
void at_diff_pane_set(struct at_diff_pane *pane, const struct at_diff *diff);
/* The diff has more lines. */
void at_diff_pane_grow(struct at_diff_pane *pane, bool end);

/* A search or other rows of a large diff are made in slices, so that no key takes longer than a
 * frame. Whoever has a pane calls at_diff_pane_work() at every AT_EVENT_IDLE: it does one slice
 * and asks for the next event where there is more, which it then tells. So do the actions and
 * events below; after a layout the application sends the event. */
bool at_diff_pane_is_busy(const struct at_diff_pane *pane);
bool at_diff_pane_work(struct at_diff_pane *pane, struct at_fx *fx);
/* "laying out, 40%", "searching, 40%"; "" when nothing is to be done. */
void at_diff_pane_progress(const struct at_diff_pane *pane, char *out, size_t size);

/* The actions of a diff and of its pager; AT_DO_OPEN opens the first fold on the screen. */
enum at_take at_diff_pane_act(struct at_diff_pane *pane, enum at_action action, struct at_fx *fx);
enum at_take at_diff_pane_event(struct at_diff_pane *pane, const struct at_event *event,
	struct at_fx *fx);
/* As for a view: true, with the reason, when an action of a diff is off now. */
bool at_diff_pane_why_not(const struct at_diff_pane *pane, enum at_action action, char *out,
	size_t size);

/* Changes of white space alone are not on the screen: whoever decides must see them first. */
bool at_diff_pane_hides_space(const struct at_diff_pane *pane);
/* There is a fold on the screen. */
bool at_diff_pane_has_fold(const struct at_diff_pane *pane);

/* "side by side, folded, white space hidden"; "" when all is as it is. */
void at_diff_pane_modes(const struct at_diff_pane *pane, char *out, size_t size);

#endif
