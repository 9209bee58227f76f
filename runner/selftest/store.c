#include "runner/selftest/store.h"

#include "core/apply.h"
#include "core/file.h"

bool at_store_proof(
	const struct at_proof *proof, int project, struct at_state *state, struct at_error *err)
{
	struct at_applied applied;
	struct at_buf text = { 0 };
	struct at_plan plan;
	bool ok;

	at_proof_write(proof, &text);
	at_plan_init(&plan);
	ok = at_plan_add(&plan, state->fd, AT_IN_STATE, AT_STORE_FILE, at_buf_bytes(&text), 0600,
		     AT_PLAN_WRITE, "the newest proof of the launcher", err)
		&& at_plan_apply(&plan, project, state, AT_STORE_ACT, &applied, err);
	at_plan_free(&plan);
	at_buf_free(&text);
	return ok;
}

bool at_store_load(
	struct at_proof *out, bool *exists, const struct at_state *state, struct at_error *err)
{
	struct at_file file = { 0 };
	bool ok = true;

	*exists = false;
	at_proof_init(out);
	if (state->fd < 0)
		return true;
	if (!at_file_read(&file, state->fd, AT_STORE_FILE, AT_PROOF_CAP,
		    AT_FILE_MAY_BE_ABSENT | AT_FILE_SINGLE_LINK | AT_FILE_NO_DIGEST, err))
		return false;
	if (file.exists) {
		at_proof_free(out);
		ok = at_proof_read(out, at_buf_bytes(&file.bytes), err);
		*exists = ok;
	}
	at_file_free(&file);
	return ok;
}
