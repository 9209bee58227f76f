/* setup_cards.h - what may be chosen, in words: the three profiles and the six frameworks.
 *
 * What each buys and what it cannot is a table; what it comes to on this host is decided
 * with the one decision there is. Screen and report print the same. (DEC-2, UI-3)
 */
#ifndef AT_SETUP_CARDS_H
#define AT_SETUP_CARDS_H

#include "views/setup_model.h"

struct at_profile_card {
	const char *buys, *cannot; /* clauses */
};
extern const struct at_profile_card at_profile_cards[];

/* "a boundary is emitted …; advisories: …": what this profile comes to here, for the draft's
 * other wishes. Appended. True when a boundary would be emitted. */
bool at_profile_here(struct at_buf *out, const struct at_setup_model *model,
	enum at_profile profile);

/* "found in .claude/agents, emitted": a clause on the framework's team here. Appended. */
void at_framework_here(struct at_buf *out, const struct at_session *session,
	enum at_framework_id framework);

/* The mechanism that would count for it, with the ids of its ceilings. Appended. (CEIL) */
void at_framework_mechanism(struct at_buf *out, const struct at_session *session,
	enum at_framework_id framework);

#endif
