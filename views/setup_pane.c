/* setup_pane.c - what the draft, or the choice at the cursor, would change in what is emitted. */
#include <string.h>

#include "core/brief_edit.h"
#include "core/file.h"
#include "views/setup_state.h"

void setup_drop_plans(struct setup_state *s)
{
	at_setup_effect_free(&s->saved);
	at_setup_effect_free(&s->drafted);
	at_setup_effect_free(&s->chosen);
	at_diff_free(&s->diff);
	s->diff = (struct at_diff){ 0 };
}

/* The draft with the choice at the cursor taken; false where the cursor is on no open choice. */
static bool choose(struct setup_state *s, struct at_buf *brief, enum at_framework_id *framework)
{
	const struct at_setup_row *row = setup_current(s);
	struct at_bytes draft = at_buf_bytes(&s->model.text);
	struct at_buf value = { 0 };
	bool ok;

	if (!row || !s->model.can_edit || !s->model.request_ok)
		return false;
	if (row->kind == AT_SETUP_FRAMEWORK && row->index != *framework) {
		*framework = (enum at_framework_id)row->index;
		at_buf_put(brief, draft.data, draft.len);
		return true;
	}
	if (row->kind == AT_SETUP_PROFILE
		&& (enum at_profile)row->index != s->model.request.profile)
		at_buf_printf(&value, "\"%s\"", at_profile_name((enum at_profile)row->index));
	else if (row->kind == AT_SETUP_FIELD && row->field->type == AT_FIELD_BOOL)
		at_buf_puts(&value, at_setup_flag(&s->model, row->field) ? "false" : "true");
	else
		return false;
	ok = at_brief_set(brief, draft, row->field, at_buf_bytes(&value), NULL);
	at_buf_free(&value);
	return ok;
}

/* Where there is nothing to compare with, the file on disk is what it would change. */
static void put_before(struct setup_state *s, const struct at_setup_effect *before,
	const struct at_setup_effect *after)
{
	struct at_bytes text = at_setup_effect_example(before, NULL);
	const char *path = NULL;
	struct at_file file;

	s->old_text.len = 0;
	if (before->is_planned) {
		at_buf_put(&s->old_text, text.data, text.len);
		return;
	}
	at_setup_effect_example(after, &path);
	if (!path || !at_file_read(&file, s->model.session->project.fd, path, AT_FILE_CAP,
			     AT_FILE_MAY_BE_ABSENT | AT_FILE_NO_DIGEST, NULL))
		return;
	text = at_buf_bytes(&file.bytes);
	at_buf_put(&s->old_text, text.data, text.len);
	at_file_free(&file);
}

static void compare(struct setup_state *s, const struct at_setup_effect *before,
	const struct at_setup_effect *after)
{
	struct at_bytes text = at_setup_effect_example(after, NULL);

	at_diff_free(&s->diff);
	s->diff = (struct at_diff){ 0 };
	s->names.len = 0;
	s->files = at_setup_effect_compare(before, after, &s->names);
	put_before(s, before, after);
	s->new_text.len = 0;
	at_buf_put(&s->new_text, text.data, text.len);
	if (!after->is_planned
		|| !at_diff_make(&s->diff, at_buf_bytes(&s->old_text), at_buf_bytes(&s->new_text),
			3, NULL)) {
		at_diff_free(&s->diff);
		s->diff = (struct at_diff){ 0 };
	}
	at_diff_rows_init(&s->diff_rows, &s->diff, s->pager.width);
	at_pager_refresh(&s->pager);
	at_pager_go(&s->pager, 0);
}

static void plan_draft(struct setup_state *s)
{
	const struct at_session *session = s->model.session;
	enum at_framework_id framework = session->manifest.framework;

	at_setup_roots_free(&s->roots);
	at_setup_roots_make(&s->roots, &s->model);
	at_setup_effect_free(&s->saved);
	at_setup_effect_free(&s->drafted);
	if (session->request_ok)
		at_setup_effect_make(
			&s->saved, session, at_buf_bytes(&session->brief.bytes), framework);
	if (s->model.request_ok)
		at_setup_effect_make(&s->drafted, session, at_buf_bytes(&s->model.text), framework);
	s->effects_are_stale = false;
}

void setup_plan(struct setup_state *s)
{
	enum at_framework_id framework = s->model.session->manifest.framework;
	static const struct at_setup_effect none;
	struct at_buf brief = { 0 };

	if (s->effects_are_stale)
		plan_draft(s);
	s->pane_is_stale = false;
	if (choose(s, &brief, &framework)) {
		at_setup_effect_free(&s->chosen);
		at_setup_effect_make(&s->chosen, s->model.session, at_buf_bytes(&brief), framework);
		s->about = SETUP_ABOUT_CHOICE;
		compare(s, &s->drafted, &s->chosen);
	} else {
		s->about = SETUP_ABOUT_DRAFT;
		/* Nothing changed: what is of interest is what is still to be emitted. */
		compare(s, at_setup_is_changed(&s->model) ? &s->saved : &none, &s->drafted);
	}
	at_buf_free(&brief);
}
