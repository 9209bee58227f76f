/* team_keys.h - finding the key of a row in the store of one team: the at_key_find of the console.
 */
#ifndef AT_KEYS_TEAM_KEYS_H
#define AT_KEYS_TEAM_KEYS_H

#include "keys/verify_store.h"

struct at_team_place {
	int root;             /* the project */
	const char *team_dir; /* below it */
};

/* An at_key_find; `context` is a struct at_team_place. */
bool at_team_key_find(void *context, struct at_public_key *out, const char *key_id,
	struct at_error *err);

#endif
