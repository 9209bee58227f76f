/* mode_brief.c - the brief without a screen: --brief shows its fields, --set and --unset change
 * them. The same model and the same write as the Setup view. (UI-3) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/brief_edit.h"
#include "core/diff.h"
#include "core/mem.h"
#include "views/brief_save.h"
#include "views/modes.h"
#include "views/out.h"
#include "views/setup_cards.h"
#include "views/setup_effect.h"
#include "views/setup_roots.h"

static void print_choices(const struct at_setup_model *model, struct at_buf *out)
{
	const struct at_session *session = model->session;

	at_buf_puts(out, "\nprofiles\n");
	for (int p = AT_COOPERATIVE; p <= AT_EXCLUSIVE; p++) {
		at_buf_printf(out, "  %s\n    buys: %s\n    cannot: %s\n    here: ",
			at_profile_name((enum at_profile)p), at_profile_cards[p].buys,
			at_profile_cards[p].cannot);
		at_profile_here(out, model, (enum at_profile)p);
		at_buf_putc(out, '\n');
	}
	at_buf_puts(out, "\nframeworks (--framework ID)\n");
	for (int id = 0; id < AT_FRAMEWORK_COUNT; id++) {
		at_buf_printf(out, "  %s %-15s ",
			id == (int)session->manifest.framework ? "*" : " ",
			at_framework_name((enum at_framework_id)id));
		at_framework_here(out, session, (enum at_framework_id)id);
		at_buf_putc(out, '\n');
	}
	at_buf_puts(out, "  ");
	at_framework_mechanism(out, session, session->manifest.framework);
	at_buf_puts(out, " (atconsole --ceilings)\n");
}

static void print_fields(const struct at_setup_model *model)
{
	const struct at_texts *unknown = &model->request.unknown_keys;
	struct at_buf out = { 0 }, value = { 0 };

	at_buf_printf(&out, "%s%s\n\n", model->session->brief_path,
		model->session->brief.exists ? "" : " is not there: these are the defaults");
	for (size_t i = 0; i < at_request_field_count; i++) {
		const struct at_field *field = &at_request_fields[i];
		bool is_given = at_setup_raw(model, field).len > 0;

		if (field->type == AT_FIELD_ANY && !is_given)
			continue;
		value.len = 0;
		at_setup_show(model, field, &value);
		at_buf_printf(
			&out, "%s = %s", field->name, value.len ? at_buf_text(&value) : "none");
		at_buf_printf(&out, "%s\n    %s Default: %s.\n", is_given ? "" : "   (default)",
			field->help, field->fallback);
	}
	for (size_t i = 0; i < unknown->count; i++)
		at_buf_printf(&out, "%s is kept as it is: this program does not know it\n",
			unknown->items[i]);
	print_choices(model, &out);
	at_out_text(&out);
	at_buf_free(&out);
	at_buf_free(&value);
}

static void field_to_json(const struct at_setup_model *model, const struct at_field *field,
	struct at_json_value *array)
{
	struct at_json_value *one = at_json_add_object(array, NULL), *list;
	struct at_bytes raw = at_setup_raw(model, field);
	const struct at_texts *texts;
	struct at_buf value = { 0 };

	at_json_add_text(one, "name", field->name);
	at_json_add_bool(one, "given", raw.len > 0);
	if (field->type == AT_FIELD_BOOL) {
		at_json_add_bool(one, "value", at_setup_flag(model, field));
	} else if (field->type == AT_FIELD_TEXTS) {
		texts = at_setup_texts(model, field);
		list = at_json_add_array(one, "value");
		for (size_t i = 0; i < texts->count; i++)
			at_json_add_text(list, NULL, texts->items[i]);
	} else if (field->type != AT_FIELD_ANY) {
		at_setup_show(model, field, &value);
		at_json_add_text(one, "value", at_buf_text(&value));
	} else if (raw.len) {
		at_json_add_bytes(one, "json", raw);
	}
	at_json_add_text(one, "default_json", field->fallback);
	at_json_add_text(one, "help", field->help);
	at_json_add_text(one, "reader", field->reader);
	at_buf_free(&value);
}

static void choices_to_json(const struct at_setup_model *model, struct at_json_value *json)
{
	struct at_json_value *list = at_json_add_array(json, "profiles"), *one;
	const struct at_session *session = model->session;
	struct at_buf here = { 0 };

	for (int p = AT_COOPERATIVE; p <= AT_EXCLUSIVE; p++) {
		one = at_json_add_object(list, NULL);
		here.len = 0;
		at_json_add_text(one, "name", at_profile_name((enum at_profile)p));
		at_json_add_text(one, "buys", at_profile_cards[p].buys);
		at_json_add_text(one, "cannot", at_profile_cards[p].cannot);
		at_json_add_bool(
			one, "boundary", at_profile_here(&here, model, (enum at_profile)p));
		at_json_add_text(one, "here", at_buf_text(&here));
	}
	list = at_json_add_array(json, "frameworks");
	for (int id = 0; id < AT_FRAMEWORK_COUNT; id++) {
		one = at_json_add_object(list, NULL);
		at_json_add_text(one, "id", at_framework_name((enum at_framework_id)id));
		at_json_add_bool(one, "found",
			at_team_is_present(&session->project, (enum at_framework_id)id));
		at_json_add_bool(one, "chosen", id == (int)session->manifest.framework);
	}
	at_buf_free(&here);
}

static void show_json(const struct at_setup_model *model)
{
	const struct at_session *session = model->session;
	struct at_json_value *json = at_json_object(), *list;
	char hex[AT_DIGEST_HEX];

	at_json_add_text(json, "brief", session->brief_path);
	at_json_add_bool(json, "exists", session->brief.exists);
	if (session->brief.exists) {
		at_digest_hex(hex, &session->brief.digest);
		at_json_add_text(json, "sha256", hex);
	}
	list = at_json_add_array(json, "fields");
	for (size_t i = 0; i < at_request_field_count; i++)
		field_to_json(model, &at_request_fields[i], list);
	list = at_json_add_array(json, "unknown_keys");
	for (size_t i = 0; i < model->request.unknown_keys.count; i++)
		at_json_add_text(list, NULL, model->request.unknown_keys.items[i]);
	choices_to_json(model, json);
	at_out_json(json);
}

static const struct at_field *field_named(const char *name, size_t len, struct at_error *err)
{
	for (size_t i = 0; i < at_request_field_count; i++) {
		const struct at_field *field = &at_request_fields[i];

		if (strlen(field->name) == len && memcmp(field->name, name, len) == 0)
			return field;
	}
	at_fail(err, AT_EUSAGE, "a brief has no field `%.*s` that is read here",
		(int)(len > 200 ? 200 : len), name);
	at_error_hint(
		err, "atconsole --brief lists the fields; other keys are yours to edit by hand.");
	return NULL;
}

static bool set_one(struct at_setup_model *model, const char *words, struct at_error *err)
{
	const char *equals = strchr(words, '=');
	const struct at_field *field;
	struct at_buf value = { 0 };
	bool ok;

	if (!equals)
		return at_fail(err, AT_EUSAGE, "--set %s has no `=`: it is NAME=VALUE", words);
	field = field_named(words, (size_t)(equals - words), err);
	if (!field)
		return false;
	ok = at_brief_value(&value, field, equals + 1, err)
		&& at_setup_set(model, field, at_buf_bytes(&value), err);
	at_buf_free(&value);
	return ok;
}

/* All of them or none; taken out first, so that the two may name one field. */
static bool change(struct at_setup_model *model, struct at_error *err)
{
	const struct at_options *o = model->session->options;

	for (size_t i = 0; i < o->unset.count; i++) {
		const struct at_field *field =
			field_named(o->unset.items[i], strlen(o->unset.items[i]), err);

		if (!field || !at_setup_unset(model, field, err))
			return false;
	}
	for (size_t i = 0; i < o->set.count; i++) {
		if (!set_one(model, o->set.items[i], err))
			return false;
	}
	if (!model->request_ok) {
		*err = model->error;
		at_error_path(err, model->session->brief_path);
		return false;
	}
	return at_setup_check_roots(model, NULL, NULL, err);
}

struct outcome {
	struct at_diff diff;
	struct at_setup_effect saved, drafted;
	struct at_buf files;
	size_t count;
};

static bool foresee(struct outcome *out, const struct at_setup_model *model, struct at_error *err)
{
	const struct at_session *session = model->session;
	enum at_framework_id framework = session->manifest.framework;

	if (!at_diff_make(&out->diff, at_buf_bytes(&session->brief.bytes),
		    at_buf_bytes(&model->text), 3, err))
		return false;
	if (session->request_ok)
		at_setup_effect_make(
			&out->saved, session, at_buf_bytes(&session->brief.bytes), framework);
	at_setup_effect_make(&out->drafted, session, at_buf_bytes(&model->text), framework);
	out->count = at_setup_effect_compare(&out->saved, &out->drafted, &out->files);
	return true;
}

static void outcome_free(struct outcome *out)
{
	at_diff_free(&out->diff);
	at_setup_effect_free(&out->saved);
	at_setup_effect_free(&out->drafted);
	at_buf_free(&out->files);
}

static void report_json(const struct at_setup_model *model, const struct outcome *outcome,
	const char *old_name, const struct at_applied *applied)
{
	struct at_json_value *json = at_json_object();
	struct at_digest now = at_digest_of(at_buf_bytes(&model->text));
	char hex[AT_DIGEST_HEX];
	struct at_buf diff = { 0 };

	at_diff_print(&outcome->diff, old_name, model->session->brief_place, AT_DIFF_RAW, &diff);
	at_digest_hex(hex, &now);
	at_json_add_text(json, "brief", model->session->brief_place);
	at_json_add_number(json, "added", (long long)outcome->diff.added);
	at_json_add_number(json, "removed", (long long)outcome->diff.removed);
	at_json_add_bytes(json, "diff", at_buf_bytes(&diff));
	at_json_add_text(json, "sha256", hex);
	at_json_add_number(json, "written", applied ? (long long)applied->written : 0);
	at_json_add_bool(json, "would_be_emitted", outcome->drafted.is_planned);
	at_json_add_number(json, "files_that_change", (long long)outcome->count);
	at_out_json(json);
	at_buf_free(&diff);
}

static void report(const struct at_setup_model *model, const struct outcome *outcome,
	const struct at_applied *applied)
{
	const struct at_session *session = model->session;
	const char *old_name = session->brief.exists ? session->brief_place : NULL;
	struct at_buf text = { 0 };

	if (session->options->json) {
		report_json(model, outcome, old_name, applied);
		return;
	}
	at_diff_print(&outcome->diff, old_name, session->brief_place, AT_DIFF_RAW, &text);
	if (!outcome->diff.count)
		at_buf_puts(&text, "nothing to do: the brief says so already\n");
	else if (applied)
		at_buf_printf(
			&text, "saved: %s; atconsole --undo takes it back\n", session->brief_place);
	else
		at_buf_puts(&text, "nothing was written\n");
	if (!outcome->drafted.is_planned)
		at_buf_printf(&text, "with it nothing would be emitted: %s\n",
			outcome->drafted.error.message);
	else if (outcome->count)
		at_buf_printf(&text, "emitted files that change with it (--update): %zu: %s\n",
			outcome->count, at_buf_text(&outcome->files));
	at_out_diff(&text, session->options->color);
	at_buf_free(&text);
	at_out_notices(&outcome->drafted.notices);
}

static bool edit(struct at_setup_model *model, struct at_error *err)
{
	struct at_session *session = model->session;
	struct at_applied applied = { 0 };
	struct outcome outcome = { 0 };
	bool writes = !session->options->dry_run;
	bool ok = change(model, err) && foresee(&outcome, model, err);

	if (ok && writes && at_setup_is_changed(model))
		ok = at_brief_save(session, at_buf_bytes(&model->text), &applied, err);
	if (ok)
		report(model, &outcome, applied.written ? &applied : NULL);
	outcome_free(&outcome);
	return ok;
}

int at_mode_brief(struct at_session *session)
{
	bool edits = session->options->set.count || session->options->unset.count;
	struct at_setup_draft draft = { .is_begun = true }; /* no word of ours that was not asked for */
	struct at_setup_model model;
	struct at_error err;
	int status = 0;

	if (edits && !session->options->dry_run && !at_session_recover(session, false, &err))
		return at_out_error(&err);
	at_setup_open(&model, session, &draft);
	if (edits) {
		if (!edit(&model, &err))
			status = at_out_error(&err);
	} else if (!model.request_ok) {
		status = at_out_error(&model.error);
	} else if (session->options->json) {
		show_json(&model);
	} else {
		print_fields(&model);
	}
	at_setup_close(&model);
	at_setup_draft_free(&draft);
	return status;
}
