/* view_integrity.h - pins and installed artefacts: same, older, edited, missing.
 *
 * Shows what emit/integrity compares, in slices between keys, and how an emitted file differs
 * from what this version emits. It writes nothing. (INT-1, INT-2, INT-4, UI-3)
 */
#ifndef AT_VIEW_INTEGRITY_H
#define AT_VIEW_INTEGRITY_H

#include "tui/view.h"

/* Opened with a struct at_view_arg. */
extern const struct at_view_class at_view_integrity;

#endif
