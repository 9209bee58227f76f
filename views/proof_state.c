#include "views/proof_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/launch_line.h"
#include "emit/assets.h"
#include "runner/selftest/store.h"

bool at_launcher_text_read(
	struct at_launcher_text *out, const struct at_session *session, struct at_error *err)
{
	*out = (struct at_launcher_text){ .bytes = at_asset_launcher,
		.is_ours = true,
		.from = "the one this program ships: the project has none" };
	if (!at_file_read(&out->file, session->project.fd, AT_LAUNCHER, AT_FILE_CAP,
		    AT_FILE_MAY_BE_ABSENT | AT_FILE_NO_DIGEST, err))
		return false;
	if (!out->file.exists)
		return true;
	out->bytes = at_buf_bytes(&out->file.bytes);
	out->is_ours = at_bytes_equal(out->bytes, at_asset_launcher);
	out->from = out->is_ours ? "the project's, byte for byte the one that is shipped"
				 : "the project's, which is NOT the one that is shipped";
	return true;
}

void at_launcher_text_free(struct at_launcher_text *text)
{
	at_file_free(&text->file);
}

static void judge(struct at_proof_state *s, const struct at_session *session)
{
	struct at_launcher_text launcher;
	struct at_tools tools;
	struct at_proof now;
	const char *path = getenv("PATH");

	at_proof_date(s->date, s->proof.time);
	s->failures = at_proof_failures(&s->proof);
	if (!at_launcher_text_read(&launcher, session, NULL)) {
		snprintf(s->why, sizeof(s->why), "the project's launcher cannot be read");
		return;
	}
	at_tools_find(&tools, path ? path : "");
	tools.launcher = launcher.bytes;
	at_proof_init(&now);
	at_tools_facts(&now, &tools, false);
	now.facts[AT_PROOF_BWRAP_VERSION] = NULL; /* its digest tells it, and nothing is run */
	now.facts[AT_PROOF_LAYERS] = NULL;
	if (at_proof_is_stale(&s->proof, now.facts, (int64_t)time(NULL), s->why, sizeof(s->why)))
		s->state = AT_STATE_STALE;
	else if (s->failures)
		snprintf(s->why, sizeof(s->why), "%zu case%s that must hold do%s not", s->failures,
			s->failures == 1 ? "" : "s", s->failures == 1 ? "es" : "");
	else
		s->state = AT_STATE_VERIFIED_HERE;
	at_proof_free(&now);
	at_launcher_text_free(&launcher);
}

void at_proof_state_read(struct at_proof_state *out, const struct at_session *session)
{
	*out = (struct at_proof_state){ .state = AT_STATE_UNVERIFIED };
	out->is_refused = !at_store_load(&out->proof, &out->exists, &session->state, &out->error);
	if (out->exists)
		judge(out, session);
	else if (out->is_refused)
		snprintf(out->why, sizeof(out->why), "%.390s", out->error.message);
	else
		snprintf(out->why, sizeof(out->why), "no self-test was run on this host");
}

void at_proof_state_free(struct at_proof_state *state)
{
	at_proof_free(&state->proof);
	*state = (struct at_proof_state){ 0 };
}

void at_proof_state_evidence(const struct at_proof_state *state, struct at_evidence *evidence)
{
	if (evidence->mechanism != AT_LAUNCHER_LINUX || !state->exists)
		return;
	evidence->proof_date = state->date;
	at_proof_totals(&state->proof, SIZE_MAX, evidence->cases);
	if (evidence->state != AT_STATE_NOT_WIRED)
		evidence->state = state->state;
}
