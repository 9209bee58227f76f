/* mechanisms.h - what was really in force inside, by the kernel's word.
 *
 * Reads the lines that come before the probe's and makes rows of a report of them: which
 * namespaces are others than the host's, filter, privileges, Landlock. (notes 7.1)
 */
#ifndef AT_MECHANISMS_H
#define AT_MECHANISMS_H

#include "core/proof.h"

/* Takes those lines off the front of `text`, which then starts with the probe's. The rows go
 * to `run`, texts into `arena`. Lines that are none are left where they are. */
void at_mechanisms_take(struct at_proof_run *run, struct at_bytes *text, struct at_arena *arena);

/* What of the mode is not in force although it was asked for, as a clause in `out`; "" when all
 * is. False when nothing was told. */
bool at_mechanisms_lack(char *out, size_t size, const struct at_proof_run *run);

#endif
