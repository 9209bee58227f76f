#include "views/gatelog_text.h"

#include <stdio.h>
#include <string.h>

#include "core/json_write.h"
#include "core/mem.h"
#include "core/safetext.h"

#define TORN_SHOWN 2048 /* bytes of what is no line */
#define NARROW 60

const char *at_gatelog_inspected(bool is_inspected)
{
	return is_inspected ? "custody" : "not inspected";
}

const char *at_gatelog_gap(int kind)
{
	static const char *const texts[] = {
		[AT_GATELOG_CALL] = "",
		[AT_GATELOG_CHAIN] = "no evidence: lines are missing here, or were changed",
		[AT_GATELOG_START] = "no evidence: the log begins after a line that is not here",
		[AT_GATELOG_TORN] = "no evidence: no whole line, half written or changed",
		[AT_GATELOG_TAIL] = "no evidence: the end is no whole line",
	};

	return texts[kind];
}

static enum at_style style_of(int decision)
{
	static const enum at_style styles[] = { AT_STYLE_NORMAL, AT_STYLE_MARK, AT_STYLE_ERROR,
		AT_STYLE_TRUTH_BAD, AT_STYLE_TRUTH_BAD };

	return styles[decision];
}

/* "lines 5 to 9", "before line 4", "line 3"; "" while no number is known. */
static void put_where(
	const struct at_gatelog *log, const struct at_gatelog_row *row, struct at_buf *out)
{
	size_t line = at_gatelog_line(log, row);

	if (row->kind == AT_GATELOG_TORN && row->count > 1 && !line)
		at_buf_printf(out, "%u lines", row->count);
	else if (!line)
		return;
	else if (row->kind == AT_GATELOG_TORN && row->count > 1)
		at_buf_printf(out, "lines %zu to %zu", line, line + row->count - 1);
	else
		at_buf_printf(out, "%sline %zu",
			row->kind == AT_GATELOG_CHAIN || row->kind == AT_GATELOG_START ? "before "
										       : "",
			line);
}

static void put_column(struct at_line *out, struct at_bytes text, int width)
{
	struct at_line part = { .ascii = out->ascii };

	at_line_add(&part, AT_STYLE_NORMAL, text);
	at_line_put_part(out, &part, 0, width, AT_STYLE_NORMAL);
	at_line_text(out, AT_STYLE_NORMAL, " ");
	at_line_free(&part);
}

void at_gatelog_line_of(const struct at_gatelog *log, const struct at_gatelog_row *row, int width,
	struct at_line *out)
{
	const struct at_gatelog_word *w =
		row->kind == AT_GATELOG_CALL ? &log->words[row->word] : NULL;
	bool narrow = width < NARROW;
	struct at_buf where = { 0 };

	put_where(log, row, &where);
	if (!w) {
		at_line_text(out, AT_STYLE_TRUTH_UNKNOWN, at_gatelog_gap(row->kind));
		if (where.len)
			at_line_textf(out, AT_STYLE_DIM, "  %s", at_buf_text(&where));
	} else {
		at_line_text(out, style_of(w->decision), gate_log_decisions[w->decision]);
		at_line_pad(out, AT_STYLE_NORMAL, narrow ? 11 : 12);
		put_column(out, w->tool, narrow ? 8 : 17);
		if (narrow) { /* with little room what is usual is left out */
			at_line_add(out, AT_STYLE_NORMAL, w->reason);
			at_line_text(out, AT_STYLE_NORMAL, w->reason.len ? " " : "");
		} else {
			put_column(out, w->reason, 19);
		}
		if (!narrow || !w->is_inspected)
			at_line_text(out, w->is_inspected ? AT_STYLE_DIM : AT_STYLE_MARK,
				at_gatelog_inspected(w->is_inspected));
		if (!narrow) {
			at_line_text(out, AT_STYLE_NORMAL, " ");
			at_line_pad(out, AT_STYLE_NORMAL, 64);
			at_line_text(out, AT_STYLE_DIM, at_buf_text(&where));
		}
	}
	at_buf_free(&where);
}

static void put_safe(struct at_buf *out, struct at_bytes text, int width)
{
	size_t from = out->len;

	at_safe_text(out, text, false);
	if (out->len - from < (size_t)width)
		at_buf_pad(out, ' ', (size_t)width - (out->len - from));
}

void at_gatelog_words_of(
	const struct at_gatelog *log, const struct at_gatelog_row *row, struct at_buf *out)
{
	const struct at_gatelog_word *w;

	if (row->kind == AT_GATELOG_CALL) {
		w = &log->words[row->word];
		at_buf_printf(out, "%-11s ", gate_log_decisions[w->decision]);
		put_safe(out, w->tool, 16);
		at_buf_putc(out, ' ');
		put_safe(out, w->reason, 20);
		at_buf_printf(out, " %-13s ", at_gatelog_inspected(w->is_inspected));
	} else {
		at_buf_printf(out, "%s, ", at_gatelog_gap(row->kind));
	}
	put_where(log, row, out);
}

void at_gatelog_chain(const struct at_gatelog *log, struct at_buf *out)
{
	if (log->gaps)
		at_buf_printf(
			out, "%zu gap%s, no evidence there", log->gaps, log->gaps == 1 ? "" : "s");
	if (!log->is_done)
		at_buf_printf(out, "%schain: reading… %u %%", log->gaps ? "; " : "",
			at_gatelog_percent(log));
	else if (log->is_cut)
		at_buf_printf(out, "%solder lines were not read", log->gaps ? "; " : "");
	else if (!log->gaps)
		at_buf_puts(out, log->calls ? "chain whole" : "no line: no evidence of anything");
}

void at_gatelog_totals(const struct at_gatelog *log, struct at_buf *out)
{
	at_buf_printf(out, "%zu call%s:", log->calls, log->calls == 1 ? "" : "s");
	for (size_t d = 0; d < AT_LEN(log->decided); d++)
		at_buf_printf(out, " %zu %s%s", log->decided[d], gate_log_decisions[d],
			d + 1 < AT_LEN(log->decided) ? "," : "");
	at_buf_printf(out, "; %zu not inspected; ", log->not_inspected);
	if (log->keyed)
		at_buf_printf(out, "HMAC on %zu, not checked", log->keyed);
	else
		at_buf_puts(out, "HMAC on none");
}

static void put_field(struct at_buf *out, const char *name, struct at_bytes text)
{
	at_buf_printf(out, "%-13s ", name);
	at_json_quote(out, text);
	at_buf_putc(out, '\n');
}

static void put_fields(struct at_buf *out, const struct gate_log_entry *e)
{
	put_field(out, "decision", at_bytes_of(gate_log_decisions[e->decision]));
	put_field(out, "tool", e->tool);
	put_field(out, "reason_id", e->reason);
	put_field(out, "tool_use_id", e->id);
	at_buf_printf(out, "%-13s %.*s\n%-13s %.*s\n", "categories", (int)e->categories.len,
		e->categories.data, "lines", (int)e->lines.len, e->lines.data);
	put_field(out, "checked", e->checked);
	if (!e->is_inspected)
		at_buf_puts(out,
			"              not inspected: the gate's own program was not "
			"looked at\n");
	put_field(out, "hook_hash", e->hook_hash);
	put_field(out, "prev_sha", e->prev);
	if (e->is_keyed) {
		put_field(out, "input_hmac", e->hmac);
		at_buf_puts(
			out, "              not checked here: the console does not know the key\n");
	} else {
		at_buf_puts(out, "input_hmac    none: no key was set\n");
	}
}

static void put_gap(
	const struct at_gatelog *log, const struct at_gatelog_row *row, struct at_buf *out)
{
	struct at_buf text = { 0 };

	at_buf_printf(out, "%s\n\n", at_gatelog_gap(row->kind));
	if (row->kind == AT_GATELOG_CHAIN || row->kind == AT_GATELOG_START) {
		at_buf_puts(out,
			"The call above says which line it follows, and the whole line before it "
			"in the file is another one, or there is none. Lines were taken out or "
			"changed. Nothing is known of what was put to the gate in between; that is "
			"not the same as nothing.\n");
		return;
	}
	at_buf_puts(out,
		row->kind == AT_GATELOG_TAIL
			? "It is being written just now, or a gate was stopped at it.\n"
			: "A gate that was stopped leaves half a line; an edit leaves worse.\n");
	at_gatelog_text(log, row, TORN_SHOWN, &text);
	at_buf_puts(out, "\nWhat stands there, its beginning: ");
	at_json_quote(out, at_buf_bytes(&text));
	at_buf_putc(out, '\n');
	at_buf_free(&text);
}

void at_gatelog_details(
	const struct at_gatelog *log, const struct at_gatelog_row *row, struct at_buf *out)
{
	struct at_arena *arena = at_arena_new();
	struct gate_log_entry entry;
	struct at_buf text = { 0 };

	if (row->kind == AT_GATELOG_CALL) {
		at_gatelog_text(log, row, GATE_LOG_LINE + 1, &text);
		if (gate_log_read_line(&entry, at_buf_bytes(&text), arena))
			put_fields(out, &entry);
		else
			at_buf_puts(out, "The line is not there any more: the file was changed.\n");
	} else {
		put_gap(log, row, out);
	}
	text.len = 0;
	put_where(log, row, &text);
	if (text.len)
		at_buf_printf(out, "\n%s of the log\n", at_buf_text(&text));
	at_buf_free(&text);
	at_arena_free(arena);
}

void at_gatelog_totals_json(const struct at_gatelog *log, struct at_json_value *out)
{
	struct at_json_value *decided;

	at_json_add_text(out, "chain",
		log->gaps             ? "gaps"
			: log->is_cut ? "not read whole"
			: log->calls  ? "whole"
				      : "empty");
	at_json_add_number(out, "lines", (long long)log->calls);
	decided = at_json_add_object(out, "decisions");
	for (size_t d = 0; d < AT_LEN(log->decided); d++)
		at_json_add_number(decided, gate_log_decisions[d], (long long)log->decided[d]);
	at_json_add_number(out, "not_inspected", (long long)log->not_inspected);
	at_json_add_number(out, "keyed", (long long)log->keyed);
	at_json_add_number(out, "no_evidence", (long long)log->gaps);
}

void at_gatelog_row_json(
	const struct at_gatelog *log, const struct at_gatelog_row *row, struct at_json_value *out)
{
	struct at_json_value *json = at_json_add_object(out, NULL);
	struct at_arena *arena = at_arena_new();
	struct gate_log_entry entry;
	struct at_buf text = { 0 };

	if (at_gatelog_line(log, row))
		at_json_add_number(json, "line", (long long)at_gatelog_line(log, row));
	if (row->kind != AT_GATELOG_CALL) {
		at_json_add_text(json, "no_evidence", at_gatelog_gap(row->kind));
		at_json_add_number(json, "count", row->count);
	} else {
		at_gatelog_text(log, row, GATE_LOG_LINE + 1, &text);
		if (gate_log_read_line(&entry, at_buf_bytes(&text), arena)) {
			at_json_add_bytes(json, "tool_use_id", entry.id);
			at_json_add_bytes(json, "tool", entry.tool);
			at_json_add_text(json, "decision", gate_log_decisions[entry.decision]);
			at_json_add_bytes(json, "reason_id", entry.reason);
			at_json_add_bytes(json, "checked", entry.checked);
			at_json_add_bool(json, "inspected", entry.is_inspected);
			at_json_add_bool(json, "keyed", entry.is_keyed);
		}
	}
	at_buf_free(&text);
	at_arena_free(arena);
}
