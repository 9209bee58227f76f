/* setup_acts.c - what the keys of the Setup view do, and what they ask first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json_text.h"
#include "core/mem.h"
#include "core/write_root.h"
#include "views/setup_state.h"

#define DIFF_LINES 60 /* of the brief, shown in the question */

static void keep(struct at_buf *buf, struct at_bytes text)
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
static void ask_root(struct setup_state *s, const char *root, struct at_fx *fx)
{
	const struct at_session *session = s->model.session;
	struct at_root_place place = { session->path, session->host.home, session->manifest.platform };
	struct at_arena *arena = at_arena_new();
	char form[PATH_MAX];
	const char *lines[3];
	struct at_ask ask = { .id = SETUP_ASK_ROOT, .danger = AT_DANGER_WORD, .lines = lines,
		.title = "SANDBOX WIDENING: outside the project", .yes = "accept it" };

	keep(&s->root, at_bytes_of(root));
	keep(&s->word, at_bytes_of(at_setup_root_word(session, at_buf_text(&s->root), arena)));
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
	keep(&s->pending, value);
	s->asked = field;
	if (!at_setup_set(&s->model, field, at_buf_bytes(&s->pending), &err)) {
		if (strcmp(err.id, "root-not-accepted") == 0) {
			ask_root(s, at_buf_text(&s->model.unaccepted), fx);
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
static void prompt(struct setup_state *s, enum setup_question question, const struct at_field *field,
	const char *label, const char *value, struct at_fx *fx)
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
	prompt(s, SETUP_ASK_ITEM, row->field, "", at_setup_texts(&s->model, row->field)->items[row->index],
		fx);
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
		take(s, row->field, at_bytes_of(at_setup_flag(&s->model, row->field) ? "false" : "true"), fx);
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
			ask_root(s, at_setup_texts(&s->model, row->field)->items[row->index], fx);
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
	static const char *const lines[] = { "The brief gets its old bytes back, if nobody changed it since." };
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

void setup_ask_leave(struct at_fx *fx)
{
	static const char *const lines[] = { "The brief has changes that were not saved; leaving drops them." };
	struct at_ask ask = { .id = SETUP_ASK_LEAVE, .danger = AT_DANGER_CONFIRM, .lines = lines,
		.line_count = 1, .title = "Leave without saving?", .yes = "leave" };

	at_fx_confirm(fx, &ask);
}

struct question {
	struct at_arena *arena;
	const char **lines;
	size_t count, cap;
};

static void say(struct question *q, const char *line)
{
	q->lines = at_grow(q->lines, &q->cap, q->count, sizeof(*q->lines));
	q->lines[q->count++] = line;
}

static void say_file(struct question *q, const struct at_session *session, size_t bytes,
	const struct at_diff *diff)
{
	char hex[AT_DIGEST_HEX];

	say(q, at_arena_printf(q->arena, "%s: %zu → %zu bytes, +%zu -%zu lines", session->brief_place,
		session->brief.bytes.len, bytes, diff->added, diff->removed));
	if (!session->brief.exists) {
		say(q, "No brief is there yet; it is looked at once more before the write.");
		return;
	}
	at_digest_hex(hex, &session->brief.digest);
	say(q, at_arena_printf(q->arena, "as read: sha256 %.12s…; it is looked at once more before the write",
		hex));
}

static void say_diff(struct question *q, const struct at_diff *diff)
{
	size_t changed = diff->added + diff->removed, shown = 0;

	for (size_t i = 0; i < diff->count && shown < DIFF_LINES; i++) {
		struct at_bytes text = at_diff_text(diff, i);

		if (diff->lines[i].kind != AT_DIFF_ADDED && diff->lines[i].kind != AT_DIFF_REMOVED)
			continue;
		shown++;
		say(q, at_arena_printf(q->arena, "%c %.*s%s", at_diff_sign(diff->lines[i].kind),
			(int)(text.len > 400 ? 400 : text.len), text.data, text.len > 400 ? " …" : ""));
	}
	if (shown < changed)
		say(q, at_arena_printf(q->arena, "… %zu more lines: no shows the whole text with =",
			changed - shown));
}

static void say_widenings(struct question *q, struct setup_state *s)
{
	const struct at_session *session = s->model.session;

	if (session->request_ok && s->model.request.profile < session->request.profile)
		say(q, at_arena_printf(q->arena, "RELAXES: %s becomes %s",
			at_profile_name(session->request.profile), at_profile_name(s->model.request.profile)));
	for (size_t i = 0; i < s->roots.count; i++) {
		if (s->roots.items[i].is_new && s->roots.items[i].notice)
			say(q, at_arena_strdup(q->arena, s->roots.items[i].notice));
	}
}

/* What is asked is exactly what is written: the bytes are kept with the question. */
void setup_ask_save(struct setup_state *s, struct at_fx *fx)
{
	const struct at_session *session = s->model.session;
	struct question q = { .arena = at_arena_new() };
	struct at_ask ask = { .id = SETUP_ASK_SAVE, .danger = AT_DANGER_CONFIRM, .yes = "save it" };
	struct at_diff diff = { 0 };
	struct at_error err;

	if (s->effects_are_stale)
		setup_plan(s);
	s->pending.len = 0;
	if (!at_setup_check_roots(&s->model, NULL, &s->model.unaccepted, &err)) {
		if (strcmp(err.id, "root-not-accepted") == 0)
			ask_root(s, at_buf_text(&s->model.unaccepted), fx);
		else
			at_fx_error(fx, &err);
	} else {
		keep(&s->saving, at_buf_bytes(&s->model.text));
		if (!at_diff_make(&diff, at_buf_bytes(&session->brief.bytes), at_buf_bytes(&s->saving), 0, &err))
			at_diff_free(&diff);
		say_file(&q, session, s->saving.len, &diff);
		say_widenings(&q, s);
		say_diff(&q, &diff);
		say(&q, "Nothing is emitted by this. u takes it back.");
		ask.title = session->brief.exists ? "Save the brief?" : "Make the brief?";
		ask.lines = q.lines;
		ask.line_count = q.count;
		at_fx_confirm(fx, &ask);
		at_diff_free(&diff);
	}
	free(q.lines);
	at_arena_free(q.arena);
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
	keep(&s->refused, typed);
	s->refused_by = question;
	if (question == SETUP_ASK_TEXT)
		take_text(s, s->asked, text, fx);
	else if (question == SETUP_ASK_JSON)
		take(s, s->asked, typed, fx);
	else
		take_item(s, s->asked,
			question == SETUP_ASK_ADD ? at_setup_texts(&s->model, s->asked)->count : s->asked_index,
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
