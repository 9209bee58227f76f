/* frame.h - the rows on top of every screen: whose project, how far, which views.
 *
 * The truth line of core/pipeline drawn, nothing else: it is never more confident than
 * that. On a small screen it shrinks to the truth line alone. (UI-2, UI-4)
 */
#ifndef AT_FRAME_H
#define AT_FRAME_H

#include "tui/grid.h"
#include "views/collect.h"

/* How many rows it takes on a screen of that size. */
int at_frame_rows(int width, int height);

/* Draws it. `current` is the digit of the view shown. */
void at_frame_paint(const struct at_session *session, const struct at_collected *collected,
	int current, const struct at_canvas *canvas);

#endif
