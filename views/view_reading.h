/* view_reading.h - what is on the screen while the evidence of a large project is gathered.
 *
 * Says that nothing is known yet, and asks the application to begin once that is painted.
 */
#ifndef AT_VIEW_READING_H
#define AT_VIEW_READING_H

#include "tui/view.h"
#include "views/session.h"

extern const struct at_view_class at_view_reading; /* opened without an argument */

/* Are the settings files so large that reading them takes longer than a frame? Looks at sizes
 * alone. */
bool at_reading_takes_long(const struct at_session *session);

#endif
