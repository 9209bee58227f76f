/* approvers.h - the roster as decisions and waivers read it: where it names nobody, `security`.
 *
 * The opposite of grants, which have no default. (KEY-6; reference-ledgers 2.5)
 */
#ifndef AT_KEYS_APPROVERS_H
#define AT_KEYS_APPROVERS_H

#include "keys/roster.h"

struct at_approvers {
	struct at_roster roster;
	bool is_default;
};

/* Of the team dir `team`; -1 gives the default. Fails as at_roster_load(). */
bool at_approvers_load(
	struct at_approvers *out, struct at_arena *arena, int team, struct at_error *err);

/* Appends the names sorted, as the Python tool prints a list: "['alice', 'bob']". `both`: the
 * default with and without its `@`. */
void at_approvers_print(struct at_buf *out, const struct at_approvers *approvers, bool both);

#endif
