#include "views/sign_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "tui/list.h"
#include "views/acts.h"
#include "views/panes.h"
#include "views/text_rows.h"
#include "views/text_view.h"

enum question { ASK_VALUE, ASK_SIGN };

#define SIGN_ROW AT_SIGN_FIELDS /* the row below the fields */

struct state {
	const struct at_view_arg *arg;
	struct at_sign_form form;
	struct at_list list;
	struct at_text_rows text;
	struct at_pager pager;
	struct at_view_text_arg text_arg;
	enum at_sign_field asked;
	bool in_side, zoomed;
};

static size_t count_rows(void *user)
{
	(void)user;
	return AT_SIGN_FIELDS + 1;
}

static bool is_heading(void *user, size_t row)
{
	(void)user;
	return row == SIGN_ROW;
}

static void fill_verdict(const struct state *s, struct at_line *out)
{
	if (s->form.is_ready)
		at_line_text(out, AT_STYLE_TRUTH_OK, "Ready: s shows the exact bytes and signs them");
	else
		at_line_text(out, AT_STYLE_DIM, "Not ready yet");
}

static void fill_row(void *user, size_t row, struct at_line *out)
{
	const struct state *s = user;
	bool is_wrong = !s->form.is_ready && s->form.fault_field == (int)row;

	if (row == SIGN_ROW) {
		fill_verdict(s, out);
		return;
	}
	at_line_textf(out, is_wrong ? AT_STYLE_MARK : AT_STYLE_DIM, "%-14s",
		at_sign_fields[row].name);
	at_line_add(out, AT_STYLE_NORMAL, at_buf_bytes(&s->form.values[row]));
	if (is_wrong)
		at_line_textf(out, AT_STYLE_MARK, "  ! %s", s->form.fault.message);
}

static void put_details(const struct state *s, struct at_buf *out)
{
	size_t row = s->list.cursor;
	char hex[AT_DIGEST_HEX];

	if (row < AT_SIGN_FIELDS)
		at_buf_printf(out, "%s: %s\n\n", at_sign_fields[row].name, at_sign_fields[row].help);
	if (!s->form.is_ready) {
		at_buf_printf(out, "Nothing can be signed yet: %s.\n", s->form.fault.message);
		if (*s->form.fault.hint)
			at_buf_printf(out, "%s\n", s->form.fault.hint);
		return;
	}
	at_buf_puts(out, "What it opens\n");
	at_sign_form_opens(out, &s->form.draft, s->arg->session);
	at_buf_puts(out, "\nThe exact bytes that are signed\n");
	at_buf_put(out, s->form.draft.message.data, s->form.draft.message.len);
	at_digest_hex(hex, &s->form.draft.review);
	at_buf_printf(out, "\n\nReview %s\n", hex);
}

static void refresh(struct state *s)
{
	struct at_buf text = { 0 };

	put_details(s, &text);
	at_text_rows_set(&s->text, at_buf_bytes(&text));
	at_buf_free(&text);
	at_list_refresh(&s->list);
	at_pager_refresh(&s->pager);
	at_pager_go(&s->pager, 0);
}

static bool open(struct at_view *view, const void *arg, struct at_error *err)
{
	struct state *s = view->state;
	struct at_list_source source = { s, count_rows, fill_row, is_heading };
	struct at_pager_source lines = at_text_rows_source(&s->text);
	const struct at_sign_view_arg *given = arg;

	(void)err;
	s->arg = given->arg;
	s->text.first = AT_STYLE_TITLE;
	s->text.prose = true;
	at_sign_form_open(&s->form, s->arg->session);
	if (given->cells)
		at_sign_form_take(&s->form, given->cells);
	at_list_init(&s->list, &source);
	at_pager_init(&s->pager, &lines);
	s->pager.wrap = true;
	if (s->form.fault_field > 0)
		at_list_go(&s->list, (size_t)s->form.fault_field);
	refresh(s);
	return true;
}

static void close(struct at_view *view)
{
	struct state *s = view->state;

	at_list_free(&s->list);
	at_pager_free(&s->pager);
	at_text_rows_free(&s->text);
	at_sign_form_close(&s->form);
}

static struct at_panes panes_of(const struct state *s, int width, int height)
{
	return at_panes_of(width, height, s->arg->session->settings->two_panes, s->in_side,
		s->zoomed, false);
}

static void layout(struct at_view *view, int width, int height)
{
	struct state *s = view->state;
	struct at_panes p = panes_of(s, width, height);

	if (p.list.width)
		at_list_layout(&s->list, p.list.width, p.list.height - 1);
	if (p.side.width)
		at_pager_layout(&s->pager, p.side.width, p.side.height - 1);
}

static void paint(const struct at_view *view, const struct at_canvas *canvas)
{
	const struct state *s = view->state;
	struct at_panes p = panes_of(s, view->width, view->height);
	struct at_canvas part, body;

	if (p.list.width) {
		part = at_canvas_part(canvas, p.list);
		body = at_pane_body(&part);
		at_pane_title(&part, !s->in_side, "Sign a grant",
			p.side.width ? "" : "Enter: edit   Tab: what it opens");
		at_list_paint(&s->list, &body, !s->in_side);
	}
	if (p.side.width) {
		part = at_canvas_part(canvas, p.side);
		body = at_pane_body(&part);
		at_pane_title(&part, s->in_side, "What is signed", "");
		at_pager_paint(&s->pager, &body);
	}
	at_panes_paint_lines(&p, canvas);
}

static void ask_value(struct state *s, struct at_fx *fx)
{
	struct at_ask ask = { .id = ASK_VALUE };
	struct at_buf title = { 0 };

	s->asked = (enum at_sign_field)s->list.cursor;
	at_buf_printf(&title, "%s:", at_sign_fields[s->asked].name);
	ask.title = at_buf_text(&title);
	ask.value = at_buf_text(&s->form.values[s->asked]);
	at_fx_prompt(fx, &ask);
	at_buf_free(&title);
}

#define LINES_MAX 64u

/* A text as the lines of a question; cut bytes are told by the last line. */
static size_t split(const char **lines, size_t room, char *text)
{
	size_t count = 0;

	for (char *line = strtok(text, "\n"); line && count < room; line = strtok(NULL, "\n"))
		lines[count++] = line;
	return count;
}

static void ask_sign(struct state *s, struct at_fx *fx)
{
	const struct at_grant_draft *draft = &s->form.draft;
	struct at_buf opens = { 0 }, word = { 0 }, key = { 0 };
	const char *lines[LINES_MAX];
	struct at_ask ask = { .id = ASK_SIGN, .danger = AT_DANGER_WORD, .lines = lines,
		.title = "Sign these exact bytes?", .yes = "sign it and append it to the ledger" };

	at_sign_form_opens(&opens, draft, s->arg->session);
	at_sign_word(&word, draft);
	at_buf_printf(&key, "Signed by %s.", at_buf_text(&s->form.values[AT_SIGN_KEY]));
	/* The bytes hold no control character: the form was judged. */
	lines[ask.line_count++] = at_arena_strndup(
		s->form.arena, draft->message.data, draft->message.len);
	lines[ask.line_count++] = at_buf_text(&key);
	ask.line_count += split(lines + ask.line_count, LINES_MAX - ask.line_count, opens.data);
	ask.word = at_buf_text(&word);
	at_fx_confirm(fx, &ask);
	at_buf_free(&opens);
	at_buf_free(&word);
	at_buf_free(&key);
}

static bool why_not(const struct at_view *view, enum at_action action, char *out, size_t size)
{
	const struct state *s = view->state;
	const char *why = NULL;

	if (action == AT_DO_NEXT_HUNK || action == AT_DO_PREV_HUNK || action == AT_DO_WRAP)
		why = "";
	else if (action == AT_DO_SIGN && at_session_is_off(s->arg->session, out, size))
		return true;
	else if (action == AT_DO_SIGN && !s->form.is_ready)
		why = s->form.fault.message;
	else if (action == AT_DO_ZOOM && view->width < s->arg->session->settings->two_panes)
		why = "one pane has the whole width already";
	if (why)
		snprintf(out, size, "%s", why);
	return why != NULL;
}

static enum at_take act(struct at_view *view, enum at_action action, struct at_fx *fx)
{
	struct state *s = view->state;
	size_t from = s->list.cursor;
	enum at_take take;
	char why[256];

	/* It is made anew for what stands on the disk now. */
	if (action == AT_DO_SIGN)
		at_sign_form_judge(&s->form);
	if (why_not(view, action, why, sizeof(why))) {
		if (*why)
			at_fx_message(fx, "%s", why);
		return *why ? AT_TAKEN : AT_PASS;
	}
	switch (action) {
	case AT_DO_SIGN:
		ask_sign(s, fx);
		refresh(s);
		return AT_TAKEN;
	case AT_DO_OPEN:
	case AT_DO_EDIT_ITEM:
		if (s->list.cursor < AT_SIGN_FIELDS)
			ask_value(s, fx);
		return AT_TAKEN;
	case AT_DO_RESULT:
		s->text_arg = (struct at_view_text_arg){ .title = "What is signed",
			.text = at_buf_bytes(&s->text.text), .is_prose = true };
		at_fx_push(fx, &at_view_text, &s->text_arg);
		return AT_TAKEN;
	case AT_DO_SWITCH_PANE:
	case AT_DO_ZOOM:
		s->in_side ^= action == AT_DO_SWITCH_PANE;
		s->zoomed ^= action == AT_DO_ZOOM;
		layout(view, view->width, view->height);
		at_fx_redraw(fx);
		return AT_TAKEN;
	default:
		if (s->in_side)
			return at_pager_act(&s->pager, action, fx);
		take = at_list_act(&s->list, action, fx);
		if (s->list.cursor != from)
			refresh(s);
		return take;
	}
}

static void answered(struct state *s, const struct at_event *what, struct at_fx *fx)
{
	char *text;

	if (what->id == ASK_SIGN) {
		if (what->yes)
			at_fx_do(fx, AT_ACT_SIGN_GRANT, &s->form.draft);
		return;
	}
	if (!what->yes)
		return;
	text = at_alloc(what->text.len + 1);
	if (what->text.len)
		memcpy(text, what->text.data, what->text.len);
	at_sign_form_set(&s->form, s->asked, text);
	free(text);
	refresh(s);
	at_fx_redraw(fx);
}

static enum at_take event(struct at_view *view, const struct at_event *what, struct at_fx *fx)
{
	struct state *s = view->state;
	size_t from = s->list.cursor;
	enum at_take take;

	if (what->kind == AT_EVENT_CHANGED) {
		if (what->id == AT_ACT_SIGN_GRANT && what->yes) {
			at_fx_simple(fx, AT_FX_POP);
			return AT_TAKEN;
		}
		at_sign_form_judge(&s->form);
		refresh(s);
		at_fx_redraw(fx);
		return AT_TAKEN;
	}
	if (what->kind == AT_EVENT_ANSWER && what->id >= 0) {
		answered(s, what, fx);
		return AT_TAKEN;
	}
	if (s->in_side)
		return at_pager_event(&s->pager, what, fx);
	take = at_list_event(&s->list, what, fx);
	if (s->list.cursor != from)
		refresh(s);
	return take;
}

static size_t rows(const struct at_view *view)
{
	(void)view;
	return AT_SIGN_FIELDS + 1;
}

static bool row(const struct at_view *view, size_t i, struct at_spans *out)
{
	struct at_line line = { 0 };

	fill_row(view->state, i, &line);
	at_spans_add(out, at_buf_bytes(&line.spans.text), 8, 0, true);
	at_line_free(&line);
	return i != SIGN_ROW;
}

static bool more(const struct at_view *view, struct at_buf *out, struct at_error *err)
{
	(void)err;
	put_details(view->state, out);
	return true;
}

const struct at_view_class at_sign_view = {
	.name = "sign",
	.title = "Sign a grant",
	.blurb =
		"A grant as a form, and beside it the exact bytes that would be signed and what they "
		"open. Nothing is signed before the last word of the path was typed.",
	.flags = AT_VIEW_WRITES,
	.contexts = AT_IN_SIGN | AT_IN_PANES | AT_IN_LIST | AT_IN_PAGER,
	.min = { 40, 10 },
	.state_size = sizeof(struct state),
	.open = open,
	.close = close,
	.layout = layout,
	.paint = paint,
	.act = act,
	.event = event,
	.rows = rows,
	.row = row,
	.more = more,
	.why_not = why_not,
};
