/* mode_merge.c - --merge and --undo without a screen. */
#include <stdio.h>
#include <string.h>

#include "views/merge_report.h"
#include "runner/serve/serve.h"
#include "views/modes.h"
#include "views/out.h"

/* The selection the command line asks for. Every --accept names one item; what needs more
 * than a name is said by name too (WIRE-17). */
static bool select_asked(struct at_merge_model *model, struct at_error *err)
{
	const struct at_options *options = model->session->options;

	if (options->accept_safe)
		at_merge_select_safe(model->merge);
	else
		at_merge_select_none(model->merge);
	for (size_t i = 0; i < options->accept.count; i++) {
		size_t item = at_merge_find(model->merge, options->accept.items[i]);

		if (item == at_merge_count(model->merge)) {
			at_fail(err, AT_EUSAGE, "there is no item %s", options->accept.items[i]);
			at_error_hint(err, "atconsole --merge lists the items.");
			return false;
		}
		if (!at_merge_select(model->merge, item, true, err))
			return false;
	}
	return true;
}

static bool confirm_review(const struct at_merge_model *model, struct at_error *err)
{
	const char *given = model->session->options->confirm_review;
	struct at_merge_totals totals;
	struct at_digest review, named;
	char hex[AT_DIGEST_HEX];

	at_merge_review(model->merge, &review);
	at_digest_hex(hex, &review);
	at_merge_count_up(&totals, model->merge);
	if (given && (!at_digest_from_hex(&named, given) || !at_digest_equal(&named, &review))) {
		at_fail(err, AT_ESTALE,
			"the review named is not of this selection and these files");
		at_error_hint(err,
			"Look again with --merge --dry-run and the same --accept; it is %s now.",
			hex);
		return false;
	}
	if (given || totals.selected_effect[AT_WIDENS] + totals.selected_effect[AT_RELAXES] == 0)
		return true;
	at_fail(err, AT_EREFUSED, "the selection widens or relaxes the boundary: name the review");
	at_error_hint(err, "Look at it with --dry-run, then add --confirm-review-sha256 %s.", hex);
	return false;
}

static bool print_review(const struct at_merge_model *model, const struct at_applied *applied,
	struct at_error *err)
{
	struct at_buf text = { 0 };
	struct at_json_value *json;
	bool ok;

	if (model->session->options->json) {
		json = at_json_object();
		at_merge_report_json(model, json);
		if (applied) {
			at_json_add_number(json, "written", (long long)applied->written);
			at_json_add_text(json, "backup", applied->backup);
		}
		at_out_json(json);
		return true;
	}
	ok = at_merge_report_print(model, &text, err);
	if (ok && applied && applied->written)
		at_buf_printf(&text, "written: %s\nbackup: %s\natconsole --undo takes it back\n",
			model->live.path, applied->backup);
	else if (ok && applied)
		at_buf_puts(&text, "nothing chosen to write: nothing was written\n");
	if (ok && applied && applied->window)
		at_buf_puts(&text,
			"This file system cannot exchange files: for an instant between the last "
			"look and the write another change could have been lost.\n");
	if (ok)
		at_out_diff(&text, model->session->options->color);
	at_buf_free(&text);
	return ok;
}

static bool is_asked(const struct at_options *options)
{
	return options->accept_safe || options->accept.count;
}

/* WIRE-8: what was merged well into a file that the client skips is not in force. */
static void warn_if_skipped(struct at_session *session)
{
	struct at_collected now;

	at_collect(&now, session);
	if (now.is_checked && !now.wiring.file_is_loaded)
		at_out_note(
			"The client would load nothing of this file, so nothing of it is in force: "
			"atconsole --check-wiring says why.");
	at_collected_free(&now);
}

static bool merge(struct at_merge_model *model, struct at_error *err)
{
	const struct at_options *options = model->session->options;
	bool asked = is_asked(options);
	struct at_applied applied;

	if (asked && !select_asked(model, err))
		return false;
	if (!asked || options->dry_run)
		return print_review(model, NULL, err);
	if (!confirm_review(model, err) || !at_merge_model_write(model, &applied, err)
		|| !print_review(model, &applied, err))
		return false;
	if (applied.written)
		warn_if_skipped(model->session);
	return true;
}

int at_mode_merge(struct at_session *session)
{
	struct at_collected collected;
	struct at_merge_model model;
	struct at_error err;
	int status = 0;

	if (is_asked(session->options) && !session->options->dry_run
		&& !at_session_recover(session, true, &err))
		return at_out_error(&err);
	at_collect_plan(&collected, session);
	at_collect_gate(&collected, session);
	if (!at_merge_model_open(&model, session, &collected, NULL, &err)) {
		status = at_out_error(&err);
	} else {
		if (!merge(&model, &err))
			status = at_out_error(&err);
		at_merge_model_close(&model);
	}
	at_collected_free(&collected);
	return status;
}

/* `act`: what was or would be taken back, "" for nothing. */
static void report_undo(const struct at_session *session, const char *act, size_t files,
	bool is_done)
{
	struct at_json_value *json;

	if (session->options->json) {
		json = at_json_object();
		at_json_add_text(json, "act", *act ? act : NULL);
		at_json_add_number(json, "files", (long long)files);
		at_json_add_bool(json, "undone", is_done);
		at_out_json(json);
	} else if (is_done) {
		printf("undone: %s, %zu files have their old bytes back\n", act, files);
	} else if (*act) {
		printf("would undo: %s, %zu files\n", act, files);
	} else {
		printf("nothing to undo\n");
	}
}

int at_mode_undo(struct at_session *session)
{
	struct at_journal_state look;
	struct at_applied applied = { 0 };
	struct at_error err;

	if (!at_journal_look(&session->state, &look, &err))
		return at_out_error(&err);
	if (session->options->dry_run) {
		report_undo(session, look.what, look.files, false);
		return 0;
	}
	/* A write of the runner's is taken back by the runner, with a row of its own. */
	if (!look.half_done && strcmp(look.what, AT_PROPOSAL_ACT) == 0)
		return at_mode_undo_applied(session);
	if (!at_session_may_write_live(session, &err)
		|| !at_journal_undo(session->project.fd, &session->state, NULL, &applied, &err))
		return at_out_error(&err);
	report_undo(session, applied.undone, applied.written, true);
	return 0;
}
