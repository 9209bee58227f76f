/* host_try.h - the tries of the host check: each in a child, with a time limit.
 *
 * Programs are started as a mechanism starts them; kernel calls are made in a child that ends
 * with them. For core/host_seen alone. (WIRE-7)
 */
#ifndef AT_HOST_TRY_H
#define AT_HOST_TRY_H

#include "core/host_seen.h"

/* Runs `argv` with PATH alone in its environment; its standard output goes to `out` when
 * that is not NULL. */
struct at_buf;
void at_try_program(struct at_try *to, const char *const *argv,
	const struct at_host_place *place, struct at_buf *out);

/* A command that names its namespaces, inside bwrap with the options `flags` (ended by NULL). */
void at_try_bwrap(struct at_try *to, const char *bwrap, const char *const *flags,
	const struct at_host_place *place);

#endif
