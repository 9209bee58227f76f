/* mode_grants.c - --grants, --verify-grants, --issue-grant, --sign-grant. (KEY-3 to KEY-8) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "views/grants_text.h"
#include "views/modes.h"
#include "views/out.h"
#include "views/sign_act.h"
#include "views/sign_form.h"

#define PROBLEMS_TOLD 1000

int at_mode_grants(struct at_session *session)
{
	struct at_grants_list list;
	struct at_buf text = { 0 };
	struct at_json_value *json;
	int status;

	at_grants_list_open(&list, session, true);
	status = at_grants_are_fit(&list) ? 0 : 1;
	if (session->options->json) {
		json = at_json_object();
		at_grants_to_json(json, &list);
		at_out_json(json);
	} else {
		at_grants_print(&text, &list);
		at_out_text(&text);
	}
	at_buf_free(&text);
	at_grants_list_close(&list);
	return status;
}

int at_mode_verify_grants(struct at_session *session)
{
	struct at_buf out = { 0 }, problems = { 0 };
	struct at_open_site site;
	struct at_error err;
	int status = 1;
	bool done;

	if (session->options->json)
		return at_mode_grants(session);
	at_site_open(&site, session);
	done = at_grants_report(&out, &problems, &status, &site.site, PROBLEMS_TOLD, &err);
	at_site_close(&site);
	if (done) {
		at_out_text(&out);
		at_out_notes(&problems);
	} else {
		status = at_out_error(&err);
	}
	at_buf_free(&out);
	at_buf_free(&problems);
	return status;
}

/* Everything that is about to be signed, for whoever has to say yes. */
static void print_draft(const struct at_grant_draft *draft, const struct at_session *session)
{
	struct at_buf text = { 0 };
	char hex[AT_DIGEST_HEX];

	at_buf_puts(&text, "These bytes are signed:\n");
	at_buf_put(&text, draft->message.data, draft->message.len);
	at_buf_puts(&text, "\n\n");
	at_sign_form_opens(&text, draft, session);
	at_digest_hex(hex, &draft->review);
	at_buf_printf(&text, "review %s\n", hex);
	if (*draft->warning)
		at_buf_printf(&text, "%s\n", draft->warning);
	at_out_text(&text);
	at_buf_free(&text);
}

static bool confirm_named(const struct at_grant_draft *draft, const char *given,
	struct at_error *err)
{
	struct at_digest named;
	char hex[AT_DIGEST_HEX];

	if (at_digest_from_hex(&named, given) && at_digest_equal(&named, &draft->review))
		return true;
	at_digest_hex(hex, &draft->review);
	at_fail(err, AT_ESTALE, "the review named is not of this grant");
	at_error_hint(err, "It is %s.", hex);
	return false;
}

/* A terminal is asked; without one only the review's digest is a yes. */
static bool confirm(const struct at_grant_draft *draft, const struct at_session *session,
	struct at_error *err)
{
	const struct at_options *options = session->options;
	char answer[16], hex[AT_DIGEST_HEX];

	if (options->confirm_review)
		return confirm_named(draft, options->confirm_review, err);
	if (!options->batch && isatty(0) && isatty(1)) {
		printf("Sign this payload? [y/N] ");
		fflush(stdout);
		return (fgets(answer, sizeof(answer), stdin)
			       && (answer[0] == 'y' || answer[0] == 'Y'))
			|| at_fail(err, AT_EREFUSED, "not signed");
	}
	at_digest_hex(hex, &draft->review);
	at_fail(err, AT_EREFUSED, "nobody was asked: name the review that was looked at");
	at_error_hint(err, "Add --confirm-review-sha256 %s.", hex);
	return false;
}

static void print_json(const struct at_grant_draft *draft, bool written)
{
	struct at_json_value *json = at_json_object();
	char hex[AT_DIGEST_HEX];

	at_digest_hex(hex, &draft->review);
	at_json_add_bytes(json, "grant_id", draft->cells[AT_GRANT_ID]);
	at_json_add_bytes(json, "message", draft->message);
	at_json_add_text(json, "review_sha256", hex);
	at_json_add_bool(json, "written", written);
	at_json_add_text(json, "note", at_grant_latency_note);
	at_out_json(json);
}

/* By HMAC: the environment's key, which WIRE-16 allows here alone, and says so. */
static bool issue(struct at_buf *said, struct at_grant_draft *draft, struct at_arena *arena,
	const struct at_grants_site *site, struct at_error *err)
{
	struct at_ledger_appended appended;
	struct at_grant_verdict verdict;

	if (!at_grant_seal(draft, arena, site->hmac_key, err)
		|| !at_grant_verify(&verdict, draft, site, err)
		|| !at_grant_append(&appended, draft, site, err))
		return false;
	at_out_note("the key came from the environment, where every child of this shell can read "
		    "it; such a grant widens nothing. --sign-grant needs no such key.");
	at_grant_issued(said, draft, &appended, site);
	return true;
}

static bool make(struct at_buf *said, struct at_session *session, const char *path,
	enum at_grant_scheme scheme, struct at_arena *arena, struct at_error *err)
{
	const struct at_options *options = session->options;
	struct at_grant_draft draft;
	struct at_grant_spec spec;
	struct at_open_site site;
	bool done = false, is_signing = scheme == AT_GRANT_ED25519;

	at_site_open(&site, session);
	if (!at_grant_spec_load(&spec, arena, path, err)
		|| !at_grant_prepare(&draft, arena, &spec, scheme, &site.site, err))
		goto out;
	if (!options->json)
		print_draft(&draft, session);
	if (options->dry_run) {
		at_buf_puts(said, "nothing was written\n");
		done = true;
	} else if (is_signing) {
		done = confirm(&draft, session, err) && at_sign_grant(said, session, &draft, err);
	} else {
		done = issue(said, &draft, arena, &site.site, err);
	}
	if (done && options->json)
		print_json(&draft, !options->dry_run);
out:
	at_site_close(&site);
	return done;
}

static int mint(struct at_session *session, const char *path, enum at_grant_scheme scheme)
{
	struct at_arena *arena = at_arena_new();
	struct at_buf said = { 0 };
	struct at_error err;
	bool done = session->options->dry_run
		|| (scheme == AT_GRANT_ED25519 ? at_sign_is_allowed(session, &err)
					       : at_session_may_write_live(session, &err));

	done = done && make(&said, session, path, scheme, arena, &err);
	if (done && !session->options->json)
		at_out_text(&said);
	at_buf_free(&said);
	at_arena_free(arena);
	return done ? 0 : at_out_error(&err);
}

int at_mode_sign_grant(struct at_session *session)
{
	return mint(session, session->options->sign_grant, AT_GRANT_ED25519);
}

int at_mode_issue_grant(struct at_session *session)
{
	return mint(session, session->options->issue_grant, AT_GRANT_HMAC);
}
