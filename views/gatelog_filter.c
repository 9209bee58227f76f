#include "views/gatelog_filter.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "views/gatelog_text.h"

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Without capitals in `term` both cases are found, as search does. */
static bool has(struct at_bytes text, const char *term)
{
	size_t len = strlen(term);
	bool fold = true;

	for (size_t i = 0; i < len; i++)
		fold &= lower(term[i]) == term[i];
	for (size_t at = 0; at + len <= text.len; at++) {
		size_t i = 0;

		while (i < len && (fold ? lower(text.data[at + i]) : text.data[at + i]) == term[i])
			i++;
		if (i == len)
			return true;
	}
	return false;
}

static const char *after(const char *term, const char *key)
{
	size_t len = strlen(key);

	return strncmp(term, key, len) == 0 && term[len] == '=' ? term + len + 1 : NULL;
}

static bool holds_for_call(const struct at_gatelog_word *w, const char *term, bool is_literal)
{
	const char *value;

	if (!is_literal) {
		if (strcmp(term, "gaps") == 0)
			return false;
		if ((value = after(term, "decision")))
			return strcmp(gate_log_decisions[w->decision], value) == 0;
		if ((value = after(term, "tool")))
			return at_bytes_equal_text(w->tool, value);
		if ((value = after(term, "reason")))
			return at_bytes_equal_text(w->reason, value);
		if ((value = after(term, "checked")))
			return strcmp(w->is_inspected ? "custody" : "none", value) == 0;
	}
	return has(at_bytes_of(gate_log_decisions[w->decision]), term) || has(w->tool, term)
		|| has(w->reason, term)
		|| has(at_bytes_of(at_gatelog_inspected(w->is_inspected)), term);
}

static bool holds_for_gap(const struct at_gatelog_row *row, const char *term, bool is_literal)
{
	if (!is_literal && strcmp(term, "gaps") == 0)
		return true;
	return has(at_bytes_of(at_gatelog_gap(row->kind)), term);
}

void at_gatelog_filter_free(struct at_gatelog_filter *filter)
{
	for (size_t i = 0; i < filter->count; i++)
		free(filter->terms[i]);
	free(filter->terms);
	free(filter->holds);
	at_buf_free(&filter->text);
	*filter = (struct at_gatelog_filter){ 0 };
}

void at_gatelog_filter_anew(struct at_gatelog_filter *filter)
{
	filter->judged = 0;
}

static void add_term(struct at_gatelog_filter *filter, const char *term, size_t len)
{
	char *copy = at_alloc(len + 1);

	memcpy(copy, term, len);
	filter->terms = at_grow(filter->terms, &filter->cap, filter->count, sizeof(*filter->terms));
	filter->terms[filter->count++] = copy;
}

void at_gatelog_filter_set(struct at_gatelog_filter *filter, struct at_bytes text)
{
	struct at_buf copy = { 0 };
	const char *at;

	at_buf_put(&copy, text.data, text.len);
	at_gatelog_filter_free(filter);
	filter->text = copy;
	for (at = at_buf_text(&filter->text); *at;) {
		size_t len = strcspn(at, " \t");

		if (len)
			add_term(filter, at, len);
		at += len + strspn(at + len, " \t");
	}
}

void at_gatelog_filter_literal(struct at_gatelog_filter *filter, struct at_bytes text)
{
	struct at_buf copy = { 0 };

	at_buf_put(&copy, text.data, text.len);
	at_gatelog_filter_free(filter);
	filter->text = copy;
	filter->is_literal = true;
	if (filter->text.len)
		add_term(filter, at_buf_text(&filter->text), filter->text.len);
}

void at_gatelog_filter_add(struct at_gatelog_filter *filter, const char *key, const char *value)
{
	struct at_buf term = { 0 };

	at_buf_printf(&term, "%s%s%s", key, value ? "=" : "", value ? value : "");
	add_term(filter, at_buf_text(&term), term.len);
	at_buf_printf(&filter->text, "%s%s", filter->text.len ? " " : "", at_buf_text(&term));
	at_buf_free(&term);
}

static bool judge(const struct at_gatelog_filter *f, const struct at_gatelog_word *word)
{
	for (size_t t = 0; t < f->count; t++)
		if (!holds_for_call(word, f->terms[t], f->is_literal))
			return false;
	return true;
}

bool at_gatelog_filter_holds(struct at_gatelog_filter *filter, const struct at_gatelog *log,
	const struct at_gatelog_row *row)
{
	if (row->kind == AT_GATELOG_CALL) {
		for (; filter->judged < log->word_count; filter->judged++) {
			filter->holds = at_grow(filter->holds, &filter->holds_cap, filter->judged,
				sizeof(*filter->holds));
			filter->holds[filter->judged] = judge(filter, &log->words[filter->judged]);
		}
		return filter->holds[row->word];
	}
	for (size_t t = 0; t < filter->count; t++)
		if (!holds_for_gap(row, filter->terms[t], filter->is_literal))
			return false;
	return true;
}
