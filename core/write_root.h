/* write_root.h - which directories may be a team's write root.
 *
 * One validator for every emitter: the bans of reference-later 2.11 and REQ-3 with their
 * gaps closed. It also tells which roots lie outside the project and so need the
 * operator's word (REQ-4). It emits nothing.
 */
#ifndef AT_WRITE_ROOT_H
#define AT_WRITE_ROOT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"
#include "core/host.h"

struct at_buf;

struct at_root_place {
	const char *project; /* physical, absolute, normalised */
	const char *home;
	enum at_platform platform; /* darwin compares without case */
};

/* NULL when `root` may be one; else the reason as a clause ("inside the project control
 * plane (.git)"), written to `why` (of `size` bytes). Compares the text, the lexical
 * absolute form and the physical one. (REQ-3) */
const char *at_write_root_ban(char *why, size_t size, const char *root,
	const struct at_root_place *place);

/* True when the root is outside the project: starts with ~, absolute outside, climbs
 * out with "..", or leads out through a link. (REQ-4) */
bool at_write_root_is_external(const char *root, const struct at_root_place *place);

/* The form in which two roots are compared: ~ expanded, absolute, normalised. */
bool at_write_root_compare_form(char out[PATH_MAX], const char *root,
	const struct at_root_place *place);

#endif
