/* view_grants.h - the Grants & keys view: who may write where, by which signature, until when.
 *
 * Keys of this operator, grants of this workspace with the checklist of each, and what they open.
 * It signs nothing: the form is a view of its own, and signing is asked of the application.
 * (KEY-1 to KEY-8)
 */
#ifndef AT_VIEW_GRANTS_H
#define AT_VIEW_GRANTS_H

#include "tui/view.h"
#include "views/acts.h"

/* Opened with a struct at_view_arg. */
extern const struct at_view_class at_view_grants;

#endif
