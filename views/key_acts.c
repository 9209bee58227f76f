#include "views/key_acts.h"

#include "core/apply.h"
#include "core/mem.h"
#include "keys/key_migrate.h"
#include "keys/pem.h"
#include "keys/verify_store.h"
#include "views/operator_key.h"

typedef bool work(struct at_buf *said, struct at_session *session,
	struct at_operator_key *operator_key, const char *name, struct at_error *err);

static bool make(struct at_buf *said, struct at_session *session,
	struct at_operator_key *operator_key, const char *name, struct at_error *err)
{
	char shown[AT_FINGERPRINT_SHORT];
	struct at_public_key key;
	struct at_digest print;

	(void)session;
	if (!at_key_name_check_new(name, err)
		|| !at_keystore_new(&key, &operator_key->store, name, NULL, NULL, err))
		return false;
	print = at_key_fingerprint(&key);
	at_fingerprint_short(shown, &print);
	at_buf_printf(said, "made: %s, fingerprint %s; i installs its public half here", name, shown);
	return true;
}

static bool install(struct at_buf *said, struct at_session *session,
	struct at_operator_key *operator_key, const char *name, struct at_error *err)
{
	struct at_applied applied = { 0 };
	struct at_public_key key;
	struct at_plan plan;
	bool done;

	if (!at_session_recover(session, true, err)
		|| !at_keystore_public(&key, &operator_key->store, name, err))
		return false;
	at_plan_init(&plan);
	done = at_verify_key_plan(
		       &plan, session->project.fd, session->project.team_dir, name, &key, err)
		&& at_plan_apply(&plan, session->project.fd, &session->state, "install-key",
			&applied, err);
	at_plan_free(&plan);
	if (done)
		at_buf_printf(said, applied.written ? "installed: what %s signs counts here now"
						    : "%s is installed already", name);
	return done;
}

static bool move(struct at_buf *said, struct at_session *session,
	struct at_operator_key *operator_key, const char *name, struct at_error *err)
{
	struct at_moved_keys moved;

	(void)session;
	(void)name;
	if (!at_keys_migrate(&moved, operator_key->arena, &operator_key->store, false, err))
		return false;
	at_buf_printf(said, "%zu moved, %zu stay; atconsole --migrate-keys says why",
		moved.count - moved.staying, moved.staying);
	return true;
}

static bool with_store(struct at_buf *said, struct at_session *session, work *what,
	const char *name, struct at_error *err)
{
	struct at_operator_key operator_key;
	bool done;

	if (!at_session_may_use_keys(session, err))
		return false;
	done = at_operator_key_open(&operator_key, session, err)
		&& what(said, session, &operator_key, name, err);
	at_operator_key_close(&operator_key);
	return done;
}

bool at_key_act_new(struct at_buf *said, struct at_session *session, const char *name,
	struct at_error *err)
{
	return with_store(said, session, make, name, err);
}

bool at_key_act_install(struct at_buf *said, struct at_session *session, const char *name,
	struct at_error *err)
{
	return with_store(said, session, install, name, err);
}

bool at_key_act_migrate(struct at_buf *said, struct at_session *session, struct at_error *err)
{
	return with_store(said, session, move, NULL, err);
}
