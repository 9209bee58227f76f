#include "views/setup_model.h"

#include <stdlib.h>
#include <string.h>

#include "core/brief_edit.h"
#include "core/mem.h"
#include "views/brief_save.h"
#include "views/setup_roots.h"

static void free_edit(struct at_setup_edit *edit)
{
	free(edit->value);
	free(edit->was);
}

void at_setup_draft_free(struct at_setup_draft *draft)
{
	for (size_t i = 0; i < draft->count; i++)
		free_edit(&draft->edits[i]);
	for (size_t i = 0; i < draft->past_count; i++)
		free_edit(&draft->past[i]);
	free(draft->edits);
	free(draft->past);
	*draft = (struct at_setup_draft){ 0 };
}

static struct at_setup_edit *find(const struct at_setup_draft *draft, const struct at_field *field)
{
	for (size_t i = 0; i < draft->count; i++) {
		if (draft->edits[i].field == field)
			return &draft->edits[i];
	}
	return NULL;
}

/* Takes over what `edit` holds; returns what was there. */
static struct at_setup_edit exchange(struct at_setup_draft *draft, struct at_setup_edit edit)
{
	struct at_setup_edit *there = find(draft, edit.field), old = { .field = edit.field };

	if (there) {
		old = *there;
		if (edit.is_made)
			*there = edit;
		else
			*there = draft->edits[--draft->count];
	} else if (edit.is_made) {
		draft->edits = at_grow(draft->edits, &draft->cap, draft->count, sizeof(edit));
		draft->edits[draft->count++] = edit;
	}
	return old;
}

static struct at_bytes disk_text(const struct at_setup_model *model)
{
	return at_buf_bytes(&model->session->brief.bytes);
}

/* A copy of the field's value in a text, NULL where it has none. */
static char *value_in(struct at_bytes text, const struct at_field *field)
{
	struct at_json doc;
	struct at_bytes raw;
	char *copy = NULL;
	uint32_t node;

	if (!text.len || !at_json_read(&doc, text, &at_json_brief_limits, 0, NULL))
		return NULL;
	node = at_json_member(&doc, AT_JSON_ROOT, field->name);
	if (node != AT_JSON_NONE) {
		raw = at_json_raw(&doc, node);
		copy = at_alloc(raw.len + 1);
		memcpy(copy, raw.data, raw.len);
	}
	at_json_free(&doc);
	return copy;
}

static bool is_same_json(const char *a, struct at_bytes b)
{
	struct at_json left, right;
	bool same = false;

	if (!a || !at_json_read(&left, at_bytes_of(a), &at_json_brief_limits, 0, NULL))
		return false;
	if (at_json_read(&right, b, &at_json_brief_limits, 0, NULL)) {
		same = at_json_equal(&left, AT_JSON_ROOT, &right, AT_JSON_ROOT);
		at_json_free(&right);
	}
	at_json_free(&left);
	return same;
}

static bool apply_one(struct at_setup_model *model, const struct at_setup_edit *edit)
{
	struct at_buf next = { 0 };
	struct at_bytes now = at_buf_bytes(&model->text);
	bool ok = edit->value
		? at_brief_set(&next, now, edit->field, at_bytes_of(edit->value), &model->error)
		: at_brief_unset(&next, now, edit->field, &model->error);

	if (!ok) {
		at_buf_free(&next);
		return false;
	}
	at_buf_free(&model->text);
	model->text = next;
	return true;
}

/* In the table's order, whatever the order of the changes: the same draft is the same text. */
static bool apply_all(struct at_setup_model *model)
{
	struct at_bytes disk = disk_text(model);

	at_buf_put(&model->text, disk.data, disk.len);
	for (size_t i = 0; i < at_request_field_count; i++) {
		const struct at_setup_edit *edit = find(model->draft, &at_request_fields[i]);

		if (edit && !apply_one(model, edit))
			return false;
	}
	return true;
}

static void release(struct at_setup_model *model)
{
	at_buf_free(&model->text);
	at_json_free(&model->doc);
	at_arena_free(model->arena);
	model->doc = (struct at_json){ 0 };
	model->arena = NULL;
}

static bool read_text(struct at_setup_model *model)
{
	struct at_bytes text = at_buf_bytes(&model->text);

	if (!text.len) {
		at_request_default(&model->request, at_session_name(model->session), model->arena);
		return true;
	}
	if (!at_json_read(&model->doc, text, &at_json_brief_limits, 0, &model->error))
		return false;
	if (at_json_is(&model->doc, AT_JSON_ROOT, AT_JSON_OBJECT))
		return true;
	return at_fail(&model->error, AT_EINVALID, "the brief must be a JSON object");
}

/* The way everything follows from session and draft. */
static void make(struct at_setup_model *model)
{
	const struct at_session *session = model->session;
	bool is_there = session->brief.exists || session->request_error.code == AT_ENOENT;

	release(model);
	model->arena = at_arena_new();
	model->error = (struct at_error){ 0 };
	model->request_ok = false;
	at_request_default(&model->request, at_session_name(session), model->arena);
	if (!is_there)
		model->error = session->request_error;
	model->can_edit = is_there && apply_all(model) && read_text(model);
	if (!model->can_edit) {
		if (!*model->error.path)
			at_error_path(&model->error, session->brief_path);
		return;
	}
	model->request_ok = (!model->text.len && !session->brief.exists)
		|| at_request_read(&model->request, at_buf_bytes(&model->text),
			at_session_name(session), model->arena, &model->error);
	if (!model->request_ok)
		at_request_default(&model->request, at_session_name(session), model->arena);
	/* One outside the project is read and not changed. */
	if (!at_brief_is_ours(session, model->request_ok ? &model->error : NULL))
		model->can_edit = false;
}

/* REQ-1: a brief that was saved says its profile; only an absent one is defaulted. */
static void begin(struct at_setup_model *model)
{
	const struct at_field *profile = at_request_field("privilege_profile");
	struct at_setup_edit edit = { .field = profile, .is_made = true };

	if (model->session->brief.exists || model->draft->is_begun || model->draft->count)
		return;
	edit.value = at_strdup(profile->fallback);
	exchange(model->draft, edit);
	model->draft->is_begun = true;
}

void at_setup_open(struct at_setup_model *out, struct at_session *session,
	struct at_setup_draft *draft)
{
	memset(out, 0, sizeof(*out));
	out->session = session;
	out->draft = draft;
	begin(out);
	make(out);
}

void at_setup_close(struct at_setup_model *model)
{
	release(model);
	at_buf_free(&model->unaccepted);
}

void at_setup_reopen(struct at_setup_model *model)
{
	begin(model);
	make(model);
}

/* A change that leads back to what is on disk is none. The default of a field that is not on
 * disk needs no words either, but for the profile, which only counts where it is said. */
static bool is_needless(const struct at_setup_edit *edit)
{
	if (!edit->value)
		return !edit->was;
	if (edit->was)
		return is_same_json(edit->was, at_bytes_of(edit->value));
	return edit->field->type != AT_FIELD_PROFILE
		&& is_same_json(edit->value, at_bytes_of(edit->field->fallback));
}

static bool change(struct at_setup_model *model, const struct at_field *field,
	const struct at_bytes *value, struct at_error *err)
{
	struct at_setup_draft *draft = model->draft;
	struct at_setup_edit edit = { .field = field, .is_made = true };
	struct at_setup_edit old;

	if (!model->can_edit) {
		*err = model->error;
		return false;
	}
	if (value) {
		edit.value = at_alloc(value->len + 1);
		memcpy(edit.value, value->data, value->len);
	}
	edit.was = value_in(disk_text(model), field);
	if (is_needless(&edit)) {
		free_edit(&edit);
		edit = (struct at_setup_edit){ .field = field };
	}
	old = exchange(draft, edit);
	make(model);
	if (!model->can_edit || !at_setup_check_roots(model, field, &model->unaccepted, err)) {
		if (!model->can_edit)
			*err = model->error;
		edit = exchange(draft, old);
		free_edit(&edit);
		make(model);
		return false;
	}
	draft->past = at_grow(draft->past, &draft->past_cap, draft->past_count, sizeof(old));
	draft->past[draft->past_count++] = old;
	return true;
}

bool at_setup_set(struct at_setup_model *model, const struct at_field *field, struct at_bytes value,
	struct at_error *err)
{
	return at_brief_check(field, value, err) && change(model, field, &value, err);
}

bool at_setup_unset(
	struct at_setup_model *model, const struct at_field *field, struct at_error *err)
{
	return change(model, field, NULL, err);
}

bool at_setup_undo(struct at_setup_model *model)
{
	struct at_setup_draft *draft = model->draft;
	struct at_setup_edit old;

	if (!draft->past_count)
		return false;
	old = exchange(draft, draft->past[--draft->past_count]);
	free_edit(&old);
	make(model);
	return true;
}

void at_setup_forget(struct at_setup_model *model)
{
	at_setup_draft_free(model->draft);
	make(model);
}

bool at_setup_is_changed(const struct at_setup_model *model)
{
	return model->can_edit && !at_bytes_equal(at_buf_bytes(&model->text), disk_text(model));
}

bool at_setup_field_is_changed(const struct at_setup_model *model, const struct at_field *field)
{
	return find(model->draft, field) != NULL;
}

bool at_setup_field_is_stale(const struct at_setup_model *model, const struct at_field *field)
{
	const struct at_setup_edit *edit = find(model->draft, field);
	char *now;
	bool is_stale;

	if (!edit)
		return false;
	now = value_in(disk_text(model), field);
	is_stale = (now || edit->was) && (!now || !edit->was || strcmp(now, edit->was) != 0);
	free(now);
	return is_stale;
}
