/* store.h - where the newest proof of the launcher lies, outside the project.
 *
 * The state directory's proofs/launcher-linux.json, 0600, written by the one way this program
 * replaces files. Every complete run is kept, one that found a leak too: an older one must not
 * speak over it. (WIRE-13)
 */
#ifndef AT_STORE_H
#define AT_STORE_H

#include "core/proof.h"
#include "core/state.h"

#define AT_STORE_FILE "proofs/launcher-linux.json"
#define AT_STORE_ACT "self-test" /* its name in the journal; no undo takes it back unasked */

bool at_store_proof(
	const struct at_proof *proof, int project, struct at_state *state, struct at_error *err);

/* `exists` false, and true returned, where none is. A file that is not as this program wrote it
 * is a failure: no proof. `out` is initialised in any case. */
bool at_store_load(
	struct at_proof *out, bool *exists, const struct at_state *state, struct at_error *err);

#endif
