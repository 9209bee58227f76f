/* grants.h - write roots that signed grants open to this team.
 *
 * Reads the ledger of the project once a plan, applies what holds and says what does not. A ledger
 * that is not good opens nothing. Only claude's sandbox consumes grants, nothing is used up, and a
 * HALT is not asked: a grant widens, it lifts no stop. (KEY-4, KEY-8; reference-ledgers 1.9)
 */
#ifndef AT_EMIT_GRANTS_H
#define AT_EMIT_GRANTS_H

#include "emit/framework.h"

/* Puts the granted roots behind those of the brief, those of an earlier call taken out first; each
 * carries its grant's id. The ledger lies where agents may write: one that cannot be read, or is no
 * regular file, opens nothing and stops no emission. */
void at_grants_widen(struct at_manifest *manifest, struct at_notices *notices,
	const struct at_project *project);

#endif
