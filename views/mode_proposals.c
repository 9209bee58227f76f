/* mode_proposals.c - what the operator asks of proposals by command: --verify-proposal-ledger,
 * --repair-proposal-ledger, --issue-dispatch, --confined-path, --install-confined. (RUN-1, RUN-5)
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/json_write.h"
#include "core/mem.h"
#include "keys/isotime.h"
#include "runner/proposals/dispatch.h"
#include "runner/proposals/ledger.h"
#include "runner/proposals/operator_file.h"
#include "runner/proposals/site.h"
#include "views/key_place.h"
#include "views/modes.h"
#include "views/out.h"

/* The key and the project, while a mode is at it. */
struct desk {
	struct at_session *session;
	struct at_custody_place place;
	struct at_secret key;
	struct at_proposal_site site;
};

static bool is_json(const struct desk *d)
{
	return d->session->options->json;
}

static void look(struct desk *d, struct at_session *session)
{
	*d = (struct desk){ .session = session, .place = at_key_place(session) };
	d->site = (struct at_proposal_site){ .root = session->project.fd,
		.state = session->state.fd };
}

/* WIRE-17: the ledger's key is the operator's, to verify with as well. */
static bool open_key(struct desk *d, struct at_error *err)
{
	if (!at_session_may_use_keys(d->session, err)
		|| !at_proposal_key_load(&d->key, d->session->host.home,
			getenv(AT_PROPOSAL_KEY_VARIABLE), &d->place, err))
		return false;
	d->site.key = at_secret_bytes(&d->key);
	return true;
}

/* No ledger, no head, no dispatches: intact, and no key is asked for. */
static bool is_nothing_there(const struct desk *d)
{
	static const char *const paths[] = { AT_PROPOSAL_LEDGER, AT_PROPOSAL_HEAD, AT_DISPATCHES };

	for (size_t i = 0; i < AT_LEN(paths); i++)
		if (at_file_type(d->site.root, paths[i]) != AT_FILE_ABSENT)
			return false;
	return true;
}

/* Each line of `problems` with a mark in front. */
static void tell_problems(const struct at_buf *problems, size_t count)
{
	struct at_buf text = { 0 };
	const char *p = at_buf_text(problems);

	for (; *p; p += strcspn(p, "\n") + 1)
		at_buf_printf(&text, "  \xe2\x9c\x97 %.*s\n", (int)strcspn(p, "\n"), p);
	if (count > AT_PROPOSAL_PROBLEMS)
		at_buf_printf(&text, "  and %zu more\n", count - AT_PROPOSAL_PROBLEMS);
	at_out_notes(&text);
	at_buf_free(&text);
}

static const char *remedy(const struct at_proposal_state *state)
{
	if (state->head == AT_PROPOSAL_HEAD_BEHIND)
		return "a run was cut short between a row and the head; atconsole "
		       "--repair-proposal-ledger counts it";
	return state->torn ? "the last line is torn: no row; the next append, or atconsole "
			     "--repair-proposal-ledger, sets it aside"
			   : "";
}

static void verdict_to_json(const struct at_proposal_state *state)
{
	struct at_json_value *json = at_json_object(), *array;
	const char *p = at_buf_text(&state->problems);

	at_json_add_bool(json, "ok", state->problem_count == 0);
	at_json_add_number(json, "rows", (long long)state->rows);
	at_json_add_number(json, "anchored", (long long)state->anchored);
	at_json_add_number(json, "torn_bytes", (long long)state->torn);
	at_json_add_number(json, "problem_count", (long long)state->problem_count);
	array = at_json_add_array(json, "problems");
	for (; *p; p += strcspn(p, "\n") + 1)
		at_json_add_bytes(array, NULL, (struct at_bytes){ p, strcspn(p, "\n") });
	at_json_add_text(json, "hint", remedy(state));
	at_out_json(json);
}

static void tell_verdict(const struct at_proposal_state *state)
{
	struct at_buf text = { 0 };

	if (state->problem_count)
		at_buf_printf(&text, "Proposal ledger: %zu problem(s)\n", state->problem_count);
	else
		at_buf_puts(&text, "Proposal ledger: OK\n");
	at_out_text(&text);
	at_buf_free(&text);
	tell_problems(&state->problems, state->problem_count);
	if (*remedy(state))
		at_out_note("%s", remedy(state));
}

int at_mode_verify_proposal_ledger(struct at_session *session)
{
	struct at_proposal_state state = { 0 };
	struct at_error err = { 0 };
	struct desk d;
	int status;

	look(&d, session);
	if (!is_nothing_there(&d)
		&& (!open_key(&d, &err)
			|| !at_proposal_ledger_verify(&state, &d.site, NULL, NULL, &err))) {
		status = at_out_error(&err);
	} else {
		status = state.problem_count > 0;
		if (is_json(&d))
			verdict_to_json(&state);
		else
			tell_verdict(&state);
	}
	at_proposal_state_free(&state);
	at_secret_free(&d.key);
	return status;
}

static void tell_repair(const struct desk *d, const struct at_proposal_repair *repair)
{
	struct at_json_value *json;

	if (!is_json(d)) {
		at_out_text(&repair->said);
		return;
	}
	json = at_json_object();
	at_json_add_number(json, "rows", (long long)repair->rows);
	at_json_add_number(json, "counted", (long long)repair->counted);
	at_json_add_number(json, "torn_bytes", (long long)repair->torn);
	at_json_add_bytes(json, "said", at_buf_bytes(&repair->said));
	at_out_json(json);
}

int at_mode_repair_proposal_ledger(struct at_session *session)
{
	struct at_proposal_repair repair = { 0 };
	struct at_error err = { 0 };
	struct desk d;
	int status = 0;

	look(&d, session);
	if (open_key(&d, &err) && at_proposal_ledger_repair(&repair, &d.site, &err))
		tell_repair(&d, &repair);
	else
		status = at_out_error(&err);
	at_proposal_repair_free(&repair);
	at_secret_free(&d.key);
	return status;
}

/* 3.16: a runner is, was or will be at it, or nobody can say. */
static bool is_queued(const struct at_session *session)
{
	return !session->request_ok || *session->request.write_policy
		|| at_file_type(session->project.fd, AT_GROUND "/runner.lock") != AT_FILE_ABSENT
		|| at_file_type(session->project.fd, AT_GROUND "/runner.heartbeat")
		!= AT_FILE_ABSENT;
}

static bool refuse_queued(const struct at_session *session, struct at_error *err)
{
	if (!is_queued(session))
		return true;
	at_fail(err, AT_EREFUSED,
		"no runner is serving this project (no fresh " AT_GROUND "/runner.heartbeat)");
	at_error_name(err, "no-runner");
	at_error_hint(err, "The operator starts one outside any agent session.");
	return false;
}

static bool issue(struct desk *d, char nonce[AT_NONCE], struct at_error *err)
{
	struct at_dispatches *dispatches = NULL;
	struct at_proposal_ledger *ledger = NULL;
	bool done;

	done = at_proposal_ledger_open(&ledger, &d->site, NULL, NULL, err)
		&& at_dispatches_open(&dispatches, &d->site, err)
		&& at_dispatch_issue(nonce, dispatches, ledger, d->session->options->agent,
			&at_dispatch_uniform, at_time_now(), err);
	if (done && !at_proposal_ledger_anchor(ledger, err))
		at_out_note("%s", err->message);
	at_dispatches_close(dispatches);
	at_proposal_ledger_close(ledger);
	return done;
}

/* The one time the nonce is shown: no file holds it. */
static void tell_nonce(const struct desk *d, const char *nonce)
{
	struct at_json_value *json;
	struct at_buf text = { 0 };

	if (is_json(d)) {
		json = at_json_object();
		at_json_add_text(json, "nonce", nonce);
		at_out_json(json);
		return;
	}
	at_buf_printf(&text, "%s\n", nonce);
	at_out_text(&text);
	at_buf_free(&text);
}

int at_mode_issue_dispatch(struct at_session *session)
{
	char nonce[AT_NONCE] = "";
	struct at_error err = { 0 };
	struct desk d;
	int status = 0;

	look(&d, session);
	if (!session->options->agent) {
		at_fail(&err, AT_EUSAGE, "--issue-dispatch needs --agent: whose task it is");
		return at_out_error(&err);
	}
	if (refuse_queued(session, &err) && open_key(&d, &err) && issue(&d, nonce, &err))
		tell_nonce(&d, nonce);
	else
		status = at_out_error(&err);
	at_secret_free(&d.key);
	return status;
}

int at_mode_confined_path(struct at_session *session)
{
	struct at_custody_place place = at_key_place(session);
	struct at_operator_file file = { 0 };
	struct at_json_value *json;
	struct at_buf text = { 0 };
	struct at_error err = { 0 };
	char path[PATH_MAX];

	if (!at_operator_path(path, session->host.home, AT_CONFINED_DIR, session->path, &err)
		|| !at_operator_file_read(&file, path, AT_CONFINED_CAP, &place, &err))
		return at_out_error(&err);
	if (session->options->json) {
		json = at_json_object();
		at_json_add_text(json, "path", path);
		at_json_add_bool(json, "present", file.exists);
		at_out_json(json);
	} else {
		at_buf_printf(&text, "%s (%s)\n", path, file.exists ? "present" : "absent");
		at_out_text(&text);
	}
	at_buf_free(&text);
	at_operator_file_free(&file);
	return 0;
}

/* The file the operator wrote, from wherever it is. */
static bool read_wanted(struct at_buf *out, const char *path, struct at_error *err)
{
	char piece[4096];
	FILE *file = fopen(path, "re");
	size_t got;

	if (!file)
		return at_fail_sys(err, errno, "cannot read `%s`", path);
	while ((got = fread(piece, 1, sizeof(piece), file)) > 0 && out->len <= AT_CONFINED_CAP)
		at_buf_put(out, piece, got);
	fclose(file);
	at_buf_reserve(out, 1);
	return out->len <= AT_CONFINED_CAP
		|| at_fail(err, AT_ELIMIT, "`%s` is larger than 65536 bytes", path);
}

/* Shown, with its digest, until that digest is given back. */
static bool confirm(
	const struct at_session *session, const struct at_buf *text, struct at_error *err)
{
	const char *given = session->options->confirm_review;
	struct at_digest digest = at_digest_of(at_buf_bytes(text)), named;
	char hex[AT_DIGEST_HEX];

	at_digest_hex(hex, &digest);
	if (given && at_digest_from_hex(&named, given) && at_digest_equal(&named, &digest))
		return true;
	if (!given)
		at_out_text(text);
	at_fail(err, given ? AT_ESTALE : AT_EREFUSED,
		given ? "the review named is not of this file" : "nothing was installed yet");
	at_error_name(err, "review");
	at_error_hint(err, "Read it, then add --confirm-review-sha256 %s.", hex);
	return false;
}

static bool install(
	struct at_session *session, struct at_buf *text, char path[PATH_MAX], struct at_error *err)
{
	struct at_custody_place place = at_key_place(session);
	struct at_buf wanted = { 0 };
	bool done;

	done = at_session_may_use_keys(session, err)
		&& at_operator_path(path, session->host.home, AT_CONFINED_DIR, session->path, err)
		&& read_wanted(&wanted, session->options->install_confined, err)
		&& at_confined_render(text, at_buf_bytes(&wanted),
			session->brief.exists ? at_buf_bytes(&session->brief.bytes)
					      : at_bytes_of("{}"),
			session->brief_place, session->host.home, err)
		&& confirm(session, text, err);
	if (done && !session->options->dry_run)
		done = at_operator_file_write(path, at_buf_bytes(text), &place, err);
	at_buf_free(&wanted);
	return done;
}

int at_mode_install_confined(struct at_session *session)
{
	struct at_buf text = { 0 }, said = { 0 };
	struct at_error err = { 0 };
	char path[PATH_MAX];
	int status = 0;

	if (install(session, &text, path, &err)) {
		at_buf_printf(&said, "%s %s\nnext: restart the runner, which pins it\n",
			session->options->dry_run ? "would write" : "wrote", path);
		at_out_text(&said);
	} else {
		status = at_out_error(&err);
	}
	at_buf_free(&said);
	at_buf_free(&text);
	return status;
}
