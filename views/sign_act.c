#include "views/sign_act.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/key_names.h"
#include "core/mem.h"
#include "views/grants_site.h"
#include "views/key_place.h"
#include "views/passphrase.h"

#define KEYFILE_ENV "AGENTTEAMS_DECISION_ED25519_KEYFILE"

extern char **environ;

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

/* The key file's variable names a path, which is no secret. */
static bool is_key_value(const char *entry)
{
	size_t len = strcspn(entry, "=");
	struct at_bytes name = { entry, len };

	return entry[len] == '=' && entry[len + 1] && at_name_is_signing_key(name)
		&& !at_bytes_equal_text(name, KEYFILE_ENV);
}

bool at_sign_is_allowed(const struct at_session *session, struct at_error *err)
{
	if (!at_session_may_write_live(session, err))
		return false;
	for (char **entry = environ; *entry; entry++) {
		if (!is_key_value(*entry))
			continue;
		at_fail(err, AT_EDENIED, "%.*s holds a key in the environment, where every child "
			"of this shell reads it: nothing is signed here",
			(int)strcspn(*entry, "="), *entry);
		at_error_name(err, "key-in-environment");
		at_error_hint(err, "Unset it (unset %.*s) and start again.",
			(int)strcspn(*entry, "="), *entry);
		return false;
	}
	return true;
}

static bool find_key(char path[PATH_MAX], const struct at_operator_key *operator_key,
	const struct at_grant_draft *draft, struct at_error *err)
{
	const char *file = getenv(KEYFILE_ENV);
	char name[AT_KEY_ID_CAP + 1] = "";
	struct at_bytes id = draft->cells[AT_GRANT_KEY_ID];

	memcpy(name, id.data, id.len < sizeof(name) ? id.len : 0);
	return at_keystore_find(path, &operator_key->store, file && *file ? file : name, err);
}

bool at_sign_asks(struct at_session *session, const struct at_grant_draft *draft)
{
	struct at_operator_key operator_key;
	char path[PATH_MAX];
	size_t len, tail = strlen(".sealed");
	bool asks = at_operator_key_open(&operator_key, session, NULL)
		&& find_key(path, &operator_key, draft, NULL);

	len = asks ? strlen(path) : 0;
	asks = len > tail && strcmp(path + len - tail, ".sealed") == 0;
	at_operator_key_close(&operator_key);
	return asks;
}

static bool load_key(struct at_key_pair *out, const struct at_operator_key *operator_key,
	const struct at_grant_draft *draft, struct at_error *err)
{
	char path[PATH_MAX];

	return find_key(path, operator_key, draft, err)
		&& at_key_load(out, path, &operator_key->place, at_passphrase_ask, NULL, err);
}

static bool sign_with_key(struct at_session *session, struct at_grant_draft *draft,
	struct at_arena *arena, struct at_error *err)
{
	struct at_operator_key operator_key;
	struct at_key_pair key;
	bool done = at_operator_key_open(&operator_key, session, err)
		&& load_key(&key, &operator_key, draft, err);

	if (done) {
		done = at_grant_sign(draft, arena, &key.seed, err);
		at_key_close(&key);
	}
	at_operator_key_close(&operator_key);
	return done;
}

bool at_sign_grant(struct at_buf *said, struct at_session *session, struct at_grant_draft *draft,
	struct at_error *err)
{
	struct at_ledger_appended appended;
	struct at_grant_verdict verdict;
	struct at_arena *arena = at_arena_new();
	struct at_open_site site;
	bool done;

	at_site_open(&site, session);
	done = at_sign_is_allowed(session, err) && sign_with_key(session, draft, arena, err)
		&& at_grant_verify(&verdict, draft, &site.site, err)
		&& at_grant_append(&appended, draft, &site.site, err);
	if (done) {
		at_grant_issued(said, draft, &appended, &site.site);
		if (appended.head != AT_HEAD_ANCHORED)
			at_buf_printf(said, "  its head could not be written: %s\n",
				appended.head_fault.message);
	}
	at_site_close(&site);
	at_arena_free(arena);
	return done;
}
