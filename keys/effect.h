/* effect.h - what a decision would open: ordinary work, more than the team may, or the roots of
 * trust.
 *
 * Derived from effect columns, scope and action, whichever says more; what a row says of
 * its own class can only raise it. A list of words proves what is on it and nothing else: an effect
 * told in other words is not seen. (KEY-9; reference-ledgers 2.7)
 */
#ifndef AT_KEYS_EFFECT_H
#define AT_KEYS_EFFECT_H

#include "keys/decision.h"

enum at_effect {
	AT_EFFECT_ORDINARY,
	AT_EFFECT_ELEVATED, /* grants, relaxes, in bulk or across repositories: the operator's */
	AT_EFFECT_INELIGIBLE, /* no decision authorises it, whoever signed */
	AT_EFFECT_DENIED, /* its own word says less than its effects do */
};

/* `why` (in the arena) is one clause, or "" where ordinary. */
enum at_effect at_decision_effect(
	const struct at_decision *row, struct at_arena *arena, const char **why);

/* Names a file that says who may authorise what, in any usual spelling. */
bool at_names_trust_root(struct at_bytes text);

#endif
