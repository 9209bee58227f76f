#include "keys/team_keys.h"

bool at_team_key_find(void *context, struct at_public_key *out, const char *key_id,
	struct at_error *err)
{
	const struct at_team_place *place = context;

	return at_verify_key_load(out, place->root, place->team_dir, at_bytes_of(key_id), err);
}
