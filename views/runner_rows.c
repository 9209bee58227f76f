#include "views/runner_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ceilings.h"
#include "core/mem.h"
#include "views/gatelog_text.h"

size_t at_runner_rows_calls(const struct at_runner_rows *s)
{
	return at_runner_rows_is_filtered(s) ? s->shown_count : s->log.count;
}

static size_t index_of(const struct at_runner_rows *s, size_t row)
{
	return at_runner_rows_is_filtered(s) ? s->shown[row] : row;
}

const struct at_gatelog_row *at_runner_rows_at(const struct at_runner_rows *s, size_t row)
{
	return row < at_runner_rows_calls(s) ? &s->log.rows[index_of(s, row)] : NULL;
}

const struct at_runner_extra *at_runner_rows_extra(const struct at_runner_rows *s, size_t row)
{
	size_t calls = at_runner_rows_calls(s);

	return row >= calls && row - calls < s->extra_count ? &s->extras[row - calls] : NULL;
}

bool at_runner_rows_is_filtered(const struct at_runner_rows *s)
{
	return s->filter.count > 0;
}

/* ---- the console's own rows ---- */

static const char heading[] = "heading";

static void add_extra(
	struct at_runner_rows *s, enum at_runner_kind kind, const char *id, const char *text)
{
	s->extras = at_grow(s->extras, &s->extra_cap, s->extra_count, sizeof(*s->extras));
	s->extras[s->extra_count++] = (struct at_runner_extra){ kind, id, at_strdup(text) };
}

/* Broken at spaces. */
static void add_wrapped(struct at_runner_rows *s, const char *text)
{
	size_t width = s->list.width > 22 ? (size_t)s->list.width - 2 : 20;
	struct at_buf part = { 0 };

	while (*text) {
		size_t len = strlen(text), at = len <= width ? len : width;

		while (at < len && at > 0 && text[at] != ' ')
			at--;
		if (at == 0)
			at = len <= width ? len : width;
		part.len = 0;
		at_buf_put(&part, text, at);
		add_extra(s, AT_RUNNER_REMARK, "", at_buf_text(&part));
		text += at + (text[at] == ' ');
	}
	at_buf_free(&part);
}

static void add_state(struct at_runner_rows *s)
{
	struct at_buf text = { 0 };

	if (!s->place.is_set) {
		add_wrapped(s, at_gatelog_unset);
		add_extra(s, AT_RUNNER_REMARK, "", "");
		add_wrapped(s, at_gatelog_advice);
	} else if (!s->is_open && *s->error.message) {
		add_wrapped(s, s->error.message);
		if (*s->error.hint)
			add_wrapped(s, s->error.hint);
	}
	if (s->place.fault) {
		at_buf_printf(&text, "The gate writes no line there: %s.", s->place.fault);
		add_wrapped(s, at_buf_text(&text));
		if (*s->place.path)
			add_wrapped(s, at_gatelog_advice);
	}
	at_buf_free(&text);
	if (!s->is_open)
		return;
	if (!s->log.is_done)
		add_extra(s, AT_RUNNER_READING, "", "");
	else if (s->log.is_cut)
		add_wrapped(s,
			"Older lines are not read: the log is too large. Move it away, "
			"and the gate begins a new one.");
	if (s->log.is_done && !at_runner_rows_calls(s))
		add_wrapped(s,
			at_runner_rows_is_filtered(s)
				? "No row has that: f changes the filter."
				: "There is no line in it: no evidence of anything.");
}

static void make_extras(struct at_runner_rows *s)
{
	for (size_t i = 0; i < s->extra_count; i++)
		free(s->extras[i].text);
	s->extra_count = 0;
	add_state(s);
	add_extra(s, AT_RUNNER_REMARK, "", "");
	add_extra(s, AT_RUNNER_REMARK, heading, "What no gate log can say");
	add_extra(s, AT_RUNNER_CEILING, "CEIL-5", at_gatelog_ceiling);
	add_extra(s, AT_RUNNER_CEILING, "GATE-7", at_gatelog_format);
	for (size_t i = 0; i < at_ceiling_count; i++)
		if (strcmp(at_ceilings[i].id, "CEIL-5") == 0)
			add_extra(s, AT_RUNNER_CEILING, "CEIL-5", at_ceilings[i].text);
}

/* ---- the list ---- */

static size_t count_rows(void *user)
{
	const struct at_runner_rows *s = user;

	return at_runner_rows_calls(s) + s->extra_count;
}

static void fill_row(void *user, size_t row, struct at_line *out)
{
	at_runner_rows_line(user, row, out);
}

static bool is_heading(void *user, size_t row)
{
	const struct at_runner_extra *extra = at_runner_rows_extra(user, row);

	return extra
		&& (extra->kind == AT_RUNNER_READING || *extra->text == '\0'
			|| extra->id == heading);
}

void at_runner_rows_line(struct at_runner_rows *s, size_t row, struct at_line *out)
{
	const struct at_gatelog_row *call = at_runner_rows_at(s, row);
	const struct at_runner_extra *extra = at_runner_rows_extra(s, row);

	if (call) {
		at_gatelog_line_of(&s->log, call, s->list.width, out);
		return;
	}
	if (!extra)
		return;
	switch (extra->kind) {
	case AT_RUNNER_READING:
		at_line_textf(out, AT_STYLE_DIM, "… older calls: reading, %u %%",
			at_gatelog_percent(&s->log));
		return;
	case AT_RUNNER_CEILING:
		at_line_textf(out, AT_STYLE_DIM, "%-8s", extra->id);
		at_line_text(out, AT_STYLE_NORMAL, extra->text);
		return;
	default:
		at_line_text(out, *extra->id ? AT_STYLE_ACCENT : AT_STYLE_NORMAL, extra->text);
	}
}

void at_runner_rows_details(const struct at_runner_rows *s, size_t row, struct at_buf *out)
{
	const struct at_gatelog_row *call = at_runner_rows_at(s, row);
	const struct at_runner_extra *extra = at_runner_rows_extra(s, row);

	if (call)
		at_gatelog_details(&s->log, call, out);
	else if (extra && extra->kind == AT_RUNNER_CEILING)
		at_buf_printf(out, "%s\n\n%s\n", extra->id, extra->text);
}

/* ---- the cursor, while rows come and go ---- */

struct spot {
	bool is_extra;
	size_t at; /* index of log.rows, or of extras, counted from their end: remarks come and go */
	size_t sunk; /* rows of the screen above it */
};

static const struct spot first_extra = { .is_extra = true, .at = AT_LIST_NONE };

static struct spot spot_of(const struct at_runner_rows *s)
{
	size_t row = s->list.cursor, calls = at_runner_rows_calls(s);
	struct spot spot = { .sunk = row > s->list.top ? row - s->list.top : 0 };

	spot.is_extra = row >= calls;
	spot.at = spot.is_extra ? s->extra_count - (row - calls) : index_of(s, row);
	return spot;
}

/* The row of an index of log.rows, or where it would be. */
static size_t row_of(const struct at_runner_rows *s, size_t index)
{
	size_t low = 0, high = s->shown_count;

	if (!at_runner_rows_is_filtered(s))
		return index;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->shown[middle] < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void go_to(struct at_runner_rows *s, struct spot spot)
{
	size_t calls = at_runner_rows_calls(s);
	size_t row = !spot.is_extra        ? row_of(s, spot.at)
		: s->extra_count > spot.at ? calls + s->extra_count - spot.at
					   : calls;

	if (!spot.is_extra && calls && row >= calls)
		row = calls - 1;
	s->list.top = row > spot.sunk ? row - spot.sunk : 0;
	at_list_go(&s->list, row);
}

static void judge_rows(struct at_runner_rows *s)
{
	if (!at_runner_rows_is_filtered(s))
		return;
	for (; s->judged < s->log.count; s->judged++) {
		if (!at_gatelog_filter_holds(&s->filter, &s->log, &s->log.rows[s->judged]))
			continue;
		s->shown = at_grow(s->shown, &s->shown_cap, s->shown_count, sizeof(*s->shown));
		s->shown[s->shown_count++] = (uint32_t)s->judged;
	}
}

static void judge_anew(struct at_runner_rows *s)
{
	s->judged = s->shown_count = 0;
	judge_rows(s);
}

void at_runner_rows_filter(struct at_runner_rows *s, struct at_bytes text, size_t from)
{
	struct spot spot = spot_of(s);

	if (from != AT_LIST_NONE)
		spot = (struct spot){ .at = from };
	at_gatelog_filter_set(&s->filter, text);
	judge_anew(s);
	make_extras(s);
	go_to(s, spot);
}

size_t at_runner_rows_here(const struct at_runner_rows *s)
{
	return s->list.cursor < at_runner_rows_calls(s) ? index_of(s, s->list.cursor)
							: AT_LIST_NONE;
}

/* ---- search ---- */

void at_runner_rows_search(struct at_runner_rows *s, struct at_bytes text)
{
	at_gatelog_filter_literal(&s->search, text);
	at_search_start(&s->list.search, text, 0); /* what the list marks */
}

void at_runner_rows_step(struct at_runner_rows *s, size_t from, bool forward, struct at_fx *fx)
{
	size_t calls = at_runner_rows_calls(s), all = 0, found = AT_LIST_NONE, rank = 0;
	size_t first = AT_LIST_NONE, last = AT_LIST_NONE, last_rank = 0;
	const char *text = at_buf_text(&s->search.text), *so_far = s->log.is_done ? "" : " so far";
	bool wrapped = false;

	if (!s->search.count) {
		at_fx_message(fx, "Nothing was searched yet: / searches.");
		return;
	}
	for (size_t row = 0; row < calls; row++) {
		if (!at_gatelog_filter_holds(&s->search, &s->log, at_runner_rows_at(s, row)))
			continue;
		all++;
		first = first == AT_LIST_NONE ? row : first;
		last = row;
		last_rank = all;
		if (forward ? row >= from && found == AT_LIST_NONE : row < from) {
			found = row;
			rank = all;
		}
	}
	if (!all) {
		at_fx_message(fx, "\"%s\" is not here%s.", text, so_far);
		return;
	}
	if (found == AT_LIST_NONE) {
		wrapped = true;
		found = forward ? first : last;
		rank = forward ? 1 : last_rank;
	}
	at_list_go(&s->list, found);
	at_fx_message(fx, "\"%s\": %zu of %zu%s%s", text, rank, all, so_far,
		wrapped ? ", wrapped around" : "");
}

/* ---- the file ---- */

static void drop_log(struct at_runner_rows *s)
{
	at_gatelog_close(&s->log);
	at_gatelog_filter_anew(&s->filter);
	at_gatelog_filter_anew(&s->search);
	s->is_open = false;
	s->fresh = 0;
}

/* A path that is none of the root's is nobody's: this console stands elsewhere. */
static bool is_to_be_read(const struct at_runner_rows *s)
{
	return s->place.is_set && *s->place.path == '/';
}

static void open_log(struct at_runner_rows *s)
{
	drop_log(s);
	s->error = (struct at_error){ 0 };
	if (is_to_be_read(s)) {
		s->is_open = at_gatelog_open(&s->log, s->place.path, false, &s->error);
		if (!s->is_open && s->error.code != AT_EUNSAFE)
			at_error_hint(&s->error,
				"Where no file is yet, no call was put to the gate since the log "
				"was set; its directory has to exist.");
	}
	judge_anew(s);
	make_extras(s);
}

/* To the call that the cursor was on, as soon as it is there. */
static bool find_anchor(struct at_runner_rows *s, size_t from)
{
	for (size_t i = from; s->has_anchor && i < s->log.count; i++) {
		if (s->log.rows[i].offset > s->anchor)
			continue;
		s->has_anchor = false;
		go_to(s, (struct spot){ .at = i });
		return true;
	}
	return false;
}

static void open_again(struct at_runner_rows *s)
{
	const struct at_gatelog_row *here = at_runner_rows_at(s, s->list.cursor);

	s->has_anchor = here && s->list.cursor > 0;
	s->anchor = here ? here->offset : 0;
	open_log(s);
	if (!find_anchor(s, 0))
		go_to(s, s->log.count ? (struct spot){ 0 } : first_extra);
}

void at_runner_rows_init(struct at_runner_rows *s, const struct at_view_arg *arg)
{
	const struct at_list_source source = { s, count_rows, fill_row, is_heading };

	s->arg = arg;
	s->log.fd = -1;
	at_gatelog_find(&s->place, arg->session);
	open_log(s);
	at_list_init(&s->list, &source);
}

void at_runner_rows_free(struct at_runner_rows *s)
{
	drop_log(s);
	at_gatelog_filter_free(&s->filter);
	at_gatelog_filter_free(&s->search);
	free(s->shown);
	for (size_t i = 0; i < s->extra_count; i++)
		free(s->extras[i].text);
	free(s->extras);
	at_list_free(&s->list);
}

void at_runner_rows_layout(struct at_runner_rows *s, int width, int height)
{
	struct spot spot = spot_of(s);

	at_list_layout(&s->list, width, height);
	make_extras(s);
	go_to(s, spot);
}

bool at_runner_rows_more(struct at_runner_rows *s)
{
	struct spot spot = spot_of(s);
	size_t count = s->log.count;
	bool more;

	if (!s->is_open || s->log.is_done)
		return false;
	more = at_gatelog_more(&s->log);
	if (s->log.is_other) {
		open_again(s);
		return s->is_open && !s->log.is_done;
	}
	judge_rows(s);
	if (!more)
		make_extras(s);
	if (!find_anchor(s, count))
		go_to(s, spot);
	return more;
}

bool at_runner_rows_look(struct at_runner_rows *s)
{
	struct spot spot = spot_of(s);
	size_t came, gone, before = at_runner_rows_calls(s);
	bool was_open = s->is_open;

	if (!is_to_be_read(s))
		return false;
	switch (at_gatelog_look(&s->log, &came, &gone)) {
	case AT_GATELOG_SAME:
		return false;
	case AT_GATELOG_ANEW:
		if (!was_open) {
			open_log(s);
			if (s->is_open)
				go_to(s, (struct spot){ 0 });
			return s->is_open;
		}
		open_again(s);
		return true;
	default:
		break;
	}
	if (!spot.is_extra)
		spot.at += came - (spot.at < gone ? spot.at : gone);
	judge_anew(s);
	make_extras(s);
	go_to(s, spot);
	if (at_runner_rows_calls(s) > before)
		s->fresh += at_runner_rows_calls(s) - before;
	return true;
}

void at_runner_rows_refresh(struct at_runner_rows *s)
{
	struct at_gatelog_place place;
	bool same;

	at_gatelog_find(&place, s->arg->session);
	same = place.is_set == s->place.is_set && strcmp(place.path, s->place.path) == 0;
	s->place = place;
	if (same && s->is_open) {
		at_runner_rows_look(s);
		make_extras(s);
	} else {
		open_again(s);
	}
	at_list_refresh(&s->list);
}
