/* integrity_ground.h - what the walk of emit/integrity is given of this build and this host.
 *
 * Finds the programs that were built with this one: those of its own installation where it runs
 * from one, else those that the build left beside it. It compares nothing. (INT-4)
 */
#ifndef AT_INTEGRITY_GROUND_H
#define AT_INTEGRITY_GROUND_H

#include "emit/integrity.h"
#include "views/collect.h"

/* Made at build time. */
struct at_build_pin {
	const char *name, *sha256;
};
extern const struct at_build_pin at_build_pins[];
extern const size_t at_build_pin_count;

#define AT_BUILD_PROGRAMS 8 /* at most */

struct at_integrity_site {
	struct at_integrity_ground ground; /* points into this and what it was made from */
	struct at_integrity_program programs[AT_BUILD_PROGRAMS];
	char paths[AT_BUILD_PROGRAMS][PATH_MAX];
};

/* Must stay where it is while a walk uses it, and so must `session` and `collected`. */
void at_integrity_site_make(struct at_integrity_site *out, const struct at_session *session,
	const struct at_collected *collected);

#endif
