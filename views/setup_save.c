/* setup_save.c - what is asked before the brief is saved, or left unsaved. */
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "views/setup_state.h"

#define DIFF_LINES 60 /* of the brief, shown in the question */

void setup_ask_leave(struct at_fx *fx)
{
	static const char *const lines[] = {
		"The brief has changes that were not saved; leaving drops them."
	};
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

	say(q,
		at_arena_printf(q->arena, "%s: %zu → %zu bytes, +%zu -%zu lines",
			session->brief_place, session->brief.bytes.len, bytes, diff->added,
			diff->removed));
	if (!session->brief.exists) {
		say(q, "No brief is there yet; it is looked at once more before the write.");
		return;
	}
	at_digest_hex(hex, &session->brief.digest);
	say(q,
		at_arena_printf(q->arena,
			"as read: sha256 %.12s…; it is looked at once more before the write", hex));
}

static void say_diff(struct question *q, const struct at_diff *diff)
{
	size_t changed = diff->added + diff->removed, shown = 0;

	for (size_t i = 0; i < diff->count && shown < DIFF_LINES; i++) {
		struct at_bytes text = at_diff_text(diff, i);

		if (diff->lines[i].kind != AT_DIFF_ADDED && diff->lines[i].kind != AT_DIFF_REMOVED)
			continue;
		shown++;
		say(q,
			at_arena_printf(q->arena, "%c %.*s%s", at_diff_sign(diff->lines[i].kind),
				(int)(text.len > 400 ? 400 : text.len), text.data,
				text.len > 400 ? " …" : ""));
	}
	if (shown < changed)
		say(q, at_arena_printf(q->arena, "… %zu more lines: no shows the whole text with =",
			changed - shown));
}

static void say_widenings(struct question *q, struct setup_state *s)
{
	const struct at_session *session = s->model.session;

	if (session->request_ok && s->model.request.profile < session->request.profile)
		say(q,
			at_arena_printf(q->arena, "RELAXES: %s becomes %s",
				at_profile_name(session->request.profile),
				at_profile_name(s->model.request.profile)));
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
			setup_ask_root(s, at_buf_text(&s->model.unaccepted), fx);
		else
			at_fx_error(fx, &err);
	} else {
		setup_keep(&s->saving, at_buf_bytes(&s->model.text));
		if (!at_diff_make(&diff, at_buf_bytes(&session->brief.bytes),
			    at_buf_bytes(&s->saving), 0, &err))
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
