/* grants_site.h - where this session's grants are, and by what they are judged.
 *
 * The ledger of the project, the roster and keys of the team that --update writes, the HMAC key of
 * the environment where there is one. Screens and modes open the same. (KEY-4, KEY-6)
 */
#ifndef AT_GRANTS_SITE_H
#define AT_GRANTS_SITE_H

#include "keys/grants.h"
#include "keys/team_keys.h"
#include "views/session.h"

struct at_open_site {
	struct at_grants_site site;
	struct at_team_place place;
	int team; /* the team's directory, or -1 */
	char team_path[PATH_MAX];
};

/* Never fails: without a team directory nothing can be valid, and each reader says so. The session
 * must outlive it, and it may not be moved. */
void at_site_open(struct at_open_site *out, const struct at_session *session);
void at_site_close(struct at_open_site *site);

#endif
