/* setup_acts.c - what the keys of the Setup view do, and what they ask first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json_text.h"
#include "core/mem.h"
#include "core/write_root.h"
#include "views/setup_state.h"

void setup_keep(struct at_buf *buf, struct at_bytes text)
{
	char *copy = at_alloc(text.len + 1);

	if (text.len)
		memcpy(copy, text.data, text.len); /* it may come from the buffer itself */
	buf->len = 0;
	at_buf_puts(buf, "");
	at_buf_put(buf, copy, text.len);
	free(copy);
}

/* REQ-4: typing the last segment of the path is the operator's word. */
void setup_ask_root(struct setup_state *s, const char *root, struct at_fx *fx)
{
	const struct at_session *session = s->model.session;
	struct at_root_place place = { session->path, session->host.home,
		session->manifest.platform };
	struct at_arena *arena = at_arena_new();
	char form[PATH_MAX];
	const char *lines[3];
	struct at_ask ask = { .id = SETUP_ASK_ROOT, .danger = AT_DANGER_WORD, .lines = lines,
		.title = "SANDBOX WIDENING: outside the project", .yes = "accept it" };

	setup_keep(&s->root, at_bytes_of(root));
	setup_keep(
		&s->word, at_bytes_of(at_setup_root_word(session, at_buf_text(&s->root), arena)));
	lines[ask.line_count++] = at_buf_text(&s->root);
	if (at_write_root_compare_form(form, at_buf_text(&s->root), &place)
		&& strcmp(form, at_buf_text(&s->root)) != 0)
		lines[ask.line_count++] = at_arena_printf(arena, "It is %s.", form);
	lines[ask.line_count++] =
		"Agents write there once it is emitted and merged. Your word counts for this run alone.";
	ask.word = at_buf_text(&s->word);
	at_fx_confirm(fx, &ask);
	at_arena_free(arena);
}

/* Takes a value into the draft, or says beside the field why not. */
static void take(struct setup_state *s, const struct at_field *field, struct at_bytes value,
	struct at_fx *fx)
{
	struct at_error err;

	s->refusal = (struct at_error){ 0 };
	setup_keep(&s->pending, value);
	s->asked = field;
	if (!at_setup_set(&s->model, field, at_buf_bytes(&s->pending), &err)) {
		if (strcmp(err.id, "root-not-accepted") == 0) {
			setup_ask_root(s, at_buf_text(&s->model.unaccepted), fx);
			return;
		}
		s->refusal = err;
		at_fx_error(fx, &err);
	}
	s->pending.len = 0;
	setup_changed(s, fx);
}

static void take_text(struct setup_state *s, const struct at_field *field, const char *text,
	struct at_fx *fx)
{
	struct at_buf value = { 0 };

	at_json_text_quote(&value, at_bytes_of(text), false);
	take(s, field, at_buf_bytes(&value), fx);
	at_buf_free(&value);
}

static void take_item(struct setup_state *s, const struct at_field *field, size_t index,
	const char *text, struct at_fx *fx)
{
	struct at_buf value = { 0 };

	at_setup_list_value(&value, at_setup_texts(&s->model, field), index, text);
	take(s, field, at_buf_bytes(&value), fx);
	at_buf_free(&value);
}

/* A second try begins with what was typed in the first. */
static void prompt(struct setup_state *s, enum setup_question question,
	const struct at_field *field, const char *label, const char *value, struct at_fx *fx)
{
	struct at_buf title = { 0 };
	struct at_ask ask = { .id = question };
	bool again = s->refusal.code != AT_OK && s->asked == field && s->refused_by == (int)question
		&& s->refused.len;

	at_buf_printf(&title, "%s%s:", field->name, label);
	ask.title = at_buf_text(&title);
	ask.value = again ? at_buf_text(&s->refused) : value;
	s->asked = field;
	at_fx_prompt(fx, &ask);
	at_buf_free(&title);
}

static void ask_json(struct setup_state *s, const struct at_field *field, struct at_fx *fx)
{
	struct at_bytes raw = at_setup_raw(&s->model, field);
	char *value;

	if (!raw.len)
		raw = at_bytes_of(field->fallback);
	value = at_alloc(raw.len + 1);
	memcpy(value, raw.data, raw.len);
	prompt(s, SETUP_ASK_JSON, field, " as JSON", value, fx);
	free(value);
}

static void ask_text(struct setup_state *s, const struct at_field *field, struct at_fx *fx)
{
	struct at_buf value = { 0 };

	at_setup_show(&s->model, field, &value);
	prompt(s, SETUP_ASK_TEXT, field, "", at_buf_text(&value), fx);
	at_buf_free(&value);
}

static void ask_item(struct setup_state *s, const struct at_setup_row *row, struct at_fx *fx)
{
	s->asked_index = row->index;
	prompt(s, SETUP_ASK_ITEM, row->field, "",
		at_setup_texts(&s->model, row->field)->items[row->index], fx);
}

static void edit_field(struct setup_state *s, const struct at_setup_row *row, struct at_fx *fx)
{
	/* A value of the wrong kind is mended as it stands. */
	if (!s->model.request_ok) {
		ask_json(s, row->field, fx);
		return;
	}
	switch (row->field->type) {
	case AT_FIELD_BOOL:
		take(s, row->field,
			at_bytes_of(at_setup_flag(&s->model, row->field) ? "false" : "true"), fx);
		return;
	case AT_FIELD_TEXTS:
		ask_json(s, row->field, fx);
		return;
	default:
		ask_text(s, row->field, fx);
		return;
	}
}

static bool waits_for_word(const struct setup_state *s, const struct at_setup_row *row)
{
	const char *path = at_setup_texts(&s->model, row->field)->items[row->index];
	const struct at_setup_root *root = at_setup_root_find(&s->roots, row->field, path);

	return root && !root->ban && root->external && !root->accepted;
}

void setup_open(struct setup_state *s, struct at_fx *fx)
{
	const struct at_setup_row *row = setup_current(s);
	struct at_buf value = { 0 };

	switch (row->kind) {
	case AT_SETUP_PROFILE:
		at_buf_printf(&value, "\"%s\"", at_profile_name((enum at_profile)row->index));
		take(s, row->field, at_buf_bytes(&value), fx);
		at_buf_free(&value);
		return;
	case AT_SETUP_FRAMEWORK:
		s->framework = (int)row->index;
		at_fx_do(fx, AT_ACT_FRAMEWORK, &s->framework);
		return;
	case AT_SETUP_FIELD:
		if (row->field->type == AT_FIELD_TEXTS && s->model.request_ok)
			setup_add(s, fx);
		else
			edit_field(s, row, fx);
		return;
	case AT_SETUP_ITEM:
		if (waits_for_word(s, row)) {
			s->pending.len = 0;
			setup_ask_root(
				s, at_setup_texts(&s->model, row->field)->items[row->index], fx);
		} else {
			ask_item(s, row, fx);
		}
		return;
	case AT_SETUP_TEXT:
	case AT_SETUP_KEPT:
		return;
	}
}

void setup_edit(struct setup_state *s, struct at_fx *fx)
{
	const struct at_setup_row *row = setup_current(s);

	if (row->kind == AT_SETUP_ITEM)
		ask_item(s, row, fx);
	else if (row->kind == AT_SETUP_FIELD)
		edit_field(s, row, fx);
	else
		setup_open(s, fx);
}

void setup_add(struct setup_state *s, struct at_fx *fx)
{
	prompt(s, SETUP_ASK_ADD, setup_current(s)->field, ", one more", NULL, fx);
}

/* An item goes; a field goes back to its default. */
void setup_remove(struct setup_state *s, struct at_fx *fx)
{
	const struct at_setup_row *row = setup_current(s);
	struct at_error err;

	if (row->kind == AT_SETUP_ITEM) {
		take_item(s, row->field, row->index, NULL, fx);
		return;
	}
	s->refusal = (struct at_error){ 0 };
	if (!at_setup_unset(&s->model, row->field, &err)) {
		s->refusal = err;
		at_fx_error(fx, &err);
	}
	setup_changed(s, fx);
}

void setup_undo(struct setup_state *s, struct at_fx *fx)
{
	static const char *const lines[] = {
		"The brief gets its old bytes back, if nobody changed it since."
	};
	struct at_ask ask = { .id = SETUP_ASK_UNDO, .danger = AT_DANGER_CONFIRM, .lines = lines,
		.line_count = 1, .title = "Undo the last save?", .yes = "undo it" };

	s->refusal = (struct at_error){ 0 };
	if (!at_setup_undo(&s->model)) {
		at_fx_confirm(fx, &ask);
		return;
	}
	at_fx_message(fx, "change undone");
	setup_changed(s, fx);
}

void setup_root_was_accepted(struct setup_state *s, bool yes, struct at_fx *fx)
{
	if (!yes)
		s->pending.len = 0;
	if (s->pending.len) {
		take(s, s->asked, at_buf_bytes(&s->pending), fx);
		return;
	}
	setup_changed(s, fx);
}

static void took(struct setup_state *s, int question, struct at_bytes typed, struct at_fx *fx)
{
	char *text = at_alloc(typed.len + 1);

	if (typed.len)
		memcpy(text, typed.data, typed.len);
	setup_keep(&s->refused, typed);
	s->refused_by = question;
	if (question == SETUP_ASK_TEXT)
		take_text(s, s->asked, text, fx);
	else if (question == SETUP_ASK_JSON)
		take(s, s->asked, typed, fx);
	else
		take_item(s, s->asked,
			question == SETUP_ASK_ADD ? at_setup_texts(&s->model, s->asked)->count
						  : s->asked_index,
			text, fx);
	free(text);
}

enum at_take setup_answered(struct setup_state *s, const struct at_event *event, struct at_fx *fx)
{
	if (!event->yes) {
		s->pending.len = 0;
		return AT_TAKEN;
	}
	switch (event->id) {
	case SETUP_ASK_TEXT:
	case SETUP_ASK_JSON:
	case SETUP_ASK_ADD:
	case SETUP_ASK_ITEM:
		took(s, event->id, event->text, fx);
		return AT_TAKEN;
	case SETUP_ASK_ROOT:
		at_fx_do(fx, AT_ACT_ACCEPT_ROOT, at_buf_text(&s->root));
		return AT_TAKEN;
	case SETUP_ASK_SAVE:
		s->save = at_buf_bytes(&s->saving);
		at_fx_do(fx, AT_ACT_BRIEF_SAVE, &s->save);
		return AT_TAKEN;
	case SETUP_ASK_UNDO:
		at_fx_do(fx, AT_ACT_BRIEF_UNDO, NULL);
		return AT_TAKEN;
	case SETUP_ASK_LEAVE:
		at_fx_simple(fx, AT_FX_QUIT);
		return AT_TAKEN;
	default:
		return AT_PASS;
	}
}
