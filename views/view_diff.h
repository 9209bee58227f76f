/* view_diff.h - any unified diff, read while it is looked at.
 *
 * For patches nobody vouches for. It shows what stands there and what does not add up, and
 * applies nothing. It knows nothing of projects.
 */
#ifndef AT_VIEW_DIFF_H
#define AT_VIEW_DIFF_H

#include "core/bytes.h"
#include "tui/view.h"

/* The view copies what it keeps but for `fd`, which stays the caller's. */
struct at_view_diff_arg {
	const char *name;     /* of the patch, for the title; untrusted */
	struct at_bytes text; /* the patch itself where `fd` is -1 */
	int fd;               /* or where to read it */
	bool is_stream;       /* a read may wait: only on AT_EVENT_WAKE */
	bool is_alone;        /* no console around it: none of its actions */
	int *wake_fd;         /* what sends that event; set to -1 at the end. May be NULL */
};

/* Opened with a struct at_view_diff_arg. */
extern const struct at_view_class at_view_diff;

#endif
