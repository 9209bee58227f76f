/* scopes.h - every settings file that a session of claude would read, strongest first.
 *
 * Reads them, asks of each whether the client would load it, and keeps what was found. What
 * they say together is the business of effective.h and of the wiring check. (WIRE-9)
 */
#ifndef AT_SCOPES_H
#define AT_SCOPES_H

#include "emit/live.h"

/* The order of precedence for single values. */
enum at_scope {
	AT_SCOPE_MANAGED,
	AT_SCOPE_COMMAND_LINE, /* not known here: no file stands for it */
	AT_SCOPE_LOCAL,
	AT_SCOPE_PROJECT,
	AT_SCOPE_USER,
	AT_SCOPE_COUNT,
};
const char *at_scope_name(enum at_scope scope); /* managed, command line, local, … */

struct at_scope_file {
	enum at_scope scope;
	const char *name; /* as findings call it: "~/.claude/settings.json" */
	struct at_live live;
	bool loads;              /* the client would load it: `live.doc` may be asked */
	struct at_wiring report; /* what core/settings_check says of it, as far as it was asked */
};

/* Local and project are always there, even when no such file exists; the others only when
 * something is. Of several managed files the last by name is the strongest. */
struct at_scopes {
	struct at_arena *arena;
	struct at_scope_file *files;
	size_t count, cap;
	bool load_only;
};

/* `judge`: ask for every finding, not only whether each file loads. Released by
 * at_scopes_free(). What cannot be read is a file that does not load. */
void at_scopes_read(struct at_scopes *out, const struct at_project *project, bool judge);
void at_scopes_free(struct at_scopes *scopes);

/* Those of the project where it has them, else `own`, read now for whether each file loads alone
 * unless `judge`. `own` is released by at_scopes_free() either way. */
const struct at_scopes *at_scopes_of(struct at_scopes *own, const struct at_project *project,
	bool judge);

/* The project's or the local file. */
const struct at_scope_file *at_scopes_find(const struct at_scopes *scopes, enum at_scope scope);

/* The strongest loaded file that gives a value at `dotted`, or NULL. */
const struct at_scope_file *at_scopes_winner(const struct at_scopes *scopes, const char *dotted);

#endif
