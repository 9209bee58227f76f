/* sign_view.h - the form of a grant, and the exact bytes that would be signed.
 *
 * It fills in and asks; signing is asked of the application once the word was typed.
 */
#ifndef AT_SIGN_VIEW_H
#define AT_SIGN_VIEW_H

#include "tui/view.h"
#include "views/acts.h"
#include "views/sign_form.h"

struct at_sign_view_arg {
	const struct at_view_arg *arg;
	const struct at_bytes *cells; /* of a grant to sign anew, by enum at_grant_column; or NULL */
};

/* Opened with a struct at_sign_view_arg; the cells are copied. */
extern const struct at_view_class at_sign_view;

#endif
