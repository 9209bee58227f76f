/* panes.h - where a list, its details and what they are about go on a screen.
 *
 * Two panes side by side where there is room, else the one that has the keys. The same
 * for every view, so that a change of size surprises nobody.
 */
#ifndef AT_PANES_H
#define AT_PANES_H

#include "tui/grid.h"

struct at_panes {
	struct at_rect list, details, side; /* width or height 0: not shown */
};

/* `two_panes`: columns from which both are shown (a setting). `in_side`: the side pane has the keys. `zoomed`: it, or the list, gets the whole width.
 * `details`: there is a box under the list, where there is room for one. */
struct at_panes at_panes_of(int width, int height, int two_panes, bool in_side, bool zoomed,
	bool details);

/* Rule and column between the panes, once they are drawn. */
void at_panes_paint_lines(const struct at_panes *panes, const struct at_canvas *canvas);

/* A pane's first row: its title, bright when it has the keys, and a dim rest. */
void at_pane_title(
	const struct at_canvas *pane, bool has_keys, const char *title, const char *rest);

/* The pane below its title row. */
struct at_canvas at_pane_body(const struct at_canvas *pane);

#endif
