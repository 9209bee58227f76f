/* view_wiring.h - the Wiring view: is the file loaded, what is in force, what is wrong.
 *
 * A list of what was collected, with the row at the cursor in full beside it or behind Enter.
 * It runs nothing and writes nothing: running hooks and reading again are asked of the
 * application. (WIRE-8, WIRE-9, WIRE-10)
 */
#ifndef AT_VIEW_WIRING_H
#define AT_VIEW_WIRING_H

#include "tui/view.h"
#include "views/acts.h"

/* Opened with a struct at_view_arg. */
extern const struct at_view_class at_view_wiring;

/* The same as lines: --check-wiring without its findings, which have a form of their own. */
void at_wiring_report_print(const struct at_session *session,
	const struct at_collected *collected, struct at_buf *out);
void at_wiring_report_json(const struct at_session *session, const struct at_collected *collected,
	struct at_json_value *out);

#endif
