#include "views/view_grants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ceilings.h"
#include "core/mem.h"
#include "tui/list.h"
#include "views/decision_rows.h"
#include "views/grants_text.h"
#include "views/key_rows.h"
#include "views/panes.h"
#include "views/text_rows.h"
#include "views/text_view.h"
#include "views/sign_view.h"

enum question { ASK_NAME, ASK_INSTALL, ASK_MIGRATE };

#define JOB_WAIT 8 /* milliseconds of a pause between keys: half a frame */

/* The sections of the list, in their order; each has a heading, and rows where it has any. */
enum section { GRANTS, KEYS, DECISIONS, TO_KNOW, SECTIONS };

struct place {
	enum section section;
	bool is_heading;
	size_t index;
};

struct state {
	const struct at_view_arg *arg;
	struct at_grants_list grants;
	struct at_key_rows keys;
	struct at_decision_rows decisions;
	struct at_list list;
	struct at_text_rows text;
	struct at_pager pager;
	struct at_view_text_arg text_arg;
	struct at_sign_view_arg sign_arg;
	struct at_grant_shown to_sign; /* what the form begins with */
	struct at_buf name; /* of the key an act is about */
	size_t shown_count; /* of grants, when the text was made */
	bool in_side, zoomed;
};

/* What always holds of keys and grants. */
static const char *const ceiling_ids[] = { "CEIL-4" };

static const struct at_ceiling *ceiling_of(size_t i)
{
	for (size_t k = 0; k < at_ceiling_count; k++)
		if (strcmp(at_ceilings[k].id, ceiling_ids[i]) == 0)
			return &at_ceilings[k];
	return &at_ceilings[0];
}

static size_t rows_of(const struct state *s, enum section section)
{
	const size_t counts[] = { s->grants.count, s->keys.count, s->decisions.count,
		1 + AT_LEN(ceiling_ids) };

	return counts[section];
}

static struct place place_of(const struct state *s, size_t row)
{
	struct place place = { 0 };

	for (int section = 0; section < SECTIONS; section++) {
		place = (struct place){ (enum section)section, row == 0, row ? row - 1 : 0 };
		if (row <= rows_of(s, section))
			break;
		row -= rows_of(s, section) + 1;
	}
	return place;
}

static size_t count_all(const struct state *s)
{
	size_t count = SECTIONS;

	for (int section = 0; section < SECTIONS; section++)
		count += rows_of(s, section);
	return count;
}

static size_t count_rows(void *user)
{
	return count_all(user);
}

static bool is_heading(void *user, size_t row)
{
	return place_of(user, row).is_heading;
}

static void fill_heading(const struct state *s, enum section section, struct at_line *out)
{
	static const char *const titles[] = { "Grants", "Keys", "Decisions",
		"Whatever stands above" };
	struct at_buf text = { 0 };
	bool is_bad = false;

	at_line_text(out, AT_STYLE_ACCENT, titles[section]);
	if (section == GRANTS) {
		at_grants_summary(&text, &s->grants);
		is_bad = !at_grants_are_fit(&s->grants);
	} else if (section == KEYS) {
		at_key_rows_summary(&text, &s->keys);
	} else if (section == DECISIONS) {
		at_decision_rows_summary(&text, &s->decisions);
		is_bad = at_decision_rows_are_bad(&s->decisions);
	}
	if (text.len) {
		at_line_text(out, AT_STYLE_DIM, "  ");
		at_line_add(out, is_bad ? AT_STYLE_TRUTH_BAD : AT_STYLE_DIM, at_buf_bytes(&text));
	}
	at_buf_free(&text);
}

static void fill_grant(const struct state *s, size_t i, struct at_line *out)
{
	const struct at_grant_line *line = &s->grants.lines[i];
	bool counts = at_grants_are_fit(&s->grants) && line->failed == AT_GRANT_CHECKS;
	struct at_buf text = { 0 };

	at_line_textf(out,
		!counts                                ? AT_STYLE_TRUTH_BAD
			: line->widens && line->is_ours ? AT_STYLE_WIDENS
							: AT_STYLE_NORMAL,
		"%-12s ",
		counts && line->widens && line->is_ours && s->grants.is_done
			? "WIDENS"
			: at_grant_line_word(&s->grants, line));
	at_grant_line_text(&text, &s->grants, i);
	at_line_add(out, AT_STYLE_NORMAL, at_buf_bytes(&text));
	at_buf_free(&text);
}

static const char *note_of(size_t i)
{
	return i == 0 ? at_grant_latency_note : ceiling_of(i - 1)->text;
}

static void fill_row(void *user, size_t row, struct at_line *out)
{
	const struct state *s = user;
	struct place place = place_of(s, row);

	if (place.is_heading) {
		fill_heading(s, place.section, out);
	} else if (place.section == GRANTS) {
		fill_grant(s, place.index, out);
	} else if (place.section == KEYS) {
		at_key_row_line(&s->keys, place.index, out);
	} else if (place.section == DECISIONS) {
		at_decision_row_line(&s->decisions, place.index, out);
	} else {
		if (place.index)
			at_line_textf(out, AT_STYLE_DIM, "%-8s ", ceiling_of(place.index - 1)->id);
		at_line_text(out, AT_STYLE_NORMAL, note_of(place.index));
	}
}

static void put_grant(const struct state *s, size_t i, struct at_buf *out)
{
	struct at_grant_shown shown;
	struct at_error err;

	if (at_grants_list_show(&shown, &s->grants, i, true, &err))
		at_grant_detail(out, &s->grants, i, &shown);
	else
		at_buf_printf(out, "%s\n\nF5 reads it again.\n", err.message);
	at_grant_shown_free(&shown);
}

static void put_text(const struct state *s, struct at_buf *out)
{
	struct place place = place_of(s, s->list.cursor < count_all(s) ? s->list.cursor : 0);

	if (place.is_heading)
		at_buf_puts(out, "Nothing is here yet: s signs a grant.\n");
	else if (place.section == GRANTS)
		put_grant(s, place.index, out);
	else if (place.section == KEYS)
		at_key_row_detail(out, &s->keys, place.index);
	else if (place.section == DECISIONS)
		at_decision_row_detail(out, &s->decisions, place.index);
	else
		at_buf_puts(out, note_of(place.index));
}

static void show_current(struct state *s)
{
	struct at_buf text = { 0 };

	s->shown_count = s->grants.count;
	put_text(s, &text);
	at_text_rows_set(&s->text, at_buf_bytes(&text));
	at_buf_free(&text);
	at_pager_refresh(&s->pager);
	at_pager_go(&s->pager, 0);
}

static void load(struct state *s)
{
	at_grants_list_open(&s->grants, s->arg->session, false);
	at_key_rows_make(&s->keys, s->arg->session);
	at_decision_rows_make(&s->decisions, s->arg->session);
}

static void drop(struct state *s)
{
	at_grants_list_close(&s->grants);
	at_key_rows_free(&s->keys);
	at_decision_rows_free(&s->decisions);
}

static bool open(struct at_view *view, const void *arg, struct at_error *err)
{
	struct state *s = view->state;
	struct at_list_source source = { s, count_rows, fill_row, is_heading };
	struct at_pager_source lines = at_text_rows_source(&s->text);

	(void)err;
	s->arg = arg;
	s->text.first = AT_STYLE_TITLE;
	s->text.prose = true;
	load(s);
	at_list_init(&s->list, &source);
	at_pager_init(&s->pager, &lines);
	s->pager.wrap = true;
	show_current(s);
	return true;
}

static void close(struct at_view *view)
{
	struct state *s = view->state;

	drop(s);
	at_list_free(&s->list);
	at_pager_free(&s->pager);
	at_text_rows_free(&s->text);
	at_buf_free(&s->name);
	at_grant_shown_free(&s->to_sign);
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
		at_pane_title(&part, !s->in_side, "Grants and keys",
			p.side.width ? "s: sign one" : "s: sign one   Enter: in full");
		at_list_paint(&s->list, &body, !s->in_side);
	}
	if (p.side.width) {
		part = at_canvas_part(canvas, p.side);
		body = at_pane_body(&part);
		at_pane_title(&part, s->in_side, "In full", "");
		at_pager_paint(&s->pager, &body);
	}
	at_panes_paint_lines(&p, canvas);
}

/* The key row at the cursor; AT_LIST_NONE without one. */
static size_t current_key(const struct state *s)
{
	struct place place;

	if (s->list.cursor >= count_all(s))
		return AT_LIST_NONE;
	place = place_of(s, s->list.cursor);
	return place.section == KEYS && !place.is_heading ? place.index : AT_LIST_NONE;
}

static void keep_name(struct state *s, struct at_bytes name)
{
	s->name.len = 0;
	at_buf_puts(&s->name, "");
	at_buf_put(&s->name, name.data, name.len);
}

static void ask_install(struct state *s, struct at_fx *fx)
{
	const char *name = at_key_row_name(&s->keys, current_key(s)), *lines[2];
	struct at_ask ask = { .id = name ? ASK_INSTALL : ASK_MIGRATE, .danger = AT_DANGER_CONFIRM,
		.lines = lines, .title = name ? "Install this key's public half here?"
					      : "Move every old key file into the store?",
		.yes = name ? "install it" : "move them" };

	keep_name(s, at_bytes_of(name ? name : ""));
	if (name) {
		lines[ask.line_count++] = name;
		lines[ask.line_count++] = "What it signs is believed by this team from then on: a "
					  "grant it signs widens the sandbox.";
	} else {
		lines[ask.line_count++] = s->keys.old.from;
		lines[ask.line_count++] = "Nothing is overwritten and nothing deleted.";
	}
	at_fx_confirm(fx, &ask);
}

static void answered(struct state *s, const struct at_event *what, struct at_fx *fx)
{
	if (!what->yes)
		return;
	if (what->id == ASK_NAME)
		keep_name(s, what->text);
	at_fx_do(fx,
		what->id == ASK_NAME              ? AT_ACT_NEW_KEY
			: what->id == ASK_INSTALL ? AT_ACT_INSTALL_KEY
						  : AT_ACT_MIGRATE_KEYS,
		at_buf_text(&s->name));
}

/* On a grant that HMAC signed and that writes the form begins with what it says. (KEY-10) */
static void push_form(struct state *s, struct at_fx *fx)
{
	struct place place = place_of(s, s->list.cursor < count_all(s) ? s->list.cursor : 0);
	bool is_old = place.section == GRANTS && !place.is_heading
		&& s->grants.lines[place.index].failed == AT_GRANT_CHECK_SCHEME;

	at_grant_shown_free(&s->to_sign);
	s->to_sign = (struct at_grant_shown){ 0 };
	s->sign_arg = (struct at_sign_view_arg){ .arg = s->arg };
	if (is_old && at_grants_list_show(&s->to_sign, &s->grants, place.index, false, NULL))
		s->sign_arg.cells = s->to_sign.cells;
	at_fx_push(fx, &at_sign_view, &s->sign_arg);
}

static bool why_not(const struct at_view *view, enum at_action action, char *out, size_t size)
{
	const struct state *s = view->state;
	const char *why = NULL;

	if (action == AT_DO_NEXT_HUNK || action == AT_DO_PREV_HUNK || action == AT_DO_WRAP)
		why = "";
	else if ((action == AT_DO_SIGN || action == AT_DO_INSTALL || action == AT_DO_ADD_ITEM)
		&& at_session_is_off(s->arg->session, out, size))
		return true;
	else if (action == AT_DO_SIGN && !s->arg->session->request_ok)
		why = "there is no brief that says which team this is";
	else if (action == AT_DO_INSTALL && current_key(s) == AT_LIST_NONE)
		why = "the cursor is on no key";
	else if (action == AT_DO_OPEN && is_heading(view->state, s->list.cursor))
		why = "the cursor is on nothing to open";
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

	if (action == AT_DO_REREAD) {
		at_fx_do(fx, AT_ACT_REREAD, NULL);
		return AT_TAKEN;
	}
	if (why_not(view, action, why, sizeof(why))) {
		if (*why)
			at_fx_message(fx, "%s", why);
		return *why ? AT_TAKEN : AT_PASS;
	}
	switch (action) {
	case AT_DO_ADD_ITEM:
		at_fx_prompt(fx, &(struct at_ask){ .id = ASK_NAME, .title = "name of the new key:" });
		return AT_TAKEN;
	case AT_DO_INSTALL:
		ask_install(s, fx);
		return AT_TAKEN;
	case AT_DO_SIGN:
		push_form(s, fx);
		return AT_TAKEN;
	case AT_DO_OPEN:
		s->text_arg = (struct at_view_text_arg){ .title = "In full",
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
			show_current(s);
		return take;
	}
}

static void reload(struct state *s, struct at_fx *fx)
{
	drop(s);
	load(s);
	at_list_refresh(&s->list);
	show_current(s);
	at_fx_redraw(fx);
}

/* A slice of what the job sent, then the next one after the paint. */
static void work(struct state *s, struct at_fx *fx)
{
	bool came = at_grants_list_work(&s->grants, JOB_WAIT);

	/* A grant was signed above this view, or in another window. */
	if (!at_grants_list_is_still(&s->grants)) {
		reload(s, fx);
	} else if (came) {
		at_list_refresh(&s->list);
		if (s->shown_count == 0 || s->grants.is_done)
			show_current(s);
		at_fx_redraw(fx);
	}
	if (s->grants.job.fd >= 0)
		at_fx_simple(fx, AT_FX_IDLE);
}

static enum at_take event(struct at_view *view, const struct at_event *what, struct at_fx *fx)
{
	struct state *s = view->state;
	size_t from = s->list.cursor;
	enum at_take take;

	if (what->kind == AT_EVENT_IDLE) {
		work(s, fx);
		return AT_TAKEN;
	}
	if (what->kind == AT_EVENT_ANSWER && what->id >= 0) {
		answered(s, what, fx);
		return AT_TAKEN;
	}
	if (what->kind == AT_EVENT_CHANGED) {
		reload(s, fx);
		return AT_TAKEN;
	}
	if (s->in_side)
		return at_pager_event(&s->pager, what, fx);
	take = at_list_event(&s->list, what, fx);
	if (s->list.cursor != from)
		show_current(s);
	return take;
}

static size_t rows(const struct at_view *view)
{
	return count_all(view->state);
}

static bool row(const struct at_view *view, size_t i, struct at_spans *out)
{
	struct at_line line = { 0 };

	fill_row(view->state, i, &line);
	at_spans_add(out, at_buf_bytes(&line.spans.text), 8, 0, true);
	at_line_free(&line);
	return !is_heading(view->state, i);
}

static bool more(const struct at_view *view, struct at_buf *out, struct at_error *err)
{
	(void)err;
	put_text(view->state, out);
	return true;
}

const struct at_view_class at_view_grants = {
	.name = "grants",
	.title = "Grants & keys",
	.blurb =
		"Which places outside its own a team may write, by whose signature, for how long; and "
		"the keys that sign; and what was decided. Each grant has its checklist: the first check that fails is why it "
		"does not count.",
	.flags = AT_VIEW_WRITES,
	.contexts = AT_IN_GRANTS | AT_IN_PANES | AT_IN_LIST | AT_IN_PAGER,
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
