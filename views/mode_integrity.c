/* mode_integrity.c - --verify-integrity and --write-integrity-manifest. (INT-1, INT-2, INT-4) */
#include "core/apply.h"
#include "views/integrity_ground.h"
#include "views/integrity_text.h"
#include "views/modes.h"
#include "views/out.h"

int at_mode_verify_integrity(struct at_session *session)
{
	struct at_integrity_site site;
	struct at_integrity integrity;
	struct at_collected c;
	struct at_buf text = { 0 };
	struct at_json_value *json;
	int status;

	at_collect_plan(&c, session);
	at_integrity_site_make(&site, session, &c);
	at_integrity_begin(&integrity, &site.ground);
	at_integrity_work(&integrity, -1);
	status = at_integrity_worst(&integrity) == AT_FAIL ? 1 : 0;
	if (session->options->json) {
		json = at_json_object();
		at_integrity_to_json(&integrity, json);
		at_out_json(json);
	} else {
		at_integrity_print(&integrity, &text);
		at_out_text(&text);
		at_buf_free(&text);
	}
	at_integrity_free(&integrity);
	at_collected_free(&c);
	return status;
}

static bool plan_manifest(struct at_plan *plan, const struct at_session *session,
	struct at_error *err)
{
	struct at_buf text = { 0 };
	struct at_pins pins;
	bool ok;

	if (!at_integrity_is_own_tree(session->project.fd)) {
		at_fail(err, AT_EREFUSED, "%s is no source tree of atconsole: what would have to "
			"be pinned there is not known", session->path);
		at_error_hint(err, "A manifest of another tool is written by that tool.");
		return false;
	}
	at_pins_init(&pins);
	ok = at_pins_of_tree(&pins, session->project.fd, err);
	if (ok) {
		at_pins_print(&text, &pins);
		ok = at_plan_add(plan, session->project.fd, AT_IN_PROJECT, AT_INTEGRITY_MANIFEST,
			at_buf_bytes(&text), 0, AT_PLAN_WRITE, "digests of what is there now", err);
	}
	at_buf_free(&text);
	at_pins_free(&pins);
	return ok;
}

/* Says what was written, on standard error with --json, whose report is the one that follows. */
static void report(const struct at_plan *plan, const struct at_session *session)
{
	struct at_buf text = { 0 };

	at_plan_print(plan, &text);
	if (session->options->json)
		at_out_notes(&text);
	else
		at_out_text(&text);
	at_buf_free(&text);
}

int at_mode_write_integrity_manifest(struct at_session *session)
{
	struct at_applied applied;
	struct at_error err;
	struct at_plan plan;
	bool dry = session->options->dry_run, ok;

	at_plan_init(&plan);
	ok = (dry || at_session_recover(session, false, &err))
		&& plan_manifest(&plan, session, &err)
		&& (dry || at_plan_apply(&plan, session->project.fd, &session->state, "pins",
				   &applied, &err));
	if (ok)
		report(&plan, session);
	at_plan_free(&plan);
	if (!ok)
		return at_out_error(&err);
	return dry ? 0 : at_mode_verify_integrity(session);
}
