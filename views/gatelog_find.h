/* gatelog_find.h - where the gate writes its log: who says so, and whether it would.
 *
 * The client gives a hook the variables of its settings' `env` on top of its own environment, so
 * the strongest settings file wins over the environment of the console, which stands for that of a
 * session started from here. It opens nothing but settings. (GATE-7, GATE-10)
 */
#ifndef AT_GATELOG_FIND_H
#define AT_GATELOG_FIND_H

#include "views/session.h"

struct at_gatelog_place {
	bool is_set;
	char path[PATH_MAX];
	char origin[PATH_MAX + 64]; /* "`env` of .claude/settings.json (project)" */
	const char *fault; /* why the gate writes nothing there, as a clause, or NULL */
};
void at_gatelog_find(struct at_gatelog_place *out, const struct at_session *session);

/* What to do about a log that is not set: two sentences. */
extern const char at_gatelog_unset[], at_gatelog_advice[];

/* What no line of any log says. */
extern const char at_gatelog_ceiling[], at_gatelog_format[];

#endif
