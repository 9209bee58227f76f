/* refusal.h - a screen that says why there is nothing to show.
 *
 * Draws an error with its place and its hint, wrapped. Knows nothing of what failed.
 */
#ifndef AT_REFUSAL_H
#define AT_REFUSAL_H

#include "core/error.h"
#include "tui/grid.h"

void at_refusal_paint(
	const struct at_canvas *canvas, const char *title, const struct at_error *err);

#endif
