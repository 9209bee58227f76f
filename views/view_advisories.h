/* view_advisories.h - the Advisories view: what to know about the decision, and what to do.
 *
 * Advisories of the manifest, then the notes that hold whatever the list says, then the
 * ceilings of the mechanism. The twin is --manifest. (DEC-2 to DEC-6)
 */
#ifndef AT_VIEW_ADVISORIES_H
#define AT_VIEW_ADVISORIES_H

#include "tui/view.h"

/* Opened with a struct at_view_arg. */
extern const struct at_view_class at_view_advisories;

#endif
