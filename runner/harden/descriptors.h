/* descriptors.h - closes what is open, so that it reaches past no mount (F5).
 *
 * It knows numbers alone, and not what they are for.
 */
#ifndef AT_DESCRIPTORS_H
#define AT_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"

/* Closes every descriptor above 2 that is not one of the `count` in `keep`, which it sorts. */
bool at_descriptors_close(int *keep, size_t count, struct at_error *err);

/* The same without close_range, by /proc/self/fd; what an older kernel gets. */
bool at_descriptors_close_listed(const int *keep, size_t count, struct at_error *err);

#endif
