/* filter.h - the filter of system calls that bwrap puts on all it starts.
 *
 * One table of what is refused, made into a BPF program by libseccomp, which is named in
 * filter.c alone. Everything that is not in the table stays allowed. The filter judges
 * numbers and arguments in registers; it cannot see paths, and it knows no sandbox. (LAU-9)
 *
 * With `is_nested` user namespaces can be made, for a command that brings a sandbox of its own;
 * what would move a mount stays refused, so that F3 is stopped then too. (LAU-12)
 */
#ifndef AT_FILTER_H
#define AT_FILTER_H

#include <stdbool.h>

#include "core/error.h"

/* A new descriptor, sealed, close-on-exec and at its start, from which bwrap --seccomp reads. */
bool at_filter_open(int *out, bool is_nested, struct at_error *err);

/* Puts the filter on this process and all it will start, the way bwrap does; sets
 * no_new_privs. There is no way back: for a child made for it. */
bool at_filter_load(bool is_nested, struct at_error *err);

#endif
