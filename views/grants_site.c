#include "views/grants_site.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/file.h"

void at_site_open(struct at_open_site *out, const struct at_session *session)
{
	const char *hmac = getenv(AT_GRANT_HMAC_KEY_ENV);

	*out = (struct at_open_site){ .place = { session->project.fd, session->project.team_dir } };
	out->team = at_file_open_dir(session->project.fd, session->project.team_dir, NULL);
	snprintf(out->team_path, sizeof(out->team_path), "%.2000s/%.2000s", session->path,
		session->project.team_dir);
	out->site = (struct at_grants_site){
		.ledger_root = session->project.fd,
		.team_dir = out->team,
		.ledger_root_path = session->path,
		.team_dir_path = out->team_path,
		.hmac_key = at_bytes_of(hmac ? hmac : ""),
		.keys = { at_team_key_find, &out->place },
		.now = session->clock ? (struct at_time){ session->clock, 0 } : at_time_now(),
	};
}

void at_site_close(struct at_open_site *site)
{
	if (site->team >= 0)
		close(site->team);
	site->team = -1;
}
