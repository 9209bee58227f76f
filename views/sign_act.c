#include "views/sign_act.h"

#include "core/mem.h"
#include "views/decision_ground.h"
#include "views/grants_site.h"
#include "views/operator_key.h"

bool at_sign_is_allowed(const struct at_session *session, struct at_error *err)
{
	return at_session_may_use_keys(session, err) && at_environment_has_no_key(session, err);
}

static bool sign_with_key(struct at_session *session, struct at_grant_draft *draft,
	struct at_arena *arena, struct at_error *err)
{
	struct at_key_pair key;
	bool done = at_operator_key_load(&key, session, draft->cells[AT_GRANT_KEY_ID], err);

	if (done) {
		done = at_grant_sign(draft, arena, &key.seed, err);
		at_key_close(&key);
	}
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
