/* view_sign.h - the form of a grant, and the exact bytes that would be signed.
 *
 * It fills in and asks; signing is asked of the application once the word was typed.
 */
#ifndef AT_VIEW_SIGN_H
#define AT_VIEW_SIGN_H

#include "tui/view.h"
#include "views/sign_form.h"

/* Opened with a struct at_view_arg. */
extern const struct at_view_class at_view_sign;

#endif
