#include "views/operator_key.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "views/key_place.h"
#include "views/passphrase.h"

#define KEYFILE_ENV "AGENTTEAMS_DECISION_ED25519_KEYFILE"

bool at_operator_key_open(struct at_operator_key *out, struct at_session *session,
	struct at_error *err)
{
	*out = (struct at_operator_key){ .arena = at_arena_new(), .place = at_key_place(session),
		.store = { .fd = -1 } };
	return at_keystore_open(&out->store, session->host.home, &out->place, err);
}

void at_operator_key_close(struct at_operator_key *key)
{
	if (!key->arena)
		return;
	at_keystore_close(&key->store);
	at_arena_free(key->arena);
	*key = (struct at_operator_key){ .store = { .fd = -1 } };
}

static bool find_key(char path[PATH_MAX], const struct at_operator_key *operator_key,
	struct at_bytes key_id, struct at_error *err)
{
	const char *file = getenv(KEYFILE_ENV);
	char name[AT_KEY_NAME_MOST + 1] = "";

	memcpy(name, key_id.data, key_id.len < sizeof(name) ? key_id.len : 0);
	return at_keystore_find(path, &operator_key->store, file && *file ? file : name, err);
}

bool at_operator_key_asks(struct at_session *session, struct at_bytes key_id)
{
	struct at_operator_key operator_key;
	char path[PATH_MAX];
	size_t len, tail = strlen(".sealed");
	bool asks = at_operator_key_open(&operator_key, session, NULL)
		&& find_key(path, &operator_key, key_id, NULL);

	len = asks ? strlen(path) : 0;
	asks = len > tail && strcmp(path + len - tail, ".sealed") == 0;
	at_operator_key_close(&operator_key);
	return asks;
}

bool at_operator_key_load(struct at_key_pair *out, struct at_session *session,
	struct at_bytes key_id, struct at_error *err)
{
	struct at_operator_key operator_key;
	char path[PATH_MAX];
	bool done = at_operator_key_open(&operator_key, session, err)
		&& find_key(path, &operator_key, key_id, err)
		&& at_key_load(out, path, &operator_key.place, at_passphrase_ask, NULL, err);

	at_operator_key_close(&operator_key);
	return done;
}
